//! Publication of a run: the compressed files that the report is made from, and the report made
//! only from these. `SHA256SUMS` lists the files that the report is made from.
//!
//! Moves are written compactly, one game a line. Evaluations are half of their size. They are kept
//! only for the games that the verdict uses.

mod target;

use anyhow::Context;
use fusion_jobs::checksums;
use fusion_jobs::exit::{Failure, exit_code};
use fusion_jobs::plain::COMPRESSED;
use fusion_jobs::stop::Stop;
use fusion_print::output::{create_folder, remove, write_atomically};
use fusion_results::chess::dense;
use fusion_results::report::{Options, Report};
use fusion_results::report_game::games_files;
use fusion_results::run_folder::RunFolder;
use fusion_results::run_folder::files::{self, SMALL, failed, find};
use fusion_study::{STUDY_FILE, Study};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use target::Target;

/// Files of each folder that are copied as they are, and files that are compressed.
const COPIED: [&str; 8] = [
    STUDY_FILE,
    "deviations.txt",
    "superseded.txt",
    "measure.json",
    "strength.json",
    "random.csv",
    "forced.csv",
    "technique.csv",
];
const LARGE: [&str; 3] = ["openings.csv", "games.csv", "endgames.csv"];
/// Folders of measurements and matches. The last two hold one folder for each.
const FOLDERS: [&str; 4] = ["measure", "random", "technique", ""];
const OF_FOLDERS: [&str; 2] = [EXTRA, "matches"];
const EXTRA: &str = "extra";
/// Compression level. It is slow to compress and as fast to decompress as other levels.
const LEVEL: i32 = 21;

/// Which moves are published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Those of all games.
    All,
    /// Those of the named measurements and matches. `measure` is the main measurement, `strength`
    /// the audit of strength. Where two have one name, it is `extra/NAME` or `matches/NAME`. The
    /// others have the result, the events and a hash of the moves of every game.
    Of(Vec<String>),
}

impl Moves {
    /// Those of no game.
    pub const NONE: Self = Self::Of(Vec::new());

    /// Returns whether the moves in a folder of the run are published.
    fn include(&self, folder: &Path) -> bool {
        match self {
            Self::All => true,
            Self::Of(names) => names.iter().any(|name| match name.as_str() {
                // These two name the run's own, even if an extra or a match is called so.
                "measure" => folder == Path::new("measure"),
                "strength" => folder == Path::new(""),
                "" => false,
                name => name == name_of(folder) || Path::new(name) == folder,
            }),
        }
    }

    /// Rejects names of nothing that has moves, and of several that have.
    fn check(&self, run: &Path, folders: &[PathBuf]) -> anyhow::Result<()> {
        let Self::Of(names) = self else { return Ok(()) };
        let mut known: Vec<&PathBuf> = Vec::new();
        for folder in folders {
            for name in games_files() {
                if find(&[run.join(folder).join(name)])?.is_some() {
                    known.push(folder);
                }
            }
        }
        for name in names {
            let one = Self::Of(vec![name.clone()]);
            let meant: Vec<_> = known.iter().filter(|folder| one.include(folder)).collect();
            if meant.len() != 1 {
                let all: Vec<String> = known.iter().map(|folder| name_of(folder)).collect();
                let message = match &meant[..] {
                    [] if all.is_empty() => "the run has no moves".to_owned(),
                    [] => {
                        format!(
                            "the run has no moves of {name:?}; it has those of {}",
                            all.join(", ")
                        )
                    }
                    _ => format!(
                        "several have the name {name:?}: say extra/{name} or matches/{name}"
                    ),
                };
                return Err(Failure::usage(message).into());
            }
        }
        Ok(())
    }
}

/// Returns the name of what is in a folder of a run. The run's own folder has the games of the audit
/// of strength.
fn name_of(folder: &Path) -> String {
    folder.file_name().map_or("strength".into(), |name| name.to_string_lossy().into_owned())
}

