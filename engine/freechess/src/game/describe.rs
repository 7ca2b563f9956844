//! The endings and events of the game, as data.

use super::{FreeChess, examples};
use crate::board::{Action, Kind, Piece, Square, Turn};
use fusion_game::{
    Describe, Ending, EndingKind, EventKind, EventKinds, EventSet, Game, Results, RuleExample,
    SanityPosition, Side, Tactics,
};

/// The side to move is in check and has no legal turn.
pub const CHECKMATE: Ending = Ending::new(&EndingKind {
    name: "checkmate",
    short: "checkmate",
    words: "checkmate",
    results: Results::Win,
});

/// The side to move is not in check and has no legal turn, which loses.
pub const STALEMATE: Ending = Ending::new(&EndingKind {
    name: "stalemate",
    short: "stalemate",
    words: "stalemate (a loss)",
    results: Results::Win,
});

/// The position occurred for the third time at the start of a turn.
pub const THREEFOLD: Ending = Ending::new(&EndingKind {
    name: "threefold",
    short: "threefold",
    words: "threefold repetition",
    results: Results::Draw,
});

/// Neither player owns anything but a royal.
pub const INSUFFICIENT: Ending = Ending::new(&EndingKind {
    name: "insufficient",
    short: "royals only",
    words: "insufficient material",
    results: Results::Draw,
});

// Places in `EVENTS`.
const TURN: usize = 0;
const PLACEMENT: usize = 1;
const CANCELLATION: usize = 2;
const CAPTURE: usize = 3;
const FUSION: usize = 4;
const FURTHER_PART: usize = 5;
const SPLIT: usize = 6;
const RETURN: usize = 7;
const CHECK: usize = 8;

/// The kinds in the order of their columns in `games.csv`.
static EVENTS: [EventKind; 9] = [
    // A turn ends, by itself or not.
    EventKind::of_move("turns", "turns", None, TURN),
    EventKind::of_move("placements", "placements", None, PLACEMENT),
    // A placement that takes an attribute of an enemy piece away.
    EventKind {
        implies: Some("placements"),
        ..EventKind::of_move(
            "cancellations",
            "cancellations",
            Some("first_cancellation"),
            CANCELLATION,
        )
    },
    // An enemy piece leaves the board.
    EventKind::of_move("captures", "captures", Some("first_capture"), CAPTURE),
    // A piece moves onto a friendly one.
    EventKind::of_move("fusions", "fusions", Some("first_fusion"), FUSION),
    // A part of a move after the first of its turn.
    EventKind::of_move("further parts", "further_parts", Some("first_further_part"), FURTHER_PART),
    // A piece begins to split.
    EventKind::of_move("splits", "splits", Some("first_split"), SPLIT),
    // A sub-piece returns to the reserve.
    EventKind::of_move("returns to the reserve", "returns", None, RETURN),
    // A turn ends with check.
    EventKind::of_move("checks", "checks", Some("first_check"), CHECK),
];

impl Describe for FreeChess {
    const ENDINGS: &'static [Ending] = &[CHECKMATE, STALEMATE, THREEFOLD, INSUFFICIENT];

    const EVENTS: EventKinds = EventKinds { kinds: &EVENTS };

    fn events(&self, mv: Action) -> EventSet {
        let position = &self.position;
        let us = self.side_to_move();
        let next = position.after(&self.rules, mv);
        let check = next.turn() == Turn::Start && next.in_check(&self.rules, us.other());
        let lands = |side: Side| matches!(mv, Action::Part { from, to, .. } if position.of(side).without(from).has(to));
        let places = matches!(mv, Action::Place { .. });
        let begins = position.turn() == Turn::Start;
        EventSet::default()
            .with(TURN, next.turn() == Turn::Start)
            .with(PLACEMENT, places)
            .with(CANCELLATION, places && self.is_forcing(mv))
            .with(CAPTURE, lands(us.other()))
            .with(FUSION, lands(us))
            .with(FURTHER_PART, matches!(mv, Action::Part { .. }) && !begins)
            .with(SPLIT, matches!(mv, Action::Lift { .. }) && begins)
            .with(RETURN, matches!(mv, Action::Return { .. }))
            .with(CHECK, check)
    }

    /// Placements on empty squares and onto friendly pieces, and parts that end the turn on an empty
    /// square.
    fn is_plain(&self, mv: Action) -> bool {
        match mv {
            Action::Place { kind, .. } => kind != Kind::Combinator && !self.is_forcing(mv),
            Action::Part { to, goes_on: None, .. } => {
                self.position.turn() == Turn::Start && self.position.empty().has(to)
            }
            _ => false,
        }
    }

    /// Returns the board with White below, White's pieces in capitals, the names of ranks and files,
    /// and what lies beside the board.
    fn diagram(&self) -> String {
        let size = self.position.size();
        let width = self
            .position
            .occupied()
            .into_iter()
            .map(|square| self.position.piece_on(square).to_string().len())
            .max()
            .unwrap_or(1);
        let mut lines = Vec::new();
        for rank in (1..=size).rev() {
            let squares: Vec<String> = files(size)
                .filter_map(|file| Square::parse(&format!("{file}{rank}"), size))
                .map(|square| format!("{:width$}", self.standing(square)))
                .collect();
            lines.push(format!("{rank:2}  {}", squares.join(" ").trim_end()));
        }
        let names: Vec<String> = files(size).map(|file| format!("{file:width$}")).collect();
        lines.push(format!("\n    {}", names.join(" ").trim_end()));
        let reserve = |side| match self.position.reserve(side) {
            Piece::NONE => "nothing".to_owned(),
            piece => piece.capitals(),
        };
        lines.push(format!(
            "reserves: White {}, Black {}",
            reserve(Side::First),
            reserve(Side::Second)
        ));
        lines.join("\n")
    }

    fn rule_examples() -> Vec<RuleExample> {
        examples::EXAMPLES.to_vec()
    }

    fn sanity_positions() -> &'static [SanityPosition] {
        examples::SANITY
    }
}

/// Returns the names of the files.
fn files(size: usize) -> impl Iterator<Item = char> {
    (b'a'..).take(size).map(char::from)
}

impl FreeChess {
    /// Returns what stands on a square: White's attributes in capitals, or a dot.
    fn standing(&self, square: Square) -> String {
        let piece = self.position.piece_on(square);
        match self.position.side_on(square) {
            None => ".".to_owned(),
            Some(Side::First) => piece.capitals(),
            Some(Side::Second) => piece.to_string(),
        }
    }
}
