//! Reading finished shards.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::format::{self, Block, ReadError};
use super::{Header, MAX_SHARDS, ShardError};
use fusion_game::files;

/// A finished shard: an iterator over game numbers and payloads.
///
/// Every frame is checked before it is returned. The number of frames, the checksum of the whole
/// file and its end are checked before the iterator ends.
#[derive(Debug)]
pub struct ShardReader {
    path: PathBuf,
    input: BufReader<File>,
    hasher: Sha256,
    json: Vec<u8>,
    header: Header,
    count: u64,
    last: Option<u64>,
    done: bool,
}

impl ShardReader {
    /// Opens a finished shard and checks its header.
    ///
    /// # Errors
    /// Fails if the file is missing (exit code 66), or is not a valid shard (65).
    pub fn open(path: &Path) -> Result<Self, ShardError> {
        let file = files::open_file(path).map_err(ShardError::io("opening", path))?;
        let mut input = BufReader::new(file);
        let bytes = format::read_header(&mut input).map_err(|e| explain(path, e))?;
        let json = format::json_of(&bytes).to_vec();
        Ok(Self {
            path: path.to_owned(),
            input,
            hasher: Sha256::new_with_prefix(&bytes),
            header: parse_header(path, &json)?,
            json,
            count: 0,
            last: None,
            done: false,
        })
    }

    /// Returns the shard's header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the header's JSON, byte for byte.
    #[must_use]
    pub fn header_json(&self) -> &[u8] {
        &self.json
    }

    /// Reads to the end and returns the number of games.
    ///
    /// # Errors
    /// Fails if the file is damaged (exit code 65).
    ///
    /// # Examples
    /// ```
    /// use fusion_jobs::shard::{Frame, Header, Opened, ShardReader, ShardWriter, program};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("games-00000-of-00001.shard");
    /// let header = Header {
    ///     kind: "games".to_owned(),
    ///     program: program(),
    ///     behaviour: "1".to_owned(),
    ///     seed: 7,
    ///     shard: 0,
    ///     shards: 1,
    ///     games: 1,
    ///     parameters: (),
    /// };
    /// let Opened::Unfinished(mut writer) = ShardWriter::open(&path, &header)? else {
    ///     panic!("the shard is new");
    /// };
    /// writer.append(&Frame::new(0, b"1. e4 e5")?)?;
    /// writer.finish()?;
    /// assert_eq!(ShardReader::open(&path)?.verify()?, 1);
    ///
    /// // One changed bit in the last byte, which belongs to the checksum of the whole file.
    /// let mut bytes = std::fs::read(&path)?;
    /// *bytes.last_mut().unwrap() ^= 1;
    /// std::fs::write(&path, bytes)?;
    /// assert!(ShardReader::open(&path)?.verify().is_err());
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn verify(mut self) -> Result<u64, ShardError> {
        for frame in self.by_ref() {
            frame?;
        }
        Ok(self.count)
    }

    fn step(&mut self) -> Result<Option<(u64, Vec<u8>)>, ShardError> {
        let block = format::read_block(&mut self.input).map_err(|e| explain(&self.path, e))?;
        match block {
            Some(Block::Frame(frame)) => {
                if self.last.is_some_and(|last| last >= frame.game()) {
                    return Err(ShardError::corrupt(&self.path, "the games are out of order"));
                }
                self.hasher.update(frame.bytes());
                self.last = Some(frame.game());
                self.count += 1;
                let payload = frame.payload().map_err(|e| explain(&self.path, e))?;
                Ok(Some((frame.game(), payload)))
            }
            Some(Block::Footer { count, sha256 }) => self.finish(count, sha256).map(|()| None),
            None => Err(explain(&self.path, ReadError::Torn)),
        }
    }

    fn finish(&mut self, count: u64, sha256: [u8; 32]) -> Result<(), ShardError> {
        self.hasher.update(format::footer_head(count));
        let found: [u8; 32] = self.hasher.finalize_reset().into();
        if count != self.count || found != sha256 {
            let reason =
                "the count or checksum in its footer is wrong: delete the file and make it again";
            return Err(ShardError::corrupt(&self.path, reason));
        }
        let mut byte = [0];
        match self.input.read(&mut byte) {
            Ok(0) => Ok(()),
            Ok(_) => Err(ShardError::corrupt(&self.path, "there are bytes after its footer")),
            Err(cause) => Err(ShardError::io("reading", &self.path)(cause)),
        }
    }
}

impl Iterator for ShardReader {
    type Item = Result<(u64, Vec<u8>), ShardError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.step().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

/// Reads the header of an unfinished shard. Returns `None` if the header is incomplete.
///
/// # Errors
/// Fails if the file cannot be read, or is not a part of a shard.
pub fn read_part_header(path: &Path) -> Result<Option<Header>, ShardError> {
    let file = files::open_file(path).map_err(ShardError::io("opening", path))?;
    match format::read_header(&mut BufReader::new(file)) {
        Ok(bytes) => parse_header(path, format::json_of(&bytes)).map(Some),
        Err(ReadError::Torn) => Ok(None),
        Err(error) => Err(explain(path, error)),
    }
}

pub(super) fn parse_header(path: &Path, json: &[u8]) -> Result<Header, ShardError> {
    let header: Header = serde_json::from_slice(json)
        .map_err(|e| ShardError::corrupt(path, format!("the header is not understood: {e}")))?;
    if header.shards > MAX_SHARDS || header.shard >= header.shards {
        let Header { shard, shards, .. } = header;
        return Err(ShardError::corrupt(path, format!("there is no shard {shard} of {shards}")));
    }
    Ok(header)
}

pub(super) fn explain(path: &Path, error: ReadError) -> ShardError {
    let advice = "delete the file and make it again";
    match error {
        ReadError::Io(cause) => ShardError::io("reading", path)(cause),
        ReadError::Torn => ShardError::corrupt(path, format!("the file is truncated: {advice}")),
        ReadError::Bad(reason) => ShardError::corrupt(path, format!("{reason}: {advice}")),
    }
}
