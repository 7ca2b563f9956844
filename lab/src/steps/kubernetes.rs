//! The steps of a study as Indexed Jobs of Kubernetes: manifests for `kubectl apply`.
//!
//! A manifest depends only on the study and the site file, not on how much is done. So a manifest that
//! is applied again while its job runs changes nothing. All tasks of a step are in it; those that are
//! done end at once.

use std::path::Path;

use anyhow::Context;
use fusion_jobs::cluster::ranges;
use fusion_jobs::exit::{CORRUPT, Failure, NO_INPUT, USAGE, note, say};
use fusion_jobs::plain;
use fusion_study::{Step, Study};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::command::{current_folder, path_text, words};
use super::ready::Ready;
use super::site::{Keys, Kubernetes, NOTICE, Site};

/// The keys of the site file that a manifest uses.
const KEYS: Keys =
    Keys { engine: "kubernetes", of: &["cores", "memory", "resources", "most_tasks", "notice"] };
/// Number of times that a task may fail. Disruptions do not count.
const MOST_FAILURES: u32 = 20;
/// Longest name of a host in characters. That of a pod is the job's name, `-` and the task's number.
const LONGEST_NAME: usize = 63;
/// Label of all jobs of a study and of their pods.
const LABEL: &str = "fusion-study";

/// Prints the manifests of the steps that can be done now to standard output, and what is missing to
/// standard error.
///
/// # Errors
/// Fails if there is no valid site file with `[kubernetes]`, or if the study's folder is not on the claim
/// (exit code 64).
pub fn print(
    study: &Study,
    file: &Path,
    steps: &[Step],
    site_file: Option<&Path>,
) -> anyhow::Result<()> {
    let needed = || Failure::usage("--on kubernetes needs --site FILE with a section [kubernetes]");
    let site = Site::read(site_file.ok_or_else(needed)?, &KEYS)?;
    let section = site.kubernetes.as_ref().ok_or_else(needed)?;
    check_folder(study, section)?;
    let ready = Ready::of(study, steps)?;
    let text = plain::read(file, plain::SMALL)?;
    let mut jobs = Vec::new();
    for (step, missing) in &ready.steps {
        let name = job_name(&study.study.name, step, &text);
        note(format_args!("{}: job {name}, tasks {}", step.name, ranges(missing)));
        jobs.push(job(study, step, &name, &site.for_step(step), section)?);
    }
    note(ready.summary());
    if !jobs.is_empty() {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": jobs });
        say(serde_json::to_string_pretty(&list)?);
    }
    Ok(())
}

/// Rejects a study whose results would not be on the claim.
fn check_folder(study: &Study, section: &Kubernetes) -> anyhow::Result<()> {
    let out = std::path::absolute(study.out()).context("finding the study's folder")?;
    if section.mount.is_absolute() && out.starts_with(&section.mount) {
        return Ok(());
    }
    let (out, mount) = (out.display(), section.mount.display());
    Err(Failure::usage(format!(
        "the study's folder {out} is not below kubernetes.mount = \"{mount}\", so its results would not \
         be on the claim: call the program where paths are those of the containers"
    ))
    .into())
}

/// Returns the name of a step's job. A study with other contents has jobs of other names: Kubernetes
/// would not start a job again that has ended.
fn job_name(study: &str, step: &Step, text: &[u8]) -> String {
    let mut hash = Sha256::new();
    for part in [study.as_bytes(), step.name.as_bytes(), text] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let hash = fusion_game::hex(&hash.finalize()[..3]);
    let largest = (step.tasks.max(1) - 1).to_string();
    let most = LONGEST_NAME - "-".len() - largest.len() - "-".len() - hash.len();
    format!("{}-{hash}", dns(&format!("{study}-{}", step.name), most))
}

/// Returns a text as a name of at most this many characters that begins with a letter, and has only
/// lower-case letters, digits and single hyphens, none of them last.
fn dns(text: &str, most: usize) -> String {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<&str>>().join("-");
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name.insert(0, 's');
    }
    name.truncate(most);
    name.trim_end_matches('-').to_owned()
}

/// Returns the manifest of a step's job.
fn job(
    study: &Study,
    step: &Step,
    name: &str,
    site: &Site,
    section: &Kubernetes,
) -> anyhow::Result<Value> {
    let labels = json!({ LABEL: dns(&study.study.name, LONGEST_NAME) });
    let mut metadata = json!({ "name": name, "labels": labels });
    if let Some(namespace) = &section.namespace {
        metadata["namespace"] = json!(namespace);
    }
    let container = "task";
    let failures = json!([
        {
            "action": "FailIndex",
            "onExitCodes": {
                "containerName": container, "operator": "In", "values": [USAGE, CORRUPT, NO_INPUT]
            },
        },
        { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] },
    ]);
    let (requests, limits) = resources(step, site);
    let pod = json!({
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": site.notice.unwrap_or(NOTICE),
        "containers": [{
            "name": container,
            "image": section.image,
            "workingDir": path_text(&current_folder()?)?,
            "command": words(step)?,
            // The number of threads. Without it a program would see all cores of the node.
            "env": [{ "name": "NCPUS", "value": site.cores(step.cores).to_string() }],
            "resources": { "requests": requests, "limits": limits },
            "volumeMounts": [{ "name": "claim", "mountPath": path_text(&section.mount)? }],
        }],
        "volumes": [
            { "name": "claim", "persistentVolumeClaim": { "claimName": section.claim } },
        ],
    });
    Ok(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "completionMode": "Indexed",
            "completions": step.tasks,
            "parallelism": site.most_tasks.unwrap_or(step.tasks).min(step.tasks),
            "backoffLimitPerIndex": MOST_FAILURES,
            "podFailurePolicy": { "rules": failures },
            "template": { "metadata": { "labels": labels }, "spec": pod },
        },
    }))
}

