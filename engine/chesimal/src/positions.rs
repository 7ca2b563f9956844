//! Positions for benchmarks.

use crate::ChesimalGame;
use crate::board::Action;
use crate::counts;
use crate::rules::RuleSet;
use fusion_game::prelude::*;
use fusion_game::{BenchmarkSet, Tactics};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// The initial position of `chesimal`.
const START: &str = "16/p1p1pwp2epe1p1p/nkn1wsw2psp1nkn/p1p1pwp2epe1p1p/16/16/16/16/\
                     P1P1PWP2EPE1P1P/NKN1WSW2PSP1NKN/P1P1PWP2EPE1P1P/16 w - - 0 1";

/// A middle game within a turn, with 95 actions.
const MIDDLE: &str = "1k12pk/p1p2w3e1e1n1n/n1npwpwp1ppp1p2/5w3esep2p/1p1p1S10/11p4/5W10/2P7P5/\
                      P5P1PESEP2P/N6K4PN1N/P2W2PW1EPEP2P/1P1NWP10 w - h3k+d2+h3+f6 0 5";

/// Lengths in actions of the random games before the middle games.
const LENGTHS: std::ops::Range<u32> = 40..140;

impl Benchmark for ChesimalGame {
    const BENCHMARK: BenchmarkSet = BenchmarkSet {
        reference: "chesimal",
        rules: "chesimal",
        counts: &[("start position", START, 5), ("middle game", MIDDLE, 4)],
    };

    const COUNTS: &'static [&'static str] = &["actions", "positions", "turns"];

    /// `turns` has the depth 1.
    fn counts_at(kind: &str, depth: u32) -> bool {
        Self::COUNTS.contains(&kind) && (kind != "turns" || depth == 1)
    }

    fn count(&self, kind: &str, depth: u32) -> u64 {
        let (position, rules) = (self.position(), self.rules());
        match kind {
            "positions" => counts::positions(position, rules, depth),
            "turns" => counts::turns(position, rules),
            _ => counts::actions(position, rules, depth),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        counts::actions(self.position(), self.rules(), depth)
    }

    fn perft_making_every_move(&self, depth: u32) -> u64 {
        counts::actions_made(self.position(), self.rules(), depth)
    }

    /// Returns games after 40 to 139 random actions that are not over. Half of the captures that are
    /// possible are made.
    fn middle_games(rules: &RuleSet) -> Vec<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        LENGTHS.step_by(5).filter_map(|plies| random_game(rules, plies, &mut rng)).collect()
    }
}

/// Returns a game after this many random actions, or `None` if it is over by then.
fn random_game(rules: &RuleSet, plies: u32, rng: &mut ChaCha8Rng) -> Option<ChesimalGame> {
    let (mut game, mut actions) = (ChesimalGame::new(rules), Vec::new());
    for ply in 0..plies {
        if game.outcome_now().is_some() {
            return None;
        }
        actions.clear();
        game.legal_moves(&mut actions);
        let captures: Vec<Action> =
            actions.iter().copied().filter(|&action| game.is_forcing(action)).collect();
        let choices = if captures.is_empty() || ply % 2 == 0 { &actions } else { &captures };
        game.play(*choices.choose(rng)?);
    }
    game.outcome_now().is_none().then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_games_are_varied_and_not_over() {
        for (name, rules) in <RuleSet as fusion_game::RuleSet>::presets() {
            let games = ChesimalGame::middle_games(&rules);
            assert!(games.len() >= 3, "{name}: {}", games.len());
            assert!(games.iter().any(|game| game.position().active().is_some()), "{name}");
            assert!(games.iter().all(|game| game.outcome_now().is_none()), "{name}");
        }
        let rules = RuleSet::preset("chesimal").unwrap();
        for (name, text, _) in ChesimalGame::BENCHMARK.counts {
            let game = ChesimalGame::from_text(&rules, text).unwrap();
            assert_eq!(game.to_text(), *text, "{name}");
            assert_eq!(game.perft(3), game.perft_making_every_move(3), "{name}");
        }
    }
}
