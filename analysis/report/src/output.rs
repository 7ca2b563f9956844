//! Writing files so that a reader never meets half of one.

use fusion_jobs::atomic;
use fusion_jobs::exit::Failure;
use std::error::Error;
use std::path::Path;

/// Writes a file under a temporary name in the same folder, syncs and renames it.
///
/// # Errors
/// A folder that cannot be written, a full disk; the message names the file.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    atomic::write_bytes(path, bytes).map_err(|error| failure("write", path, error.root_cause()))
}

/// Makes a folder and those above it.
///
/// # Errors
/// A folder that cannot be made; the message names it.
pub fn create_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|error| failure("create the folder", path, &error))
}

/// Removes a file if it is there.
///
/// # Errors
/// A file that cannot be removed; the message names it.
pub fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        // On a disk that is read-only the system says so even of a file that is not there.
        Err(error) if path.symlink_metadata().is_ok() => Err(failure("remove", path, &error)),
        _ => Ok(()),
    }
}

/// Exit code 1: an output folder that does not exist is no missing input.
fn failure(what: &str, path: &Path, error: &dyn Error) -> Failure {
    Failure::new(1, format!("cannot {what} {}: {error}", path.display()))
}
