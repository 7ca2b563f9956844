//! Values of positions that were evaluated before.
//!
//! A search meets many positions again without a result in its table, such as those that are good
//! enough without a move. Their values are kept here, so that they are not computed twice.

/// Number of entries: 128 KiB.
const COUNT: usize = 1 << 14;

/// Values by the hashes of their positions. The last 16 bits of an entry are the value, the others
/// are those of the hash. With the bits that give the place, 62 bits of a hash are compared.
pub(super) struct Values(Vec<u64>);

impl Values {
    pub(super) fn new() -> Self {
        Self(vec![0; COUNT])
    }

    /// Returns the value that was kept for this hash.
    pub(super) fn get(&self, hash: u64) -> Option<i32> {
        let entry = self.0[hash as usize % COUNT];
        (entry >> 16 == hash >> 16).then_some(i32::from(entry as i16))
    }

    /// Keeps a value, of at most 15 bits, in place of another one.
    pub(super) fn put(&mut self, hash: u64, value: i32) {
        self.0[hash as usize % COUNT] = hash >> 16 << 16 | u64::from(value as i16 as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::evaluator::MOST_VALUE;

    #[test]
    fn a_value_is_found_by_its_hash_until_another_takes_its_place() {
        let mut values = Values::new();
        let (hash, value) = (0x1234_5678_9abc_def0, -MOST_VALUE);
        values.put(hash, value);
        values.put(hash + 1, MOST_VALUE);
        assert_eq!((values.get(hash), values.get(hash + 1)), (Some(value), Some(MOST_VALUE)));
        let other = hash ^ 1 << 40;
        assert_eq!(values.get(other), None);
        values.put(other, 7);
        assert_eq!((values.get(hash), values.get(other)), (None, Some(7)));
    }
}
