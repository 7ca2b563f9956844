//! Locks on run folders.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;

/// The file that is locked.
const NAME: &str = ".lock";

/// A folder in which this process works until this is dropped. The system releases it if the
/// process is killed.
#[derive(Debug)]
pub struct FolderLock {
    /// None on a disk that is read-only.
    _file: Option<File>,
}

impl FolderLock {
    /// Claims a folder, which is created, for this process alone.
    ///
    /// # Errors
    /// Another process at work in it; failures of the file system.
    pub fn exclusive(folder: &Path) -> anyhow::Result<Self> {
        Self::claim(folder, File::try_lock)
    }

    /// Claims a folder for this process and others that claim it in the same way.
    ///
    /// # Errors
    /// A process that wants the folder for itself; failures of the file system.
    pub fn shared(folder: &Path) -> anyhow::Result<Self> {
        Self::claim(folder, File::try_lock_shared)
    }

    fn claim(
        folder: &Path,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        let file = match File::create(folder.join(NAME)) {
            Ok(file) => file,
            // Where nothing can be written nobody does; finished work can still be looked at.
            Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem => {
                return Ok(Self { _file: None });
            }
            Err(error) => {
                return Err(error).with_context(|| format!("writing into {}", folder.display()));
            }
        };
        match lock(&file) {
            Ok(()) => Ok(Self { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => anyhow::bail!(
                "another process is at work in {}: wait for it or choose another folder",
                folder.display()
            ),
            Err(TryLockError::Error(error)) => {
                Err(anyhow::Error::new(error).context(format!("locking {}", folder.display())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner_or_several_that_share_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a/b");
        let alone = FolderLock::exclusive(&folder).unwrap();
        let refused = FolderLock::shared(&folder).unwrap_err();
        assert!(refused.to_string().contains("another process"), "{refused}");
        drop(alone);
        let sharing = [(); 2].map(|()| FolderLock::shared(&folder).unwrap());
        assert!(FolderLock::exclusive(&folder).is_err());
        drop(sharing);
        FolderLock::exclusive(&folder).unwrap();
    }
}
