//! The steps of a study as jobs of Slurm.
//!
//! No process of this program keeps running between jobs. A call submits an array of jobs for each step
//! whose predecessors are done, with one element for each missing task, and behind it a short job, the
//! join, that makes the same call when the array has ended, however it ended (`afterany`). So the join
//! of a step submits its successors, or, if tasks were lost, these tasks again, as long as each array
//! gets further than the one before. Slurm itself requeues the jobs of lost nodes and preempted ones. A
//! job whose time is nearly over gets SIGUSR1, saves its finished games and is requeued. A job that gets
//! SIGTERM, as `scancel` sends it, is not requeued.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use fusion_jobs::cluster::ranges;
use fusion_jobs::exit::{Failure, say};
use fusion_jobs::lock::FolderLock;
use fusion_study::{Step, Study, TRAINER};

use super::jobs::{Job, Jobs, MOST_STALLED, file_name};
use super::local::check_trained;
use super::site::Site;
use crate::commands::train;

/// Default of [`Site::notice`].
const NOTICE: u32 = 60;
/// Seconds that a submission waits for each one before it that saved nothing.
const PAUSE: u32 = 60;
/// Largest number of times that a task requeues itself. Then the join counts whether it gets further.
const MOST_REQUEUES: u32 = 20;
/// Attempts to reach Slurm's controller, and the pause between two.
const ATTEMPTS: u32 = 6;
const BETWEEN: Duration = Duration::from_secs(10);

/// A study that is submitted.
pub struct Submission<'a> {
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
fn folder(study: &Study) -> PathBuf {
    study.out().join("slurm")
}

/// Rejects a change of a study while jobs of it are queued or running: those that begin later would
/// find another study.
///
/// # Errors
/// Fails if there are such jobs, and names them, or if Slurm reports an error.
pub fn reject_change(study: &Study) -> anyhow::Result<()> {
    let jobs = Jobs::read(&folder(study))?.of_steps;
    if jobs.is_empty() {
        return Ok(());
    }
    let alive = alive(None)?;
    let ids = jobs.values().flat_map(|job| std::iter::once(&job.id).chain(&job.join));
    let queued: Vec<&str> = ids.filter(|id| alive.contains(*id)).map(|id| &**id).collect();
    ensure!(
        queued.is_empty(),
        "the study's file has changed, and jobs of it as it was are queued or running: cancel them \
         first (scancel {})",
        queued.join(" ")
    );
    Ok(())
}

