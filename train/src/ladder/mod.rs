//! `ladder`: all accepted generations of a loop, and fixed players, on one Elo scale.
//!
//! ```text
//! train/
//!   ladder.csv             one row a player and rule set, with ladder.svg
//!   ladder/
//!     ladder.json          the settings of the matches
//!     generation-002-vs-generation-001/
//! ```
//!
//! [`plan`] selects the pairings, [`rating`] computes ratings from scores. There is a scale for
//! each rule set, and one named `all` for the games of all rule sets together. Each pairing
//! plays in its own folder, and a finished one is only read. The ladder of a longer loop, or one
//! with more references, therefore plays only the new pairings.

mod entrants;
mod picture;
pub mod plan;
mod table;

use std::path::Path;

use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_jobs::exit::{Failure, note};
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_runner::behaviour::scheme_of;
use fusion_runner::matches::{self, MatchConfig, MatchReport, Player, Score};
use fusion_study::{LadderConfig, MATCH_CAP, MATCH_PLIES, Study, rule_sets};
use rayon::ThreadPool;
use serde_json::{Value, json};

use crate::generations::Outcome;
use crate::runs::{self, Folder};

pub use entrants::{Cost, Entrant, Kind};
use fusion_statistics::rating::{self, Pairing};
pub use table::{ALL, Row};

/// The file of the table, in the loop's folder.
pub const TABLE: &str = "ladder.csv";
/// The file of its picture.
pub const PICTURE: &str = "ladder.svg";
/// The folder of the matches.
const FOLDER: &str = "ladder";
/// The file of the configuration in that folder.
const SETTINGS: &str = "ladder.json";
/// Settings that may change between two runs: they select the players, not the conditions.
const FREE: [&str; 2] = ["ladder.earlier", "ladder.references"];

/// The ladder of a loop.
pub struct Ladder<'a> {
    /// The study of the loop.
    pub study: &'a Study,
    /// The players and the conditions of play.
    pub config: &'a LadderConfig,
    /// Folder of the loop.
    pub out: &'a Path,
    /// Threads that play the games.
    pub pool: &'a ThreadPool,
}

