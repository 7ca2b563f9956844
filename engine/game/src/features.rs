//! Sets of network inputs.

use crate::Encoding;

/// A set of network inputs: bit i % 64 of word i / 64 is input i.
///
/// Bits suit the purpose because boards are sets of bits already, and two sets are compared in a
/// few instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureSet(Vec<u64>);

impl FeatureSet {
    /// Returns the empty set of inputs of a game under a rule set.
    #[must_use]
    pub fn new<G: Encoding>(rules: &G::Rules) -> Self {
        Self::with_inputs(G::encoding(rules).features)
    }

    /// Returns the empty subset of the inputs from 0 to `inputs` - 1.
    #[must_use]
    pub fn with_inputs(inputs: usize) -> Self {
        Self(vec![0; inputs.div_ceil(64)])
    }

    /// Returns the active inputs of a position. Loops over positions keep one set instead.
    #[must_use]
    pub fn of<G: Encoding>(game: &G) -> Self {
        let mut features = Self::new::<G>(game.rules());
        game.features(&mut features);
        features
    }

    /// Removes all inputs.
    #[inline]
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Adds an input.
    ///
    /// # Panics
    /// Panics if the input is beyond the last word of the set.
    #[inline]
    pub fn insert(&mut self, feature: usize) {
        self.0[feature / 64] |= 1 << (feature % 64);
    }

    /// Returns the set's words.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Returns the set's words for writing.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// Returns the number of inputs.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether no input is active.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Returns the number of inputs that are in exactly one of the two sets.
    #[inline]
    #[must_use]
    pub fn distance(&self, other: &Self) -> usize {
        let words = self.0.iter().zip(&other.0);
        words.map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }

    /// Writes the inputs that `other` lacks to `added`, and those that only `other` has to
    /// `removed`. Returns the written parts.
    ///
    /// # Panics
    /// Panics if a list is too short: each list needs one place more than the game has inputs.
    #[inline]
    pub fn differences<'a>(
        &self,
        other: &Self,
        added: &'a mut [u16],
        removed: &'a mut [u16],
    ) -> (&'a [u16], &'a [u16]) {
        let (mut more, mut less) = (0, 0);
        for (i, (&new, &old)) in self.0.iter().zip(&other.0).enumerate() {
            let mut differ = new ^ old;
            while differ != 0 {
                let bit = differ.trailing_zeros();
                differ &= differ - 1;
                let input = (64 * i) as u16 + bit as u16;
                // Each input is written to both lists and kept in one, because a branch would be
                // unpredictable.
                added[more] = input;
                removed[less] = input;
                let is_new = (new >> bit & 1) as usize;
                more += is_new;
                less += 1 - is_new;
            }
        }
        (&added[..more], &removed[..less])
    }

    /// Returns the inputs in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some((64 * i) as u16 + bit as u16)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const INPUTS: usize = 300;

    proptest! {
        #[test]
        fn feature_sets_are_sets(
            one in prop::collection::btree_set(0..INPUTS, 0..60),
            two in prop::collection::btree_set(0..INPUTS, 0..60),
        ) {
            let make = |inputs: &BTreeSet<usize>| {
                let mut set = FeatureSet::with_inputs(INPUTS);
                inputs.iter().for_each(|&input| set.insert(input));
                set
            };
            let list = |inputs: &[u16]| inputs.iter().map(|&i| usize::from(i)).collect::<Vec<_>>();
            let (a, b) = (make(&one), make(&two));
            prop_assert_eq!(list(&a.iter().collect::<Vec<_>>()), one.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(a.len(), one.len());
            prop_assert_eq!(a.is_empty(), one.is_empty());
            prop_assert_eq!(a.distance(&b), one.symmetric_difference(&two).count());
            let mut room = (vec![0; INPUTS + 1], vec![0; INPUTS + 1]);
            let (added, removed) = a.differences(&b, &mut room.0, &mut room.1);
            prop_assert_eq!(list(added), one.difference(&two).copied().collect::<Vec<_>>());
            prop_assert_eq!(list(removed), two.difference(&one).copied().collect::<Vec<_>>());
        }
    }
}