impl Submission<'_> {
    /// Submits what is missing and can be done now.
    ///
    /// # Errors
    /// Fails if a step failed for good (with its exit code), or was submitted several times without
    /// getting further; if the site file is not valid (64), or if Slurm reports an error.
    pub fn submit(&self) -> anyhow::Result<()> {
        let folder = self.folder();
        let _lock = FolderLock::wait(&folder)?;
        let site = self.site_file.map(Site::read).transpose()?.unwrap_or_default();
        let mut jobs = Jobs::read(&folder)?;
        if self.joins.is_none() {
            self.forget_failures(&mut jobs)?;
        }
        let alive = alive(self.joins)?;
        let missing: Vec<Vec<u32>> = self.steps.iter().map(Step::missing).collect();
        let mut open = BTreeSet::new();
        for (step, missing) in self.steps.iter().zip(&missing) {
            if !missing.is_empty() || step.after.iter().any(|name| open.contains(&**name)) {
                open.insert(&*step.name);
            }
        }
        let mut training = self.steps.iter().filter(|step| step.is_training()).peekable();
        if training.peek().is_some() && !training.any(|step| open.contains(&*step.name)) {
            check_trained(self.study)?;
        }
        let mut errors = Vec::new();
        for (step, missing) in self.steps.iter().zip(&missing) {
            if missing.is_empty() || step.after.iter().any(|name| open.contains(&**name)) {
                continue;
            }
            if let Err(error) = self.continue_step(step, missing, &site, &alive, &mut jobs) {
                errors.push(error);
            }
        }
        if let Some(first) = errors.into_iter().next() {
            return Err(first);
        }
        let (name, steps) = (&self.study.study.name, self.steps.len());
        match open.len() {
            0 => say(format_args!("study {name}: all {steps} steps are done")),
            left => say(format_args!("study {name}: {} of {steps} steps are done", steps - left)),
        }
        Ok(())
    }

    fn folder(&self) -> PathBuf {
        folder(self.study)
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
        let last = jobs.of_steps.get(&step.name).cloned();
        let mut job = match last.filter(|job| alive.contains(&job.id)) {
            Some(job) if job.join.as_ref().is_some_and(|join| alive.contains(join)) => {
                say(format_args!("{}: job {} is queued or running", step.name, job.id));
                return Ok(());
            }
            Some(job) => job,
            None => {
                let stalled = self.stalled(step, missing.len(), jobs)?;
                let id = self.submit_step(step, missing, &site.for_step(step), stalled)?;
                say(format_args!("{}: job {id}, tasks {}", step.name, ranges(missing)));
                Job { id, join: None, missing: missing.len(), saved: step.saved(), stalled }
            }
        };
        // A failure to submit the join leaves a job that the next call knows.
        jobs.of_steps.insert(step.name.clone(), job.clone());
        jobs.write()?;
        job.join = Some(self.submit_join(step, &job.id, site)?);
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
        let noted = std::fs::read_to_string(jobs.failure(&step.name)).ok();
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

    /// Submits tasks of a step, later after submissions that saved nothing. Returns the job's number.
    fn submit_step(
        &self,
        step: &Step,
        tasks: &[u32],
        site: &Site,
        stalled: u32,
    ) -> anyhow::Result<String> {
        let (name, folder) = (file_name(&step.name), self.folder());
        let mut options = self.options(&step.name, site);
        options.push(format!("--cpus-per-task={}", site.cores(step.cores)));
        options.push(format!("--signal=B:USR1@{}", site.notice.unwrap_or(NOTICE)));
        if stalled > 0 {
            options.push(format!("--begin=now+{}", PAUSE * stalled));
        }
        let log = match step.tasks {
            1 => format!("{name}-%j.log"),
            _ => {
                let limit = site.most_tasks.map(|most| format!("%{most}")).unwrap_or_default();
                options.push(format!("--array={}{limit}", ranges(tasks)));
                format!("{name}-%A_%a.log")
            }
        };
        options.push(format!("--output={}", folder.join(log).display()));
        let failure = folder.join(format!("{name}.failed"));
        sbatch(&options, &script(&words(step)?, &failure)?)
    }

    /// Submits the job that follows a step's job, and returns its number.
    fn submit_join(&self, step: &Step, job: &str, site: &Site) -> anyhow::Result<String> {
        let name = format!("after-{}", file_name(&step.name));
        let mut options = self.options(&name, site);
        options.push(format!("--dependency=afterany:{job}"));
        options
            .push(format!("--output={}", self.folder().join(format!("{name}-%j.log")).display()));
        sbatch(&options, &join_script(&self.join_words(job)?))
    }

    /// Returns the options that all jobs of the study have.
    fn options(&self, step: &str, site: &Site) -> Vec<String> {
        let mut options = site.options();
        options.push(format!("--job-name={}", self.study.study.name));
        options.push(format!("--comment={step}"));
        options.push("--requeue".to_owned());
        options.push("--open-mode=append".to_owned());
        options
    }

    /// Returns the command of a join behind a job.
    fn join_words(&self, job: &str) -> anyhow::Result<Vec<String>> {
        let program = std::env::current_exe().context("finding this program")?;
        let mut words = vec![path_text(&program)?, "study".to_owned(), path_text(self.file)?];
        words.extend(["--on", "slurm", "--joins", job].map(ToOwned::to_owned));
        if let Some(site) = self.site_file {
            words.extend(["--site".to_owned(), path_text(site)?]);
        }
        if self.programs {
            words.push("--allow-programs".to_owned());
        }
        Ok(words)
    }
}

/// Returns the command of a step with the paths of the programs.
fn words(step: &Step) -> anyhow::Result<Vec<String>> {
    let mut words = step.command.clone();
    let program = match words.first() {
        Some(name) if name == TRAINER => train::program()?,
        _ => std::env::current_exe().context("finding this program")?,
    };
    if let Some(first) = words.first_mut() {
        *first = path_text(&program)?;
    }
    Ok(words)
}

fn path_text(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().map(ToOwned::to_owned);
    text.with_context(|| format!("{}: the name is no text in UTF-8", path.display()))
}

