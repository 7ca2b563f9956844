//! Writing of shards, with resumption.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::exit::Failure;
use fusion_game::files;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::format::{self, Block, Frame, ReadError};
use super::reader::{ShardReader, explain};
use super::{Header, ShardError, part_path};
use crate::{atomic, lock, system};

/// Time between two syncs. A power failure may cost the games since the last sync; a kill of the
/// process costs none.
const SYNC_EVERY: Duration = Duration::from_secs(60);
/// Limit on the attempts to lock. Another process may finish the shard between the check and the
/// lock.
const ATTEMPTS: usize = 10;

/// A shard that is being written. It holds a lock on its `.part` file.
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
///     games: 2,
///     parameters: "fusion-2020",
/// };
/// let Opened::Unfinished(mut writer) = ShardWriter::open(&path, &header)? else {
///     panic!("the shard is not finished");
/// };
/// // Games end in any order.
/// writer.append(&Frame::new(1, b"1. d4 d5")?)?;
/// // The process is killed here. The next one keeps the game.
/// drop(writer);
/// let Opened::Unfinished(mut writer) = ShardWriter::open(&path, &header)? else {
///     panic!("the shard is not finished");
/// };
/// assert_eq!(writer.payload(1)?, Some(b"1. d4 d5".to_vec()));
/// writer.append(&Frame::new(0, b"1. e4 e5")?)?;
/// writer.finish()?;
///
/// let games = ShardReader::open(&path)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(games, [(0, b"1. e4 e5".to_vec()), (1, b"1. d4 d5".to_vec())]);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct ShardWriter {
    finished: PathBuf,
    part: PathBuf,
    file: File,
    header: Vec<u8>,
    /// Byte range of each game's frame in the file.
    frames: BTreeMap<u64, Range<u64>>,
    end: u64,
    synced: Instant,
}

/// The state of a shard on disk.
#[derive(Debug)]
pub enum Opened {
    /// The shard is finished and has the same header.
    Complete,
    /// The shard is new or unfinished.
    Unfinished(ShardWriter),
}

impl ShardWriter {
    /// Opens a shard for writing and keeps the games of an earlier run.
    ///
    /// # Errors
    /// Fails if a finished or unfinished shard has another header (exit code 64) or is damaged
    /// (65), if another process is writing it (75), or if the file system fails.
    pub fn open<P: Serialize>(finished: &Path, header: &Header<P>) -> Result<Opened, ShardError> {
        let json = serde_json::to_vec(header)
            .map_err(|e| ShardError::rejected(finished, Failure::usage(e)))?;
        if json.len() > format::MAX_HEADER as usize {
            let message = "the settings take more than a mebibyte: fewer rule sets, please";
            return Err(ShardError::rejected(finished, Failure::usage(message)));
        }
        if let Some(folder) = finished.parent() {
            fs::create_dir_all(folder).map_err(ShardError::io("creating", folder))?;
        }
        let part = part_path(finished);
        for _ in 0..ATTEMPTS {
            if is_finished(finished, &json)? {
                tidy(finished, &part);
                return Ok(Opened::Complete);
            }
            let file = lock_part(&part)?;
            if is_still(&file, &part) && !finished.exists() {
                return Self::resume(finished, part, file, &json).map(Opened::Unfinished);
            }
        }
        Err(ShardError::rejected(finished, busy()))
    }

    fn resume(finished: &Path, part: PathBuf, file: File, json: &[u8]) -> Result<Self, ShardError> {
        let header = format::header_bytes(json);
        let (frames, end) = scan(&part, &file, &header)?;
        let mut writer = Self {
            finished: finished.to_owned(),
            part,
            file,
            end,
            frames,
            synced: Instant::now(),
            header,
        };
        if writer.end == 0 {
            let header = writer.header.clone();
            writer.append_bytes(&header)?;
        }
        let cut = writer.file.set_len(writer.end);
        cut.map_err(ShardError::io("writing", &writer.part))?;
        Ok(writer)
    }

    /// Returns the numbers of the games in the shard.
    pub fn games(&self) -> impl Iterator<Item = u64> {
        self.frames.keys().copied()
    }

