//! A slow and plain player of any definition, for comparisons.
//!
//! It shares no code with the board of the library, and follows the rules of Fairy-Stockfish as that
//! program plays them.

#![allow(dead_code, unused_imports, reason = "each test uses a part")]

mod board;
mod ends;
mod fusion;
mod legal;
mod moves;
mod play;
pub mod random;
mod royal;
mod text;

use fusion_fairy::Definition;

use board::Board;
pub use ends::{Ending, Reason};

/// What counts when positions are compared for repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    men: Vec<Option<(usize, usize)>>,
    hands: [Vec<u32>; 2],
    side: usize,
    rights: [[bool; 2]; 2],
    /// Whether the number of squares of captures in passing on each file is odd.
    passing: Vec<bool>,
    checks: [u32; 2],
}

/// An earlier position of the game.
#[derive(Clone, Debug)]
struct Past {
    key: Key,
    in_check: bool,
    /// The move that was made here, and whether it captured.
    mv: moves::Move,
    captured: bool,
}

/// A position with the game that led to it.
#[derive(Clone, Debug)]
pub struct Slow<'a> {
    game: &'a Definition,
    board: Board<'a>,
    /// How many of each kind each side has in the hand.
    hands: [Vec<u32>; 2],
    /// The side to move.
    side: usize,
    /// The squares of the Rooks with which a side may castle, on the kingside and the queenside.
    rights: [[Option<usize>; 2]; 2],
    /// The square of the piece that castles as a King.
    castling_king: [Option<usize>; 2],
    /// Squares on which a move ends a right: with the side and wing.
    ties: Vec<(usize, usize, usize)>,
    /// The squares of captures in passing.
    passing: Vec<usize>,
    /// How many checks each side still needs to win.
    checks: [u32; 2],
    /// Plies since the last move that cannot be taken back.
    quiet_plies: u32,
    /// Plies since the first position of a game.
    plies: u32,
    /// Limit of a counting rule, in plies; 0 if nothing is counted.
    count_limit: u32,
    /// What the counting rule has counted.
    count: u32,
    /// Whether the last move was a pass, and the one before.
    passed: [bool; 2],
    /// Whether the last move changed a side's men without a capture: a drop or a promotion.
    added: bool,
    past: Vec<Past>,
}

impl Slow<'_> {
    /// Returns the legal moves in the notation of UCI, sorted.
    pub fn legal_moves(&self) -> Vec<String> {
        let mut texts: Vec<String> =
            self.moves().into_iter().map(|mv| self.move_text(mv)).collect();
        texts.sort();
        texts
    }

    /// Plays a move.
    pub fn play(&mut self, text: &str) -> Result<(), String> {
        let found = self.moves().into_iter().find(|mv| self.move_text(*mv) == text);
        self.make(found.ok_or_else(|| format!("{text} is not legal in {}", self.to_text()))?);
        Ok(())
    }

    /// Counts the games of this many moves.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        let after = |mv| {
            let mut next = self.clone();
            next.make(mv);
            next.perft(depth - 1)
        };
        moves.into_iter().map(after).sum()
    }

    /// Returns whether the King of the side to move is attacked.
    pub fn in_check(&self) -> bool {
        self.board
            .king(self.side)
            .is_some_and(|king| !self.board.attackers(king, 1 - self.side).is_empty())
    }

    /// Returns whether the King of the side that waits is safe, as in any position of a game. Random starts may fail.
    pub fn is_sound(&self) -> bool {
        let waiting = self.board.king(1 - self.side);
        waiting.is_none_or(|king| self.board.attackers(king, self.side).is_empty())
    }

    /// Returns what counts for repetition.
    fn key(&self) -> Key {
        let mut passing = vec![false; usize::from(self.game.files)];
        for square in &self.passing {
            passing[self.board.file(*square)] ^= true;
        }
        Key {
            men: self.board.cells.iter().map(|cell| cell.map(|man| (man.kind, man.side))).collect(),
            hands: self.hands.clone(),
            side: self.side,
            rights: self.rights.map(|wings| wings.map(|rook| rook.is_some())),
            passing,
            checks: self.checks,
        }
    }
}
