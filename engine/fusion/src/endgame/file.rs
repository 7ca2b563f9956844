//! A table's file.
//!
//! The format is little-endian. The file begins with the magic `FUSIONET`, the version and the
//! length of the header (u32 each), and the header as JSON. For every block follow the length of
//! its compressed bytes and their CRC-32 (u32 each). Then comes the CRC-32 of all bytes before it,
//! and then the blocks. A block is a zstd frame of its entries' codes (u16, see
//! [`Value`](super::Value)) in the order of [`Layout`].

use super::{Layout, Material, Uncovered, block, equivalent_rules};
use crate::board::{Color, Position};
use crate::rules::RuleSet;
use fusion_game::files;
use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The file name extension of tables, without the dot.
pub const EXTENSION: &str = "fet";

const MAGIC: &[u8; 8] = b"FUSIONET";
const VERSION: u32 = 1;
const PREFIX: usize = 16;
/// The largest length of a header in bytes. A longer one is rejected.
const MAX_HEADER: usize = 1 << 16;

/// The reason why a table's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file or folder cannot be read.
    #[error("endgame table {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not a complete table for this program.
    #[error("endgame table {path} is rejected: {reason}; delete it and build it again")]
    Bad {
        /// The file.
        path: PathBuf,
        /// The reason for the rejection.
        reason: String,
    },
    /// No table can be made for these rules.
    #[error(transparent)]
    Uncovered(#[from] Uncovered),
    /// There is no table for these rules.
    #[error(
        "{folder} holds no endgame table for {rules}; build some with fusion endgames build --out {folder} --rules {rules}"
    )]
    None {
        /// The folder that was searched.
        folder: PathBuf,
        /// The rules.
        rules: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    material: String,
    rules: String,
    program: String,
    /// Whether all values are final.
    finished: bool,
}

/// The version of the program that writes files.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Writes a table whose blocks were compressed with [`compress`](super::compress). The table is marked unfinished if
/// it holds the codes of an interrupted solver.
///
/// # Errors
/// Returns any error of `out`.
pub fn write(
    out: &mut dyn Write,
    material: &Material,
    rules: &RuleSet,
    finished: bool,
    blocks: &[Vec<u8>],
) -> io::Result<()> {
    let header = Header {
        material: material.to_string(),
        rules: rules.to_string(),
        program: PROGRAM.into(),
        finished,
    };
    let json = serde_json::to_vec(&header)?;
    let mut head = MAGIC.to_vec();
    head.extend(VERSION.to_le_bytes());
    head.extend((json.len() as u32).to_le_bytes());
    head.extend(json);
    for block in blocks {
        let length = u32::try_from(block.len()).map_err(io::Error::other)?;
        head.extend(length.to_le_bytes());
        head.extend(crc32fast::hash(block).to_le_bytes());
    }
    head.extend(crc32fast::hash(&head).to_le_bytes());
    out.write_all(&head)?;
    blocks.iter().try_for_each(|block| out.write_all(block))
}

/// A table whose blocks are read on demand. Threads share it.
///
/// A block is decompressed when it is first needed and then stays in memory. It takes up to two
/// bytes for every entry.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    layout: Layout,
    rules: RuleSet,
    map: Mmap,
    finished: bool,
    own: bool,
    ranges: Vec<Range<usize>>,
    blocks: Vec<OnceLock<Vec<u16>>>,
}

impl Table {
    /// Opens a table and checks every byte of it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is not a table, has another version, or is
    /// damaged.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let io = |source| TableError::Io { path: path.into(), source };
        let bad = |reason: &str| TableError::Bad { path: path.into(), reason: reason.into() };
        let file = files::open_file(path).map_err(io)?;
        // SAFETY: the mapped file must not change. The program writes table files once, renames
        // them into place and never changes them afterwards. If another process truncates a file in
        // use, this process is ended.
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        let (header, directory) = read_header(&map).map_err(bad)?;
        let material: Material =
            header.material.parse().map_err(|_| bad("its material is none that exists"))?;
        let rules: RuleSet =
            header.rules.parse().map_err(|_| bad("its rules are none that exist"))?;
        let layout = Layout::new(material);
        let ranges = read_directory(&map, directory, layout.blocks()).map_err(bad)?;
        let blocks = ranges.iter().map(|_| OnceLock::new()).collect();
        let (finished, own) = (header.finished, header.program == PROGRAM);
        Ok(Self { path: path.into(), layout, rules, map, finished, own, ranges, blocks })
    }

    /// Opens the finished table of an ending.
    ///
    /// # Errors
    /// Returns the errors of [`Table::open`], and an error for a table that is unfinished, of
    /// another ending or for other rules.
    pub fn open_finished(
        path: &Path,
        material: &Material,
        rules: &RuleSet,
    ) -> Result<Self, TableError> {
        let table = Self::open(path)?;
        let bad = |reason| Err(TableError::Bad { path: path.into(), reason });
        let (found, under) = (table.layout.material(), table.rules);
        if found != *material || under != equivalent_rules(rules, material) {
            return bad(format!("it holds {found} under {under}, not what its name says"));
        }
        if !table.finished {
            return bad("it is not finished".into());
        }
        Ok(table)
    }

    /// Returns whether this version of the program wrote the table. The codes of an interrupted
    /// solver of another version may have a different meaning.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.own
    }

    /// Returns the order of the entries.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the rules under which the table was solved.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Returns the file's bytes before its blocks, which include the blocks' checksums.
    #[must_use]
    pub(super) fn head(&self) -> &[u8] {
        let end = self.ranges.first().map_or(self.map.len(), |first| first.start);
        &self.map[..end]
    }

    /// Decompresses a block again and returns its codes.
    ///
    /// # Errors
    /// Returns an error if the data do not decompress although their checksum is correct.
    pub fn decompress(&self, block: usize) -> Result<Vec<u16>, TableError> {
        let mut codes = vec![0u16; self.layout.block()];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut codes);
        match block::decompress(&self.map[self.ranges[block].clone()], bytes) {
            Ok(length) if length == 2 * self.layout.block() => self.checked(block, codes),
            _ => Err(TableError::Bad {
                path: self.path.clone(),
                reason: format!("block {block} does not decompress"),
            }),
        }
    }

    /// Rejects codes that no finished table has.
    fn checked(&self, block: usize, codes: Vec<u16>) -> Result<Vec<u16>, TableError> {
        if self.finished && codes.iter().any(|&code| code >= super::Value::CODES) {
            let reason = format!("block {block} has values that cannot be");
            return Err(TableError::Bad { path: self.path.clone(), reason });
        }
        Ok(codes)
    }

    /// Returns the code of an entry. Returns [`Value::NO_POSITION`](super::Value::NO_POSITION) for
    /// an entry beyond the table or in a block that does not decompress.
    #[must_use]
    pub fn code(&self, index: usize) -> u16 {
        let Some(block) = self.blocks.get(index / self.layout.block()) else {
            return super::Value::NO_POSITION;
        };
        let number = index / self.layout.block();
        let codes = block.get_or_init(|| self.decompress(number).unwrap_or_default());
        codes.get(index % self.layout.block()).copied().unwrap_or(super::Value::NO_POSITION)
    }

    /// Returns the value of a position of this material. See [`Material::of`] for `swapped`.
    #[must_use]
    pub(super) fn value(&self, position: &Position, swapped: bool) -> Option<super::Value> {
        let (squares, side): (_, Color) = self.layout.arrangement(position, swapped);
        super::Value::of_code(self.code(self.layout.index(&squares, side)?))
    }
}

