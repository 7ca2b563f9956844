//! The steps of a study as jobs of a scheduler.
//!
//! No process of this program keeps running between jobs. A call submits a job for each step whose
//! predecessors are done, with one task for each missing one, and behind it the join, which makes the
//! same call when all tasks have ended, however they ended. So the join of a step submits its
//! successors, or, if tasks were lost, these tasks again, as long as each job gets further than the one
//! before.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use fusion_jobs::cluster::ranges;
use fusion_jobs::exit::{Failure, say};
use fusion_jobs::lock::FolderLock;
use fusion_jobs::plain;
use fusion_study::{Step, Study};

use super::command::{path_text, this_program};
use super::jobs::{Job, Jobs, MOST_STALLED, file_name};
use super::ready::Ready;
use super::site::{Keys, Site};

/// Seconds that a submission waits for each one before it that saved nothing.
const PAUSE: u32 = 60;

/// A scheduler of jobs.
pub trait Scheduler {
    /// Returns its name, which is also that of the folder in the study's folder, and the keys of the site
    /// file that it uses.
    fn keys(&self) -> Keys;

    /// Returns the command that cancels these jobs.
    fn cancel(&self, jobs: &[&str]) -> String;

    /// Returns the numbers of the study's jobs that are waiting or running. Other jobs may be among
    /// them. The job `joins`, behind which this call is made, has ended.
    ///
    /// # Errors
    /// Fails if the scheduler does.
    fn alive(&self, study: &str, joins: Option<&str>) -> anyhow::Result<BTreeSet<String>>;

    /// Submits a job and returns its number.
    ///
    /// # Errors
    /// Fails if the scheduler rejects it.
    fn submit(&self, work: &Work<'_>) -> anyhow::Result<String>;

    /// Submits the join behind a job and returns its number, which is that of the job if the join is a
    /// task of it.
    ///
    /// # Errors
    /// Fails if the scheduler rejects it.
    fn submit_join(&self, work: &Work<'_>, job: &str) -> anyhow::Result<String>;
}

/// A job to be submitted.
pub struct Work<'a> {
    /// The study's name.
    pub(super) study: &'a str,
    /// The step.
    pub(super) step: &'a Step,
    /// Numbers of the step's missing tasks.
    pub(super) tasks: &'a [u32],
    /// The site file's keys.
    pub(super) site: &'a Site,
    /// Seconds to wait before the tasks start.
    pub(super) pause: u32,
    /// Folder of what is submitted.
    pub(super) folder: &'a Path,
    /// File in which a task notes an exit code that repeating does not mend.
    pub(super) failure: &'a Path,
    /// Command of the join, without `--joins` and the job's number.
    pub(super) join: &'a [String],
}

/// A study that is submitted.
pub struct Submission<'a> {
    /// The scheduler.
    pub scheduler: &'a dyn Scheduler,
    /// The study.
    pub study: &'a Study,
    /// The study's file in its folder.
    pub file: &'a Path,
    /// The site file.
    pub site_file: Option<&'a Path>,
    /// All steps.
    pub steps: &'a [Step],
    /// The job behind which this call is made; `None` if a person makes it.
    pub joins: Option<&'a str>,
    /// Whether programs that the study names may be started.
    pub programs: bool,
}

/// Returns the folder of what was submitted for a study.
fn folder(scheduler: &dyn Scheduler, study: &Study) -> PathBuf {
    study.out().join(scheduler.keys().engine)
}

/// Rejects a change of a study while jobs of it are queued or running: those that begin later would
/// find another study.
///
/// # Errors
/// Fails if there are such jobs, and names them, or if the scheduler reports an error.
pub fn reject_change(scheduler: &dyn Scheduler, study: &Study) -> anyhow::Result<()> {
    let jobs = Jobs::read(&folder(scheduler, study))?.of_steps;
    if jobs.is_empty() {
        return Ok(());
    }
    let alive = scheduler.alive(&study.study.name, None)?;
    let ids = jobs.values().flat_map(|job| std::iter::once(&job.id).chain(&job.join));
    let mut queued: Vec<&str> = ids.filter(|id| alive.contains(*id)).map(|id| &**id).collect();
    // A join may be a task of the job.
    queued.dedup();
    ensure!(
        queued.is_empty(),
        "the study's file has changed, and jobs of it as it was are queued or running: cancel them \
         first ({})",
        scheduler.cancel(&queued)
    );
    Ok(())
}

