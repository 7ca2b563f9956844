//! Random rule sets and random games.

use fusion_engine::board::{Move, MoveKind, Position};
use fusion_engine::rules::{PRESETS, RuleSet};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Where games begin: every position of the shipped table of move counts.
pub static STARTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/perft/presets.csv");
    let rows = csv::Reader::from_path(path).unwrap().into_records();
    let fens: BTreeSet<String> = rows.map(|row| row.unwrap()[2].to_string()).collect();
    fens.into_iter().collect()
});

/// A preset, or any mix of toggles.
pub fn rules() -> impl Strategy<Value = RuleSet> {
    let preset = prop::sample::select(PRESETS.map(|(_, rules)| rules).to_vec());
    let flags = prop::collection::vec(any::<bool>(), 8);
    let pieces = prop::sample::subsequence(vec!["q", "m", "d", "r", "b", "n"], 1..=6);
    let mix = (flags, pieces, any::<bool>()).prop_map(|(flags, pieces, path)| {
        let mut rules = RuleSet::preset("fusion-2020").unwrap();
        for (toggle, flag) in fusion_engine::rules::TOGGLES.iter().zip(flags) {
            rules.set(toggle, if flag { "yes" } else { "no" }).unwrap();
        }
        rules.set("promotion", &pieces.concat()).unwrap();
        rules.set("royal-reach", if path { "path" } else { "geometric" }).unwrap();
        rules
    });
    prop_oneof![preset, mix]
}

/// A game: its rules, its first position and the choices that made its moves.
#[derive(Clone, Debug)]
pub struct Line {
    pub rules: RuleSet,
    start: String,
    choices: Vec<(Index, bool)>,
}

/// Games of at most so many plies.
pub fn line(plies: usize) -> impl Strategy<Value = Line> {
    let start = prop_oneof![
        1 => Just(fusion_engine::board::fen::START.to_string()),
        4 => prop::sample::select(STARTS.clone()),
    ];
    // A quarter of the moves are fusions, fissions, promotions, castling or checks if
    // there are any, or else these would be rarer than in play with a purpose.
    let choice = (any::<Index>(), prop::bool::weighted(0.25));
    (rules(), start, prop::collection::vec(choice, 0..plies))
        .prop_map(|(rules, start, choices)| Line { rules, start, choices })
}

impl Line {
    pub fn start(&self) -> Position {
        Position::from_fen(&self.rules, &self.start).unwrap()
    }

    /// The game's moves.
    pub fn moves(&self) -> Vec<Move> {
        let mut played = Vec::new();
        let mut position = self.start();
        for &(choice, lively) in &self.choices {
            let moves = legal(&position, &self.rules);
            let special: Vec<Move> =
                moves.iter().copied().filter(|&mv| lively && is_lively(&position, mv)).collect();
            let candidates = if special.is_empty() { moves } else { special };
            if candidates.is_empty() {
                break;
            }
            let mv = *choice.get(&candidates);
            position.play(mv);
            played.push(mv);
        }
        played
    }

    /// The game's positions, the first and the last included.
    pub fn positions(&self) -> Vec<Position> {
        let mut positions = vec![self.start()];
        for mv in self.moves() {
            positions.push(after(positions.last().unwrap(), mv));
        }
        positions
    }
}

fn is_lively(position: &Position, mv: Move) -> bool {
    mv.kind() != MoveKind::Plain || after(position, mv).in_check()
}

pub fn legal(position: &Position, rules: &RuleSet) -> Vec<Move> {
    let mut moves = Vec::new();
    position.legal_moves(rules, &mut moves);
    moves
}

pub fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.play(mv);
    next
}
