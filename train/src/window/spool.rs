//! Bytes of positions on disk, so that windows may be larger than memory.
//!
//! They are in a file without a name, which disappears with the last position in it, at the latest with
//! the process. The operating system caches what it has memory for.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use memmap2::{Advice, Mmap};

/// A file in the making.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    file: Option<BufWriter<File>>,
    length: usize,
    map: Arc<OnceLock<Mmap>>,
}

/// Bytes in memory or in the file of a spool.
#[derive(Debug)]
pub enum Bytes {
    /// Bytes in memory, to which more may be added.
    Memory(Vec<u8>),
    /// Bytes in a file. They can be read when the file is complete.
    File(Arc<OnceLock<Mmap>>, Range<usize>),
}

impl Spool {
    /// Names the folder of the file, or a folder that will be made. In that case the file is in the
    /// nearest one around it. There is no file before the first bytes are stored.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let around = folder.ancestors().find(|folder| folder.is_dir());
        let folder = around.unwrap_or(Path::new(".")).to_owned();
        Self { folder, file: None, length: 0, map: Arc::default() }
    }

    /// Moves bytes from memory to the file.
    ///
    /// # Errors
    /// The file cannot be made or written.
    pub fn store(&mut self, bytes: &mut Bytes) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(tempfile::tempfile_in(&self.folder)?)),
        };
        file.write_all(bytes)?;
        let range = self.length..self.length + bytes.len();
        self.length = range.end;
        *bytes = Bytes::File(self.map.clone(), range);
        Ok(())
    }

    /// Completes the file. Its bytes can be read from now on.
    ///
    /// # Errors
    /// The file cannot be written or mapped.
    pub fn finish(self) -> io::Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        let file = file.into_inner()?;
        // SAFETY: the file has no name, and its only handle ends with this function. So nothing can
        // change or shorten it as long as it is mapped.
        let map = unsafe { Mmap::map(&file)? };
        // Batches are drawn at random: what lies beside a position is not needed soon.
        map.advise(Advice::Random)?;
        self.map.get_or_init(|| map);
        Ok(())
    }
}

impl Bytes {
    /// Makes the system read a range from disk if it is not in memory, without waiting for it.
    pub fn fetch(&self, part: Range<usize>) {
        if let Self::File(map, range) = self
            && let Some(map) = map.get()
        {
            // Only a hint: without it, the bytes are read when they are used.
            let _ = map.advise_range(Advice::WillNeed, range.start + part.start, part.len());
        }
    }

    /// Adds bytes to those in memory.
    ///
    /// # Panics
    /// Panics if they are in a file.
    pub fn extend(&mut self, more: &[u8]) {
        match self {
            Self::Memory(bytes) => bytes.extend_from_slice(more),
            Self::File(..) => panic!("a stored block does not grow"),
        }
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    /// # Panics
    /// Panics if the file is not complete.
    fn deref(&self) -> &[u8] {
        match self {
            Self::Memory(bytes) => bytes,
            Self::File(map, range) => &map.get().expect("the file is complete")[range.clone()],
        }
    }
}
