//! The network of the tree search: its forward pass and its gradients.
//!
//! With one hidden layer and sparse ends, nearly all the work is sums of weight rows. Both
//! directions use `embedding_bag` calls for them. The forward pass sums the rows of the active
//! inputs. The gradient of a weight matrix is the same sum taken over the transposed list.
//! The gradients are therefore written out by hand. A test compares them with automatic
//! differentiation of the plain dense formula.

mod evaluate;

use std::borrow::Cow;

use fusion_game::CompleteGame;
use fusion_network::{FloatNetwork, Network, TreeSizes};
use fusion_runner::records::Record;
use fusion_runner::samples::{self, ReplayError, Sample};
use fusion_study::{SampleOptions, TrainConfig};
use rayon::ThreadPool;
use tch::{Device, Kind, Tensor};

use crate::architecture::{Architecture, INPUT, INPUT_BIAS, Losses, Parameters, Weights};
use crate::sparse::Sparse;
use crate::window::{Batch, Ends, Moves, TreeLayout};

const VALUE_HIDDEN_WEIGHT: usize = 2;
const VALUE_HIDDEN_BIAS: usize = 3;
const VALUE: usize = 4;
const VALUE_BIAS: usize = 5;
const POLICY: usize = 6;
const POLICY_BIAS: usize = 7;
const HORIZON: usize = 8;
const HORIZON_BIAS: usize = 9;

impl Architecture for TreeSizes {
    type Layout = TreeLayout;
    type Batch = Batch;
    type Sample = Sample;

    fn for_game<G: CompleteGame>(rules: &G::Rules, hidden: usize) -> Result<Self, String> {
        Self::of::<G>(rules, hidden)
    }

    fn scheme_name<G: CompleteGame>(rules: &G::Rules) -> Cow<'static, str> {
        G::encoding(rules).name
    }

    fn parse<G: CompleteGame>(rules: &G::Rules, file: &[u8]) -> Result<Network, String> {
        Network::from_bytes::<G>(rules, file)
    }

    fn quantise<G: CompleteGame>(
        rules: &G::Rules,
        floats: &FloatNetwork,
    ) -> Result<Network, String> {
        Network::quantise::<G>(rules, floats)
    }

    fn losses(weights: &Parameters<Self>, batch: &Batch, _: &ThreadPool) -> Losses {
        let _guard = tch::no_grad_guard();
        let tensors = to_device(batch, weights.0[INPUT].device());
        losses(&forward(weights, batch, &tensors), &tensors)
    }

    /// The sum has the mean policy cross-entropy, the mean value cross-entropy, the mean squared
    /// error of the length's logarithm and the mean cross-entropy of the value a few plies ahead,
    /// each times its weight.
    fn gradients(
        weights: &Parameters<Self>,
        batch: &Batch,
        factors: Weights,
        _: &ThreadPool,
    ) -> (Losses, Parameters<Self>) {
        let _guard = tch::no_grad_guard();
        let tensors = to_device(batch, weights.0[INPUT].device());
        gradients(weights, batch, &tensors, factors)
    }

    fn layout<G: CompleteGame>(rules: &G::Rules, config: &TrainConfig) -> TreeLayout {
        TreeLayout::new(Ends::of::<G>(rules), config.value_mix, G::symmetry(rules))
    }

    fn samples<G: CompleteGame>(
        record: &Record,
        options: &SampleOptions,
    ) -> Result<Vec<Sample>, ReplayError> {
        samples::from_record::<G>(record, options)
    }
}

/// A batch's tensors on the device.
struct Tensors {
    features: Sparse,
    rows: Sparse,
    moves: Legal,
    values: Tensor,
    lengths: Tensor,
    horizons: Tensor,
    weights: Tensor,
}

/// [`Moves`] as tensors.
struct Legal {
    offsets: Tensor,
    positions: Tensor,
    terms: Tensor,
    shares: Tensor,
}

/// Results of the forward pass that the gradients need.
struct Forward {
    clipped: Tensor,
    hidden: Tensor,
    value_hidden: Tensor,
    value_log: Tensor,
    /// Predicted logarithm of the length.
    length: Tensor,
    /// Predicted minus true logarithm of the length; 0 where the length is unknown.
    length_error: Tensor,
    length_known: Tensor,
    horizon_log: Tensor,
    logits: Tensor,
    policy_log: Tensor,
    policy_rows: Tensor,
    agreeing: Tensor,
}

