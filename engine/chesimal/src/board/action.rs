//! Actions, the plies of the game.

use super::bitboard::Square;
use super::unit::Mode;
use std::fmt::{self, Display};
use std::str::FromStr;

/// An action of the side to move. `Display` writes its text.
///
/// ```
/// use fusion_chesimal::board::Action;
///
/// for text in ["b3k", "f3o", "p10o11", "d4r", "end"] {
///     assert_eq!(text.parse::<Action>().unwrap().to_string(), text);
/// }
/// assert!("f3".parse::<Action>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Chooses the leader of the turn and its mode.
    Choose {
        /// The leader's square.
        leader: Square,
        /// The mode.
        mode: Mode,
    },
    /// Activates a unit, which moves.
    Activate {
        /// Where the unit stands.
        from: Square,
        /// Where it goes.
        to: Square,
    },
    /// Recruits the unit on a square.
    Recruit(Square),
    /// Ends the turn.
    End,
}

/// The letter of recruiting.
const RECRUIT: char = 'r';

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Choose { leader, mode } => write!(f, "{leader}{}", mode.letter()),
            Action::Activate { from, to } => write!(f, "{from}{to}"),
            Action::Recruit(square) => write!(f, "{square}{RECRUIT}"),
            Action::End => f.write_str("end"),
        }
    }
}

/// A text that is no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAction;

impl FromStr for Action {
    type Err = NoAction;

    fn from_str(text: &str) -> Result<Self, NoAction> {
        if text == "end" {
            return Ok(Action::End);
        }
        let is_letter = |(_, c): &(usize, char)| !c.is_ascii_digit();
        let (at, letter) = text.char_indices().skip(1).find(is_letter).ok_or(NoAction)?;
        let (first, rest) = text.split_at(at);
        let first: Square = first.parse().map_err(|_| NoAction)?;
        if let Ok(to) = rest.parse() {
            return Ok(Action::Activate { from: first, to });
        }
        match (Mode::of_letter(letter), letter) {
            _ if rest.len() != 1 => Err(NoAction),
            (Some(mode), _) => Ok(Action::Choose { leader: first, mode }),
            (None, RECRUIT) => Ok(Action::Recruit(first)),
            (None, _) => Err(NoAction),
        }
    }
}

impl Action {
    /// Returns a stable code for records: the kind of action, then squares and modes, a byte each.
    ///
    /// ```
    /// use fusion_chesimal::board::Action;
    ///
    /// let action: Action = "f3d".parse().unwrap();
    /// assert_eq!(Action::from_code(action.code()), Some(action));
    /// assert_eq!(Action::from_code(u32::MAX), None);
    /// ```
    #[must_use]
    pub fn code(self) -> u32 {
        let [kind, first, second] = match self {
            Action::End => [0, 0, 0],
            Action::Choose { leader, mode } => [1, leader.index(), mode.index()],
            Action::Activate { from, to } => [2, from.index(), to.index()],
            Action::Recruit(square) => [3, square.index(), 0],
        };
        (kind << 16 | first << 8 | second) as u32
    }

    /// Returns the action with this code.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Self> {
        let [second, first, kind, rest] = code.to_le_bytes().map(usize::from);
        let action = match kind {
            0 => Action::End,
            1 => {
                Action::Choose { leader: Square::from_index(first)?, mode: *Mode::ALL.get(second)? }
            }
            2 => Action::Activate {
                from: Square::from_index(first)?,
                to: Square::from_index(second)?,
            },
            3 => Action::Recruit(Square::from_index(first)?),
            _ => return None,
        };
        (rest == 0 && action.code() == code).then_some(action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_are_no_actions() {
        for text in [
            "", "e", "a1", "a1x", "a1kk", "k", "end ", "End", "a1a13", "q1a1", "a1é", "é1k", "11k",
            "a1r2", "a1b", "a01k",
        ] {
            let parsed = text.parse::<Action>();
            // `a1b` is a choice under `prince-mode=both`, and `a1d` one under `choose`.
            assert_eq!(parsed.is_ok(), text == "a1b", "{text}: {parsed:?}");
        }
        let activate: Action = "a1b2".parse().unwrap();
        assert!(matches!(activate, Action::Activate { .. }));
    }
}
