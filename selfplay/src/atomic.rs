//! Files that appear whole or not at all.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Writes a file through `NAME.tmp.<host>.<pid>` in the same folder: synced, renamed, the
/// folder synced. On an error the temporary file is removed and an older file stays. What
/// processes of this machine left in the folder when they were killed is removed.
///
/// # Errors
/// Any error of the file system or of `fill`.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    remove_abandoned(folder_of(path))?;
    let temporary = temporary_name(path);
    let written = fill_and_sync(&temporary, fill).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(path)
}

/// [`write()`] for bytes at hand, with the path in the error. A file that holds them already
/// stays as it is: what is finished needs no disk that can be written.
///
/// # Errors
/// Any error of the file system.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let length = fs::metadata(path).map(|data| data.len());
    let same = length.is_ok_and(|length| length == bytes.len() as u64)
        && fs::read(path).is_ok_and(|old| old == bytes);
    if same {
        return Ok(());
    }
    write(path, |out| out.write_all(bytes)).with_context(|| format!("writing {}", path.display()))
}

/// [`write()`] for a writer with richer errors, which pass through unharmed. A file that has the
/// same content already stays as it is; to see that, `fill` is called once more.
///
/// # Errors
/// Any error of `fill` or of the file system, the latter with the path.
pub fn write_anew(
    path: &Path,
    mut fill: impl FnMut(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if holds(path, &mut fill)? {
        return Ok(());
    }
    let mut failed = None;
    let written = write(path, |out| {
        fill(out).map_err(|error| {
            failed = Some(error);
            io::Error::other("not written")
        })
    });
    match failed {
        Some(error) => Err(error),
        None => written.with_context(|| format!("writing {}", path.display())),
    }
}

/// Whether a file has just this content.
fn holds(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let Ok(file) = File::open(path) else { return Ok(false) };
    let mut out = BufWriter::new(Comparison { file: BufReader::new(file), same: true });
    fill(&mut out)?;
    let mut comparison = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(comparison.same && comparison.file.fill_buf().is_ok_and(<[u8]>::is_empty))
}

/// A writer that compares what it is given with what a file has.
struct Comparison {
    file: BufReader<File>,
    same: bool,
}

impl Write for Comparison {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut there = vec![0; bytes.len()];
        self.same = self.same && self.file.read_exact(&mut there).is_ok() && there == bytes;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".tmp.{}.{}", host(), std::process::id()));
    name.into()
}

/// The host and the process in the name of a temporary file.
fn of_temporary(name: &OsStr) -> Option<(&str, u32)> {
    let (rest, process) = name.to_str()?.rsplit_once('.')?;
    let (_, host) = rest.rsplit_once(".tmp.")?;
    Some((host, process.parse().ok()?))
}

/// Removes the temporary files in a folder whose processes are no more, as far as this one can
/// tell: its own user's, of its own world of processes.
///
/// # Errors
/// A folder that cannot be read.
pub fn remove_abandoned(folder: &Path) -> io::Result<()> {
    // Without a view of its own processes (on Linux alone there is one) nobody can tell.
    let own = fs::read_link("/proc/self").ok().and_then(|own| own.to_str()?.parse().ok());
    let Some(user) = fs::metadata("/proc/self").ok().filter(|_| own == Some(std::process::id()))
    else {
        return Ok(());
    };
    let here = host();
    remove_where(folder, |entry| {
        let name = entry.file_name();
        of_temporary(&name).is_some_and(|(host, process)| {
            host == here && !Path::new(&format!("/proc/{process}")).exists()
        }) && entry.metadata().is_ok_and(|data| data.uid() == user.uid())
    })
}

/// Removes all temporary files in a folder. For whoever has the folder's lock: nobody else can
/// be writing.
///
/// # Errors
/// A folder that cannot be read.
pub fn remove_all_temporary(folder: &Path) -> io::Result<()> {
    remove_where(folder, |entry| of_temporary(&entry.file_name()).is_some())
}

fn remove_where(folder: &Path, wanted: impl Fn(&DirEntry) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if wanted(&entry) {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// The machine's name, and on Linux its start and the number of the world of processes
/// (containers have their own): programs that share a folder choose different names, and look
/// for processes only where they can see them.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| std::env::var("HOSTNAME").map_err(io::Error::other))
        .unwrap_or_default();
    let start = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let world = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let plain = |text: &str, length| -> String {
        text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(length).collect()
    };
    let name = Some(plain(&name, 64)).filter(|name| !name.is_empty());
    let world = world.to_string_lossy().replace(|c: char| !c.is_ascii_digit(), "");
    format!("{}-{}-{world}", name.as_deref().unwrap_or("host"), plain(&start, 8))
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
        let at = |name: &str| folder.path().join(name);
        // Process numbers end long before this one; process 1 is always there.
        let (here, dead) = (host(), u32::MAX);
        let [own, other, alive, elsewhere, notes] = [
            format!("file.tmp.{here}.{dead}"),
            format!("other.tmp.{here}.{dead}"),
            format!("file.tmp.{here}.1"),
            format!("file.tmp.elsewhere.{dead}"),
            format!("notes.tmp.{here}.txt"),
        ];
        let left = || {
            let names = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> =
                names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        for name in [&own, &other, &alive, &elsewhere, &notes] {
            fs::write(at(name), "half").unwrap();
        }
        write_bytes(&at("file"), b"whole").unwrap();
        let mut kept = ["file".to_owned(), alive, elsewhere, notes.clone()];
        kept.sort();
        assert_eq!(left(), kept);
        remove_all_temporary(folder.path()).unwrap();
        assert_eq!(left(), ["file".to_owned(), notes]);
    }
}
