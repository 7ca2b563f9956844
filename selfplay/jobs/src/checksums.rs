//! `SHA256SUMS`: checksums of the files in a folder, as `sha256sum --check` reads them.
//!
//! Measurements and publications have such a list. It reveals damage in files that have no checksum
//! of their own.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use crate::exit::Failure;
use anyhow::Context;
use fusion_game::{files, hex};
use sha2::{Digest, Sha256};

use crate::plain;
use crate::stop::Stop;

/// Name of the list's file.
pub const NAME: &str = "SHA256SUMS";
/// Limit on the bytes of a list, enough for ten thousand files.
const LONGEST: u64 = 4 << 20;
/// Limit on the bytes of a listed file, enough for the moves of a million games.
const LARGEST: u64 = 16 << 30;
/// The last line of the list of an unfinished folder.
const UNFINISHED: &str = "this list is not finished";
const AGAIN: &str = "`fusion measure` makes both again from the shards; what was published \
                     must be fetched again; where a change is meant, remove the list";

/// Returns the SHA-256 of some bytes, in hexadecimal.
///
/// # Examples
/// ```
/// use fusion_jobs::checksums;
///
/// // The first example of the standard FIPS 180-2.
/// let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// assert_eq!(checksums::of(b"abc"), sum);
/// ```
#[must_use]
pub fn of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// Fails if the file cannot be read, if it is a folder, a pipe or a device, or if a stop is
/// requested.
pub fn of_file(path: &Path) -> anyhow::Result<String> {
    digest(plain::open(path)?, path)
}

fn digest(mut file: impl Read, path: &Path) -> anyhow::Result<String> {
    let stop = Stop::of_process();
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        stop.check_unsaved()?;
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(length) => hasher.update(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(error).with_context(|| format!("reading {}", path.display()));
            }
        }
    }
}

/// Returns the list of these files, by path in the folder, with their checksums.
#[must_use]
pub fn list<'a>(files: impl IntoIterator<Item = (&'a str, String)>) -> String {
    files.into_iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect()
}

/// Returns the list of an unfinished folder, which [`check`] rejects. It names the file by which
/// [`read`] recognises the folder's purpose.
///
/// # Examples
/// ```
/// use fusion_jobs::checksums::{self, NAME};
/// use std::fs;
///
/// let folder = tempfile::tempdir()?;
/// fs::write(folder.path().join("measure.json"), "{}")?;
/// let list = checksums::unfinished("measure.json", checksums::of(b"{}"));
/// fs::write(folder.path().join(NAME), list)?;
/// assert!(!checksums::read(folder.path())?.unwrap().finished);
/// assert!(checksums::check(folder.path()).unwrap_err().to_string().contains("not finished"));
/// # Ok::<(), anyhow::Error>(())
/// ```
#[must_use]
pub fn unfinished(path: &str, sum: String) -> String {
    list([(path, sum)]) + UNFINISHED
}

/// A parsed list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// File names as the list spells them, with their checksums.
    pub files: Vec<(String, String)>,
    /// Whether the folder was finished.
    pub finished: bool,
}

/// Parses a folder's list without checking the files. Returns `None` for a folder without a list.
///
/// # Errors
/// Fails if the list is malformed, or names a file twice or outside the folder (exit code 65). Also
/// fails if the list cannot be read.
pub fn read(folder: &Path) -> anyhow::Result<Option<List>> {
    let path = folder.join(NAME);
    let name = path.display();
    let is_missing =
        |error: io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Unsupported);
    if !files::is_held(&path) && path.symlink_metadata().is_err_and(is_missing) {
        return Ok(None);
    }
    let damaged = || Failure::corrupt(format!("{name} is damaged or cut short: {AGAIN}"));
    let text = plain::normalised(plain::read(&path, LONGEST)?).map_err(|_| damaged())?;
    let (text, finished) = match text.trim_end_matches('\n').strip_suffix(UNFINISHED) {
        Some(begun) => (begun, false),
        None => (text.as_str(), true),
    };
    if text.is_empty() {
        return Err(damaged().into());
    }
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for line in text.lines() {
        // `sha256sum --binary` writes a star before the name.
        let (sum, file) =
            line.split_once("  ").or_else(|| line.split_once(" *")).ok_or_else(damaged)?;
        let wrong = |what: &str| Failure::corrupt(format!("{name} lists {file}: {what}"));
        if sum.len() != 64 || !sum.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(damaged().into());
        }
        if !is_inside(file) {
            return Err(wrong("a list names files of its own folder, by their paths in it").into());
        }
        if !seen.insert(file) {
            return Err(wrong("twice").into());
        }
        files.push((file.to_owned(), sum.to_ascii_lowercase()));
    }
    Ok(Some(List { files, finished }))
}

