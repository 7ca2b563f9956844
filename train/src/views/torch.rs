//! The efficiently updatable network by libtorch, for GPUs.
//!
//! As for the network of the tree search, the gradients are written out by hand, and a test compares
//! them with automatic differentiation.

use tch::{Device, Kind, Tensor};

use super::{STAGE, STAGE_BIAS, STAGE_HIDDEN_BIAS, STAGE_HIDDEN_WEIGHT, ViewBatch, ViewSizes};
use crate::architecture::{INPUT, INPUT_BIAS, Losses, Parameters, Weights};
use crate::sparse::Sparse;

/// Returns the losses of a batch.
pub(super) fn losses(weights: &Parameters<ViewSizes>, batch: &ViewBatch) -> Losses {
    let _guard = tch::no_grad_guard();
    let tensors = Tensors::of(batch, weights.0[INPUT].device());
    measure(&forward(weights, &tensors), &tensors)
}

/// Returns the losses of a batch and the gradient of their weighted sum.
pub(super) fn gradients(
    weights: &Parameters<ViewSizes>,
    batch: &ViewBatch,
    factors: Weights,
) -> (Losses, Parameters<ViewSizes>) {
    let _guard = tch::no_grad_guard();
    let tensors = Tensors::of(batch, weights.0[INPUT].device());
    backward(weights, &tensors, factors)
}

/// A batch's tensors on the device.
struct Tensors {
    inputs: Sparse,
    counts: Tensor,
    stages: Vec<i64>,
    values: Tensor,
    weights: Tensor,
}

impl Tensors {
    fn of(batch: &ViewBatch, device: Device) -> Self {
        let positions = batch.weights.len() as i64;
        Self {
            inputs: Sparse::new(&batch.inputs, device),
            counts: Tensor::from_slice(&batch.counts)
                .view([positions, batch.counts.len() as i64 / positions.max(1)])
                .to(device),
            stages: batch.stages.clone(),
            values: Tensor::from_slice(&batch.values).view([-1, 3]).to(device),
            weights: Tensor::from_slice(&batch.weights).to(device),
        }
    }
}

/// Results of the forward pass that the gradients need.
struct Forward {
    /// A row for each view.
    clipped: Tensor,
    stages: Vec<Stage>,
    value_log: Tensor,
}

/// The positions of one stage.
struct Stage {
    /// Number of the stage.
    number: i64,
    /// Activations of both views, and the counts.
    hidden: Tensor,
    inner: Tensor,
}

/// Returns the rows of a stage in a tensor of all stages, `rows` for each.
fn of_stage(tensor: &Tensor, number: i64, stages: usize) -> Tensor {
    let rows = tensor.size()[0] / stages as i64;
    tensor.narrow(0, number * rows, rows)
}

fn forward(weights: &Parameters<ViewSizes>, tensors: &Tensors) -> Forward {
    let w = &weights.0;
    let count = tensors.stages.len();
    let clipped = (tensors.inputs.times(&w[INPUT], None) + &w[INPUT_BIAS]).clamp(0.0, 1.0);
    let positions = tensors.weights.size()[0];
    let hidden = clipped.square().view([positions, -1]);
    let hidden = Tensor::cat(&[&hidden, &tensors.counts], 1);
    let (mut stages, mut logits, mut start) = (Vec::new(), Vec::new(), 0);
    for (number, &length) in (0..).zip(&tensors.stages) {
        let hidden = hidden.narrow(0, start, length);
        let of = |index: usize| of_stage(&w[index], number, count);
        let inner = hidden.linear(&of(STAGE_HIDDEN_WEIGHT), Some(&of(STAGE_HIDDEN_BIAS))).relu();
        logits.push(inner.linear(&of(STAGE), Some(&of(STAGE_BIAS))));
        stages.push(Stage { number, hidden, inner });
        start += length;
    }
    let value_log = Tensor::cat(&logits, 0).log_softmax(1, Kind::Float);
    Forward { clipped, stages, value_log }
}

fn measure(forward: &Forward, tensors: &Tensors) -> Losses {
    let crossed = (&tensors.values * &forward.value_log).sum_dim_intlist(1, false, Kind::Float);
    let value = -(&tensors.weights * crossed).sum(Kind::Double);
    Losses {
        value: value.double_value(&[]),
        value_weight: tensors.weights.sum(Kind::Double).double_value(&[]),
        ..Losses::default()
    }
}

fn backward(
    weights: &Parameters<ViewSizes>,
    tensors: &Tensors,
    factors: Weights,
) -> (Losses, Parameters<ViewSizes>) {
    let w = &weights.0;
    let count = tensors.stages.len();
    let pass = forward(weights, tensors);
    let losses = measure(&pass, tensors);
    let scale = factors.value / losses.value_weight.max(f64::MIN_POSITIVE);
    let outputs =
        (pass.value_log.exp() - &tensors.values) * (&tensors.weights * scale).unsqueeze(1);
    let total = |tensor: &Tensor| tensor.sum_dim_intlist(0, false, Kind::Float);
    let (mut hidden, mut start) = (Vec::new(), 0);
    let mut stages: [Vec<Tensor>; 4] = Default::default();
    for stage in &pass.stages {
        let length = tensors.stages[stage.number as usize];
        let outputs = outputs.narrow(0, start, length);
        let of = |index: usize| of_stage(&w[index], stage.number, count);
        let inner = outputs.matmul(&of(STAGE)) * stage.inner.gt(0.0);
        let of_views = 2 * w[INPUT_BIAS].size()[0];
        hidden.push(inner.matmul(&of(STAGE_HIDDEN_WEIGHT).narrow(1, 0, of_views)));
        // With the factors exchanged, the rounding of products of few rows would depend on the
        // number of threads.
        let products = [
            stage.hidden.tr().matmul(&inner).tr().contiguous(),
            total(&inner),
            stage.inner.tr().matmul(&outputs).tr().contiguous(),
            total(&outputs),
        ];
        stages.iter_mut().zip(products).for_each(|(list, product)| list.push(product));
        start += length;
    }
    let hidden = Tensor::cat(&hidden, 0).view_as(&pass.clipped);
    // The derivative of clamp(x)^2; below 0 the factor `clipped` is 0 already.
    let inputs = hidden * &pass.clipped * 2.0 * pass.clipped.lt(1.0);
    let ends = [tensors.inputs.transposed_times(&inputs, None), total(&inputs)];
    let stages = stages.map(|list| Tensor::cat(&list, 0));
    (losses, Parameters::of(ends.into_iter().chain(stages)))
}