fn number(bytes: &[u8]) -> usize {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[..4]);
    u32::from_le_bytes(word) as usize
}

/// Reads the header. Returns it with the offset of the directory of blocks.
fn read_header(bytes: &[u8]) -> Result<(Header, usize), &'static str> {
    if bytes.len() < PREFIX || bytes[..8] != *MAGIC {
        return Err("it is no endgame table");
    }
    if number(&bytes[8..]) != VERSION as usize {
        return Err("it was written by another version of the format");
    }
    let end = PREFIX + number(&bytes[12..]);
    if end > PREFIX + MAX_HEADER || end > bytes.len() {
        return Err("its header is damaged");
    }
    let header = serde_json::from_slice(&bytes[PREFIX..end]);
    header.map(|header| (header, end)).map_err(|_| "its header is damaged")
}

/// Returns the places of the blocks, after checking all checksums.
fn read_directory(
    bytes: &[u8],
    start: usize,
    blocks: usize,
) -> Result<Vec<Range<usize>>, &'static str> {
    let end = start + 8 * blocks;
    if bytes.len() < end + 4 {
        return Err("it is cut short");
    }
    if number(&bytes[end..]) != crc32fast::hash(&bytes[..end]) as usize {
        return Err("its header is damaged");
    }
    let mut next = end + 4;
    let mut ranges = Vec::with_capacity(blocks);
    for entry in bytes[start..end].chunks_exact(8) {
        let range = next..next + number(entry);
        next = range.end;
        let data = bytes.get(range.clone()).ok_or("it is cut short")?;
        if crc32fast::hash(data) as usize != number(&entry[4..]) {
            return Err("its data are damaged");
        }
        ranges.push(range);
    }
    if next == bytes.len() { Ok(ranges) } else { Err("it has more data than it should") }
}

#[cfg(test)]
mod tests {
    use super::super::compress;
    use super::*;
    use proptest::prelude::*;

    fn sample() -> (Layout, Vec<u16>, Vec<u8>) {
        let layout = Layout::new("KRvK".parse().unwrap());
        let codes: Vec<u16> = (0..layout.entries()).map(|i| (i * i % 37) as u16).collect();
        let blocks: Vec<_> =
            codes.chunks(layout.block()).map(|block| compress(block).unwrap()).collect();
        let mut bytes = Vec::new();
        let rules = RuleSet::preset("fusion-2020").unwrap();
        write(&mut bytes, &layout.material(), &rules, true, &blocks).unwrap();
        (layout, codes, bytes)
    }

    fn opened(bytes: &[u8]) -> Result<Table, TableError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Table::open(file.path())
    }

    #[test]
    fn what_was_written_is_read() {
        let (layout, codes, bytes) = sample();
        let table = opened(&bytes).unwrap();
        assert_eq!(table.layout().material(), layout.material());
        assert_eq!(table.rules().to_string(), "fusion-2020");
        assert!((0..layout.entries()).all(|index| table.code(index) == codes[index]));
        assert_eq!(table.code(layout.entries()), super::super::Value::NO_POSITION);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn damage_is_found(place: prop::sample::Index, flip in 1u8..) {
            let (_, _, bytes) = sample();
            let mut damaged = bytes.clone();
            damaged[place.index(bytes.len())] ^= flip;
            prop_assert!(opened(&damaged).is_err());
            prop_assert!(opened(&bytes[..place.index(bytes.len())]).is_err());
        }
    }
}