/// Returns whether a path stays inside the folder, judged by its text.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The files of a folder whose checksums match its list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    paths: BTreeSet<PathBuf>,
    of_measurement: bool,
}

impl Listed {
    /// Returns whether the list has this file. The path begins with the folder's path.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.paths.contains(path)
    }

    /// Returns whether the list is that of a measurement, which has only the measurement's results.
    #[must_use]
    pub fn is_of_measurement(&self) -> bool {
        self.of_measurement
    }
}

impl List {
    /// Returns whether the list is that of a measurement, which has only the measurement's results.
    #[must_use]
    pub fn is_of_measurement(&self) -> bool {
        let games = |file: &str| file.starts_with("games.") && !file.contains('/');
        self.files.iter().all(|(file, _)| file == "measure.json" || games(file))
    }
}

/// Compares the files of a folder with its list and returns the listed files. Returns `None` for a
/// folder without a list. A file that was compressed later (`NAME.zst` for NAME) counts as the same
/// file.
///
/// # Errors
/// Fails if a file is damaged, missing, not a plain file or, through a link, outside the folder.
/// Also fails if the list is malformed or unfinished (exit code 65), or if a stop is requested.
///
/// # Examples
/// ```
/// use fusion_jobs::checksums::{self, NAME};
/// use std::fs;
///
/// let folder = tempfile::tempdir()?;
/// let games = folder.path().join("games.csv");
/// fs::write(&games, "1,draw\n")?;
/// let list = checksums::list([("games.csv", checksums::of_file(&games)?)]);
/// fs::write(folder.path().join(NAME), list)?;
/// assert!(checksums::check(folder.path())?.unwrap().contains(&games));
///
/// fs::write(&games, "1,loss\n")?;
/// let error = checksums::check(folder.path()).unwrap_err();
/// assert!(error.to_string().contains("its SHA-256 is not the one there"));
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn check(folder: &Path) -> anyhow::Result<Option<Listed>> {
    let Some(list) = read(folder)? else { return Ok(None) };
    let name = folder.join(NAME);
    if !list.finished {
        let message =
            format!("{}: {UNFINISHED}: run the same `fusion publish` again", name.display());
        return Err(Failure::corrupt(message).into());
    }
    let mut listed = Listed { of_measurement: list.is_of_measurement(), ..Listed::default() };
    for (file, sum) in &list.files {
        let path = folder.join(file);
        let compressed = path.with_added_extension(plain::COMPRESSED);
        let there = [&path, &compressed].into_iter().find(|path| path.exists());
        let what = match there {
            Some(there) if leads_out(folder, there)? => "it is a link out of the folder",
            Some(there) if fs::metadata(there).is_ok_and(|data| data.len() > LARGEST) => {
                "it is larger than any file of a run"
            }
            Some(there) if is(there, there != &path, sum)? => {
                listed.paths.insert(there.clone());
                continue;
            }
            Some(_) => {
                "its SHA-256 is not the one there: it is damaged, or one of them was changed"
            }
            None => "it is not there",
        };
        let message =
            format!("{}, which {} lists: {what}. {AGAIN}", path.display(), name.display());
        return Err(Failure::corrupt(message).into());
    }
    Ok(Some(listed))
}

/// Returns whether an existing file lies outside the folder because its path has a link.
fn leads_out(folder: &Path, path: &Path) -> anyhow::Result<bool> {
    let real =
        |path: &Path| path.canonicalize().with_context(|| format!("finding {}", path.display()));
    Ok(!real(path)?.starts_with(real(folder)?))
}

