//! What a search found a position to be worth, as records store it.

use fusion_game::evaluator::Wdl;
use fusion_search::pvs::{MATE, PvsResult, chances_of, drawishness};

/// What a search found a position to be worth for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// Shares of the tree search.
    Wdl(RootWdl),
    /// Value of the alpha-beta search.
    Value(RootValue),
}

impl Root {
    /// Returns the shares of win, draw and loss. Their sum is 1.
    #[must_use]
    pub fn shares(self) -> [f32; 3] {
        match self {
            Self::Wdl(root) => root.shares(),
            Self::Value(root) => root.shares(),
        }
    }
}

impl From<RootWdl> for Root {
    fn from(root: RootWdl) -> Self {
        Self::Wdl(root)
    }
}

/// A value of the alpha-beta search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootValue {
    pub(super) value: i16,
    pub(super) drawishness: u8,
}

impl RootValue {
    /// Takes the value of the best line and the drawishness of the root.
    #[must_use]
    pub fn of<M>(found: &PvsResult<M>) -> Self {
        let drawishness = drawishness(found.standing) * 255.0;
        Self {
            value: found.lines[0].value.clamp(-MATE, MATE) as i16,
            drawishness: drawishness.round() as u8,
        }
    }

    /// Returns the value in hundredths of the cheapest piece;
    /// [`plies_to_end`](fusion_search::pvs::plies_to_end) reads proven ones.
    #[must_use]
    pub fn value(self) -> i32 {
        self.value.into()
    }

    /// Returns the shares of win, draw and loss that the value stands for. Their sum is 1.
    #[must_use]
    pub fn shares(self) -> [f32; 3] {
        let Wdl { win, draw, loss } = chances_of(self.value(), f32::from(self.drawishness) / 255.0);
        [win, draw, loss]
    }
}

/// Win and loss shares of the side to move in 1/255; the rest is the draw's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootWdl {
    pub(super) win: u8,
    pub(super) loss: u8,
}

impl RootWdl {
    /// Quantises shares of win, draw and loss.
    #[must_use]
    pub fn new([win, draw, loss]: [f32; 3]) -> Self {
        let total = win + draw + loss;
        if !total.is_finite() || total <= 0.0 {
            return Self { win: 85, loss: 85 };
        }
        let win = (win / total * 255.0).round().clamp(0.0, 255.0) as u8;
        let loss = (loss / total * 255.0).round().clamp(0.0, 255.0) as u8;
        Self { win, loss: loss.min(255 - win) }
    }

    /// Returns the shares of win, draw and loss. Their sum is 1.
    #[must_use]
    pub fn shares(self) -> [f32; 3] {
        let draw = 255 - self.win - self.loss;
        [self.win, draw, self.loss].map(|share| f32::from(share) / 255.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_values_are_quantised_within_half_a_step() {
        let root = RootWdl::new([0.2, 0.5, 0.3]);
        for (found, wanted) in root.shares().into_iter().zip([0.2, 0.5, 0.3]) {
            assert!((found - wanted).abs() < 0.004);
        }
        assert_eq!(RootWdl::new([0.5, 0.0, 0.5]).shares()[1], 0.0);
        assert_eq!(RootWdl::new([f32::NAN, 0.0, 1.0]).shares(), [1.0 / 3.0; 3]);
    }

    /// The tails are what bytes could not store.
    #[test]
    fn values_keep_their_differences_where_the_shares_are_close() {
        let shares = |value, drawishness| RootValue { value, drawishness }.shares();
        let [win, draw, loss] = shares(200, 255);
        assert!((win - 0.4621).abs() < 1e-3 && (draw - 0.5379).abs() < 1e-3 && loss == 0.0);
        assert!((shares(-200, 255)[2] - win).abs() < 1e-6);
        assert_eq!(shares(200, 0)[1], 0.0);
        assert!(shares(1500, 128)[0] < shares(1600, 128)[0]);
        assert_eq!(shares(MATE as i16, 128)[0], 1.0);
    }
}
