//! A game that a file defines, as a [`Game`]: positions with rules and history.

mod board;
pub(crate) mod counts;
mod describe;
mod encoding;
mod exercise;
mod tactics;
pub(crate) mod values;
mod views;

pub use describe::{
    CHECKMATE, CHECKS, CONNECTION, COUNTING, DEAD, EXTINCTION, FLAG, MOVE_RULE, PASSES, PERPETUAL,
    REPETITION, STALEMATE,
};
pub use tactics::GameUndo;

use crate::board::{Action, End, Move, Position, Reason, Tables};
use crate::definition::{Kind, Role, Value};
use crate::rules::FairyRules;
use fusion_game::{Benchmark, BenchmarkSet, Game, Notation, Outcome, Side};

/// An earlier position, as far as repetition needs it.
#[derive(Clone, Copy, Debug)]
struct Past {
    hash: u64,
    /// Whether the side to move was in check.
    in_check: bool,
    last: Last,
}

/// The move that led to a position.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// The move; `None` where the game begins.
    mv: Option<Move>,
    captured: bool,
}

/// A game under the rules of a definition. A ply is a move.
///
/// ```
/// use fusion_fairy::FairyGame;
/// use fusion_game::prelude::*;
///
/// let rules = RuleSet::parse("variants#atomic")?;
/// let game: FairyGame = Game::new(&rules);
/// assert_eq!(game.perft(3), 8_902);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct FairyGame {
    rules: FairyRules,
    position: Position,
    last: Last,
    /// The positions since the last move that cannot be undone.
    history: Vec<Past>,
}

impl Clone for FairyGame {
    fn clone(&self) -> Self {
        let history = self.recent().to_vec();
        Self { rules: self.rules, position: self.position.clone(), last: self.last, history }
    }

    fn clone_from(&mut self, source: &Self) {
        self.rules = source.rules;
        self.position.clone_from(&source.position);
        self.last = source.last;
        self.history.clear();
        self.history.extend_from_slice(source.recent());
    }
}

/// Converts the number of a side.
pub(crate) fn side(number: usize) -> Side {
    if number == 0 { Side::First } else { Side::Second }
}

/// Returns the number of a side.
pub(crate) fn number(side: Side) -> usize {
    usize::from(side == Side::Second)
}

impl FairyGame {
    /// Builds the game at a position, without history.
    #[must_use]
    pub fn at(rules: FairyRules, position: Position) -> Self {
        Self { rules, position, last: Last::default(), history: Vec::new() }
    }

    /// Returns the position on the board.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the kind of the piece that a move moves or drops; `None` for a pass.
    #[must_use]
    pub fn moving(&self, mv: Move) -> Option<Kind> {
        match mv.action() {
            Action::Pass => None,
            Action::Drop | Action::DropUpgraded => Some(mv.kind()),
            _ => self.position.piece(mv.from()).map(|(_, kind)| kind),
        }
    }

    /// Returns whether a move merges two pieces of the side to move.
    #[must_use]
    pub fn merges(&self, mv: Move) -> bool {
        let there = self.position.piece(mv.to()).map(|(owner, _)| owner);
        matches!(mv.action(), Action::Change | Action::Drop)
            && there == Some(self.position.side_to_move())
    }

