//! `fusion measure`

use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fusion_game::CompleteGame;
use fusion_jobs::cluster;
use fusion_jobs::exit::{Failure, NO_INPUT, note, say};
use fusion_jobs::runner::Shard;
use fusion_jobs::stop::Stop;
use fusion_registry::KnownGame;
use fusion_runner::matches::Player;
use fusion_runner::measure;
use fusion_runner::openings::Pool;
use fusion_study::{MeasureConfig, Measurement, PRIMARY, Study, allow_programs, rule_sets};

use super::common::{Common, Joining, Replaced, by_option, network_or, path_or, set, with_room};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    joining: Joining,
    /// Play one of the study's measurements: measure or the NAME of an [extra.NAME]
    /// [default: all of them, one after the other]
    #[arg(long, value_name = "NAME", requires = "study")]
    only: Option<String>,
    /// Folder of the shards and results [default: measure or extra/NAME in the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The pool of openings [default: openings.csv in the study's folder]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Network file, or uniform, material or rollout; with pvs: before it, the alpha-beta search
    /// plays; or another program as uci:COMMAND (see fusion match --help)
    /// [default: the study's best network]
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,
    /// A rule set to measure; may be repeated
    #[arg(long)]
    rules: Vec<String>,
    /// Nodes of each move; several budgets are joined by commas
    #[arg(long, value_name = "N", value_delimiter = ',')]
    nodes: Vec<u32>,
    /// Turns, of both sides together, after which a game is stopped without a result
    #[arg(long, value_name = "N")]
    cap: Option<u32>,
    /// Start the programs that the study's file names (uci:...); one of --network needs no leave
    #[arg(long, requires = "study")]
    allow_programs: bool,
}

impl Args {
    /// Returns the game to play.
    pub fn game(&self) -> anyhow::Result<KnownGame> {
        self.common.game(&self.rules)
    }

    pub fn run<G: CompleteGame>(self) -> anyhow::Result<()> {
        let study = self.common.study::<G>()?;
        let stop = Stop::on_signals()?;
        for measurement in self.measurements(study.as_ref())? {
            let key = format!("{}.network", measurement.section());
            let Measurement { name, folder, mut config } = measurement;
            self.change(&mut config);
            let most = config.nodes.iter().max().copied().unwrap_or_default();
            config.search = with_room(config.search, study.as_ref(), most);
            if let Some(study) = study.as_ref().filter(|_| self.network.is_none()) {
                let mut programs = study.measuring_programs();
                programs.retain(|program| program.key == key);
                allow_programs(&programs, self.allow_programs)?;
            }
            let player = self.player(study.as_ref(), &config);
            let checked = config.check::<G>().and_then(|()| config.check_player(&player));
            by_option(checked, study.as_ref(), &self.replaced())?;
            if study.is_some() && name != PRIMARY {
                note(format_args!("measurement {name}"));
            }
            let given = [&self.out, &self.openings].into_iter().any(Option::is_some);
            let replaced = given || self.replaced().iter().any(|(.., given)| *given);
            let replaced = replaced || self.network.is_some();
            self.common.check_results::<G>(study.as_ref(), replaced)?;
            let inside = folder.to_string_lossy();
            let out = path_or(self.out.clone(), study.as_ref(), &inside, "--out")?;
            let line = |line: &dyn Display| say(line);
            let joins = self.joining.play(config.shards, &out, line, |shards| {
                self.play::<G>(study.as_ref(), &config, &out, shards, &stop)
            })?;
            if joins {
                merge::<G>(&out, &stop)?;
            }
        }
        Ok(())
    }

    /// Returns the text of the player; empty if nothing names one.
    fn player(&self, study: Option<&Study>, config: &MeasureConfig) -> String {
        let of_study = || study.map(|study| study.player(config));
        self.network.clone().or_else(of_study).unwrap_or_default()
    }

