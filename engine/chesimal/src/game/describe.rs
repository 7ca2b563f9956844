//! The endings and events of the game, as data.

use super::{ChesimalGame, diagram, examples};
use crate::board::{Action, Kind, Mode};
use crate::rules::{AfterCapture, RuleSet};
use fusion_game::{
    Describe, Ending, EndingKind, EventKind, EventKinds, EventSet, Results, RuleExample,
    SanityPosition,
};

/// A side has lost its last King, or the first under `kings=any`.
pub const KINGS: Ending = Ending::new(&EndingKind {
    name: "kings",
    short: "Kings",
    words: "Kings taken",
    results: Results::Win,
});

/// The position occurred for the third time at the start of a turn.
pub const THREEFOLD: Ending = Ending::new(&EndingKind {
    name: "threefold",
    short: "threefold",
    words: "threefold repetition",
    results: Results::Draw,
});

/// The rules' number of turns without a capture, usually 100.
pub const QUIET: Ending = Ending::new(&EndingKind {
    name: "quiet",
    short: "quiet",
    words: "too many turns without a capture",
    results: Results::Draw,
});

// Places in `EVENTS`.
const CAPTURE: usize = 0;
const LEADER_CAPTURE: usize = 1;
const ACTIVATION: usize = 2;
const TURN: usize = 3;
const KING_TURN: usize = 4;
const PRINCE_TURN: usize = 5;
const DIA_TURN: usize = 6;
const RECRUIT: usize = 7;
const PASS: usize = 8;

/// The kinds in the order of their columns in `games.csv`.
static EVENTS: [EventKind; 9] = [
    // An enemy unit leaves the board.
    EventKind::of_move("captures", "captures", Some("first_capture"), 3),
    // The enemy unit is a King or a Prince.
    EventKind {
        implies: Some("captures"),
        ..EventKind::of_move("leaders captured", "leader_captures", Some("first_leader_capture"), 4)
    },
    // A unit moves.
    EventKind::of_move("activations", "activations", None, 2),
    // A turn ends, by itself or not.
    EventKind::of_move("turns", "turns", None, 0),
    // A King is chosen to lead the turn.
    EventKind::of_move("turns of Kings", "king_turns", None, 5),
    EventKind::of_move("turns of Princes", "prince_turns", None, 6),
    // The Prince is dia, not ortho or both.
    EventKind {
        implies: Some("prince_turns"),
        ..EventKind::of_move("turns of dia Princes", "dia_turns", None, 7)
    },
    // A unit is recruited.
    EventKind {
        common: false,
        ..EventKind::of_move("recruits", "recruits", Some("first_recruit"), 8)
    },
    // A turn ends without any activation.
    EventKind {
        common: false,
        implies: Some("turns"),
        ..EventKind::of_move("passes", "passes", None, 1)
    },
];

impl Describe for ChesimalGame {
    const ENDINGS: &'static [Ending] = &[KINGS, THREEFOLD, QUIET];
    const EVENTS: EventKinds = EventKinds { kinds: &EVENTS };

    fn can_end(rules: &RuleSet, ending: Ending, decided: bool) -> bool {
        match () {
            () if ending == THREEFOLD && !rules.repetition => false,
            () if ending == QUIET && rules.quiet_limit.0.is_none() => false,
            () => ending.kind().results.include(decided),
        }
    }

    fn events(&self, action: Action) -> EventSet {
        let captured = self.captured(action);
        let wins = matches!(action, Action::Activate { to, .. } if self.kings_to_win().has(to));
        let ends = self.rules.after_capture == AfterCapture::End && captured.is_some();
        let mode = match action {
            Action::Choose { mode, .. } => Some(mode),
            _ => None,
        };
        let is_end = action == Action::End;
        EventSet::default()
            .with(CAPTURE, captured.is_some())
            .with(LEADER_CAPTURE, captured.is_some_and(Kind::is_leader))
            .with(ACTIVATION, matches!(action, Action::Activate { .. }))
            .with(TURN, is_end || wins || ends)
            .with(KING_TURN, mode == Some(Mode::King))
            .with(PRINCE_TURN, mode.is_some_and(|mode| mode != Mode::King))
            .with(DIA_TURN, mode == Some(Mode::Dia))
            .with(RECRUIT, matches!(action, Action::Recruit(_)))
            .with(PASS, is_end && !self.position.has_activated())
    }

    /// Everything but recruiting and passing.
    fn is_plain(&self, action: Action) -> bool {
        match action {
            Action::Choose { .. } | Action::Activate { .. } => true,
            Action::Recruit(_) => false,
            Action::End => self.position.has_activated(),
        }
    }

    fn diagram(&self) -> String {
        diagram::of(&self.position, &self.rules)
    }

    fn rule_examples() -> Vec<RuleExample> {
        examples::RULES.to_vec()
    }

    fn sanity_positions() -> &'static [SanityPosition] {
        examples::SANITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_conforms() {
        let coverage = fusion_game::conformance::check::<ChesimalGame>(4, 2007).unwrap();
        assert!(coverage.positions > 3_000, "{coverage:?}");
        // Random games hardly repeat positions. `outcome.rs` tests that ending.
        let [kings, _, quiet] = coverage.endings[..] else { panic!("{coverage:?}") };
        assert!(kings > 0 && quiet > 0, "{coverage:?}");
        assert!(coverage.events.iter().all(|&actions| actions > 0), "{coverage:?}");
    }
}
