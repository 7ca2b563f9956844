//! The limits that `go` sets: when to stop the search.

use fusion_game::Side;
use std::time::Duration;

/// The limits of one search. Without any limit, the search runs until `stop`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Limits {
    /// Visits of the root, including those kept from earlier searches.
    pub(super) nodes: Option<u32>,
    /// Plies of the principal variation.
    pub(super) depth: Option<usize>,
    pub(super) move_time: Option<Duration>,
    /// The remaining time of White and Black.
    clock: [Option<Duration>; 2],
    increment: [Duration; 2],
    moves_to_go: Option<u32>,
    /// A proven win in at most this many moves ends the search.
    pub(super) mate: Option<u32>,
    infinite: bool,
    /// The only moves to consider. An empty list means all moves.
    pub(super) moves: Vec<String>,
}

/// Time reserved for delays between the engine's clock and the other program's.
const OVERHEAD: Duration = Duration::from_millis(30);
/// Number of moves that the remaining time must last for, if `go` does not give it.
const MOVES_LEFT: u32 = 30;
/// Upper bound in milliseconds, longer than any game. It keeps sums far from overflow.
const LONGEST: i64 = 1_000_000_000;

impl Limits {
    /// Parses the words after `go`. Also returns messages about words that were not parsed.
    pub(super) fn parse(text: &str) -> (Self, Vec<String>) {
        let mut limits = Self::default();
        let mut remarks = Vec::new();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => limits.infinite = true,
                "ponder" => {
                    limits.infinite = true;
                    remarks.push("pondering is searching until stop".into());
                }
                "searchmoves" => {
                    while let Some(mv) = words.next_if(|word| begins_with_square(word)) {
                        limits.moves.push(mv.into());
                    }
                }
                "nodes" | "depth" | "movetime" | "wtime" | "btime" | "winc" | "binc"
                | "movestogo" | "mate" => match words.next().map(str::parse::<i64>) {
                    Some(Ok(value)) => limits.set(word, value.clamp(0, LONGEST)),
                    _ => remarks.push(format!("go {word} needs a whole number")),
                },
                _ => remarks.push(format!("go does not know '{word}'")),
            }
        }
        (limits, remarks)
    }

    fn set(&mut self, name: &str, value: i64) {
        // The value was clamped to a range that all of these types can hold.
        let time = Duration::from_millis(value.unsigned_abs());
        let count = u32::try_from(value).unwrap_or(u32::MAX);
        match name {
            "nodes" => self.nodes = Some(count),
            "depth" => self.depth = Some(count as usize),
            "movetime" => self.move_time = Some(time),
            "wtime" => self.clock[0] = Some(time),
            "btime" => self.clock[1] = Some(time),
            "winc" => self.increment[0] = time,
            "binc" => self.increment[1] = time,
            "movestogo" => self.moves_to_go = Some(count),
            _ => self.mate = Some(count),
        }
    }

    /// Returns whether the search of this side to move ends by itself. Only this side's clock
    /// counts.
    pub(super) fn bounded(&self, side: Side) -> bool {
        let counted = self.nodes.is_some() || self.depth.is_some() || self.mate.is_some();
        let limited = counted || self.move_time.is_some();
        !self.infinite && (limited || self.clock[side as usize].is_some())
    }

    /// Returns whether a clock is running, so that time not used is saved.
    pub(super) fn on_clock(&self, side: Side) -> bool {
        !self.infinite && self.clock[side as usize].is_some()
    }

    /// Returns the time limit of the side to move, if there is one.
    pub(super) fn time(&self, side: Side) -> Option<Duration> {
        if self.infinite {
            return None;
        }
        let fixed = self.move_time.map(|time| time.saturating_sub(OVERHEAD / 10));
        let share = self.clock[side as usize].map(|left| {
            let moves = self.moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
            let budget = left / moves + self.increment[side as usize] * 3 / 4;
            budget.min(left.saturating_sub(OVERHEAD))
        });
        match (fixed, share) {
            (Some(fixed), Some(share)) => Some(fixed.min(share)),
            (one, other) => one.or(other),
        }
    }
}

/// Returns whether a word begins with a square. This separates moves from the words of `go`, of
/// which `depth` and `btime` begin with a file.
fn begins_with_square(word: &str) -> bool {
    matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(text: &str) -> Limits {
        let (limits, remarks) = Limits::parse(text);
        assert_eq!(remarks, [""; 0], "{text}");
        limits
    }

    #[test]
    fn clocks_become_a_share_of_the_time_left() {
        let time = |text: &str, side| limits(text).time(side).unwrap().as_millis();
        assert_eq!(time("wtime 60000 btime 30000", Side::First), 2000);
        assert_eq!(time("wtime 60000 btime 30000", Side::Second), 1000);
        assert_eq!(time("wtime 60000 winc 1000 btime 1", Side::First), 2750);
        assert_eq!(time("wtime 60000 movestogo 3", Side::First), 20_000);
        // The time never exceeds the remaining time, whatever the increment.
        assert_eq!(time("wtime 1000 movestogo 1", Side::First), 970);
        assert_eq!(time("wtime 100 winc 60000", Side::First), 70);
        assert_eq!(time("wtime -50 winc 10", Side::First), 0);
        assert_eq!(time("movetime 500", Side::First), 497);
        assert_eq!(limits("nodes 5").time(Side::First), None);
    }

    #[test]
    fn some_searches_end_by_themselves() {
        for text in ["nodes 1", "depth 3", "movetime 9", "wtime 1 btime 1", "btime 4", "mate 2"] {
            assert!(limits(text).bounded(Side::Second), "{text}");
        }
        for text in ["", "infinite", "infinite nodes 5", "searchmoves e2e4", "wtime 4"] {
            assert!(!limits(text).bounded(Side::Second), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for text in ["nodes", "nodes many", "wtime x", "mate", "fast", "ponder"] {
            assert_eq!(Limits::parse(text).1.len(), 1, "{text}");
        }
        let restricted = limits("searchmoves e2e4 d1d3r nodes 7");
        assert_eq!(restricted.moves, ["e2e4", "d1d3r"]);
        assert_eq!(restricted.nodes, Some(7));
        let restricted = limits("searchmoves e2e4 depth 3 btime 70");
        assert_eq!((restricted.moves.len(), restricted.depth), (1, Some(3)));
        assert!(restricted.on_clock(Side::Second));
        assert_eq!(limits("nodes 99999999999").nodes, Some(LONGEST as u32));
    }
}
