//! Atomic writes: a file appears whole or not at all.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::{plain, system};
use anyhow::Context;
use fusion_game::files;

/// Length of the prefix of the boot id that names contain.
const START: usize = 8;

/// Writes a file through `NAME.tmp.<machine>-<start>-<world>.<pid>` in the same folder. The
/// temporary file is synced and renamed, and the folder is synced. On an error, the temporary file
/// is removed and an older file stays. Temporary files of killed processes of this machine are
/// removed.
///
/// # Errors
/// Fails if the file system or `fill` fails.
///
/// # Examples
/// ```
/// use fusion_jobs::atomic;
/// use std::{fs, io};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.csv");
/// atomic::write(&path, |out| writeln!(out, "game,result"))?;
/// // A write that fails half-way leaves the old file and no other.
/// let failed = atomic::write(&path, |out| {
///     write!(out, "game,re")?;
///     Err(io::Error::other("disk full"))
/// });
/// assert_eq!(failed.unwrap_err().to_string(), "disk full");
/// assert_eq!(fs::read_to_string(&path)?, "game,result\n");
/// assert_eq!(fs::read_dir(folder.path())?.count(), 1);
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    remove_abandoned(folder_of(path))?;
    let temporary = temporary_name(path);
    let written = fill_and_sync(&temporary, fill).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // Only the first error is reported.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    system::sync_folder(folder_of(path))
}

/// Runs [`write()`] for bytes in memory, with the path in the error. A file with the same bytes is
/// left untouched, so that finished work can be read from a read-only disk.
///
/// # Errors
/// Fails if the file system fails.
///
/// # Examples
/// ```
/// use fusion_jobs::atomic::write_bytes;
/// use std::fs;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("study.toml");
/// write_bytes(&path, b"seed = 1\n")?;
/// // The file has these bytes already and is not written again.
/// let written = fs::metadata(&path)?.modified()?;
/// write_bytes(&path, b"seed = 1\n")?;
/// assert_eq!(fs::metadata(&path)?.modified()?, written);
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let same = plain::read(path, bytes.len() as u64).is_ok_and(|old| old == bytes);
    if same {
        return Ok(());
    }
    write(path, |out| out.write_all(bytes)).with_context(|| format!("writing {}", path.display()))
}

/// Runs [`write()`] for a writer that returns `anyhow` errors. A file with the same content is left
/// untouched; `fill` is called a second time for the comparison.
///
/// # Errors
/// Fails if `fill` or the file system fails. The latter error has the path.
///
/// # Examples
/// ```
/// use fusion_jobs::atomic::write_anew;
/// use std::fs;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("table");
/// let fill = |out: &mut dyn std::io::Write| -> anyhow::Result<()> { Ok(writeln!(out, "1 2")?) };
/// write_anew(&path, fill)?;
/// assert_eq!(fs::read_to_string(&path)?, "1 2\n");
/// // The error is that of the writer, not one of the file system.
/// let error = write_anew(&path, |_| anyhow::bail!("no games")).unwrap_err();
/// assert_eq!(error.to_string(), "no games");
/// assert_eq!(fs::read_to_string(&path)?, "1 2\n");
/// # Ok::<(), anyhow::Error>(())
/// ```
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

/// Returns whether a file has exactly this content.
fn holds(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let Ok(file) = plain::open(path) else { return Ok(false) };
    let mut out = BufWriter::new(Comparison { file: BufReader::new(file), same: true });
    fill(&mut out)?;
    let mut comparison = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(comparison.same && comparison.file.fill_buf().is_ok_and(<[u8]>::is_empty))
}

/// A writer that compares its input with a file.
struct Comparison {
    file: BufReader<files::Reader>,
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

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn temporary_name(path: &Path) -> PathBuf {
    let (machine, start, world) = place();
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".tmp.{machine}-{start}-{world}.{}", std::process::id()));
    name.into()
}

/// The origin of a temporary file, parsed from its name.
#[derive(Debug, PartialEq, Eq)]
struct Origin<'a> {
    machine: &'a str,
    /// Prefix of the boot id.
    start: &'a str,
    /// The PID namespace.
    world: &'a str,
    process: u32,
}

/// Parses only names that [`temporary_name`] returns; other files belong to other programs.
fn origin(name: &OsStr) -> Option<Origin<'_>> {
    let (rest, process) = name.to_str()?.rsplit_once('.')?;
    let (target, host) = rest.rsplit_once(".tmp.")?;
    let (rest, world) = host.rsplit_once('-')?;
    let (machine, start) = rest.rsplit_once('-')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let ours = !target.is_empty()
        && (1..=64).contains(&machine.len())
        && machine.chars().all(plain)
        && start.len() == START
        && start.bytes().all(|c| c.is_ascii_hexdigit())
        && !world.is_empty()
        && world.bytes().chain(process.bytes()).all(|c| c.is_ascii_digit());
    if !ours {
        return None;
    }
    Some(Origin { machine, start, world, process: process.parse().ok()? })
}

