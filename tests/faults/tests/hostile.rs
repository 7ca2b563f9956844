//! Tests headers with larger sizes than the file has. The programs must not allocate memory for
//! them.

use fusion_chess::FusionGame;
use fusion_chess::endgame::{self, Table};
use fusion_jobs::shard::{Header, Opened, ShardReader, ShardWriter, file_name};
use fusion_network::{self, Network};
use fusion_runner::records;
use sha2::{Digest, Sha256};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;

/// The system's allocator, except that it rejects requests that are too large.
struct Capped;

/// Limit above the needs of every file in these tests. A shard's game may need 16 MiB, which is its
/// limit.
const MOST: usize = 32 << 20;

// SAFETY: every call is passed unchanged to the system's allocator, or returns null, as an
// allocator may.
unsafe impl GlobalAlloc for Capped {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller guarantees a layout of nonzero size.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees that `pointer` is a block of this allocator with this
        // layout. Every block comes from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > MOST {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller guarantees that `pointer` is a block of this allocator with this
        // layout, and that `size` is valid. Every block comes from the system's allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Capped = Capped;

/// Appends the checksum, as every part of a shard has one.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Returns the header of a shard of `games` games, with its checksum.
fn shard_header(games: u64) -> Vec<u8> {
    let json = format!(
        r#"{{"kind":"games","program":"x","behaviour":"1","seed":1,"shard":0,"shards":1,"games":{games},"parameters":{{"records":2}}}}"#
    );
    let mut bytes = b"FUSNSHRD".to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    with_checksum(bytes)
}

/// Returns a game with these lengths in its head, followed only by its checksum.
fn shard_game(length: u32, compressed: u32) -> Vec<u8> {
    let mut bytes = vec![1];
    bytes.extend(0u64.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(compressed.to_le_bytes());
    with_checksum(bytes)
}

#[test]
fn shards_that_promise_too_much_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file_name("games", 0, 1));
    let mut footer = vec![2];
    footer.extend((1u64 << 60).to_le_bytes());
    footer.extend([0; 32]);
    for rest in [
        footer,
        shard_game(u32::MAX, u32::MAX),
        shard_game(1 << 24, 1 << 24),
        shard_game(1 << 24, 0),
        Vec::new(),
    ] {
        let bytes = [shard_header(1 << 60), rest].concat();
        fs::write(&path, &bytes).unwrap();
        let error = ShardReader::open(&path).and_then(ShardReader::verify).unwrap_err();
        assert!(error.to_string().contains("games-00000-of-00001.shard"), "{error}");
        fs::remove_file(&path).unwrap();
        // In an unfinished shard, the same bytes are games that were not written completely.
        fs::write(fusion_jobs::shard::part_path(&path), &bytes).unwrap();
        let header: Header = serde_json::from_slice(&bytes[16..16 + json_length(&bytes)]).unwrap();
        match ShardWriter::open(&path, &header).unwrap() {
            Opened::Unfinished(writer) => assert_eq!(writer.games().count(), 0),
            Opened::Complete => panic!("there is no finished shard"),
        }
        fs::remove_file(fusion_jobs::shard::part_path(&path)).unwrap();
    }
    // The header's length exceeds the limit.
    let mut bytes = shard_header(1);
    bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    assert!(ShardReader::open(&path).is_err());
}

/// Returns the length of a header's JSON.
fn json_length(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize
}

#[test]
fn records_that_promise_too_much_are_rejected() {
    // Every place in turn has a count of four thousand million.
    let sound = [&[11][..], b"fusion-2020", &[0, 0, 0], &[1, 0, 5]].concat();
    for place in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes.splice(place..=place, [0xff, 0xff, 0xff, 0xff, 0x0f]);
        match records::decode::<FusionGame>(&bytes) {
            // The code of a move may be any number.
            Ok(record) => assert!(place == sound.len() - 1 && record.plies.len() == 1),
            Err(error) => assert!(!error.to_string().is_empty(), "at {place}"),
        }
    }
}

/// Changes one number in the header of a valid network, under a correct checksum.
#[test]
fn networks_that_promise_too_much_are_rejected() {
    let rules = "fusion-2020".parse().unwrap();
    let floats = fusion_network::FloatNetwork::random::<FusionGame>(&rules, 64, 1).unwrap();
    let sound = Network::quantise::<FusionGame>(&rules, &floats).unwrap().bytes().to_vec();
    let content = sound.len() - 32;
    // The places are hidden width, value width, features and policy rows.
    for place in [12, 16, 20, 24] {
        for number in [8192u32, 1 << 30, u32::MAX - 63] {
            let mut bytes = sound.clone();
            bytes[place..place + 4].copy_from_slice(&number.to_le_bytes());
            let checksum = Sha256::digest(&bytes[..content]);
            bytes[content..].copy_from_slice(&checksum);
            assert!(Network::from_bytes::<FusionGame>(&rules, &bytes).is_err(), "{place} {number}");
        }
    }
    // The file's length is one tebibyte.
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), &sound).unwrap();
    file.as_file().set_len(1 << 40).unwrap();
    assert!(Network::load::<FusionGame>(&rules, file.path()).is_err());
}

/// Returns a table's head with this length of JSON and blocks of these lengths, under a correct
/// checksum.
fn table_head(json: &[u8], length: u32, blocks: usize, block: u32) -> Vec<u8> {
    let mut bytes = b"FUSIONET".to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(json);
    for _ in 0..blocks {
        bytes.extend(block.to_le_bytes());
        bytes.extend([0; 4]);
    }
    with_checksum(bytes)
}

#[test]
fn tables_that_promise_too_much_are_rejected() {
    let json = br#"{"material":"KRBvKR","rules":"fusion-2020","program":"x","finished":true}"#;
    let blocks = endgame::Layout::new("KRBvKR".parse().unwrap()).blocks();
    let own = json.len() as u32;
    for (length, block, reason) in [
        (own, u32::MAX, "cut short"),
        (own, 0, "data are damaged"),
        (own, 1 << 30, "cut short"),
        (1 << 16, 1, "header is damaged"),
        (u32::MAX, 1, "header is damaged"),
    ] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = table_head(json, length, blocks, block);
        if block == 0 {
            // The file has one block of one byte, under a wrong checksum.
            let first = 16 + json.len();
            bytes.truncate(bytes.len() - 4);
            bytes[first..first + 4].copy_from_slice(&1u32.to_le_bytes());
            bytes = [with_checksum(bytes), vec![7]].concat();
        }
        fs::write(file.path(), &bytes).unwrap();
        let error = Table::open(file.path()).unwrap_err().to_string();
        assert!(error.contains(reason), "{length} {block}: {error}");
    }
}
