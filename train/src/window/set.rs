//! Sets of positions.

use std::ops::Range;

/// Numbers of positions in ascending order. Those of many games in a row are one range, so that millions
/// of positions need next to no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionSet {
    ranges: Vec<Range<u32>>,
    count: usize,
}

impl PositionSet {
    /// Adds numbers, all of them above those before.
    pub fn push(&mut self, range: Range<u32>) {
        self.count += range.len();
        match self.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ if range.is_empty() => {}
            _ => self.ranges.push(range),
        }
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the numbers.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.ranges.iter().cloned().flatten()
    }
}
