//! Bytes in hexadecimal.

/// Formats bytes as lower-case hexadecimal digits.
///
/// # Examples
/// ```
/// assert_eq!(fusion_game::hex(&[0, 175]), "00af");
/// ```
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
