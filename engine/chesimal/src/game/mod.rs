//! Chesimal Fusion I as a [`Game`]: positions with rules and history.

mod board;
mod describe;
mod diagram;
mod examples;
mod features;
mod lessons;
mod outcome;
mod policy;
mod tactics;
mod views;

pub use describe::{KINGS, QUIET, THREEFOLD};

use crate::board::{Action, Kind, Position, start};
use crate::notation::{self, TurnWords};
use crate::rules::RuleSet;
use fusion_game::{
    CompleteGame, Encoding, EncodingShape, FeatureSet, Game, GameText, Notation, Outcome, Side,
    Symmetry, TextLayout,
};
use std::io::{self, Write};

/// A game under any [`RuleSet`].
///
/// ```
/// use fusion_chesimal::ChesimalGame;
/// use fusion_game::prelude::*;
///
/// let mut game = ChesimalGame::new(&"chesimal".parse().unwrap());
/// for text in ["f3o", "f4f6", "e4e5", "f3f4"] {
///     game.play(game.parse_move(text).unwrap());
/// }
/// assert!(game.to_text().ends_with(" w - f4o+f4+e5+f6 0 1"));
/// ```
#[derive(Debug)]
pub struct ChesimalGame {
    rules: RuleSet,
    position: Position,
    /// The positions at the starts of the turns before this one.
    history: Vec<TurnStart>,
    /// The first of `history` since the last capture. Earlier ones are kept only while actions may be
    /// taken back.
    since: usize,
    /// Actions made in this game.
    plies: u32,
}

/// A position at the start of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TurnStart {
    hash: u64,
    /// Actions made before it.
    plies: u32,
}

/// Room for turns in a copied history: a longer game without a capture is usually a draw.
const HISTORY: usize = 128;

impl Clone for ChesimalGame {
    fn clone(&self) -> Self {
        let mut history = Vec::with_capacity(HISTORY);
        history.extend_from_slice(self.recent());
        Self { history, since: 0, ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        self.rules = source.rules;
        self.position = source.position;
        self.history.clear();
        self.history.extend_from_slice(source.recent());
        self.since = 0;
        self.plies = source.plies;
    }
}

impl ChesimalGame {
    /// Builds the game at a position, without history.
    #[must_use]
    pub fn at(rules: RuleSet, position: Position) -> Self {
        Self { rules, position, history: Vec::new(), since: 0, plies: 0 }
    }

    /// Returns the position on the board.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the starts of turns before this one, since the last capture.
    fn recent(&self) -> &[TurnStart] {
        &self.history[self.since..]
    }

    /// Adds the position to the history if an action leaves the start of a turn.
    fn remember(&mut self) {
        if self.position.active().is_none() {
            self.history.push(TurnStart { hash: self.position.hash(), plies: self.plies });
        }
        self.plies += 1;
    }

    /// Returns how often the position occurred before at the start of a turn; 0 within a turn.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        if self.position.active().is_some() {
            return 0;
        }
        self.recent().iter().filter(|earlier| earlier.hash == self.position.hash()).count()
    }

    /// Returns the kind of the enemy unit that an action captures.
    #[inline]
    fn captured(&self, action: Action) -> Option<Kind> {
        let Action::Activate { to, .. } = action else { return None };
        let enemies = self.position.units(self.position.side().other());
        if enemies.has(to) { self.position.kind_on(to) } else { None }
    }
}

impl Game for ChesimalGame {
    type Rules = RuleSet;
    type Move = Action;

    fn new(rules: &RuleSet) -> Self {
        Self::at(*rules, start(rules))
    }

    fn rules(&self) -> &RuleSet {
        &self.rules
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.position.side()
    }

    fn legal_moves(&self, actions: &mut Vec<Action>) {
        self.position.actions(&self.rules, actions);
    }

    fn play(&mut self, action: Action) {
        let captures = self.captured(action).is_some();
        self.remember();
        self.position.play(&self.rules, action);
        if captures {
            self.forget_history();
        }
    }

    fn forget_history(&mut self) {
        self.history.clear();
        self.since = 0;
    }

    #[inline]
    fn outcome(&self, _: &[Action]) -> Option<Outcome> {
        self.outcome_now()
    }

    #[inline]
    fn outcome_now(&self) -> Option<Outcome> {
        self.outcome_at_turn()
    }

    fn winning_move(&self, actions: &[Action]) -> Option<usize> {
        let kings = self.kings_to_win();
        actions.iter().position(|action| match action {
            Action::Activate { to, .. } => kings.has(*to),
            _ => false,
        })
    }

    /// Whether White's first turn is limited counts, too, as long as it lasts.
    #[inline]
    fn hash(&self) -> u64 {
        let limited = self.rules.first_turn.0.is_some() && self.position.is_first_turn();
        self.position.hash() ^ if limited { 0x9e37_79b9_7f4a_7c15 } else { 0 }
    }

    /// Captures are forcing.
    #[inline]
    fn material(&self) -> f32 {
        let side = self.position.side();
        let worth = |side| {
            let units = self.position.units(side);
            let of = |kind| (self.position.kind(kind) & units).len() as i32 * tactics::worth(kind);
            Kind::ALL.map(of).into_iter().sum::<i32>()
        };
        (worth(side) - worth(side.other())) as f32 / 100.0
    }
}

impl Notation for ChesimalGame {
    const LAYOUT: TextLayout = TextLayout::Lines;

    fn from_text(rules: &RuleSet, text: &str) -> Result<Self, String> {
        let position = Position::from_text(rules, text).map_err(|error| error.to_string())?;
        Ok(Self::at(*rules, position))
    }

    fn to_text(&self) -> String {
        self.position.to_text(&self.rules)
    }

    fn encode_move(&self, action: Action) -> u32 {
        action.code()
    }

    fn decode_move(&self, code: u32) -> Option<Action> {
        let action = Action::from_code(code)?;
        self.position.is_legal(&self.rules, action).then_some(action)
    }

    fn move_text(&self, action: Action) -> String {
        action.to_string()
    }

    fn parse_move(&self, text: &str) -> Option<Action> {
        let action = text.parse().ok()?;
        self.position.is_legal(&self.rules, action).then_some(action)
    }

    fn move_words(&self, action: Action) -> String {
        notation::action_words(&self.position, &self.rules, action)
    }

    fn turn_words(&self, actions: &[Action]) -> String {
        let (mut position, mut turn) = (self.position, TurnWords::default());
        for &action in actions {
            turn.add(&position, &self.rules, action, None);
            position.play(&self.rules, action);
        }
        turn.line()
    }

    fn write_game(text: &GameText, out: &mut dyn Write) -> io::Result<()> {
        notation::write_game(text, out)
    }
}

impl Encoding for ChesimalGame {
    const POLICY_FACTORS: usize = policy::TERMS;

    fn encoding(_: &RuleSet) -> EncodingShape {
        EncodingShape::new("chesimal, features 1, policy 1", features::COUNT, policy::COUNT)
    }

    fn features(&self, features: &mut FeatureSet) {
        features::collect(self, features);
    }

    fn policy_factors(&self, actions: &[Action], rows: &mut Vec<u16>) {
        policy::rows(&self.position, &self.rules, actions, rows);
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

/// There are neither exercises nor tablebases.
impl CompleteGame for ChesimalGame {}
