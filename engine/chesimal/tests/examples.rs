//! The examples of the rules page.

use fusion_chesimal::ChesimalGame;
use fusion_chesimal::board::{Bitboard, Square};
use fusion_game::prelude::*;
use std::collections::BTreeSet;

fn game(rules: &str, text: &str) -> ChesimalGame {
    ChesimalGame::from_text(&rules.parse().unwrap(), text).unwrap()
}

fn play(game: &mut ChesimalGame, actions: &str) {
    for text in actions.split_whitespace() {
        let action = game.parse_move(text);
        game.play(action.unwrap_or_else(|| panic!("{text} is not legal in {}", game.to_text())));
    }
}

/// Where the unit on a square may go.
fn targets(game: &ChesimalGame, from: &str) -> BTreeSet<String> {
    let mut actions = Vec::new();
    game.legal_moves(&mut actions);
    let texts = actions.iter().map(ToString::to_string);
    texts.filter_map(|text| text.strip_prefix(from).map(str::to_owned)).collect()
}

fn set(squares: &str) -> Bitboard {
    squares.split_whitespace().map(|text| text.parse::<Square>().unwrap()).collect()
}

#[test]
fn a_king_slides_and_does_not_jump() {
    let position = "15k/16/16/16/16/16/3PPp10/3pKp10/3Pp11/16/16/16 w - e5k 0 2";
    let reached = targets(&game("chesimal", position), "e5");
    let wanted = "d5 e4 f5 f6 f4 e3 f3 g3 g4 g5".split(' ').map(str::to_owned).collect();
    assert_eq!(reached, wanted);
}

#[test]
fn the_leader_takes_its_connections_along() {
    let position = "15k/16/16/16/16/16/1K14/1PPPPP10/16/16/16/16 w - b6k 0 2";
    let rules = "chesimal".parse().unwrap();
    let mut near = game("chesimal", position);
    play(&mut near, "b6c6");
    assert_eq!(near.position().ready(&rules), set("b5 c5 d5 e5 f5"));
    let mut far = game("chesimal", position);
    play(&mut far, "b6b7");
    assert!(far.position().ready(&rules).is_empty());
    let mut actions = Vec::new();
    far.legal_moves(&mut actions);
    assert_eq!(actions.iter().map(ToString::to_string).collect::<Vec<_>>(), ["end"]);
}

#[test]
fn units_that_have_moved_connect() {
    let position = "15k/16/16/16/16/16/16/S15/1P14/16/1P14/K1N13 w - a1k 0 2";
    let rules = "chesimal".parse().unwrap();
    let mut game = game("chesimal", position);
    assert_eq!(game.position().ready(&rules), set("a1 b2 c1"));
    play(&mut game, "c1b3");
    assert_eq!(game.position().ready(&rules), set("a1 b2 b4 a5"));
}

#[test]
fn actions_lead_to_the_positions_of_the_page() {
    let start = ChesimalGame::new(&"chesimal".parse().unwrap()).to_text();
    let falls = "15k/16/16/16/16/16/16/3PP11/3S12/4kp10/16/K15 b 1111222 - 0 2";
    let fallen = "15k/16/16/16/16/16/16/3PP11/4pk10/1K14/16/16 w 100221 - 3 4";
    let recruited = "15k/16/16/16/16/16/16/2KPP11/4pk10/16/16/16 w 110022 c5k+c5*d5 3 4";
    for (rules, before, actions, after) in [
        (
            "chesimal",
            start.as_str(),
            "f3o f4f6 e4e5 f3f4",
            "16/p1p1pwp2epe1p1p/nkn1wsw2psp1nkn/p1p1pwp2epe1p1p/16/16/5W10/4P11/\
             P1P2SP2EPE1P1P/NKN1W1W2PSP1NKN/P1P1PWP2EPE1P1P/16 w - f4o+f4+e5+f6 0 1",
        ),
        ("chesimal-restricted", falls, "e3k f3e4 e3d4 end a1k a1b3 end d4k d4f4 end", fallen),
        ("chesimal-restricted", fallen, "b3k b3c5 d5r", recruited),
        (
            "chesimal-restricted",
            recruited,
            "end",
            "15k/16/16/16/16/16/16/2KPP11/4pk10/16/16/16 b 111022 - 4 4",
        ),
        (
            "chesimal-restricted",
            "16/16/16/16/16/3wkk10/4P11/3NKW10/16/16/16/16 w 1120111 - 0 2",
            "e5k e6r f5f7 d5e7",
            "16/16/16/16/16/3wNW10/4P11/4K11/16/16/16/16 b 01111 - 1 2",
        ),
    ] {
        let mut game = game(rules, before);
        play(&mut game, actions);
        assert_eq!(game.to_text(), after, "{before}: {actions}");
    }
}

/// The numbers of choices and of first activations on the page.
#[test]
fn start_positions_have_the_actions_of_the_page() {
    for (rules, choices) in [
        ("chesimal", "b3k 32 f3o 22 f3d 12 k3o 4 k3d 26 o3k 32"),
        ("chesimal-restricted", "b3k 32 f3o 22 f3d 12 k3o 4 k3d 26 o3k 32"),
    ] {
        let start = ChesimalGame::new(&rules.parse().unwrap());
        let counted =
            start.divide(2).into_iter().map(|(action, count)| format!("{action} {count}"));
        assert_eq!(counted.collect::<Vec<_>>().join(" "), choices, "{rules}");
    }
}
