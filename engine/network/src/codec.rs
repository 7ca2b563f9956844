//! The file format of quantised networks.
//!
//! All numbers are little-endian. The header has 64 bytes: the magic bytes, then as u32 the version,
//! four sizes and zero, then the SHA-256 of the scheme's name. The sections of the layers follow,
//! each padded with zeros to a multiple of 64 bytes:
//!
//! | storage of the layer | sections |
//! | --- | --- |
//! | [`Storage::Integers`] | weights (i16, 508 stands for 1); biases (i16) |
//! | [`Storage::ScaledRows`] | weights (i8); scale and bias of each row (f32) |
//! | [`Storage::Floats`] | weights, then biases (f32) |
//!
//! The last 32 bytes are the SHA-256 of everything before them. A row's scale turns its integer dot
//! product with the hidden activations into a float.

use crate::kernels::{HIDDEN_SCALE, INPUT_SCALE};
use crate::layers::{Floats, Layer, Sizes, SizesFor, Storage, Weights};
use fusion_game::Game;
use sha2::{Digest, Sha256};
use std::ops::Range;

const HEADER: usize = 64;
const CHECKSUM: usize = 32;

/// The bytes of a layer in a file.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) weights: Range<usize>,
    /// Biases; scales and biases of [`Storage::ScaledRows`].
    pub(crate) biases: Range<usize>,
}

/// Returns the section of each layer, and the end of the last.
pub(crate) fn sections<S: Sizes>(sizes: S) -> (Vec<Section>, usize) {
    let mut end = HEADER;
    let section = |layer: &Layer<S>| {
        let (weights, biases) = (layer.weights(sizes), layer.biases(sizes));
        let start = end;
        let (first, second, align) = match layer.storage {
            Storage::Integers => (2 * weights, 2 * biases, 64),
            Storage::ScaledRows => (weights, 8 * biases, 64),
            Storage::Floats => (4 * weights, 4 * biases, 1),
            Storage::None => (0, 0, 1),
        };
        let middle = (start + first).next_multiple_of(align);
        end = (middle + second).next_multiple_of(64);
        Section { weights: start..start + first, biases: middle..middle + second }
    };
    (S::playing().iter().map(section).collect(), end)
}

/// Returns the length of the longest file for a rule set of the game `G`, in bytes.
pub(crate) fn longest<G: Game, S: SizesFor<G>>(rules: &G::Rules) -> usize {
    S::sizes(rules, S::MAX_HIDDEN).map_or(0, |sizes| sections(sizes).1 + CHECKSUM)
}

fn header<S: Sizes>(sizes: S) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(S::MAGIC);
    for (i, number) in std::iter::once(S::VERSION).chain(sizes.numbers()).enumerate() {
        header[8 + 4 * i..12 + 4 * i].copy_from_slice(&(number as u32).to_le_bytes());
    }
    header[32..].copy_from_slice(&sizes.scheme());
    header
}

/// Checks a file's bytes completely and returns its sizes. `expected` returns the only sizes that
/// are accepted for a width.
///
/// # Errors
/// Returns the reason why the bytes are rejected.
pub(crate) fn check<S: Sizes>(
    bytes: &[u8],
    expected: impl Fn(usize) -> Result<S, String>,
) -> Result<S, String> {
    if bytes.len() < HEADER + CHECKSUM {
        return Err(format!("{} bytes are too few for a network: truncated?", bytes.len()));
    }
    if &bytes[..8] != S::MAGIC {
        let magic = String::from_utf8_lossy(S::MAGIC);
        return Err(format!("it does not begin with {magic}: not a network of this kind"));
    }
    let number = |i: usize| {
        let at = 8 + 4 * i;
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
    };
    if number(0) != S::VERSION {
        return Err(format!("format version {}, this program reads {}", number(0), S::VERSION));
    }
    let sizes = expected(number(1))?;
    let found = [number(1), number(2), number(3), number(4)];
    if found != sizes.numbers() {
        return Err(format!("its sizes are {found:?}, expected {:?}", sizes.numbers()));
    }
    if bytes[32..HEADER] != sizes.scheme() {
        return Err("it was made for another game or scheme".into());
    }
    let (_, end) = sections(sizes);
    if bytes.len() != end + CHECKSUM {
        let (have, want) = (bytes.len(), end + CHECKSUM);
        return Err(format!("it has {have} bytes instead of {want}: truncated or damaged"));
    }
    if Sha256::digest(&bytes[..end])[..] != bytes[end..] {
        return Err("its checksum is wrong: the file is damaged".into());
    }
    Ok(sizes)
}

/// Converts a file made for the older encoding of a rule set into a file for its present one. The
/// weights of new inputs and outputs are zero. Returns `None` if the bytes are not such a file.
///
/// # Errors
/// Returns the reason why a file for the older encoding is rejected.
pub(crate) fn upgraded<G: Game, S: SizesFor<G>>(
    rules: &G::Rules,
    bytes: &[u8],
) -> Result<Option<Vec<u8>>, String> {
    let scheme = S::older(rules, 64).map(Sizes::scheme);
    let (Some(name), Some(scheme)) = (bytes.get(32..HEADER), scheme) else { return Ok(None) };
    if name != scheme {
        return Ok(None);
    }
    let older = |hidden| {
        S::check_width(hidden)?;
        S::older(rules, hidden).ok_or_else(|| "there is no older encoding".to_owned())
    };
    let old = check(bytes, older)?;
    Ok(Some(resized(bytes, old, S::sizes(rules, old.hidden())?)))
}

