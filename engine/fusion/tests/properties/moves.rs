//! Legal moves, what they leave behind, hashes and symmetry.

use crate::mailbox::Board;
use crate::play::{Line, after, is_capture, is_metamorphosis, legal, line};
use fusion_chess::board::perft::perft;
use fusion_chess::board::{Color, Component, Move, MoveKind, Position};
use fusion_chess::rules::{Denied, RoyalReach, RuleSet, TOGGLES};
use fusion_game::Toggles;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
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

/// What repetition compares: a FEN without its two counters.
pub fn repetition_key(fen: &str) -> &str {
    fen.rsplitn(3, ' ').nth(2).unwrap()
}

/// Compares a position's moves, and the positions after them, with the slow generator's.
fn compare(position: &Position, rules: &RuleSet) -> Result<(), TestCaseError> {
    let expected: BTreeMap<String, String> = Board::from_fen(&position.to_fen())
        .legal_moves(rules)
        .into_iter()
        .map(|(text, (next, _))| (text, next.fen(rules)))
        .collect();
    let moves = legal(position, rules);
    prop_assert_eq!(position.count_legal_moves(rules), moves.len());
    prop_assert_eq!(position.has_legal_move(rules), !moves.is_empty());
    let found: BTreeMap<String, String> =
        moves.iter().map(|&mv| (mv.to_string(), after(position, mv).to_fen())).collect();
    prop_assert_eq!(found.len(), moves.len(), "the same move twice");
    prop_assert_eq!(found, expected, "{} under {}", position, rules);
    Ok(())
}

/// The number of lines of this many plies by the slow generator.
fn slow_perft(board: &Board, rules: &RuleSet, depth: u32) -> u64 {
    let moves = board.legal_moves(rules);
    match depth {
        1 => moves.len() as u64,
        _ => moves.values().map(|(next, _)| slow_perft(next, rules, depth - 1)).sum(),
    }
}

/// The two sides have different moves in turn.
#[test]
fn lines_under_one_sided_rules_are_as_many_as_by_the_slow_generator() {
    for (rules, fen) in [
        (
            "fusion-2020,denied=black:castling+fuse-onto-king",
            "r3k2r/8/8/3q4/4n3/8/1B6/R3K2R w KQkq - 0 1",
        ),
        ("fusion-1999,denied=white:fission+king-fuses", "4k2r/8/2n5/8/3Q4/8/5N2/R3K3 b - - 0 1"),
        (
            "fusion-1999,denied=black:sliders-cross-check+attacked-split",
            "8/2r5/3g4/8/5R2/4Q3/8/2K5 w - - 0 1",
        ),
    ] {
        let rules: RuleSet = rules.parse().unwrap();
        let position = Position::from_fen(&rules, fen).unwrap();
        let board = Board::from_fen(&position.to_fen());
        let both = RuleSet { denied: Denied::NOTHING, ..rules };
        assert_eq!(perft(&position, &rules, 3), slow_perft(&board, &rules, 3), "{rules}");
        assert_ne!(perft(&position, &rules, 3), perft(&position, &both, 3), "{rules}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The same moves, leading to the same positions, as the slow generator.
    #[test]
    fn moves_are_those_of_the_rules(line in line(60)) {
        for position in line.positions() {
            compare(&position, &line.rules)?;
        }
    }

    /// The same under rules that deny something to one side, whose opponent's moves stay the same.
    #[test]
    fn a_side_goes_without_what_is_denied_to_it(line in line(60), chosen: u8, white: bool) {
        let permitted: Vec<&str> = TOGGLES[..8]
            .iter()
            .map(|toggle| toggle.name)
            .filter(|toggle| line.rules.get(toggle).unwrap() != "no")
            .enumerate()
            .filter(|(i, _)| chosen >> i & 1 != 0)
            .map(|(_, toggle)| toggle)
            .collect();
        prop_assume!(!permitted.is_empty() && line.rules.royal_reach == RoyalReach::Geometric);
        let value = format!("{}:{}", if white { "white" } else { "black" }, permitted.join("+"));
        let mut rules = line.rules;
        rules.set("denied", &value).unwrap();
        // What has no effect cannot be denied.
        prop_assume!(rules.check().is_ok());
        prop_assert_eq!(rules.to_string().parse(), Ok(rules));
        for position in line.positions() {
            let position = Position::from_fen(&rules, &position.to_fen()).unwrap();
            compare(&position, &rules)?;
            let own = rules.of_side(position.side_to_move());
            prop_assert_eq!(legal(&position, &rules), legal(&position, &own));
            if (position.side_to_move() == Color::White) != white {
                prop_assert_eq!(own, line.rules);
            }
        }
    }

    /// The placebo tests of reports rest on it.
    #[test]
    fn toggles_that_do_not_apply_change_no_move(line in line(60).prop_map(Line::with_initial_position)) {
        let is_inert = |other: &RuleSet, toggle: &str| {
            !line.rules.applies(toggle) && !other.applies(toggle)
        };
        let mut inert = line.rules.neighbours();
        inert.retain(|other| line.rules.differences(other).iter().all(|it| is_inert(other, it)));
        for position in line.positions() {
            for other in &inert {
                prop_assert_eq!(legal(&position, &line.rules), legal(&position, other), "{}", other);
                prop_assert_eq!(position.is_dead(&line.rules), position.is_dead(other), "{}", other);
            }
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
            let fen = position.to_fen();
            let key = repetition_key(&fen).to_owned();
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
            prop_assert_eq!(flipped.is_dead(&line.rules), position.is_dead(&line.rules));
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
    format!("{} {} 1", repetition_key(&position.to_fen()), position.halfmove_clock())
}

/// Number of components on the board, Pawns included.
fn components(position: &Position) -> usize {
    Component::ALL.into_iter().map(|component| position.component(component).len()).sum()
}

/// A move that makes the board fuller: a metamorphosis, else a fission, whose parts may be
/// attacked and metamorphose in their turn, else at least no capture.
fn growing(position: &Position, moves: &[Move], rng: &mut ChaCha8Rng) -> Move {
    let is_fission = |mv: Move| matches!(mv.kind(), MoveKind::Fission(_));
    let rank = |mv: Move| match () {
        () if is_metamorphosis(position, mv) => 0,
        () if is_capture(position, mv) || mv.kind() == MoveKind::EnPassant => 3,
        () if is_fission(mv) => 1,
        () => 2,
    };
    let best = moves.iter().map(|&mv| rank(mv)).min().unwrap();
    let candidates: Vec<Move> = moves.iter().copied().filter(|&mv| rank(mv) == best).collect();
    candidates[rng.random_range(0..candidates.len())]
}

/// Metamorphosis adds components without end; games begin with 34.
#[test]
fn boards_of_metamorphin_fill_beyond_forty_components() {
    let rules = RuleSet::preset("metamorphin").unwrap();
    for seed in 0..10 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = Position::start(&rules);
        let mut most = 0;
        for _ in 0..150 {
            let moves = legal(&position, &rules);
            if moves.is_empty() {
                break;
            }
            position.play(growing(&position, &moves, &mut rng));
            assert_eq!(position.hash(), position.fresh_hash());
            assert_eq!(Position::from_fen(&rules, &position.to_fen()), Ok(position));
            compare(&position, &rules).unwrap();
            most = most.max(components(&position));
        }
        assert!(most > 40, "{most} components in game {seed}: {position}");
    }
}
