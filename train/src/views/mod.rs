//! The efficiently updatable network: its forward pass and its gradients.
//!
//! The processor has code of its own, which is several times faster than libtorch: most of the work is
//! a sparse layer, and the layers behind it are small. GPUs use libtorch. Tests compare both with
//! automatic differentiation.

mod kernels;
mod pass;
mod torch;
mod window;

use crate::floats::FloatFile;
use fusion_game::CompleteGame;
use fusion_jobs::seeds;
use fusion_network::views::{VIEW_TENSOR_NAMES, VIEW_TENSORS, ViewFloats, ViewNetwork, ViewSizes};
use fusion_runner::records::Record;
use fusion_runner::samples::{self, ReplayError, ViewSample};
use fusion_study::{SampleOptions, TrainConfig};
use rayon::ThreadPool;
use tch::Device;

use crate::architecture::{
    Architecture, INPUT, INPUT_BIAS, Losses, Parameters, Weights, filled, uniform,
};
use crate::simd::Path;
use pass::Layers;

pub(crate) use window::is_distribution;
pub use window::{ViewBatch, ViewLayout};

const STAGE_HIDDEN_WEIGHT: usize = 2;
const STAGE_HIDDEN_BIAS: usize = 3;
const STAGE: usize = 4;
const STAGE_BIAS: usize = 5;

/// The sizes of an efficiently updatable network: its architecture for the trainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewShape(pub ViewSizes);

impl Architecture for ViewShape {
    type Layout = ViewLayout;
    type Batch = ViewBatch;
    type Sample = ViewSample;

    const NAMES: &'static [&'static str] = &VIEW_TENSOR_NAMES;
    const PLAYING: usize = VIEW_TENSORS;

    fn of<G: CompleteGame>(hidden: usize) -> Result<Self, String> {
        ViewSizes::of::<G>(hidden).map(Self)
    }

    fn scheme<G: CompleteGame>() -> &'static str {
        G::VIEWS_NAME
    }

    fn sizes(self) -> Vec<Vec<usize>> {
        self.0.tensors().into_iter().map(|(_, size)| size).collect()
    }

    /// All stages begin with the same weights. The last layer is zero, so that the new network is
    /// neutral.
    fn random(self, seed: u64, device: Device) -> Parameters<Self> {
        let mut rng = seeds::stream("initial weights", &[seed]);
        let stages = self.0.stages;
        // The bounds are those of the network of the tree search: about as many inputs are active.
        let tensor = |(index, size): (usize, Vec<usize>)| match index {
            INPUT => uniform(&size, 0.14, &mut rng, device),
            INPUT_BIAS => filled(&size, 0.4, device),
            STAGE_HIDDEN_WEIGHT => {
                let bound = (6.0 / self.0.hidden as f64).sqrt();
                let stage = uniform(&[size[0] / stages, size[1]], bound, &mut rng, device);
                stage.repeat([stages as i64, 1])
            }
            _ => filled(&size, 0.0, device),
        };
        Parameters::of(self.sizes().into_iter().enumerate().map(tensor))
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

    fn layout<G: CompleteGame>(config: &TrainConfig) -> ViewLayout {
        ViewLayout::new::<G>(config.value_mix)
    }

    fn samples<G: CompleteGame>(
        record: &Record,
        options: &SampleOptions,
    ) -> Result<Vec<ViewSample>, ReplayError> {
        samples::views_of_record::<G>(record, options)
    }

    fn quantise<G: CompleteGame>(floats: &[u8]) -> Result<Vec<u8>, String> {
        let network =
            ViewNetwork::quantise::<G>(&<ViewFloats as FloatFile<G>>::from_bytes(floats)?)?;
        Ok(network.bytes().to_vec())
    }

    fn to_floats<G: CompleteGame>(file: &[u8]) -> Result<Option<Vec<u8>>, String> {
        if !ViewNetwork::is_file(file) {
            return Ok(None);
        }
        FloatFile::<G>::to_bytes(&ViewNetwork::from_bytes::<G>(file)?.to_float()).map(Some)
    }
}

const COMPLETE: &str = "a network has all its tensors";

/// Names the layers of a network in the processor's memory.
fn layers(weights: &Parameters<ViewShape>) -> Layers<'_> {
    Layers::new(weights.floats().try_into().expect(COMPLETE), Path::fastest())
}

#[cfg(test)]
mod tests;
