//! Kinds and windows of nodes.
//!
//! With a window of one value a node either fails high, which one good move shows, or low, which takes all
//! moves. D. E. Knuth and R. W. Moore, *An analysis of alpha-beta pruning*, Artificial Intelligence 6 (1975),
//! section 9: below a cut node all moves of the reply are searched, below an all node one reply is enough.

use super::value::INFINITY;

/// The kind that a node is expected to be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The window may be wider than one value.
    Pv,
    /// A move is expected to reach beta.
    Cut,
    /// No move is expected to reach beta.
    All,
}

impl Kind {
    /// Returns the kind of a child that is searched with a window of one value.
    pub(super) fn below(self) -> Self {
        if self == Self::Cut { Self::All } else { Self::Cut }
    }

    /// Returns the kind of the same node if it is searched with a window of one value.
    pub(super) fn narrowed(self) -> Self {
        if self == Self::Cut { Self::Cut } else { Self::All }
    }
}

/// The values between which a search is exact, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// A value up to here is an upper bound.
    pub(super) alpha: i32,
    /// A value from here on is a lower bound.
    pub(super) beta: i32,
}

impl Window {
    /// The window of all values.
    pub(super) const OPEN: Self = Self { alpha: -INFINITY, beta: INFINITY };

    /// Returns the window of one value, which asks whether a value is above `alpha`.
    pub(super) fn above(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// Returns the same window for the other side.
    pub(super) fn turned(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}
