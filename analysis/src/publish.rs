//! A run's folder for others: everything that the report is made from, compressed, and the
//! report made from just that.

use crate::output::{create_folder, write_atomically};
use crate::report::Options;
use crate::run_folder::{COMPRESSED, RunFolder};
use anyhow::Context;
use fusion_engine::cli::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files that are copied as they are, and files that are compressed, of each folder.
const COPIED: [&str; 5] =
    ["study.toml", "deviations.txt", "measure.json", "strength.json", "random.csv"];
const LARGE: [&str; 3] = ["openings.csv", "games.csv", "games.pgn"];
/// Folders of measurements and matches; the latter two have one for each.
const FOLDERS: [&str; 3] = ["measure", "random", ""];
const OF_FOLDERS: [&str; 2] = ["extra", "matches"];
/// Slow to write, as fast to read as any other.
const LEVEL: i32 = 19;

/// Copies what a run's report is made from into `out` and writes the report there.
///
/// # Errors
/// A run that no report can be made from, `out` within or around the run's own folder, or an
/// error of the file system.
pub fn publish(
    run: &Path,
    out: &Path,
    options: Options,
    terminal: &mut impl Write,
) -> anyhow::Result<()> {
    RunFolder::open(run)?;
    create_folder(out)?;
    refuse_overlap(run, out)?;
    for folder in folders(run)? {
        for name in COPIED {
            copy(&run.join(&folder), &out.join(&folder), name, false)?;
        }
        for name in LARGE {
            copy(&run.join(&folder), &out.join(&folder), name, true)?;
        }
    }
    crate::run(out, out, options, terminal)
}

fn refuse_overlap(run: &Path, out: &Path) -> anyhow::Result<()> {
    let real =
        |path: &Path| path.canonicalize().with_context(|| format!("finding {}", path.display()));
    let (from, to) = (real(run)?, real(out)?);
    if from.starts_with(&to) || to.starts_with(&from) {
        let message =
            format!("{} and {} overlap: publish into another folder", run.display(), out.display());
        return Err(Failure::usage(message).into());
    }
    Ok(())
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

/// Copies a file if it is there.
fn copy(from: &Path, to: &Path, name: &str, compress: bool) -> anyhow::Result<()> {
    let source = from.join(name);
    if !source.is_file() {
        return Ok(());
    }
    let bytes = std::fs::read(&source).with_context(|| source.display().to_string())?;
    create_folder(to)?;
    if compress {
        let packed = zstd::encode_all(bytes.as_slice(), LEVEL)
            .with_context(|| format!("compressing {}", source.display()))?;
        let path = to.join(name).with_added_extension(COMPRESSED);
        return Ok(write_atomically(&path, &packed)?);
    }
    Ok(write_atomically(&to.join(name), &bytes)?)
}
