//! The steps of a study as jobs of Slurm.
//!
//! Nothing of ours stays alive. A call submits an array of jobs for each step whose predecessors are
//! done, with one element for each missing task, and behind it a short job, the join, that makes the
//! same call when the array has ended, however it ended (`afterany`). So the join of a step submits its
//! successors, or, if tasks were lost, these tasks again, as long as each array gets further than the
//! one before. Slurm itself requeues the jobs of lost nodes and preempted ones. A job whose time is
//! nearly over gets SIGUSR1, saves its finished games and requeues itself. A job that gets SIGTERM, as
//! `scancel` sends it, is not requeued.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use fusion_jobs::cluster::ranges;
use fusion_jobs::exit::{Failure, say};
use fusion_jobs::lock::FolderLock;
use fusion_study::{Step, TRAINER};

use super::jobs::{Job, Jobs, MOST_STALLED, file_name};
use super::site::Site;
use crate::commands::train;

/// Default of [`Site::notice`].
const NOTICE: u32 = 60;

/// A study that is submitted.
pub struct Submission<'a> {
    /// Name of the study.
    pub name: &'a str,
    /// The study's file in its folder.
    pub file: &'a Path,
    /// The study's folder.
    pub folder: &'a Path,
    /// The site file.
    pub site_file: Option<&'a Path>,
    /// All steps.
    pub steps: &'a [Step],
    /// Whether the join of a step makes this call, and not a person.
    pub joins: bool,
    /// Whether programs that the study names may be started.
    pub programs: bool,
}

