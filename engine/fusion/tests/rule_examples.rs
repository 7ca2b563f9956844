//! The examples of `data/rules/examples.csv` hold, and `docs/rules.md` shows each of them.

// Shared with the example that draws the pictures.
#[path = "../examples/pictures/board.rs"]
mod board;
#[path = "../examples/pictures/examples.rs"]
mod examples;

use examples::{Example, boards, read, root};
use fusion_chess::rules::{PRESETS, RuleSet, TOGGLES};
use fusion_game::prelude::*;
use fusion_game::{Side, Toggles};

/// The move in algebraic notation, and how the game ends by it; nothing where it is not legal.
fn played(example: &Example) -> (String, String) {
    let mut game = example.game();
    // A few boards would be dead. They show legal moves only.
    let is_over = game.outcome_now().is_some();
    let Some(mv) = game.parse_move(&example.mv) else { return Default::default() };
    let san = game.move_words(mv);
    game.play(mv);
    let then = game.outcome_now().filter(|_| !is_over).map(|outcome| {
        let result = match outcome.winner {
            Some(Side::First) => "1-0",
            Some(Side::Second) => "0-1",
            None => "draw",
        };
        format!("{result} {}", outcome.ending.name())
    });
    (san, then.unwrap_or_default())
}

#[test]
fn every_example_is_legal_or_not_as_the_table_says() {
    let examples = read().unwrap();
    assert!(examples.len() > 40);
    for example in examples {
        assert_eq!(played(&example), (example.san.clone(), example.then.clone()), "{example:?}");
    }
}

#[test]
fn every_toggle_has_examples_that_differ() {
    let boards = boards().unwrap();
    for toggle in TOGGLES.iter().map(|toggle| toggle.name) {
        let differ = boards.iter().filter(|(_, all)| all[0].toggle == toggle).any(|(_, all)| {
            let result = |example: &Example| (example.san.clone(), example.then.clone());
            let differs = |example: &Example| result(example) != result(&all[0]);
            all.iter().any(|example| differs(example) && example.rules != all[0].rules)
        });
        assert!(differ, "no board shows what {toggle} changes");
    }
}

/// Rule sets of examples that share a board differ in the toggle that they explain only.
#[test]
fn examples_on_one_board_differ_in_their_toggle_only() {
    for (name, all) in boards().unwrap() {
        for example in &all {
            let differ = example.rules.differences(&all[0].rules);
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
            let (fen, moves) = first.fen.split_once(" moves ").unwrap_or((&first.fen, ""));
            assert!(section.contains(&format!("`{fen}`")), "{picture}: {fen}");
            assert!(section.contains(moves), "{picture}: {moves}");
        }
        for example in &all {
            let result = match &*example.san {
                "" => "not legal".to_string(),
                san if example.then.is_empty() => format!("legal: `{san}`"),
                san => format!("legal: `{san}`, {}", example.then),
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
    let orthodox = RuleSet::preset("orthodox").unwrap();
    let (mut names, mut checked, mut listed) = (Vec::new(), 0, Vec::new());
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let cells = cells(line);
        if cells[0] == "toggle" {
            names = cells;
        } else if line.starts_with("| [`") && names[1] == "values" {
            // The table of all toggles: the value of orthodox chess comes first.
            let first = cells[1].split(',').next().map(str::to_owned);
            assert_eq!(orthodox.get(&cells[0]), first, "{}", cells[0]);
            listed.push(cells[0].clone());
        } else if line.starts_with("| [`") {
            for (name, value) in names.iter().zip(&cells).skip(1) {
                let rules = RuleSet::preset(name).unwrap();
                assert_eq!(rules.get(&cells[0]).as_ref(), Some(value), "{} of {name}", cells[0]);
                checked += 1;
            }
        }
    }
    assert!(TOGGLES.iter().map(|toggle| toggle.name).eq(listed));
    // The two tables have the toggles of the family; a third has what the other presets change.
    let (family, others) = PRESETS.split_at(12);
    assert_eq!(checked, family.len() * 16);
    for (name, rules) in family {
        let usual = TOGGLES[16..].iter().all(|t| rules.get(t.name) == PRESETS[0].1.get(t.name));
        assert!(usual, "{name}");
    }
    for (name, rules) in others {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
        assert_eq!(cells(row)[1].parse(), Ok(*rules), "{name}");
    }
}
