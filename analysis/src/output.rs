//! Writing files so that a reader never meets half of one.

use fusion_engine::cli::Failure;
use std::fs::{File, Permissions};
use std::io::Write;
use std::path::Path;

/// Writes a file under a temporary name in the same folder, syncs and renames it.
///
/// # Errors
/// A folder that cannot be written, a full disk; the message names the file.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write(path, bytes).map_err(|error| failure("write", path, &error))
}

/// Makes a folder and those above it.
///
/// # Errors
/// A folder that cannot be made; the message names it.
pub fn create_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|error| failure("create the folder", path, &error))
}

/// Exit code 1: an output folder that does not exist is no missing input.
fn failure(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(1, format!("cannot {what} {}: {error}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!("{name}.tmp.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    // The default is private to the user; the umask still applies to this.
    #[cfg(unix)]
    builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The new name is safe only once the folder is.
    File::open(folder)?.sync_all()
}
