//! The site file: what a cluster gives a job. It belongs to the place, not to the study.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_jobs::exit::{Failure, note};
use fusion_jobs::plain;
use fusion_study::{Step, parse_toml};
use serde::{Deserialize, Serialize};

/// Default of [`Site::notice`].
pub(super) const NOTICE: u32 = 60;
/// Seconds of work that a task should have before its notice.
const LEAST_WORK: u64 = 180;

/// The keys of the site file that a scheduler uses. The sections are not among them.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// The scheduler: a value of `--on`.
    pub engine: &'static str,
    /// The keys.
    pub of: &'static [&'static str],
}

impl Keys {
    /// Leaves only the keys of this scheduler in the message on an unknown key, if it is not one of a
    /// section of its own.
    fn only(&self, error: Failure) -> Failure {
        let message = error.to_string();
        match message.split_once(", known keys: ") {
            Some((unknown, _)) if !unknown.contains("[kubernetes]") => Failure::usage(format!(
                "{unknown}; --on {} uses {}",
                self.engine,
                self.of.join(", ")
            )),
            _ => error,
        }
    }
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
        let text = plain::text(path, plain::SMALL).context("reading the site file")?;
        let parsed = Self::parse(&text).map_err(|error| keys.only(error));
        let site = parsed.and_then(|site| site.checked(keys));
        let site = site.with_context(|| path.display().to_string())?;
        for warning in site.warnings() {
            note(format_args!("{}: {warning}", path.display()));
        }
        Ok(site)
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

    /// Returns the sections' prefixes, with the seconds of a job in each and those of its notice.
    fn times(&self) -> Result<Vec<(&'static str, u64, u64)>, Failure> {
        let mut times = Vec::new();
        for (section, part) in [("", Some(self)), ("gpu.", self.gpu.as_deref())] {
            let Some(part) = part else { continue };
            let Some(time) = part.time.as_ref().or(self.time.as_ref()) else { continue };
            let limit = limit(time).ok_or_else(|| {
                Failure::usage(format!(
                    "{section}time = {time:?} is no time that Slurm reads: write hours:minutes:seconds, \
                     days-hours:minutes:seconds, minutes or UNLIMITED"
                ))
            })?;
            let notice = part.notice.or(self.notice).unwrap_or(NOTICE);
            times.push((section, limit, notice.into()));
        }
        Ok(times)
    }

    /// Returns sentences on values that are valid, but hardly meant.
    fn warnings(&self) -> Vec<String> {
        let times = self.times().unwrap_or_default().into_iter();
        let short = times.filter(|(_, time, notice)| *time < notice + LEAST_WORK);
        let warning = |(section, time, notice)| {
            format!(
                "{section}time leaves a task {} s before the notice, which Slurm may give a minute \
                 earlier: set it to {} s or more",
                time - notice,
                notice + LEAST_WORK
            )
        };
        short.map(warning).collect()
    }

    /// Parses a site file's text.
    ///
    /// # Errors
    /// Fails on unknown or mistyped keys, zero cores or tasks, or a time that is not longer than the
    /// notice (exit code 64).
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
        for (section, time, notice) in site.times()? {
            if time <= notice {
                return Err(Failure::usage(format!(
                    "{section}time is {time} s, not longer than notice = {notice}: tasks would be \
                     stopped as soon as they begin"
                )));
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

/// Returns the seconds of a time limit as Slurm writes it; the largest number for none.
fn limit(time: &str) -> Option<u64> {
    if ["UNLIMITED", "INFINITE"].contains(&time) {
        return Some(u64::MAX);
    }
    let (days, rest) = match time.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<u64>().ok()?), rest),
        None => (None, time),
    };
    let parts: Option<Vec<u64>> = rest.split(':').map(|part| part.parse().ok()).collect();
    let [hours, minutes, seconds] = match (days, &*parts?) {
        (Some(_), &[hours]) => [hours, 0, 0],
        (Some(_), &[hours, minutes]) => [hours, minutes, 0],
        (None, &[minutes]) => [0, minutes, 0],
        (None, &[minutes, seconds]) => [0, minutes, seconds],
        (_, &[hours, minutes, seconds]) => [hours, minutes, seconds],
        _ => return None,
    };
    let hours = days.unwrap_or(0).checked_mul(24)?.checked_add(hours)?;
    hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?.checked_add(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_slurm_does() {
        for (text, seconds) in [
            ("5", Some(300)),
            ("5:30", Some(330)),
            ("04:00:00", Some(14_400)),
            ("1-2", Some(93_600)),
            ("1-2:30", Some(95_400)),
            ("1-0:0:1", Some(86_401)),
            ("UNLIMITED", Some(u64::MAX)),
            ("4h", None),
            ("", None),
            ("1-", None),
            ("1:2:3:4", None),
            ("99999999999999999-0", None),
        ] {
            assert_eq!(limit(text), seconds, "{text}");
        }
    }

    #[test]
    fn a_job_must_be_longer_than_its_notice() {
        for (text, expected) in [
            ("time = \"4h\"", "time = \"4h\" is no time that Slurm reads"),
            ("time = \"00:01:00\"", "time is 60 s, not longer than notice = 60"),
            ("time = \"00:30:00\"\n[gpu]\nnotice = 1800", "gpu.time is 1800 s"),
        ] {
            let error = Site::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let warnings = |text: &str| Site::parse(text).unwrap().warnings();
        assert!(warnings("time = \"00:02:00\"")[0].contains("a task 60 s before the notice"));
        assert!(warnings("time = \"00:04:00\"").is_empty());
        assert!(warnings("time = \"UNLIMITED\"").is_empty());
        assert!(warnings("notice = 600").is_empty());
    }

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
        // A key that no scheduler has.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.toml");
        std::fs::write(&file, "core = 4").unwrap();
        let error = format!("{:#}", Site::read(&file, &keys).unwrap_err());
        assert!(error.contains("unknown key `core`") && error.contains("--on hq uses"), "{error}");
        assert!(!error.contains("partition"), "{error}");
        std::fs::write(&file, "[kubernetes]\nimage = \"a\"\nclaims = \"b\"").unwrap();
        let error = format!("{:#}", Site::read(&file, &keys).unwrap_err());
        assert!(error.contains("known keys: image, claim"), "{error}");
    }
}
