//! Files that are read: those of the file system, and those that the program holds in memory.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Folders of [`look_in`].
static FOLDERS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());
/// Files of [`hold`].
static HELD: RwLock<BTreeMap<PathBuf, Arc<[u8]>>> = RwLock::new(BTreeMap::new());

/// Holds a file in memory, in place of an earlier one of this path. [`open`] and [`exists`] prefer it to that of
/// the file system, which a program in a browser does not have.
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
pub fn hold(path: impl Into<PathBuf>, bytes: impl Into<Arc<[u8]>>) {
    let mut held = HELD.write().unwrap_or_else(PoisonError::into_inner);
    held.insert(path.into(), bytes.into());
}

fn held(path: &Path) -> Option<Arc<[u8]>> {
    HELD.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
}

/// Returns whether a file is held in memory.
#[must_use]
pub fn is_held(path: &Path) -> bool {
    held(path).is_some()
}

/// Returns whether there is a file or folder of this path.
///
/// # Errors
/// Fails if the file system cannot say.
pub fn exists(path: &Path) -> io::Result<bool> {
    match path.try_exists() {
        _ if is_held(path) => Ok(true),
        // Without a file system there is nothing else.
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(false),
        result => result,
    }
}

/// A file that is open for reading.
#[derive(Debug)]
pub enum Reader {
    /// One of the file system.
    File(File),
    /// One in memory.
    Held(Cursor<Arc<[u8]>>),
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Held(bytes) => bytes.read(buffer),
        }
    }
}

/// Opens a file for reading: one in memory, else one of the file system.
///
/// # Errors
/// Returns an error if the file is missing or cannot be read. Returns [`ErrorKind::InvalidInput`] for a
/// folder, for a pipe, which can block forever, and for a device, which may have no end.
pub fn open(path: &Path) -> io::Result<Reader> {
    match held(path) {
        Some(bytes) => Ok(Reader::Held(Cursor::new(bytes))),
        None => open_file(path).map(Reader::File),
    }
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
        for odd in ["/dev/zero", "/"] {
            assert_eq!(open(Path::new(odd)).unwrap_err().kind(), ErrorKind::InvalidInput, "{odd}");
        }
        assert_eq!(open(Path::new("/no/such")).unwrap_err().kind(), ErrorKind::NotFound);
        open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
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
