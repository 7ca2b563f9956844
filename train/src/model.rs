//! The network: its weights, its forward pass and its gradients.
//!
//! With one hidden layer and sparse ends, nearly all the work is sums of weight rows. Both
//! directions use `embedding_bag` calls for them. The forward pass sums the rows of the active
//! inputs. The gradient of a weight matrix is the same sum taken over the transposed list.
//! The gradients are therefore written out by hand. A test compares them with automatic
//! differentiation of the plain dense formula.

mod evaluate;

use fusion_jobs::seeds;
use fusion_network::{PLAYING_TENSORS, Sizes, TENSOR_NAMES, TENSORS};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor};

use crate::window::{Batch, Ends, Incidence, Moves};

/// Bound of the input weights: the exported network stores them in 16 bits.
pub const INPUT_LIMIT: f64 = 1.98;

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Inputs and policy rows.
    pub ends: Ends,
    /// Width of the hidden layer.
    pub hidden: usize,
}

/// Number of tensors of a network for play, which come first. The others belong to a head that
/// exists only for training and is not in `net.fnet`. Its loss shapes the hidden layer.
pub const PLAYING: usize = PLAYING_TENSORS;
/// Names of the tensors in files, in the order of [`Parameters::tensors`].
pub const NAMES: [&str; TENSORS] = TENSOR_NAMES;

impl Shape {
    /// Returns the size of each tensor, in the order of [`NAMES`].
    #[must_use]
    pub fn sizes(self) -> [Vec<usize>; TENSORS] {
        let Ends { features, policy, .. } = self.ends;
        let sizes = Sizes { features, hidden: self.hidden, policy };
        fusion_network::tensors(sizes).map(|(_, size)| size)
    }
}

/// A set of tensors with a network's sizes: weights, gradients, moments or averages.
#[derive(Debug)]
pub struct Parameters(pub(crate) [Tensor; TENSORS]);

/// Index of the input weights among the tensors.
pub(crate) const INPUT: usize = 0;
const INPUT_BIAS: usize = 1;
const VALUE_HIDDEN_WEIGHT: usize = 2;
const VALUE_HIDDEN_BIAS: usize = 3;
const VALUE: usize = 4;
const VALUE_BIAS: usize = 5;
const POLICY: usize = 6;
const POLICY_BIAS: usize = 7;
const HORIZON: usize = 8;
const HORIZON_BIAS: usize = 9;

impl Parameters {
    /// Makes initial weights, a function of the seed. The last layers of all heads are zeros, so
    /// that the new network's policy is uniform and its value neutral.
    #[must_use]
    pub fn random(shape: Shape, seed: u64, device: Device) -> Self {
        let mut rng = seeds::stream("initial weights", &[seed]);
        // About 55 inputs are active. These bounds put the hidden sums in the middle of the
        // activation's range, with a standard deviation of slightly more than half of it.
        let mut bounds = [0.0; TENSORS];
        bounds[INPUT] = 0.14;
        bounds[VALUE_HIDDEN_WEIGHT] = (12.0 / shape.hidden as f64).sqrt();
        let mut index = 0;
        let tensors = shape.sizes().map(|size| {
            let bound = bounds[index] as f32;
            let size: Vec<i64> = size.iter().map(|&n| n as i64).collect();
            let centre = if index == INPUT_BIAS { 0.4 } else { 0.0 };
            index += 1;
            if bound == 0.0 {
                return Tensor::full(&size, centre, (Kind::Float, device));
            }
            let count = size.iter().product::<i64>() as usize;
            let values: Vec<f32> = (0..count).map(|_| rng.random_range(-bound..bound)).collect();
            Tensor::from_slice(&values).view(&size[..]).to(device)
        });
        Self(tensors)
    }

