//! The steps of a study as jobs of HyperQueue.
//!
//! A job has a task for each missing one of the step, with the same number, and the join, a task that
//! depends on all of them. HyperQueue cancels what depends on a failed task. So the script of a task
//! ends with 0, however its program ended; the files say what is done. HyperQueue itself starts tasks
//! of lost workers again. A job that is cancelled has no join that runs.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use fusion_jobs::atomic;
use serde::{Deserialize, Serialize};

use super::command::{current_folder, line, path_text, quoted, words};
use super::jobs::file_name;
use super::site::{Amount, Keys};
use super::submission::{Scheduler, Work};

/// The keys of the site file that it uses.
const KEYS: Keys = Keys { engine: "hq", of: &["cores", "resources"] };
/// Number of workers that may be lost under a task before it fails. HyperQueue's default is 5.
const CRASHES: u32 = 100;
/// Variables of the submission that the join needs to call HyperQueue, too. A task gets those of its
/// worker.
const VARIABLES: [&str; 2] = ["PATH", "HQ_SERVER_DIR"];

/// HyperQueue, by its command `hq`.
pub struct HyperQueue;

impl Scheduler for HyperQueue {
    fn keys(&self) -> Keys {
        KEYS
    }

    fn cancel(&self, jobs: &[&str]) -> String {
        format!("hq job cancel {}", jobs.join(","))
    }

    /// A server that was started anew may give a number again, so jobs of other names do not count. The
    /// join is a task of the job `joins`, which is therefore still running.
    fn alive(&self, study: &str, joins: Option<&str>) -> anyhow::Result<BTreeSet<String>> {
        let jobs = listed(&hq(&["--output-mode=json", "job", "list"])?)?;
        let of_study = jobs.iter().filter(|job| job.name.starts_with(&job_name(study, "")));
        let ids = of_study.map(|job| job.id.to_string());
        Ok(ids.filter(|id| joins != Some(id)).collect())
    }

    fn submit(&self, work: &Work<'_>) -> anyhow::Result<String> {
        let file = work.folder.join(format!("{}.toml", file_name(&work.step.name)));
        let text = toml::to_string(&job_file(work)?)?;
        atomic::write_bytes(&file, text.as_bytes())?;
        let answer = hq(&["--output-mode=quiet", "job", "submit-file", &path_text(&file)?])?;
        let id = answer.trim().to_owned();
        ensure!(id.parse::<u64>().is_ok(), "hq job submit-file printed no number of a job: {id}");
        Ok(id)
    }

    fn submit_join(&self, _work: &Work<'_>, job: &str) -> anyhow::Result<String> {
        Ok(job.to_owned())
    }
}

/// Returns the name of a step's job.
fn job_name(study: &str, step: &str) -> String {
    format!("{study}: {step}")
}

/// A job as `hq job list` prints it, which lists those that are waiting or running.
#[derive(Debug, Deserialize)]
struct Listed {
    id: u64,
    name: String,
}

/// Parses the output of `hq job list`.
fn listed(answer: &str) -> anyhow::Result<Vec<Listed>> {
    serde_json::from_str(answer)
        .with_context(|| format!("hq job list printed no list of jobs: {}", answer.trim()))
}

/// HyperQueue's job definition file.
#[derive(Debug, Serialize)]
struct JobFile {
    name: String,
    task: Vec<Task>,
}

#[derive(Debug, Serialize)]
struct Task {
    id: u32,
    command: Vec<String>,
    cwd: String,
    stdout: String,
    stderr: &'static str,
    crash_limit: u32,
    /// Tasks that must have ended with 0 before.
    deps: Vec<u32>,
    env: BTreeMap<&'static str, String>,
    request: Vec<Request>,
}

#[derive(Debug, Serialize)]
struct Request {
    resources: BTreeMap<String, Amount>,
}

