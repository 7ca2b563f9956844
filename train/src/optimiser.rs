//! Adam with decoupled weight decay, its schedule, and the running average of the weights.

use fusion_selfplay::study::TrainConfig;
use tch::Tensor;

use crate::metrics::Since;
use crate::model::Parameters;

const MOMENTUM: f64 = 0.9;
const SQUARE_DECAY: f64 = 0.999;
const EPSILON: f64 = 1e-8;
/// Gradients with a larger norm are scaled down to it.
const CLIP: f64 = 1.0;
/// The learning rate rises from 0 over this many steps, or a tenth of a shorter run.
const WARM_UP: u64 = 100;

/// The state of training: weights, moments and averages are plain tensors, so that a
/// checkpoint can hold all of it and a resumed run continues exactly.
#[derive(Debug)]
pub struct State {
    /// Steps done.
    pub step: u64,
    /// The weights.
    pub weights: Parameters,
    /// Running mean of the gradients.
    pub first: Parameters,
    /// Running mean of the squared gradients.
    pub second: Parameters,
    /// Running average of the weights: what is exported.
    pub average: Parameters,
    /// What the next row of metrics will hold.
    pub since: Since,
}

impl State {
    /// Before the first step.
    #[must_use]
    pub fn new(weights: Parameters) -> Self {
        Self {
            step: 0,
            first: weights.zeros_like(),
            second: weights.zeros_like(),
            average: weights.copy(),
            weights,
            since: Since::default(),
        }
    }

    /// One step against these gradients, whose norm is given.
    pub fn apply(&mut self, gradients: &Parameters, norm: f64, rate: f64, config: &TrainConfig) {
        let _guard = tch::no_grad_guard();
        self.step += 1;
        let steps = self.step as f64;
        let scale = (CLIP / norm.max(f64::MIN_POSITIVE)).min(1.0);
        let first_bias = 1.0 - MOMENTUM.powf(steps);
        let second_bias = 1.0 - SQUARE_DECAY.powf(steps);
        let tensors = self.weights.0.iter_mut().zip(&mut self.first.0);
        for ((weight, first), (second, gradient)) in
            tensors.zip(self.second.0.iter_mut().zip(&gradients.0))
        {
            let gradient = gradient * scale;
            let _ = first.lerp_(&gradient, 1.0 - MOMENTUM);
            let scratch = gradient.square();
            let _ = second.lerp_(&scratch, 1.0 - SQUARE_DECAY);
            // weight -= rate * (first / first_bias) / (sqrt(second / second_bias) + epsilon),
            // with the constants gathered in the divisor.
            let divisor = second.sqrt_out(&scratch);
            let divisor = divisor / second_bias.sqrt() + EPSILON;
            let _ = weight.g_mul_scalar_(1.0 - rate * config.weight_decay);
            let _ = weight.addcdiv_(first, &(divisor * (-first_bias / rate)));
        }
        self.weights.clamp_input();
        // A young average would mostly remember the initial weights.
        let decay = config.average.min((1.0 + steps) / (10.0 + steps));
        for (average, weight) in self.average.0.iter_mut().zip(&self.weights.0) {
            let _: Tensor = average.lerp_(weight, 1.0 - decay);
        }
    }
}

/// The learning rate of a step, counted from 0, in a run of `steps`.
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
    use crate::model::Shape;
    use crate::window::Ends;
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
        let shape = Shape { ends: Ends { features: 1, policy: 1, terms: 1 }, hidden: 64 };
        let config = TrainConfig { weight_decay: 0.1, ..TrainConfig::default() };
        let filled = |value: f64| {
            let ones = Parameters::random(shape, 1, Device::Cpu).zeros_like();
            Parameters(ones.0.map(|tensor| tensor + value))
        };
        let mut state = State::new(filled(0.5));
        let (mut weight, mut first, mut second) = (0.5, 0.0, 0.0);
        for (step, gradient) in [(1, 0.2f64), (2, -0.1)] {
            // A norm of 2 halves the gradient.
            state.apply(&filled(gradient), 2.0, 0.01, &config);
            let gradient = gradient / 2.0;
            first = 0.9 * first + 0.1 * gradient;
            second = 0.999 * second + 0.001 * gradient * gradient;
            let (m, v) = (first / (1.0 - 0.9f64.powi(step)), second / (1.0 - 0.999f64.powi(step)));
            weight -= 0.01 * (m / (v.sqrt() + 1e-8) + 0.1 * weight);
        }
        for tensor in &state.weights.0 {
            let error = (tensor - weight).abs().max().double_value(&[]);
            assert!(error < 1e-6, "{error}");
            assert_eq!(tensor.kind(), Kind::Float);
        }
        // Averages with decays 2/11 and 3/12: 0.5, then the first and second weights.
        assert!(state.average.not_finite().is_none());
    }

    #[test]
    fn input_weights_stay_in_the_range_of_the_exported_network() {
        let shape = Shape { ends: Ends { features: 2, policy: 1, terms: 1 }, hidden: 64 };
        let mut state = State::new(Parameters::random(shape, 1, Device::Cpu));
        let gradients = Parameters(state.weights.zeros_like().0.map(|tensor| tensor - 1.0));
        for _ in 0..5 {
            state.apply(&gradients, 1.0, 1.0, &TrainConfig::default());
        }
        assert_eq!(state.weights.0[0].max().double_value(&[]) as f32, 1.98);
        assert!(state.weights.0[1].max().double_value(&[]) > 1.98);
    }
}
