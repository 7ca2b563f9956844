//! A run's folder for others: everything that the report is made from, compressed, and the
//! report made from just that. `SHA256SUMS` lists what the report is made from.
//!
//! Moves are written densely, one game a line. Evaluations, half of their size, stay where the
//! report needs them: in the games that the verdict is from.

use crate::output::{create_folder, remove, write_atomically};
use crate::report::Options;
use crate::run_folder::{self, COMPRESSED, RunFolder};
use anyhow::Context;
use fusion_engine::cli::Failure;
use fusion_selfplay::sums;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files that are copied as they are, and files that are compressed, of each folder.
const COPIED: [&str; 5] =
    ["study.toml", "deviations.txt", "measure.json", "strength.json", "random.csv"];
const LARGE: [&str; 3] = ["openings.csv", "games.csv", "endgames.csv"];
const MOVES: &str = "games.pgn";
/// Folders of measurements and matches; the latter two have one for each.
const FOLDERS: [&str; 3] = ["measure", "random", ""];
const OF_FOLDERS: [&str; 2] = [EXTRA, "matches"];
const EXTRA: &str = "extra";
/// Slow to write, as fast to read as any other.
const LEVEL: i32 = 21;

/// Copies what a run's report is made from into `out` and writes the report there. An earlier
/// publication of the run is replaced.
///
/// # Errors
/// A run that no report can be made from, `out` within or around the run's own folder or with
/// measurements or matches that the run has not, or an error of the file system.
pub fn publish(
    run: &Path,
    out: &Path,
    options: Options,
    terminal: &mut impl Write,
) -> anyhow::Result<()> {
    RunFolder::open(run)?;
    refuse_overlap(run, out)?;
    create_folder(out)?;
    let wanted = folders(run)?;
    refuse_strangers(run, out, &wanted)?;
    let mut written = Vec::new();
    for folder in wanted {
        let (from, to) = (run.join(&folder), out.join(&folder));
        // A measurement's own list is not of what is published. An earlier publication's stays to
        // the end: until then the files are of two, and refused.
        if to != out {
            remove(&to.join(sums::NAME))?;
        }
        for name in COPIED {
            if let Some(bytes) = read(&from.join(name))? {
                create_folder(&to)?;
                write_atomically(&to.join(name), &bytes)?;
                written.push(to.join(name));
            }
        }
        for name in LARGE {
            if let Some(bytes) = read(&from.join(name))? {
                written.push(write_compressed(&to, name, &bytes)?);
            }
        }
        if let Some(bytes) = read(&from.join(MOVES))? {
            let text = String::from_utf8(bytes).map_err(|_| {
                Failure::corrupt(format!("{}: is not UTF-8", from.join(MOVES).display()))
            })?;
            let evaluations = !folder.starts_with(EXTRA);
            written.push(write_compressed(&to, MOVES, dense(&text, evaluations).as_bytes())?);
        }
    }
    write_atomically(&out.join(sums::NAME), checksums(out, &written)?.as_bytes())?;
    crate::run(out, out, options, terminal)
}

/// The list of checksums of what was written.
fn checksums(out: &Path, written: &[PathBuf]) -> anyhow::Result<String> {
    let mut files = Vec::new();
    for path in written {
        let name = path.strip_prefix(out).unwrap_or(path).to_string_lossy().into_owned();
        files.push((name, sums::of_file(path)?));
    }
    files.sort();
    Ok(sums::list(files.iter().map(|(name, sum)| (name.as_str(), sum.clone()))))
}

fn refuse_overlap(run: &Path, out: &Path) -> anyhow::Result<()> {
    let (from, to) = (real(run)?, real(out)?);
    if from.starts_with(&to) || to.starts_with(&from) {
        let message =
            format!("{} and {} overlap: publish into another folder", run.display(), out.display());
        return Err(Failure::usage(message).into());
    }
    Ok(())
}

/// The path without links, also of a folder that does not exist yet.
fn real(path: &Path) -> anyhow::Result<PathBuf> {
    let full = std::path::absolute(path).with_context(|| path.display().to_string())?;
    let known = full.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&full);
    let found = known.canonicalize().with_context(|| format!("finding {}", known.display()))?;
    Ok(found.join(full.strip_prefix(known).unwrap_or(Path::new(""))))
}

