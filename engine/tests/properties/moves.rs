//! Legal moves, what they leave behind, hashes and symmetry.

use crate::mailbox::Board;
use crate::play::{after, legal, line};
use fusion_engine::board::{Move, Position};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// A move with its ranks counted from the other side.
fn mirrored(mv: Move) -> String {
    let mirror = |c: char| c.to_digit(10).map_or(c, |rank| char::from(b'9' - rank as u8));
    mv.to_string().chars().map(mirror).collect()
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

/// What repetition compares.
fn repetition_key(position: &Position) -> String {
    let fen = position.to_fen();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The same moves, leading to the same positions, as the slow generator.
    #[test]
    fn moves_are_those_of_the_rules(line in line(60)) {
        for position in line.positions() {
            let board = Board::from_fen(&position.to_fen());
            let expected: BTreeMap<String, String> = board
                .legal_moves(&line.rules)
                .into_iter()
                .map(|(text, (next, _))| (text, next.fen(&line.rules)))
                .collect();
            let moves = legal(&position, &line.rules);
            prop_assert_eq!(position.count_legal_moves(&line.rules), moves.len());
            prop_assert_eq!(position.has_legal_move(&line.rules), !moves.is_empty());
            let found: BTreeMap<String, String> =
                moves.iter().map(|&mv| (mv.to_string(), after(&position, mv).to_fen())).collect();
            prop_assert_eq!(found.len(), moves.len(), "the same move twice");
            prop_assert_eq!(found, expected, "{} under {}", position, line.rules);
        }
    }

    #[test]
    fn no_move_leaves_the_royal_attacked(line in line(120)) {
        for position in line.positions() {
            for mv in legal(&position, &line.rules) {
                let next = after(&position, mv);
                let (us, them) = (position.side_to_move(), next.side_to_move());
                let attackers = next.attackers(next.royal(us), them, next.occupied());
                prop_assert!(attackers.is_empty(), "{mv} in {position}");
            }
            let last = Board::from_fen(&position.to_fen());
            prop_assert!(!last.leaves_royal_attacked(), "{position}");
        }
    }

    /// Incremental hashes are right, and as different as positions are.
    #[test]
    fn hashes_are_those_of_the_position(line in line(200)) {
        let mut seen = HashMap::new();
        for position in line.positions() {
            prop_assert_eq!(position.hash(), position.fresh_hash());
            let reread = Position::from_fen(&line.rules, &position.to_fen()).unwrap();
            prop_assert_eq!(reread, position, "what was made move by move differs");
            let key = repetition_key(&position);
            prop_assert_eq!(seen.entry(position.hash()).or_insert(key.clone()), &key);
        }
    }

    #[test]
    fn colours_are_symmetric(line in line(120)) {
        for position in line.positions() {
            let flipped = position.flipped();
            prop_assert_eq!(flipped.flipped(), position);
            prop_assert_eq!(flipped.hash(), flipped.fresh_hash());
            let moves = legal(&position, &line.rules);
            let expected = sorted(moves.iter().map(|&mv| mirrored(mv)).collect());
            let other_side = legal(&flipped, &line.rules);
            prop_assert_eq!(sorted(other_side.iter().map(Move::to_string).collect()), expected);
            prop_assert_eq!(flipped.in_check(), position.in_check());
            prop_assert_eq!(flipped.is_dead(), position.is_dead());
            for mv in other_side {
                let back = moves.iter().find(|&&own| mirrored(own) == mv.to_string()).unwrap();
                let (mut one, two) = (after(&flipped, mv).flipped(), after(&position, *back));
                // Move numbers count Black's moves.
                one = Position::from_fen(&line.rules, &renumbered(&one)).unwrap();
                let two = Position::from_fen(&line.rules, &renumbered(&two)).unwrap();
                prop_assert_eq!(one, two);
            }
        }
    }
}

fn renumbered(position: &Position) -> String {
    format!("{} {} 1", repetition_key(position), position.halfmove_clock())
}
