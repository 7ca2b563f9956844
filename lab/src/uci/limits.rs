//! The limits that `go` sets: when to stop the search.
//!
//! Numbers are parsed leniently: a fraction is cut off, a negative number is 0, and a number beyond the
//! largest is the largest. Only an empty `go`, `infinite`, `ponder` and search moves make a search
//! without a limit. If a word cannot be parsed, or if the clock of the side to move is missing, a
//! search without another limit takes [`SHORT`]. A search for a mate without another limit takes at
//! most [`MATE_SEARCH`].

use fusion_game::Side;
use std::time::Duration;

/// The limits of one search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Limits {
    /// Visits of the root, including those kept from earlier searches.
    pub(super) nodes: Option<u32>,
    /// Plies of the principal variation.
    pub(super) depth: Option<usize>,
    move_time: Option<Duration>,
    /// The remaining time of White and Black.
    clock: [Option<Duration>; 2],
    increment: [Duration; 2],
    moves_to_go: Option<u32>,
    /// A proven win in at most this many moves ends the search.
    pub(super) mate: Option<u32>,
    infinite: bool,
    /// The only moves to consider. An empty list means all moves.
    pub(super) moves: Vec<String>,
    /// Whether a word of a clock was given, whichever side's.
    has_clock: bool,
    /// Whether a word was not parsed.
    pub(super) is_unread: bool,
}

