//! `fusion study --compare` and `--game`: a study without a file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail};
use fusion_game::CompleteGame;
use fusion_registry::{KnownGame, for_game};
use fusion_study::{General, MeasureConfig, Study, file_name, rule_sets};

use super::own_game::{self, OwnGame};

/// A comparison of two rule sets, or a game, that needs no study file of its own.
#[derive(Debug, clap::Args)]
pub(super) struct Question {
    /// Compare draws under rule set A with draws under B, otherwise by the study file, in a folder of
    /// its own
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "train", group = "asked")]
    compare: Option<Vec<String>>,
    /// Train a network from nothing for a game and measure the game, in a folder of its own: a file in
    /// the format of variants.ini and one of its games, or any rule set
    #[arg(long, value_name = "FILE[#GAME]", conflicts_with = "train", group = "asked")]
    game: Option<String>,
    /// With --game: another game of the same board and pieces, which the network learns, too; the
    /// question is whether the first one is less drawish
    #[arg(long, value_name = "FILE[#GAME]", requires = "game")]
    than: Option<String>,
    /// With --game: minutes of training; more than before continue it [default: the file's, or those
    /// of the run]
    #[arg(long, value_name = "N", requires = "game")]
    minutes: Option<f64>,
    /// With --compare or --game: number of openings [default: the file's]
    #[arg(long, value_name = "N", requires = "asked")]
    openings: Option<u32>,
    /// With --compare or --game: the number of openings is final, so that the intervals are narrower
    #[arg(long, requires = "asked")]
    fixed: bool,
    /// With --compare or --game: nodes of each move; several budgets are joined by commas [default: the
    /// file's]
    #[arg(long, value_name = "N", value_delimiter = ',', requires = "asked")]
    nodes: Option<Vec<u32>>,
    /// With --compare or --game: folder of the results [default: runs/A-or-B, runs/GAME, runs/GAME-or-GAME]
    #[arg(long, value_name = "DIR", requires = "asked")]
    out: Option<PathBuf>,
}

impl Question {
    /// Returns whether there is one.
    pub(super) fn is_asked(&self) -> bool {
        self.compare.is_some() || self.game.is_some()
    }

    /// Returns the study file by which it is answered if none is given.
    pub(super) fn study(&self) -> &'static str {
        if self.game.is_some() { own_game::STUDY } else { "data/studies/quick.toml" }
    }

    /// Reads the games of `--game` and `--than`.
    ///
    /// # Errors
    /// As [`OwnGame::read_all`].
    pub(super) fn games(&self) -> anyhow::Result<Vec<OwnGame>> {
        OwnGame::read_all(self.game.iter().chain(&self.than))
    }

    /// Returns the question with paths that mean the same from every folder.
    pub(super) fn absolute(self) -> anyhow::Result<Self> {
        let out = self.out.map(std::path::absolute).transpose().context("finding --out")?;
        Ok(Self { out, ..self })
    }

    /// Makes a study of the comparison or the game. Without one the study stays as it is.
    ///
    /// # Errors
    /// Fails if a rule set cannot be parsed (exit codes 64 to 66).
    pub(super) fn ask(self, study: Study, games: &[OwnGame]) -> anyhow::Result<Study> {
        if let [game, than @ ..] = games {
            let mut study = game.study(study, than.first(), self.out)?;
            own_game::continue_run(&mut study, self.minutes)?;
            study.measure.nodes = self.nodes.unwrap_or(study.measure.nodes);
            study.openings.count = self.openings.unwrap_or(study.openings.count);
            study.study.fixed |= self.fixed;
            return Ok(study);
        }
        match self.compare.as_deref() {
            None | Some([]) => Ok(study),
            Some([first, ..]) => {
                for_game!(KnownGame::of_rules(first), G => self.replace::<G>(study))
            }
        }
    }

    fn replace<G: CompleteGame>(self, mut study: Study) -> anyhow::Result<Study> {
        let texts = self.compare.unwrap_or_default();
        let rules = rule_sets::<G>(&texts).map_err(|error| error.under("--compare"))?;
        let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
        // The parser of the command line counts them.
        let [first, second] = &rules[..] else { bail!("--compare takes two rule sets") };
        let primary = [first.clone(), second.clone()];
        let name = file_name(&format!("{first}-or-{second}"));
        let fixed = self.fixed || study.study.fixed;
        study.study = General { name, out: self.out, fixed, ..study.study };
        study.measure = MeasureConfig {
            nodes: self.nodes.unwrap_or_else(|| study.measure.nodes.clone()),
            rules,
            factorial: Vec::new(),
            base: None,
            ablate: None,
            games: None,
            primary: Some(primary),
            ..study.measure
        };
        study.openings.count = self.openings.unwrap_or(study.openings.count);
        (study.extra, study.matches) = (BTreeMap::new(), BTreeMap::new());
        (study.random, study.endgames, study.ladder) = (None, None, None);
        Ok(study)
    }
}
