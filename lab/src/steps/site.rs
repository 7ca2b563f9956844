//! The site file: what a cluster gives a job. It belongs to the place, not to the study.

use std::path::Path;

use anyhow::Context;
use fusion_jobs::exit::Failure;
use fusion_study::{Step, parse_toml};
use serde::{Deserialize, Serialize};

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
    /// Most tasks of a step that run at the same time. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_tasks: Option<u32>,
    /// Seconds before the end of a job's time at which it saves its games and requeues itself. Slurm
    /// may do it a minute sooner. Default: 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<u32>,
    /// Further options of the scheduler's command, such as `--constraint=avx512`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What replaces keys above for steps that use a GPU. Without it they run like the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Box<Site>>,
}

impl Site {
    /// Reads a site file.
    ///
    /// # Errors
    /// Fails if the file cannot be read (exit code 66 if there is none), or has unknown or mistyped
    /// keys (64).
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("reading the site file {}", path.display()))?;
        Self::parse(&text).with_context(|| path.display().to_string())
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
        if site.gpu.as_ref().is_some_and(|part| part.gpu.is_some()) {
            return Err(Failure::usage("[gpu.gpu] is no section: the keys belong into [gpu]"));
        }
        Ok(site)
    }

    /// Returns the keys for a step, with those of `[gpu]` if it uses one.
    #[must_use]
    pub fn for_step(&self, step: &Step) -> Self {
        let Some(part) = self.gpu.as_deref().filter(|_| step.gpu) else { return self.clone() };
        let part = part.clone();
        let options = if part.options.is_empty() { self.options.clone() } else { part.options };
        Self {
            partition: part.partition.or_else(|| self.partition.clone()),
            account: part.account.or_else(|| self.account.clone()),
            time: part.time.or_else(|| self.time.clone()),
            cores: part.cores.or(self.cores),
            memory: part.memory.or_else(|| self.memory.clone()),
            most_tasks: part.most_tasks.or(self.most_tasks),
            notice: part.notice.or(self.notice),
            options,
            gpu: None,
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
