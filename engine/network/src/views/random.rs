//! Efficiently updatable networks with random, untrained weights, for benchmarks and tests.

use super::{OUTCOMES, STAGE_HIDDEN, ViewFloats, ViewSizes};
use fusion_game::Views;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns a network with uniformly distributed weights, sampled from the seed. The spreads are
/// chosen so that activations take their whole range.
///
/// # Errors
/// Returns an error if the width is not one that a file may have.
pub fn random<G: Views>(hidden: usize, seed: u64) -> Result<ViewFloats, String> {
    let sizes = ViewSizes::of::<G>(hidden)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |count: usize, spread: f32| -> Vec<f32> {
        let unit = |rng: &mut ChaCha8Rng| (rng.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0;
        (0..count).map(|_| spread * unit(&mut rng)).collect()
    };
    Ok(ViewFloats {
        sizes,
        input: draw(sizes.inputs * hidden, 0.15),
        input_bias: draw(hidden, 0.5),
        stage_hidden: draw(sizes.stages * STAGE_HIDDEN * 2 * hidden, 0.2),
        stage_hidden_bias: draw(sizes.stages * STAGE_HIDDEN, 0.2),
        stage: draw(sizes.stages * OUTCOMES * STAGE_HIDDEN, 0.5),
        stage_bias: draw(sizes.stages * OUTCOMES, 0.2),
    })
}
