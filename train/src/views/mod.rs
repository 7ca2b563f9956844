//! The efficiently updatable network: its forward pass and its gradients.
//!
//! As for the network of the tree search, the gradients are written out by hand, and a test compares
//! them with automatic differentiation.

mod window;

use fusion_game::CompleteGame;
use fusion_network::views::{ViewFloats, ViewNetwork, ViewSizes};
use fusion_runner::records::Record;
use fusion_runner::samples::{self, ReplayError, ViewSample};
use fusion_study::{SampleOptions, TrainConfig};
use tch::{Device, Kind, Tensor};

use crate::architecture::{Architecture, INPUT, INPUT_BIAS, Losses, Parameters, Weights};
use crate::sparse::Sparse;

pub(crate) use window::is_distribution;
pub use window::{ViewBatch, ViewLayout};

const STAGE_HIDDEN_WEIGHT: usize = 2;
const STAGE_HIDDEN_BIAS: usize = 3;
const STAGE: usize = 4;
const STAGE_BIAS: usize = 5;

impl Architecture for ViewSizes {
    type Layout = ViewLayout;
    type Batch = ViewBatch;
    type Sample = ViewSample;

    fn for_game<G: CompleteGame>(hidden: usize) -> Result<Self, String> {
        Self::of::<G>(hidden)
    }

    fn scheme_name<G: CompleteGame>() -> &'static str {
        G::VIEWS_NAME
    }

    fn parse<G: CompleteGame>(file: &[u8]) -> Result<ViewNetwork, String> {
        ViewNetwork::from_bytes::<G>(file)
    }

    fn quantise<G: CompleteGame>(floats: &ViewFloats) -> Result<ViewNetwork, String> {
        ViewNetwork::quantise::<G>(floats)
    }

    fn losses(weights: &Parameters<Self>, batch: &ViewBatch) -> Losses {
        let _guard = tch::no_grad_guard();
        let tensors = Tensors::of(batch, weights.0[INPUT].device());
        losses(&forward(weights, &tensors), &tensors)
    }

    /// The sum is the mean value cross-entropy times its weight.
    fn gradients(
        weights: &Parameters<Self>,
        batch: &ViewBatch,
        factors: Weights,
    ) -> (Losses, Parameters<Self>) {
        let _guard = tch::no_grad_guard();
        let tensors = Tensors::of(batch, weights.0[INPUT].device());
        gradients(weights, &tensors, factors)
    }

    fn layout<G: CompleteGame>(config: &TrainConfig) -> ViewLayout {
        ViewLayout::new(G::VIEW_INPUTS, G::STAGES, config.value_mix)
    }

    fn samples<G: CompleteGame>(
        record: &Record,
        options: &SampleOptions,
    ) -> Result<Vec<ViewSample>, ReplayError> {
        samples::views_of_record::<G>(record, options)
    }
}

/// A batch's tensors on the device.
struct Tensors {
    inputs: Sparse,
    stages: Vec<i64>,
    values: Tensor,
    weights: Tensor,
}

impl Tensors {
    fn of(batch: &ViewBatch, device: Device) -> Self {
        Self {
            inputs: Sparse::new(&batch.inputs, device),
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
    /// Activations of both views.
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

fn losses(forward: &Forward, tensors: &Tensors) -> Losses {
    let crossed = (&tensors.values * &forward.value_log).sum_dim_intlist(1, false, Kind::Float);
    let value = -(&tensors.weights * crossed).sum(Kind::Double);
    Losses {
        value: value.double_value(&[]),
        value_weight: tensors.weights.sum(Kind::Double).double_value(&[]),
        ..Losses::default()
    }
}

fn gradients(
    weights: &Parameters<ViewSizes>,
    tensors: &Tensors,
    factors: Weights,
) -> (Losses, Parameters<ViewSizes>) {
    let w = &weights.0;
    let count = tensors.stages.len();
    let pass = forward(weights, tensors);
    let losses = losses(&pass, tensors);
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
        hidden.push(inner.matmul(&of(STAGE_HIDDEN_WEIGHT)));
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

#[cfg(test)]
mod tests;
