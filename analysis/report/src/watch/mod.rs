//! A run while it works: `fusion watch`.
//!
//! [`Watch`] reads what has come since it last looked. It locks and changes nothing. Its page shows the
//! data that [`Watch::state`] returns, again and again. Draws are counted as a measurement counts them for its own
//! progress: openings that all rule sets have finished.

mod measurement;
mod plan;
mod shards;
mod training;

use crate::html;
use anyhow::{Context, ensure};
use fusion_jobs::exit::{Failure, NO_INPUT};
use fusion_jobs::plain::{self, Limited};
use fusion_results::report_game::ReportGame;
use measurement::Measurement;
use minijinja::context;
use plan::{Pace, Part};
use serde_json::{Value, json};
use shards::Shards;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Depth of the folders of shards in that of a run: `train/generation-000/games`.
const DEEPEST: usize = 3;

/// The report in the folder of a run.
const REPORT: &str = "report.html";
/// The most bytes of a report that is shown.
const LONGEST_REPORT: u64 = 256 << 20;

/// A run's folder, and what was read of it.
pub struct Watch {
    run: PathBuf,
    name: String,
    /// Folders of shards, by path in that of the run.
    folders: BTreeMap<PathBuf, Folder>,
}

struct Folder {
    shards: Shards,
    /// The games, if they are those of a measurement.
    measurement: Option<Measurement>,
    pace: Option<Pace>,
}

/// Folders that are found in a run.
#[derive(Default)]
struct Found {
    shards: BTreeSet<PathBuf>,
    fits: Vec<PathBuf>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Watch").field("run", &self.run).finish_non_exhaustive()
    }
}

impl Watch {
    /// Opens the folder of a run, which may still be empty.
    ///
    /// # Errors
    /// Fails if the folder does not exist (exit code 66).
    pub fn open(run: &Path) -> anyhow::Result<Self> {
        let missing = || {
            let message = format!(
                "{} is no folder: name the folder of a run, such as runs/quick",
                run.display()
            );
            Failure::new(NO_INPUT, message)
        };
        ensure!(run.is_dir(), missing());
        let run = run.canonicalize().with_context(|| run.display().to_string())?;
        let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { run, name, folders: BTreeMap::new() })
    }

    /// Returns the page.
    ///
    /// # Errors
    /// Fails if the template is wrong.
    pub fn page(&self) -> anyhow::Result<String> {
        let environment = html::environment([("watch.html.j2", include_str!("watch.html.j2"))])?;
        let page = context! {
            run => self.name.as_str(),
            version => env!("CARGO_PKG_VERSION"),
            styles => [html::style(ReportGame::default()), include_str!("watch.css").to_owned()],
            script => include_str!("watch.js"),
        };
        let template = environment.get_template("watch.html.j2")?;
        template.render(page).context("rendering the page")
    }

    /// Returns a function that reads the run's report. It returns `None` if there is none yet.
    pub fn report(&self) -> impl Fn() -> Option<String> + Send + Sync + 'static {
        let path = self.run.join(REPORT);
        move || {
            let mut text = String::new();
            let file = plain::open(&path).ok()?;
            Limited::new(file, LONGEST_REPORT).read_to_string(&mut text).ok()?;
            Some(text)
        }
    }

    /// Reads what has come since the last call, and returns all that the page shows, as JSON.
    ///
    /// Damaged files are named in it, and do not end the watching.
    pub fn state(&mut self) -> String {
        let mut found = Found::default();
        find(&self.run, &self.run, 0, &mut found);
        for path in found.shards {
            let full = self.run.join(&path);
            let folder = self.folders.entry(path).or_insert_with(|| Folder::new(&full));
            folder.refresh();
        }
        let loop_folder = ["train", ""].map(|name| self.run.join(name));
        let generations = loop_folder.iter().map(|folder| training::generations(folder));
        json!({
            "run": self.name,
            "report": self.run.join(REPORT).is_file(),
            "parts": self.parts(),
            "measurements": self.measurements(),
            "fit": training::newest_fit(&self.run, &found.fits),
            "generations": generations.into_iter().find(|found| !found.is_empty()),
            "problems": self.folders.values().flat_map(|folder| folder.shards.problems()).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// Describes the parts: those that no study plans first, since training comes first.
    fn parts(&self) -> Vec<plan::PartState> {
        let planned = plan::parts(&self.run);
        let is_planned = |path: &&PathBuf| planned.iter().any(|part| part.folder == **path);
        let others = self.folders.keys().filter(|path| !is_planned(path));
        let others = others.map(|path| Part::of_shards(path, &self.folders[path].shards));
        let others: Vec<Part> = others.collect();
        let state = |part: &Part| {
            let folder = self.folders.get(&part.folder);
            part.state(folder.and_then(|folder| Some((&folder.shards, folder.pace?))))
        };
        others.iter().chain(&planned).map(state).collect()
    }

    fn measurements(&self) -> Vec<Value> {
        let state = |(path, folder): (&PathBuf, &Folder)| {
            let state = folder.measurement.as_ref()?.state();
            let name = path.file_name().unwrap_or(self.name.as_ref()).to_string_lossy();
            Some(json!({ "name": name, "state": state }))
        };
        // The main measurement comes before the others.
        let (main, others): (Vec<_>, Vec<_>) =
            self.folders.iter().partition(|(path, _)| !path.starts_with("extra"));
        main.into_iter().chain(others).filter_map(state).collect()
    }
}

impl Folder {
    fn new(path: &Path) -> Self {
        Self { shards: Shards::new(path), measurement: None, pace: None }
    }

    fn refresh(&mut self) {
        if self.shards.is_of_measurement() {
            self.measurement.get_or_insert_default().refresh(&mut self.shards);
        } else {
            self.shards.refresh(|_, _| {});
        }
        self.pace.get_or_insert(Pace::new(self.shards.games()));
    }
}

/// Finds the folders of shards and of fits. Folders that cannot be read are passed over.
fn find(run: &Path, folder: &Path, depth: usize, found: &mut Found) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".shard") || name.ends_with(".shard.part") {
            found.shards.insert(folder.strip_prefix(run).unwrap_or(folder).to_owned());
        } else if name == "metrics.csv" {
            found.fits.push(folder.to_owned());
        } else if depth < DEEPEST && path.is_dir() {
            find(run, &path, depth + 1, found);
        }
    }
}
