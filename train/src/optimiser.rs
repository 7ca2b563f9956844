//! Adam with decoupled weight decay, its schedule, and the running average of the weights.

use fusion_study::TrainConfig;
use rayon::prelude::*;
use tch::{Device, Tensor};

use crate::architecture::{Architecture, INPUT, INPUT_LIMIT, Parameters};
use crate::metrics::Since;

const MOMENTUM: f64 = 0.9;
const SQUARE_DECAY: f64 = 0.999;
const EPSILON: f64 = 1e-8;
/// Largest norm of gradients; larger gradients are scaled down to it.
const CLIP: f64 = 1.0;
/// Decoupled weight decay.
const WEIGHT_DECAY: f64 = 1e-4;
/// Steps over which the learning rate rises from 0, or a tenth of a shorter run.
const WARM_UP: u64 = 100;
/// Number of weights that a thread processes at a time, so that their data stay in the
/// processor's cache. libtorch itself uses one thread for operations of this size.
const CHUNK: i64 = 1 << 15;
/// Added to squares. Weights that have rarely had a gradient have means of zero or nearly zero,
/// whose square roots are slow. Its own root is far below [`EPSILON`].
const TINY: f64 = 1e-30;

/// The state of training: weights, moments and averages are plain tensors, so that a
/// checkpoint can hold all of it and a resumed run continues exactly.
#[derive(Debug)]
pub struct State<A> {
    /// Steps done.
    pub step: u64,
    /// The weights.
    pub weights: Parameters<A>,
    /// Running mean of the gradients.
    pub first: Parameters<A>,
    /// Running mean of the squared gradients.
    pub second: Parameters<A>,
    /// Running average of the weights, which is exported.
    pub average: Parameters<A>,
    /// Sums for the next row of metrics.
    pub since: Since,
}

impl<A: Architecture> State<A> {
    /// Returns the state before the first step.
    #[must_use]
    pub fn new(weights: Parameters<A>) -> Self {
        Self {
            step: 0,
            first: weights.zeros_like(),
            second: weights.zeros_like(),
            average: weights.copy(),
            weights,
            since: Since::default(),
        }
    }

    /// Applies one step with these gradients and their norm, on all threads of the current pool. The
    /// gradients are consumed. Each weight has its own step, so the number of threads does not matter.
    pub fn apply(&mut self, gradients: Parameters<A>, norm: f64, rate: f64, config: &TrainConfig) {
        let _guard = tch::no_grad_guard();
        self.step += 1;
        let steps = self.step as f64;
        let step = Step {
            scale: (CLIP / norm.max(f64::MIN_POSITIVE)).min(1.0),
            rate: rate / (1.0 - MOMENTUM.powf(steps)),
            square_scale: (1.0 - SQUARE_DECAY.powf(steps)).sqrt(),
            decay: rate * WEIGHT_DECAY,
            // An average over few steps would mostly consist of the initial weights.
            forget: 1.0 - config.average.min((1.0 + steps) / (10.0 + steps)),
        };
        let mut parts = Vec::new();
        for (index, gradient) in gradients.0.iter().enumerate() {
            let limit = (index == INPUT).then_some(INPUT_LIMIT);
            let lists = [&self.weights, &self.first, &self.second, &self.average]
                .map(|parameters| parameters.0[index].view(-1));
            let gradient = gradient.view(-1);
            let length = gradient.size()[0];
            // A GPU is faster with few large operations.
            let chunk = if gradient.device() == Device::Cpu { CHUNK } else { length };
            for start in (0..length).step_by(chunk as usize) {
                let part = |list: &Tensor| list.narrow(0, start, chunk.min(length - start));
                parts.push((lists.each_ref().map(part), part(&gradient), limit));
            }
        }
        let apply = |(state, gradient, limit)| {
            let _guard = tch::no_grad_guard();
            step.apply(state, gradient, limit);
        };
        match self.weights.0[INPUT].device() {
            Device::Cpu => parts.into_par_iter().for_each(apply),
            _ => parts.into_iter().for_each(apply),
        }
    }
}

/// The constants of one step.
struct Step {
    /// Scale of the gradient.
    scale: f64,
    /// Learning rate, corrected for the bias of the gradients' mean in early steps.
    rate: f64,
    /// Divides the root of the squares' mean, which has the same bias.
    square_scale: f64,
    /// Share of the weights that decays.
    decay: f64,
    /// Share of the average that the new weights replace.
    forget: f64,
}

impl Step {
    /// Updates weights, both moments and the average, given as parts of one tensor. The gradient
    /// serves as scratch space. Weights stay within `limit`.
    fn apply(&self, state: [Tensor; 4], mut gradient: Tensor, limit: Option<f64>) {
        let [mut weight, mut first, mut second, mut average] = state;
        let _ = gradient.g_mul_scalar_(self.scale);
        let _ = first.lerp_(&gradient, 1.0 - MOMENTUM);
        let _ = gradient.square_();
        let _ = gradient.g_add_scalar_(TINY);
        let _ = second.lerp_(&gradient, 1.0 - SQUARE_DECAY);
        let _ = weight.g_mul_scalar_(1.0 - self.decay);
        // weight -= rate * first / (sqrt(second) / square_scale + epsilon), with the
        // constants collected in the divisor.
        let mut divisor = second.sqrt_out(&gradient);
        let _ = divisor.g_mul_scalar_(-1.0 / (self.rate * self.square_scale));
        let _ = divisor.g_sub_scalar_(EPSILON / self.rate);
        let _ = weight.addcdiv_(&first, &divisor);
        if let Some(limit) = limit {
            let _ = weight.clamp_(-limit, limit);
        }
        let _ = average.lerp_(&weight, self.forget);
    }
}

