//! Statistics of the games of one rule set at one node budget.

use crate::chess::escapes::escapes;
use crate::games::{Event, GameResult, GameRow, RowEnding};
use crate::report_game::ReportGame;
use fusion_game::{Ending, EventKind};
use fusion_print::progress::Progress;
use fusion_statistics::duplicates::effective_sample_size;
use fusion_statistics::estimate::Estimate;
use fusion_statistics::proportion::wilson;
use fusion_statistics::quantile::quantile;
use fusion_statistics::tango::tango;
use fusion_statistics::{Confidence, Interval, Proportion, StatisticsError};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// One rule set at one node budget.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Rule-set expression.
    pub rules: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Networks of its games. More than one is reported as a mistake.
    pub networks: Vec<String>,
    /// Number of games without errors.
    pub games: u64,
    /// Number of games in which the program failed.
    pub errors: u64,
    /// Games won by White.
    pub white_wins: u64,
    /// Games drawn by their rules.
    pub draws: u64,
    /// Games won by Black.
    pub black_wins: u64,
    /// Games that reached the cap. They have no result and are not draws.
    pub capped: u64,
    /// Draws over games.
    pub draw_share: Proportion,
    /// Wilson's 95% interval of the draw share.
    pub draw_wilson: Interval,
    /// Number of games for each ending, in the order of [`ReportGame::row_endings`].
    pub endings: Vec<u64>,
    /// Length of the games.
    pub length: Length,
    /// White's score; `None` if every game was capped.
    pub white_score: Option<Score>,
    /// Changes of the lead.
    pub drama: Drama,
    /// Share of would-be mates that were escaped.
    ///
    /// The numerator counts the checks that only a fusion or fission could answer. The denominator
    /// counts these checks and the mates. `None` if it is zero.
    pub escapes: Option<Proportion>,
    /// Mean entropy, in bits, of the plies that were sampled by visits. `None` without such plies.
    pub opening_entropy: Option<Mean>,
    /// Use of each kind of move.
    pub usage: Vec<Usage>,
    /// Number of distinct games.
    pub distinct: u64,
    /// Effective number of independent games.
    pub effective: f64,
}

impl Arm {
    /// Returns the upper bound of the draw share, which counts capped games as draws.
    ///
    /// The lower bound is the draw share itself.
    #[must_use]
    pub fn draw_share_upper(&self) -> f64 {
        (self.draws + self.capped) as f64 / self.games as f64
    }

    /// Returns the share of games that reached the cap.
    #[must_use]
    pub fn capped_share(&self) -> f64 {
        self.capped as f64 / self.games as f64
    }

    /// Returns the share of all games that failed.
    #[must_use]
    pub fn error_share(&self) -> f64 {
        self.errors as f64 / (self.games + self.errors) as f64
    }
}

/// Returns the endings that tables list, each with its place in [`Arm::endings`].
///
/// Adjudication, and endings that none of the rule sets has, are listed only if they happened.
#[must_use]
pub fn listed_endings<'a>(arms: impl IntoIterator<Item = &'a Arm>) -> Vec<(usize, RowEnding)> {
    let arms: Vec<&Arm> = arms.into_iter().collect();
    let of = arms.first().map(|arm| ReportGame::of_rules(&arm.rules)).unwrap_or_default();
    let happened = |place: usize| arms.iter().any(|arm| arm.endings[place] > 0);
    let is_rare = |ending: RowEnding| match ending {
        RowEnding::Game(ending) => {
            ending == Ending::TABLES || !arms.iter().any(|arm| of.has_ending(&arm.rules, ending))
        }
        RowEnding::Error => false,
    };
    let all = of.row_endings().into_iter().enumerate();
    all.filter(|&(place, ending)| !is_rare(ending) || happened(place)).collect()
}

/// Changes of the lead, by the searches' evaluations.
#[derive(Clone, Copy, Debug)]
pub struct Drama {
    /// Mean number of lead changes per game.
    pub lead_changes: Mean,
    /// Share of games with a lead change.
    pub with_change: Proportion,
    /// Browne's drama of the decided games. `None` if no game was decided.
    pub drama: Option<Mean>,
}

/// A mean with its 95% interval. The interval is normal over openings.
#[derive(Clone, Copy, Debug)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Its 95% interval.
    pub interval: Interval,
}

