//! The file format of the quantised efficiently updatable network.
//!
//! All numbers are little-endian. The header has 64 bytes: magic `FUSIONVN`, version, hidden width,
//! inputs, stages, width of a stage's layer, zero (u32 each), SHA-256 of the name of the inputs. The
//! sections of [`VIEW_LAYERS`] follow, each padded with zeros to a multiple of 64 bytes. The last 32
//! bytes are the SHA-256 of everything before them.

use super::architecture::MAX_HIDDEN;
use super::{STAGE_HIDDEN, VIEW_LAYERS, ViewFloats, ViewSizes};
use crate::file::quantise_rows;
use crate::kernels::INPUT_SCALE;
use fusion_game::Views;
use sha2::{Digest, Sha256};
use std::ops::Range;

pub(super) const MAGIC: &[u8; 8] = b"FUSIONVN";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const CHECKSUM: usize = 32;

/// The byte range of each section in the file.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) input: Range<usize>,
    pub(super) input_bias: Range<usize>,
    pub(super) stage_hidden: Range<usize>,
    pub(super) stage_hidden_rows: Range<usize>,
    /// Weights, then biases.
    pub(super) stage: Range<usize>,
    end: usize,
}

impl Layout {
    fn of(sizes: ViewSizes) -> Self {
        let mut end = HEADER;
        let mut sections =
            VIEW_LAYERS.iter().flat_map(|layer| layer.sections(sizes)).map(|bytes| {
                let range = end..end + bytes;
                end = range.end.next_multiple_of(64);
                range
            });
        let mut next = || sections.next().unwrap_or_default();
        let layout = Self {
            input: next(),
            input_bias: next(),
            stage_hidden: next(),
            stage_hidden_rows: next(),
            stage: next(),
            end: 0,
        };
        Self { end, ..layout }
    }
}

/// Returns the number of bytes of the longest network.
pub(super) fn longest<G: Views>() -> usize {
    let (inputs, stages) = (G::VIEW_INPUTS, G::STAGES);
    Layout::of(ViewSizes { inputs, hidden: MAX_HIDDEN, stages }).end + CHECKSUM
}

fn header<G: Views>(sizes: ViewSizes) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    let ViewSizes { inputs, hidden, stages } = sizes;
    let numbers = [VERSION as usize, hidden, inputs, stages, STAGE_HIDDEN];
    for (i, number) in numbers.into_iter().enumerate() {
        header[8 + 4 * i..12 + 4 * i].copy_from_slice(&(number as u32).to_le_bytes());
    }
    header[32..].copy_from_slice(&Sha256::digest(G::VIEWS_NAME.as_bytes()));
    header
}

/// Checks a file's bytes completely and returns its sizes and sections.
pub(super) fn check<G: Views>(bytes: &[u8]) -> Result<(ViewSizes, Layout), String> {
    if bytes.len() < HEADER + CHECKSUM {
        return Err(format!("{} bytes are too few for a network: truncated?", bytes.len()));
    }
    if &bytes[..8] != MAGIC {
        return Err("it does not begin with FUSIONVN: not an efficiently updatable network".into());
    }
    let hidden = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let sizes = ViewSizes::of::<G>(hidden)?;
    if bytes[..HEADER] != header::<G>(sizes) {
        return Err("it was made for another game, other inputs or another version".into());
    }
    let layout = Layout::of(sizes);
    if bytes.len() != layout.end + CHECKSUM {
        let (have, want) = (bytes.len(), layout.end + CHECKSUM);
        return Err(format!("it has {have} bytes instead of {want}: truncated or damaged"));
    }
    let (content, checksum) = bytes.split_at(layout.end);
    if Sha256::digest(content)[..] != *checksum {
        return Err("its checksum is wrong: the file is damaged".into());
    }
    Ok((sizes, layout))
}

/// Quantises a float network and returns its file's bytes.
pub(super) fn quantise<G: Views>(network: &ViewFloats) -> Result<Vec<u8>, String> {
    let sizes = ViewSizes::of::<G>(network.sizes.hidden)?;
    if sizes != network.sizes {
        return Err(format!("its sizes are {:?}, expected {sizes:?}", network.sizes));
    }
    let layout = Layout::of(sizes);
    let mut bytes = vec![0; layout.end];
    bytes[..HEADER].copy_from_slice(&header::<G>(sizes));
    let mut put = |range: &Range<usize>, data: &[u8]| bytes[range.clone()].copy_from_slice(data);
    let input = |values: &[f32]| -> Vec<u8> {
        let units = values.iter().map(|w| (w * INPUT_SCALE).round() as i16);
        units.flat_map(i16::to_le_bytes).collect()
    };
    put(&layout.input, &input(&network.input));
    put(&layout.input_bias, &input(&network.input_bias));
    let (weights, rows) =
        quantise_rows(&network.stage_hidden, &network.stage_hidden_bias, 2 * sizes.hidden);
    put(&layout.stage_hidden, &weights);
    put(&layout.stage_hidden_rows, &rows);
    let stage = network.stage.iter().chain(&network.stage_bias);
    put(&layout.stage, &stage.flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum);
    Ok(bytes)
}