fn forward(weights: &Parameters<TreeSizes>, batch: &Batch, tensors: &Tensors) -> Forward {
    let w = &weights.0;
    let clipped = (tensors.features.times(&w[INPUT], None) + &w[INPUT_BIAS]).clamp(0.0, 1.0);
    let hidden = clipped.square();
    let value_hidden = hidden.linear(&w[VALUE_HIDDEN_WEIGHT], Some(&w[VALUE_HIDDEN_BIAS])).relu();
    let outputs = value_hidden.linear(&w[VALUE], Some(&w[VALUE_BIAS]));
    let value = outputs.narrow(1, 0, 3);
    let length_known = tensors.lengths.ge(0.0).to_kind(Kind::Float) * &tensors.weights;
    let length = outputs.select(1, 3);
    let length_error = (&length - &tensors.lengths) * tensors.lengths.ge(0.0);
    let horizon = hidden.linear(&w[HORIZON], Some(&w[HORIZON_BIAS]));

    let rows = &tensors.rows;
    let said =
        rows.sampled_product(&hidden, &w[POLICY]) + w[POLICY_BIAS].index_select(0, &rows.columns);
    let moves = &tensors.moves;
    let logits = said.index_select(0, &moves.terms.view(-1)).view_as(&moves.terms).sum_dim_intlist(
        1,
        false,
        Kind::Float,
    );

    // The softmax runs over lists of different lengths, padded with minus infinity.
    let positions = batch.weights.len() as i64;
    let longest = batch.moves.longest as i64;
    let starts = moves.offsets.index_select(0, &moves.positions);
    let count = moves.positions.size()[0];
    let within = Tensor::arange(count, (Kind::Int64, moves.positions.device())) - starts;
    let slots = &moves.positions * longest + within;
    let padded = |values: &Tensor| {
        Tensor::full(positions * longest, f64::NEG_INFINITY, (Kind::Float, values.device()))
            .index_copy(0, &slots, values)
            .view([positions, longest])
    };
    let (policy_log, agreeing) = if longest > 0 {
        let padded_logits = padded(&logits);
        let agreeing =
            padded_logits.argmax(1, false).eq_tensor(&padded(&moves.shares).argmax(1, false));
        let log = padded_logits.log_softmax(1, Kind::Float).view(-1).index_select(0, &slots);
        (log, agreeing)
    } else {
        let none = tensors.weights.zeros_like().to_kind(Kind::Bool);
        (logits.shallow_clone(), none)
    };
    let sizes = moves.offsets.diff::<Tensor>(1, 0, None, None);
    Forward {
        clipped,
        hidden,
        value_hidden,
        value_log: value.log_softmax(1, Kind::Float),
        length,
        length_error,
        length_known,
        horizon_log: horizon.log_softmax(1, Kind::Float),
        logits,
        policy_log,
        policy_rows: sizes.gt(0).to_kind(Kind::Float) * &tensors.weights,
        agreeing,
    }
}

fn losses(forward: &Forward, tensors: &Tensors) -> Losses {
    let moves = &tensors.moves;
    let move_weights = tensors.weights.index_select(0, &moves.positions);
    let cross = |log: &Tensor| -(&move_weights * &moves.shares * log).sum(Kind::Double);
    // x ln x is 0 at 0, where ln is not finite.
    let entropy = cross(&moves.shares.clamp_min(1e-30).log());
    let expected = |shares: &Tensor, log: &Tensor| {
        -(&tensors.weights * (shares * log).sum_dim_intlist(1, false, Kind::Float))
            .sum(Kind::Double)
    };
    let agreeing = (&forward.policy_rows * forward.agreeing.to_kind(Kind::Float)).sum(Kind::Double);
    let sums = Tensor::stack(
        &[
            cross(&forward.policy_log),
            forward.policy_rows.sum(Kind::Double),
            entropy,
            expected(&tensors.values, &forward.value_log),
            tensors.weights.sum(Kind::Double),
            agreeing,
            (&forward.length_known * forward.length_error.square()).sum(Kind::Double),
            forward.length_known.sum(Kind::Double),
            expected(&tensors.horizons, &forward.horizon_log),
        ],
        0,
    );
    let mut out = [0.0f64; 9];
    sums.to(Device::Cpu).copy_data(&mut out, 9);
    Losses {
        policy: out[0],
        policy_weight: out[1],
        entropy: out[2],
        value: out[3],
        value_weight: out[4],
        agreeing: out[5],
        length: out[6],
        length_weight: out[7],
        horizon: out[8],
    }
}

