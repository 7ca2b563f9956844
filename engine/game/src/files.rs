//! Files that are read: those of the file system, and those that the program holds in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Folders of [`look_in`].
static FOLDERS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());
/// Files of [`hold`].
static HELD: RwLock<BTreeMap<PathBuf, Bytes>> = RwLock::new(BTreeMap::new());

/// The content of a file in memory.
type Bytes = Arc<Cow<'static, [u8]>>;

/// Holds a file in memory, in place of an earlier one of this path. [`open`] and [`exists`] find it if the file
/// system has none of this path: a program in a browser has no file system, and a copied program no checkout.
///
/// ```
/// use fusion_game::files::{exists, hold, open};
/// use std::io::Read;
/// use std::path::Path;
///
/// hold("held/my.ini", &b"[my-game:chess]"[..]);
/// let (path, mut text) = (Path::new("held/my.ini"), String::new());
/// open(path)?.read_to_string(&mut text)?;
/// assert_eq!(text, "[my-game:chess]");
/// assert!(exists(path)? && !exists(Path::new("held/other.ini"))?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn hold(path: impl Into<PathBuf>, bytes: impl Into<Cow<'static, [u8]>>) {
    let mut held = HELD.write().unwrap_or_else(PoisonError::into_inner);
    held.insert(path.into(), Arc::new(bytes.into()));
}

fn held(path: &Path) -> Option<Bytes> {
    HELD.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
}

/// Returns whether [`open`] reads the file from memory.
#[must_use]
pub fn is_held(path: &Path) -> bool {
    held(path).is_some() && !path.exists()
}

/// Returns whether there is a file or folder of this path.
///
/// # Errors
/// Fails if the file system cannot say.
pub fn exists(path: &Path) -> io::Result<bool> {
    match path.try_exists() {
        Ok(there) => Ok(there || held(path).is_some()),
        // There is no file system.
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(held(path).is_some()),
        Err(error) => Err(error),
    }
}

/// A file that is open for reading.
#[derive(Debug)]
pub enum Reader {
    /// One of the file system.
    File(File),
    /// One in memory, with the number of bytes that were read.
    Held(Arc<Cow<'static, [u8]>>, usize),
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Held(bytes, read) => {
                let count = (&bytes[*read..]).read(buffer)?;
                *read += count;
                Ok(count)
            }
        }
    }
}

/// Opens a file for reading: one of the file system, else one in memory.
///
/// # Errors
/// Returns an error if the file is missing or cannot be read. Returns [`ErrorKind::InvalidInput`] for a
/// folder, for a pipe, which can block forever, and for a device, which may have no end.
pub fn open(path: &Path) -> io::Result<Reader> {
    let held = |error: io::Error| match held(path) {
        Some(bytes) if error.kind() == ErrorKind::NotFound => Ok(Reader::Held(bytes, 0)),
        _ => Err(error),
    };
    open_file(path).map(Reader::File).or_else(held)
}

/// Opens a file of the file system for reading.
///
/// # Errors
/// As [`open`].
pub fn open_file(path: &Path) -> io::Result<File> {
    let data = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::Unsupported => Err(ErrorKind::NotFound.into()),
        other => other,
    };
    check_file(&data?)?;
    File::open(path)
}

/// Rejects what is no file.
///
/// # Errors
/// Returns [`ErrorKind::InvalidInput`] for a folder, a pipe or a device.
pub fn check_file(data: &Metadata) -> io::Result<()> {
    if data.is_file() {
        return Ok(());
    }
    let what = if data.is_dir() { "it is a folder" } else { "it is a pipe or a device" };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("{what}, not a file")))
}

/// Looks in this folder, too, for files that rule sets name by relative paths.
pub fn look_in(folder: &Path) {
    let mut folders = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
    if !folders.iter().any(|known| known == folder) {
        folders.push(folder.to_owned());
    }
}

/// Returns the path of a file that a rule set names. A relative path is that of a file in the current
/// folder, else in the first folder of [`look_in`] that has it.
#[must_use]
pub fn find(name: &Path) -> PathBuf {
    let folders = FOLDERS.read().unwrap_or_else(PoisonError::into_inner);
    let here = std::iter::once(name.to_owned());
    let all = here.chain(folders.iter().map(|folder| folder.join(name)));
    all.into_iter().find(|path| exists(path).unwrap_or_default()).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_are_opened() {
        #[cfg(unix)]
        for odd in ["/dev/zero", "/"] {
            assert_eq!(open(Path::new(odd)).unwrap_err().kind(), ErrorKind::InvalidInput, "{odd}");
        }
        assert_eq!(open(Path::new("/no/such")).unwrap_err().kind(), ErrorKind::NotFound);
        open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    }

    #[test]
    fn files_of_the_file_system_come_before_those_in_memory() {
        let text = |path: &Path| io::read_to_string(open(path).unwrap()).unwrap();
        let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        hold(&there, &b"held"[..]);
        assert!(text(&there).contains("fusion-game") && !is_held(&there));
        let missing = there.with_file_name("no.toml");
        hold(&missing, &b"held"[..]);
        assert_eq!(text(&missing), "held");
        assert!(is_held(&missing));
        hold(&missing, b"held again".to_vec());
        assert_eq!(text(&missing), "held again");
    }

    #[test]
    fn relative_names_are_found_in_known_folders() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_eq!(find(Path::new("toy.rs")), Path::new("toy.rs"));
        look_in(&source);
        assert_eq!(find(Path::new("toy.rs")), source.join("toy.rs"));
        assert_eq!(find(Path::new("Cargo.toml")), Path::new("Cargo.toml"));
        assert_eq!(find(Path::new("none.fen")), Path::new("none.fen"));
    }
}
