//! A study that is measured: its openings, its games, and their results.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, ensure};
use fusion_game::{CompleteGame, Description, files};
use fusion_jobs::checksums;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_results::pairs::Inference;
use fusion_results::report::{Options, Report};
use fusion_results::run_folder::RunFolder;
use fusion_runner::measure::{MeasuredGame, Measurement};
use fusion_runner::openings::{Maker, Pool};
use fusion_study::{MeasureConfig, PRIMARY, STUDY_FILE, Searcher, Study, rule_sets};
use serde_json::{Value, json};

use crate::question::MOST_OPENINGS;
use crate::{Measures, results};

/// Folder of the files in memory.
const FOLDER: &str = "measured";
/// Locked while a study's files are in [`FOLDER`]: all studies of a process share the files in memory.
static FOLDER_LOCK: Mutex<()> = Mutex::new(());
/// File of the pool.
const OPENINGS: &str = "openings.csv";

/// A study of a game.
pub(crate) struct Run<G: CompleteGame> {
    study: Study,
    /// The text of the study's file.
    text: String,
    config: MeasureConfig,
    player: Searcher,
    maker: Maker<G>,
    /// The openings, and the measurement with all of them.
    measurement: Option<(Pool, Measurement<G>)>,
    /// Games by their numbers.
    games: BTreeMap<u64, MeasuredGame>,
}

impl<G: CompleteGame> Run<G> {
    /// Begins a study.
    ///
    /// # Errors
    /// Fails if the study is not valid, or if its network is missing or rejected.
    pub(crate) fn new(study: Study, text: String) -> anyhow::Result<Self> {
        study.check::<G>()?;
        let config = study.measure.clone();
        let is_plain = config.stop.is_none() && config.tables.is_none() && study.extra.is_empty();
        ensure!(
            is_plain,
            "a page plays one measurement, without a stopping rule and without tables"
        );
        let rules = study.pool_rules::<G>()?;
        let player = Searcher::open::<G>(&study.player(&config), &rule_sets::<G>(&rules)?)?;
        let (search, seed) = (&config.search, study.study.seed);
        let maker = Maker::new(&study.openings, &rules, search, Some(&player), seed)?;
        Ok(Self { study, text, config, player, maker, measurement: None, games: BTreeMap::new() })
    }

    /// Prepares the measurement of the first openings.
    fn measurement(&self, pool: &Pool) -> anyhow::Result<Measurement<G>> {
        let seed = self.study.study.seed;
        let player = self.player.clone().into();
        Measurement::new(&self.config, pool, &player, seed, Path::new(""), &Stop::new())
    }

    fn begun(&self) -> anyhow::Result<&(Pool, Measurement<G>)> {
        self.measurement.as_ref().context("there are no openings yet")
    }

    /// Returns the number of openings, from the first one on, of which all games are there.
    fn whole_openings(&self) -> anyhow::Result<u64> {
        let played = (0..).zip(self.games.keys()).take_while(|(place, number)| place == *number);
        Ok(played.count() as u64 / self.begun()?.1.settings().games_of_opening().max(1))
    }

    /// Returns the files of the run with its first openings, by their paths in its folder.
    fn written(&self, openings: u64) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let (pool, measurement) = self.begun()?;
        let pool = pool.first(openings as usize);
        let games = openings * measurement.settings().games_of_opening();
        let games: Vec<MeasuredGame> =
            self.games.range(..games).map(|(_, game)| game.clone()).collect();
        let mut written = vec![
            (STUDY_FILE.to_owned(), self.text.clone().into_bytes()),
            (OPENINGS.to_owned(), pool.csv().to_vec()),
        ];
        let results = self.measurement(&pool)?.files(&games)?;
        written.extend(results.map(|(name, bytes)| (format!("{PRIMARY}/{name}"), bytes)));
        Ok(written)
    }
}

impl<G: CompleteGame> Measures for Run<G> {
    fn openings(&mut self) -> anyhow::Result<Value> {
        let pool = self.maker.try_more(&Stop::new())?;
        let pool = pool.map(|pool| String::from_utf8(pool.csv().to_vec())).transpose()?;
        Ok(json!({ "found": self.maker.found(), "of": self.study.openings.count, "pool": pool }))
    }

    fn pool(&mut self, csv: &str) -> anyhow::Result<Value> {
        let pool = Pool::parse::<G>(csv.as_bytes().to_vec()).map_err(Failure::corrupt)?;
        let measurement = self.measurement(&pool)?;
        let behaviour = measurement.behaviour().into();
        self.measurement = Some((pool, measurement));
        Ok(behaviour)
    }

    fn play(&self, number: u64) -> anyhow::Result<Value> {
        let (_, measurement) = self.begun()?;
        let games = measurement.settings().games();
        ensure!(number < games, "there are {games} games, none {number}");
        let game = measurement.play(number, &Stop::new(), &|| ())?;
        Ok(serde_json::to_string(&game.context("the game was stopped")?)?.into())
    }

    fn add(&mut self, games: Vec<(u64, String)>) -> anyhow::Result<Value> {
        for (number, game) in games {
            let game = MeasuredGame::parse(Description::of::<G>(), game.as_bytes());
            self.games.insert(number, game.map_err(Failure::corrupt)?);
        }
        Ok(json!({ "openings": self.whole_openings()? }))
    }

    fn results(&self) -> anyhow::Result<Value> {
        let openings = self.whole_openings()?;
        ensure!(openings > 0, "no opening is finished yet");
        let folder = Path::new(FOLDER);
        let _guard = FOLDER_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, bytes) in self.written(openings)? {
            // The program that makes the files need not check them.
            if !name.ends_with(checksums::NAME) {
                files::hold(folder.join(name), bytes);
            }
        }
        let options = Options {
            primary: None,
            inference: Inference::default(),
            page_openings: Some(MOST_OPENINGS.into()),
        };
        let report = Report::new(RunFolder::open(folder)?, options)?;
        Ok(results::of(&report, openings, self.study.openings.count.into()))
    }

    fn files(&self) -> anyhow::Result<Value> {
        let written = self.written(self.whole_openings()?)?;
        let text = |(name, bytes): (String, Vec<u8>)| anyhow::Ok((name, String::from_utf8(bytes)?));
        let texts: Vec<_> = written.into_iter().map(text).collect::<Result<_, _>>()?;
        Ok(json!(texts))
    }
}