    /// Returns whether the shard has this game.
    #[must_use]
    pub fn contains(&self, game: u64) -> bool {
        self.frames.contains_key(&game)
    }

    /// Returns the payload of a game in the shard.
    ///
    /// # Errors
    /// Fails if the file system fails, or if the file was damaged after it was opened.
    pub fn payload(&self, game: u64) -> Result<Option<Vec<u8>>, ShardError> {
        let Some(span) = self.frames.get(&game) else {
            return Ok(None);
        };
        let bytes = self.read(span)?;
        match format::read_block(&mut bytes.as_slice()) {
            Ok(Some(Block::Frame(frame))) => frame.payload().map(Some),
            Ok(_) => Err(ReadError::Torn),
            Err(error) => Err(error),
        }
        .map_err(|e| explain(&self.part, e))
    }

    /// Adds a game, unless the shard has it already.
    ///
    /// # Errors
    /// Fails if the file system fails. Frames that were appended before stay valid.
    pub fn append(&mut self, frame: &Frame) -> Result<(), ShardError> {
        if self.contains(frame.game()) {
            return Ok(());
        }
        let start = self.end;
        self.append_bytes(frame.bytes())?;
        self.frames.insert(frame.game(), start..self.end);
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Syncs the appended frames to disk.
    ///
    /// # Errors
    /// Fails if the file system fails.
    pub fn sync(&mut self) -> Result<(), ShardError> {
        let synced = self.file.sync_data();
        synced.map_err(ShardError::io("writing", &self.part))?;
        self.synced = Instant::now();
        Ok(())
    }

    /// Writes the finished shard, with its games in order, and removes the `.part`.
    ///
    /// # Errors
    /// Fails if the file system fails. The `.part` then stays.
    pub fn finish(self) -> Result<(), ShardError> {
        let mut hasher = Sha256::new();
        let written = atomic::write(&self.finished, |out| {
            let mut put = |bytes: &[u8]| {
                hasher.update(bytes);
                out.write_all(bytes)
            };
            put(&self.header)?;
            for span in self.frames.values() {
                put(&read_span(&self.file, span)?)?;
            }
            put(&format::footer_head(self.frames.len() as u64))?;
            out.write_all(&hasher.finalize())
        });
        written.map_err(ShardError::io("writing", &self.finished))?;
        fs::remove_file(&self.part).map_err(ShardError::io("removing", &self.part))
    }

    /// Writes at the end. After a failed write the end is unchanged, so that the next write
    /// overwrites the fragment.
    fn append_bytes(&mut self, bytes: &[u8]) -> Result<(), ShardError> {
        let written = system::write_all_at(&self.file, bytes, self.end);
        written.map_err(ShardError::io("writing", &self.part))?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn read(&self, span: &Range<u64>) -> Result<Vec<u8>, ShardError> {
        read_span(&self.file, span).map_err(ShardError::io("reading", &self.part))
    }
}

/// Writes a `.part` with some games atomically.
///
/// # Errors
/// Returns the first error of a game or of the file system.
pub fn write_part<P: Serialize>(
    part: &Path,
    header: &Header<P>,
    frames: impl Iterator<Item = anyhow::Result<Frame>>,
) -> anyhow::Result<()> {
    let json = serde_json::to_vec(header)?;
    let mut failed = None;
    let written = atomic::write(part, |out| {
        out.write_all(&format::header_bytes(&json))?;
        for frame in frames {
            match frame {
                Ok(frame) => out.write_all(frame.bytes())?,
                Err(error) => {
                    failed = Some(error);
                    return Err(io::Error::other("a game cannot be read"));
                }
            }
        }
        Ok(())
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(written.map_err(ShardError::io("writing", part))?),
    }
}

/// Removes the part of a finished shard, which a killed process left. A part that cannot be removed
/// does no harm.
fn tidy(finished: &Path, part: &Path) {
    if part.exists()
        && let Ok(_file) = lock_part(part)
        && finished.exists()
    {
        let _ = fs::remove_file(part);
    }
}

fn read_span(file: &File, span: &Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (span.end - span.start) as usize];
    system::read_exact_at(file, &mut bytes, span.start)?;
    Ok(bytes)
}

/// Returns whether the finished shard exists, is valid, and has this header.
fn is_finished(path: &Path, json: &[u8]) -> Result<bool, ShardError> {
    let reader = match ShardReader::open(path) {
        Ok(reader) => reader,
        Err(ShardError::Io { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {
            return Ok(false);
        }
        Err(error) => return Err(error),
    };
    reject_other(path, reader.header_json(), json)?;
    reader.verify()?;
    Ok(true)
}

fn reject_other(path: &Path, old: &[u8], new: &[u8]) -> Result<(), ShardError> {
    let Some(difference) = format::difference(old, new) else {
        return Ok(());
    };
    let reason = format!(
        "this shard was made with other settings: {difference}; use another folder or delete the file"
    );
    Err(ShardError::rejected(path, Failure::usage(reason)))
}

fn lock_part(part: &Path) -> Result<File, ShardError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(part).and_then(|file| {
        files::check_file(&file.metadata()?)?;
        Ok(file)
    });
    let file = file.map_err(ShardError::io("opening", part))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ShardError::rejected(part, busy())),
        Err(TryLockError::Error(cause)) => {
            Err(ShardError::io("locking", part)(lock::without_locks(cause)))
        }
    }
}

fn busy() -> Failure {
    lock::busy("another process is working on this shard")
}

/// Returns whether the locked file still has its name. Another process may have finished the shard
/// and removed the part before the lock was acquired.
fn is_still(file: &File, path: &Path) -> bool {
    let id = |data: fs::Metadata| system::file_id(&data);
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(theirs)) => id(ours) == id(theirs),
        _ => false,
    }
}

