//! Files that rule sets, networks and tables are read from.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Folders of [`look_in`].
static FOLDERS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Opens a file for reading.
///
/// # Errors
/// Returns an error if the file is missing or cannot be read. Returns [`ErrorKind::InvalidInput`] for a
/// folder, for a pipe, which can block forever, and for a device, which may have no end.
pub fn open(path: &Path) -> io::Result<File> {
    let data = fs::metadata(path)?;
    if !data.is_file() {
        let what = if data.is_dir() { "it is a folder" } else { "it is a pipe or a device" };
        return Err(io::Error::new(ErrorKind::InvalidInput, format!("{what}, not a file")));
    }
    File::open(path)
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
    all.into_iter().find(|path| path.exists()).unwrap_or_else(|| name.to_owned())
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
