//! Locks on run folders.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use anyhow::{Context, bail};

use crate::exit::{Failure, INTERRUPTED};
use crate::system;

/// The file that is locked.
const NAME: &str = ".lock";

/// A lock on a folder, held until it is dropped. The system releases it if the process is killed.
///
/// In a folder that this process may not write to, [`FolderLock::exclusive`] and
/// [`FolderLock::shared`] only look for the lock of another process: finished work can be read there,
/// and a write fails by itself. [`FolderLock::wait`] is for work that writes, and rejects such a
/// folder.
#[derive(Debug)]
pub struct FolderLock {
    /// The locked file; `None` if this process has no permission to write.
    _file: Option<File>,
}

impl FolderLock {
    /// Creates a folder and locks it for this process only.
    ///
    /// # Errors
    /// Fails if another process holds a lock on the folder (exit code 75), or if the file system
    /// fails.
    ///
    /// # Examples
    /// ```
    /// use fusion_jobs::lock::FolderLock;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let lock = FolderLock::exclusive(folder.path())?;
    /// let error = FolderLock::exclusive(folder.path()).unwrap_err();
    /// assert!(error.to_string().starts_with("another process is at work"));
    /// drop(lock);
    /// FolderLock::exclusive(folder.path())?;
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn exclusive(folder: &Path) -> anyhow::Result<Self> {
        Self::claim(folder, File::try_lock)
    }

    /// Locks a folder for this process. Other processes can hold a shared lock at the same time.
    ///
    /// # Errors
    /// Fails if a process holds an exclusive lock (exit code 75), or if the file system fails.
    ///
    /// # Examples
    /// ```
    /// use fusion_jobs::lock::FolderLock;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let readers = [FolderLock::shared(folder.path())?, FolderLock::shared(folder.path())?];
    /// assert!(FolderLock::exclusive(folder.path()).is_err());
    /// drop(readers);
    /// assert!(FolderLock::exclusive(folder.path()).is_ok());
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn shared(folder: &Path) -> anyhow::Result<Self> {
        Self::claim(folder, File::try_lock_shared)
    }

    /// Locks as [`FolderLock::exclusive`] does, but waits for other processes. The caller is going to
    /// write into the folder.
    ///
    /// # Errors
    /// Fails if this process may not write to the folder, or if the file system fails.
    pub fn wait(folder: &Path) -> anyhow::Result<Self> {
        Self::wait_for(folder, opened_in(folder)?)
    }

    fn wait_for(folder: &Path, opened: Option<(File, bool)>) -> anyhow::Result<Self> {
        // A lock on a file that is not writable keeps nobody out, and a shared one ends no wait.
        let Some((file, true)) = opened else {
            bail!(
                "{} cannot be written to from here, and this command has to write there: run it \
                 as the user and on the machine that can, or copy the folder",
                folder.display()
            );
        };
        Self::hold(folder, file, |file| file.lock().map_err(TryLockError::Error))
    }

