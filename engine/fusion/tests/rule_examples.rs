//! The examples of `data/rules/examples.csv` hold, and `docs/rules.md` shows each of them.

// Shared with the example that draws the pictures.
#[path = "../examples/pictures/board.rs"]
mod board;
#[path = "../examples/pictures/examples.rs"]
mod examples;

use examples::{Example, boards, read, root};
use fusion_chess::board::Position;
use fusion_chess::notation::san;
use fusion_chess::rules::{PRESETS, RuleSet, TOGGLES};

/// The move in algebraic notation, or nothing where it is not legal.
fn played(example: &Example) -> String {
    let position = Position::from_fen(&example.rules, example.position()).unwrap();
    let mut moves = Vec::new();
    position.legal_moves(&example.rules, &mut moves);
    let mv = moves.into_iter().find(|mv| mv.to_string() == example.mv);
    mv.map_or_else(String::new, |mv| san(&position, &example.rules, mv))
}

#[test]
fn every_example_is_legal_or_not_as_the_table_says() {
    let examples = read().unwrap();
    assert!(examples.len() > 40);
    for example in examples {
        assert_eq!(played(&example), example.san, "{example:?}");
    }
}

#[test]
fn every_toggle_has_examples_that_differ() {
    let boards = boards().unwrap();
    for toggle in TOGGLES {
        let differ = boards.iter().filter(|(_, all)| all[0].toggle == toggle).any(|(_, all)| {
            all.iter().any(|example| example.san != all[0].san && example.rules != all[0].rules)
        });
        assert!(differ, "no board shows what {toggle} changes");
    }
}

/// Rule sets of examples that share a board differ in the toggle that they explain only.
#[test]
fn examples_on_one_board_differ_in_their_toggle_only() {
    for (name, all) in boards().unwrap() {
        for example in &all {
            let differ =
                TOGGLES.into_iter().filter(|t| example.rules.get(t) != all[0].rules.get(t));
            assert!(differ.into_iter().all(|toggle| toggle == example.toggle), "{name}");
        }
    }
}

#[test]
fn the_page_of_the_rules_shows_every_example() {
    let page = std::fs::read_to_string(root().join("docs/rules.md")).unwrap();
    for (picture, all) in boards().unwrap() {
        let first = &all[0];
        let heading = format!("\n### `{}`\n", first.toggle);
        let section = page.split_once(&heading).unwrap_or_else(|| panic!("no {heading}")).1;
        let section = section.split("\n### ").next().unwrap();
        assert!(section.contains(&format!("](img/{picture})")), "{picture} is not shown");
        if first.fen != "start" {
            assert!(section.contains(&format!("`{}`", first.fen)), "{picture}: {}", first.fen);
        }
        for example in &all {
            let result = match &*example.san {
                "" => "not legal".to_string(),
                san => format!("legal: `{san}`"),
            };
            let row = format!("| `{}` | `{}` | {result} |", example.rules_text, example.mv);
            assert!(section.contains(&row), "{row} is not in the section on {}", first.toggle);
        }
    }
}

#[test]
fn every_picture_is_of_the_position_of_its_example() {
    for (name, all) in boards().unwrap() {
        let path = root().join("docs/img").join(&name);
        let drawn = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            drawn == all[0].picture(),
            "{name} is missing or of another position: \
             cargo run -p fusion-chess --example pictures -- rules"
        );
    }
}

#[test]
fn the_tables_of_presets_are_right() {
    let page = std::fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells
            .map(|cell| cell.split("](").next().unwrap().trim_matches([' ', '[', '`']).into())
            .collect()
    };
    let (mut names, mut shown) = (Vec::new(), 0);
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let cells = cells(line);
        if cells[0] == "toggle" {
            names = cells;
        } else if line.starts_with("| [`") {
            for (name, value) in names.iter().zip(&cells).skip(1) {
                let rules = RuleSet::preset(name).unwrap();
                assert_eq!(rules.get(&cells[0]).as_ref(), Some(value), "{} of {name}", cells[0]);
                shown += 1;
            }
        }
    }
    assert_eq!(shown, PRESETS.len() * TOGGLES.len());
}
