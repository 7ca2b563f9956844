//! Compression by zstd.
//!
//! A program in a browser reads and writes no files, and the compressor is a C library. So all functions fail
//! there.

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{compress, decoder, decompress};

#[cfg(target_family = "wasm")]
pub(crate) use missing::{compress, decoder, decompress};

#[cfg(not(target_family = "wasm"))]
mod native {
    use std::cell::RefCell;
    use std::io::{self, Read};
    use zstd::bulk::Decompressor;

    /// Level of compression of whole buffers.
    const LEVEL: i32 = 9;

    thread_local! {
        /// Used for one buffer after the other: to make one takes as long as to decompress a game.
        static DECOMPRESSOR: RefCell<Decompressor<'static>> =
            RefCell::new(Decompressor::new().expect("no dictionary can be wrong"));
    }

    /// Compresses a buffer.
    pub(crate) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
        zstd::bulk::compress(bytes, LEVEL)
    }

    /// Decompresses a buffer of at most `most` bytes.
    pub(crate) fn decompress(bytes: &[u8], most: usize) -> io::Result<Vec<u8>> {
        DECOMPRESSOR.with(|decompressor| decompressor.borrow_mut().decompress(bytes, most))
    }

    /// Decompresses while reading.
    pub(crate) fn decoder(input: impl Read) -> io::Result<impl Read> {
        zstd::Decoder::new(input)
    }
}

#[cfg(target_family = "wasm")]
mod missing {
    use std::io::{self, ErrorKind, Read};

    pub(crate) fn compress(_: &[u8]) -> io::Result<Vec<u8>> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(crate) fn decompress(_: &[u8], _: usize) -> io::Result<Vec<u8>> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(crate) fn decoder<R: Read>(_: R) -> io::Result<R> {
        Err(ErrorKind::Unsupported.into())
    }
}