    fn claim(
        folder: &Path,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> anyhow::Result<Self> {
        match opened_in(folder)? {
            None => Ok(Self { _file: None }),
            Some((file, true)) => Self::hold(folder, file, lock),
            // Some file systems give an exclusive lock only on files that are open for writing.
            Some((file, false)) => Self::hold(folder, file, File::try_lock_shared),
        }
    }

    fn hold(
        folder: &Path,
        file: File,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> anyhow::Result<Self> {
        match lock(&file) {
            Ok(()) => Ok(Self { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => {
                let folder = folder.display();
                Err(busy(format_args!(
                    "another process is at work in {folder}: wait for it or choose another folder"
                ))
                .into())
            }
            Err(TryLockError::Error(error)) => Err(anyhow::Error::new(without_locks(error))
                .context(format!("locking {}", folder.display()))),
        }
    }
}

/// Creates a folder and opens its lock file, as [`open`] does.
fn opened_in(folder: &Path) -> anyhow::Result<Option<(File, bool)>> {
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    open(&folder.join(NAME)).with_context(|| format!("locking {}", folder.display()))
}

/// Returns the error for a folder or shard that another process has locked. Its exit code asks to run
/// the command again: the other process may be the same task, cut off from its scheduler.
pub(crate) fn busy(message: impl std::fmt::Display) -> Failure {
    Failure::new(INTERRUPTED, message)
}

/// Explains the error of a file system that has no locks.
pub(crate) fn without_locks(error: io::Error) -> io::Error {
    if !system::has_no_locks(&error) {
        return error;
    }
    let message = format!(
        "this file system has no locks ({error}), and without them two processes could write one \
         file: mount it with locks (Lustre: -o flock; NFS: version 4) or use another folder"
    );
    io::Error::new(ErrorKind::Unsupported, message)
}

/// Opens or creates the lock file without changing its content or following a link, and returns
/// whether it is writable. Returns `None` if this process has no permission to write: finished work
/// can still be read.
fn open(path: &Path) -> io::Result<Option<(File, bool)>> {
    let open = |writes: bool| {
        let mut options = OpenOptions::new();
        options.read(true).write(writes).create(writes).truncate(false);
        system::open_no_link(&mut options, path)
    };
    match open(true) {
        Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem => Ok(None),
        // The folder belongs to another user. The owner's lock is still visible.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Ok(open(false).ok().map(|file| (file, false)))
        }
        opened => opened.map(|file| Some((file, true))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_changes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join(NAME);
        fs::write(&lock, "somebody's").unwrap();
        drop(FolderLock::exclusive(folder.path()).unwrap());
        assert_eq!(fs::read_to_string(&lock).unwrap(), "somebody's");
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_follows_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let (lock, notes) = (folder.path().join(NAME), folder.path().join("notes"));
        fs::write(&notes, "mine").unwrap();
        std::os::unix::fs::symlink(&notes, &lock).unwrap();
        let rejected = FolderLock::exclusive(folder.path()).unwrap_err();
        assert!(format!("{rejected:#}").contains(".lock is a symbolic link"), "{rejected:#}");
        assert_eq!(fs::read_to_string(&notes).unwrap(), "mine");
    }

    #[test]
    fn who_waits_for_a_lock_must_be_able_to_write() {
        let folder = tempfile::tempdir().unwrap();
        drop(FolderLock::wait(folder.path()).unwrap());
        // The lock file belongs to another user, or cannot be opened at all.
        let unwritable = File::open(folder.path().join(NAME)).unwrap();
        for opened in [None, Some((unwritable, false))] {
            let rejected = FolderLock::wait_for(folder.path(), opened).unwrap_err();
            let message = rejected.to_string();
            assert!(message.contains("cannot be written to from here"), "{message}");
            assert_eq!(crate::exit::exit_code(&rejected), 1);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_system_without_locks_is_named() {
        for code in [libc::ENOLCK, libc::EOPNOTSUPP, libc::ENOSYS] {
            let error = without_locks(io::Error::from_raw_os_error(code));
            assert!(error.to_string().starts_with("this file system has no locks"), "{error}");
        }
        let full = without_locks(io::Error::from_raw_os_error(libc::ENOSPC));
        assert_eq!(full.raw_os_error(), Some(libc::ENOSPC));
    }

    #[test]
    fn a_folder_has_one_owner_or_several_that_share_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a/b");
        let alone = FolderLock::exclusive(&folder).unwrap();
        let rejected = FolderLock::shared(&folder).unwrap_err();
        assert!(rejected.to_string().contains("another process"), "{rejected}");
        assert_eq!(crate::exit::exit_code(&rejected), INTERRUPTED);
        drop(alone);
        let sharing = [(); 2].map(|()| FolderLock::shared(&folder).unwrap());
        assert!(FolderLock::exclusive(&folder).is_err());
        drop(sharing);
        FolderLock::exclusive(&folder).unwrap();
    }
}
