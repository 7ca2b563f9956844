//! Linux and other systems like Unix.

mod group;

pub use group::Group;

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGABRT, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
pub use signal_hook::consts::{SIGINT, SIGTERM};
pub use signal_hook::low_level::signal_name;
use signal_hook::{flag, low_level};

use super::FileId;

/// Signals that stop work: those of users and schedulers, and SIGXCPU, which the system repeats
/// every second after the limit on processor time.
const SIGNALS: [i32; 5] = [SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU];

/// Stores the number of each signal that asks to stop. A second SIGINT ends the process at once.
///
/// # Errors
/// Fails if the system reports an error.
pub fn store_signals(signal: &Arc<AtomicUsize>, exit_code: i32) -> io::Result<()> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // The order matters: the first SIGINT must find the condition unset.
    flag::register_conditional_shutdown(SIGINT, exit_code, interrupted.clone())?;
    flag::register(SIGINT, interrupted)?;
    for number in SIGNALS {
        flag::register_usize(number, signal.clone(), number as usize)?;
    }
    Ok(())
}

/// Makes two ends of the process ordinary errors: a write beyond the limit on the size of files, and an
/// allocation that fails. Where this cannot be had, the system ends the process.
pub fn survive() {
    // With the signal handled, the write fails with EFBIG, and its error names the file.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    end_on_abort();
}

/// Makes an abort an ordinary error with the exit code 1. The standard library aborts if an
/// allocation fails, after it has said of how many bytes.
fn end_on_abort() {
    const ADVICE: &str = "error: the program cannot go on; if memory is short, use fewer --threads \
        or --games, smaller trees and tables (max_nodes, table_mib, Hash), or raise the limit\n";
    let end = || {
        // SAFETY: the pointer and the length are those of a constant. `write` may be called in a
        // signal handler.
        unsafe { libc::write(libc::STDERR_FILENO, ADVICE.as_ptr().cast(), ADVICE.len()) };
        low_level::exit(1);
    };
    // SAFETY: the handler calls only `write` and `_exit`, neither of which allocates or locks. Without
    // the handler, the abort ends the process as usual.
    let _ = unsafe { low_level::register(SIGABRT, end) };
}

/// Makes what was created or renamed in a folder durable.
///
/// # Errors
/// Fails if the file system does.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Opens a file, but no symbolic link.
///
/// # Errors
/// Fails as [`OpenOptions::open`] does, and with the kind [`ErrorKind::InvalidInput`] for a link.
pub fn open_no_link(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(libc::O_NOFOLLOW).open(path).map_err(|error| {
        if error.raw_os_error() != Some(libc::ELOOP) {
            return error;
        }
        let message = format!("{} is a symbolic link: remove it", path.display());
        io::Error::new(ErrorKind::InvalidInput, message)
    })
}

/// Returns whether an error says that a file system has no locks.
#[must_use]
pub fn has_no_locks(error: &io::Error) -> bool {
    let known = [libc::ENOLCK, libc::EOPNOTSUPP, libc::ENOSYS];
    error.raw_os_error().is_some_and(|code| known.contains(&code))
}

/// Returns what tells this file apart from all others.
#[must_use]
pub fn file_id(data: &Metadata) -> FileId {
    Some((data.dev(), data.ino()))
}

/// Returns the number of the file's owner.
#[must_use]
pub fn owner(data: &Metadata) -> Option<u32> {
    Some(data.uid())
}

/// Writes all bytes at a place of a file.
///
/// # Errors
/// Fails if the file system does.
pub fn write_all_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    file.write_all_at(bytes, place)
}

/// Fills a buffer from a place of a file.
///
/// # Errors
/// Fails if the file system does, or if the file ends before.
pub fn read_exact_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    file.read_exact_at(bytes, place)
}

/// Runs a program in place of this one. Returns only if that fails.
pub fn replace_process(command: &mut Command) -> io::Error {
    command.exec()
}
