//! Access to files in untrusted folders.
//!
//! Only plain files are opened: reading a pipe can block forever, and a device may have no end.
//! Decompressed content is limited in proportion to the file's size.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::exit::Failure;
use anyhow::Context;

/// Ending of a compressed file's name.
pub const COMPRESSED: &str = "zst";
/// Limit on the ratio of content to compressed file. Games compress about tenfold, zeros about
/// twenty-thousandfold.
const MOST_TIMES: u64 = 1_000;
/// Number of bytes allowed in any compressed file, however small.
const LEAST: u64 = 64 << 20;

/// Opens a file for reading.
///
/// # Errors
/// Fails if the file is missing or cannot be read, or if it is a folder, a pipe or a device (exit
/// code 65).
pub fn open(path: &Path) -> anyhow::Result<File> {
    let context = || format!("reading {}", path.display());
    let data = fs::metadata(path).with_context(context)?;
    if !data.is_file() {
        let what = if data.is_dir() { "a folder" } else { "a pipe or a device" };
        let message = format!("{}: is {what}, not a file: move it away", path.display());
        return Err(Failure::corrupt(message).into());
    }
    File::open(path).with_context(context)
}

/// Opens a compressed file and decompresses it while reading. Reading fails beyond both 1,000 times
/// the file's size and 64 MiB.
///
/// # Errors
/// Fails as [`open()`] does.
///
/// # Examples
/// ```
/// use fusion_jobs::plain::open_compressed;
/// use std::io::Read;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.csv.zst");
/// std::fs::write(&path, zstd::encode_all(&b"1,draw\n"[..], 3)?)?;
/// let mut text = String::new();
/// open_compressed(&path)?.read_to_string(&mut text)?;
/// assert_eq!(text, "1,draw\n");
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn open_compressed(path: &Path) -> anyhow::Result<impl Read + use<>> {
    let file = open(path)?;
    let context = || format!("reading {}", path.display());
    let size = file.metadata().with_context(context)?.len();
    let most = size.saturating_mul(MOST_TIMES).max(LEAST);
    Ok(Limited::new(zstd::Decoder::new(file).with_context(context)?, most))
}

/// A reader that fails after a number of bytes.
///
/// # Examples
/// ```
/// use fusion_jobs::plain::Limited;
/// use std::io::Read;
///
/// let mut text = String::new();
/// Limited::new(&b"1234"[..], 4).read_to_string(&mut text)?;
/// let error = Limited::new(&b"12345"[..], 4).read_to_string(&mut text).unwrap_err();
/// assert!(error.to_string().contains("more than 4 bytes"));
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct Limited<R> {
    inner: R,
    most: u64,
    left: u64,
}

impl<R: Read> Limited<R> {
    /// Limits a reader to this many bytes.
    pub fn new(inner: R, most: u64) -> Self {
        Self { inner, most, left: most }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let message = format!("holds more than {}, too much for such a file", size(self.most));
            io::Error::new(ErrorKind::InvalidData, message)
        })?;
        Ok(read)
    }
}

/// Formats a number of bytes: `4 MiB`.
///
/// # Examples
/// ```
/// use fusion_jobs::plain::size;
///
/// assert_eq!(size(1_023), "1023 bytes");
/// assert_eq!(size(4 << 20), "4 MiB");
/// ```
#[must_use]
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn only_plain_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for odd in [folder.path(), &pipe, Path::new("/dev/zero")] {
            let error = open(odd).unwrap_err().to_string();
            assert!(error.contains("not a file"), "{error}");
        }
        assert_eq!(crate::exit::exit_code(&open(&folder.path().join("no")).unwrap_err()), 66);
        fs::write(folder.path().join("plain"), "text").unwrap();
        open(&folder.path().join("plain")).unwrap();
    }

    #[test]
    fn compressed_zeros_are_not_read_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zeros.zst");
        let zeros = |bytes| zstd::encode_all(io::repeat(0).take(bytes), 1).unwrap();
        fs::write(&path, zeros(LEAST)).unwrap();
        let all = |path| io::copy(&mut open_compressed(path).unwrap(), &mut io::sink());
        assert_eq!(all(&path).unwrap(), LEAST);
        fs::write(&path, zeros(LEAST + 1)).unwrap();
        assert!(all(&path).unwrap_err().to_string().contains("more than 64 MiB"));
    }
}
