//! The efficiently updatable network: its forward pass and its gradients.
//!
//! The processor has code of its own, which is several times faster than libtorch: most of the work is
//! a sparse layer, and the layers behind it are small. GPUs use libtorch. Tests compare both with
//! automatic differentiation.

mod kernels;
mod pass;
mod torch;
mod window;

use std::borrow::Cow;

use fusion_game::CompleteGame;
use fusion_network::views::{ViewFloats, ViewNetwork, ViewSizes};
use fusion_runner::records::Record;
use fusion_runner::samples::{self, ReplayError, ViewSample};
use fusion_study::{SampleOptions, TrainConfig};
use rayon::ThreadPool;
use tch::Device;

use crate::architecture::{Architecture, INPUT, Losses, Parameters, Weights};
use crate::simd::Path;
use pass::Layers;

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

    fn for_game<G: CompleteGame>(rules: &G::Rules, hidden: usize) -> Result<Self, String> {
        Self::of::<G>(rules, hidden)
    }

    fn scheme_name<G: CompleteGame>(rules: &G::Rules) -> Cow<'static, str> {
        G::views(rules).name
    }

    fn parse<G: CompleteGame>(rules: &G::Rules, file: &[u8]) -> Result<ViewNetwork, String> {
        ViewNetwork::from_bytes::<G>(rules, file)
    }

    fn quantise<G: CompleteGame>(
        rules: &G::Rules,
        floats: &ViewFloats,
    ) -> Result<ViewNetwork, String> {
        ViewNetwork::quantise::<G>(rules, floats)
    }

    fn losses(weights: &Parameters<Self>, batch: &ViewBatch, pool: &ThreadPool) -> Losses {
        match weights.0[INPUT].device() {
            Device::Cpu => {
                let layers = layers(weights);
                pool.install(|| layers.losses(batch))
            }
            _ => torch::losses(weights, batch),
        }
    }

    /// The sum is the mean value cross-entropy times its weight.
    fn gradients(
        weights: &Parameters<Self>,
        batch: &ViewBatch,
        factors: Weights,
        pool: &ThreadPool,
    ) -> (Losses, Parameters<Self>) {
        if weights.0[INPUT].device() != Device::Cpu {
            return torch::gradients(weights, batch, factors);
        }
        let mut gradients = weights.zeros_like();
        let parts = gradients.floats_mut().try_into().expect(COMPLETE);
        let layers = layers(weights);
        (pool.install(|| layers.gradients(batch, factors, parts)), gradients)
    }

    fn layout<G: CompleteGame>(rules: &G::Rules, config: &TrainConfig) -> ViewLayout {
        ViewLayout::new::<G>(rules, config.value_mix)
    }

    fn samples<G: CompleteGame>(
        record: &Record,
        options: &SampleOptions,
    ) -> Result<Vec<ViewSample>, ReplayError> {
        samples::views_of_record::<G>(record, options)
    }
}

const COMPLETE: &str = "a network has all its tensors";

/// Names the layers of a network in the processor's memory.
fn layers(weights: &Parameters<ViewSizes>) -> Layers<'_> {
    Layers::new(weights.floats().try_into().expect(COMPLETE), Path::fastest())
}

#[cfg(test)]
pub(crate) mod tests;
