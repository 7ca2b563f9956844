//! FreeChess and its rule sets as a [`Game`]: positions with rules and history.

mod board;
mod describe;
mod examples;
mod features;
mod inputs;
mod lessons;
mod policy;
mod reasons;
mod tactics;
mod views;
mod wins;

pub use describe::{CHECKMATE, INSUFFICIENT, STALEMATE, THREEFOLD};
pub use tactics::Undo;

use crate::board::{Action, Kind, Piece, Position, Turn, perft};
use crate::notation::{self, action_words, turn_words};
use crate::rules::RuleSet;
use fusion_game::{
    Benchmark, BenchmarkSet, CompleteGame, Encoding, EncodingShape, FeatureSet, Game, GameText,
    Notation, Outcome, Side, Symmetry,
};
use std::io::{self, Write};

/// A game of FreeChess under any [`RuleSet`]. A ply is one action; a turn is a run of plies by one
/// side.
///
/// ```
/// use fusion_freechess::FreeChess;
/// use fusion_freechess::game::CHECKMATE;
/// use fusion_game::prelude::*;
///
/// let rules = RuleSet::parse("freechess-9")?;
/// let mut game = FreeChess::from_text(&rules, "1r5k1/9/9/9/8r/9/9/9/K8 b -/- - -")?;
/// game.play(game.parse_move("i5a5").unwrap());
/// assert_eq!(game.outcome_now().unwrap().ending, CHECKMATE);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct FreeChess {
    rules: RuleSet,
    position: Position,
    /// Plies since the first position.
    ply: u32,
    /// Starts of turns before this position: hash and ply.
    history: Vec<(u64, u32)>,
    /// The first of `history` since attributes left the game. Earlier ones cannot recur, and are
    /// kept only while actions may be taken back.
    since: usize,
}

impl Clone for FreeChess {
    fn clone(&self) -> Self {
        let (history, since) = (self.recent().to_vec(), 0);
        Self { history, since, ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        self.rules = source.rules;
        self.position = source.position;
        self.ply = source.ply;
        self.history.clear();
        self.history.extend_from_slice(source.recent());
        self.since = 0;
    }
}

/// Values of the kinds in units of an Opawn. They follow how few of a kind there are.
const VALUES: [f32; Kind::COUNT] = [0.0, 4.0, 3.0, 2.0, 1.0, 6.0];

/// Returns the value of a multiset in units of an Opawn.
fn value(piece: Piece) -> f32 {
    piece.kinds().map(|kind| piece.count(kind) as f32 * VALUES[kind as usize]).sum()
}

impl FreeChess {
    /// Builds the game at a position, without history.
    #[must_use]
    pub fn at(rules: RuleSet, position: Position) -> Self {
        Self { rules, position, ply: 0, history: Vec::new(), since: 0 }
    }

    /// Returns the position on the board.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the starts of turns that may recur.
    fn recent(&self) -> &[(u64, u32)] {
        &self.history[self.since..]
    }

    /// Returns how often the position occurred before at the start of a turn (rule 30).
    #[must_use]
    pub fn repetitions(&self) -> usize {
        if self.position.turn() != Turn::Start {
            return 0;
        }
        let hash = self.position.hash();
        self.recent().iter().filter(|(known, _)| *known == hash).count()
    }

    /// Plays an action and keeps the history, so that it can be taken back.
    fn advance(&mut self, action: Action) {
        if self.position.turn() == Turn::Start {
            self.history.push((self.position.hash(), self.ply));
        }
        let owned =
            |position: &Position| [Side::First, Side::Second].map(|side| position.owned(side));
        let before = owned(&self.position);
        self.position.play(&self.rules, action);
        self.ply += 1;
        if owned(&self.position) != before {
            self.since = self.history.len();
        }
    }

    fn outcome_if(&self, has_moves: bool) -> Option<Outcome> {
        let mover = self.position.side_to_move();
        if !has_moves {
            // Rule 29.
            let check = self.position.in_check(&self.rules, mover);
            let ending = if check { CHECKMATE } else { STALEMATE };
            return Some(Outcome { winner: Some(mover.other()), ending });
        }
        if self.position.turn() != Turn::Start {
            return None;
        }
        let has_only_royal = |side| self.position.owned(side).without_all(Kind::Royal).is_empty();
        let drawn = |ending| Some(Outcome { winner: None, ending });
        match () {
            () if [Side::First, Side::Second].into_iter().all(has_only_royal) => {
                drawn(INSUFFICIENT)
            }
            () if self.repetitions() >= 2 => drawn(THREEFOLD),
            () => None,
        }
    }
}

impl Game for FreeChess {
    type Rules = RuleSet;
    type Move = Action;

