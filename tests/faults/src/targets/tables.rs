//! The target for endgame tables.

use fusion_chess::endgame::{self, Layout, Table, Value};
use fusion_chess::rules::RuleSet;
use std::fs;
use std::sync::LazyLock;

/// A valid table of the smallest ending that has one.
static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let layout = Layout::new("KNvK".parse().expect("a material"));
    let rules: RuleSet = "fusion-2020".parse().expect("a preset");
    let codes = vec![Value::DRAW; layout.entries()];
    let blocks = codes.chunks(layout.block()).map(endgame::compress);
    let blocks: Vec<Vec<u8>> = blocks.collect::<Result<_, _>>().expect("compression in memory");
    let mut file = Vec::new();
    endgame::write(&mut file, &layout.material(), &rules, true, &blocks).expect("a file in memory");
    file
});

/// Reads a table's file: the input itself, and a valid file with some bytes replaced. The checksums
/// are corrected if the input's first byte is odd.
///
/// Every five bytes after the first replace one byte: four bytes for the place, one for the value.
pub(super) fn table(data: &[u8]) {
    read(data);
    let Some((&first, patches)) = data.split_first() else { return };
    let mut file = TABLE.clone();
    let length = file.len();
    for patch in patches.as_chunks::<5>().0 {
        let [place @ .., byte] = *patch;
        file[u32::from_le_bytes(place) as usize % length] = byte;
    }
    if first % 2 == 1 {
        seal(&mut file);
    }
    read(&file);
}

/// Opens a file and reads all of its contents.
fn read(bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), bytes).expect("a temporary file");
    let Ok(table) = Table::open(file.path()) else { return };
    for block in 0..table.layout().blocks() {
        let _ = table.decompress(block);
    }
    for index in (0..table.layout().entries()).step_by(997) {
        let _ = Value::of_code(table.code(index));
    }
}

/// Corrects the checksums of the blocks and of the head, as far as the file goes.
fn seal(file: &mut [u8]) {
    let number = |file: &[u8], at: usize| -> Option<usize> {
        let bytes = file.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    let Some(json) = number(file, 12) else { return };
    let blocks = Layout::new("KNvK".parse().expect("a material")).blocks();
    let start = 16 + json;
    let end = start + 8 * blocks;
    let mut next = end + 4;
    for entry in (start..end).step_by(8) {
        let Some(length) = number(file, entry) else { return };
        let Some(block) = file.get(next..next + length) else { break };
        let checksum = crc32fast::hash(block).to_le_bytes();
        next += length;
        if let Some(place) = file.get_mut(entry + 4..entry + 8) {
            place.copy_from_slice(&checksum);
        }
    }
    if let Some(head) = file.get(..end) {
        let checksum = crc32fast::hash(head).to_le_bytes();
        if let Some(place) = file.get_mut(end..end + 4) {
            place.copy_from_slice(&checksum);
        }
    }
}
