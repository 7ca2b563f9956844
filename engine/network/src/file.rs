//! The file format of the quantised network.
//!
//! All numbers are little-endian. The header has 64 bytes: magic `FUSIONNN`, version, hidden width,
//! value width, features, policy rows, zero (u32 each), SHA-256 of the scheme's name. The sections
//! follow, each padded with zeros to a multiple of 64 bytes:
//!
//! | section | type | shape |
//! | --- | --- | --- |
//! | input weights | i16, 508 stands for 1 | features x hidden |
//! | input bias | i16 | hidden |
//! | value hidden weights | i8 | 32 x hidden |
//! | value hidden scale and bias | f32 | 32 x 2 |
//! | value weights, then bias | f32 | 4 x 32, 4 |
//! | policy weights | i8 | policy rows x hidden |
//! | policy scale and bias | f32 | policy rows x 2 |
//!
//! The last 32 bytes are the SHA-256 of everything before them. A row's scale turns its integer dot
//! product with the hidden activations into a float.

use crate::architecture::{LAYERS, Sizes, VALUE_HIDDEN};
use crate::float::FloatNetwork;
use crate::kernels::{HIDDEN_SCALE, INPUT_SCALE};
use fusion_game::{Encoding, OlderEncoding, OpenErrorKind};
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(super) const MAGIC: &[u8; 8] = b"FUSIONNN";
const VERSION: u32 = 2;
const HEADER: usize = 64;
const CHECKSUM: usize = 32;
const MAX_HIDDEN: usize = 8192;

/// An error about a network file.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read or written.
    #[error("network file {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not a network for this program and game.
    #[error("network file {path} is rejected: {reason}")]
    Bad {
        /// The file.
        path: PathBuf,
        /// The reason why the file is rejected.
        reason: String,
    },
}

impl NetworkError {
    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }

    /// Returns what is wrong, for the program's exit code.
    #[must_use]
    pub fn kind(&self) -> OpenErrorKind {
        match self {
            Self::Io { source, .. } => OpenErrorKind::of(source),
            Self::Bad { .. } => OpenErrorKind::Rejected,
        }
    }

    pub(super) fn bad(path: &Path, reason: impl Into<String>) -> Self {
        Self::Bad { path: path.into(), reason: reason.into() }
    }
}

/// Sizes of a network and the scheme of its features and policy rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Hidden width, a multiple of 64.
    pub hidden: usize,
    /// Number of features.
    pub features: usize,
    /// Number of policy rows.
    pub policy: usize,
    /// SHA-256 of the game's scheme.
    pub scheme: [u8; 32],
}

impl Shape {
    /// Returns the shape of a network with the hidden width `hidden` for the game `G`.
    ///
    /// # Errors
    /// Returns an error if the width is not a multiple of 64 from 64 to 8192.
    pub fn of<G: Encoding>(hidden: usize) -> Result<Self, String> {
        if hidden == 0 || !hidden.is_multiple_of(64) || hidden > MAX_HIDDEN {
            return Err(format!(
                "a hidden width of {hidden} is not a multiple of 64 from 64 to {MAX_HIDDEN}"
            ));
        }
        Ok(Self::for_scheme(hidden, G::NAME, G::FEATURES, G::POLICY))
    }

    /// Returns the sizes without the scheme.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        Sizes { features: self.features, hidden: self.hidden, policy: self.policy }
    }

    /// Returns the shape of a network for an older encoding.
    pub(super) fn of_older(hidden: usize, older: OlderEncoding) -> Self {
        Self::for_scheme(hidden, older.name, older.features, older.policy)
    }

    fn for_scheme(hidden: usize, name: &str, features: usize, policy: usize) -> Self {
        Self { hidden, features, policy, scheme: Sha256::digest(name.as_bytes()).into() }
    }

    fn header(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        let numbers = [
            VERSION,
            self.hidden as u32,
            VALUE_HIDDEN as u32,
            self.features as u32,
            self.policy as u32,
        ];
        for (i, number) in numbers.into_iter().enumerate() {
            header[8 + 4 * i..12 + 4 * i].copy_from_slice(&number.to_le_bytes());
        }
        header[32..].copy_from_slice(&self.scheme);
        header
    }
}

/// The byte range of each section in the file.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) input: Range<usize>,
    pub(super) input_bias: Range<usize>,
    pub(super) value_hidden: Range<usize>,
    pub(super) value_hidden_rows: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) policy: Range<usize>,
    pub(super) policy_rows: Range<usize>,
    pub(super) end: usize,
}

impl Layout {
    /// Returns the sections in the file's order.
    fn sections(&self) -> [Range<usize>; 7] {
        [
            self.input.clone(),
            self.input_bias.clone(),
            self.value_hidden.clone(),
            self.value_hidden_rows.clone(),
            self.value.clone(),
            self.policy.clone(),
            self.policy_rows.clone(),
        ]
    }

    pub(super) fn of(shape: &Shape) -> Self {
        let mut end = HEADER;
        let mut sections =
            LAYERS.iter().flat_map(|layer| layer.sections(shape.sizes())).map(|bytes| {
                let range = end..end + bytes;
                end = range.end.next_multiple_of(64);
                range
            });
        let mut next = || sections.next().unwrap_or_default();
        let layout = Self {
            input: next(),
            input_bias: next(),
            value_hidden: next(),
            value_hidden_rows: next(),
            value: next(),
            policy: next(),
            policy_rows: next(),
            end: 0,
        };
        Self { end, ..layout }
    }
}