/// Returns the valid frames of a `.part` and the offset of their end, which is 0 if the header is
/// incomplete.
fn scan(
    path: &Path,
    file: &File,
    header: &[u8],
) -> Result<(BTreeMap<u64, Range<u64>>, u64), ShardError> {
    let mut frames = BTreeMap::new();
    let mut input = BufReader::new(file);
    let found = match format::read_header(&mut input) {
        Ok(found) => found,
        Err(ReadError::Torn) => {
            let torn = is_torn_header(file, header).map_err(ShardError::io("reading", path))?;
            return if torn { Ok((frames, 0)) } else { Err(explain(path, ReadError::Torn)) };
        }
        Err(error) => return Err(explain(path, error)),
    };
    reject_other(path, format::json_of(&found), format::json_of(header))?;
    let mut end = found.len() as u64;
    // Damage from here on costs only the games after it. They are replayed with the same result.
    loop {
        match format::read_block(&mut input) {
            Ok(Some(Block::Frame(frame))) if frame.payload().is_ok() => {
                let start = end;
                end += frame.bytes().len() as u64;
                frames.insert(frame.game(), start..end);
            }
            Err(ReadError::Io(cause)) => return Err(ShardError::io("reading", path)(cause)),
            Ok(_) | Err(_) => return Ok((frames, end)),
        }
    }
}

/// Returns whether the file is a prefix of this header.
fn is_torn_header(mut file: impl Read + Seek, header: &[u8]) -> io::Result<bool> {
    let mut found = Vec::new();
    file.rewind()?;
    file.take(header.len() as u64 + 1).read_to_end(&mut found)?;
    Ok(header.starts_with(&found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::SeekFrom;

    /// A file on a disk that fails.
    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk fails"))
        }
    }

    impl Seek for Failing {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Ok(0)
        }
    }

    #[test]
    fn a_header_that_cannot_be_read_is_not_taken_for_a_damaged_one() {
        let error = is_torn_header(Failing, b"header").unwrap_err();
        assert_eq!(error.to_string(), "the disk fails");
        assert!(is_torn_header(io::Cursor::new(b"hea"), b"header").unwrap());
        assert!(!is_torn_header(io::Cursor::new(b"heap"), b"header").unwrap());
    }
}