    /// Returns the tables of the rules.
    #[inline]
    #[must_use]
    pub fn tables(&self) -> &'static Tables {
        self.rules.tables()
    }

    /// Returns the earlier positions that can recur.
    fn recent(&self) -> &[Past] {
        let reach = if self.tables().rules.drops.captures {
            self.history.len()
        } else {
            self.history.len().min(usize::from(self.position.progress_clock()))
        };
        &self.history[self.history.len() - reach..]
    }

    /// Remembers the position and the move that is made in it.
    fn remember(&mut self, mv: Move) {
        let rule = &self.tables().rules.repetition;
        let in_check = (rule.no_perpetual_check || rule.no_back_and_forth)
            && self.position.in_check(self.tables());
        self.history.push(Past { hash: self.position.hash(), in_check, last: self.last });
        self.last = Last { mv: Some(mv), captured: self.position.captures(mv) };
    }

    /// Returns how many plies ago a piece arrived on a square from which the side that has just moved has gone back
    /// and forth twice since, as Fairy-Stockfish has it: without check before its moves, with at most one pass, before
    /// the last move, and only if the piece may go where the other King may.
    fn back_and_forth(&self) -> Option<usize> {
        let (tables, recent) = (self.tables(), self.recent());
        let past = |ago: usize| recent.len().checked_sub(ago).map(|place| &recent[place]);
        let by = |ago: usize| past(ago).map(|past| past.last);
        let last = self.last.mv.filter(|mv| mv.action() == Action::Go)?;
        let passed = by(2)?.mv.is_some_and(|mv| mv.action() == Action::Pass);
        let first = if passed { 4 } else { 2 };
        let turn = |mv: Move| Move::new(Action::Go, mv.to(), mv.from());
        let turns = [first, first + 2, first + 4].map(|ago| by(ago).and_then(|last| last.mv));
        if turns != [Some(turn(last)), Some(last), Some(turn(last))] {
            return None;
        }
        let began = first + 6;
        let arrival = by(began).filter(|last| !last.captured)?.mv?;
        let checked = (1..=began + 1).step_by(2).filter_map(past).any(|past| past.in_check);
        let us = self.position.side_to_move();
        let region = |side: usize, kind: Kind| tables.movements.of[side][usize::from(kind)].region;
        let (_, kind) = self.position.piece(last.to())?;
        let meets = |king: Kind| region(us ^ 1, kind) & region(us, king) != 0;
        let loses = arrival.to() == last.to() && !checked && tables.king.is_none_or(meets);
        loses.then_some(began)
    }

    /// Returns the end by repetition if the position has occurred often enough: at the `fold`th time.
    fn repetition(&self, fold: u8, plies: usize) -> Option<End> {
        let tables = self.tables();
        let rule = &tables.rules.repetition;
        let recent = self.recent();
        let us = self.position.side_to_move();
        let hash = self.position.hash();
        let in_check = rule.no_perpetual_check && self.position.in_check(tables);
        // Whether this side, and the other, has been in check whenever it was to move.
        let mut checked = [in_check, true];
        let mut times = 1;
        let began = if rule.no_back_and_forth { self.back_and_forth() } else { None };
        for (ago, past) in
            recent.iter().rev().enumerate().map(|(i, past)| (i + 1, past)).take(plies)
        {
            if began == Some(ago) {
                return Some(End::with(Reason::Repetition, Value::Win, us));
            }
            checked[ago % 2] &= past.in_check;
            if ago % 2 == 0 && ago >= 4 && past.hash == hash {
                times += 1;
                if times == fold {
                    return Some(self.repeated(us, checked));
                }
            }
        }
        None
    }

    fn repeated(&self, us: usize, checked: [bool; 2]) -> End {
        let rule = &self.tables().rules.repetition;
        if rule.no_perpetual_check && checked != [false, false] {
            // The side that was in check all the time has been pursued.
            let winner = match checked {
                [true, true] => None,
                [true, false] => Some(us),
                _ => Some(us ^ 1),
            };
            return End { winner, reason: Reason::PerpetualCheck };
        }
        let side = if rule.absolute { 0 } else { us };
        match rule.value {
            Value::Draw => self.position.by_material(self.tables(), Reason::Repetition),
            value => End::with(Reason::Repetition, value, side),
        }
    }

    fn end(&self, has_moves: bool) -> Option<End> {
        let tables = self.tables();
        if let Some(end) = self.position.immediate_end(tables) {
            return Some(end);
        }
        if !has_moves {
            return Some(self.position.end_without_moves(tables));
        }
        self.position.clock_end(tables).or_else(|| {
            let fold = tables.rules.repetition.fold;
            if fold == 0 { None } else { self.repetition(fold, usize::MAX) }
        })
    }

    fn outcome_of(end: End) -> Outcome {
        let ending = match end.reason {
            Reason::Checkmate => CHECKMATE,
            Reason::Stalemate => STALEMATE,
            Reason::Extinction => EXTINCTION,
            Reason::Flag => FLAG,
            Reason::Checks => CHECKS,
            Reason::Connection => CONNECTION,
            Reason::Passes => PASSES,
            Reason::Repetition => REPETITION,
            Reason::PerpetualCheck => PERPETUAL,
            Reason::Dead => DEAD,
            Reason::MoveRule => MOVE_RULE,
            Reason::Counting => COUNTING,
        };
        Outcome { winner: end.winner.map(side), ending }
    }
}

