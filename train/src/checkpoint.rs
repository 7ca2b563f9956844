//! Training state and weights as safetensors files.

use std::collections::HashMap;
use std::path::Path;

use crate::floats::{DIGEST, SCHEME_KEY, check_digest, digest, to_bytes};
use anyhow::{Context, ensure};
use fusion_game::CompleteGame;
use fusion_jobs::atomic::write_bytes;
use fusion_jobs::exit::Failure;
use fusion_jobs::plain;
use fusion_network::Quantised;
use safetensors::{Dtype, SafeTensorError, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor};

use crate::architecture::{Architecture, Parameters};
use crate::metrics::Since;
use crate::optimiser::State;

/// Version of the checkpoint layout.
const VERSION: u32 = 3;
/// Key of the checkpoint's description in the file's metadata.
const KEY: &str = "checkpoint";
/// The four sets of tensors of a checkpoint.
const SETS: [&str; 4] = ["weights", "first", "second", "average"];

/// Description of a checkpoint, stored beside its tensors.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    version: u32,
    program: String,
    step: u64,
    since: Since,
    /// The values that must be the same for the run to continue: settings, seed and positions.
    run: serde_json::Value,
}

/// Returns a tensor's bytes, little-endian f32.
fn bytes(tensor: &Tensor) -> Vec<u8> {
    let tensor = tensor.to(Device::Cpu).to_kind(Kind::Float).contiguous();
    let mut values = vec![0f32; tensor.numel()];
    tensor.copy_data(&mut values, tensor.numel());
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

struct Named {
    name: String,
    size: Vec<usize>,
    bytes: Vec<u8>,
}

fn named<'a>(tensors: impl Iterator<Item = (String, &'a Tensor)>) -> Vec<Named> {
    tensors
        .map(|(name, tensor)| Named {
            name,
            size: tensor.size().iter().map(|&n| n as usize).collect(),
            bytes: bytes(tensor),
        })
        .collect()
}

