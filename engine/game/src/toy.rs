//! Tic-tac-toe, the smallest game that exercises all code written against [`Game`].
//!
//! It is an example of an implementation. The tests of search, tables, samples, openings and
//! records use it. Under `double` rules every turn after the first has two marks, so turns do not
//! alternate ply by ply.

use crate::tablebase::{Exact, Oracle};
use crate::{
    Ending, FeatureSet, Game, MoveEvents, OpenError, OpenErrorKind, Outcome, Reflection, Side,
};
use rand::Rng;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// The rule sets. Three in a row wins, or loses if the name has `misere`. With `double`, each turn
/// but the first has two plies.
pub const RULES: [&str; 4] = ["normal", "misere", "double", "double-misere"];

/// A position of three rows of three squares.
#[derive(Clone, Debug)]
pub struct TicTacToe {
    rules: String,
    squares: [Option<Side>; 9],
}

impl TicTacToe {
    fn marks(&self) -> usize {
        self.squares.iter().flatten().count()
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

impl Oracle<TicTacToe> for Solver {
    fn result(&self, game: &TicTacToe) -> Option<Exact> {
        if game.marks() < KNOWN_FROM {
            return None;
        }
        let (winner, plies) = best_play(game);
        Some(Exact { winner, plies })
    }

    fn contents(&self) -> Vec<String> {
        vec!["late".to_owned()]
    }

    fn hash(&self) -> String {
        Sha256::digest(&self.bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Game for TicTacToe {
    type Rules = String;
    type Move = u8;

    const FEATURES: usize = 18;
    const POLICY: usize = 9;
    const POLICY_TERMS: usize = 1;
    const SCHEME: &'static str = "tic-tac-toe-1";

    fn parse_rules(text: &str) -> Result<String, String> {
        let unknown = || format!("unknown rule set `{text}`, known: {}", RULES.join(", "));
        RULES.contains(&text).then(|| text.to_owned()).ok_or_else(unknown)
    }

    fn random_rules(rng: &mut impl Rng) -> String {
        RULES[rng.next_u64() as usize % RULES.len()].to_owned()
    }

    fn ablations(rules: &String) -> Vec<String> {
        let [misere, double] = ["misere", "double"].map(|toggle| rules.contains(toggle));
        let name = |misere, double| RULES[usize::from(misere) + 2 * usize::from(double)].to_owned();
        vec![name(!misere, double), name(misere, !double)]
    }

    fn new(rules: &String) -> Self {
        let squares = [None; 9];
        Self { rules: rules.clone(), squares }
    }

    fn from_text(rules: &String, text: &str) -> Result<Self, String> {
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

    fn rules(&self) -> &String {
        &self.rules
    }

    fn oracle(rules: &String, folder: &Path) -> Result<Arc<dyn Oracle<Self>>, OpenError> {
        let missing = |_| OpenError::new(OpenErrorKind::Missing, format!("no tables for {rules}"));
        let bytes = std::fs::read(folder.join(rules)).map_err(missing)?;
        Ok(Arc::new(Solver { bytes }))
    }

    fn side_to_move(&self) -> Side {
        let turns =
            if self.rules.starts_with("double") { self.marks().div_ceil(2) } else { self.marks() };
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
            let winner = if self.rules.ends_with("misere") { side.other() } else { side };
            return Some(Outcome { winner: Some(winner), ending: Ending::Checkmate });
        }
        moves.is_empty().then_some(Outcome { winner: None, ending: Ending::Stalemate })
    }

    fn hash(&self) -> u64 {
        let digit = |s: &Option<Side>| match s {
            None => 0,
            Some(Side::First) => 1,
            Some(Side::Second) => 2,
        };
        self.squares.iter().fold(1, |hash, s| hash * 3 + digit(s))
    }

    fn features(&self, features: &mut FeatureSet) {
        let us = self.side_to_move();
        features.clear();
        for (index, square) in self.squares.iter().enumerate() {
            if let Some(side) = square {
                features.insert(index + if *side == us { 0 } else { 9 });
            }
        }
    }

    fn policy_rows(&self, moves: &[u8], rows: &mut Vec<u16>) {
        rows.extend(moves.iter().map(|&mv| u16::from(mv)));
    }

    fn reflection() -> Option<Reflection> {
        None
    }

    fn material(&self) -> f32 {
        0.0
    }

    fn events(&self, _: u8) -> MoveEvents {
        MoveEvents::default()
    }

    fn encode_move(&self, mv: u8) -> u32 {
        u32::from(mv)
    }

    fn decode_move(&self, code: u32) -> Option<u8> {
        let mv = u8::try_from(code).ok()?;
        let free = self.squares.get(usize::from(mv))?.is_none();
        free.then_some(mv)
    }

    fn move_text(&self, mv: u8) -> String {
        format!("{}{}", char::from(b'a' + mv % 3), mv / 3 + 1)
    }

    fn parse_move(&self, text: &str) -> Option<u8> {
        (0..9).find(|&mv| self.move_text(mv) == text && self.squares[usize::from(mv)].is_none())
    }

    fn move_san(&self, mv: u8) -> String {
        self.move_text(mv)
    }
}