/// Returns the script of a task. `srun` passes signals on to the program.
fn script(words: &[String], failure: &Path) -> anyhow::Result<String> {
    let failure = quoted(&path_text(failure)?);
    Ok(format!(
        "#!/bin/bash
near_the_end=
trap 'near_the_end=yes; kill -USR1 \"$task\" 2>/dev/null' USR1
srun --ntasks=1 --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" {} &
task=$!
wait \"$task\"
code=$?
# A signal ends `wait` before the task ends.
while kill -0 \"$task\" 2>/dev/null; do
  wait \"$task\"
done
if [[ -n $near_the_end ]]; then
  wait \"$task\"
  code=$?
fi
case $code in
  75)
    if [[ -n $near_the_end ]] && ((${{SLURM_RESTART_COUNT:-0}} < {MOST_REQUEUES})); then
      scontrol requeue \"$SLURM_JOB_ID\"
    fi
    ;;
  64 | 65 | 66) echo $code >{failure} ;;
esac
exit $code
",
        line(words)
    ))
}

/// Returns the script of a join.
fn join_script(words: &[String]) -> String {
    format!("#!/bin/bash\nexec {}\n", line(words))
}

/// Returns a command line for a shell.
fn line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "'{}'", word.replace('\'', "'\\''"));
    text
}

/// Submits a script and returns the job's number.
fn sbatch(options: &[String], script: &str) -> anyhow::Result<String> {
    let here: PathBuf = std::env::current_dir().context("finding the current folder")?;
    let mut arguments = vec!["--parsable".to_owned(), format!("--chdir={}", path_text(&here)?)];
    arguments.extend_from_slice(options);
    let answer = ask("sbatch", &arguments, script)?;
    // The number, and on some clusters `;` and the cluster's name.
    let number = answer.trim().split(';').next().unwrap_or_default().to_owned();
    ensure!(!number.is_empty(), "sbatch printed no number of a job");
    Ok(number)
}

/// Returns the numbers of the user's jobs that are waiting or running. A job that is completing may be
/// requeued, so it counts, unless it is the one behind which this call is made.
fn alive(joins: Option<&str>) -> anyhow::Result<BTreeSet<String>> {
    let answer = ask("squeue", &["--me", "--noheader", "--format=%A %F %T"].map(Into::into), "")?;
    let mut alive = BTreeSet::new();
    for job in answer.lines() {
        // The job's number, that of its array, and its state.
        let words: Vec<&str> = job.split_whitespace().collect();
        let [id, array, state] = words[..] else { continue };
        if state != "COMPLETING" || joins != Some(array) {
            alive.extend([id.to_owned(), array.to_owned()]);
        }
    }
    Ok(alive)
}

/// Runs one of Slurm's commands and returns its output, trying again if the controller does not answer.
fn ask(program: &str, arguments: &[String], input: &str) -> anyhow::Result<String> {
    let mut attempt = 1;
    loop {
        let output = ask_once(program, arguments, input)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let error = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let is_away = ["ontact slurm controller", "ocket timed out", "temporarily"];
        if attempt == ATTEMPTS || !is_away.iter().any(|words| error.contains(words)) {
            bail!("{program} {}: {error}", line(arguments));
        }
        attempt += 1;
        std::thread::sleep(BETWEEN);
    }
}

fn ask_once(program: &str, arguments: &[String], input: &str) -> anyhow::Result<Output> {
    let mut command = Command::new(program);
    command.args(arguments);
    // The variables of the job in which this call is made would become options of the new one.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("SLURM_") && text != "SLURM_CONF" {
            command.env_remove(&name);
        }
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(without_slurm)?;
    // A program that ends without reading its input says why.
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().with_context(|| format!("waiting for {program}"))?;
    if output.status.success() {
        written.transpose().with_context(|| format!("writing to {program}"))?;
    }
    Ok(output)
}

fn without_slurm(error: std::io::Error) -> anyhow::Error {
    let message = "starting Slurm's sbatch or squeue; without Slurm leave --on out";
    anyhow::Error::new(error).context(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        let words = ["runs/a b/study.toml", "--only", "it's", ""].map(ToOwned::to_owned);
        assert_eq!(line(&words), r"'runs/a b/study.toml' --only 'it'\''s' ''");
        let echoed = Command::new("bash")
            .args(["-c", &format!("printf '%s\\n' {}", line(&words))])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(echoed.stdout).unwrap().lines().collect::<Vec<_>>(), words);
    }

    #[test]
    fn the_script_is_valid_shell() {
        let text = script(&["fusion".into(), "measure".into()], Path::new("slurm/a b")).unwrap();
        let checked = Command::new("bash").args(["-n", "-c", &text]).status().unwrap();
        assert!(checked.success());
        assert!(
            text.contains(
                "srun --ntasks=1 --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" fusion measure &"
            )
        );
    }
}
