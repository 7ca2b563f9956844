//! Reading a shard while another process writes it.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::format::{self, Block, ReadError};
use super::reader::{explain, parse_header};
use super::{Header, ShardError};
use crate::system::{self, FileId};
use fusion_game::files;

/// An unfinished shard, read from where the last reading ended.
///
/// Nothing is locked or changed. A frame that is torn or damaged is where a reading ends: it may still
/// be written.
#[derive(Debug)]
pub struct FollowedPart {
    path: PathBuf,
    header: Header,
    /// What tells the file apart, to notice another one with the same name.
    id: FileId,
    /// End of the frames that were read.
    end: u64,
}

impl FollowedPart {
    /// Opens an unfinished shard. Returns `None` if it is gone, or if its header is not written yet.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is not a part of a shard (exit code 65).
    pub fn open(path: &Path) -> Result<Option<Self>, ShardError> {
        let Some(file) = open(path)? else { return Ok(None) };
        let data = file.metadata().map_err(ShardError::io("reading", path))?;
        match format::read_header(&mut BufReader::new(file)) {
            Ok(bytes) => Ok(Some(Self {
                path: path.to_owned(),
                header: parse_header(path, format::json_of(&bytes))?,
                id: system::file_id(&data),
                end: bytes.len() as u64,
            })),
            Err(ReadError::Torn) => Ok(None),
            Err(error) => Err(explain(path, error)),
        }
    }

    /// Returns the file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the shard's header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Calls `each` with the number and the payload of every game that has come since the last call.
    /// Returns whether the shard is still being written: not if its file is gone, or is another one.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    ///
    /// # Examples
    /// ```
    /// use fusion_jobs::shard::{FollowedPart, Frame, Header, Opened, ShardWriter, part_path, program};
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
    ///     parameters: (),
    /// };
    /// let Opened::Unfinished(mut writer) = ShardWriter::open(&path, &header)? else {
    ///     panic!("the shard is new");
    /// };
    /// let mut part = FollowedPart::open(&part_path(&path))?.expect("the header is written");
    /// let mut games = Vec::new();
    /// for game in [1, 0] {
    ///     writer.append(&Frame::new(game, b"1. e4 e5")?)?;
    ///     assert!(part.read_new(|game, _| games.push(game))?);
    /// }
    /// assert_eq!(games, [1, 0]);
    /// writer.finish()?;
    /// assert!(!part.read_new(|_, _| unreachable!("no game is read twice"))?);
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn read_new(&mut self, mut each: impl FnMut(u64, Vec<u8>)) -> Result<bool, ShardError> {
        let Some(file) = open(&self.path)? else { return Ok(false) };
        let data = file.metadata().map_err(ShardError::io("reading", &self.path))?;
        if system::file_id(&data) != self.id || data.len() < self.end {
            return Ok(false);
        }
        let mut input = BufReader::new(file);
        let place = SeekFrom::Start(self.end);
        input.seek(place).map_err(ShardError::io("reading", &self.path))?;
        loop {
            match format::read_block(&mut input) {
                Ok(Some(Block::Frame(frame))) => {
                    let Ok(payload) = frame.payload() else { return Ok(true) };
                    self.end += frame.bytes().len() as u64;
                    each(frame.game(), payload);
                }
                Err(ReadError::Io(cause)) => {
                    return Err(ShardError::io("reading", &self.path)(cause));
                }
                Ok(_) | Err(_) => return Ok(true),
            }
        }
    }
}

fn open(path: &Path) -> Result<Option<File>, ShardError> {
    match files::open_file(path) {
        Ok(file) => Ok(Some(file)),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(ShardError::io("opening", path)(cause)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Frame, format::header_bytes, program};
    use super::*;
    use std::io::Write;

    #[test]
    fn torn_and_other_files_end_a_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games-00000-of-00001.shard.part");
        assert!(FollowedPart::open(&path).unwrap().is_none());
        let header = Header {
            kind: "games".to_owned(),
            program: program(),
            behaviour: "1".to_owned(),
            seed: 7,
            shard: 0,
            shards: 1,
            games: 9,
            parameters: (),
        };
        let head = header_bytes(&serde_json::to_vec(&header).unwrap());
        std::fs::write(&path, &head[..20]).unwrap();
        assert!(FollowedPart::open(&path).unwrap().is_none(), "the header is not whole");
        std::fs::write(&path, &head).unwrap();
        let mut part = FollowedPart::open(&path).unwrap().unwrap();
        assert_eq!(part.header().games, 9);
        let mut read = || {
            let mut games = Vec::new();
            let goes_on = part.read_new(|game, _| games.push(game)).unwrap();
            (games, goes_on)
        };
        let frame = Frame::new(4, b"1. d4").unwrap();
        let (begin, rest) = frame.bytes().split_at(9);
        let append = |bytes: &[u8]| {
            let file = std::fs::OpenOptions::new().append(true).open(&path);
            file.unwrap().write_all(bytes).unwrap();
        };
        append(begin);
        assert_eq!(read(), (vec![], true), "a torn frame may still be written");
        append(rest);
        assert_eq!(read(), (vec![4], true));
        assert_eq!(read(), (vec![], true));
        std::fs::write(&path, &head).unwrap();
        assert_eq!(read(), (vec![], false), "the file is shorter than it was");
        std::fs::write(&path, b"something else that is long enough").unwrap();
        assert!(FollowedPart::open(&path).is_err());
    }
}
