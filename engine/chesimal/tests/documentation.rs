//! The page of the rules says what the code does.

use fusion_chesimal::board::start;
use fusion_chesimal::rules::{PRESETS, TOGGLES};
use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/chesimal.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_page_has_every_toggle_with_its_values_under_the_presets() {
    let page = page();
    for toggle in TOGGLES {
        let begin = format!("| `{}` |", toggle.name);
        let row = page.lines().find(|line| line.starts_with(&begin));
        let row = row.unwrap_or_else(|| panic!("no row for {}", toggle.name));
        let cells: Vec<String> =
            row.split('|').map(|cell| cell.trim().replace(['`', ','], "")).collect();
        let wanted = PRESETS.map(|(_, rules)| rules.get(toggle.name).unwrap());
        assert_eq!(cells[4..7], wanted, "{row}");
    }
}

#[test]
fn the_page_has_the_start_position() {
    let (_, rules) = PRESETS[0];
    assert!(page().contains(&format!("    {}\n", start(&rules).to_text(&rules))));
}
