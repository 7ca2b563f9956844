//! Adam with decoupled weight decay, its schedule, and the running average of the weights.

use fusion_study::TrainConfig;
use rayon::prelude::*;
use tch::{Device, Tensor};

use crate::architecture::{Architecture, INPUT, INPUT_LIMIT, Parameters};
use crate::metrics::Since;
use crate::simd::{Kernel, LANES, Lanes, Line, Path};

const MOMENTUM: f64 = 0.9;
const SQUARE_DECAY: f64 = 0.999;
const EPSILON: f64 = 1e-8;
/// Largest norm of gradients; larger gradients are scaled down to it.
const CLIP: f64 = 1.0;
/// Decoupled weight decay.
const WEIGHT_DECAY: f64 = 1e-4;
/// Steps over which the learning rate rises from 0, or a tenth of a shorter run.
const WARM_UP: u64 = 100;
/// Number of weights that a thread processes at a time.
const CHUNK: usize = 1 << 13;
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
        let step = self.next_step(norm, rate, config);
        match gradients.0[INPUT].device() {
            Device::Cpu => self.apply_on_cpu(&gradients, &step),
            _ => self.apply_by_torch(gradients, &step),
        }
    }

    /// Counts a step and returns its constants.
    fn next_step(&mut self, norm: f64, rate: f64, config: &TrainConfig) -> Step {
        self.step += 1;
        let steps = self.step as f64;
        Step {
            scale: (CLIP / norm.max(f64::MIN_POSITIVE)).min(1.0),
            rate: rate / (1.0 - MOMENTUM.powf(steps)),
            square_scale: (1.0 - SQUARE_DECAY.powf(steps)).sqrt(),
            decay: rate * WEIGHT_DECAY,
            // An average over few steps would mostly consist of the initial weights.
            forget: 1.0 - config.average.min((1.0 + steps) / (10.0 + steps)),
        }
    }

    fn apply_by_torch(&mut self, gradients: Parameters<A>, step: &Step) {
        let _guard = tch::no_grad_guard();
        for (index, gradient) in gradients.0.into_iter().enumerate() {
            let lists = [&self.weights, &self.first, &self.second, &self.average];
            let state = lists.map(|parameters| parameters.0[index].shallow_clone());
            step.apply(state, gradient, limit(index).map(f64::from));
        }
    }

    fn apply_on_cpu(&mut self, gradients: &Parameters<A>, step: &Step) {
        let path = Path::fastest();
        let mut chunks = Vec::new();
        let lists = [&mut self.weights, &mut self.first, &mut self.second, &mut self.average];
        let [weights, first, second, average] = lists.map(|parameters| parameters.floats_mut());
        let moments = first.into_iter().zip(second).zip(average);
        let tensors = weights.into_iter().zip(moments).zip(gradients.floats());
        for (index, ((weights, ((first, second), average)), gradients)) in tensors.enumerate() {
            let moments = first.chunks_mut(CHUNK).zip(second.chunks_mut(CHUNK));
            let averages = moments.zip(average.chunks_mut(CHUNK));
            let gradients = averages.zip(gradients.chunks(CHUNK));
            chunks.extend(weights.chunks_mut(CHUNK).zip(gradients).map(
                |(weights, (((first, second), average), gradients))| {
                    let limit = limit(index).unwrap_or(f32::INFINITY);
                    Adam { step, limit, state: [weights, first, second, average], gradients }
                },
            ));
        }
        chunks.into_par_iter().for_each(|chunk| path.run(chunk));
    }
}

