//! Seeds of independent random streams.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Returns a random stream keyed by a purpose and numbers, such as the seed of a run and a game's
/// number. Streams with different keys are independent.
///
/// # Examples
/// ```
/// use fusion_jobs::seeds::stream;
/// use rand::Rng;
///
/// let mut fifth_game = stream("game", &[2020, 5]);
/// let mut again = stream("game", &[2020, 5]);
/// let mut sixth_game = stream("game", &[2020, 6]);
/// let first = fifth_game.next_u64();
/// assert_eq!(again.next_u64(), first);
/// assert_ne!(sixth_game.next_u64(), first);
/// ```
#[must_use]
pub fn stream(purpose: &str, numbers: &[u64]) -> ChaCha8Rng {
    ChaCha8Rng::from_seed(digest(purpose, numbers))
}

/// Returns a 64-bit seed, independent like [`stream`]: the first 8 bytes, highest first, of
/// `SHA-256(purpose, 0, numbers)`. Each number takes 8 bytes, lowest first.
///
/// # Examples
/// ```
/// use fusion_jobs::seeds::number;
///
/// // Python: hashlib.sha256(b"game\0" + struct.pack("<QQ", 2020, 5)).hexdigest()[:16].
/// assert_eq!(number("game", &[2020, 5]), 0xa097_a5ea_3124_d813);
/// ```
#[must_use]
pub fn number(purpose: &str, numbers: &[u64]) -> u64 {
    let digest = digest(purpose, numbers);
    digest[..8].iter().fold(0, |seed, &byte| seed << 8 | u64::from(byte))
}

fn digest(purpose: &str, numbers: &[u64]) -> [u8; 32] {
    let mut hasher = Sha256::new_with_prefix(purpose.as_bytes());
    // Purposes have no zero byte, so that different keys never have the same bytes.
    hasher.update([0]);
    for number in numbers {
        hasher.update(number.to_le_bytes());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_by_purpose_and_number_and_stay() {
        assert_eq!(number("game", &[1, 2]), number("game", &[1, 2]));
        assert_ne!(number("game", &[1, 2]), number("game", &[2, 1]));
        assert_ne!(number("game", &[1]), number("pair", &[1]));
    }
}
