//! `fusion study`: all steps from a study file to its report.

use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_jobs::atomic;
use fusion_jobs::exit::{Failure, note};
use fusion_jobs::lock::FolderLock;
use fusion_jobs::plain;
use fusion_jobs::stop::Stop;
use fusion_registry::for_game;
use fusion_study::{STUDY_FILE, Study, check_continues, checked, or_shipped, summary};

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
    /// The study file
    #[arg(value_name = "FILE", default_value = "data/studies/quick.toml")]
    study: PathBuf,
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
        let file = or_shipped(&self.study);
        let changed = self.train || self.question.is_asked();
        let question = self.question.absolute()?;
        let site = self.site.as_deref().map(std::path::absolute).transpose();
        let site = site.context("finding the site file")?;
        let study = question.ask(Study::read(&file)?)?;
        let study = checked(&file, study, self.train, self.allow_programs)?;
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
                enter(&file, &study, &folder, changed, change)?
            }
        };
        let steps = for_game!(study.game(), G => {
            study.steps::<G>(&entered, self.allow_programs)
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
                programs: self.allow_programs,
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
    atomic::write_bytes(&entered, text.as_bytes())?;
    Ok(entered)
}
