//! Positions and moves as inputs and outputs of a network.

use crate::{FeatureSet, Game};
use std::borrow::Cow;

/// The name and the sizes of an encoding.
///
/// ```
/// use fusion_game::EncodingShape;
///
/// let shape = EncodingShape::new("draughts 1, 10x10", 400, 200);
/// assert_eq!((shape.features, shape.policy), (400, 200));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodingShape {
    /// Identifies the meaning of every feature and policy index. A network trained for another
    /// encoding is rejected.
    pub name: Cow<'static, str>,
    /// Number of network inputs; [`Encoding::features`] yields indices below this. At most 65,536.
    pub features: usize,
    /// Number of rows of a network's policy head. At most 65,536.
    pub policy: usize,
    /// The encoding whose features and policy rows are the first ones of this encoding, in the same
    /// order. A network made for it is accepted. The features and rows that it lacks have zero weight.
    pub older: Option<OlderEncoding>,
}

impl EncodingShape {
    /// Returns the shape of an encoding that has no older one.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>, features: usize, policy: usize) -> Self {
        Self { name: name.into(), features, policy, older: None }
    }
}

/// An older encoding, which has grown into the present one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OlderEncoding {
    /// Name of the encoding.
    pub name: Cow<'static, str>,
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
    /// Number of policy rows whose sum is a move's logit.
    const POLICY_FACTORS: usize;

    /// Returns the name and the sizes of the encoding under a rule set. Rule sets of equal names have
    /// equal sizes.
    ///
    /// The function may be slow. Loops over positions call it once, before they begin.
    fn encoding(rules: &Self::Rules) -> EncodingShape;

    /// Replaces the set by the active network inputs, seen from the side to move.
    fn features(&self, features: &mut FeatureSet);

    /// Appends [`Encoding::POLICY_FACTORS`] policy rows for each of these legal moves. No two legal
    /// moves of a position have the same combination of rows.
    fn policy_factors(&self, moves: &[Self::Move], rows: &mut Vec<u16>);

    /// Returns the symmetry from left to right of the board of a rule set. `None` if it has none. Rule
    /// sets whose encodings have equal names have equal symmetries.
    fn symmetry(rules: &Self::Rules) -> Option<Symmetry>;
}
