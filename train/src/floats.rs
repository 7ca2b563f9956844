//! Weights as safetensors files: 32-bit floats with the name of the scheme that they were made for.

use fusion_game::{Encoding, Views};
use fusion_network::views::{ViewFloats, ViewSizes};
use fusion_network::{FloatNetwork, Shape};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Key of the feature scheme in a safetensors file's metadata.
pub const SCHEME_KEY: &str = "scheme";

/// Name of the tensor with the [`digest`] of a safetensors file. Files of earlier versions have
/// none. The digest is not in the metadata, because two metadata keys have no fixed order and equal
/// networks would have different files.
pub const DIGEST: &str = "sha256";

/// A network in its trained form, as a safetensors file.
///
/// ```
/// use fusion_game::toy::TicTacToe;
/// use fusion_network::FloatNetwork;
/// use fusion_train::floats::FloatFile;
///
/// let network = fusion_network::random::<TicTacToe>(64, 1)?;
/// let bytes = FloatFile::<TicTacToe>::to_bytes(&network)?;
/// let read: FloatNetwork = FloatFile::<TicTacToe>::from_bytes(&bytes)?;
/// assert_eq!(read, network);
/// # Ok::<(), String>(())
/// ```
pub trait FloatFile<G>: Sized {
    /// Parses the bytes of a file made for the game `G`.
    ///
    /// # Errors
    /// Returns the reason why the bytes are rejected: a tensor is missing, malformed or not finite,
    /// or the scheme is another.
    fn from_bytes(bytes: &[u8]) -> Result<Self, String>;

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// Returns an error if a tensor has a wrong size.
    fn to_bytes(&self) -> Result<Vec<u8>, String>;
}

impl<G: Encoding> FloatFile<G> for FloatNetwork {
    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let sizes = |hidden| {
            let shape = Shape::of::<G>(hidden)?;
            let sizes = Self::tensors(&shape).to_vec();
            Ok((shape, sizes))
        };
        let (shape, mut tensors) = read(bytes, G::NAME, sizes)?;
        let mut next = || tensors.next().unwrap_or_default();
        Ok(Self {
            shape,
            input: next(),
            input_bias: next(),
            value_hidden: next(),
            value_hidden_bias: next(),
            value: next(),
            value_bias: next(),
            policy: next(),
            policy_bias: next(),
        })
    }

    fn to_bytes(&self) -> Result<Vec<u8>, String> {
        write(G::NAME, Self::tensors(&self.shape), &self.parts())
    }
}

impl<G: Views> FloatFile<G> for ViewFloats {
    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let sizes = |hidden| {
            let sizes = ViewSizes::of::<G>(hidden)?;
            Ok((sizes, sizes.tensors()))
        };
        let (sizes, mut tensors) = read(bytes, G::VIEWS_NAME, sizes)?;
        let mut next = || tensors.next().unwrap_or_default();
        Ok(Self {
            sizes,
            input: next(),
            input_bias: next(),
            stage_hidden: next(),
            stage_hidden_bias: next(),
            stage: next(),
            stage_bias: next(),
        })
    }

    fn to_bytes(&self) -> Result<Vec<u8>, String> {
        write(G::VIEWS_NAME, self.sizes.tensors(), &self.parts())
    }
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

/// Reads the tensors of a file made for this scheme, in the order of `sizes`, which has their names
/// and sizes for a hidden layer of the width of `input.bias`.
///
/// # Errors
/// Returns the reason why the bytes are rejected.
fn read<T>(
    bytes: &[u8],
    scheme: &str,
    sizes: impl FnOnce(usize) -> Result<(T, Vec<(&'static str, Vec<usize>)>), String>,
) -> Result<(T, impl Iterator<Item = Vec<f32>>), String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| e.to_string())?;
    let found = metadata.metadata().as_ref().and_then(|map| map.get(SCHEME_KEY));
    if found.is_none_or(|found| found != scheme) {
        return Err(format!("its scheme is {found:?}, expected \"{scheme}\""));
    }
    let file = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
    check_digest(scheme, &file)?;
    let bias = file.tensor("input.bias").map_err(|e| e.to_string())?;
    let (shape, sizes) = sizes(bias.shape().first().copied().unwrap_or(0))?;
    let read = |(name, dims): (&str, Vec<usize>)| -> Result<Vec<f32>, String> {
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
    };
    let tensors = sizes.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok((shape, tensors.into_iter()))
}

/// Returns the bytes of a file with these tensors.
///
/// # Errors
/// Returns an error if the safetensors library rejects the tensors, for example one of the wrong
/// size.
fn write(
    scheme: &str,
    sizes: impl IntoIterator<Item = (&'static str, Vec<usize>)>,
    tensors: &[&Vec<f32>],
) -> Result<Vec<u8>, String> {
    let views = sizes.into_iter().zip(tensors).map(|((name, dims), values)| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;

    #[test]
    fn float_networks_round_trip_and_damage_is_rejected() {
        let read = <FloatNetwork as FloatFile<FusionGame>>::from_bytes;
        let write = <FloatNetwork as FloatFile<FusionGame>>::to_bytes;
        let float = fusion_network::random::<FusionGame>(64, 5).unwrap();
        let good = write(&float).unwrap();
        assert_eq!(read(&good), Ok(float.clone()));
        let mut poisoned = float.clone();
        poisoned.policy[77] = f32::NAN;
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
        let read = <ViewFloats as FloatFile<FusionGame>>::from_bytes;
        let floats = fusion_network::views::random::<FusionGame>(64, 6).unwrap();
        let bytes = <ViewFloats as FloatFile<FusionGame>>::to_bytes(&floats).unwrap();
        assert_eq!(read(&bytes).unwrap(), floats);
        assert!(!read(&bytes[..900]).unwrap_err().is_empty());
    }
}
