//! Access to files of other people and in untrusted folders.
//!
//! Only plain files are opened: reading a pipe can block forever, and a device may have no end. Every
//! read has a limit: the caller's for whole files, one in proportion to the file's size for compressed
//! content. Texts are read by [`text`], whatever system wrote them.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::compression;
use crate::exit::Failure;
use anyhow::Context;
use fusion_game::files;

/// Ending of a compressed file's name.
pub const COMPRESSED: &str = "zst";
/// Limit on the ratio of content to compressed file. Games compress about tenfold, zeros about
/// twenty-thousandfold.
const MOST_TIMES: u64 = 1_000;
/// Number of bytes allowed in any compressed file, however small.
const LEAST: u64 = 64 << 20;
/// Largest size in bytes of a file of settings, counts or text.
pub const SMALL: u64 = 4 << 20;
/// Largest size in bytes of a table, such as a pool of openings: some 100 times that of a large study.
pub const TABLE: u64 = 64 << 20;
/// Largest size in bytes of a file of weights or of a checkpoint.
pub const WEIGHTS: u64 = 4 << 30;

/// Opens a file for reading, as [`files::open`] does.
///
/// # Errors
/// Fails if the file is missing or cannot be read, or if it is a folder, a pipe or a device (exit
/// code 65).
pub fn open(path: &Path) -> anyhow::Result<files::Reader> {
    files::open(path).map_err(|error| failed(error, path))
}

fn failed(error: io::Error, path: &Path) -> anyhow::Error {
    match error.kind() {
        ErrorKind::InvalidInput => {
            Failure::corrupt(format!("{}: {error}: move it away", path.display())).into()
        }
        _ => anyhow::Error::new(error).context(format!("reading {}", path.display())),
    }
}

/// Reads a whole file of at most `most` bytes.
///
/// # Errors
/// Fails as [`open()`] does, and if the file is longer (exit code 65).
pub fn read(path: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match Limited::new(open(path)?, most).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(Failure::corrupt(format!("{}: {error}", path.display())).into())
        }
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

/// Reads a whole file as [`read`] does; `None` if there is none.
///
/// # Errors
/// Fails as [`read`] does on a file that is there.
pub fn read_if_there(path: &Path, most: u64) -> anyhow::Result<Option<Vec<u8>>> {
    // What cannot be found out is said by the attempt to read it.
    if files::exists(path).unwrap_or(true) { read(path, most).map(Some) } else { Ok(None) }
}

/// Reads a text that a person may have written, of at most `most` bytes, as [`normalised`] returns it.
///
/// # Errors
/// Fails as [`read`] does, and if the file is not text in UTF-8 (exit code 65).
///
/// # Examples
/// ```
/// use fusion_jobs::plain::{SMALL, text};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("study.toml");
/// std::fs::write(&path, "\u{feff}[study]\r\nname = 'x'")?;
/// assert_eq!(text(&path, SMALL)?, "[study]\nname = 'x'\n");
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn text(path: &Path, most: u64) -> anyhow::Result<String> {
    normalised(read(path, most)?)
        .map_err(|reason| Failure::corrupt(format!("{}: {reason}", path.display())).into())
}

/// Returns a text as Linux editors write it: without a byte-order mark, with line feeds as line ends, and
/// with one at the end unless it is empty.
///
/// # Errors
/// Returns the reason if the bytes are not UTF-8.
pub fn normalised(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("the text is in UTF-16: save it in UTF-8".to_owned());
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        format!("byte {place} is no text in UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    if text.contains("\r\n") {
        text = text.replace("\r\n", "\n");
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
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
    let file = files::open_file(path).map_err(|error| failed(error, path))?;
    let context = || format!("reading {}", path.display());
    let size = file.metadata().with_context(context)?.len();
    let most = size.saturating_mul(MOST_TIMES).max(LEAST);
    Ok(Limited::new(compression::decoder(file).with_context(context)?, most))
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
    use std::fs::{self, File};

    #[cfg(unix)]
    #[test]
    fn only_plain_files_are_opened() {
        use std::process::Command;

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
    fn texts_of_all_systems_are_read_alike() {
        let text = "[study]\nname = 'é'\n";
        let crlf = text.replace('\n', "\r\n");
        for written in [text, &crlf, text.trim_end(), crlf.trim_end()] {
            for mark in ["", "\u{feff}"] {
                let bytes = format!("{mark}{written}").into_bytes();
                assert_eq!(normalised(bytes).unwrap(), text);
            }
        }
        assert_eq!(normalised(Vec::new()).unwrap(), "");
        assert!(normalised(b"\xff\xfea\0".to_vec()).unwrap_err().contains("UTF-16"));
        assert!(normalised(b"a\xe4".to_vec()).unwrap_err().contains("byte 1 is no text"));
    }

    #[test]
    fn long_files_are_rejected_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        let file = File::create(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = read(&path, SMALL).unwrap_err();
        assert_eq!(crate::exit::exit_code(&error), crate::exit::CORRUPT, "{error}");
        assert!(error.to_string().contains("holds more than 4 MiB"), "{error}");
        assert_eq!(read_if_there(&folder.path().join("no"), SMALL).unwrap(), None);
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
