//! Tic-tac-toe, the smallest game that exercises all code written against the traits.
//!
//! It is an example of an implementation. The tests of search, tables, samples, openings and
//! records use it. In the variants with `double`, every turn after the first has two marks, so turns
//! do not alternate ply by ply.

use crate::tablebase::{SolvedValue, Tablebase};
use crate::{
    Benchmark, BenchmarkSet, BoardGame, BoardMove, BoardPiece, BoardShape, CompleteGame, Describe,
    Encoding, EncodingShape, Ending, EndingKind, EventKind, EventKinds, EventSet, FeatureSet, Game,
    MoveIndices, Notation, OpenError, OpenErrorKind, Outcome, PlacedPiece, ReadGame, Results,
    RuleSet, Side, Symmetry, Tactics, ToggleKind, ViewChange, Views, ViewsShape,
};
use rand::Rng;
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// The names of the variants.
pub const VARIANTS: [&str; 4] = ["normal", "misere", "double", "double-misere"];

/// A side has three marks in a row.
pub const LINE: Ending = Ending::new(&EndingKind {
    name: "line",
    short: "line",
    words: "three in a row",
    results: Results::Win,
});

/// All squares are marked, and no side has a row.
pub const FULL: Ending = Ending::new(&EndingKind {
    name: "full",
    short: "full",
    words: "full board",
    results: Results::Draw,
});

/// A variant of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Three in a row loses instead of winning.
    pub misere: bool,
    /// Each turn but the first has two plies.
    pub double: bool,
}

impl Variant {
    fn name(self) -> &'static str {
        VARIANTS[usize::from(self.misere) + 2 * usize::from(self.double)]
    }
}

impl Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl RuleSet for Variant {
    const TOGGLES: &'static [ToggleKind] = &[
        ToggleKind { name: "misere", short: "a row loses", words: "three in a row loses" },
        ToggleKind { name: "double", short: "two marks a turn", words: "a turn has two marks" },
    ];

    fn parse(text: &str) -> Result<Self, OpenError> {
        let unknown = || {
            let message = format!("unknown rule set `{text}`, known: {}", VARIANTS.join(", "));
            OpenError::new(OpenErrorKind::Unsupported, message)
        };
        let place = VARIANTS.iter().position(|name| *name == text).ok_or_else(unknown)?;
        Ok(Self { misere: place % 2 == 1, double: place >= 2 })
    }

    fn presets() -> Vec<(&'static str, Self)> {
        VARIANTS.into_iter().filter_map(|name| Some((name, Self::parse(name).ok()?))).collect()
    }

    fn random(rng: &mut impl Rng) -> Self {
        let place = rng.next_u64() % 4;
        Self { misere: place % 2 == 1, double: place >= 2 }
    }

    fn neighbours(&self) -> Vec<Self> {
        vec![Self { misere: !self.misere, ..*self }, Self { double: !self.double, ..*self }]
    }

    fn value(&self, toggle: &str) -> Option<String> {
        let value = match toggle {
            "misere" => self.misere,
            "double" => self.double,
            _ => return None,
        };
        Some(if value { "yes" } else { "no" }.to_owned())
    }
}

/// A position of three rows of three squares.
#[derive(Clone, Debug)]
pub struct TicTacToe {
    rules: Variant,
    squares: [Option<Side>; 9],
}

impl TicTacToe {
    fn marks(&self) -> usize {
        self.squares.iter().flatten().count()
    }

    /// Returns whether the side to move has two plies before it.
    fn has_two_plies(&self) -> bool {
        self.rules.double && self.marks() % 2 == 1
    }

    fn line(&self) -> Option<Side> {
        LINES.iter().find_map(|line| {
            let side = self.squares[line[0]]?;
            line.iter().all(|&i| self.squares[i] == Some(side)).then_some(side)
        })
    }
}

/// Least number of marks of the positions that the tables cover.
pub const KNOWN_FROM: usize = 4;

/// Returns the winner with best play and the plies to the end: the fewest for a win, the most for a
/// loss. Tries every game that can follow.
#[must_use]
pub fn best_play(game: &TicTacToe) -> (Option<Side>, u32) {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    if let Some(outcome) = game.outcome(&moves) {
        return (outcome.winner, 0);
    }
    let us = game.side_to_move();
    let worth = |&(winner, plies): &(Option<Side>, u32)| match winner {
        Some(side) if side == us => (2, -i64::from(plies)),
        None => (1, 0),
        Some(_) => (0, i64::from(plies)),
    };
    let after = |&mv: &u8| {
        let mut next = game.clone();
        next.play(mv);
        best_play(&next)
    };
    let best = moves.iter().map(after).max_by_key(worth);
    best.map_or((None, 0), |(winner, plies)| (winner, plies + 1))
}

/// A substitute for endgame tables that solves positions on demand.
#[derive(Debug, Default)]
pub struct Solver {
    /// Contents of the file that marks the rules as having tables.
    bytes: Vec<u8>,
}