    /// Returns zeros of the same sizes.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        Self(self.0.each_ref().map(Tensor::zeros_like))
    }

    /// Returns a deep copy.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self(self.0.each_ref().map(Tensor::copy))
    }

    /// Returns the tensors with their names.
    pub fn tensors(&self) -> impl Iterator<Item = (&'static str, &Tensor)> {
        NAMES.into_iter().zip(&self.0)
    }

    /// Returns the first tensor that contains a NaN or an infinite number.
    #[must_use]
    pub fn not_finite(&self) -> Option<&'static str> {
        // A maximum propagates NaN.
        self.tensors()
            .find(|(_, tensor)| !tensor.abs().max().double_value(&[]).is_finite())
            .map(|(name, _)| name)
    }

    /// Returns the Euclidean norm of all tensors together.
    #[must_use]
    pub fn norm(&self) -> f64 {
        let squares = self.0.iter().map(|tensor| tensor.norm().double_value(&[]).powi(2));
        squares.sum::<f64>().sqrt()
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

/// [`Incidence`] as tensors.
struct Sparse {
    row_offsets: Tensor,
    columns: Tensor,
    rows: Tensor,
    column_offsets: Tensor,
    by_column: Tensor,
    rows_by_column: Tensor,
}

impl Sparse {
    fn new(incidence: &Incidence, device: Device) -> Self {
        let tensor = |list: &[i32]| Tensor::from_slice(list).to(device);
        let rows = tensor(&incidence.rows);
        let by_column = tensor(&incidence.by_column);
        Self {
            row_offsets: tensor(&incidence.row_offsets),
            columns: tensor(&incidence.columns),
            rows_by_column: rows.index_select(0, &by_column),
            rows,
            column_offsets: tensor(&incidence.column_offsets),
            by_column,
        }
    }

    /// Multiplies by a matrix with one row per column of this one: sums of that matrix's rows.
    fn times(&self, matrix: &Tensor, values: Option<&Tensor>) -> Tensor {
        bag(matrix, &self.columns, &self.row_offsets, values)
    }

    /// Multiplies the transpose by a matrix with one row per row of this one.
    fn transposed_times(&self, matrix: &Tensor, values: Option<&Tensor>) -> Tensor {
        let values = values.map(|values| values.index_select(0, &self.by_column));
        bag(matrix, &self.rows_by_column, &self.column_offsets, values.as_ref())
    }

    /// Returns the dot products of `left`'s rows with `right`'s rows at the nonzero places of this
    /// matrix. This equals the gradient of a bag by its per-sample weights.
    fn sampled_product(&self, left: &Tensor, right: &Tensor) -> Tensor {
        let starts = self.row_offsets.narrow(0, 0, self.row_offsets.size()[0] - 1);
        Tensor::internal_embedding_bag_per_sample_weights_backward(
            left,
            right,
            &self.columns,
            &starts,
            &self.rows,
            0,
            -1,
        )
    }
}

fn bag(matrix: &Tensor, indices: &Tensor, offsets: &Tensor, values: Option<&Tensor>) -> Tensor {
    Tensor::embedding_bag(matrix, indices, offsets, false, 0, false, values, true).0
}

/// Sums of a batch's losses and hits, before division by the sums of weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Weighted sum of the policy's cross-entropies.
    pub policy: f64,
    /// Weight of the positions with a policy.
    pub policy_weight: f64,
    /// Weighted sum of the policy targets' entropies, a lower bound of the policy loss.
    pub entropy: f64,
    /// Weighted sum of the value's cross-entropies.
    pub value: f64,
    /// Weight of all positions.
    pub value_weight: f64,
    /// Weight of the positions where the most likely move equals the search's.
    pub agreeing: f64,
    /// Weighted sum of the squared errors of the length's logarithm.
    pub length: f64,
    /// Weight of the positions whose game's length is known.
    pub length_weight: f64,
    /// Weighted sum of the cross-entropies of the value a few plies ahead.
    pub horizon: f64,
}

impl Losses {
    /// Adds another batch's sums.
    pub fn add(&mut self, other: &Self) {
        self.policy += other.policy;
        self.policy_weight += other.policy_weight;
        self.entropy += other.entropy;
        self.value += other.value;
        self.value_weight += other.value_weight;
        self.agreeing += other.agreeing;
        self.length += other.length;
        self.length_weight += other.length_weight;
        self.horizon += other.horizon;
    }
}

/// Weights of the losses except the policy's, which is 1.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Weight of the value's cross-entropy.
    pub value: f64,
    /// Weight of the squared error of the length's logarithm.
    pub length: f64,
    /// Weight of the cross-entropy of the value a few plies ahead.
    pub horizon: f64,
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

fn forward(weights: &Parameters, batch: &Batch, tensors: &Tensors) -> Forward {
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

impl Parameters {
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

    /// Returns the losses of a batch under these weights.
    #[must_use]
    pub fn losses(&self, batch: &Batch) -> Losses {
        let _guard = tch::no_grad_guard();
        let tensors = to_device(batch, self.0[INPUT].device());
        losses(&forward(self, batch, &tensors), &tensors)
    }

    /// Returns the losses of a batch and the gradient of their sum. The sum has the mean policy
    /// cross-entropy, the mean value cross-entropy, the mean squared error of the length's
    /// logarithm and the mean cross-entropy of the value a few plies ahead, each times its weight.
    #[must_use]
    pub fn gradients(&self, batch: &Batch, weights: Weights) -> (Losses, Parameters) {
        let _guard = tch::no_grad_guard();
        let w = &self.0;
        let tensors = to_device(batch, w[INPUT].device());
        let pass = forward(self, batch, &tensors);
        let losses = losses(&pass, &tensors);
        // A batch may have no policies or no known lengths.
        let scale = |weight: f64, sum: f64| if sum > 0.0 { weight / sum } else { 0.0 };

        let (rows, moves) = (&tensors.rows, &tensors.moves);
        let move_weights =
            tensors.weights.index_select(0, &moves.positions) * scale(1.0, losses.policy_weight);
        let logits = (pass.policy_log.exp() - &moves.shares) * move_weights;
        // Each row of a move has the move's gradient. A row adds up the gradients of all its moves.
        let said = Tensor::zeros(rows.columns.size(), (Kind::Float, rows.columns.device()))
            .index_add(
                0,
                &moves.terms.view(-1),
                &logits.unsqueeze(1).expand_as(&moves.terms).reshape(-1),
            );
        let shares = |log: &Tensor, target: &Tensor, weight: f64| {
            (log.exp() - target)
                * (&tensors.weights * scale(weight, losses.value_weight)).unsqueeze(1)
        };
        let values = shares(&pass.value_log, &tensors.values, weights.value);
        let horizons = shares(&pass.horizon_log, &tensors.horizons, weights.horizon);
        let length = &pass.length_error
            * &pass.length_known
            * scale(2.0 * weights.length, losses.length_weight);
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
        (losses, Parameters(gradients))
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
pub(crate) mod tests;
