//! Averages of networks.
//!
//! A network and one that was trained on from it have weights close together. Their average often
//! plays better than either (Izmailov and others, *Averaging weights leads to wider optima and
//! better generalization*, 2018).

use std::path::{Path, PathBuf};

use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use serde_json::json;
use tch::{Device, Kind, Tensor};

use crate::architecture::{Architecture, Parameters};
use crate::checkpoint;
use crate::fit::{export, file_hash};
use crate::runs::{self, Folder};

/// Name of the file with the settings of an average.
pub const SETTINGS: &str = "average.json";

/// Writes the mean of the weights of at least two networks for a rule set into a folder, as float
/// weights and as the engine's network.
///
/// # Errors
/// There are fewer than two networks (exit code 64), one of them is rejected or of another size
/// (65), or the folder holds the result of others (64).
pub fn average<G: CompleteGame, A: Architecture>(
    rules: &G::Rules,
    networks: &[PathBuf],
    hidden: usize,
    out: &Path,
) -> anyhow::Result<()> {
    if networks.len() < 2 {
        return Err(Failure::usage("give at least two networks to average").into());
    }
    let shape = A::for_game::<G>(rules, hidden).map_err(Failure::usage)?;
    let load = |path: &PathBuf| checkpoint::load_weights::<G, A>(rules, path, shape, Device::Cpu);
    let weights = networks.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
    let hashes = networks.iter().map(|path| file_hash(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let settings = json!({
        "program": runs::program(),
        "scheme": A::scheme_name::<G>(rules),
        "network": {"hidden": hidden},
        "networks": hashes,
    });
    let _folder = Folder::claim(out, SETTINGS, &settings, &[])?;
    export::<G, A>(rules, out, &mean(&weights))
}

/// Returns the mean of the weights, of which there is at least one set.
fn mean<A: Architecture>(weights: &[Parameters<A>]) -> Parameters<A> {
    let tensor = |index: usize| {
        let all: Vec<&Tensor> = weights.iter().map(|set| &set.0[index]).collect();
        Tensor::stack(&all, 0).mean_dim(0, false, Kind::Float)
    };
    Parameters::of((0..weights[0].0.len()).map(tensor))
}
