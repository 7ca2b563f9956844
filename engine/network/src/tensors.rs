//! Weights as safetensors files: 32-bit floats with the name of the scheme that they were made for.

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Key of the feature scheme in a safetensors file's metadata.
pub const SCHEME_KEY: &str = "scheme";

/// Name of the tensor with the [`digest`] of a safetensors file. Files of earlier versions have
/// none. The digest is not in the metadata, because two metadata keys have no fixed order and equal
/// networks would have different files.
pub const DIGEST: &str = "sha256";

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
pub(crate) fn read<T>(
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
pub(crate) fn write(
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
