//! Nothing that can be typed makes a parser panic.

use crate::play::{FAMILY_STARTS, STARTS, after, legal, line};
use fusion_chess::board::Position;
use fusion_chess::notation::pgn::{self, PgnGame};
use fusion_chess::notation::{parse_coordinate, parse_san};
use fusion_chess::rules::RuleSet;
use proptest::prelude::*;
use proptest::sample::Index;

/// A text with some characters replaced, inserted or removed.
fn mutated(text: &str, edits: &[(Index, u8, char)]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for &(place, action, letter) in edits {
        let place = place.index(letters.len() + 1);
        match action % 3 {
            0 if place < letters.len() => letters[place] = letter,
            1 if place < letters.len() => drop(letters.remove(place)),
            _ => letters.insert(place, letter),
        }
    }
    letters.into_iter().collect()
}

fn edits(alphabet: &'static str) -> impl Strategy<Value = Vec<(Index, u8, char)>> {
    let letters: Vec<char> = alphabet.chars().collect();
    let letter = prop_oneof![9 => prop::sample::select(letters), 1 => any::<char>()];
    prop::collection::vec((any::<Index>(), any::<u8>(), letter), 0..6)
}

fn any_rules() -> RuleSet {
    RuleSet::preset("fusion-1999").unwrap()
}

proptest! {
    #[test]
    fn fens(
        start in prop::sample::select([STARTS.clone(), FAMILY_STARTS.clone()].concat()),
        edits in edits("/12345678kKrRbBnNpPqQmMdDgGfFcCoOwb-ah36 {}"),
        other: String,
        rules in crate::play::rules(),
    ) {
        let _ = (Position::from_fen(&rules, &other), Position::read_fen(&rules, &other));
        if let Ok((position, remarks)) = Position::read_fen(&rules, &mutated(&start, &edits)) {
            prop_assert_eq!(Position::from_fen(&rules, &position.to_fen()), Ok(position));
            let strict = Position::from_fen(&rules, &mutated(&start, &edits));
            prop_assert!(!remarks.is_empty() || strict.is_err() || strict == Ok(position));
        }
        if let Ok(position) = Position::from_fen(&rules, &mutated(&start, &edits)) {
            // What is accepted is a position like any other.
            prop_assert_eq!(Position::from_fen(&rules, &position.to_fen()), Ok(position));
            for mv in legal(&position, &rules) {
                let next = after(&position, mv);
                prop_assert_eq!(next.hash(), next.fresh_hash());
                prop_assert_eq!(Position::from_fen(&rules, &next.to_fen()), Ok(next));
            }
        }
    }

    #[test]
    fn moves(
        line in line(20),
        text in "[KRBNQMDGFCPa-h1-8mqrnokxO0=+#!?().:;/-]{0,9}",
        other: String,
    ) {
        let position = *line.positions().last().unwrap();
        for text in [text, other] {
            if let Ok(mv) = parse_san(&position, &line.rules, &text) {
                prop_assert!(legal(&position, &line.rules).contains(&mv));
            }
            if let Ok(mv) = parse_coordinate(&position, &line.rules, &text) {
                prop_assert_eq!(mv.to_string(), text);
            }
        }
    }

    #[test]
    fn rule_expressions(
        text in "[a-z0-9=,-]{0,40}",
        other: String,
        edits in edits("fusion-2020,castling=yes"),
        rules in crate::play::rules(),
    ) {
        for text in [text, other, mutated(&rules.to_string(), &edits)] {
            if let Ok(rules) = text.parse::<RuleSet>() {
                prop_assert_eq!(rules.to_string().parse::<RuleSet>(), Ok(rules));
            }
        }
    }

    /// Every game or error takes some of the input, so that reading ends.
    #[test]
    fn pgn_files(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        soup in prop::collection::vec(prop::sample::select(vec![
            "[Event \"x\"]", "[FEN \"8/8\"]", "[", "]", "{", "}", "(", ")", ";", "\n", "\n%", " ",
            "1.", "e4", "e5", "Nf3", "*", "1-0", "$3", "\"", "\\", "é", "[RuleSet \"fusion-2020\"]",
        ]), 0..60),
        line in line(30),
        edits in edits("[]{}()\"\n%;*01-. eNx"),
    ) {
        let mut game = PgnGame::new(&line.rules, &line.start());
        game.moves = line.moves().into_iter().map(Into::into).collect();
        let mut file = Vec::new();
        game.write(&mut file).unwrap();
        let damaged = mutated(&String::from_utf8(file).unwrap(), &edits).into_bytes();
        for bytes in [bytes, soup.concat().into_bytes(), damaged] {
            let games = pgn::read(&bytes[..]).take(bytes.len() + 2).count();
            prop_assert!(games <= bytes.len() + 1);
        }
    }
}

#[test]
fn empty_texts() {
    let rules = any_rules();
    let start = Position::start(&rules);
    assert!("".parse::<RuleSet>().is_err() && Position::from_fen(&rules, "").is_err());
    assert!(
        parse_san(&start, &rules, "").is_err() && parse_coordinate(&start, &rules, "").is_err()
    );
}