/// Removes the temporary files in a folder whose processes have ended. These are files of the same
/// user and PID namespace, and files that this machine wrote before its last boot.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn remove_abandoned(folder: &Path) -> io::Result<()> {
    // Only Linux lists processes in /proc. On other systems, no file is removed.
    let own = fs::read_link("/proc/self").ok().and_then(|own| own.to_str()?.parse().ok());
    let Some(user) = fs::metadata("/proc/self").ok().filter(|_| own == Some(std::process::id()))
    else {
        return Ok(());
    };
    let (machine, start, world) = place();
    let booted = booted();
    remove_where(folder, |entry| {
        let name = entry.file_name();
        let (Some(origin), Ok(data)) = (origin(&name), entry.metadata()) else { return false };
        if origin.machine != machine || system::owner(&data) != system::owner(&user) {
            return false;
        }
        if origin.start == start {
            let running = Path::new(&format!("/proc/{}", origin.process)).exists();
            return origin.world == world && !running;
        }
        // Another machine with the same name may be writing the file now.
        booted.zip(data.modified().ok()).is_some_and(|(booted, modified)| modified < booted)
    })
}

/// Returns the time of the last boot.
fn booted() -> Option<SystemTime> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let seconds = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.trim().parse().ok()?))
}

/// Removes all temporary files in a folder. The caller must hold the folder's lock, so that no
/// other process is writing.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn remove_all_temporary(folder: &Path) -> io::Result<()> {
    remove_where(folder, |entry| origin(&entry.file_name()).is_some())
}

fn remove_where(folder: &Path, wanted: impl Fn(&DirEntry) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if wanted(&entry) {
            // Another process may have removed the file.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Returns the host name, and on Linux the boot id and the PID namespace (containers have their
/// own), elsewhere zeros. Processes that share a folder thereby choose different names, and look up a
/// process number only where it is valid.
fn place() -> (String, String, String) {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")))
        .unwrap_or_default();
    let start = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let world = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let plain = |text: &str, length| -> String {
        text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(length).collect()
    };
    let name = plain(&name, 64);
    let world = world.to_string_lossy().replace(|c: char| !c.is_ascii_digit(), "");
    let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
    (or(name, "host"), or(plain(&start, START), &"0".repeat(START)), or(world, "0"))
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

    /// Returns the names of the files in a folder, sorted.
    #[cfg(target_os = "linux")]
    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn temporary_names_are_recognised() {
        let name = temporary_name(Path::new("a/file"));
        let found = origin(name.file_name().unwrap()).unwrap();
        assert_eq!(found.process, std::process::id());
        assert_eq!(found.machine, place().0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (machine, start, world) = place();
        let here = format!("{machine}-{start}-{world}");
        // No process has a number this large; process 1 always exists.
        let dead = u32::MAX;
        let [own, other, alive, elsewhere] = [
            format!("file.tmp.{here}.{dead}"),
            format!("other.tmp.{here}.{dead}"),
            format!("file.tmp.{here}.1"),
            format!("file.tmp.else-where-0a1b2c3d-4026531836.{dead}"),
        ];
        let notes = [
            format!("notes.tmp.{here}.txt"),
            "notes.tmp.backup.2024".to_owned(),
            "notes.tmp.old-backup-1.2024".to_owned(),
            format!(".tmp.{here}.{dead}"),
            format!("notes.tmp.{here}.+5"),
        ];
        for name in [&own, &other, &alive, &elsewhere].into_iter().chain(&notes) {
            fs::write(at(name), "half").unwrap();
        }
        write_bytes(&at("file"), b"whole").unwrap();
        let mut kept = vec!["file".to_owned(), alive, elsewhere];
        kept.extend(notes.clone());
        kept.sort();
        assert_eq!(names(folder.path()), kept);
        remove_all_temporary(folder.path()).unwrap();
        let mut kept = vec!["file".to_owned()];
        kept.extend(notes);
        kept.sort();
        assert_eq!(names(folder.path()), kept);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_the_time_before_the_last_start_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (machine, start, world) = place();
        let before = if start == "00000000" { "11111111" } else { "00000000" };
        // A process with that number exists.
        let [old, new, elsewhere] = [
            format!("old.tmp.{machine}-{before}-{world}.1"),
            format!("new.tmp.{machine}-{before}-{world}.1"),
            format!("old.tmp.x{machine}-{before}-{world}.1"),
        ];
        for name in [&old, &new, &elsewhere] {
            fs::write(at(name), "half").unwrap();
        }
        for name in [&old, &elsewhere] {
            let file = File::options().append(true).open(at(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        remove_abandoned(folder.path()).unwrap();
        assert_eq!(names(folder.path()), [new, elsewhere]);
    }
}