    /// Returns the error of a measurement that has no openings yet.
    fn no_pool(&self, path: &Path) -> Failure {
        let how = match &self.common.study {
            Some(study) if self.openings.is_none() => format!("--study {}", study.display()),
            _ => format!("--out {}", path.display()),
        };
        let path = path.display();
        let message =
            format!("there is no pool of openings {path}: make it with fusion openings {how}");
        Failure::new(NO_INPUT, message)
    }

    /// Returns the measurements to play. Without a study, the options define one.
    fn measurements(&self, study: Option<&Study>) -> anyhow::Result<Vec<Measurement>> {
        let Some(study) = study else {
            let config = MeasureConfig::default();
            return Ok(vec![Measurement { name: PRIMARY.into(), folder: PRIMARY.into(), config }]);
        };
        let mut all = study.measurements();
        // Options change only one measurement.
        let changed = self.out.is_some()
            || self.network.is_some()
            || self.cap.is_some()
            || !(self.rules.is_empty() && self.nodes.is_empty());
        let wanted = self.only.as_deref().or(changed.then_some(PRIMARY));
        if let Some(wanted) = wanted {
            let names: Vec<String> = all.iter().map(|each| each.name.clone()).collect();
            all.retain(|each| each.name == wanted);
            if all.is_empty() {
                return Err(Failure::usage(format!(
                    "--only: the study has no measurement {wanted}; it has {}",
                    names.join(", ")
                ))
                .into());
            }
        }
        Ok(all)
    }

    fn change(&self, config: &mut MeasureConfig) {
        set(&mut config.shards, self.joining.shards());
        set(&mut config.cap, self.cap);
        if !self.rules.is_empty() {
            config.rules.clone_from(&self.rules);
            (config.factorial, config.ablate, config.primary) = (Vec::new(), None, None);
        }
        if !self.nodes.is_empty() {
            config.nodes.clone_from(&self.nodes);
        }
    }

    fn replaced(&self) -> [Replaced; 4] {
        [
            ("--rules", "measure.rules", !self.rules.is_empty()),
            ("--nodes", "measure.nodes", !self.nodes.is_empty()),
            ("--cap", "measure.cap", self.cap.is_some()),
            ("--shards", "measure.shards", self.joining.shards().is_some()),
        ]
    }

    /// Plays the games of some shards.
    fn play<G: CompleteGame>(
        &self,
        study: Option<&Study>,
        config: &MeasureConfig,
        out: &Path,
        shards: Range<u32>,
        stop: &Stop,
    ) -> anyhow::Result<Vec<(u32, Shard)>> {
        let pool = if config.own_plies > 0 {
            let all = study.map(|study| study.openings.count).unwrap_or_default();
            Pool::without_plies(config.games.unwrap_or(all))
        } else {
            let path = path_or(self.openings.clone(), study, "openings.csv", "--openings")?;
            if !path.exists() {
                return Err(self.no_pool(&path).into());
            }
            let pool = Pool::open::<G>(&path)?;
            if let Some(study) = study.filter(|_| self.openings.is_none()) {
                pool.check_count(study.openings.count, &path)?;
            }
            pool
        };
        let named = Some(self.player(study, config)).filter(|text| !text.is_empty());
        let rules = rule_sets::<G>(&config.arms::<G>()?)?;
        let player = Player::of_measurement::<G>(&network_or(named, None, "--network")?, &rules)?;
        let seed = self.common.seed(study);
        let threads = cluster::pool(self.common.threads)?;
        threads.install(|| measure::run::<G>(config, &pool, &player, seed, out, shards, stop))
    }
}

/// Writes the results of the finished shards in a folder.
fn merge<G: CompleteGame>(out: &Path, stop: &Stop) -> anyhow::Result<()> {
    let missing = measure::assemble_if_whole::<G>(out, stop)?;
    let numbers = cluster::ranges(&missing);
    if !missing.is_empty() {
        let folder = out.display();
        let message = format!("{folder}: shards still missing: {numbers}; play them first");
        return Err(Failure::corrupt(message).into());
    }
    say(format_args!("results in {}", out.join("games.csv").display()));
    Ok(())
}
