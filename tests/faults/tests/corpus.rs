//! Tests inputs of every kind, inputs on which a target failed, and damaged copies of both.

use fusion_faults::targets::{TARGETS, Target};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// Number of damaged copies of every input.
const COPIES: u64 = 20;

/// Returns the inputs of a target.
fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Returns a copy with some bytes changed, removed or inserted, or cut short.
fn damaged(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..4) {
        let place = rng.random_range(0..=bytes.len());
        match rng.random_range(0..4) {
            0 if place < bytes.len() => bytes[place] = rng.next_u32() as u8,
            1 if place < bytes.len() => drop(bytes.remove(place)),
            2 => bytes.truncate(place),
            _ => bytes.insert(place, rng.next_u32() as u8),
        }
    }
    bytes
}

#[test]
fn no_input_makes_a_target_panic() {
    for target in TARGETS {
        let inputs = corpus(&target);
        assert!(!inputs.is_empty(), "{} has no inputs", target.name);
        for (number, input) in (0..).zip(&inputs) {
            (target.run)(input);
            for copy in 0..COPIES {
                let mut rng = ChaCha8Rng::seed_from_u64(number * COPIES + copy);
                (target.run)(&damaged(input, &mut rng));
            }
        }
    }
}
