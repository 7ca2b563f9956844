//! Reader of a run's files. It accepts only plain files, compressed or not, and limits the memory
//! for each kind of file. Without the limit, a few kilobytes of compressed zeros could fill all
//! memory.

use fusion_game::files::{exists, is_held};
use fusion_jobs::exit::Failure;
use fusion_jobs::plain::{self, COMPRESSED, Limited, size};
pub use fusion_jobs::plain::{SMALL, TABLE};
use fusion_jobs::stop::Stop;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Largest size of a row in bytes.
const ROW: usize = 64 << 10;

/// Returns the first of the paths that exists, plain or compressed.
///
/// # Errors
/// Fails if a folder cannot be read, or is none (exit code 65).
pub fn find(paths: &[PathBuf]) -> anyhow::Result<Option<PathBuf>> {
    use anyhow::Context;
    for path in paths {
        for path in [path.clone(), path.with_added_extension(COMPRESSED)] {
            match exists(&path) {
                Ok(true) => return Ok(Some(path)),
                Ok(false) => {}
                // A file or device was given in the place of the run's folder.
                Err(error) if error.kind() == ErrorKind::NotADirectory => {
                    return Err(corrupt(&path, format!("{error}: name the folder of a run")));
                }
                Err(error) => return Err(error).with_context(|| path.display().to_string()),
            }
        }
    }
    Ok(None)
}

/// Rejects a file that is, or lies behind, a link out of the run's folder: reports and publications would
/// show what is not of the run.
///
/// # Errors
/// Fails with exit code 65 for such a link, or if a path cannot be resolved.
pub fn check_inside(root: &Path, path: &Path) -> anyhow::Result<()> {
    use anyhow::Context;
    let real = |path: &Path| path.canonicalize().with_context(|| path.display().to_string());
    if is_held(path) {
        return Ok(());
    }
    if real(path)?.starts_with(real(root)?) {
        return Ok(());
    }
    let advice = "put the file itself there, or move the link away";
    Err(corrupt(path, format!("is a link out of the folder {}: {advice}", root.display())))
}

/// Parses a JSON file. An editor may have begun it with a byte-order mark.
///
/// # Errors
/// Fails as [`read`] does, and with exit code 65 if the file is not such JSON.
pub fn json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let bytes = read(path, SMALL)?;
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    serde_json::from_slice(text).map_err(|error| corrupt(path, error))
}

/// Reads and decompresses a file of at most `most` bytes.
///
/// # Errors
/// Fails as [`open`] does, and with exit code 65 if the file is damaged or larger.
pub fn read(path: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match Limited::new(open(path)?, most).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(failed(path, error)),
    }
}

/// Reads a text of at most `most` bytes, as [`plain::normalised`] returns it.
///
/// # Errors
/// Fails as [`read`] does, and with exit code 65 if the file is not UTF-8.
pub fn text(path: &Path, most: u64) -> anyhow::Result<String> {
    plain::normalised(read(path, most)?).map_err(|reason| corrupt(path, reason))
}

/// Opens a file for reading. Compressed files are decompressed.
///
/// # Errors
/// Fails if the file cannot be opened (exit code 66 if it is missing) or is not a plain file.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if is_compressed(path) {
        return Ok(Box::new(BufReader::new(plain::open_compressed(path)?)));
    }
    Ok(Box::new(BufReader::new(plain::open(path)?)))
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == COMPRESSED)
}

/// Makes the error for a file that was opened and could not be read.
///
/// A file that does not decompress or is too large counts as damaged.
pub fn failed(path: &Path, error: io::Error) -> anyhow::Error {
    if error.kind() == ErrorKind::InvalidData {
        return corrupt(path, error);
    }
    if is_compressed(path) {
        return corrupt(path, format!("is damaged: {error}"));
    }
    anyhow::Error::new(error).context(path.display().to_string())
}

/// Makes the error for an invalid file.
pub fn corrupt(path: &Path, message: impl Display) -> anyhow::Error {
    Failure::corrupt(format!("{}: {message}", path.display())).into()
}

/// A reader of a table, row by row. It hashes the bytes and limits the length of rows.
pub struct Rows<R> {
    inner: R,
    hasher: Sha256,
    /// Bytes since the last line end. `None` before the first byte.
    line: Option<usize>,
    /// The error of the input. The CSV reader would word it differently.
    failed: Option<io::Error>,
    stop: Stop,
}

impl<R: Read> Rows<R> {
    /// Reads rows from an input.
    pub fn new(inner: R) -> Self {
        let stop = Stop::of_process();
        Self { inner, hasher: Sha256::new(), line: None, failed: None, stop }
    }

