//! The reference: one number after the other.

use super::{Lanes, Line};

/// Applies a function to each number of two groups.
fn each(a: Line, b: Line, function: impl Fn(f32, f32) -> f32) -> Line {
    std::array::from_fn(|i| function(a[i], b[i]))
}

impl Lanes for Line {
    fn splat(number: f32) -> Self {
        [number; _]
    }

    fn load(line: &Line) -> Self {
        *line
    }

    fn store(self, line: &mut Line) {
        *line = self;
    }

    fn plus(self, other: Self) -> Self {
        each(self, other, |a, b| a + b)
    }

    fn minus(self, other: Self) -> Self {
        each(self, other, |a, b| a - b)
    }

    fn times(self, other: Self) -> Self {
        each(self, other, |a, b| a * b)
    }

    fn over(self, other: Self) -> Self {
        each(self, other, |a, b| a / b)
    }

    fn times_plus(self, factor: Self, summand: Self) -> Self {
        std::array::from_fn(|i| self[i].mul_add(factor[i], summand[i]))
    }

    fn root(self) -> Self {
        self.map(f32::sqrt)
    }

    fn clamped(self, low: Self, high: Self) -> Self {
        std::array::from_fn(|i| self[i].clamp(low[i], high[i]))
    }

    fn where_below(self, bound: Self, value: Self) -> Self {
        std::array::from_fn(|i| if self[i] < bound[i] { value[i] } else { 0.0 })
    }
}
