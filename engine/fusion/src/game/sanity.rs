//! Positions with an obvious best move, under any rules.

use fusion_game::SanityPosition;

pub(super) const POSITIONS: &[SanityPosition] = &[
    SanityPosition {
        what: "White mates in one",
        position: "7k/R7/8/8/p7/8/5PPP/1R4K1 w - - 0 1",
        best: "b1b8",
    },
    SanityPosition {
        what: "Black mates in one",
        position: "1r4k1/5ppp/8/P7/8/8/r7/7K b - - 0 1",
        best: "b8b1",
    },
    SanityPosition {
        what: "White wins a Queen",
        position: "6k1/5ppp/8/3q4/8/8/5PPP/3R2K1 w - - 0 1",
        best: "d1d5",
    },
    SanityPosition {
        what: "Black wins a Queen",
        position: "3r2k1/5ppp/8/8/3Q4/8/5PPP/6K1 b - - 0 1",
        best: "d8d4",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FusionGame;
    use crate::board::Component;
    use crate::game::CHECKMATE;
    use crate::rules::PRESETS;
    use fusion_game::prelude::*;

    #[test]
    fn the_best_moves_are_what_they_are_said_to_be() {
        for (name, rules) in PRESETS {
            for known in POSITIONS {
                let mut game = FusionGame::from_text(&rules, known.position).unwrap();
                let side = game.side_to_move();
                game.play(game.parse_move(known.best).unwrap());
                let mates = game.outcome_now().is_some_and(|outcome| {
                    outcome.ending == CHECKMATE && outcome.winner == Some(side)
                });
                let bishops = game.position().component(Component::Bishop);
                let wins_queen = known.position.to_lowercase().contains('q') && bishops.is_empty();
                assert!(mates || wins_queen, "{} under {name}", known.what);
            }
        }
    }
}
