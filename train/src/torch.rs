//! Batched evaluation of leaves by libtorch, for self-play with networks too large for the
//! engine's own inference.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::floats;
use anyhow::{Context, ensure};
use fusion_game::evaluator::{Evaluation, Wdl};
use fusion_game::{CompleteGame, FeatureSet};
use fusion_jobs::exit::Failure;
use fusion_jobs::{checksums, plain};
use fusion_network::{TreeSizes, VALUES};
use fusion_runner::generate::{Answer, BatchEvaluator, Leaf};
use tch::Device;

use crate::architecture::Parameters;
use crate::checkpoint;
use crate::window::{Batch, Ends};

/// Number of positions in every forward pass.
///
/// libtorch selects its algorithm for multiplication by the sizes of the matrices, and each
/// algorithm rounds differently. All passes therefore have the same size, filled up with positions
/// without inputs and moves. An answer then does not depend on the other leaves or their number.
const ROWS: usize = 256;

/// A float network on a device, for games of `G`.
#[derive(Debug)]
pub struct TorchEvaluator<G> {
    /// Each thread takes its own handles: a tensor may be sent to a thread, but two threads must
    /// not share it.
    weights: Mutex<Parameters<TreeSizes>>,
    ends: Ends,
    device: Device,
    hash: String,
    game: PhantomData<fn() -> G>,
}

impl<G: CompleteGame> TorchEvaluator<G> {
    /// Loads float weights (`net.safetensors`) for a rule set.
    ///
    /// # Errors
    /// The file is missing (exit code 66), or damaged or of another game (65).
    pub fn load(rules: &G::Rules, path: &Path, device: Device) -> anyhow::Result<Self> {
        let bytes = plain::read(path, plain::WEIGHTS).context("reading the network")?;
        let network = floats::from_bytes::<G, TreeSizes>(rules, &bytes).map_err(|reason| {
            let path = path.display();
            Failure::corrupt(format!(
                "{path}: {reason} (torch needs float weights such as net.safetensors)"
            ))
        })?;
        let shape = network.sizes;
        let weights = checkpoint::load_weights::<G, TreeSizes>(rules, path, shape, device)?;
        Ok(Self {
            weights: Mutex::new(weights),
            ends: shape.into(),
            device,
            hash: checksums::of(&bytes),
            game: PhantomData,
        })
    }

    /// Evaluates at most [`ROWS`] leaves.
    fn pass(
        &self,
        weights: &Parameters<TreeSizes>,
        leaves: &[Leaf<'_, G>],
    ) -> anyhow::Result<Vec<Answer>> {
        let mut rows: Vec<(Vec<u16>, Vec<u16>)> = Vec::with_capacity(ROWS);
        let mut features = FeatureSet::with_inputs(self.ends.features);
        rows.extend(leaves.iter().map(|leaf| row(leaf, &mut features)));
        rows.resize(ROWS, (Vec::new(), Vec::new()));
        let (values, logits) = weights.evaluate(&Batch::of_leaves(self.ends, &rows)?);
        let used = &values[..VALUES * leaves.len()];
        ensure!(
            used.iter().chain(&logits).all(|x| x.is_finite()),
            "the network {} gives numbers that are not finite",
            self.hash
        );
        let mut logits = logits.into_iter();
        let answer = |(leaf, value): (&Leaf<'_, G>, &[f32; VALUES])| match leaf {
            Leaf::Value(_) => {
                let [win, draw, loss, plies] = *value;
                Answer::Value(Evaluation { wdl: Wdl { win, draw, loss }, plies })
            }
            Leaf::Policy(_, moves) => Answer::Policy(logits.by_ref().take(moves.len()).collect()),
        };
        Ok(leaves.iter().zip(values.as_chunks::<VALUES>().0).map(answer).collect())
    }
}

/// Returns the inputs and policy rows of a leaf. `features` is a set for all inputs.
fn row<G: CompleteGame>(leaf: &Leaf<'_, G>, features: &mut FeatureSet) -> (Vec<u16>, Vec<u16>) {
    let mut features = |game: &G| {
        game.features(features);
        features.iter().collect()
    };
    match *leaf {
        Leaf::Value(game) => (features(game), Vec::new()),
        Leaf::Policy(game, moves) => {
            let mut rows = Vec::new();
            game.policy_factors(moves, &mut rows);
            (features(game), rows)
        }
    }
}

impl<G: CompleteGame> BatchEvaluator<G> for TorchEvaluator<G> {
    fn hash(&self) -> &str {
        &self.hash
    }

    fn evaluate(&self, leaves: &[Leaf<'_, G>]) -> anyhow::Result<Vec<Answer>> {
        // Every self-play thread plays its own group. Threads of libtorch would compete with
        // them, and their number might change the rounding. The setting applies only to the
        // calling thread.
        if self.device == Device::Cpu && tch::get_num_threads() != 1 {
            tch::set_num_threads(1);
        }
        let weights = self.weights.lock().unwrap_or_else(PoisonError::into_inner).share();
        let mut answers = Vec::with_capacity(leaves.len());
        for leaves in leaves.chunks(ROWS) {
            answers.extend(self.pass(&weights, leaves)?);
        }
        Ok(answers)
    }
}
