//! Conversion of a policy's logits into moves sorted by probability.
//!
//! Every expansion does this for about forty moves. Both steps are therefore plain loops over
//! arrays, which the compiler turns into vector instructions. No library sorts or exponentiates so
//! few numbers as fast. All arithmetic is ordinary IEEE arithmetic in a fixed order, so the bits
//! are the same on every machine.

use fusion_game::math::exp;

/// Converter from the logits of a position's moves to moves in falling order of probability. Moves
/// of equal probability stay in the order of generation. The memory is reused.
#[derive(Clone, Debug)]
pub(super) struct Priors {
    weights: Vec<f32>,
    keys: Vec<i32>,
    ranks: Vec<i32>,
    sorted: Vec<(u16, f32)>,
}

impl Priors {
    /// Creates a converter with capacity for `room` moves.
    pub(super) fn new(room: usize) -> Self {
        Self {
            weights: Vec::with_capacity(room),
            keys: Vec::with_capacity(room),
            ranks: Vec::with_capacity(room),
            sorted: Vec::with_capacity(room),
        }
    }

    /// Returns the index of each move and its probability, most probable first. Logits are divided
    /// by the temperature.
    pub(super) fn sorted(&mut self, logits: &[f32], temperature: f32) -> &[(u16, f32)] {
        let highest = logits.iter().copied().fold(f32::MIN, f32::max);
        let scale = 1.0 / temperature;
        self.weights.clear();
        self.weights.extend(logits.iter().map(|logit| exp((logit - highest) * scale)));
        rank(&self.weights, &mut self.keys, &mut self.ranks);
        let total: f32 = self.weights.iter().sum();
        self.sorted.resize(logits.len(), (0, 0.0));
        for (i, (&weight, &rank)) in self.weights.iter().zip(&self.ranks).enumerate() {
            self.sorted[rank as usize] = (i as u16, weight / total);
        }
        &self.sorted
    }
}

/// Number of keys that are compared at a time.
const LANES: usize = 16;

/// Writes the place of each weight in falling order to `ranks`: the number of weights that come
/// before it. Weights are not negative, so their bits have the same order as integers. The ranks
/// after the last weight have no meaning.
fn rank(weights: &[f32], keys: &mut Vec<i32>, ranks: &mut Vec<i32>) {
    keys.clear();
    keys.extend(weights.iter().map(|weight| weight.to_bits() as i32));
    keys.resize(weights.len().next_multiple_of(LANES), -1);
    ranks.clear();
    let blocks = keys.as_chunks::<LANES>().0;
    for (i, block) in blocks.iter().enumerate() {
        let mut places = [0; LANES];
        let mut count = |other: i32, limits: &[i32; LANES]| {
            for (place, limit) in places.iter_mut().zip(limits) {
                *place += i32::from(other > *limit);
            }
        };
        // Of equal weights, the one with the lower index comes first.
        let (before, rest) = keys.split_at(LANES * i);
        let (same, after) = rest.split_at(LANES);
        let or_equal = block.map(|key| key - 1);
        before.iter().for_each(|&other| count(other, &or_equal));
        for (j, &other) in same.iter().enumerate() {
            count(other, &std::array::from_fn(|lane| block[lane] - i32::from(lane > j)));
        }
        after.iter().for_each(|&other| count(other, block));
        ranks.extend_from_slice(&places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorted_as_by_a_stable_sort(
            // Few values, so that many are equal.
            logits in prop::collection::vec((-9i8..9).prop_map(|x| f32::from(x) * 0.7), 1..120),
            temperature in 0.2f32..5.0,
        ) {
            let mut expected: Vec<(u16, f32)> = (0..).zip(logits.iter().copied()).collect();
            expected.sort_by(|a, b| b.1.total_cmp(&a.1));
            let mut priors = Priors::new(0);
            let sorted = priors.sorted(&logits, temperature);
            let order = |pairs: &[(u16, f32)]| pairs.iter().map(|pair| pair.0).collect::<Vec<_>>();
            prop_assert_eq!(order(sorted), order(&expected));
            let total: f32 = sorted.iter().map(|pair| pair.1).sum();
            prop_assert!((total - 1.0).abs() < 1e-5);
            // Doubling temperature and logits changes nothing.
            let probabilities: Vec<f32> = sorted.iter().map(|pair| pair.1).collect();
            let doubled: Vec<f32> = logits.iter().map(|logit| 2.0 * logit).collect();
            for (pair, probability) in priors.sorted(&doubled, 2.0 * temperature).iter().zip(probabilities) {
                prop_assert!((pair.1 - probability).abs() < 1e-5);
            }
        }
    }
}