impl Submission<'_> {
    /// Submits what is missing and can be done now.
    ///
    /// # Errors
    /// Fails if a step failed for good (with its exit code), or was submitted several times without
    /// getting further; if the site file is not valid (64), or if Slurm reports an error.
    pub fn submit(&self) -> anyhow::Result<()> {
        let folder = self.folder.join("slurm");
        let _lock = FolderLock::wait(&folder)?;
        let site = self.site_file.map(Site::read).transpose()?.unwrap_or_default();
        let mut jobs = Jobs::read(&folder)?;
        if !self.joins {
            self.forget_failures(&mut jobs)?;
        }
        let alive = alive()?;
        let missing: Vec<(&Step, Vec<u32>)> =
            self.steps.iter().map(|step| (step, step.missing())).collect();
        let open: BTreeSet<&str> = missing
            .iter()
            .filter(|(_, missing)| !missing.is_empty())
            .map(|(step, _)| &*step.name)
            .collect();
        if open.is_empty() {
            say(format_args!("study {}: all {} steps are done", self.name, self.steps.len()));
            return Ok(());
        }
        let mut errors = Vec::new();
        for (step, missing) in &missing {
            let waits = step.after.iter().any(|name| open.contains(&**name));
            let queued = jobs.of_steps.get(&step.name).is_some_and(|job| alive.contains(&job.id));
            if missing.is_empty() || waits || queued {
                continue;
            }
            match self.next(step, missing.len(), &jobs) {
                Err(error) => errors.push(error),
                Ok(stalled) => {
                    let id = self.submit_step(step, missing, &site, &folder)?;
                    let job = Job { id, missing: missing.len(), stalled };
                    jobs.of_steps.insert(step.name.clone(), job);
                    jobs.write()?;
                }
            }
        }
        if let Some(first) = errors.into_iter().next() {
            return Err(first.into());
        }
        let queued = open.iter().filter_map(|name| jobs.of_steps.get(*name)).count();
        say(format_args!(
            "study {}: {} of {} steps are done, jobs of {queued} are queued or running",
            self.name,
            self.steps.len() - open.len(),
            self.steps.len()
        ));
        Ok(())
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

    /// Returns the number of submissions in a row that finished nothing, before another one.
    fn next(&self, step: &Step, missing: usize, jobs: &Jobs) -> Result<u32, Failure> {
        let Some(last) = jobs.of_steps.get(&step.name) else { return Ok(0) };
        let log =
            self.folder.join("slurm").join(format!("{}-{}*.log", file_name(&step.name), last.id));
        let log = log.display();
        let noted = std::fs::read_to_string(jobs.failure(&step.name)).ok();
        if let Some(code) = noted.and_then(|text| text.trim().parse::<u8>().ok()) {
            let message = format!("{} ended with exit code {code}: see {log}", step.name);
            return Err(Failure::new(code, message));
        }
        if !self.joins || missing < last.missing {
            return Ok(0);
        }
        if last.stalled + 1 >= MOST_STALLED {
            return Err(Failure::new(
                1,
                format!(
                    "{}: {MOST_STALLED} jobs in a row finished nothing: see {log}; to try again, \
                     submit the study again",
                    step.name
                ),
            ));
        }
        Ok(last.stalled + 1)
    }

    /// Submits the missing tasks of a step, and its join. Returns the number of the first job.
    fn submit_step(
        &self,
        step: &Step,
        missing: &[u32],
        site: &Site,
        folder: &Path,
    ) -> anyhow::Result<String> {
        let name = file_name(&step.name);
        let mut options = site.options(step.gpu);
        options.push(format!("--job-name={}:{}", self.name, step.name));
        options.push(format!("--cpus-per-task={}", site.cores(step)));
        options.push("--requeue".to_owned());
        options.push(format!("--signal=B:USR1@{}", site.notice.unwrap_or(NOTICE)));
        if step.tasks > 1 {
            let limit = site.most_tasks.map(|most| format!("%{most}")).unwrap_or_default();
            options.push(format!("--array={}{limit}", ranges(missing)));
            options
                .push(format!("--output={}", folder.join(format!("{name}-%A_%a.log")).display()));
        } else {
            options.push(format!("--output={}", folder.join(format!("{name}-%j.log")).display()));
        }
        let failure = folder.join(format!("{name}.failed"));
        let job = sbatch(&options, &script(&words(step)?, &failure)?)?;

        let mut options = site.options(false);
        options.push(format!("--job-name={}:after-{name}", self.name));
        options.push(format!("--dependency=afterany:{job}"));
        options.push("--requeue".to_owned());
        options.push(format!("--output={}", folder.join(format!("after-{name}-%j.log")).display()));
        let join = sbatch(&options, &join_script(&self.join_words()?))?;
        say(format_args!(
            "{}: job {job}, tasks {}; job {join} follows",
            step.name,
            ranges(missing)
        ));
        Ok(job)
    }

    /// Returns the command of a join.
    fn join_words(&self) -> anyhow::Result<Vec<String>> {
        let program = std::env::current_exe().context("finding this program")?;
        let mut words = vec![
            path_text(&program)?,
            "study".to_owned(),
            path_text(self.file)?,
            "--on".to_owned(),
            "slurm".to_owned(),
            "--joins".to_owned(),
        ];
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
srun --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" {} &
task=$!
wait \"$task\"
code=$?
# A signal ends `wait` before the task ends.
while kill -0 \"$task\" 2>/dev/null; do
  wait \"$task\"
  code=$?
done
case $code in
  75) [[ -n $near_the_end ]] && scontrol requeue \"$SLURM_JOB_ID\" ;;
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
    let mut command = Command::new("sbatch");
    command.arg("--parsable").arg("--chdir").arg(&here).args(options);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(without_slurm)?;
    let written = child.stdin.take().map(|mut input| input.write_all(script.as_bytes()));
    let output = child.wait_with_output().context("waiting for sbatch")?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("sbatch {}: {}", line(options), error.trim());
    }
    written.transpose().context("writing to sbatch")?;
    // The number, and on some clusters `;` and the cluster's name.
    let answer = String::from_utf8_lossy(&output.stdout);
    let number = answer.trim().split(';').next().unwrap_or_default().to_owned();
    ensure!(!number.is_empty(), "sbatch printed no number of a job");
    Ok(number)
}

/// Returns the numbers of the user's jobs that are waiting or running.
fn alive() -> anyhow::Result<BTreeSet<String>> {
    let mut command = Command::new("squeue");
    command.args(["--me", "--noheader", "--format=%A %F %T"]);
    let output = command.output().map_err(without_slurm)?;
    if !output.status.success() {
        bail!("squeue: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let mut alive = BTreeSet::new();
    for job in String::from_utf8_lossy(&output.stdout).lines() {
        // The job's number, that of its array, and its state.
        let mut words = job.split_whitespace();
        let ids: Vec<&str> = words.by_ref().take(2).collect();
        if words.next().is_some_and(|state| state != "COMPLETING") {
            alive.extend(ids.into_iter().map(ToOwned::to_owned));
        }
    }
    Ok(alive)
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
        assert!(text.contains("srun --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" fusion measure &"));
    }
}
