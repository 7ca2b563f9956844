//! How games end (rules 10 and 11).
//!
//! Taking the last King comes before any draw, threefold before quiet. Draws are looked at only when
//! a turn has ended.

use super::{ChesimalGame, KINGS, QUIET, THREEFOLD};
use crate::board::{Bitboard, Kind};
use fusion_game::Outcome;

impl ChesimalGame {
    /// Returns the outcome; `None` within a turn.
    pub(super) fn outcome_at_turn(&self) -> Option<Outcome> {
        if self.position.active().is_some() {
            return None;
        }
        let side = self.position.side();
        if self.position.has_lost(side, &self.rules) {
            return Some(Outcome { winner: Some(side.other()), ending: KINGS });
        }
        if self.rules.repetition && self.repetitions() >= 2 {
            return Some(Outcome { winner: None, ending: THREEFOLD });
        }
        let limit = self.rules.quiet_limit.0;
        let is_quiet = limit.is_some_and(|turns| self.position.quiet() >= turns.get());
        is_quiet.then_some(Outcome { winner: None, ending: QUIET })
    }

    /// Returns the enemy Kings, if the capture of one of them wins.
    #[inline]
    pub(super) fn kings_to_win(&self) -> Bitboard {
        let position = &self.position;
        let kings = position.kind(Kind::King) & position.units(position.side().other());
        if kings.len() <= self.rules.kings_needed() { kings } else { Bitboard::EMPTY }
    }
}

#[cfg(test)]
mod tests {
    use fusion_game::prelude::*;

    use crate::ChesimalGame;

    /// Plays actions and returns how the game ended: `1-0 kings`.
    fn ended(rules: &str, position: &str, actions: &str) -> Option<String> {
        let mut game = ChesimalGame::from_text(&rules.parse().unwrap(), position).unwrap();
        for text in actions.split_whitespace() {
            assert_eq!(game.outcome_now(), None, "{rules}, {position}: before {text}");
            game.play(
                game.parse_move(text).unwrap_or_else(|| panic!("{text}: {}", game.to_text())),
            );
        }
        let outcome = game.outcome_now()?;
        Some(format!("{} {}", outcome.result(), outcome.ending.name()))
    }

    const BARE: &str = "7k/8/8/8/8/8/8/K7 w - - 0 1";
    const SHUFFLE: &str = "a1k a1a2 end h8k h8h7 end a2k a2a1 end h7k h7h8 end";
    const NEAR: &str = "8/8/8/8/8/2k5/8/K6k w - - 0 1";

    #[test]
    fn the_last_king_decides() {
        let both = "8/8/8/8/8/2k5/2k5/K7 w - - 0 1";
        for (rules, position, actions, ending) in [
            ("chesimal-small", NEAR, "a1k a1c3 end", None),
            ("chesimal-small,kings=any", NEAR, "a1k a1c3", None),
            ("chesimal-small", "8/8/8/8/8/2k5/8/K7 w - - 0 1", "a1k a1c3", Some("1-0 kings")),
            ("chesimal-small", "8/8/8/8/8/2k5/8/K7 b - - 0 1", "c3k c3a1", Some("0-1 kings")),
            // The other King was next to the first one.
            ("chesimal-small", both, "a1k a1c2 end c3k c3c2", Some("0-1 kings")),
            // The side to move has lost already.
            ("chesimal-small", "8/8/8/8/8/2k5/8/8 w - - 0 1", "", Some("0-1 kings")),
        ] {
            assert_eq!(ended(rules, position, actions).as_deref(), ending, "{rules} {position}");
        }
        let first = "16/16/16/16/16/16/16/16/16/2k13/16/K12K1k w - - 0 1";
        assert_eq!(ended("chesimal", first, "a1k a1c3"), None);
        assert_eq!(ended("chesimal,kings=any", first, "a1k a1c3").as_deref(), Some("1-0 kings"));
    }

    #[test]
    fn the_third_occurrence_at_the_start_of_a_turn_is_a_draw() {
        let twice = [SHUFFLE; 2].join(" ");
        assert_eq!(ended("chesimal-small", BARE, SHUFFLE), None);
        assert_eq!(ended("chesimal-small", BARE, &twice).as_deref(), Some("1/2-1/2 threefold"));
        assert_eq!(ended("chesimal-small,repetition=no", BARE, &twice), None);
        // The limit of White's first turn is not part of the position that recurs.
        let limited = ended("chesimal-small,first-turn=1", BARE, &twice);
        assert_eq!(limited.as_deref(), Some("1/2-1/2 threefold"));
        // Taking a King comes first, and a capture begins anew.
        let after =
            format!("a1k a1c3 end {}", "h1k h1h2 end c3k c3c4 end h2k h2h1 end c4k c4c3 end ");
        assert_eq!(ended("chesimal-small", NEAR, &after), None);
    }

    #[test]
    fn quiet_turns_are_a_draw_when_a_turn_has_ended() {
        let quiet = |rules: &str, turns: u32, actions: &str| {
            ended(rules, &format!("7k/8/8/8/8/8/8/K7 w - - {turns} 80"), actions)
        };
        assert_eq!(quiet("chesimal-small", 98, "a1k a1a2 end"), None);
        assert_eq!(quiet("chesimal-small", 99, "a1k a1a2"), None);
        let drawn = Some("1/2-1/2 quiet".to_owned());
        assert_eq!(quiet("chesimal-small", 99, "a1k a1a2 end"), drawn);
        assert_eq!(quiet("chesimal-small,quiet-limit=none", 5000, "a1k a1a2 end"), None);
        assert_eq!(quiet("chesimal-small,quiet-limit=3", 2, "a1k a1a2 end"), drawn);
        // Threefold comes before quiet.
        let both = ended("chesimal-small,quiet-limit=8", BARE, &[SHUFFLE; 2].join(" "));
        assert_eq!(both.as_deref(), Some("1/2-1/2 threefold"));
    }

    #[test]
    fn actions_that_win_at_once_are_found() {
        for (rules, position, wins) in [
            ("chesimal-small", "8/8/8/8/8/2k5/8/K7 w - a1k 0 1", true),
            ("chesimal-small", "8/8/8/8/8/2k5/8/K7 w - - 0 1", false),
            ("chesimal-small", "8/8/8/8/8/2k5/8/K6k w - a1k 0 1", false),
            ("chesimal-small", "8/8/8/8/3k4/8/8/K7 w - a1k 0 1", false),
        ] {
            let game = ChesimalGame::from_text(&rules.parse().unwrap(), position).unwrap();
            let mut actions = Vec::new();
            game.legal_moves(&mut actions);
            assert_eq!(game.winning_move(&actions).is_some(), wins, "{rules}, {position}");
        }
    }
}