/// Copies the files that a run's report is made from into `out`, and writes the report there.
/// Returns what [`crate::run`] returns.
///
/// An earlier publication of the same run is replaced. An interrupted one is continued. Without
/// moves the report lacks the parts that are made from them, and the publication takes a tenth of
/// the space.
///
/// # Errors
/// Fails if no report can be made from the run, on a request to stop, or on an error of the file
/// system. Fails with exit code 64 if `out` is within or around the run's own folder, if it holds
/// anything but a publication of this run, or if it holds measurements or matches that the run
/// lacks.
pub fn publish(
    run: &Path,
    out: &Path,
    moves: &Moves,
    options: Options,
) -> anyhow::Result<(Report, Vec<String>)> {
    RunFolder::open(run)?;
    let target = target::look(run, out)?;
    let wanted = folders(run)?;
    reject_strangers(run, out, &wanted)?;
    moves.check(run, &wanted)?;
    check_files(run, &wanted)?;
    create_folder(out)?;
    if target == Target::Empty
        && let Some((name, sum)) = target::identity_file(run)?
    {
        // The unfinished list prevents a report on a partial publication.
        let begun = checksums::unfinished(&name, sum);
        write_atomically(&out.join(checksums::NAME), begun.as_bytes())?;
    }
    let mut written = Vec::new();
    for folder in wanted {
        written.extend(copy(&run.join(&folder), &out.join(&folder), &folder, out, moves)?);
    }
    write_atomically(&out.join(checksums::NAME), checksums(out, &written)?.as_bytes())?;
    crate::run(out, out, options, &crate::Pages::default())
}

/// Rejects links out of the run before anything is written: what they point at would be published.
fn check_files(run: &Path, wanted: &[PathBuf]) -> anyhow::Result<()> {
    for folder in wanted {
        for name in COPIED.into_iter().chain(LARGE).chain(games_files()) {
            if let Some(path) = find(&[run.join(folder).join(name)])? {
                files::check_inside(run, &path)?;
            }
        }
    }
    Ok(())
}

/// Copies the files of one folder, and returns their paths.
fn copy(
    from: &Path,
    to: &Path,
    folder: &Path,
    out: &Path,
    moves: &Moves,
) -> anyhow::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    // A measurement's own list does not cover the published files. The publication's list stays
    // until the end: before that it does not match the files, which are rejected.
    if to != out {
        remove(&to.join(checksums::NAME))?;
    }
    for name in COPIED {
        if let Some(path) = find(&[from.join(name)])? {
            Stop::of_process().check_unsaved()?;
            create_folder(to)?;
            let mut bytes = files::read(&path, SMALL)?;
            if name == STUDY_FILE {
                // What is no text is no study, and no report is made from it.
                bytes = match String::from_utf8(bytes) {
                    Ok(text) => Study::text_without_out(text)?.into_bytes(),
                    Err(error) => error.into_bytes(),
                };
            }
            write_atomically(&to.join(name), &bytes)?;
            written.push(to.join(name));
        }
    }
    let games = if moves.include(folder) { games_files() } else { Vec::new() };
    if games.is_empty() {
        for name in games_files() {
            remove(&to.join(name))?;
            remove(&to.join(name).with_added_extension(COMPRESSED))?;
        }
    }
    for name in LARGE.into_iter().chain(games) {
        let Some(path) = find(&[from.join(name)])? else { continue };
        let mut input = files::open(&path)?;
        let packed = match name {
            dense::FILE => {
                let evaluations = !folder.starts_with(EXTRA);
                compress(|encoder| dense::write(&mut input, evaluations, encoder))
            }
            _ => compress(|encoder| pour(&mut input, encoder)),
        };
        let packed = packed.map_err(|error| unreadable(&path, error))?;
        create_folder(to)?;
        let compressed = to.join(name).with_added_extension(COMPRESSED);
        write_atomically(&compressed, &packed)?;
        // The report would prefer the plain file to the compressed one.
        remove(&to.join(name))?;
        written.push(compressed);
    }
    Ok(written)
}

/// Adds the file's name to an error of its content.
fn unreadable(path: &Path, error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<io::Error>() {
        Ok(error) => failed(path, error),
        Err(error) => {
            let message = format!("{}: {error:#}", path.display());
            Failure::new(exit_code(&error), message).into()
        }
    }
}

/// Returns the list of checksums of the written files.
fn checksums(out: &Path, written: &[PathBuf]) -> anyhow::Result<String> {
    let mut files = Vec::new();
    for path in written {
        let name = path.strip_prefix(out).unwrap_or(path).to_string_lossy().into_owned();
        files.push((name, checksums::of_file(path)?));
    }
    files.sort();
    Ok(checksums::list(files.iter().map(|(name, sum)| (name.as_str(), sum.clone()))))
}

/// Rejects a folder that holds files of another run, which the report would attribute to this run.
fn reject_strangers(run: &Path, out: &Path, wanted: &[PathBuf]) -> anyhow::Result<()> {
    let mut found = folders(out)?;
    found.retain(|folder| !wanted.contains(folder));
    for folder in wanted {
        for name in COPIED.into_iter().chain(LARGE).chain(games_files()) {
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

/// Returns the folders inside a run that may hold files to publish.
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

/// Returns the compressed form of the data written to the encoder. A checksum exposes later damage.
fn compress(fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    fill(&mut encoder)?;
    Ok(encoder.finish()?)
}

/// Copies the whole input to the output.
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
