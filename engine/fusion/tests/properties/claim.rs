//! The inventor's claim about the rules of 2020: "any position that would be checkmate
//! without fission and fusion still is checkmate".

use crate::play::{STARTS, after, legal};
use fusion_chess::board::Position;
use fusion_chess::rules::RuleSet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// Of all mates (without fission and fusion) that a move leads to in random games:
/// how many there are, and which are no mates under the full rules.
fn mates_and_escapes(rules: &str, games: u64) -> (usize, Vec<Position>) {
    let plain = format!("{rules},fusion=no,fission=no,king-fuses=no,fuse-onto-king=no");
    // A toggle that the preset has off already may be given again.
    let (plain, rules): (RuleSet, RuleSet) = (plain.parse().unwrap(), rules.parse().unwrap());
    let mut mates = HashSet::new();
    let mut escapes = Vec::new();
    for game in 0..games {
        let mut rng = ChaCha8Rng::seed_from_u64(game);
        let start = &STARTS[game as usize % STARTS.len()];
        let mut position = Position::from_fen(&rules, start).unwrap();
        for _ in 0..100 {
            let moves = legal(&position, &rules);
            if moves.is_empty() {
                break;
            }
            for &mv in &moves {
                let next = after(&position, mv);
                let mate = next.in_check() && next.count_legal_moves(&plain) == 0;
                if mate && mates.insert(next.hash()) && next.count_legal_moves(&rules) > 0 {
                    escapes.push(next);
                }
            }
            position.play(moves[rng.random_range(0..moves.len())]);
        }
    }
    (mates.len(), escapes)
}

#[test]
fn under_fusion_2020_no_mate_is_escaped_by_fission_or_fusion() {
    let (mates, escapes) = mates_and_escapes("fusion-2020", 1000);
    assert!(mates >= 500, "only {mates} mates: the test says little");
    assert!(escapes.is_empty(), "{} of {mates} escaped, such as {}", escapes.len(), escapes[0]);
}

#[test]
fn under_fusion_1999_some_are() {
    let (mates, escapes) = mates_and_escapes("fusion-1999", 300);
    assert!(mates >= 100 && !escapes.is_empty(), "{} of {mates} escaped", escapes.len());
}