/// Returns the length of the longest file for the game `G`, in bytes.
pub(super) fn longest<G: Encoding>() -> usize {
    Shape::of::<G>(MAX_HIDDEN).map_or(0, |shape| Layout::of(&shape).end + CHECKSUM)
}

/// Converts a file made for the game's earlier scheme into a file for its present scheme. The weights
/// of new features and policy rows are zero. Returns `None` if the bytes are not such a file.
///
/// # Errors
/// Returns the reason why a file for the earlier scheme is rejected.
pub(super) fn upgraded<G: Encoding>(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let Some(name) = bytes.get(32..HEADER) else { return Ok(None) };
    let of = |older: &OlderEncoding| Sha256::digest(older.name.as_bytes())[..] == *name;
    let Some(older) = G::OLDER.filter(of) else { return Ok(None) };
    let (shape, old) =
        check(bytes, |hidden| Shape::of::<G>(hidden).map(|_| Shape::of_older(hidden, older)))?;
    Ok(Some(with_shape(bytes, &old, &Shape::of::<G>(shape.hidden)?)))
}

/// Converts a file to another shape of the same width. Of every section the common part is kept.
pub(super) fn with_shape(bytes: &[u8], old: &Layout, shape: &Shape) -> Vec<u8> {
    let new = Layout::of(shape);
    let mut file = vec![0; new.end];
    file[..HEADER].copy_from_slice(&shape.header());
    for (from, to) in old.sections().into_iter().zip(new.sections()) {
        let length = from.len().min(to.len());
        file[to.start..][..length].copy_from_slice(&bytes[from.start..][..length]);
    }
    let checksum = Sha256::digest(&file);
    file.extend_from_slice(&checksum);
    file
}

/// Checks a file's bytes completely and returns its shape and sections. `expected` returns the only
/// shape that is accepted for a width.
pub(super) fn check(
    bytes: &[u8],
    expected: impl Fn(usize) -> Result<Shape, String>,
) -> Result<(Shape, Layout), String> {
    if bytes.len() < HEADER + CHECKSUM {
        return Err(format!("{} bytes are too few for a network: truncated?", bytes.len()));
    }
    if &bytes[..8] != MAGIC {
        return Err("it does not begin with FUSIONNN: not a network".into());
    }
    let number = |i: usize| {
        let at = 8 + 4 * i;
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
    };
    if number(0) != VERSION as usize {
        return Err(format!("format version {}, this program reads {VERSION}", number(0)));
    }
    let shape = expected(number(1))?;
    if [number(2), number(3), number(4)] != [VALUE_HIDDEN, shape.features, shape.policy] {
        return Err(format!(
            "value width, features and policy rows are {}, {}, {}, expected {VALUE_HIDDEN}, {}, {}",
            number(2),
            number(3),
            number(4),
            shape.features,
            shape.policy
        ));
    }
    if bytes[32..64] != shape.scheme {
        return Err("it was made for another game or scheme".into());
    }
    let layout = Layout::of(&shape);
    if bytes.len() != layout.end + CHECKSUM {
        let (have, want) = (bytes.len(), layout.end + CHECKSUM);
        return Err(format!("it has {have} bytes instead of {want}: truncated or damaged"));
    }
    let (content, checksum) = bytes.split_at(layout.end);
    if Sha256::digest(content)[..] != *checksum {
        return Err("its checksum is wrong: the file is damaged".into());
    }
    Ok((shape, layout))
}

/// Quantises a float network and returns its file's bytes.
///
/// Input weights are clamped to the range of i16. The other rows are scaled to int8.
pub(super) fn quantise(network: &FloatNetwork) -> Vec<u8> {
    let layout = Layout::of(&network.shape);
    let hidden = network.shape.hidden;
    let mut bytes = vec![0; layout.end];
    bytes[..HEADER].copy_from_slice(&network.shape.header());
    let mut put = |range: &Range<usize>, data: &[u8]| bytes[range.clone()].copy_from_slice(data);
    let input = |values: &[f32]| -> Vec<u8> {
        let units = values.iter().map(|w| (w * INPUT_SCALE).round() as i16);
        units.flat_map(i16::to_le_bytes).collect()
    };
    put(&layout.input, &input(&network.input));
    put(&layout.input_bias, &input(&network.input_bias));
    let (weights, rows) = quantise_rows(&network.value_hidden, &network.value_hidden_bias, hidden);
    put(&layout.value_hidden, &weights);
    put(&layout.value_hidden_rows, &rows);
    let value = network.value.iter().chain(&network.value_bias);
    put(&layout.value, &value.flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
    let (weights, rows) = quantise_rows(&network.policy, &network.policy_bias, hidden);
    put(&layout.policy, &weights);
    put(&layout.policy_rows, &rows);
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum);
    bytes
}

/// Returns the int8 weights, and each row's scale and bias.
pub(super) fn quantise_rows(weights: &[f32], biases: &[f32], width: usize) -> (Vec<u8>, Vec<u8>) {
    let mut units = Vec::with_capacity(weights.len());
    let mut rows = Vec::with_capacity(8 * biases.len());
    for (row, bias) in weights.chunks_exact(width).zip(biases) {
        let largest = row.iter().fold(0f32, |most, w| most.max(w.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        units.extend(row.iter().map(|w| (w / scale).round() as i8 as u8));
        rows.extend((scale / HIDDEN_SCALE).to_le_bytes());
        rows.extend(bias.to_le_bytes());
    }
    (units, rows)
}
