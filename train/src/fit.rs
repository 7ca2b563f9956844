//! `fit`: training from folders of shards to a network file.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use fusion_game::CompleteGame;
use fusion_jobs::atomic::write_bytes;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_jobs::{checksums, plain};
use fusion_study::TrainConfig;
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tch::Device;

use crate::architecture::{Architecture, Parameters};
use crate::checkpoint;
use crate::floats;
use crate::learner::{Job, enough};
use crate::metrics::Row;
use crate::plot;
use crate::progress::Progress;
use crate::runs::{self, Folder};
use crate::shards::{Positions, Reader};

/// File with the configuration of a fit.
pub const SETTINGS: &str = "fit.json";
/// File with the result of a fit; written last.
pub const REPORT: &str = "report.json";
/// The averaged float weights.
pub const FLOAT: &str = "net.safetensors";
/// The network file that the engine loads.
pub const NETWORK: &str = "net.fnet";
/// Settings that may change when a fit is continued: they belong to the loop around it, or
/// do not affect the result.
pub const FREE: [&str; 9] = [
    "train.generations",
    "train.minutes",
    "train.lag",
    "train.start",
    "train.window",
    "train.stages",
    "train.min_positions",
    "train.checkpoint_steps",
    "train.gate",
];
const PLOT: &str = "metrics.svg";

/// The inputs, settings and output folder of a fit.
#[derive(Debug)]
pub struct Fit<'a> {
    /// Folders of self-play runs, the newest last.
    pub shards: &'a [PathBuf],
    /// Number of new folders. `epochs` counts their positions; positions of the others are drawn
    /// too.
    pub newest: usize,
    /// Folder of the results.
    pub out: &'a Path,
    /// Initial float weights; random if `None`.
    pub initial: Option<&'a Path>,
    /// Settings of the learner.
    pub config: &'a TrainConfig,
    /// Width of the hidden layer.
    pub hidden: usize,
    /// Seed of the initial weights and of the order of the positions.
    pub seed: u64,
    /// Threads that read the shards and apply the optimiser.
    pub pool: &'a ThreadPool,
    /// Device of the computation.
    pub device: Device,
}

/// The report of a finished fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Games in the window.
    pub games: u64,
    /// Training positions.
    pub positions: u64,
    /// Held-out positions.
    pub held_out: u64,
    /// The last row of metrics.
    #[serde(flatten)]
    pub last: Row,
}

impl Fit<'_> {
    /// Fits the network, or continues an interrupted fit, or returns the report of a finished one.
    /// `rules` is one of the rule sets of the games. The reader was made for it, with the settings of
    /// the fit.
    ///
    /// # Errors
    /// Shards are missing or damaged, or have games that the network cannot play. There are too few
    /// positions, the folder has another run, the training diverges, a stop is requested, or the file
    /// system fails.
    pub fn run<G: CompleteGame, A: Architecture>(
        &self,
        rules: &G::Rules,
        reader: &mut Reader<A>,
        stop: &Stop,
    ) -> anyhow::Result<Report> {
        // Training itself runs on this thread: libtorch has its own pool.
        let shape = A::for_game::<G>(rules, self.hidden).map_err(Failure::usage)?;
        let read = || reader.read::<G>(rules, self.shards, self.newest, stop);
        let positions = self.pool.install(read)?;
        let window = &positions.window;
        // Checked before the folder is claimed, so that a failure leaves no files.
        enough(window.train().len() as u64, self.config.min_positions)?;
        if let Some(path) = self.initial {
            checkpoint::load_weights::<G, A>(rules, path, shape, Device::Cpu)?;
        }
        let run = self.settings::<G, A>(rules, &positions)?;
        let _folder = Folder::claim(self.out, SETTINGS, &run, &FREE)?;
        let report = runs::read_json(&self.out.join(REPORT), runs::REMOVE)?;
        if let Some(report) = report.filter(|_| self.has(FLOAT) && self.has(NETWORK)) {
            self.check_networks::<G, A>(rules, shape)?;
            return Ok(report);
        }
        let job = Job {
            window,
            shape,
            newest: positions.newest,
            config: self.config,
            seed: self.seed,
            out: self.out,
            run,
            pool: self.pool,
            device: self.device,
        };
        let initial = || match self.initial {
            Some(path) => checkpoint::load_weights::<G, A>(rules, path, shape, self.device),
            None => Ok(shape.random(self.seed, self.device)),
        };
        let progress = Progress::new("training");
        let trained = job.run(initial, stop, &progress);
        progress.finish();
        let (state, rows) = trained?;
        let report = Report {
            games: positions.games,
            positions: window.train().len() as u64,
            held_out: window.held_out().len() as u64,
            last: rows.last().context("the fit left no metrics")?.clone(),
        };
        export::<G, A>(rules, self.out, &state.average)?;
        plot::metrics(&self.out.join(PLOT), &rows)?;
        runs::write_json(&self.out.join(REPORT), &report)?;
        Ok(report)
    }

    fn has(&self, name: &str) -> bool {
        self.out.join(name).exists()
    }

    /// Rejects damaged networks of a finished fit.
    fn check_networks<G: CompleteGame, A: Architecture>(
        &self,
        rules: &G::Rules,
        shape: A,
    ) -> anyhow::Result<()> {
        for name in [FLOAT, NETWORK] {
            let path = self.out.join(name);
            let loaded = checkpoint::load_weights::<G, A>(rules, &path, shape, Device::Cpu);
            loaded.with_context(|| format!("remove {} to make it again", path.display()))?;
        }
        Ok(())
    }

    /// Returns all values that the result depends on.
    fn settings<G: CompleteGame, A: Architecture>(
        &self,
        rules: &G::Rules,
        positions: &Positions<A::Layout>,
    ) -> anyhow::Result<Value> {
        let initial = self.initial.map(file_hash).transpose()?;
        Ok(json!({
            "program": runs::program(),
            "scheme": A::scheme_name::<G>(rules),
            "seed": self.seed,
            "network": {"hidden": self.hidden},
            "initial": initial,
            "shards": positions.fingerprint,
            "games": positions.games,
            "newest": self.newest,
            "train": runs::to_json(self.config)?,
        }))
    }
}

/// Returns the SHA-256 of a file, in hexadecimal digits.
pub(crate) fn file_hash(path: &Path) -> anyhow::Result<String> {
    let bytes = plain::read(path, plain::WEIGHTS)?;
    Ok(checksums::of(&bytes))
}

/// Writes float weights for a rule set and the engine's network made from them.
///
/// # Errors
/// The file system fails, or the engine rejects the weights.
pub fn export<G: CompleteGame, A: Architecture>(
    rules: &G::Rules,
    folder: &Path,
    weights: &Parameters<A>,
) -> anyhow::Result<()> {
    let float = folder.join(FLOAT);
    checkpoint::save_weights(&float, weights, &A::scheme_name::<G>(rules))?;
    let floats = plain::read(&float, plain::WEIGHTS)?;
    let network = floats::from_bytes::<G, A>(rules, &floats);
    let network = network.and_then(|network| A::quantise::<G>(rules, &network));
    let network = network.map_err(|reason| anyhow!("exporting the network: {reason}"))?;
    write_bytes(&folder.join(NETWORK), network.bytes())
}
