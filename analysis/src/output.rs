//! Writing files so that a reader never meets half of one.

use anyhow::Context;
use std::fs::{File, Permissions};
use std::io::Write;
use std::path::Path;

/// Writes a file under a temporary name in the same folder, syncs and renames it.
///
/// # Errors
/// A folder that cannot be written, a full disk; the message names the file.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write(path, bytes).with_context(|| format!("writing {}", path.display()))
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
