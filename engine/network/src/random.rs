//! Networks of any width with random, untrained weights, for benchmarks and tests.

use super::{FloatNetwork, Network, Shape, VALUE_HIDDEN, VALUES};
use fusion_game::Encoding;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of active features of a typical position. The spread of the input weights depends on it.
const ACTIVE: f32 = 55.0;

/// Mean square of the hidden activations that these weights give.
const MEAN_SQUARE: f32 = 0.15;

/// Returns the benchmarks' own network: 256 wide, with random weights, always the same.
///
/// # Errors
/// Returns the message of [`Network::quantise`]. This cannot occur for this network.
pub fn benchmark_network<G: Encoding>() -> Result<Network, String> {
    Network::quantise::<G>(&random::<G>(256, 1)?)
}

/// Returns a network with normally distributed weights, sampled from the seed.
///
/// The spreads are chosen so that hidden activations take their whole range and logits have a
/// standard deviation of about one. Some activations are saturated, but not all. Searches with the
/// network are neither uniform nor forced.
///
/// # Errors
/// Returns an error if the width is not a multiple of 64 from 64 to 8192.
pub fn random<G: Encoding>(hidden: usize, seed: u64) -> Result<FloatNetwork, String> {
    let shape = Shape::of::<G>(hidden)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |count: usize, mean: f32, spread: f32| -> Vec<f32> {
        (0..count).map(|_| mean + spread * normal(&mut rng)).collect()
    };
    let head = 1.0 / (hidden as f32 * MEAN_SQUARE).sqrt();
    // A logit is the sum of several rows.
    let term = head / (G::POLICY_FACTORS as f32).sqrt();
    // The features and policy rows of the earlier scheme are sampled first, so that a seed's network
    // stays the same when the scheme only grows.
    let (features, policy) =
        G::OLDER.map_or((G::FEATURES, G::POLICY), |older| (older.features, older.policy));
    let mut network = FloatNetwork {
        input: draw(features * hidden, 0.0, 0.4 / ACTIVE.sqrt()),
        input_bias: draw(hidden, 0.3, 0.2),
        value_hidden: draw(VALUE_HIDDEN * hidden, 0.0, head),
        value_hidden_bias: draw(VALUE_HIDDEN, 0.0, 0.2),
        value: draw(VALUES * VALUE_HIDDEN, 0.0, 0.3),
        value_bias: draw(VALUES, 0.0, 0.2),
        policy: draw(policy * hidden, 0.0, term),
        policy_bias: draw(policy, 0.0, 0.2),
        shape,
    };
    network.input.extend(draw((G::FEATURES - features) * hidden, 0.0, 0.4 / ACTIVE.sqrt()));
    network.policy.extend(draw((G::POLICY - policy) * hidden, 0.0, term));
    network.policy_bias.extend(draw(G::POLICY - policy, 0.0, 0.2));
    Ok(network)
}

/// Returns a nearly standard normal variate: the standardised sum of the four bytes of one sample.
fn normal(rng: &mut impl Rng) -> f32 {
    const MEAN: f32 = 4.0 * 255.0 / 2.0;
    /// Standard deviation of the sum: the square root of 4 (256² - 1) / 12.
    const DEVIATION: f32 = 147.8;
    let sum: u32 = rng.next_u32().to_le_bytes().into_iter().map(u32::from).sum();
    (sum as f32 - MEAN) / DEVIATION
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use fusion_game::{Benchmark, FeatureSet, Game};

    #[test]
    fn activations_and_logits_have_a_sensible_spread() {
        let network = random::<FusionGame>(256, 1).unwrap();
        let (mut activations, mut logits, mut chances) = (Vec::new(), Vec::new(), Vec::new());
        for game in FusionGame::middle_games(&"fusion-2020".parse().unwrap()) {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            let features: Vec<u16> = FeatureSet::of(&game).iter().collect();
            let hidden = network.hidden(&features);
            let mut rows = Vec::new();
            game.policy_factors(&moves, &mut rows);
            let rows = rows.chunks(FusionGame::POLICY_FACTORS);
            logits.extend(rows.map(|rows| network.logit(&hidden, rows)));
            chances.extend(network.value(&hidden).into_iter().take(3));
            activations.extend(hidden);
        }
        let share = |hit: &dyn Fn(&f32) -> bool| {
            activations.iter().filter(|h| hit(h)).count() as f32 / activations.len() as f32
        };
        assert!((0.1..0.4).contains(&share(&|&h| h == 0.0)));
        assert!((0.02..0.2).contains(&share(&|&h| h == 1.0)));
        let square = logits.iter().map(|x| x * x).sum::<f32>() / logits.len() as f32;
        assert!((0.5..2.0).contains(&square.sqrt()), "{square}");
        assert!(chances.iter().all(|p| (0.003..0.997).contains(p)), "{chances:?}");
    }

    #[test]
    fn the_seed_decides_and_bad_widths_are_rejected() {
        let network = |seed| random::<FusionGame>(64, seed).unwrap();
        assert_eq!(network(1), network(1));
        assert_ne!(network(1), network(2));
        assert!(random::<FusionGame>(100, 1).is_err());
    }
}