/// Refuses a folder that holds what the run has not: the report would take it for this run's.
fn refuse_strangers(run: &Path, out: &Path, wanted: &[PathBuf]) -> anyhow::Result<()> {
    let mut found = folders(out)?;
    found.retain(|folder| !wanted.contains(folder));
    for folder in wanted {
        for name in COPIED.iter().chain(&LARGE).chain([&MOVES]) {
            let [ours, theirs] =
                [run, out].map(|root| run_folder::find(&[root.join(folder).join(name)]));
            if ours?.is_none()
                && let Some(stranger) = theirs?
            {
                found.push(stranger.strip_prefix(out).unwrap_or(&stranger).to_owned());
            }
        }
    }
    match found.first() {
        None => Ok(()),
        Some(stranger) => Err(Failure::usage(format!(
            "{} is not of this run: publish into another folder, or remove it",
            out.join(stranger).display()
        ))
        .into()),
    }
}

/// The folders inside a run that may hold files to publish.
fn folders(run: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
    for parent in OF_FOLDERS {
        let inside = run.join(parent);
        if !inside.is_dir() {
            continue;
        }
        let context = || format!("reading the folder {}", inside.display());
        for entry in std::fs::read_dir(&inside).with_context(context)? {
            let entry = entry.with_context(context)?;
            if entry.path().is_dir() {
                folders.push(Path::new(parent).join(entry.file_name()));
            }
        }
    }
    folders.sort();
    Ok(folders)
}

/// A file's bytes if it is there, as it is or compressed.
fn read(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    let found = run_folder::find(&[path.to_owned()])?;
    found.map(|path| run_folder::read(&path)).transpose()
}

fn write_compressed(folder: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let packed = compress(bytes).with_context(|| format!("compressing {name}"))?;
    create_folder(folder)?;
    let path = folder.join(name);
    let compressed = path.with_added_extension(COMPRESSED);
    write_atomically(&compressed, &packed)?;
    // The report would prefer it to the compressed one.
    remove(&path)?;
    Ok(compressed)
}

/// With a checksum, so that a published file that has rotted is refused.
fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// PGN with each game's moves on one line, without the numbers of Black's moves and the last
/// number of `[%wdl 324,352,324]`, which is what lacks to 1000; or without comments.
fn dense(pgn: &str, evaluations: bool) -> String {
    let mut text = String::with_capacity(pgn.len() / 2);
    let mut in_moves = false;
    for line in pgn.lines() {
        match (line.is_empty(), in_moves) {
            (true, false) => text.push('\n'),
            (true, true) => text.push_str("\n\n"),
            (false, false) => text.extend([line, "\n"]),
            (false, true) => push_moves(&mut text, line, evaluations),
        }
        in_moves ^= line.is_empty();
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn push_moves(text: &mut String, line: &str, evaluations: bool) {
    for word in line.split_ascii_whitespace() {
        let comment = word.starts_with('{') || word.ends_with('}');
        if word.ends_with("...") || (comment && !evaluations) {
            continue;
        }
        // The last of an evaluation's three numbers.
        let third = word.strip_suffix("]}").filter(|w| w.matches(',').count() == 2);
        let short = third.and_then(|numbers| numbers.rsplit_once(','));
        if !text.is_empty() && !text.ends_with('\n') {
            text.push(' ');
        }
        match short {
            Some((numbers, _)) => text.extend([numbers, "]}"]),
            None => text.push_str(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_moves() {
        let pgn = "[Event \"a\"]\n[Round \"1\"]\n\n1. e4 e5 2. Nf3 {[%wdl 324,352,324]} 2... Nc6 {[%wdl\n100,200,700]} 1-0\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(
            dense(pgn, true),
            "[Event \"a\"]\n[Round \"1\"]\n\n1. e4 e5 2. Nf3 {[%wdl 324,352]} Nc6 {[%wdl 100,200]} 1-0\n\n[Event \"b\"]\n\n1. d4 *\n"
        );
        assert_eq!(
            dense(pgn, false),
            "[Event \"a\"]\n[Round \"1\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n[Event \"b\"]\n\n1. d4 *\n"
        );
    }
}