impl Mean {
    /// Computes the mean of the values. Returns `None` for an empty slice.
    fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - value).powi(2)).sum();
        let error = (squares / (n - 1.0).max(1.0) / n).sqrt();
        let interval = Estimate { value, error }.interval(Confidence::P95);
        (!values.is_empty()).then_some(Self { value, interval })
    }
}

/// A share of points with its 95% interval.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// Wins plus half the draws, over the games with a result.
    pub value: f64,
    /// Tango's interval of wins minus losses, halved.
    pub interval: Interval,
}

/// Length of games in plies, including openings.
#[derive(Clone, Debug)]
pub struct Length {
    /// Mean.
    pub mean: f64,
    /// Minimum, lower quartile, median, upper quartile, maximum.
    pub quartiles: [f64; 5],
    /// Length of each decisive game.
    pub decisive: Vec<u32>,
    /// Length of each drawn game.
    pub drawn: Vec<u32>,
    /// Length of each capped game.
    pub capped: Vec<u32>,
}

/// Use of one kind of move, excluding openings.
#[derive(Clone, Debug)]
pub struct Usage {
    /// Name of the kind of move, in the plural.
    pub name: &'static str,
    /// Number of games with at least one such move.
    pub games: u64,
    /// Share of games with at least one such move.
    pub share: f64,
    /// Number of such moves in all games.
    pub total: u64,
    /// Number of such moves per 100 plies.
    pub per_100_plies: f64,
    /// Median ply of the first such move, over the games with one. `None` if it was not recorded.
    pub median_first: Option<f64>,
}

/// Error in summarising an arm.
#[derive(Debug, thiserror::Error)]
pub enum ArmError {
    /// Every game failed.
    #[error("every game of {rules} at {nodes} nodes ended in an error: there is nothing to report")]
    NoGames {
        /// Rule set.
        rules: String,
        /// Node budget.
        nodes: u64,
    },
    /// A statistic could not be computed.
    #[error("{rules} at {nodes} nodes: {source}")]
    Statistics {
        /// Rule set.
        rules: String,
        /// Node budget.
        nodes: u64,
        /// Error of the statistic.
        source: fusion_statistics::StatisticsError,
    },
}

/// Summarises all arms, sorted by rule set and nodes.
///
/// # Errors
/// Fails if an arm has no games without errors.
pub fn summarise(rows: &[GameRow]) -> Result<Vec<Arm>, ArmError> {
    let mut groups: BTreeMap<(&str, u64), Vec<&GameRow>> = BTreeMap::new();
    for row in rows {
        groups.entry((row.rules.as_str(), row.nodes)).or_default().push(row);
    }
    let progress = Progress::new("summarising the rule sets", groups.len());
    groups
        .into_iter()
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|((rules, nodes), rows)| {
            progress.add(1);
            if rows.iter().all(|row| row.failed()) {
                let rules = rules.to_owned();
                return Err(ArmError::NoGames { rules, nodes });
            }
            arm(rules, nodes, &rows).map_err(|source| ArmError::Statistics {
                rules: rules.to_owned(),
                nodes,
                source,
            })
        })
        .collect::<Vec<_>>()
        .into_iter()
        .collect()
}

fn arm(rules: &str, nodes: u64, all: &[&GameRow]) -> fusion_statistics::Result<Arm> {
    let rows: Vec<&GameRow> = all.iter().copied().filter(|row| !row.failed()).collect();
    let games = rows.len() as u64;
    let count = |test: &dyn Fn(&GameRow) -> bool| all.iter().filter(|row| test(row)).count() as u64;
    let white_wins = count(&|row| row.result == GameResult::White);
    let draws = count(&|row| row.result == GameResult::Draw);
    let black_wins = count(&|row| row.result == GameResult::Black);
    let draw_share = Proportion::new(draws, games)?;
    let mut copies: HashMap<u64, u64> = HashMap::new();
    for row in &rows {
        *copies.entry(row.moves_hash).or_default() += 1;
    }
    let mut networks: Vec<String> = all.iter().map(|row| row.network.clone()).collect();
    networks.sort();
    networks.dedup();
    Ok(Arm {
        rules: rules.to_owned(),
        nodes,
        networks,
        games,
        errors: all.len() as u64 - games,
        white_wins,
        draws,
        black_wins,
        capped: count(&GameRow::capped),
        draw_share,
        draw_wilson: wilson(draw_share, Confidence::P95),
        endings: ReportGame::of_rules(rules)
            .row_endings()
            .into_iter()
            .map(|ending| count(&|row| row.ending == ending))
            .collect(),
        length: length(&rows)?,
        white_score: white_score(white_wins, draws, black_wins)?,
        drama: drama(&rows)?,
        escapes: escapes(&rows),
        opening_entropy: Mean::of(
            &rows.iter().filter_map(|r| r.opening_entropy).collect::<Vec<_>>(),
        ),
        usage: usage(&rows)?,
        distinct: copies.len() as u64,
        effective: effective_sample_size(copies.into_values())?,
    })
}