    /// Returns the error of the input, if there was one.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Returns the SHA-256 of all bytes read.
    pub fn hash(self) -> String {
        fusion_game::hex(&self.hasher.finalize())
    }

    /// Returns whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.line.is_none()
    }

    /// Returns whether the input ends soon and in the middle of a line.
    pub fn ends_in_a_line(&mut self) -> bool {
        let near = &mut [0; 2 * ROW][..];
        let mut left = near.len();
        while left > 0 {
            match self.read(&mut near[..left]) {
                Ok(0) => return self.line.is_some_and(|bytes| bytes > 0),
                Ok(read) => left -= read,
                Err(_) => return false,
            }
        }
        false
    }

    fn pass(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.requested() {
            return Err(io::Error::other("stopped"));
        }
        let read = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        for (i, piece) in buffer[..read].split(|&byte| byte == b'\n').enumerate() {
            let before = if i == 0 { self.line.unwrap_or(0) } else { 0 };
            let length = before + piece.len();
            if read > 0 {
                self.line = Some(length);
            }
            if length > ROW {
                let message = format!("has a line of more than {}", size(ROW as u64));
                return Err(io::Error::new(ErrorKind::InvalidData, message));
            }
        }
        Ok(read)
    }
}

impl<R: Read> Read for Rows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.pass(buffer).inspect_err(|error| {
            self.failed = Some(io::Error::new(error.kind(), error.to_string()));
        })
    }
}

/// A reader of games with a limit on the bytes of each game.
pub struct Granted<R> {
    inner: R,
    grant: Grant,
}

/// Remaining bytes of the next game.
#[derive(Clone, Default)]
pub struct Grant(Rc<Cell<u64>>);

impl Grant {
    /// Sets the limit of the next game in bytes.
    pub fn renew(&self, bytes: u64) {
        self.0.set(bytes);
    }
}

impl<R> Granted<R> {
    /// Reads games from an input, with the handle that limits the next one.
    pub fn new(inner: R) -> (Self, Grant) {
        let grant = Grant::default();
        (Self { inner, grant: grant.clone() }, grant)
    }
}

impl<R: BufRead> Read for Granted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Granted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let there = self.inner.fill_buf()?;
        let granted = usize::try_from(self.grant.0.get()).unwrap_or(usize::MAX).min(there.len());
        if granted == 0 && !there.is_empty() {
            let message = "a game takes more text than its plies can";
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
        Ok(&there[..granted])
    }

    fn consume(&mut self, amount: usize) {
        self.grant.0.set(self.grant.0.get().saturating_sub(amount as u64));
        self.inner.consume(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn rows_are_hashed_and_bounded() {
        let mut rows = Rows::new(&b"a,b\n1,2\n"[..]);
        assert!(rows.is_empty());
        io::copy(&mut rows, &mut io::sink()).unwrap();
        assert!(!rows.is_empty() && !rows.ends_in_a_line());
        assert_eq!(rows.hash(), fusion_jobs::checksums::of(b"a,b\n1,2\n"));
        let cut = &b"a,b\n1,2"[..];
        assert!(Rows::new(cut).ends_in_a_line());
        let mut text = vec![b'x'; ROW];
        text.push(b'\n');
        let twice = [&text[..], &text].concat();
        io::copy(&mut Rows::new(&twice[..]), &mut io::sink()).unwrap();
        text.insert(0, b'x');
        let mut long = Rows::new(&text[..]);
        assert!(io::copy(&mut long, &mut io::sink()).is_err());
        assert!(long.take_failure().unwrap().to_string().contains("a line of more than 64 KiB"));
    }

    #[test]
    fn small_files_are_small() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.toml.zst");
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.write_all(&vec![b' '; SMALL as usize]).unwrap();
        std::fs::write(&path, encoder.finish().unwrap()).unwrap();
        assert_eq!(read(&path, SMALL).unwrap().len() as u64, SMALL);
        assert!(read(&path, SMALL - 1).unwrap_err().to_string().contains("holds more than"));
    }

    #[test]
    fn a_game_takes_what_it_is_granted() {
        let (mut games, grant) = Granted::new(BufReader::with_capacity(4, &b"abcdefgh"[..]));
        let mut out = Vec::new();
        grant.renew(6);
        let error = games.read_to_end(&mut out).unwrap_err();
        assert!(error.to_string().contains("more text"), "{error}");
        grant.renew(100);
        games.read_to_end(&mut out).unwrap();
        assert_eq!(out, b"abcdefgh");
    }
}
