//! The site file: what a cluster gives a job. It belongs to the place, not to the study.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_jobs::exit::Failure;
use fusion_study::{Step, parse_toml};
use serde::{Deserialize, Serialize};

/// The keys of the site file that a scheduler uses. The sections are not among them.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// The scheduler: a value of `--on`.
    pub engine: &'static str,
    /// The keys.
    pub of: &'static [&'static str],
}

/// An amount of a resource, as the scheduler writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// A number.
    Number(u32),
    /// A text, such as `4Gi`.
    Text(String),
}

/// What Kubernetes needs, the section `[kubernetes]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kubernetes {
    /// Image of the containers. It or the claim has the programs.
    pub image: String,
    /// Name of the claim of a volume that many nodes can write.
    pub claim: String,
    /// Path of the claim's volume in the containers. The study's folder is below it.
    pub mount: PathBuf,
    /// Namespace of the jobs. Default: that of `kubectl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// A site file.
///
/// # Examples
/// ```
/// use fusion_lab::steps::site::Site;
///
/// let site = Site::parse("partition = \"main\"\ntime = \"04:00:00\"\ncores = 16")?;
/// assert_eq!(site.options(), ["--partition=main", "--time=04:00:00"]);
/// assert!(Site::parse("patition = \"main\"").is_err());
/// assert!(Site::parse("[gpu]\ncores = 0").is_err());
/// # Ok::<(), fusion_jobs::exit::Failure>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Site {
    /// Partition of the jobs. Default: the cluster's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// Account of the jobs. Default: the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Time limit of a job, as the scheduler writes it. Default: the partition's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Cores of a task. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Memory of a task, as the scheduler writes it. Default: the partition's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Further resources of a task, by the scheduler's names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Amount>,
    /// Most tasks of a step that run at the same time. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_tasks: Option<u32>,
    /// Seconds before the end of a job's time at which it saves its games. Slurm may do it a minute
    /// sooner. Default: 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<u32>,
    /// Further options of the scheduler's command, such as `--constraint=avx512`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What replaces keys above for steps that use a GPU. Without it they run like the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Box<Site>>,
    /// What Kubernetes needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<Kubernetes>,
}

impl Site {
    /// Reads a site file.
    ///
    /// # Errors
    /// Fails if the file cannot be read (exit code 66 if there is none), or has unknown or mistyped
    /// keys, or keys that the scheduler does not use (64).
    pub fn read(path: &Path, keys: &Keys) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("reading the site file {}", path.display()))?;
        let site = Self::parse(&text).and_then(|site| site.checked(keys));
        site.with_context(|| path.display().to_string())
    }

    /// Rejects keys that the scheduler does not use.
    fn checked(self, keys: &Keys) -> Result<Self, Failure> {
        for (section, part) in [("", Some(&self)), ("gpu.", self.gpu.as_deref())] {
            let Some(part) = part else { continue };
            let table = toml::Table::try_from(part);
            let table = table.map_err(|error| Failure::usage(error.to_string()))?;
            let sections = ["gpu", "kubernetes"];
            let is_used = |key: &str| sections.contains(&key) || keys.of.contains(&key);
            if let Some(key) = table.keys().find(|key| !is_used(key)) {
                return Err(Failure::usage(format!(
                    "{section}{key} does nothing with --on {}, which uses {}: remove it",
                    keys.engine,
                    keys.of.join(", ")
                )));
            }
        }
        Ok(self)
    }

    /// Parses a site file's text.
    ///
    /// # Errors
    /// Fails on unknown or mistyped keys, or zero cores or tasks (exit code 64).
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let site: Self = parse_toml(text)?;
        for (section, part) in [("", Some(&site)), ("gpu.", site.gpu.as_deref())] {
            let Some(part) = part else { continue };
            for (key, value) in [("cores", part.cores), ("most_tasks", part.most_tasks)] {
                if value == Some(0) {
                    return Err(Failure::usage(format!("{section}{key} must be at least 1")));
                }
            }
        }
        let gpu = site.gpu.as_ref();
        if gpu.is_some_and(|part| part.gpu.is_some()) {
            return Err(Failure::usage("[gpu.gpu] is no section: the keys belong into [gpu]"));
        }
        if gpu.is_some_and(|part| part.kubernetes.is_some()) {
            return Err(Failure::usage(
                "[gpu.kubernetes] is no section: the keys belong into [kubernetes]",
            ));
        }
        Ok(site)
    }

    /// Returns the keys for a step, with those of `[gpu]` if it uses one.
    #[must_use]
    pub fn for_step(&self, step: &Step) -> Self {
        let Some(part) = self.gpu.as_deref().filter(|_| step.gpu) else { return self.clone() };
        let part = part.clone();
        let options = if part.options.is_empty() { self.options.clone() } else { part.options };
        let mut resources = self.resources.clone();
        resources.extend(part.resources);
        Self {
            partition: part.partition.or_else(|| self.partition.clone()),
            account: part.account.or_else(|| self.account.clone()),
            time: part.time.or_else(|| self.time.clone()),
            cores: part.cores.or(self.cores),
            memory: part.memory.or_else(|| self.memory.clone()),
            most_tasks: part.most_tasks.or(self.most_tasks),
            notice: part.notice.or(self.notice),
            options,
            resources,
            gpu: None,
            kubernetes: self.kubernetes.clone(),
        }
    }

    /// Returns the options of Slurm's `sbatch`.
    #[must_use]
    pub fn options(&self) -> Vec<String> {
        let of = |name: &str, value: Option<&String>| Some(format!("--{name}={}", value?));
        let named = [
            of("partition", self.partition.as_ref()),
            of("account", self.account.as_ref()),
            of("time", self.time.as_ref()),
            of("mem", self.memory.as_ref()),
        ];
        named.into_iter().flatten().chain(self.options.clone()).collect()
    }

    /// Returns the number of cores of a task that can use at most this many.
    #[must_use]
    pub fn cores(&self, most: u64) -> u64 {
        most.clamp(1, self.cores.unwrap_or(1).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_a_scheduler_does_not_use_are_rejected() {
        let keys = Keys { engine: "hq", of: &["cores", "resources"] };
        let check = |text: &str| Site::parse(text).unwrap().checked(&keys);
        let kubernetes = "[kubernetes]\nimage = \"lab\"\nclaim = \"runs\"\nmount = \"/lab\"";
        check(&format!("cores = 4\nresources = {{ mem = \"100\" }}\n{kubernetes}")).unwrap();
        for (text, key) in [
            ("partition = \"main\"", "partition does nothing with --on hq"),
            ("cores = 4\n[gpu]\noptions = [\"--x\"]", "gpu.options does nothing with --on hq"),
        ] {
            let error = check(text).unwrap_err().to_string();
            assert!(error.contains(key) && error.contains("cores, resources"), "{error}");
        }
        assert!(Site::parse("[gpu.kubernetes]\nimage = \"a\"").is_err());
    }
}