fn to_device(batch: &Batch, device: Device) -> Tensors {
    let Moves { offsets, positions, terms: list, shares, .. } = &batch.moves;
    let count = shares.len() as i64;
    let size = [count, list.len() as i64 / count.max(1)];
    let moves = Legal {
        offsets: Tensor::from_slice(offsets).to(device),
        positions: Tensor::from_slice(positions).to(device),
        terms: Tensor::from_slice(list).view(size).to(device),
        shares: Tensor::from_slice(shares).to(device),
    };
    Tensors {
        features: Sparse::new(&batch.features, device),
        rows: Sparse::new(&batch.rows, device),
        moves,
        lengths: Tensor::from_slice(&batch.lengths).to(device),
        values: Tensor::from_slice(&batch.values).view([-1, 3]).to(device),
        horizons: Tensor::from_slice(&batch.horizons).view([-1, 3]).to(device),
        weights: Tensor::from_slice(&batch.weights).to(device),
    }
}

/// A network's outputs for a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Shares of win, draw and loss, three numbers a position.
    pub values: Vec<f32>,
    /// Share of each move of the batch, in its order.
    pub policies: Vec<f32>,
}

impl Parameters<TreeSizes> {
    /// Evaluates a batch with these weights.
    #[must_use]
    pub fn predict(&self, batch: &Batch) -> Prediction {
        let _guard = tch::no_grad_guard();
        let pass = forward(self, batch, &to_device(batch, self.0[INPUT].device()));
        let list = |log: &Tensor| {
            let shares = log.exp().to(Device::Cpu);
            let mut list = vec![0.0; shares.numel()];
            shares.copy_data(&mut list, shares.numel());
            list
        };
        Prediction { values: list(&pass.value_log), policies: list(&pass.policy_log) }
    }
}

/// Returns the losses of a batch and the gradient of their weighted sum.
fn gradients(
    weights: &Parameters<TreeSizes>,
    batch: &Batch,
    tensors: &Tensors,
    factors: Weights,
) -> (Losses, Parameters<TreeSizes>) {
    let w = &weights.0;
    let pass = forward(weights, batch, tensors);
    let losses = losses(&pass, tensors);
    // A batch may have no policies or no known lengths.
    let scale = |weight: f64, sum: f64| if sum > 0.0 { weight / sum } else { 0.0 };

    let (rows, moves) = (&tensors.rows, &tensors.moves);
    let move_weights =
        tensors.weights.index_select(0, &moves.positions) * scale(1.0, losses.policy_weight);
    let logits = (pass.policy_log.exp() - &moves.shares) * move_weights;
    // Each row of a move has the move's gradient. A row adds up the gradients of all its moves.
    let said = Tensor::zeros(rows.columns.size(), (Kind::Float, rows.columns.device())).index_add(
        0,
        &moves.terms.view(-1),
        &logits.unsqueeze(1).expand_as(&moves.terms).reshape(-1),
    );
    let shares = |log: &Tensor, target: &Tensor, weight: f64| {
        (log.exp() - target) * (&tensors.weights * scale(weight, losses.value_weight)).unsqueeze(1)
    };
    let values = shares(&pass.value_log, &tensors.values, factors.value);
    let horizons = shares(&pass.horizon_log, &tensors.horizons, factors.horizon);
    let length =
        &pass.length_error * &pass.length_known * scale(2.0 * factors.length, losses.length_weight);
    let outputs = Tensor::cat(&[values, length.unsqueeze(1)], 1);
    let value_hidden = outputs.matmul(&w[VALUE]) * pass.value_hidden.gt(0.0);
    let hidden = value_hidden.matmul(&w[VALUE_HIDDEN_WEIGHT])
        + rows.times(&w[POLICY], Some(&said))
        + horizons.matmul(&w[HORIZON]);
    // The derivative of clamp(x)^2; below 0 the factor `clipped` is 0 already.
    let sums = hidden * &pass.clipped * 2.0 * pass.clipped.lt(1.0);
    let total = |tensor: &Tensor| tensor.sum_dim_intlist(0, false, Kind::Float);
    let policy_bias = w[POLICY_BIAS].zeros_like().index_add(0, &rows.columns, &said);
    let gradients = [
        tensors.features.transposed_times(&sums, None),
        total(&sums),
        value_hidden.tr().matmul(&pass.hidden),
        total(&value_hidden),
        outputs.tr().matmul(&pass.value_hidden),
        total(&outputs),
        rows.transposed_times(&pass.hidden, Some(&said)),
        policy_bias,
        // With the factors exchanged, the rounding of this product of few rows would depend on
        // the number of threads.
        pass.hidden.tr().matmul(&horizons).tr().contiguous(),
        total(&horizons),
    ];
    (losses, Parameters::of(gradients))
}

#[cfg(test)]
#[path = "model_tests.rs"]
pub(crate) mod tests;
