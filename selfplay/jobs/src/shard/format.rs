//! Byte formats of headers, frames and footers.

use std::io::{self, Read};

use crate::compression;
use serde_json::Value;

pub(super) const MAGIC: [u8; 8] = *b"FUSNSHRD";
pub(super) const VERSION: u32 = 1;
/// Limit on the bytes of a header.
pub(super) const MAX_HEADER: u32 = 1 << 20;
/// Limit on the bytes of a payload, far above any game. A longer frame is damaged.
const MAX_PAYLOAD: u32 = 1 << 24;
const FRAME: u8 = 1;
const FOOTER: u8 = 2;
/// Bytes of a frame before its payload: tag, game, two lengths.
const FRAME_HEAD: usize = 17;

/// One game of a shard, ready for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    game: u64,
    bytes: Vec<u8>,
}

impl Frame {
    /// Compresses a game's payload.
    ///
    /// # Errors
    /// Fails if the payload is above 16 MiB, or if the compressor fails.
    ///
    /// # Examples
    /// ```
    /// use fusion_jobs::shard::Frame;
    ///
    /// assert_eq!(Frame::new(12, b"1. e4 e5")?.game(), 12);
    /// assert!(Frame::new(12, &vec![0; (16 << 20) + 1]).is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(game: u64, payload: &[u8]) -> io::Result<Self> {
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        let compressed = compression::compress(payload)?;
        if length > MAX_PAYLOAD || compressed.len() > MAX_PAYLOAD as usize {
            return Err(io::Error::other("a game's record exceeds 16 MiB"));
        }
        let mut bytes = Vec::with_capacity(FRAME_HEAD + compressed.len() + 4);
        bytes.push(FRAME);
        bytes.extend(game.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend((compressed.len() as u32).to_le_bytes());
        bytes.extend(compressed);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(Self { game, bytes })
    }

    /// Returns the game's number.
    #[must_use]
    pub fn game(&self) -> u64 {
        self.game
    }

    /// Returns the frame's bytes in the file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Decompresses the payload.
    pub(super) fn payload(&self) -> Result<Vec<u8>, ReadError> {
        let length = number(&self.bytes[9..13]);
        let compressed = &self.bytes[FRAME_HEAD..self.bytes.len() - 4];
        match compression::decompress(compressed, length as usize) {
            Ok(payload) if payload.len() == length as usize => Ok(payload),
            _ => Err(ReadError::Bad("a game's data do not decompress")),
        }
    }
}

/// The reason why the next part of a shard cannot be read.
#[derive(Debug)]
pub(super) enum ReadError {
    Io(io::Error),
    /// The input ends inside the part.
    Torn,
    Bad(&'static str),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            ReadError::Torn
        } else {
            ReadError::Io(error)
        }
    }
}

/// A frame, or the footer.
pub(super) enum Block {
    Frame(Frame),
    Footer { count: u64, sha256: [u8; 32] },
}

