//! Checks of the folder to publish into, so that no other data there are lost.

use anyhow::Context;
use fusion_jobs::exit::Failure;
use fusion_jobs::{atomic, checksums};
use fusion_results::run_folder::Measured;
use fusion_results::run_folder::files::{SMALL, find, text};
use fusion_study::Study;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Settings that may change in the same run. A run may be continued with more openings, by a later
/// version of the program.
const MAY_CHANGE: [&str; 5] = ["program", "games", "played", "openings", "pool"];
/// Suffixes of the names of files that only runs have.
const OF_RUNS: [&str; 3] = [".shard", ".part", "/.lock"];

/// State of the folder to publish into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Empty, or missing.
    Empty,
    /// An unfinished publication of the run.
    Unfinished,
    /// A finished publication of the run.
    Publication,
}

/// Checks a folder to publish a run into.
///
/// Two runs are the same if they have the same study name and settings, including the seed.
/// Settings that may change as a run continues are not compared.
///
/// # Errors
/// Fails with exit code 64 if the folder overlaps with the run's, or if it holds anything but a
/// publication of the same run.
pub(super) fn look(run: &Path, out: &Path) -> anyhow::Result<Target> {
    reject_overlap(run, out)?;
    if is_empty(out)? {
        return Ok(Target::Empty);
    }
    let rejected = |what: String| {
        let advice = "publish into an empty folder, or one with a publication of this run";
        Failure::usage(format!("{} {what}: {advice}", out.display()))
    };
    if let Some(file) = file_of_run(out)? {
        return Err(rejected(format!("holds a run ({})", file.display())).into());
    }
    if let Some(folder) = link_out(out)? {
        return Err(rejected(format!("has a link to another folder ({})", folder.display())).into());
    }
    let Some(list) = checksums::read(out)? else {
        return Err(rejected(format!("is not empty and has no {}", checksums::NAME)).into());
    };
    if !list.finished {
        // The publication was begun in an empty folder, for one state of one run.
        let own = identity_file(run)?;
        return match own.is_some_and(|(name, sum)| list.files == [(name, sum)]) {
            true => Ok(Target::Unfinished),
            false => Err(rejected("holds an unfinished publication of another run".into()).into()),
        };
    }
    if list.is_of_measurement() {
        return Err(rejected("holds the measurement of a run".into()).into());
    }
    match difference(run, out)? {
        None => Ok(Target::Publication),
        Some(what) => Err(rejected(format!("holds a publication of another run ({what})")).into()),
    }
}

/// Returns the file that identifies a run, and its checksum. Returns `None` for games without
/// settings.
pub(super) fn identity_file(run: &Path) -> anyhow::Result<Option<(String, String)>> {
    let Some(path) = measure_json(run)? else { return Ok(None) };
    let name = path.strip_prefix(run).unwrap_or(&path).to_string_lossy().into_owned();
    Ok(Some((name, checksums::of_file(&path)?)))
}

fn measure_json(run: &Path) -> anyhow::Result<Option<PathBuf>> {
    find(&[run.join("measure/measure.json"), run.join("measure.json")])
}

/// Describes the difference between the runs of two folders. Returns `None` if the runs are the
/// same.
fn difference(run: &Path, out: &Path) -> anyhow::Result<Option<String>> {
    let (Some(ours), Some(theirs)) = (measure_json(run)?, measure_json(out)?) else {
        return Ok(Some("without measure.json runs cannot be told apart".into()));
    };
    let names = [study_name(run)?, study_name(out)?];
    if names[0] != names[1] {
        let [ours, theirs] = names.map(|name| name.unwrap_or_else(|| "none".into()));
        return Ok(Some(format!("study {theirs} there, {ours} here")));
    }
    let [ours, theirs] = [lasting(&ours)?, lasting(&theirs)?];
    // A later version may record more settings.
    let differs = ours.iter().find_map(|(key, value)| {
        let other = theirs.get(key).filter(|other| *other != value)?;
        Some(format!("{key}: {other} there, {value} here"))
    });
    Ok(differs)
}

/// Returns the settings that do not change in a run.
fn lasting(measure_json: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let entries = Measured::read(measure_json)?.entries.into_iter();
    Ok(entries.filter(|(key, _)| !MAY_CHANGE.contains(&key.as_str())).collect())
}

/// Returns the name in a folder's study file, if the file exists and this version can parse it.
fn study_name(folder: &Path) -> anyhow::Result<Option<String>> {
    let Some(path) = find(&[folder.join("study.toml")])? else { return Ok(None) };
    Ok(Study::parse(&text(&path, SMALL)?).ok().map(|study| study.study.name))
}

/// Returns whether a folder is missing or holds only files that a killed process left.
fn is_empty(out: &Path) -> anyhow::Result<bool> {
    if !out.is_dir() {
        return Ok(true);
    }
    let context = || format!("reading the folder {}", out.display());
    atomic::remove_abandoned(out).with_context(context)?;
    Ok(std::fs::read_dir(out).with_context(context)?.next().is_none())
}

/// Finds a file that only runs have, in a folder or in those of its measurements.
fn file_of_run(out: &Path) -> anyhow::Result<Option<PathBuf>> {
    for folder in super::folders(out)? {
        let place = out.join(&folder);
        if !place.is_dir() {
            continue;
        }
        let context = || format!("reading the folder {}", place.display());
        for entry in std::fs::read_dir(&place).with_context(context)? {
            let path = entry.with_context(context)?.path();
            let name = path.to_string_lossy();
            if OF_RUNS.iter().any(|end| name.ends_with(end)) {
                return Ok(Some(path.strip_prefix(out).unwrap_or(&path).to_owned()));
            }
        }
    }
    Ok(None)
}

/// Finds a subfolder that is a link to a folder outside. The files there are not the publication's.
fn link_out(out: &Path) -> anyhow::Result<Option<PathBuf>> {
    let whole = real(out)?;
    for folder in super::folders(out)? {
        if !real(&out.join(&folder))?.starts_with(&whole) {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}

fn reject_overlap(run: &Path, out: &Path) -> anyhow::Result<()> {
    let (from, to) = (real(run)?, real(out)?);
    if from.starts_with(&to) || to.starts_with(&from) {
        let message =
            format!("{} and {} overlap: publish into another folder", run.display(), out.display());
        return Err(Failure::usage(message).into());
    }
    Ok(())
}

/// Returns the path without links, also for a folder that does not exist yet.
fn real(path: &Path) -> anyhow::Result<PathBuf> {
    let full = std::path::absolute(path).with_context(|| path.display().to_string())?;
    let known = full.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&full);
    let found = known.canonicalize().with_context(|| format!("finding {}", known.display()))?;
    Ok(found.join(full.strip_prefix(known).unwrap_or(Path::new(""))))
}
