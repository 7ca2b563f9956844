//! The interface of a game, on which everything above the rules is built.

use crate::error::{OpenError, OpenErrorKind};
use crate::features::FeatureSet;
use crate::outcome::{Outcome, Side};
use crate::tablebase::Oracle;
use rand::Rng;
use std::fmt::{Debug, Display};
use std::path::Path;
use std::sync::Arc;

/// An earlier scheme, which has grown into the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierScheme {
    /// Name of the scheme.
    pub name: &'static str,
    /// Number of features.
    pub features: usize,
    /// Number of policy rows.
    pub policy: usize,
}

/// Effects of a move beyond changing squares, for usage statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveEvents {
    /// An enemy piece leaves the board.
    pub capture: bool,
    /// Two friendly pieces merge.
    pub fusion: bool,
    /// The merged piece is royal. Implies `fusion`.
    pub royal_fusion: bool,
    /// A compound splits.
    pub fission: bool,
    /// Castling.
    pub castling: bool,
    /// A Pawn promotes.
    pub promotion: bool,
    /// A simple piece becomes a compound as it moves.
    pub metamorphosis: bool,
    /// A compound that captures becomes one of its components.
    pub demotion: bool,
}

/// A position with an obvious move; see [`Game::suite`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Description of the position's obvious point.
    pub what: &'static str,
    /// The position's text form.
    pub position: &'static str,
    /// The move in engine notation.
    pub best: &'static str,
}

/// A symmetry of a game's board that leaves its rules unchanged: a mapping of inputs and policy
/// rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reflection {
    /// For each input, its mirror image.
    pub features: Vec<u16>,
    /// For each policy row, its mirror image.
    pub rows: Vec<u16>,
    /// Inputs of positions that have no mirror image, such as those with castling rights.
    pub forbidden: Vec<u16>,
}

