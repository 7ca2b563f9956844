//! Atomic file output: no reader sees a partial file.

use fusion_jobs::atomic;
use fusion_jobs::exit::Failure;
use std::error::Error;
use std::path::Path;

/// Writes a file under a temporary name in the same folder, syncs it and renames it.
///
/// # Errors
/// Fails if the folder cannot be written or the disk is full. The message names the file.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    atomic::write_bytes(path, bytes).map_err(|error| failure("write", path, error.root_cause()))
}

/// Creates a folder and its parents.
///
/// # Errors
/// Fails if the folder cannot be created. The message names it.
pub fn create_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|error| failure("create the folder", path, &error))
}

/// Removes a file if it exists.
///
/// # Errors
/// Fails if the file cannot be removed. The message names it.
pub fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        // On a read-only disk, removing a missing file is an error as well.
        Err(error) if path.symlink_metadata().is_ok() => Err(failure("remove", path, &error)),
        _ => Ok(()),
    }
}

/// Makes an error with exit code 1. A missing output folder is not a missing input.
fn failure(what: &str, path: &Path, error: &dyn Error) -> Failure {
    Failure::new(1, format!("cannot {what} {}: {error}", path.display()))
}