/// Encodes a header with this JSON.
pub(super) fn header_bytes(json: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(json.len() + 20);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Encodes a footer without its checksum.
pub(super) fn footer_head(count: u64) -> Vec<u8> {
    let mut bytes = vec![FOOTER];
    bytes.extend(count.to_le_bytes());
    bytes
}

/// Reads a header and checks it. [`json_of`] returns its JSON.
pub(super) fn read_header(input: &mut impl Read) -> Result<Vec<u8>, ReadError> {
    let mut bytes = vec![0; 16];
    input.read_exact(&mut bytes)?;
    if bytes[..8] != MAGIC {
        return Err(ReadError::Bad("this is no shard file"));
    }
    if number(&bytes[8..12]) != VERSION {
        return Err(ReadError::Bad("the shard was written by another version of the format"));
    }
    let length = number(&bytes[12..16]);
    if length > MAX_HEADER {
        return Err(ReadError::Bad("the header's length is invalid"));
    }
    read_more(input, &mut bytes, length as usize + 4)?;
    check_crc(&bytes, "the header's checksum is wrong")?;
    Ok(bytes)
}

/// Returns the JSON inside a header's bytes.
pub(super) fn json_of(header: &[u8]) -> &[u8] {
    header.get(16..header.len().saturating_sub(4)).unwrap_or_default()
}

/// Reads a frame or the footer. Returns `None` at the end of the input.
pub(super) fn read_block(input: &mut impl Read) -> Result<Option<Block>, ReadError> {
    let mut bytes = Vec::new();
    if input.take(1).read_to_end(&mut bytes)? == 0 {
        return Ok(None);
    }
    match bytes[0] {
        FRAME => read_frame(input, bytes).map(|frame| Some(Block::Frame(frame))),
        FOOTER => {
            read_more(input, &mut bytes, 8)?;
            let count = long_number(&bytes[1..9]);
            let mut sha256 = [0; 32];
            input.read_exact(&mut sha256)?;
            Ok(Some(Block::Footer { count, sha256 }))
        }
        _ => Err(ReadError::Bad("neither a game nor the footer stands where one should")),
    }
}

fn read_frame(input: &mut impl Read, mut bytes: Vec<u8>) -> Result<Frame, ReadError> {
    read_more(input, &mut bytes, FRAME_HEAD - 1)?;
    let (length, compressed) = (number(&bytes[9..13]), number(&bytes[13..17]));
    if length > MAX_PAYLOAD || compressed > MAX_PAYLOAD {
        return Err(ReadError::Bad("a game's length is invalid"));
    }
    read_more(input, &mut bytes, compressed as usize + 4)?;
    check_crc(&bytes, "a game's checksum is wrong")?;
    Ok(Frame { game: long_number(&bytes[1..9]), bytes })
}

/// Appends exactly `count` bytes. Memory grows with the input, not with `count`, so that a damaged
/// length cannot exhaust it.
fn read_more(input: &mut impl Read, bytes: &mut Vec<u8>, count: usize) -> Result<(), ReadError> {
    if input.take(count as u64).read_to_end(bytes)? == count {
        Ok(())
    } else {
        Err(ReadError::Torn)
    }
}

fn check_crc(bytes: &[u8], message: &'static str) -> Result<(), ReadError> {
    let (data, crc) = bytes.split_at(bytes.len() - 4);
    if crc32fast::hash(data) == number(crc) { Ok(()) } else { Err(ReadError::Bad(message)) }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

fn long_number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Describes the first setting in which two headers differ. Returns `None` if they agree.
pub fn difference(old: &[u8], new: &[u8]) -> Option<String> {
    if old == new {
        return None;
    }
    let parse = |json: &[u8]| in_games(serde_json::from_slice(json).unwrap_or(Value::Null));
    difference_at("", &parse(old), &parse(new))
}

/// Converts the number of a match's pairs in a header to games.
fn in_games(mut header: Value) -> Value {
    if header["kind"] == "match"
        && let Some(games) = header["games"].as_u64().and_then(|pairs| pairs.checked_mul(2))
    {
        header["games"] = games.into();
    }
    header
}

fn difference_at(path: &str, old: &Value, new: &Value) -> Option<String> {
    let (Value::Object(olds), Value::Object(news)) = (old, new) else {
        return (old != new).then(|| match path {
            // The signature's value has no meaning for the reader.
            "behaviour" => "another build of the program made it, which plays other moves: \
                continue with that build, or play all games again in another folder"
                .to_owned(),
            "games" => format!("it is of {old} games, now it would be of {new}"),
            "shards" => format!("it is of {old} shards, now it would be of {new}"),
            _ => format!("its {path} is {old}, now it would be {new}"),
        });
    };
    let keys = olds.keys().chain(news.keys().filter(|&key| !olds.contains_key(key)));
    let mut keys: Vec<&String> = keys.collect();
    // Another player has another signature too, but is no other build. Settings come before the number of
    // games, which follows from them and may count blocks of games.
    keys.sort_by_key(|&key| (key == "behaviour", key == "games" && path.is_empty()));
    keys.into_iter().find_map(|key| {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let value =
            |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
        difference_at(&path, &value(olds), &value(news))
    })
}