/// A position with as much history as the rules need, and the rules themselves.
///
/// `Clone::clone_from` should reuse allocations, because search calls it once a playout.
pub trait Game: Clone + Send + Sync + 'static {
    /// A rule set. [`Game::parse_rules`] parses its text form (`Display`).
    type Rules: Clone + PartialEq + Debug + Display + Send + Sync;
    /// A move. It is valid only in the position that it was generated for.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// Number of network inputs; [`Game::features`] yields indices below this.
    const FEATURES: usize;
    /// Number of rows of a network's policy head.
    const POLICY: usize;
    /// Number of policy rows whose sum is a move's logit.
    const POLICY_TERMS: usize;
    /// Identifies the meaning of every feature and policy index. A network trained for another
    /// scheme is rejected.
    const SCHEME: &'static str;
    /// Schemes whose features and policy rows are the first ones of this scheme, in the same order.
    /// A network made for one of them is accepted. The features and rows that it lacks have zero
    /// weight.
    const EARLIER: &'static [EarlierScheme] = &[];

    /// Parses a rule set such as `fusion-2020,castling=no`.
    ///
    /// # Errors
    /// Returns an error if the text names an unknown preset, toggle or value. The message lists the
    /// known ones.
    fn parse_rules(text: &str) -> Result<Self::Rules, String>;
    /// Samples a rule set from all combinations of toggles.
    fn random_rules(rng: &mut impl Rng) -> Self::Rules;
    /// Returns the rule sets that differ from this one in a single toggle.
    fn ablations(rules: &Self::Rules) -> Vec<Self::Rules>;
    /// Returns the rules' initial position.
    fn new(rules: &Self::Rules) -> Self;
    /// Parses a position from its text form (FEN in chess games), without history.
    ///
    /// # Errors
    /// Returns an error if the text is malformed or the position cannot occur. The message names
    /// the reason.
    fn from_text(rules: &Self::Rules, text: &str) -> Result<Self, String>;
    /// Returns the position's text form.
    fn to_text(&self) -> String;
    /// Returns the rule set in force.
    fn rules(&self) -> &Self::Rules;
    /// Opens the oracle for these rules, such as the endgame tables in a folder.
    ///
    /// # Errors
    /// Returns an error if the folder has nothing for the game and the rules
    /// ([`OpenErrorKind::Missing`]), or if a file in it is rejected
    /// ([`OpenErrorKind::Rejected`]).
    fn oracle(rules: &Self::Rules, folder: &Path) -> Result<Arc<dyn Oracle<Self>>, OpenError> {
        let message = format!("{}: there are no tables for {rules}", folder.display());
        Err(OpenError::new(OpenErrorKind::Missing, message))
    }
    /// Opens [`Game::oracle`] for each of these rule sets. The oracles may share their data.
    ///
    /// # Errors
    /// Returns the first error of [`Game::oracle`].
    fn oracles(
        rules: &[Self::Rules],
        folder: &Path,
    ) -> Result<Vec<Arc<dyn Oracle<Self>>>, OpenError> {
        rules.iter().map(|rules| Self::oracle(rules, folder)).collect()
    }

    /// Returns the side to move. The sides need not alternate.
    fn side_to_move(&self) -> Side;
    /// Appends all legal moves. The order is fixed for a position.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);
    /// Makes a legal move. For other moves the result is unspecified, but the function does not
    /// panic.
    fn play(&mut self, mv: Self::Move);
    /// Returns the outcome if the game is over. `moves` are this position's legal moves.
    fn outcome(&self, moves: &[Self::Move]) -> Option<Outcome>;
    /// Returns the same as [`Game::outcome`], for callers that do not need the moves. A game should
    /// override this if it can find out whether there are legal moves without generating them all.
    fn outcome_now(&self) -> Option<Outcome> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        self.outcome(&moves)
    }
    /// Returns the index of a legal move that wins the game at once. `None` if there is none.
    /// Search calls this once for each node that it expands, so it should be fast.
    fn winning_move(&self, moves: &[Self::Move]) -> Option<usize> {
        let winner = Some(self.side_to_move());
        moves.iter().position(|&mv| {
            let mut next = self.clone();
            next.play(mv);
            next.outcome_now().is_some_and(|outcome| outcome.winner == winner)
        })
    }
    /// Returns a hash of the state that the rules compare for repetition.
    fn hash(&self) -> u64;

    /// Replaces the set by the active network inputs, seen from the side to move.
    fn features(&self, features: &mut FeatureSet);
    /// Appends [`Game::POLICY_TERMS`] policy rows for each of these legal moves. A move's logit is
    /// the sum of the outputs of its rows. No two legal moves of a position have the same
    /// combination of rows.
    fn policy_rows(&self, moves: &[Self::Move], rows: &mut Vec<u16>);
    /// Returns the board's symmetry from left to right. `None` if it has none.
    fn reflection() -> Option<Reflection>;
    /// Returns the conventional material balance for the side to move, in Pawns.
    fn material(&self) -> f32;

    /// Returns positions in which the best move is obvious to every experienced player. A network
    /// is tested on them before it may play.
    fn suite() -> &'static [Known] {
        &[]
    }

    /// Returns whether the side to move, in check, would be mated if pieces could not merge or
    /// split. `moves` are this position's legal moves. Always false in a game without such moves.
    fn saved_by_fusion(&self, moves: &[Self::Move]) -> bool {
        let _ = moves;
        false
    }
    /// Returns the effects of a legal move, for usage statistics.
    fn events(&self, mv: Self::Move) -> MoveEvents;
    /// Returns a compact and stable code of a move for game records.
    fn encode_move(&self, mv: Self::Move) -> u32;
    /// Returns the legal move with this code, if there is one.
    fn decode_move(&self, code: u32) -> Option<Self::Move>;
    /// Returns the move in engine notation (coordinates in chess games).
    fn move_text(&self, mv: Self::Move) -> String;
    /// Returns the legal move with this engine notation, if there is one.
    fn parse_move(&self, text: &str) -> Option<Self::Move>;
    /// Returns the move in the notation for human readers (SAN in chess games).
    fn move_san(&self, mv: Self::Move) -> String;
}
