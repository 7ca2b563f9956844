//! Positions and moves as inputs and outputs of a network.

use crate::{FeatureSet, Game};

/// An older encoding, which has grown into the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OlderEncoding {
    /// Name of the encoding.
    pub name: &'static str,
    /// Number of features.
    pub features: usize,
    /// Number of policy rows.
    pub policy: usize,
}

/// A symmetry of a game's board that leaves its rules unchanged: a mapping of inputs and policy
/// rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// For each input, its mirror image.
    pub features: Vec<u16>,
    /// For each policy row, its mirror image.
    pub rows: Vec<u16>,
    /// Inputs of positions that have no mirror image, such as those with castling rights.
    pub forbidden: Vec<u16>,
}

/// Positions as sets of network inputs, and moves as sums of policy rows.
///
/// The policy is factorised: a move's logit is the sum of the outputs of
/// [`POLICY_FACTORS`](Encoding::POLICY_FACTORS) rows, for example one for the piece that moves and
/// where it goes, and one for what it becomes. A few hundred rows can so tell many thousand moves
/// apart, and a position's moves share rows.
pub trait Encoding: Game {
    /// Number of network inputs; [`Encoding::features`] yields indices below this.
    const FEATURES: usize;
    /// Number of rows of a network's policy head.
    const POLICY: usize;
    /// Number of policy rows whose sum is a move's logit.
    const POLICY_FACTORS: usize;
    /// Identifies the meaning of every feature and policy index. A network trained for another
    /// encoding is rejected.
    const NAME: &'static str;
    /// The encoding whose features and policy rows are the first ones of this encoding, in the same
    /// order. A network made for it is accepted. The features and rows that it lacks have zero weight.
    const OLDER: Option<OlderEncoding> = None;

    /// Replaces the set by the active network inputs, seen from the side to move.
    fn features(&self, features: &mut FeatureSet);

    /// Appends [`Encoding::POLICY_FACTORS`] policy rows for each of these legal moves. No two legal
    /// moves of a position have the same combination of rows.
    fn policy_factors(&self, moves: &[Self::Move], rows: &mut Vec<u16>);

    /// Returns the board's symmetry from left to right. `None` if it has none.
    fn symmetry() -> Option<Symmetry>;
}