/// Returns the bound of the weights of a tensor.
fn limit(tensor: usize) -> Option<f32> {
    (tensor == INPUT).then_some(INPUT_LIMIT as f32)
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
    /// Updates weights, both moments and the average of one tensor. The gradient serves as scratch
    /// space. Weights stay within `limit`.
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

/// The same step on a part of a tensor in the processor's memory, in one pass.
struct Adam<'a> {
    step: &'a Step,
    /// Bound of the weights.
    limit: f32,
    /// Weights, mean of the gradients, mean of their squares, average of the weights.
    state: [&'a mut [f32]; 4],
    gradients: &'a [f32],
}

/// The constants of [`Adam`], repeated.
struct Constants<V> {
    scale: V,
    momentum: V,
    square: V,
    tiny: V,
    keep: V,
    root: V,
    epsilon: V,
    limits: [V; 2],
    forget: V,
}

impl<V: Lanes> Constants<V> {
    /// Updates a line of the state.
    #[inline(always)]
    fn apply(&self, state: [&mut Line; 4], gradients: &Line) {
        let [weights, first, second, average] = state;
        let toward = |old: V, new: V, share: V| new.minus(old).times_plus(share, old);
        let gradient = V::load(gradients).times(self.scale);
        let mean = toward(V::load(first), gradient, self.momentum);
        mean.store(first);
        let square = gradient.times_plus(gradient, self.tiny);
        let squares = toward(V::load(second), square, self.square);
        squares.store(second);
        let divisor = squares.root().times_plus(self.root, self.epsilon);
        let weight = V::load(weights).times(self.keep).minus(mean.over(divisor));
        let weight = weight.clamped(self.limits[0], self.limits[1]);
        weight.store(weights);
        toward(V::load(average), weight, self.forget).store(average);
    }
}

impl Kernel for Adam<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self) {
        let step = self.step;
        let constant = |number: f64| V::splat(number as f32);
        let constants = Constants {
            scale: constant(step.scale),
            momentum: constant(1.0 - MOMENTUM),
            square: constant(1.0 - SQUARE_DECAY),
            tiny: constant(TINY),
            keep: constant(1.0 - step.decay),
            root: constant(1.0 / (step.rate * step.square_scale)),
            epsilon: constant(EPSILON / step.rate),
            limits: [V::splat(-self.limit), V::splat(self.limit)],
            forget: constant(step.forget),
        };
        let [weights, first, second, average] = self.state.map(|list| list.as_chunks_mut());
        let (gradients, rest) = self.gradients.as_chunks();
        let moments = first.0.iter_mut().zip(second.0).zip(average.0).zip(gradients);
        for (weights, (((first, second), average), gradients)) in weights.0.iter_mut().zip(moments)
        {
            constants.apply([weights, first, second, average], gradients);
        }
        if rest.is_empty() {
            return;
        }
        let ends = [weights.1, first.1, second.1, average.1];
        let mut lines = [[0.0; LANES]; 4];
        for (line, end) in lines.iter_mut().zip(&ends) {
            line[..end.len()].copy_from_slice(end);
        }
        let mut gradients = [0.0; LANES];
        gradients[..rest.len()].copy_from_slice(rest);
        constants.apply(lines.each_mut(), &gradients);
        for (line, end) in lines.iter().zip(ends) {
            end.copy_from_slice(&line[..end.len()]);
        }
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
    use rand::RngExt;
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
        let (mut state, mut by_torch) = (State::new(filled(0.5)), State::new(filled(0.5)));
        let (mut weight, mut first, mut second) = (0.5, 0.0, 0.0);
        for (step, gradient) in [(1, 0.2f64), (2, -0.1)] {
            // A norm of 2 halves the gradient.
            state.apply(filled(gradient), 2.0, 0.01, &config);
            let constants = by_torch.next_step(2.0, 0.01, &config);
            by_torch.apply_by_torch(filled(gradient), &constants);
            let gradient = gradient / 2.0;
            first = 0.9 * first + 0.1 * gradient;
            second = 0.999 * second + 0.001 * gradient * gradient;
            let (m, v) = (first / (1.0 - 0.9f64.powi(step)), second / (1.0 - 0.999f64.powi(step)));
            weight -= 0.01 * (m / (v.sqrt() + 1e-8) + WEIGHT_DECAY * weight);
        }
        for tensor in state.weights.0.iter().chain(&by_torch.weights.0) {
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
        assert!(old.numel() > 2 * CHUNK && !old.numel().is_multiple_of(CHUNK));
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
    fn every_path_takes_the_same_step() {
        let step = Step { scale: 0.5, rate: 0.01, square_scale: 0.1, decay: 1e-6, forget: 0.01 };
        let mut rng = fusion_jobs::seeds::stream("test weights", &[1]);
        let mut draw = || -> Vec<f32> { (0..50).map(|_| rng.random_range(0.0..1.0)).collect() };
        let (old, gradients) = ([draw(), draw(), draw(), draw()], draw());
        let state = |path: Path| {
            let mut new = old.clone();
            let state = new.each_mut().map(|list| &mut list[..]);
            path.run(Adam { step: &step, limit: 0.9, state, gradients: &gradients });
            new
        };
        for path in Path::available() {
            assert_eq!(state(path), state(Path::PORTABLE), "{path:?}");
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
