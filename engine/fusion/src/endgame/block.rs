//! Compression of a table's blocks.
//!
//! WebAssembly has no files of tables, and the compressor is a C library. So it is left out there.

use std::io;

#[cfg(not(target_family = "wasm"))]
const ZSTD_LEVEL: i32 = 3;

/// Compresses a block's codes for [`write()`](super::write()).
///
/// # Errors
/// Returns an error of the compressor.
#[cfg(not(target_family = "wasm"))]
pub fn compress(codes: &[u16]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(bytemuck::cast_slice(codes), ZSTD_LEVEL)
}

/// Decompresses a block into a buffer of its size and returns the number of bytes.
#[cfg(not(target_family = "wasm"))]
pub(super) fn decompress(block: &[u8], bytes: &mut [u8]) -> io::Result<usize> {
    zstd::bulk::decompress_to_buffer(block, bytes)
}

/// Compresses a block's codes.
///
/// # Errors
/// Always fails: WebAssembly has no compressor.
#[cfg(target_family = "wasm")]
pub fn compress(_: &[u16]) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Fails: WebAssembly has no compressor.
#[cfg(target_family = "wasm")]
pub(super) fn decompress(_: &[u8], _: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
