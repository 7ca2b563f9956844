//! The parts of a run: those that its study plans, and those whose files are there.

use super::shards::Shards;
use fusion_game::CompleteGame;
use fusion_plan::{finished, schedule};
use fusion_print::format::{count, duration};
use fusion_registry::{KnownGame, for_game};
use fusion_runner::random;
use fusion_study::{PRIMARY, Study};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time that must be watched before the rest is estimated.
const WATCHED: Duration = Duration::from_secs(15);

/// Time without a game after which a part counts as stopped.
const QUIET: Duration = Duration::from_secs(600);

/// A part of a run.
pub(super) struct Part {
    pub(super) name: String,
    /// The folder of its games, in that of the run.
    pub(super) folder: PathBuf,
    unit: &'static str,
    done: u64,
    planned: u64,
}

/// What the page shows of a part.
#[derive(Serialize)]
pub(super) struct PartState {
    name: String,
    done: u64,
    planned: u64,
    /// Progress in words.
    words: String,
    /// `done`, `working`, `quiet` (begun, but without a game for [`QUIET`]) or `waiting`.
    state: &'static str,
    /// The rest at the pace that was watched.
    left: Option<String>,
}

/// The progress of a part while it is watched.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    begun: Instant,
    at_first: u64,
}

impl Pace {
    pub(super) fn new(done: u64) -> Self {
        Self { begun: Instant::now(), at_first: done }
    }

    /// Returns the seconds that the rest takes at the pace since this was made.
    fn seconds_left(self, done: u64, planned: u64) -> Option<f64> {
        let (time, more) = (self.begun.elapsed(), done.saturating_sub(self.at_first));
        let pace = more as f64 / time.as_secs_f64();
        let rest = planned.saturating_sub(done) as f64;
        (time >= WATCHED && more > 0).then(|| rest / pace)
    }
}

impl Part {
    fn new(name: impl Into<String>, folder: impl Into<PathBuf>, done: u64, planned: u64) -> Self {
        Self { name: name.into(), folder: folder.into(), unit: "games", done, planned }
    }

    /// Returns the part of shards that no study names.
    pub(super) fn of_shards(folder: &Path, shards: &Shards) -> Self {
        let planned = shards.header().map_or(0, |header| header.games);
        Self::new(folder.display().to_string(), folder, 0, planned)
    }

    /// Describes the part; `shards` are those in its folder, with the pace of their games.
    pub(super) fn state(&self, shards: Option<(&Shards, Pace)>) -> PartState {
        let read = shards.map_or(0, |(shards, _)| shards.games());
        let is_whole = shards.is_some_and(|(shards, _)| shards.is_whole());
        let mut done = self.done.max(read);
        // A stopping rule ends a measurement before its last opening.
        let planned = if is_whole { done } else { self.planned.max(done) };
        if self.done == self.planned {
            done = planned;
        }
        let quiet = shards.and_then(|(shards, _)| shards.quiet());
        PartState {
            name: self.name.clone(),
            done,
            planned,
            words: format!("{} of {} {}", count(done), count(planned), self.unit),
            state: match quiet {
                _ if done == planned => "done",
                Some(time) if time < QUIET => "working",
                Some(_) => "quiet",
                None => "waiting",
            },
            left: shards
                .filter(|_| done < planned)
                .and_then(|(_, pace)| pace.seconds_left(done, planned))
                .map(duration),
        }
    }
}

/// Returns the parts of the study in a run's folder, in their order; none without a study.
pub(super) fn parts(run: &Path) -> Vec<Part> {
    let Ok(study) = Study::read(&run.join("study.toml")) else { return Vec::new() };
    // A study whose rules are rejected has no plan, but its games are shown.
    for_game!(KnownGame::Chess, G => planned::<G>(run, &study).unwrap_or_default())
}

fn planned<G: CompleteGame>(run: &Path, study: &Study) -> anyhow::Result<Vec<Part>> {
    let mut parts = Vec::new();
    for (name, config) in schedule::matches::<G>(study)? {
        let folder = if name.contains('/') { PathBuf::from(&name) } else { PathBuf::new() };
        let games = config.games;
        let done = finished::matched(&run.join(&folder), games);
        parts.push(Part::new(format!("match: {name}"), folder, done, games));
    }
    let exists = |name: &str, planned| if run.join(name).exists() { planned } else { 0 };
    if !study.pool_rules::<G>()?.is_empty() {
        let all = u64::from(study.openings.count);
        let done = exists("openings.csv", all);
        parts.push(Part { unit: "openings", ..Part::new("openings", "openings", done, all) });
    }
    for measurement in study.measurements() {
        let games = schedule::games::<G>(study, &measurement.config)?;
        let written = measurement.folder.join("measure.json");
        let done = exists(&written.to_string_lossy(), games);
        let name = match measurement.name.as_str() {
            PRIMARY => "measurement".to_owned(),
            name => format!("measurement: {name}"),
        };
        parts.push(Part::new(name, measurement.folder, done, games));
    }
    if let Some((rules, each)) = study.random_rules::<G>()? {
        let games = each * rules.len() as u64;
        let done = finished::randomly_moved(&run.join(random::KIND), games);
        parts.push(Part::new("random movers", random::KIND, done, games));
    }
    let report = Part::new("report", "report", exists("report.html", 1), 1);
    parts.push(Part { unit: "pages", ..report });
    Ok(parts)
}