impl Submission<'_> {
    /// Submits what is missing and can be done now.
    ///
    /// # Errors
    /// Fails if a step failed for good (with its exit code), or was submitted several times without
    /// getting further; if the site file is not valid (64), or if the scheduler reports an error.
    pub fn submit(&self) -> anyhow::Result<()> {
        let folder = self.folder();
        let _lock = FolderLock::wait(&folder)?;
        let keys = self.scheduler.keys();
        let site = self.site_file.map(|file| Site::read(file, &keys)).transpose()?;
        let site = site.unwrap_or_default();
        let mut jobs = Jobs::read(&folder)?;
        if self.joins.is_none() {
            self.forget_failures(&mut jobs)?;
        }
        let alive = self.scheduler.alive(&self.study.study.name, self.joins)?;
        let ready = Ready::of(self.study, self.steps)?;
        let mut errors = Vec::new();
        for (step, missing) in &ready.steps {
            if let Err(error) = self.continue_step(step, missing, &site, &alive, &mut jobs) {
                errors.push(error);
            }
        }
        if let Some(first) = errors.into_iter().next() {
            return Err(first);
        }
        say(ready.summary());
        Ok(())
    }

    fn folder(&self) -> PathBuf {
        folder(self.scheduler, self.study)
    }

    /// Submits the missing tasks of a step that can be done now, and its join, unless they are queued or
    /// running.
    fn continue_step(
        &self,
        step: &Step,
        missing: &[u32],
        site: &Site,
        alive: &BTreeSet<String>,
        jobs: &mut Jobs,
    ) -> anyhow::Result<()> {
        let (folder, failure, join) = (self.folder(), jobs.failure(&step.name), self.join_words()?);
        let mut work = Work {
            study: &self.study.study.name,
            step,
            tasks: missing,
            site,
            pause: 0,
            folder: &folder,
            failure: &failure,
            join: &join,
        };
        let last = jobs.of_steps.get(&step.name).cloned();
        let mut job = match last.filter(|job| alive.contains(&job.id)) {
            Some(job) if job.join.as_ref().is_some_and(|join| alive.contains(join)) => {
                say(format_args!("{}: job {} is queued or running", step.name, job.id));
                return Ok(());
            }
            Some(job) => job,
            None => {
                let stalled = self.stalled(step, missing.len(), jobs)?;
                work.pause = PAUSE * stalled;
                let id = self.scheduler.submit(&work)?;
                say(format_args!("{}: job {id}, tasks {}", step.name, ranges(missing)));
                let (missing, saved) = (missing.len(), step.saved());
                Job { id, join: None, missing, saved, stalled }
            }
        };
        // A failure to submit the join leaves a job that the next call knows.
        jobs.of_steps.insert(step.name.clone(), job.clone());
        jobs.write()?;
        job.join = Some(self.scheduler.submit_join(&work, &job.id)?);
        jobs.of_steps.insert(step.name.clone(), job);
        jobs.write()
    }

    /// Forgets what failed before: a person has asked again.
    fn forget_failures(&self, jobs: &mut Jobs) -> anyhow::Result<()> {
        jobs.of_steps.values_mut().for_each(|job| job.stalled = 0);
        for step in self.steps {
            let noted = jobs.failure(&step.name);
            if noted.exists() {
                std::fs::remove_file(&noted)
                    .with_context(|| format!("removing {}", noted.display()))?;
            }
        }
        Ok(())
    }

    /// Returns the number of submissions in a row that saved nothing, before another one.
    fn stalled(&self, step: &Step, missing: usize, jobs: &Jobs) -> Result<u32, Failure> {
        let Some(last) = jobs.of_steps.get(&step.name) else { return Ok(0) };
        let log = self.folder().join(format!("{}-{}*.log", file_name(&step.name), last.id));
        let log = log.display();
        let noted = plain::text(&jobs.failure(&step.name), plain::SMALL).ok();
        if let Some(code) = noted.and_then(|text| text.trim().parse::<u8>().ok()) {
            let message = format!("{} ended with exit code {code}: see {log}", step.name);
            return Err(Failure::new(code, message));
        }
        if self.joins.is_none() || missing < last.missing || step.saved() > last.saved {
            return Ok(0);
        }
        if last.stalled + 1 >= MOST_STALLED {
            return Err(Failure::new(
                1,
                format!(
                    "{}: {MOST_STALLED} jobs in a row saved nothing: see {log}; to try again, \
                     submit the study again",
                    step.name
                ),
            ));
        }
        Ok(last.stalled + 1)
    }

    /// Returns the command of a join, without the job's number.
    fn join_words(&self) -> anyhow::Result<Vec<String>> {
        let mut words = vec![path_text(&this_program()?)?, "study".to_owned()];
        words.extend([
            path_text(self.file)?,
            "--on".to_owned(),
            self.scheduler.keys().engine.to_owned(),
        ]);
        if let Some(site) = self.site_file {
            words.extend(["--site".to_owned(), path_text(site)?]);
        }
        if self.programs {
            words.push("--allow-programs".to_owned());
        }
        Ok(words)
    }
}