impl Ladder<'_> {
    /// Plays all missing matches of the ladder of these generations, and writes its table and its
    /// picture into the loop's folder.
    ///
    /// # Errors
    /// There is no accepted generation, the folder has matches with other settings (exit code 64),
    /// a network is missing or damaged (66, 65), a stop is requested (75 or 130), another process
    /// uses the folder, or the file system fails.
    pub fn run<G: CompleteGame>(
        &self,
        outcomes: &[Outcome],
        stop: &Stop,
    ) -> anyhow::Result<Vec<Row>> {
        let start = &self.study.train.start;
        let search = self.study.network.search;
        let entrants =
            entrants::entrants(self.out, search, start, outcomes, &self.config.references)?;
        let generations =
            entrants.iter().filter(|entrant| entrant.kind == Kind::Generation).count();
        if generations == 0 {
            return Err(Failure::usage(format!(
                "{} has no accepted generation to put on a ladder",
                self.out.display()
            ))
            .into());
        }
        let folder = self.out.join(FOLDER);
        let _claimed = Folder::claim(&folder, SETTINGS, &self.settings::<G>()?, &FREE)?;
        let references = entrants.len() - 1 - generations;
        let pairings = plan::pairings(generations, references, self.config.earlier);
        let reports = self.play::<G>(&folder, &entrants, &pairings, stop)?;
        let rows = rows(&entrants, &pairings, &reports)?;
        table::write(&self.out.join(TABLE), &rows)?;
        picture::draw(&self.out.join(PICTURE), &rows)?;
        Ok(rows)
    }

    /// Returns all values that the matches depend on, except the players.
    fn settings<G: CompleteGame>(&self) -> anyhow::Result<Value> {
        let rules = Some(self.study.ladder_rules(self.config));
        Ok(json!({
            "program": runs::program(),
            "scheme": scheme_of::<G>(&rule_sets::<G>(&self.study.ladder_rules(self.config))?),
            "study": {"seed": self.study.study.seed},
            "ladder": runs::to_json(&LadderConfig { rules, ..self.config.clone() })?,
            "search": runs::to_json(&self.study.measure.search)?,
        }))
    }

    /// Plays the missing matches and reads the others.
    fn play<G: CompleteGame>(
        &self,
        folder: &Path,
        entrants: &[Entrant],
        pairings: &[[usize; 2]],
        stop: &Stop,
    ) -> anyhow::Result<Vec<MatchReport>> {
        // All players are opened first: a bad reference must not end the run after hours of games.
        let rules = rule_sets::<G>(&self.study.ladder_rules(self.config))?;
        let open = |entrant: &Entrant| {
            let text = match entrant.kind {
                Kind::Generation => entrant.text.clone(),
                _ => self.study.located(&entrant.text),
            };
            Player::open::<G>(&text, self.config.nodes, &rules)
        };
        let players: Vec<Player> = entrants.iter().map(open).collect::<Result<_, _>>()?;
        let mut reports = Vec::with_capacity(pairings.len());
        for (number, &[first, second]) in pairings.iter().enumerate() {
            stop.check()?;
            let name = entrants[first].versus(&entrants[second]);
            let folder = folder.join(&name);
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("creating {}", folder.display()))?;
            if !folder.join(matches::RESULT).exists() {
                note(format_args!("ladder, match {} of {}: {name}", number + 1, pairings.len()));
            }
            let config = self.game(&name, players[first].clone(), players[second].clone());
            let played = self.pool.install(|| matches::run::<G>(&config, &folder, stop));
            reports.push(played.with_context(|| format!("ladder, {name}"))?);
        }
        Ok(reports)
    }

    /// Configures a match. Its seed depends only on the players, and no two matches share openings.
    fn game(&self, name: &str, first: Player, second: Player) -> MatchConfig {
        let rules = self.study.ladder_rules(self.config);
        MatchConfig {
            first,
            second,
            games: self.config.games * rules.len() as u64,
            rules,
            plies: MATCH_PLIES,
            cap: MATCH_CAP,
            search: self.study.measure.search,
            sprt: None,
            seed: seeds::number(&format!("ladder, {name}"), &[self.study.study.seed]),
        }
    }
}

/// Rates the players on each scale: first all rule sets together, then each one.
fn rows(
    entrants: &[Entrant],
    pairings: &[[usize; 2]],
    reports: &[MatchReport],
) -> anyhow::Result<Vec<Row>> {
    let scales = reports.first().map_or(&[][..], |report| &report.per_rules);
    let single =
        scales.iter().enumerate().map(|(place, scale)| (scale.rules.as_str(), Some(place)));
    let mut rows = Vec::new();
    for (rules, place) in std::iter::once((ALL, None)).chain(single) {
        let scores: Vec<Score> = reports.iter().map(|report| score(report, place)).collect();
        let played: Vec<Pairing> = pairings
            .iter()
            .zip(&scores)
            .map(|(&players, score)| Pairing { players, pairs: score.pentanomial })
            .collect();
        let ratings = rating::fit(entrants.len(), &played).with_context(|| rules.to_owned())?;
        let games = |player: usize| {
            let own = played.iter().filter(|pairing| pairing.players.contains(&player));
            own.map(|pairing| 2 * pairing.pairs.pairs()).sum()
        };
        let capped = |player: usize| {
            let own = pairings.iter().zip(&scores).filter(|(players, _)| players.contains(&player));
            own.map(|(_, score)| score.capped).sum()
        };
        rows.extend(entrants.iter().zip(ratings).enumerate().map(|(player, (entrant, rating))| {
            Row {
                entrant: entrant.clone(),
                rules: rules.to_owned(),
                games: games(player),
                capped: capped(player),
                rating,
            }
        }));
    }
    Ok(rows)
}

/// Returns the score under one of the rule sets, or under all together.
fn score(report: &MatchReport, place: Option<usize>) -> Score {
    match place {
        None => report.total.clone(),
        Some(place) => {
            report.per_rules.get(place).map_or_else(Score::default, |arm| arm.score.clone())
        }
    }
}