impl Task {
    /// Returns a task of one core. Each start of it has a log of its own: a task of a lost worker may
    /// still be running.
    fn new(work: &Work<'_>, id: u32, log: &str, script: &str) -> anyhow::Result<Self> {
        let log = format!("{log}-%{{JOB_ID}}_%{{TASK_ID}}.%{{INSTANCE_ID}}.log");
        let folder = std::path::absolute(work.folder).context("finding the folder of the jobs")?;
        let script = format!("exec 2>&1\n{script}\n");
        Ok(Self {
            id,
            command: vec!["/bin/bash".to_owned(), "-c".to_owned(), script],
            cwd: path_text(&current_folder()?)?,
            stdout: path_text(&folder.join(log))?,
            stderr: "none",
            crash_limit: CRASHES,
            deps: Vec::new(),
            env: BTreeMap::new(),
            request: Vec::new(),
        })
    }
}

/// Returns the job of a step.
fn job_file(work: &Work<'_>) -> anyhow::Result<JobFile> {
    let name = file_name(&work.step.name);
    let site = work.site.for_step(work.step);
    let mut resources = site.resources.clone();
    let cores = u32::try_from(site.cores(work.step.cores))?;
    resources.insert("cpus".to_owned(), Amount::Number(cores));
    // The numbers below are those of the step's tasks.
    let (join_id, pause_id) = (work.step.tasks, work.step.tasks + 1);

    let mut tasks = Vec::new();
    if work.pause > 0 {
        let script = format!("sleep {} || true", work.pause);
        tasks.push(Task::new(work, pause_id, &format!("before-{name}"), &script)?);
    }
    let before: Vec<u32> = tasks.iter().map(|task| task.id).collect();
    let script = script(&words(work.step)?, &path_text(work.failure)?);
    for &number in work.tasks {
        let mut task = Task::new(work, number, &name, &script)?;
        task.deps.clone_from(&before);
        task.request.push(Request { resources: resources.clone() });
        tasks.push(task);
    }
    let script = format!("exec {} --joins \"$HQ_JOB_ID\"", line(work.join));
    let mut join = Task::new(work, join_id, &format!("after-{name}"), &script)?;
    join.deps = work.tasks.to_vec();
    join.env =
        VARIABLES.iter().filter_map(|&name| Some((name, std::env::var(name).ok()?))).collect();
    tasks.push(join);
    Ok(JobFile { name: job_name(work.study, &work.step.name), task: tasks })
}

/// Returns the script of a task. Signals to the group of its processes end only the program, which
/// saves its games.
fn script(words: &[String], failure: &str) -> String {
    format!(
        "trap : HUP INT TERM USR1 USR2 XCPU
{}
code=$?
case $code in
  0) exit 0 ;;
  64 | 65 | 66) echo $code >{} ;;
esac
echo \"ended with exit code $code\"
exit 0",
        line(words),
        quoted(failure)
    )
}

