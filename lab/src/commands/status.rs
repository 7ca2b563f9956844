//! `fusion status`

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_jobs::cluster::{self, Status, ranges};
use fusion_jobs::exit::{Failure, note, say};
use fusion_print::table::{Fields, Table};
use fusion_study::{STUDY_FILE, Study};

use super::output::Output;
use super::steps;

/// Levels of folders below a run's folder that may have shards, as `train/generation-000/games` has.
const LEVELS: u32 = 3;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the shards, or a run's folder with several such folders
    #[arg(required_unless_present = "study", conflicts_with = "study")]
    dir: Option<PathBuf>,
    /// Study file whose steps are shown, each with its missing tasks
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

impl Args {
    /// Prints the missing numbers of a run, or the steps of a study. Of a folder of shards only these
    /// numbers go to standard output, for a scheduler's command line.
    pub fn run(self) -> anyhow::Result<()> {
        let dir = self.dir.unwrap_or_default();
        let study = match self.study {
            Some(study) => Some(study),
            None => study_in(&dir)?,
        };
        if let Some(study) = study {
            self.output.print_table(steps::table(&steps::read(&study)?));
            return Ok(());
        }
        if dir.exists() && !dir.is_dir() {
            return Err(Failure::corrupt(format!(
                "{}: Not a directory: name the folder of a run",
                dir.display()
            ))
            .into());
        }
        let mut folders = Vec::new();
        find(&dir, LEVELS, &mut folders)?;
        if folders.iter().any(|folder| *folder != dir) {
            return print_all(&dir, &folders, self.output);
        }
        let status = Status::of(&dir)?;
        note(format_args!(
            "{}: {} of {} shards are whole, {} begun",
            dir.display(),
            status.complete.len(),
            status.shards,
            status.unfinished.len()
        ));
        if self.output.json {
            self.output.print_table(table(&status));
        } else {
            say(ranges(&status.missing()));
        }
        reject_damage([&status])
    }
}

/// Returns the file of the study whose results a folder holds, if it has one. In a folder that was moved
/// or copied it is the file of a study with results elsewhere, and does not count.
fn study_in(dir: &Path) -> anyhow::Result<Option<PathBuf>> {
    let file = dir.join(STUDY_FILE);
    if !file.is_file() {
        return Ok(None);
    }
    // The run's copy was not written by a person: a fault in it is damage.
    let out = Study::read(&file).map_err(Failure::corrupt)?.out();
    let is_here =
        out.canonicalize().is_ok_and(|out| dir.canonicalize().is_ok_and(|dir| dir == out));
    Ok(is_here.then_some(file))
}

/// Adds the folders with shards in a folder and below it, in the order of their names.
fn find(dir: &Path, levels: u32, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !cluster::files(dir)?.is_empty() {
        found.push(dir.to_owned());
    }
    if levels == 0 {
        return Ok(());
    }
    let context = || format!("reading the folder {}", dir.display());
    let entries = std::fs::read_dir(dir).with_context(context)?;
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.with_context(context)?;
    paths.retain(|path| path.is_dir() && !path.is_symlink());
    paths.sort();
    paths.iter().try_for_each(|path| find(path, levels - 1, found))
}

/// Prints the state of all folders with shards of a run.
fn print_all(dir: &Path, folders: &[PathBuf], output: Output) -> anyhow::Result<()> {
    let status = |folder: &PathBuf| {
        let name = folder.strip_prefix(dir).unwrap_or(folder).display().to_string();
        let name = if name.is_empty() { ".".to_owned() } else { name };
        Ok((name, Status::of(folder)?))
    };
    let all: Vec<(String, Status)> = folders.iter().map(status).collect::<anyhow::Result<_>>()?;
    let fields = Fields::<(String, Status)>::default().text("folder", "folder", |of| of.0.clone());
    let fields =
        counts(fields, |of| &of.1).text("missing", "missing", |of| match &*of.1.missing() {
            [] => "none".to_owned(),
            missing => ranges(missing),
        });
    output.print_table(fields.whole_table("status", "Shards of the run", &all));
    reject_damage(all.iter().map(|(_, status)| status))
}

/// Returns the error for damaged shards, if there are any.
fn reject_damage<'a>(all: impl IntoIterator<Item = &'a Status>) -> anyhow::Result<()> {
    let damaged = all.into_iter().flat_map(|status| &status.corrupt);
    let reasons: Vec<&str> = damaged.map(|(_, reason)| reason.as_str()).collect();
    match reasons[..] {
        [] => Ok(()),
        _ => Err(Failure::corrupt(reasons.join("; ")).into()),
    }
}

/// Returns the numbers of shards, and of those that are missing.
fn table(status: &Status) -> Table {
    let fields = counts(Fields::<Status>::default(), |status| status);
    let missing = |status: &Status| status.missing().into_iter().map(u64::from).collect();
    fields.counts("missing", "missing", missing).whole_table(
        "status",
        "Shards of the run",
        [status],
    )
}

/// Adds the columns with the numbers of shards.
fn counts<'a, T: 'a>(fields: Fields<'a, T>, of: fn(&T) -> &Status) -> Fields<'a, T> {
    fields
        .count("shards", "shards", move |row| u64::from(of(row).shards))
        .count("whole", "whole", move |row| of(row).complete.len() as u64)
        .count("begun", "begun", move |row| of(row).unfinished.len() as u64)
        .count("damaged", "damaged", move |row| of(row).corrupt.len() as u64)
}