impl Tablebase<TicTacToe> for Solver {
    fn probe(&self, game: &TicTacToe) -> Option<SolvedValue> {
        if game.marks() < KNOWN_FROM {
            return None;
        }
        let (winner, plies) = best_play(game);
        Some(SolvedValue { winner, plies })
    }

    fn contents(&self) -> Vec<String> {
        vec!["late".to_owned()]
    }

    fn hash(&self) -> String {
        crate::hex(&Sha256::digest(&self.bytes))
    }
}

impl Game for TicTacToe {
    type Rules = Variant;
    type Move = u8;

    fn new(rules: &Variant) -> Self {
        Self { rules: *rules, squares: [None; 9] }
    }

    fn rules(&self) -> &Variant {
        &self.rules
    }

    fn side_to_move(&self) -> Side {
        let turns = if self.rules.double { self.marks().div_ceil(2) } else { self.marks() };
        if turns.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        moves.extend((0..9).filter(|&i| self.squares[usize::from(i)].is_none()));
    }

    fn play(&mut self, mv: u8) {
        let side = self.side_to_move();
        if let Some(square) = self.squares.get_mut(usize::from(mv)) {
            *square = Some(side);
        }
    }

    fn outcome(&self, moves: &[u8]) -> Option<Outcome> {
        if let Some(side) = self.line() {
            let winner = if self.rules.misere { side.other() } else { side };
            return Some(Outcome { winner: Some(winner), ending: LINE });
        }
        moves.is_empty().then_some(Outcome { winner: None, ending: FULL })
    }

    fn hash(&self) -> u64 {
        let digit = |s: &Option<Side>| match s {
            None => 0,
            Some(Side::First) => 1,
            Some(Side::Second) => 2,
        };
        self.squares.iter().fold(1, |hash, s| hash * 3 + digit(s))
    }

    fn material(&self) -> f32 {
        0.0
    }
}

impl Tactics for TicTacToe {
    type Undo = u8;

    fn indices(_: &Variant) -> MoveIndices {
        MoveIndices { paths: 9, arrivals: 9, parts: 0 }
    }

    fn make(&mut self, mv: u8) -> u8 {
        self.play(mv);
        mv
    }

    fn unmake(&mut self, mv: &u8) {
        self.squares[usize::from(*mv)] = None;
    }

    fn is_threatened(&self) -> bool {
        self.line().is_some()
    }

    fn path(&self, mv: u8) -> usize {
        mv.into()
    }

    fn arrival(&self, mv: u8) -> usize {
        mv.into()
    }
}

/// Own marks, then the opponent's, then, in games with double turns, whether two plies are left. There is one
/// stage.
impl Views for TicTacToe {
    fn views(rules: &Variant) -> ViewsShape {
        match rules.double {
            false => ViewsShape::new("tic-tac-toe, views 1", TWO_PLIES),
            true => ViewsShape::new("double tic-tac-toe, views 1", TWO_PLIES + 1),
        }
    }

    fn view(&self, side: Side, inputs: &mut Vec<u16>) {
        inputs.clear();
        for (index, square) in self.squares.iter().enumerate() {
            inputs.extend(square.map(|owner| mark(index, owner, side)));
        }
        inputs.extend(self.has_two_plies().then_some(TWO_PLIES as u16));
    }

    fn view_change(&self, mv: &u8, side: Side, change: &mut ViewChange) -> bool {
        let index = usize::from(*mv);
        change.added.extend(self.squares[index].map(|owner| mark(index, owner, side)));
        if self.rules.double {
            let inputs = if self.has_two_plies() { &mut change.added } else { &mut change.removed };
            inputs.push(TWO_PLIES as u16);
        }
        true
    }
}

/// The input of the first of two plies, after those of the marks. Only double turns have it.
const TWO_PLIES: usize = 18;

/// Returns the input of a mark in a side's view.
fn mark(index: usize, owner: Side, side: Side) -> u16 {
    (index + if owner == side { 0 } else { 9 }) as u16
}

impl Notation for TicTacToe {
    fn from_text(rules: &Variant, text: &str) -> Result<Self, String> {
        let mut game = Self::new(rules);
        if text.len() != 9 {
            return Err("a position has nine squares".to_owned());
        }
        for (square, c) in game.squares.iter_mut().zip(text.chars()) {
            *square = match c {
                '.' => None,
                'x' => Some(Side::First),
                'o' => Some(Side::Second),
                _ => return Err(format!("unknown piece `{c}`")),
            };
        }
        Ok(game)
    }

    fn to_text(&self) -> String {
        let letter = |s: &Option<Side>| match s {
            None => '.',
            Some(Side::First) => 'x',
            Some(Side::Second) => 'o',
        };
        self.squares.iter().map(letter).collect()
    }

    fn encode_move(&self, mv: u8) -> u32 {
        u32::from(mv)
    }

    fn move_text(&self, mv: u8) -> String {
        format!("{}{}", char::from(b'a' + mv % 3), mv / 3 + 1)
    }
}