fn serialise(tensors: &[Named], key: &str, text: &str) -> anyhow::Result<Vec<u8>> {
    let data = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor.bytes.as_slice()));
    let digest = digest(text, data);
    let mut views = tensors
        .iter()
        .map(|tensor| {
            let view = TensorView::new(Dtype::F32, tensor.size.clone(), &tensor.bytes)?;
            Ok((tensor.name.as_str(), view))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    views.push((DIGEST, TensorView::new(Dtype::U8, vec![digest.len()], &digest)?));
    let metadata = HashMap::from([(key.to_owned(), text.to_owned())]);
    Ok(safetensors::serialize(views, Some(metadata))?)
}

/// Saves the whole training state, atomically. `run` describes the run that may continue
/// from it.
///
/// # Errors
/// Failures of the file system.
pub fn save<A: Architecture>(
    path: &Path,
    state: &State<A>,
    run: &serde_json::Value,
) -> anyhow::Result<()> {
    let sets = [&state.weights, &state.first, &state.second, &state.average];
    let tensors = named(SETS.into_iter().zip(sets).flat_map(|(set, parameters)| {
        parameters.tensors().map(move |(name, tensor)| (format!("{set}.{name}"), tensor))
    }));
    let description = Description {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        step: state.step,
        since: state.since,
        run: run.clone(),
    };
    let text = serde_json::to_string(&description)?;
    write_bytes(path, &serialise(&tensors, KEY, &text)?)
}

/// Loads a checkpoint with the description of its run; `None` if the file does not exist.
///
/// # Errors
/// The file is damaged, of another version or of another network's size.
pub fn load<A: Architecture>(
    path: &Path,
    shape: A,
    device: Device,
) -> anyhow::Result<Option<(State<A>, serde_json::Value)>> {
    let Some(file) = plain::read_if_there(path, plain::WEIGHTS)? else { return Ok(None) };
    let damaged = |error: anyhow::Error| {
        let path = path.display();
        Failure::corrupt(format!(
            "the checkpoint {path} cannot be used: {error:#}. Remove it to train from the start."
        ))
    };
    Ok(Some(parse(&file, shape, device).map_err(damaged)?))
}

fn parse<A: Architecture>(
    file: &[u8],
    shape: A,
    device: Device,
) -> anyhow::Result<(State<A>, serde_json::Value)> {
    let (_, header) = SafeTensors::read_metadata(file)?;
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let text = text.context("it describes no run")?;
    let description: serde_json::Value = serde_json::from_str(text)?;
    // Checked first: in another version the other fields may have another meaning.
    let version = &description["version"];
    ensure!(*version == VERSION, "its version is {version}, this program's is {VERSION}");
    let description: Description = serde_json::from_value(description)?;
    let tensors = SafeTensors::deserialize(file)?;
    check_digest(text, &tensors).map_err(anyhow::Error::msg)?;
    let set = |set: &str| parameters(&tensors, &format!("{set}."), &[], shape, device);
    let state = State {
        step: description.step,
        weights: set(SETS[0])?,
        first: set(SETS[1])?,
        second: set(SETS[2])?,
        average: set(SETS[3])?,
        since: description.since,
    };
    Ok((state, description.run))
}

/// Reads the tensors whose names begin with `prefix`; missing ones of `optional` become zeros.
fn parameters<A: Architecture>(
    tensors: &SafeTensors,
    prefix: &str,
    optional: &[&str],
    shape: A,
    device: Device,
) -> anyhow::Result<Parameters<A>> {
    let mut list = Vec::new();
    for (name, size) in shape.tensors(A::LAYERS) {
        let dims: Vec<i64> = size.iter().map(|&n| n as i64).collect();
        let view = match tensors.tensor(&format!("{prefix}{name}")) {
            Err(SafeTensorError::TensorNotFound(_)) if optional.contains(&name) => {
                list.push(Tensor::zeros(dims, (Kind::Float, device)));
                continue;
            }
            view => view?,
        };
        ensure!(view.dtype() == Dtype::F32, "{name} has numbers of type {}", view.dtype());
        ensure!(
            view.shape() == size,
            "{name} has the size {:?}, this network's is {size:?}; is network.hidden another?",
            view.shape()
        );
        list.push(Tensor::f_from_data_size(view.data(), &dims, Kind::Float)?.to(device));
    }
    Ok(Parameters::of(list))
}

/// Saves only the weights, for the engine and for later training, atomically.
///
/// # Errors
/// Failures of the file system.
pub fn save_weights<A: Architecture>(
    path: &Path,
    weights: &Parameters<A>,
    scheme: &str,
) -> anyhow::Result<()> {
    let tensors = named(weights.tensors().map(|(name, tensor)| (name.to_owned(), tensor)));
    write_bytes(path, &serialise(&tensors, SCHEME_KEY, scheme)?)
}

/// Loads weights for a rule set saved by [`save_weights`], or those of a network for play only, as
/// floats or as the engine's network file. Such a network lacks the training-only head, which then starts
/// from zeros.
///
/// # Errors
/// The file is missing, damaged, of another feature scheme or of another size.
pub fn load_weights<G: CompleteGame, A: Architecture>(
    rules: &G::Rules,
    path: &Path,
    shape: A,
    device: Device,
) -> anyhow::Result<Parameters<A>> {
    let scheme = &*A::scheme_name::<G>(rules);
    let file = plain::read(path, plain::WEIGHTS).context("reading the network")?;
    let parse = || -> anyhow::Result<Parameters<A>> {
        let file = match Quantised::<A>::is_file(&file) {
            true => to_floats::<G, A>(rules, &file).map_err(anyhow::Error::msg)?,
            false => file,
        };
        let header = SafeTensors::read_metadata(&file);
        let (_, header) = header.context("it is no network: neither net.fnet nor float weights")?;
        let found = header.metadata().as_ref().and_then(|metadata| metadata.get(SCHEME_KEY));
        ensure!(
            found.is_some_and(|found| found == scheme),
            "its feature scheme is {}, this program's is {scheme}",
            found.map_or("not given", String::as_str)
        );
        let tensors = SafeTensors::deserialize(&file)?;
        check_digest(scheme, &tensors).map_err(anyhow::Error::msg)?;
        let weights = parameters(
            &tensors,
            "",
            &A::names().skip(2 * A::playing().len()).collect::<Vec<_>>(),
            shape,
            device,
        )?;
        if let Some(name) = weights.not_finite() {
            anyhow::bail!("{name} has a NaN or infinite number");
        }
        Ok(weights)
    };
    parse().map_err(|error| Failure::corrupt(format!("{}: {error:#}", path.display())).into())
}

/// Returns a file of float weights for the bytes of the engine's network file.
fn to_floats<G: CompleteGame, A: Architecture>(
    rules: &G::Rules,
    file: &[u8],
) -> Result<Vec<u8>, String> {
    to_bytes::<G, A>(rules, &A::parse::<G>(rules, file)?.to_float())
}