/// Returns what a task requests, and its limits. Resources of other names than `cpu` and `memory` may
/// not be overcommitted, so they are limits, from which the requests follow.
fn resources(step: &Step, site: &Site) -> (Map<String, Value>, Map<String, Value>) {
    let mut requests = Map::new();
    requests.insert("cpu".to_owned(), json!(site.cores(step.cores).to_string()));
    let mut limits = Map::new();
    if let Some(memory) = &site.memory {
        requests.insert("memory".to_owned(), json!(memory));
        limits.insert("memory".to_owned(), json!(memory));
    }
    for (name, amount) in &site.resources {
        limits.insert(name.clone(), json!(amount));
    }
    (requests, limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::ready::tests::steps;

    const STUDY: &str = "study.name = \"Castling_1999\"\nmeasure.shards = 12";
    const SITE: &str = r#"
cores = 16
memory = "4Gi"
most_tasks = 5

[gpu]
resources = { "nvidia.com/gpu" = 1 }

[kubernetes]
image = "registry.example.org/lab"
claim = "runs"
mount = "/lab"
namespace = "chess"
"#;

    /// Returns the manifest of a step under a site file.
    fn manifest(study: &str, step: &str, site: &str) -> Value {
        let (study, steps) = steps(study);
        let step = steps.iter().find(|of| of.name == step).unwrap();
        let site = Site::parse(site).unwrap();
        let section = site.kubernetes.as_ref().unwrap();
        job(&study, step, "castling-1999-measure-012345", &site.for_step(step), section).unwrap()
    }

    #[test]
    fn a_manifest_has_all_tasks_of_a_step() {
        let job = manifest(STUDY, "measure", SITE);
        assert_eq!((&job["apiVersion"], &job["kind"]), (&json!("batch/v1"), &json!("Job")));
        assert_eq!(job["metadata"]["namespace"], "chess");
        assert_eq!(job["metadata"]["labels"][LABEL], "castling-1999");
        let spec = &job["spec"];
        assert_eq!(spec["completionMode"], "Indexed");
        assert_eq!((&spec["completions"], &spec["parallelism"]), (&json!(12), &json!(5)));
        assert_eq!(
            spec["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"],
            json!([64, 65, 66])
        );
        let pod = &spec["template"]["spec"];
        assert_eq!(pod["restartPolicy"], "Never");
        assert_eq!(pod["terminationGracePeriodSeconds"], 60);
        let container = &pod["containers"][0];
        let command: Vec<_> = container["command"].as_array().unwrap()[1..]
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        assert_eq!(command, ["measure", "--study", "castling.toml", "--only", "measure"]);
        assert_eq!(container["env"][0]["value"], "16");
        let resources = json!({
            "requests": { "cpu": "16", "memory": "4Gi" },
            "limits": { "memory": "4Gi" },
        });
        assert_eq!(container["resources"], resources);
        let claim = &pod["volumes"][0]["persistentVolumeClaim"]["claimName"];
        assert_eq!(
            (claim, &container["volumeMounts"][0]["mountPath"]),
            (&json!("runs"), &json!("/lab"))
        );
    }

    #[test]
    fn a_step_with_a_gpu_gets_its_resources() {
        let (_, steps) = steps("study.name = \"a\"\nnetwork.hidden = 64\ntrain.generations = 1");
        let site = Site::parse(SITE).unwrap();
        let limits = |name: &str| {
            let step = steps.iter().find(|step| step.name == name).unwrap();
            resources(step, &site.for_step(step)).1.get("nvidia.com/gpu").cloned()
        };
        assert_eq!(limits("openings"), None);
        assert_eq!(limits("generation-000/learn"), Some(json!(1)));
    }

    #[test]
    fn names_are_valid_and_differ() {
        let (_, mut steps) = steps(STUDY);
        let step = steps.iter_mut().find(|step| step.name == "measure").unwrap();
        let is_label = |name: &str| {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            name.len() <= LONGEST_NAME
                && name.chars().all(plain)
                && name.starts_with(|c: char| c.is_ascii_lowercase())
                && !name.ends_with('-')
        };
        let mut names = std::collections::BTreeSet::new();
        for (study, name, tasks, text) in [
            ("a", "measure", 1, "x"),
            ("a", "measure", 1, "y"),
            ("a", "extra/own_plies", 1, "x"),
            ("a", "extra/own-plies", 1, "x"),
            ("A", "measure", 1, "x"),
            ("__", "extra/..", 1, "x"),
            ("1999", "generation-003/games", 99_999, "x"),
            (&"long.".repeat(40), "measure", 99_999, "x"),
        ] {
            name.clone_into(&mut step.name);
            step.tasks = tasks;
            let name = job_name(study, step, text.as_bytes());
            assert!(is_label(&name), "{name}");
            let pod = format!("{name}-{}", tasks - 1);
            assert!(is_label(&pod), "{pod}");
            assert!(names.insert(name.clone()), "{name}");
        }
    }
}