/// Converts a file to other sizes of the same width. Of every section the common part is kept: the common
/// part of its common rows.
pub(crate) fn resized<S: Sizes>(bytes: &[u8], old: S, new: S) -> Vec<u8> {
    let (to, end) = sections(new);
    let mut file = vec![0; end];
    file[..HEADER].copy_from_slice(&header(new));
    for ((layer, from), to) in S::playing().iter().zip(sections(old).0).zip(to) {
        let mut copy = |from: Range<usize>, to: Range<usize>, rows: [usize; 2]| {
            let [from_row, to_row] = [from.len() / rows[0], to.len() / rows[1]];
            let rows = bytes[from].chunks(from_row).zip(file[to].chunks_mut(to_row));
            for (from, to) in rows {
                let length = from.len().min(to.len());
                to[..length].copy_from_slice(&from[..length]);
            }
        };
        copy(from.weights, to.weights, [old, new].map(layer.rows));
        copy(from.biases, to.biases, [1, 1]);
    }
    closed(file)
}

/// Adds the checksum.
fn closed(mut file: Vec<u8>) -> Vec<u8> {
    let checksum = Sha256::digest(&file);
    file.extend_from_slice(&checksum);
    file
}

/// Quantises a float network and returns its file's bytes.
///
/// Weights of 16 bits are clamped to their range. Rows of 8 bits are scaled.
pub(crate) fn encode<S: Sizes>(network: &Floats<S>) -> Vec<u8> {
    let (sections, end) = sections(network.sizes);
    let mut file = vec![0; end];
    file[..HEADER].copy_from_slice(&header(network.sizes));
    for ((layer, section), list) in S::playing().iter().zip(sections).zip(&network.layers) {
        let (weights, biases) = match layer.storage {
            Storage::Integers => (units(&list.weights), units(&list.biases)),
            Storage::ScaledRows => scaled(list, (layer.columns)(network.sizes)),
            Storage::Floats => (bytes_of(&list.weights), bytes_of(&list.biases)),
            Storage::None => continue,
        };
        file[section.weights].copy_from_slice(&weights);
        file[section.biases].copy_from_slice(&biases);
    }
    closed(file)
}

fn units(values: &[f32]) -> Vec<u8> {
    let units = values.iter().map(|w| (w * INPUT_SCALE).round() as i16);
    units.flat_map(i16::to_le_bytes).collect()
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Returns the 8-bit weights, and each row's scale and bias.
fn scaled(list: &Weights, width: usize) -> (Vec<u8>, Vec<u8>) {
    let mut units = Vec::with_capacity(list.weights.len());
    let mut rows = Vec::with_capacity(8 * list.biases.len());
    for (row, bias) in list.weights.chunks_exact(width).zip(&list.biases) {
        let largest = row.iter().fold(0f32, |most, w| most.max(w.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        units.extend(row.iter().map(|w| (w / scale).round() as i8 as u8));
        rows.extend((scale / HIDDEN_SCALE).to_le_bytes());
        rows.extend(bias.to_le_bytes());
    }
    (units, rows)
}

/// Converts the sections of a checked file, aligned in memory, to floats, as exactly as its integers
/// allow.
pub(crate) fn decode<S: Sizes>(sizes: S, bytes: &[u8]) -> Floats<S> {
    let integers = |range: Range<usize>| -> Vec<f32> {
        let units: &[i16] = bytemuck::cast_slice(&bytes[range]);
        units.iter().map(|&w| f32::from(w) / INPUT_SCALE).collect()
    };
    let floats = |range: Range<usize>| bytemuck::cast_slice::<u8, f32>(&bytes[range]).to_vec();
    let layer = |(layer, section): (&Layer<S>, Section)| match layer.storage {
        Storage::Integers => {
            Weights { weights: integers(section.weights), biases: integers(section.biases) }
        }
        Storage::ScaledRows => {
            let rows = bytemuck::cast_slice::<u8, [f32; 2]>(&bytes[section.biases]);
            let weights = bytemuck::cast_slice::<u8, i8>(&bytes[section.weights]);
            let weights = weights.chunks_exact((layer.columns)(sizes)).zip(rows);
            let scaled = weights.flat_map(|(row, [scale, _])| {
                let scale = scale * HIDDEN_SCALE;
                row.iter().map(move |&w| f32::from(w) * scale)
            });
            Weights { weights: scaled.collect(), biases: rows.iter().map(|row| row[1]).collect() }
        }
        Storage::Floats => {
            Weights { weights: floats(section.weights), biases: floats(section.biases) }
        }
        Storage::None => Weights::default(),
    };
    let layers = S::playing().iter().zip(sections(sizes).0).map(layer).collect();
    Floats { sizes, layers }
}