fn drama(rows: &[&GameRow]) -> fusion_statistics::Result<Drama> {
    let changes: Vec<f64> = rows.iter().map(|row| f64::from(row.lead_changes)).collect();
    let changed = rows.iter().filter(|row| row.lead_changes > 0).count() as u64;
    Ok(Drama {
        lead_changes: Mean::of(&changes).ok_or(StatisticsError::Empty)?,
        with_change: Proportion::new(changed, rows.len() as u64)?,
        drama: Mean::of(&rows.iter().filter_map(|row| row.drama).collect::<Vec<_>>()),
    })
}

fn white_score(wins: u64, draws: u64, losses: u64) -> fusion_statistics::Result<Option<Score>> {
    let n = wins + draws + losses;
    if n == 0 {
        return Ok(None);
    }
    // The score is ½ + (wins − losses) / 2n. Wins and losses are discordant pairs.
    Ok(Some(Score {
        value: (wins as f64 + draws as f64 / 2.0) / n as f64,
        interval: tango(wins, losses, n, Confidence::P95)?.map(0.5, 0.5),
    }))
}

fn length(rows: &[&GameRow]) -> fusion_statistics::Result<Length> {
    let mut sorted: Vec<f64> = rows.iter().map(|row| f64::from(row.plies)).collect();
    sorted.sort_by(f64::total_cmp);
    let mut quartiles = [0.0; 5];
    for (i, quartile) in quartiles.iter_mut().enumerate() {
        *quartile = quantile(&sorted, i as f64 / 4.0)?;
    }
    let of = |test: &dyn Fn(&GameRow) -> bool| {
        let chosen = rows.iter().filter(|row| test(row));
        chosen.map(|row| row.plies).collect()
    };
    Ok(Length {
        mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
        quartiles,
        decisive: of(&|row| !row.drawn() && !row.capped()),
        drawn: of(&GameRow::drawn),
        capped: of(&GameRow::capped),
    })
}

fn usage(rows: &[&GameRow]) -> fusion_statistics::Result<Vec<Usage>> {
    let plies: u64 = rows.iter().map(|row| u64::from(row.plies - row.opening_plies)).sum();
    let events = rows.first().map_or(ReportGame::default().description(), |row| row.game).events;
    let mut kinds: Vec<(usize, &EventKind)> = events.kinds.iter().enumerate().collect();
    kinds.sort_by_key(|(_, kind)| kind.place);
    let occurs = |place: usize| rows.iter().any(|row| row.events.all()[place].count > 0);
    kinds
        .into_iter()
        .filter(|(place, kind)| !kind.of_position && (kind.common || occurs(*place)))
        .map(|(place, kind)| {
            let events: Vec<Event> = rows.iter().map(|row| row.events.all()[place]).collect();
            let games = events.iter().filter(|event| event.count > 0).count() as u64;
            let total: u64 = events.iter().map(|event| u64::from(event.count)).sum();
            let mut first: Vec<f64> =
                events.iter().filter_map(|event| event.first.map(f64::from)).collect();
            first.sort_by(f64::total_cmp);
            Ok(Usage {
                name: kind.plural,
                games,
                share: games as f64 / rows.len() as f64,
                total,
                per_100_plies: 100.0 * total as f64 / plies.max(1) as f64,
                median_first: (!first.is_empty()).then(|| quantile(&first, 0.5)).transpose()?,
            })
        })
        .collect()
}