/// Runs `hq` and returns its output.
fn hq(arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("hq").args(arguments).output();
    let output = output.context("starting hq; without HyperQueue leave --on out")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if !output.status.success() {
        // An error in JSON goes to standard output.
        let error = [text(&output.stderr), text(&output.stdout)].join(" ");
        bail!("hq {}: {}", arguments.join(" "), error.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::ready::tests::steps;
    use crate::steps::site::Site;
    use std::path::Path;

    /// Returns the job of the measurement with these missing tasks.
    fn measure(tasks: &[u32], site: &str, pause: u32) -> toml::Table {
        let (study, steps) = steps("study.name = \"castling\"\nmeasure.shards = 4");
        let step = steps.iter().find(|step| step.name == "measure").unwrap();
        let site = Site::parse(site).unwrap();
        let work = Work {
            study: &study.study.name,
            step,
            tasks,
            site: &site,
            pause,
            folder: Path::new("runs/castling/hq"),
            failure: Path::new("runs/castling/hq/measure.failed"),
            join: &["/bin/fusion".to_owned(), "study".to_owned()],
        };
        toml::to_string(&job_file(&work).unwrap()).unwrap().parse().unwrap()
    }

    fn numbers(value: &toml::Value) -> Vec<i64> {
        value.as_array().unwrap().iter().map(|number| number.as_integer().unwrap()).collect()
    }

    #[test]
    fn tasks_have_the_numbers_of_shards_and_the_join_comes_behind_them() {
        let site = "cores = 8\nresources = { mem = 4000 }\ngpu.resources = { \"gpus/nvidia\" = 1 }";
        let job = measure(&[1, 3], site, 0);
        assert_eq!(job["name"].as_str(), Some("castling: measure"));
        let tasks = job["task"].as_array().unwrap();
        let ids: Vec<_> = tasks.iter().map(|task| task["id"].as_integer().unwrap()).collect();
        assert_eq!(ids, [1, 3, 4]);
        let deps: Vec<_> = tasks.iter().map(|task| numbers(&task["deps"])).collect();
        assert_eq!(deps, [vec![], vec![], vec![1, 3]]);

        // The measurement uses no GPU.
        let request = toml::toml! { resources = { cpus = 8, mem = 4000 } };
        assert_eq!(tasks[0]["request"], toml::Value::Array(vec![request.into()]));
        let log = tasks[0]["stdout"].as_str().unwrap();
        assert!(log.ends_with("hq/measure-%{JOB_ID}_%{TASK_ID}.%{INSTANCE_ID}.log"), "{log}");
        assert!(Path::new(log).is_absolute());

        let join = &tasks[2];
        assert_eq!(join["request"], toml::Value::Array(vec![]));
        assert_eq!(join["env"]["PATH"].as_str(), std::env::var("PATH").ok().as_deref());
        let script = join["command"][2].as_str().unwrap();
        assert!(script.contains("exec /bin/fusion study --joins \"$HQ_JOB_ID\""), "{script}");
    }

    #[test]
    fn a_pause_comes_before_the_tasks() {
        let job = measure(&[0, 1, 2, 3], "", 120);
        let tasks = job["task"].as_array().unwrap();
        assert_eq!(tasks[0]["id"].as_integer(), Some(5));
        assert!(tasks[0]["command"][2].as_str().unwrap().contains("sleep 120"));
        assert!(tasks[1..5].iter().all(|task| numbers(&task["deps"]) == [5]));
        assert_eq!(numbers(&tasks[5]["deps"]), [0, 1, 2, 3]);
    }

    #[test]
    fn a_task_ends_with_0_and_notes_what_repeating_does_not_mend() {
        let folder = tempfile::tempdir().unwrap();
        let failure = folder.path().join("it's");
        for (program, noted) in [
            ("exit 0", None),
            ("exit 1", None),
            ("exit 75", None),
            ("exit 64", Some("64\n")),
            ("exit 66", Some("66\n")),
            ("kill -KILL $$", None),
            ("kill -TERM $PPID; exit 75", None),
            ("no-such-program", None),
        ] {
            let words = ["bash", "-c", program].map(ToOwned::to_owned);
            let text = script(&words, failure.to_str().unwrap());
            let output = Command::new("/bin/bash").args(["-c", &text]).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{program}: {output:?}");
            assert_eq!(output.stdout.is_empty(), program == "exit 0", "{program}");
            assert_eq!(std::fs::read_to_string(&failure).ok().as_deref(), noted, "{program}");
            let _ = std::fs::remove_file(&failure);
        }
    }

    #[test]
    fn the_list_of_jobs_is_parsed() {
        let text = r#"[{"id": 3, "name": "castling: measure", "task_count": 4, "task_stats": {}}]"#;
        let jobs = listed(text).unwrap();
        assert_eq!((jobs[0].id, &*jobs[0].name), (3, "castling: measure"));
        assert!(listed("[]").unwrap().is_empty());
        let error = listed(r#"{"error": "No online server"}"#).unwrap_err();
        assert!(error.to_string().contains("No online server"), "{error}");
    }
}
