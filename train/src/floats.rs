//! Weights as safetensors files: 32-bit floats with the name of the scheme that they were made for.

use crate::architecture::Architecture;
use fusion_game::CompleteGame;
use fusion_network::Floats;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Key of the feature scheme in a safetensors file's metadata.
pub const SCHEME_KEY: &str = "scheme";

/// Name of the tensor with the [`digest`] of a safetensors file. Files of earlier versions have
/// none. The digest is not in the metadata, because two metadata keys have no fixed order and equal
/// networks would have different files.
pub const DIGEST: &str = "sha256";

/// Parses the bytes of a file with a network in its trained form, made for a rule set of the game `G`.
///
/// ```
/// use fusion_game::RuleSet;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_network::{FloatNetwork, TreeSizes};
/// use fusion_train::floats;
///
/// let rules = Variant::parse("normal")?;
/// let network = FloatNetwork::random::<TicTacToe>(&rules, 64, 1)?;
/// let bytes = floats::to_bytes::<TicTacToe, TreeSizes>(&rules, &network)?;
/// assert_eq!(floats::from_bytes::<TicTacToe, TreeSizes>(&rules, &bytes)?, network);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// Returns the reason why the bytes are rejected: a tensor is missing, malformed or not finite, or
/// the scheme is another.
pub fn from_bytes<G: CompleteGame, A: Architecture>(
    rules: &G::Rules,
    bytes: &[u8],
) -> Result<Floats<A>, String> {
    let scheme = &*A::scheme_name::<G>(rules);
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| e.to_string())?;
    let found = metadata.metadata().as_ref().and_then(|map| map.get(SCHEME_KEY));
    if found.is_none_or(|found| found != scheme) {
        return Err(format!("its scheme is {found:?}, expected \"{scheme}\""));
    }
    let file = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
    check_digest(scheme, &file)?;
    let bias = file.tensor("input.bias").map_err(|e| e.to_string())?;
    let sizes = A::for_game::<G>(rules, bias.shape().first().copied().unwrap_or(0))?;
    Floats::try_of(sizes, |name, dims| {
        let tensor = file.tensor(name).map_err(|e| e.to_string())?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != dims {
            let (dtype, shape) = (tensor.dtype(), tensor.shape());
            return Err(format!("{name} is {dtype:?} {shape:?}, expected F32 {dims:?}"));
        }
        let (words, _) = tensor.data().as_chunks::<4>();
        let values: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => Err(format!("{name} has values that are not finite")),
        }
    })
}

/// Returns the bytes of a file that [`from_bytes`] parses.
///
/// # Errors
/// Returns an error if a tensor has a wrong size.
pub fn to_bytes<G: CompleteGame, A: Architecture>(
    rules: &G::Rules,
    network: &Floats<A>,
) -> Result<Vec<u8>, String> {
    let scheme = &*A::scheme_name::<G>(rules);
    let tensors = network.sizes.tensors(A::playing()).into_iter().zip(network.parts());
    let views = tensors.map(|((name, dims), values)| {
        let view = TensorView::new(Dtype::F32, dims, bytemuck::cast_slice(values));
        view.map(|view| (name, view)).map_err(|e| e.to_string())
    });
    let mut views: Vec<_> = views.collect::<Result<_, _>>()?;
    let digest = digest(scheme, views.iter().map(|(name, view)| (*name, view.data())));
    let view = TensorView::new(Dtype::U8, vec![digest.len()], &digest);
    views.push((DIGEST, view.map_err(|e| e.to_string())?));
    let metadata = HashMap::from([(SCHEME_KEY.to_string(), scheme.to_string())]);
    safetensors::serialize(views, Some(metadata)).map_err(|e| e.to_string())
}

/// Returns the SHA-256 of `text`, the value of the metadata's only key, followed by the names and
/// data of all tensors but [`DIGEST`], in the order of the names.
#[must_use]
pub fn digest<'a>(text: &str, tensors: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> [u8; 32] {
    let mut tensors: Vec<_> = tensors.into_iter().filter(|(name, _)| *name != DIGEST).collect();
    tensors.sort_unstable();
    let mut hash = Sha256::new_with_prefix(text);
    for (name, data) in tensors {
        hash.update(name);
        hash.update(data);
    }
    hash.finalize().into()
}

/// Checks the [`digest`] of a file that has one.
///
/// # Errors
/// Returns an error if the file has changed since it was written.
pub fn check_digest(text: &str, file: &SafeTensors<'_>) -> Result<(), String> {
    let Ok(noted) = file.tensor(DIGEST) else { return Ok(()) };
    let found = digest(text, file.iter().map(|(name, tensor)| (name, tensor.data())));
    if noted.data() == found {
        return Ok(());
    }
    Err("its checksum is wrong: the file is damaged".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use fusion_network::views::{ViewFloats, ViewSizes};
    use fusion_network::{FloatNetwork, TreeSizes};

    #[test]
    fn float_networks_round_trip_and_damage_is_rejected() {
        let rules = "fusion-2020".parse().unwrap();
        let read = |bytes: &[u8]| from_bytes::<FusionGame, TreeSizes>(&rules, bytes);
        let write = |network: &FloatNetwork| to_bytes::<FusionGame, _>(&rules, network);
        let float = FloatNetwork::random::<FusionGame>(&rules, 64, 5).unwrap();
        let good = write(&float).unwrap();
        assert_eq!(read(&good), Ok(float.clone()));
        let mut poisoned = float.clone();
        poisoned.layers[3].weights[77] = f32::NAN;
        let error = read(&write(&poisoned).unwrap()).unwrap_err();
        assert!(error.contains("policy.weight") && error.contains("finite"), "{error}");
        assert!(read(&good[..good.len() - 4]).is_err());
        for at in (0..good.len()).step_by(good.len() / 50).chain(0..2000) {
            let mut bad = good.clone();
            bad[at] ^= 1;
            // Without the checksum's name in its header the file counts as one without a checksum.
            match read(&bad) {
                Ok(read) => assert!(at < 2000 && read == float, "{at}"),
                Err(error) => assert!(at < 2000 || error.contains("checksum"), "{at}: {error}"),
            }
        }
        assert!(read(b"junk").is_err());
    }

    #[test]
    fn view_networks_round_trip() {
        let rules = "fusion-2020".parse().unwrap();
        let read = |bytes: &[u8]| from_bytes::<FusionGame, ViewSizes>(&rules, bytes);
        let floats = ViewFloats::random::<FusionGame>(&rules, 64, 6).unwrap();
        let bytes = to_bytes::<FusionGame, ViewSizes>(&rules, &floats).unwrap();
        assert_eq!(read(&bytes).unwrap(), floats);
        assert!(!read(&bytes[..900]).unwrap_err().is_empty());
    }
}
