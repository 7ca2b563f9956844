//! The steps of a study as jobs of Slurm.
//!
//! The tasks of a step are the elements of an array, and the join is a job that begins when the array
//! has ended, however it ended (`afterany`). Slurm itself requeues the jobs of lost nodes and preempted
//! ones. A job whose time is nearly over gets SIGUSR1, saves its finished games and is requeued. A job
//! that gets SIGTERM, as `scancel` sends it, is not requeued.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use fusion_jobs::cluster::ranges;

use super::command::{current_folder, line, path_text, quoted, words};
use super::jobs::file_name;
use super::site::{Keys, NOTICE, Site};
use super::submission::{Scheduler, Work};

/// The keys of the site file that it uses.
const KEYS: Keys = Keys {
    engine: "slurm",
    of: &["partition", "account", "time", "cores", "memory", "most_tasks", "notice", "options"],
};
/// Largest number of times that a task requeues itself. Then the join counts whether it gets further.
const MOST_REQUEUES: u32 = 20;
/// Attempts to reach Slurm's controller, and the pause between two.
const ATTEMPTS: u32 = 6;
const BETWEEN: Duration = Duration::from_secs(10);

/// Slurm, by its commands `sbatch` and `squeue`.
pub struct Slurm;

impl Scheduler for Slurm {
    fn keys(&self) -> Keys {
        KEYS
    }

    fn cancel(&self, jobs: &[&str]) -> String {
        format!("scancel {}", jobs.join(" "))
    }

    /// A job that is completing may be requeued, so it counts, unless it is the one behind which this
    /// call is made.
    fn alive(&self, _study: &str, joins: Option<&str>) -> anyhow::Result<BTreeSet<String>> {
        let answer =
            ask("squeue", &["--me", "--noheader", "--format=%A %F %T"].map(Into::into), "")?;
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

    fn submit(&self, work: &Work<'_>) -> anyhow::Result<String> {
        let name = file_name(&work.step.name);
        let site = work.site.for_step(work.step);
        let mut options = options(work, &work.step.name, &site);
        options.push(format!("--cpus-per-task={}", site.cores(work.step.cores)));
        options.push(format!("--signal=B:USR1@{}", site.notice.unwrap_or(NOTICE)));
        if work.pause > 0 {
            options.push(format!("--begin=now+{}", work.pause));
        }
        let log = match work.step.tasks {
            1 => format!("{name}-%j.log"),
            _ => {
                let limit = site.most_tasks.map(|most| format!("%{most}")).unwrap_or_default();
                options.push(format!("--array={}{limit}", ranges(work.tasks)));
                format!("{name}-%A_%a.log")
            }
        };
        options.push(format!("--output={}", work.folder.join(log).display()));
        sbatch(&options, &script(&words(work.step)?, work.failure)?)
    }

    fn submit_join(&self, work: &Work<'_>, job: &str) -> anyhow::Result<String> {
        let name = format!("after-{}", file_name(&work.step.name));
        let mut options = options(work, &name, work.site);
        options.push(format!("--dependency=afterany:{job}"));
        options.push(format!("--output={}", work.folder.join(format!("{name}-%j.log")).display()));
        let mut words = work.join.to_vec();
        words.extend(["--joins".to_owned(), job.to_owned()]);
        sbatch(&options, &join_script(&words))
    }
}

/// Returns the options that all jobs of the study have.
fn options(work: &Work<'_>, step: &str, site: &Site) -> Vec<String> {
    let mut options = site.options();
    options.push(format!("--job-name={}", work.study));
    options.push(format!("--comment={step}"));
    options.push("--requeue".to_owned());
    options.push("--open-mode=append".to_owned());
    options
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

/// Submits a script and returns the job's number.
fn sbatch(options: &[String], script: &str) -> anyhow::Result<String> {
    let here = path_text(&current_folder()?)?;
    let mut arguments = vec!["--parsable".to_owned(), format!("--chdir={here}")];
    arguments.extend_from_slice(options);
    let answer = ask("sbatch", &arguments, script)?;
    // The number, and on some clusters `;` and the cluster's name.
    let number = answer.trim().split(';').next().unwrap_or_default().to_owned();
    ensure!(!number.is_empty(), "sbatch printed no number of a job");
    Ok(number)
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