    fn new(rules: &RuleSet) -> Self {
        Self::at(*rules, Position::start(rules))
    }

    fn rules(&self) -> &RuleSet {
        &self.rules
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.position.side_to_move()
    }

    fn legal_moves(&self, moves: &mut Vec<Action>) {
        self.position.legal_actions(&self.rules, moves);
    }

    fn play(&mut self, mv: Action) {
        self.advance(mv);
        if self.since == self.history.len() {
            self.forget_history();
        }
    }

    fn forget_history(&mut self) {
        self.history.clear();
        self.since = 0;
    }

    fn outcome(&self, moves: &[Action]) -> Option<Outcome> {
        self.outcome_if(!moves.is_empty())
    }

    fn outcome_now(&self) -> Option<Outcome> {
        self.outcome_if(self.position.has_legal_action(&self.rules))
    }

    fn winning_move(&self, moves: &[Action]) -> Option<usize> {
        wins::winning_action(&self.position, &self.rules, moves)
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.position.hash()
    }

    /// Captures of enemy pieces, and placements that cancel an enemy attribute.
    #[inline]
    /// The attributes that the players own, on the board or not.
    fn material(&self) -> f32 {
        let us = self.side_to_move();
        value(self.position.owned(us)) - value(self.position.owned(us.other()))
    }
}

impl Notation for FreeChess {
    fn from_text(rules: &RuleSet, text: &str) -> Result<Self, String> {
        let position = Position::from_text(rules, text).map_err(|error| error.to_string())?;
        Ok(Self::at(*rules, position))
    }

    fn to_text(&self) -> String {
        self.position.to_text()
    }

    fn encode_move(&self, mv: Action) -> u32 {
        mv.code()
    }

    fn decode_move(&self, code: u32) -> Option<Action> {
        Action::from_code(code).filter(|&action| self.position.is_legal(&self.rules, action))
    }

    fn move_text(&self, mv: Action) -> String {
        mv.text(self.position.size())
    }

    fn parse_move(&self, text: &str) -> Option<Action> {
        let action = Action::parse(text, self.position.size())?;
        self.position.is_legal(&self.rules, action).then_some(action)
    }

    fn move_words(&self, mv: Action) -> String {
        action_words(&self.position, &self.rules, mv)
    }

    fn turn_words(&self, moves: &[Action]) -> String {
        turn_words(&self.position, &self.rules, moves)
    }

    fn write_game(text: &GameText, out: &mut dyn Write) -> io::Result<()> {
        notation::write_game(text, out)
    }
}

impl Encoding for FreeChess {
    const POLICY_FACTORS: usize = policy::TERMS;

    fn encoding(_: &RuleSet) -> EncodingShape {
        EncodingShape::new("freechess, features 1, policy 1", features::COUNT, policy::COUNT)
    }

    fn features(&self, features: &mut FeatureSet) {
        features::collect(self, features);
    }

    fn policy_factors(&self, moves: &[Action], rows: &mut Vec<u16>) {
        policy::rows(&self.position, moves, rows);
    }

    fn symmetry(_: &RuleSet) -> Option<Symmetry> {
        let table = |count, reflect: fn(usize) -> usize| {
            (0..count).map(|index| reflect(index) as u16).collect()
        };
        Some(Symmetry {
            features: table(features::COUNT, features::reflect),
            rows: table(policy::COUNT, policy::reflect),
            forbidden: Vec::new(),
        })
    }
}

impl Benchmark for FreeChess {
    const BENCHMARK: BenchmarkSet = BenchmarkSet {
        reference: "freechess,splitting=no",
        rules: "freechess",
        counts: &[
            ("start position", examples::START, 2),
            ("middle game", examples::MIDDLE_GAME, 2),
        ],
    };

    const COUNTS: &'static [&'static str] = &["actions", "turns", "check", "valid"];

    /// `check` and `valid` have the depth 0.
    fn counts_at(kind: &str, depth: u32) -> bool {
        Self::COUNTS.contains(&kind) && (!["check", "valid"].contains(&kind) || depth == 0)
    }

    /// `check` is 1 if the side to move is in check, else 0; `valid` is the number of valid squares
    /// (rule 5).
    fn count(&self, kind: &str, depth: u32) -> u64 {
        let (position, rules) = (&self.position, &self.rules);
        match kind {
            "turns" => perft::turns(position, rules, depth),
            "check" => position.in_check(rules, self.side_to_move()).into(),
            "valid" => position.valid_squares(rules).len() as u64,
            _ => perft::perft(position, rules, depth),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        perft::perft(&self.position, &self.rules, depth)
    }

    fn perft_making_every_move(&self, depth: u32) -> u64 {
        perft::perft_making_every_move(&self.position, &self.rules, depth)
    }
}

impl CompleteGame for FreeChess {}
