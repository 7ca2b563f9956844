//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Writes a file through `NAME.tmp.<host>.<pid>` in the same folder: synced, renamed, the
/// folder synced. On an error the temporary file is removed and an older file stays. What
/// processes of this machine left of the same file when they were killed is removed.
///
/// # Errors
/// Any error of the file system or of `fill`.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    remove_abandoned(path)?;
    let temporary = temporary_name(path);
    let written = fill_and_sync(&temporary, fill).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(path)
}

/// [`write()`] for bytes at hand, with the path in the error.
///
/// # Errors
/// Any error of the file system.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write(path, |out| out.write_all(bytes)).with_context(|| format!("writing {}", path.display()))
}

fn fill_and_sync(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    fill(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// Makes a rename durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// What the temporary files of one machine have behind the file's own name, up to the process.
fn mark() -> String {
    format!(".tmp.{}.", host())
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(mark());
    name.push(std::process::id().to_string());
    name.into()
}

/// Removes the temporary files of processes that are no more.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    // Elsewhere than on Linux nobody can tell which processes there are.
    let Some(name) = path.file_name().filter(|_| Path::new("/proc/self").exists()) else {
        return Ok(());
    };
    let mut prefix = name.to_owned();
    prefix.push(mark());
    for entry in fs::read_dir(folder_of(path))? {
        let entry = entry?;
        let found = entry.file_name();
        let process = found.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let process = process.and_then(|id| std::str::from_utf8(id).ok()?.parse::<u32>().ok());
        if process.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// The machine's name, so that programs on several machines that share a folder choose
/// different names.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| std::env::var("HOSTNAME").map_err(io::Error::other))
        .unwrap_or_default();
    let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
    let name: String = name.chars().filter(plain).take(64).collect();
    if name.is_empty() { "host".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_bytes(&path, b"old").unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("disk full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "disk full");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        // Process numbers end long before this one; process 1 is always there.
        let alive = folder.path().join(format!("file{}1", mark()));
        let [own, others] = ["file", "other"]
            .map(|name| folder.path().join(format!("{name}{}{}", mark(), u32::MAX)));
        for abandoned in [&own, &others, &alive] {
            fs::write(abandoned, "half").unwrap();
        }
        write_bytes(&path, b"whole").unwrap();
        assert!(!own.exists() && others.exists() && alive.exists() && path.exists());
    }
}
