//! Time of a generation: of processors, and by the clock.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::runs;

/// The kernel's statistics of this process, proc(5).
const STAT: &str = "/proc/self/stat";
/// Unit of the kernel's statistics. On x86-64, user space has 100 ticks a second, for any
/// internal rate of the kernel (`USER_HZ`, time(7)).
const TICKS_PER_SECOND: u64 = 100;
/// File of the seconds spent so far, in the folder of a generation.
const FILE: &str = "cpu.json";
/// Folder with a file of each task that played games for the generation, in its folder.
const TASKS: &str = "cpu-of-tasks";

/// Time of a generation's stages in seconds. Processor time is user and system time of all threads of this
/// program and of its tasks; it excludes a GPU's work. Time by the clock is that of this program.
///
/// It is a measurement, so it differs from run to run. Results depend on it only if the study gives the
/// time of training (`train.minutes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Self-play: playing the training games, and reading them.
    pub selfplay: f64,
    /// Training.
    pub fit: f64,
    /// The match that accepts the network.
    pub gate: f64,
}

impl Seconds {
    /// Returns the total in seconds.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.selfplay + self.fit + self.gate
    }

    /// Returns the total, in hours.
    #[must_use]
    pub fn hours(&self) -> f64 {
        self.total() / 3600.0
    }
}

/// What a meter has measured so far: `cpu.json`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Spent {
    #[serde(flatten)]
    cpu: Seconds,
    #[serde(default)]
    clock: Seconds,
}

/// Adds up the time of a generation's stages across interruptions.
///
/// The time of a stage is saved when the stage ends, also after an error or a requested
/// stop. If the process is killed or the machine fails, only that process's time in its
/// current stage is lost.
pub(super) struct Meter {
    path: PathBuf,
    spent: Spent,
    /// Seconds of self-play of the tasks.
    tasks: f64,
}

impl Meter {
    /// Continues from the times saved in the folder of a generation.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let spent = runs::read_json(&path, runs::REMOVE)?.unwrap_or_default();
        Ok(Self { path, spent, tasks: of_tasks(&folder.join(TASKS))? })
    }

    /// Continues from the times of the task that plays shards from this one on.
    pub(super) fn of_task(folder: &Path, shard: u32) -> anyhow::Result<Self> {
        let tasks = folder.join(TASKS);
        std::fs::create_dir_all(&tasks).with_context(|| format!("creating {}", tasks.display()))?;
        let path = tasks.join(format!("{shard:05}.json"));
        let spent = runs::read_json(&path, runs::REMOVE)?.unwrap_or_default();
        Ok(Self { path, spent, tasks: 0.0 })
    }

    /// Runs a stage and saves its processor time.
    pub(super) fn measure<T>(
        &mut self,
        stage: fn(&mut Seconds) -> &mut f64,
        work: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let (before, started) = (ticks()?, Instant::now());
        let done = work();
        *stage(&mut self.spent.clock) += started.elapsed().as_secs_f64();
        let spent = ticks()?.saturating_sub(before);
        let total = stage(&mut self.spent.cpu);
        // Rounded to whole ticks, so that sums have no more digits than the clock.
        let ticks = (*total * TICKS_PER_SECOND as f64).round() + spent as f64;
        *total = ticks / TICKS_PER_SECOND as f64;
        let noted = runs::write_json(&self.path, &self.spent);
        // The error of the work is the one to report.
        let done = done?;
        noted?;
        Ok(done)
    }

    /// Returns the processor time spent so far.
    pub(super) fn spent(&self) -> Seconds {
        let cpu = self.spent.cpu;
        Seconds { selfplay: cpu.selfplay + self.tasks, ..cpu }
    }

    /// Returns the time by the clock spent so far, without that of tasks.
    pub(super) fn clock(&self) -> Seconds {
        self.spent.clock
    }
}

/// Returns the seconds of self-play that tasks noted in a folder, which need not exist.
fn of_tasks(folder: &Path) -> anyhow::Result<f64> {
    let context = || format!("reading the folder {}", folder.display());
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0.0),
        entries => entries.with_context(context)?,
    };
    let mut seconds = 0.0;
    for entry in entries {
        let path = entry.with_context(context)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let cpu: Option<Seconds> = runs::read_json(&path, runs::REMOVE)?;
            seconds += cpu.unwrap_or_default().selfplay;
        }
    }
    Ok((seconds * TICKS_PER_SECOND as f64).round() / TICKS_PER_SECOND as f64)
}

/// Returns the processor time of this process so far, in ticks.
fn ticks() -> anyhow::Result<u64> {
    let text = std::fs::read_to_string(STAT).with_context(|| format!("reading {STAT}"))?;
    parse(&text).with_context(|| format!("{STAT} is not as proc(5) has it: {text}"))
}

/// Parses user and system time, the 14th and 15th field. The second field, the program's name
/// in parentheses, may contain any characters.
fn parse(text: &str) -> Option<u64> {
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    user.checked_add(system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_report_is_read_by_field() {
        let text = "42 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 1234 56 77 88 20 0 9 0\n";
        assert_eq!(parse(text), Some(1290));
        assert_eq!(parse("42 (a) R 1 2"), None);
    }

    #[test]
    fn time_is_added_up_also_when_the_work_fails() {
        let folder = tempfile::tempdir().unwrap();
        let busy = |seconds: f64| {
            let start = ticks().unwrap();
            while (ticks().unwrap() - start) as f64 <= seconds * TICKS_PER_SECOND as f64 {}
            seconds
        };
        let mut meter = Meter::open(folder.path()).unwrap();
        let done = meter.measure(|cpu| &mut cpu.selfplay, || Ok(busy(0.05))).unwrap();
        assert_eq!(done, 0.05);
        let first = meter.spent().selfplay;
        assert!(first >= 0.05, "{first}");

        let mut meter = Meter::open(folder.path()).unwrap();
        let failed = meter.measure(
            |cpu| &mut cpu.selfplay,
            || {
                busy(0.05);
                anyhow::bail!("stopped") as anyhow::Result<()>
            },
        );
        assert_eq!(failed.unwrap_err().to_string(), "stopped");
        let spent = Meter::open(folder.path()).unwrap().spent();
        assert!(spent.selfplay >= first + 0.05, "{spent:?} after {first}");
        assert_eq!((spent.fit, spent.gate), (0.0, 0.0));
    }
}
