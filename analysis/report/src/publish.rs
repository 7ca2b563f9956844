//! A run's folder for others: everything that the report is made from, compressed, and the
//! report made from just that. `SHA256SUMS` lists what the report is made from.
//!
//! Moves are written densely, one game a line. Evaluations, half of their size, stay where the
//! report needs them: in the games that the verdict is from.

mod dense;
mod target;

use crate::output::{create_folder, remove, write_atomically};
use crate::report::Options;
use crate::run_folder::RunFolder;
use crate::run_folder::files::{self, SMALL, failed, find};
use anyhow::Context;
use fusion_jobs::checksums;
use fusion_jobs::exit::{Failure, exit_code};
use fusion_jobs::plain::COMPRESSED;
use fusion_jobs::stop::Stop;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use target::Target;

/// Files that are copied as they are, and files that are compressed, of each folder.
const COPIED: [&str; 6] = [
    "study.toml",
    "deviations.txt",
    "superseded.txt",
    "measure.json",
    "strength.json",
    "random.csv",
];
const LARGE: [&str; 3] = ["openings.csv", "games.csv", "endgames.csv"];
const MOVES: &str = "games.pgn";
/// Folders of measurements and matches; the latter two have one for each.
const FOLDERS: [&str; 3] = ["measure", "random", ""];
const OF_FOLDERS: [&str; 2] = [EXTRA, "matches"];
const EXTRA: &str = "extra";
/// Slow to write, as fast to read as any other.
const LEVEL: i32 = 21;

/// Copies what a run's report is made from into `out` and writes the report there. An earlier
/// publication of the same run is replaced, one that was interrupted continued.
///
/// # Errors
/// A run that no report can be made from; `out` within or around the run's own folder, with
/// anything in it but a publication of this run, or with measurements or matches that the run has
/// not (exit code 64); a request to stop; an error of the file system.
pub fn publish(
    run: &Path,
    out: &Path,
    options: Options,
    terminal: &mut impl Write,
) -> anyhow::Result<()> {
    RunFolder::open(run)?;
    let target = target::look(run, out)?;
    let wanted = folders(run)?;
    refuse_strangers(run, out, &wanted)?;
    create_folder(out)?;
    if target == Target::Empty
        && let Some((name, sum)) = target::identity_file(run)?
    {
        // Until the list is whole no report is made from a part.
        let begun = checksums::unfinished(&name, sum);
        write_atomically(&out.join(checksums::NAME), begun.as_bytes())?;
    }
    let mut written = Vec::new();
    for folder in wanted {
        written.extend(copy(&run.join(&folder), &out.join(&folder), &folder, out)?);
    }
    write_atomically(&out.join(checksums::NAME), checksums(out, &written)?.as_bytes())?;
    crate::run(out, out, options, terminal)
}

/// Copies the files of one folder, and returns where they are.
fn copy(from: &Path, to: &Path, folder: &Path, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    // A measurement's own list is not of what is published. The publication's stays to the end:
    // until then the files are not those of the list, and refused.
    if to != out {
        remove(&to.join(checksums::NAME))?;
    }
    for name in COPIED {
        if let Some(path) = find(&[from.join(name)])? {
            Stop::of_process().check_unsaved()?;
            create_folder(to)?;
            write_atomically(&to.join(name), &files::read(&path, SMALL)?)?;
            written.push(to.join(name));
        }
    }
    for name in LARGE.into_iter().chain([MOVES]) {
        let Some(path) = find(&[from.join(name)])? else { continue };
        let mut input = files::open(&path)?;
        let packed = match name {
            MOVES => {
                let evaluations = !folder.starts_with(EXTRA);
                compress(|encoder| dense::write(&mut input, evaluations, encoder))
            }
            _ => compress(|encoder| pour(&mut input, encoder)),
        };
        let packed = packed.map_err(|error| unreadable(&path, error))?;
        create_folder(to)?;
        let compressed = to.join(name).with_added_extension(COMPRESSED);
        write_atomically(&compressed, &packed)?;
        // The report would prefer it to the compressed one.
        remove(&to.join(name))?;
        written.push(compressed);
    }
    Ok(written)
}

/// An error of a file's content with the file's name.
fn unreadable(path: &Path, error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<io::Error>() {
        Ok(error) => failed(path, error),
        Err(error) => {
            let message = format!("{}: {error:#}", path.display());
            Failure::new(exit_code(&error), message).into()
        }
    }
}

/// The list of checksums of what was written.
fn checksums(out: &Path, written: &[PathBuf]) -> anyhow::Result<String> {
    let mut files = Vec::new();
    for path in written {
        let name = path.strip_prefix(out).unwrap_or(path).to_string_lossy().into_owned();
        files.push((name, checksums::of_file(path)?));
    }
    files.sort();
    Ok(checksums::list(files.iter().map(|(name, sum)| (name.as_str(), sum.clone()))))
}

/// Refuses a folder that holds what the run has not: the report would take it for this run's.
fn refuse_strangers(run: &Path, out: &Path, wanted: &[PathBuf]) -> anyhow::Result<()> {
    let mut found = folders(out)?;
    found.retain(|folder| !wanted.contains(folder));
    for folder in wanted {
        for name in COPIED.iter().chain(&LARGE).chain([&MOVES]) {
            let [ours, theirs] = [run, out].map(|root| find(&[root.join(folder).join(name)]));
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

/// What is written into the encoder, compressed. With a checksum, so that a published file that has
/// rotted is refused.
fn compress(fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    fill(&mut encoder)?;
    Ok(encoder.finish()?)
}

/// Writes all of the input.
fn pour(input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
    let stop = Stop::of_process();
    loop {
        stop.check_unsaved()?;
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        out.write_all(bytes)?;
        let length = bytes.len();
        input.consume(length);
    }
}