impl Encoding for TicTacToe {
    const POLICY_FACTORS: usize = 1;

    fn encoding(rules: &Variant) -> EncodingShape {
        match rules.double {
            false => EncodingShape::new("tic-tac-toe-1", TWO_PLIES, 9),
            true => EncodingShape::new("double tic-tac-toe-1", TWO_PLIES + 1, 9),
        }
    }

    fn features(&self, features: &mut FeatureSet) {
        let us = self.side_to_move();
        features.clear();
        for (index, square) in self.squares.iter().enumerate() {
            if let Some(side) = square {
                features.insert(index + if *side == us { 0 } else { 9 });
            }
        }
        if self.has_two_plies() {
            features.insert(TWO_PLIES);
        }
    }

    fn policy_factors(&self, moves: &[u8], rows: &mut Vec<u16>) {
        rows.extend(moves.iter().map(|&mv| u16::from(mv)));
    }

    fn symmetry(_: &Variant) -> Option<Symmetry> {
        None
    }
}

impl Describe for TicTacToe {
    const ENDINGS: &'static [Ending] = &[LINE, FULL];
    const EVENTS: EventKinds = EventKinds {
        kinds: &[EventKind {
            plural: "centre marks",
            count: "centres",
            first: Some("first_centre"),
            place: 0,
            common: true,
            of_position: false,
            implies: None,
        }],
    };

    fn events(&self, mv: u8) -> EventSet {
        EventSet::default().with(0, mv == 4)
    }
}

impl Benchmark for TicTacToe {
    const BENCHMARK: BenchmarkSet = BenchmarkSet {
        reference: "normal",
        rules: "double",
        counts: &[("empty board", ".........", 6)],
    };
}

impl CompleteGame for TicTacToe {
    fn tablebases(
        rules: &[Variant],
        folder: &Path,
    ) -> Result<Vec<Arc<dyn Tablebase<Self>>>, OpenError> {
        let open = |rules: &Variant| -> Result<Arc<dyn Tablebase<Self>>, OpenError> {
            let bytes = std::fs::read(folder.join(rules.name())).map_err(|_| {
                OpenError::new(OpenErrorKind::Missing, format!("no tables for {rules}"))
            })?;
            Ok(Arc::new(Solver { bytes }))
        };
        rules.iter().map(open).collect()
    }
}

impl TicTacToe {
    fn drawn(side: Side) -> BoardPiece {
        let (figure, name) = match side {
            Side::First => ("X", "cross"),
            Side::Second => ("O", "nought"),
        };
        BoardPiece { side, figure: figure.into(), name: name.into(), parts: None, royal: false }
    }
}

impl BoardGame for TicTacToe {
    const PLAYERS: [&'static str; 2] = ["Crosses", "Noughts"];
    const KNOWN_RULES: &'static str = "normal";
    const KNOWN_NAME: &'static str = "tic-tac-toe";
    const FIGURES: &'static str = r#"<g id="figure-X"><path class="detail" d="M13 8l19 19M32 8l-19 19"/></g>
<g id="figure-O"><circle class="detail" cx="22.5" cy="18" r="10"/></g>"#;

    fn parse_rules(text: &str) -> Result<Variant, String> {
        Ok(Variant::parse(text)?)
    }

    fn shape(_: &Variant) -> BoardShape {
        BoardShape::lettered(3, 3)
    }

    fn pieces(&self) -> Vec<PlacedPiece> {
        let marks = self.squares.iter().zip(0..);
        let placed = |(side, mv): (&Option<Side>, u8)| {
            Some(PlacedPiece { space: self.move_text(mv), piece: Self::drawn((*side)?) })
        };
        marks.filter_map(placed).collect()
    }

    fn codes(&self) -> Vec<u32> {
        self.squares.iter().map(|mark| mark.map_or(0, |side| 1 + side as u32)).collect()
    }

    fn board_move(&self, mv: u8) -> BoardMove {
        BoardMove {
            from: None,
            to: Some(self.move_text(mv)),
            kind: "mark",
            label: "mark".into(),
            becomes: Some(Self::drawn(self.side_to_move())),
            stays: None,
            captures: None,
        }
    }

    fn why_illegal(&self, from: &str, to: &str) -> Option<String> {
        match (from == to, self.parse_move(to)) {
            (true, Some(_)) => None,
            (true, None) => Some(format!("{to} is marked.")),
            (false, _) => Some("Marks do not move.".into()),
        }
    }

    fn read_game(_: &str) -> Result<ReadGame, String> {
        Err("games of tic-tac-toe cannot be read".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_conforms() {
        let coverage = crate::conformance::check::<TicTacToe>(50, 1).unwrap();
        assert!(coverage.endings.iter().chain(&coverage.events).all(|&games| games > 0));
        assert!(crate::conformance::check_board::<TicTacToe>(20, 1).unwrap() > 40);
    }
}