/// Returns whether a file has this checksum, after decompression if `compressed`.
fn is(path: &Path, compressed: bool, sum: &str) -> anyhow::Result<bool> {
    if !compressed {
        return Ok(of_file(path)? == sum);
    }
    match digest(plain::open_compressed(path)?, path) {
        Ok(found) => Ok(found == sum),
        // A file that does not decompress is damaged.
        Err(error) if error.root_cause().is::<io::Error>() => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_as_listed_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let rejected = || check(folder.path()).unwrap_err().to_string();
        check(folder.path()).unwrap();
        fs::write(at("a"), "one").unwrap();
        fs::write(at("b"), "").unwrap();
        assert_eq!(of(b"one"), of_file(&at("a")).unwrap());
        assert!(of(b"").starts_with("e3b0c44298fc1c14"));
        let sums = list([("a", of(b"one")), ("b", of(b""))]);
        fs::write(at(NAME), &sums).unwrap();
        let upper = format!("{}  a\n{} *b", of(b"one").to_uppercase(), of(b"").to_uppercase());
        let crlf = sums.replace('\n', "\r\n");
        for written in [sums.trim_end(), &crlf, &format!("\u{feff}{sums}"), &upper, &sums] {
            fs::write(at(NAME), written).unwrap();
            let listed = check(folder.path()).unwrap().unwrap();
            assert_eq!(listed.paths, BTreeSet::from([at("a"), at("b")]), "{written}");
        }
        fs::write(at("b.zst"), zstd::encode_all(&b""[..], 1).unwrap()).unwrap();
        fs::remove_file(at("b")).unwrap();
        assert!(check(folder.path()).unwrap().unwrap().contains(&at("b.zst")));
        fs::write(at("b.zst"), "half").unwrap();
        let which = |name: &str| format!("{}, which", at(name).display());
        assert!(rejected().contains(&which("b")), "{}", rejected());
        fs::write(at("b"), "").unwrap();
        fs::write(at("a"), "two").unwrap();
        assert!(rejected().contains(&which("a")) && rejected().contains("not the one there"));
        fs::remove_file(at("a")).unwrap();
        assert!(rejected().contains("not there"));
        for text in ["", &sums[..70], "e3b0\n", "e3b0  a\n"] {
            fs::write(at(NAME), text).unwrap();
            assert!(rejected().contains("cut short"), "{}", rejected());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_list_names_files_of_its_own_folder() {
        use std::os::unix::fs::symlink;

        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("inside");
        fs::create_dir(&folder).unwrap();
        fs::write(outer.path().join("a"), "one").unwrap();
        let rejected = |name: &str| {
            fs::write(folder.join(NAME), list([(name, of(b"one"))])).unwrap();
            check(&folder).unwrap_err().to_string()
        };
        for name in ["/dev/zero", "../a", "x/../../a", "./a", "", "."] {
            assert!(rejected(name).contains("of its own folder"), "{name}: {}", rejected(name));
        }
        symlink("../a", folder.join("link")).unwrap();
        assert!(rejected("link").contains("link out of the folder"));
        symlink("..", folder.join("up")).unwrap();
        assert!(rejected("up/a").contains("link out of the folder"));
        symlink("/dev/zero", folder.join("zero")).unwrap();
        assert!(rejected("zero").contains("link out of the folder"));
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(rejected("pipe").contains("not a file"));
        fs::File::create(folder.join("huge")).unwrap().set_len(1 << 40).unwrap();
        assert!(rejected("huge").contains("larger than any file"));
        fs::write(folder.join("real"), "one").unwrap();
        symlink("real", folder.join("near")).unwrap();
        let twice = list([("real", of(b"one")), ("near", of(b"one"))]);
        fs::write(folder.join(NAME), &twice).unwrap();
        assert!(check(&folder).unwrap().unwrap().contains(&folder.join("near")));
        fs::write(folder.join(NAME), twice.replace("near", "real")).unwrap();
        assert!(check(&folder).unwrap_err().to_string().contains("twice"));
    }

    #[test]
    fn an_unfinished_list_is_rejected_but_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "one").unwrap();
        fs::write(folder.path().join(NAME), unfinished("a", of(b"one"))).unwrap();
        let error = check(folder.path()).unwrap_err().to_string();
        assert!(error.contains("not finished") && error.contains("publish"), "{error}");
        let list = read(folder.path()).unwrap().unwrap();
        assert_eq!(list, List { files: vec![("a".into(), of(b"one"))], finished: false });
    }
}