impl Game for FairyGame {
    type Rules = FairyRules;
    type Move = Move;

    fn new(rules: &FairyRules) -> Self {
        Self::at(*rules, rules.start().clone())
    }

    fn rules(&self) -> &FairyRules {
        &self.rules
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        side(self.position.side_to_move())
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        self.position.legal_moves(self.tables(), moves);
    }

    fn play(&mut self, mv: Move) {
        self.remember(mv);
        self.position.make(self.tables(), mv);
        if self.recent().is_empty() {
            self.history.clear();
        }
    }

    fn forget_history(&mut self) {
        self.last = Last::default();
        self.history.clear();
    }

    fn outcome(&self, moves: &[Move]) -> Option<Outcome> {
        self.end(!moves.is_empty()).map(Self::outcome_of)
    }

    fn outcome_now(&self) -> Option<Outcome> {
        self.end(self.position.has_move(self.tables())).map(Self::outcome_of)
    }

    fn winning_move(&self, moves: &[Move]) -> Option<usize> {
        let winner = Some(self.side_to_move());
        let mut next = self.clone();
        moves.iter().position(|&mv| {
            use fusion_game::Tactics;
            let undo = next.make(mv);
            let wins = next.can_be_over()
                && next.outcome_now().is_some_and(|outcome| outcome.winner == winner);
            next.unmake(&undo);
            wins
        })
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn material(&self) -> f32 {
        let values = self.rules.values();
        let of = |side: usize| -> f32 {
            let kinds = values.iter().enumerate();
            kinds
                .map(|(kind, &value)| value as f32 * self.position.count(side, kind as u8) as f32)
                .sum()
        };
        let us = self.position.side_to_move();
        (of(us) - of(us ^ 1)) / 100.0
    }
}

impl Notation for FairyGame {
    const POSITION: &'static str = "fen";
    const START_COLUMN: &'static str = "start_fen";

    fn from_text(rules: &FairyRules, text: &str) -> Result<Self, String> {
        let position =
            Position::from_text(rules.tables(), text).map_err(|error| error.to_string())?;
        Ok(Self::at(*rules, position))
    }

    fn to_text(&self) -> String {
        self.position.to_text(self.tables())
    }

    fn encode_move(&self, mv: Move) -> u32 {
        mv.code()
    }

    fn decode_move(&self, code: u32) -> Option<Move> {
        let mut legal = Vec::new();
        self.legal_moves(&mut legal);
        legal.into_iter().find(|mv| mv.code() == code)
    }

    fn move_text(&self, mv: Move) -> String {
        self.position.move_text(self.tables(), mv)
    }

    /// Writes only the moves from the square with which the text begins, and drops.
    fn parse_move(&self, text: &str) -> Option<Move> {
        let is_rank = |place: &usize| text.as_bytes()[*place].is_ascii_digit();
        let end = (1..text.len()).find(|place| !is_rank(place)).unwrap_or(text.len());
        let from = text.get(..end).and_then(|name| self.tables().square(name));
        let mut legal = Vec::new();
        self.legal_moves(&mut legal);
        legal.retain(|mv| mv.is_drop() || from == Some(mv.from()));
        legal.into_iter().find(|&mv| self.move_text(mv) == text)
    }

    /// Returns the letter of the piece, unless it is a Pawn, and the move in engine notation.
    fn move_words(&self, mv: Move) -> String {
        let text = self.move_text(mv);
        let piece = self.moving(mv).filter(|_| !mv.is_drop());
        let piece = piece.map(|kind| &self.tables().rules.pieces[usize::from(kind)]);
        match piece.filter(|piece| piece.role != Role::Pawn) {
            Some(piece) => format!("{}{text}", piece.letter),
            None => text,
        }
    }
}

impl Benchmark for FairyGame {
    const BENCHMARK: BenchmarkSet = BenchmarkSet {
        reference: "variants#chess",
        rules: "variants#capablanca",
        counts: &[(
            "start position",
            "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1",
            3,
        )],
    };

    fn perft(&self, depth: u32) -> u64 {
        self.position.perft(self.tables(), depth)
    }
}