/// Returns the learning rate of a step, counted from 0, in a run of `steps`.
#[must_use]
pub fn rate(config: &TrainConfig, step: u64, steps: u64) -> f64 {
    let warm_up = WARM_UP.min(steps / 10);
    if step < warm_up {
        return config.learning_rate * (step + 1) as f64 / (warm_up + 1) as f64;
    }
    let done = (step - warm_up) as f64 / (steps - warm_up).max(1) as f64;
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * done.min(1.0)).cos());
    config.learning_rate * (config.final_rate + (1.0 - config.final_rate) * cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_network::TreeSizes;
    use tch::{Device, Kind};

    #[test]
    fn the_rate_warms_up_then_decays_to_its_final_share() {
        let config = TrainConfig::default();
        let rates: Vec<f64> = (0..2000).map(|step| rate(&config, step, 2000)).collect();
        assert!(rates[0] < 0.02 * config.learning_rate);
        assert!(rates[..101].is_sorted());
        assert_eq!(rates[100], config.learning_rate);
        assert!(rates[100..].is_sorted_by(|a, b| a >= b));
        assert!((rates[1999] / config.learning_rate - config.final_rate).abs() < 1e-3);
        assert_eq!(rate(&config, 0, 1), config.learning_rate);
    }

    /// Two steps of the published formula (Loshchilov and Hutter, algorithm 2) by hand.
    #[test]
    fn steps_are_adamw() {
        let shape = TreeSizes { features: 1, policy: 1, terms: 1, hidden: 64, scheme: [0; 32] };
        let config = TrainConfig::default();
        let filled = |value: f64| {
            let ones = shape.random(1, Device::Cpu).zeros_like();
            ones.map(|tensor| tensor + value)
        };
        let mut state = State::new(filled(0.5));
        let (mut weight, mut first, mut second) = (0.5, 0.0, 0.0);
        for (step, gradient) in [(1, 0.2f64), (2, -0.1)] {
            // A norm of 2 halves the gradient.
            state.apply(filled(gradient), 2.0, 0.01, &config);
            let gradient = gradient / 2.0;
            first = 0.9 * first + 0.1 * gradient;
            second = 0.999 * second + 0.001 * gradient * gradient;
            let (m, v) = (first / (1.0 - 0.9f64.powi(step)), second / (1.0 - 0.999f64.powi(step)));
            weight -= 0.01 * (m / (v.sqrt() + 1e-8) + WEIGHT_DECAY * weight);
        }
        for tensor in &state.weights.0 {
            let error = (tensor - weight).abs().max().double_value(&[]);
            assert!(error < 1e-6, "{error}");
            assert_eq!(tensor.kind(), Kind::Float);
        }
        // Averages with decays 2/11 and 3/12: 0.5, then the first and second weights.
        assert!(state.average.not_finite().is_none());
    }

    /// The first step depends only on the gradient's sign, for any size. The input weights are
    /// processed in three parts, the last of them short.
    #[test]
    fn every_part_of_a_tensor_takes_the_step() {
        let shape = TreeSizes { features: 1100, policy: 1, terms: 1, hidden: 64, scheme: [0; 32] };
        let config = TrainConfig { average: 0.9, ..TrainConfig::default() };
        let mut state = State::new(shape.random(1, Device::Cpu));
        let gradients = shape.random(2, Device::Cpu);
        let (old, gradient) = (state.weights.0[INPUT].copy(), gradients.0[INPUT].copy());
        assert!(old.numel() as i64 > 2 * CHUNK && old.numel() as i64 % CHUNK != 0);
        state.apply(gradients, 1.0, 0.01, &config);
        let wanted =
            &old * (1.0 - 0.01 * WEIGHT_DECAY) - &gradient / (gradient.abs() + EPSILON) * 0.01;
        let average = &old + (&wanted - &old) * (9.0 / 11.0);
        for (found, wanted) in [(&state.weights, wanted), (&state.average, average)] {
            let error = (&found.0[INPUT] - wanted).abs().max().double_value(&[]);
            assert!(error < 1e-6, "{error}");
        }
    }

    #[test]
    fn input_weights_stay_in_the_range_of_the_exported_network() {
        let shape = TreeSizes { features: 2, policy: 1, terms: 1, hidden: 64, scheme: [0; 32] };
        let mut state = State::new(shape.random(1, Device::Cpu));
        let gradients = state.weights.zeros_like().map(|tensor| tensor - 1.0);
        for _ in 0..5 {
            state.apply(gradients.copy(), 1.0, 1.0, &TrainConfig::default());
        }
        assert_eq!(state.weights.0[0].max().double_value(&[]) as f32, 1.98);
        assert!(state.weights.0[1].max().double_value(&[]) > 1.98);
    }
}
