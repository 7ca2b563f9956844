//! `SHA256SUMS`: checksums of the files in a folder, as `sha256sum --check` reads them.
//!
//! Measurements and publications have one. It makes damage visible in files that have no
//! checksum of their own.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use anyhow::Context;
use fusion_engine::cli::Failure;
use sha2::{Digest, Sha256};

/// The file's name.
pub const NAME: &str = "SHA256SUMS";

/// SHA-256 of some bytes, in hexadecimal.
#[must_use]
pub fn of(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).as_slice())
}

/// SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// A file that cannot be read.
pub fn of_file(path: &Path) -> anyhow::Result<String> {
    digest(path).with_context(|| format!("reading {}", path.display()))
}

fn digest(path: &Path) -> io::Result<String> {
    let (mut file, mut hasher) = (File::open(path)?, Sha256::new());
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(hasher.finalize().as_slice())),
            length => hasher.update(&buffer[..length]),
        }
    }
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The list of these files, by path in the folder, with their checksums.
#[must_use]
pub fn list<'a>(files: impl IntoIterator<Item = (&'a str, String)>) -> String {
    files.into_iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect()
}

/// Refuses files that are not those of the folder's list. A folder without a list passes.
///
/// # Errors
/// A file that is damaged or gone, a list that is none (exit code 65).
pub fn check(folder: &Path) -> anyhow::Result<()> {
    const AGAIN: &str = "`fusion-selfplay measure` makes both again from the shards; what was \
                         published must be fetched again; where a change is meant, remove the list";
    let list = folder.join(NAME);
    let bytes = match fs::read(&list) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        read => read.with_context(|| format!("reading {}", list.display()))?,
    };
    let text = String::from_utf8_lossy(&bytes);
    let name = list.display();
    let damaged = || Failure::corrupt(format!("{name} is damaged or cut short: {AGAIN}"));
    if text.is_empty() || !text.ends_with('\n') {
        return Err(damaged().into());
    }
    for line in text.lines() {
        let (sum, path) = line.split_once("  ").ok_or_else(damaged)?;
        let path = folder.join(path);
        let what = match path.is_file() {
            true if of_file(&path)? == sum => continue,
            true => "its SHA-256 is not the one there: it is damaged, or one of them was changed",
            false => "it is not there",
        };
        let message = format!("{}, which {name} lists: {what}. {AGAIN}", path.display());
        return Err(Failure::corrupt(message).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_as_listed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let refused = || check(folder.path()).unwrap_err().to_string();
        check(folder.path()).unwrap();
        fs::write(at("a"), "one").unwrap();
        fs::write(at("b"), "").unwrap();
        assert_eq!(of(b"one"), of_file(&at("a")).unwrap());
        assert!(of(b"").starts_with("e3b0c44298fc1c14"));
        let sums = list([("a", of(b"one")), ("b", of(b""))]);
        fs::write(at(NAME), &sums).unwrap();
        check(folder.path()).unwrap();
        fs::write(at("a"), "two").unwrap();
        assert!(refused().contains("/a, which") && refused().contains("not the one there"));
        fs::remove_file(at("a")).unwrap();
        assert!(refused().contains("not there"));
        for text in ["", &sums[..70], "e3b0\n"] {
            fs::write(at(NAME), text).unwrap();
            assert!(refused().contains("cut short"), "{}", refused());
        }
    }
}