/// Time of a search whose `go` was not parsed in full or lacks the clock of the side to move.
const SHORT: Duration = Duration::from_secs(1);
/// Time of a search for a mate.
const MATE_SEARCH: Duration = Duration::from_secs(10);
/// Time reserved for delays between the engine's clock and the other program's.
const OVERHEAD: Duration = Duration::from_millis(30);
/// Number of moves that the remaining time must last for, if `go` does not give it.
const MOVES_LEFT: u32 = 30;
/// Upper bound in milliseconds, longer than any game. It keeps sums far from overflow.
const LONGEST: i64 = 1_000_000_000;
/// Limits from which on a search hardly ends by itself.
const ENDLESS: (u32, usize, Duration) = (LONGEST as u32, 100, Duration::from_secs(3600));
/// The most messages about one `go`.
const MOST_REMARKS: usize = 5;
/// The words that a number follows.
const NUMBERS: [&str; 9] =
    ["nodes", "depth", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate"];

/// Parses a number as programs write it, such as `100`, `100.0` and `1e2`. It is cut off to a whole
/// number whose magnitude is at most 10^9.
pub(super) fn number(text: &str) -> Option<i64> {
    // `parse` by itself accepts infinity.
    let is_number = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let number: f64 = text.parse().ok().filter(|_| is_number)?;
    Some(number.clamp(-(LONGEST as f64), LONGEST as f64) as i64)
}

impl Limits {
    /// Parses the words after `go`. Also returns messages about words that were not parsed.
    pub(super) fn parse(text: &str) -> (Self, Vec<String>) {
        let mut limits = Self::default();
        let mut remarks = Vec::new();
        let is_keyword = |word: &str| {
            NUMBERS.contains(&word) || ["infinite", "ponder", "searchmoves"].contains(&word)
        };
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let mut unread = |remark| {
                limits.is_unread = true;
                remarks.push(remark);
            };
            match word {
                "infinite" => limits.infinite = true,
                "ponder" => {
                    limits.infinite = true;
                    remarks.push("pondering is searching until stop".into());
                }
                "searchmoves" => {
                    if words.peek().is_none_or(|word| is_keyword(word)) {
                        unread("go searchmoves needs moves".into());
                    }
                    while let Some(mv) = words.next_if(|word| !is_keyword(word)) {
                        limits.moves.push(mv.into());
                    }
                }
                _ if NUMBERS.contains(&word) => match words.next_if(|word| !is_keyword(word)) {
                    None => unread(format!("go {word} needs a number")),
                    Some(text) => match number(text) {
                        None => unread(format!("go {word} needs a number, not '{text}'")),
                        Some(value) => limits.set(word, value.max(0)),
                    },
                },
                _ => unread(format!("go does not know '{word}'")),
            }
        }
        remarks.truncate(MOST_REMARKS);
        (limits, remarks)
    }

    fn set(&mut self, name: &str, value: i64) {
        // The value was clamped to a range that all of these types can hold.
        let time = Duration::from_millis(value.unsigned_abs());
        let count = u32::try_from(value).unwrap_or(u32::MAX);
        self.has_clock |= name.ends_with("time") && name != "movetime" || name.ends_with("inc");
        match name {
            "nodes" => self.nodes = Some(count),
            "depth" => self.depth = Some(count as usize),
            "movetime" => self.move_time = Some(time),
            "wtime" => self.clock[0] = Some(time),
            "btime" => self.clock[1] = Some(time),
            "winc" => self.increment[0] = time,
            "binc" => self.increment[1] = time,
            // Some programs write 0 if the time is for the rest of the game.
            "movestogo" => {
                self.moves_to_go = Some(count).filter(|&count| count > 0);
                self.has_clock = true;
            }
            _ => self.mate = Some(count),
        }
    }

    /// Returns whether the search of this side to move ends by itself. Only this side's clock
    /// counts.
    pub(super) fn bounded(&self, side: Side) -> bool {
        !self.infinite && (self.is_counted() || self.time(side).is_some())
    }

    /// Returns whether the search ends by itself so soon that the end of the input can wait for it.
    pub(super) fn ends_soon(&self, side: Side) -> bool {
        let (nodes, depth, time) = ENDLESS;
        let is_counted =
            self.nodes.is_some_and(|n| n < nodes) || self.depth.is_some_and(|d| d < depth);
        !self.infinite && (is_counted || self.time(side).is_some_and(|t| t < time))
    }

    /// Returns why the search gets only a short time, if it does.
    pub(super) fn remark(&self, side: Side) -> Option<String> {
        let is_short = !self.infinite && self.limit(side).is_none() && self.mate.is_none();
        let why = match (self.is_unread, self.has_clock) {
            _ if !is_short || self.is_counted() => return None,
            (true, _) => "go was not read in full and has no other limit",
            (_, true) => "go has no clock of the side to move",
            _ => return None,
        };
        Some(format!("{why}: the search ends after {} second", SHORT.as_secs()))
    }

    /// Returns the same limits with at most a short time from `elapsed` on.
    pub(super) fn shortened(&self, side: Side, elapsed: Duration) -> Self {
        let short = elapsed + SHORT;
        let time = self.time(side).map_or(short, |time| time.min(short));
        Self { move_time: Some(time + OVERHEAD / 10), ..self.clone() }
    }

    fn is_counted(&self) -> bool {
        self.nodes.is_some() || self.depth.is_some()
    }

    /// Returns whether a clock is running, so that time not used is saved.
    pub(super) fn on_clock(&self, side: Side) -> bool {
        !self.infinite && self.clock[side as usize].is_some()
    }

    /// Returns the time limit of the side to move, if there is one.
    pub(super) fn time(&self, side: Side) -> Option<Duration> {
        match self.limit(side) {
            _ if self.infinite => None,
            None if self.is_counted() => None,
            None if self.mate.is_some() => Some(MATE_SEARCH),
            None if self.is_unread || self.has_clock => Some(SHORT),
            limit => limit,
        }
    }

    /// Returns the time that `go` gives the side to move.
    fn limit(&self, side: Side) -> Option<Duration> {
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
            let limits = limits(text);
            assert!(limits.bounded(Side::Second) && limits.ends_soon(Side::Second), "{text}");
            assert_eq!(limits.remark(Side::Second), None, "{text}");
        }
        for text in ["", "infinite", "infinite nodes 5", "searchmoves e2e4", "infinite wtime 4"] {
            assert!(!limits(text).bounded(Side::Second), "{text}");
            assert!(!limits(text).ends_soon(Side::Second), "{text}");
            assert_eq!(limits(text).remark(Side::Second), None, "{text}");
        }
        for text in ["nodes 18446744073709551615", "movetime 1e99", "depth 100000", "btime 1e15"] {
            let limits = limits(text);
            assert!(limits.bounded(Side::Second) && !limits.ends_soon(Side::Second), "{text}");
        }
        // The clock of the side to move is missing.
        for text in ["wtime 4", "binc 5", "winc 5 wtime 100000", "movestogo 4"] {
            assert_eq!(limits(text).time(Side::Second), Some(SHORT), "{text}");
            assert!(limits(text).remark(Side::Second).is_some(), "{text}");
        }
        assert_eq!(limits("mate 3").time(Side::First), Some(MATE_SEARCH));
        assert_eq!(limits("mate 3 movetime 100").time(Side::First).unwrap().as_millis(), 97);
    }

    #[test]
    fn numbers_of_other_programs_are_read() {
        for (text, value) in [
            ("100", 100),
            ("100.0", 100),
            ("1000.9", 1000),
            ("-5", -5),
            ("-0.5", 0),
            ("+7", 7),
            ("1e3", 1000),
            (".5", 0),
            ("007", 7),
            ("18446744073709551615", LONGEST),
            ("1e999", LONGEST),
            ("-99999999999999999999", -LONGEST),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "x", "inf", "infinity", "nan", "1,5", "0x10", "1_000", "-", ".", "e", "5s"]
        {
            assert_eq!(number(text), None, "{text}");
        }
        let limits = limits("movetime 100.0 wtime 1000.5 nodes 99999999999 depth -3");
        assert_eq!((limits.nodes, limits.depth), (Some(LONGEST as u32), Some(0)));
        assert_eq!(limits.move_time, Some(Duration::from_millis(100)));
        // The time for the rest of the game.
        let rest = self::limits("wtime 60000 movestogo 0");
        assert_eq!(rest.time(Side::First), Some(Duration::from_secs(2)));
    }

    /// No `go` that was not read in full has a search without a limit.
    #[test]
    fn what_is_not_read_is_bounded() {
        for text in [
            "nodes",
            "nodes many",
            "wtime x",
            "mate",
            "mate x",
            "fast",
            "depth 0x9",
            "perft 3",
            "infinit",
            "movetime 1,5",
            "movetime depth",
            "searchmoves e2e4 movetime",
            "depth inf",
            "nodes NaN",
            "go infinitely",
            "searchmoves",
            "movetime five searchmoves e2e4",
            "-5",
        ] {
            let (limits, remarks) = Limits::parse(text);
            assert!(!remarks.is_empty() && limits.is_unread, "{text}");
            for side in [Side::First, Side::Second] {
                assert_eq!(limits.time(side), Some(SHORT), "{text}");
                assert!(limits.bounded(side) && limits.remark(side).is_some(), "{text}");
            }
        }
        // The other words count.
        let (limits, _) = Limits::parse("depth x movetime 70 fast");
        assert_eq!(limits.time(Side::First).unwrap().as_millis(), 67);
        let (limits, _) = Limits::parse("depth nodes 5 movetime infinite");
        assert_eq!((limits.nodes, limits.infinite), (Some(5), true));
        assert_eq!(Limits::parse(&"x ".repeat(1000)).1.len(), MOST_REMARKS);
    }

    #[test]
    fn search_moves_end_at_the_next_word() {
        let restricted = limits("searchmoves e2e4 d1d3r nodes 7");
        assert_eq!(restricted.moves, ["e2e4", "d1d3r"]);
        assert_eq!(restricted.nodes, Some(7));
        let restricted = limits("searchmoves e2e4 Nf3 O-O depth 3 btime 70");
        assert_eq!((restricted.moves.len(), restricted.depth), (3, Some(3)));
        assert!(restricted.on_clock(Side::Second));
    }

    #[test]
    fn a_refuted_mate_leaves_a_short_time() {
        let late = Duration::from_secs(5);
        let shortened = limits("mate 3").shortened(Side::First, late);
        assert_eq!(shortened.time(Side::First), Some(late + SHORT));
        let shortened = limits("mate 3 movetime 103").shortened(Side::First, Duration::ZERO);
        assert_eq!(shortened.time(Side::First), Some(Duration::from_millis(100)));
        assert_eq!(limits("mate 3 infinite").shortened(Side::First, late).time(Side::First), None);
    }
}
