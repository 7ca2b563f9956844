//! `SHA256SUMS`: checksums of the files in a folder, as `sha256sum --check` reads them.
//!
//! Measurements and publications have one. It makes damage visible in files that have no
//! checksum of their own.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

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
    File::open(path).and_then(digest).with_context(|| format!("reading {}", path.display()))
}

fn digest(mut file: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(hasher.finalize().as_slice())),
            length => hasher.update(&buffer[..length]),
        }
    }
}

/// A checksum's bytes in hexadecimal.
pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The list of these files, by path in the folder, with their checksums.
#[must_use]
pub fn list<'a>(files: impl IntoIterator<Item = (&'a str, String)>) -> String {
    files.into_iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect()
}

/// Refuses files that are not those of the folder's list, and tells which are listed. `None` for
/// a folder without a list. What was compressed since (`NAME.zst` for NAME) is the same file.
///
/// # Errors
/// A file that is damaged or gone, a list that is none (exit code 65).
pub fn check(folder: &Path) -> anyhow::Result<Option<BTreeSet<PathBuf>>> {
    const AGAIN: &str = "`fusion-selfplay measure` makes both again from the shards; what was \
                         published must be fetched again; where a change is meant, remove the list";
    let list = folder.join(NAME);
    let bytes = match fs::read(&list) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read.with_context(|| format!("reading {}", list.display()))?,
    };
    let text = String::from_utf8_lossy(&bytes);
    let name = list.display();
    let damaged = || Failure::corrupt(format!("{name} is damaged or cut short: {AGAIN}"));
    if text.is_empty() || !text.ends_with('\n') {
        return Err(damaged().into());
    }
    let mut listed = BTreeSet::new();
    for line in text.lines() {
        let (sum, path) = line.split_once("  ").ok_or_else(damaged)?;
        let path = folder.join(path);
        let compressed = path.with_added_extension("zst");
        let there = [&path, &compressed].into_iter().find(|path| path.exists());
        let what = match there {
            Some(there) if is(there, there != &path, sum)? => {
                listed.insert(there.clone());
                continue;
            }
            Some(_) => {
                "its SHA-256 is not the one there: it is damaged, or one of them was changed"
            }
            None => "it is not there",
        };
        let message = format!("{}, which {name} lists: {what}. {AGAIN}", path.display());
        return Err(Failure::corrupt(message).into());
    }
    Ok(Some(listed))
}

/// Whether a file, decompressed if need be, has this checksum.
fn is(path: &Path, compressed: bool, sum: &str) -> anyhow::Result<bool> {
    if !compressed {
        return Ok(of_file(path)? == sum);
    }
    let file = File::open(path).with_context(|| format!("reading {}", path.display()))?;
    // What does not decompress is damaged, too.
    Ok(zstd::Decoder::new(file).and_then(digest).is_ok_and(|found| found == sum))
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
        let listed = check(folder.path()).unwrap().unwrap();
        assert_eq!(listed, BTreeSet::from([at("a"), at("b")]));
        fs::write(at("b.zst"), zstd::encode_all(&b""[..], 1).unwrap()).unwrap();
        fs::remove_file(at("b")).unwrap();
        assert!(check(folder.path()).unwrap().unwrap().contains(&at("b.zst")));
        fs::write(at("b.zst"), "half").unwrap();
        assert!(refused().contains("/b, which"));
        fs::write(at("b"), "").unwrap();
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
