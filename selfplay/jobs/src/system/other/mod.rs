//! Windows, and WebAssembly in a browser.
//!
//! Windows has neither signals of schedulers nor process groups. A program in a browser has neither files nor
//! processes nor signals.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

mod group;

pub use group::Group;

use super::FileId;

/// Ctrl-C.
pub const SIGINT: i32 = 2;
/// The request to stop that [`Stop::request`](crate::stop::Stop::request) makes.
pub const SIGTERM: i32 = 15;

/// Returns the name of a signal.
#[must_use]
pub fn signal_name(signal: i32) -> Option<&'static str> {
    match signal {
        SIGINT => Some("SIGINT"),
        SIGTERM => Some("SIGTERM"),
        _ => None,
    }
}

/// Stores SIGINT after Ctrl-C. A second Ctrl-C ends the process at once. A browser sends nothing.
///
/// # Errors
/// Fails if the system reports an error.
pub fn store_signals(signal: &Arc<AtomicUsize>, exit_code: i32) -> io::Result<()> {
    #[cfg(windows)]
    {
        use signal_hook::flag;
        use std::sync::atomic::AtomicBool;

        let interrupted = Arc::new(AtomicBool::new(false));
        // The order matters: the first Ctrl-C must find the condition unset.
        flag::register_conditional_shutdown(SIGINT, exit_code, interrupted.clone())?;
        flag::register(SIGINT, interrupted)?;
        for number in [SIGINT, SIGTERM] {
            flag::register_usize(number, signal.clone(), number as usize)?;
        }
    }
    #[cfg(not(windows))]
    let _ = (signal, exit_code);
    Ok(())
}

/// Does nothing: these systems have no limit on the size of files, and a failed allocation ends the process.
pub fn survive() {}

/// Does nothing: these systems cannot open a folder to sync it.
///
/// # Errors
/// None.
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Opens a file, but no symbolic link.
///
/// # Errors
/// Fails as [`OpenOptions::open`] does, and with the kind [`ErrorKind::InvalidInput`] for a link.
pub fn open_no_link(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink()) {
        let message = format!("{} is a symbolic link: remove it", path.display());
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    options.open(path)
}

/// Returns whether an error says that a file system has no locks.
#[must_use]
pub fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == ErrorKind::Unsupported
}

/// Returns `None`: the standard library has no such number here.
#[must_use]
pub fn file_id(_: &Metadata) -> FileId {
    None
}

/// Returns `None`: the standard library does not know the owner here.
#[must_use]
pub fn owner(_: &Metadata) -> Option<u32> {
    None
}

/// Writes all bytes at a place of a file.
///
/// # Errors
/// Fails if the file system does.
pub fn write_all_at(file: &File, mut bytes: &[u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = write_at(file, bytes, place)?;
        if written == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        place += written as u64;
    }
    Ok(())
}

/// Fills a buffer from a place of a file.
///
/// # Errors
/// Fails if the file system does, or if the file ends before.
pub fn read_exact_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = read_at(file, bytes, place)?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        place += read as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], place: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, place)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, place)
}

#[cfg(not(windows))]
fn write_at(_: &File, _: &[u8], _: u64) -> io::Result<usize> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(not(windows))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(ErrorKind::Unsupported.into())
}

/// Runs a program and ends this process with its exit code. Returns only if the program cannot be started.
pub fn replace_process(command: &mut Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
