//! `fusion study`: all steps from a study file to its report.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_jobs::atomic;
use fusion_jobs::exit::{Failure, note};
use fusion_jobs::lock::FolderLock;
use fusion_jobs::plain;
use fusion_jobs::stop::Stop;
use fusion_registry::for_game;
use fusion_study::{STUDY_FILE, Study, TRAIN, check_continues, checked, or_shipped, summary};

use super::question::Question;
use crate::steps::hq::HyperQueue;
use crate::steps::slurm::Slurm;
use crate::steps::submission::{Scheduler, Submission, reject_change};
use crate::steps::{kubernetes, local};

/// Where the steps are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    /// On this machine.
    Local,
    /// By jobs of Slurm.
    Slurm,
    /// By jobs of HyperQueue.
    Hq,
    /// By Jobs of Kubernetes: prints their manifests.
    Kubernetes,
}

impl Engine {
    /// Returns the scheduler that takes jobs.
    fn scheduler(self) -> Option<&'static dyn Scheduler> {
        match self {
            Engine::Slurm => Some(&Slurm),
            Engine::Hq => Some(&HyperQueue),
            Engine::Local | Engine::Kubernetes => None,
        }
    }
}

/// Arguments of `study`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The study file [default: data/studies/quick.toml, with --game data/studies/game.toml]
    #[arg(value_name = "FILE")]
    study: Option<PathBuf>,
    /// Train a network by self-play from nothing, in a folder of its own, runs/NAME-trained
    #[arg(long)]
    train: bool,
    /// Start the programs that the study's file names as opponents (uci:...)
    #[arg(long)]
    allow_programs: bool,
    /// Do the steps on this machine, submit them as jobs, or print the manifests of Jobs
    #[arg(long, value_enum, default_value = "local")]
    on: Engine,
    /// What the cluster gives a job: a file with cores, memory and more
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// Continue after this job: for the jobs that are submitted
    #[arg(long, hide = true, value_name = "N")]
    joins: Option<String>,
    #[command(flatten)]
    question: Question,
}

impl Args {
    /// Checks the study, writes it to its folder and runs its steps. Finished work is kept, so the
    /// same command continues after an interruption.
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.site.is_some() && self.on == Engine::Local {
            return Err(Failure::usage("--site is for jobs: give --on, too").into());
        }
        let stop = Stop::on_signals()?;
        // A study of the checkout is found from other folders, too.
        let file = or_shipped(&self.study.unwrap_or_else(|| self.question.study().into()));
        let changed = self.train || self.question.is_asked();
        let question = self.question.absolute()?;
        let site = self.site.as_deref().map(std::path::absolute).transpose();
        let site = site.context("finding the site file")?;
        let games = question.games()?;
        let study = question.ask(Study::read(&file)?, &games)?;
        // Those of a game's study are the program's own choice.
        let programs = self.allow_programs || !games.is_empty();
        let study = checked(&file, study, self.train, programs)?;
        note(summary(&study)?);
        let folder = study.out();
        let full = std::path::absolute(&folder).context("finding the study's folder")?;
        note(format_args!("results go to {}", full.display()));
        let entered = match self.joins {
            Some(_) => file,
            None => {
                let _lock = FolderLock::exclusive(&folder)?;
                let change = || match self.on.scheduler() {
                    Some(scheduler) => reject_change(scheduler, &study),
                    None => Ok(()),
                };
                let entered = enter(&file, &study, &folder, changed, change)?;
                games.iter().try_for_each(|game| game.keep(&folder))?;
                entered
            }
        };
        let steps = for_game!(study.game(), G => {
            study.steps::<G>(&entered, programs)
        })?;
        if self.on == Engine::Kubernetes {
            return kubernetes::print(&study, &entered, &steps, site.as_deref());
        }
        if let Some(scheduler) = self.on.scheduler() {
            let submission = Submission {
                scheduler,
                study: &study,
                file: &entered,
                site_file: site.as_deref(),
                steps: &steps,
                joins: self.joins.as_deref(),
                programs,
            };
            return submission.submit();
        }
        let _lock = FolderLock::exclusive(&folder)?;
        // A killed run leaves temporary files.
        atomic::remove_abandoned(&folder)?;
        local::run(&study, &entered, &steps, &stop)
    }
}

/// Writes the study into its folder, as its file has it or, if it is `changed`, with all keys, and
/// returns the path. A folder that has another study is rejected, unless only numbers of openings have
/// grown and `may_change` allows it.
fn enter(
    file: &Path,
    study: &Study,
    folder: &Path,
    changed: bool,
    may_change: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<PathBuf> {
    let entered = folder.join(STUDY_FILE);
    let text = match changed {
        true => toml::to_string(study)?,
        false => plain::text(file, plain::SMALL)?,
    };
    // The text of the run itself stays as it is.
    let is_entered =
        file.canonicalize().is_ok_and(|file| entered.canonicalize().is_ok_and(|own| own == file));
    let text = if is_entered { text } else { study.text_at(text, &entered)? };
    if plain::read(&entered, plain::SMALL).is_ok_and(|earlier| earlier == text.as_bytes()) {
        return Ok(entered);
    }
    check_continues(study, folder)?;
    may_change()?;
    if let Some(aside) = set_aside(study)? {
        note(format_args!("the results so far are in {}", aside.display()));
    }
    atomic::write_bytes(&entered, text.as_bytes())?;
    Ok(entered)
}

/// Sets the results aside that a network played which is now trained on: everything in the study's folder
/// but the training. Returns the folder that they are moved to, if there are any.
///
/// # Errors
/// Failures of the file system.
fn set_aside(study: &Study) -> anyhow::Result<Option<PathBuf>> {
    let folder = study.out();
    let file = folder.join(STUDY_FILE);
    if !file.exists() {
        return Ok(None);
    }
    let (before, now) = (Study::read(&file)?.train.minutes, study.train.minutes);
    let Some((before, _)) = before.zip(now).filter(|(before, now)| before < now) else {
        return Ok(None);
    };
    let aside = folder.join(format!("after-{before}-minutes"));
    let stays = |name: &str| {
        [TRAIN, STUDY_FILE].contains(&name) || name.starts_with(['.']) || name.starts_with("after-")
    };
    let context = || format!("setting aside the results in {}", folder.display());
    let mut moved = false;
    for entry in fs::read_dir(&folder).with_context(context)? {
        let entry = entry.with_context(context)?;
        let name = entry.file_name();
        if stays(&name.to_string_lossy()) {
            continue;
        }
        fs::create_dir_all(&aside).with_context(context)?;
        fs::rename(entry.path(), aside.join(&name)).with_context(context)?;
        moved = true;
    }
    Ok(moved.then_some(aside))
}
