//! Published figures of the study's rule sets beside its own: `[published]`.
//!
//! Another player's draw rates are not expected to be the same. The question is whether both players
//! put the rule sets into the same order, and Spearman's rank correlation answers it. Its interval
//! comes from resampled openings; the published figures are taken as exact.

use crate::games::GameRow;
use crate::pairs::Inference;
use crate::run_folder::RunFolder;
use crate::{report_game, white};
use fusion_statistics::bootstrap::Bootstrap;
use fusion_statistics::rank::spearman;
use fusion_statistics::{Confidence, Interval};
use fusion_study::Study;
use std::collections::{BTreeMap, BTreeSet};

/// Smallest number of rule sets that are ranked.
const MIN_ARMS: usize = 3;
/// Sums of a rule set in each opening: draws, games, White's points, games with a result.
const SUMS: usize = 4;

/// The published figures, and each agent's.
#[derive(Clone, Debug)]
pub struct Published {
    /// Where the figures were published.
    pub source: String,
    /// The rule sets that were both published and played.
    pub arms: Vec<PublishedArm>,
    /// Every agent at every budget, the main measurement's first.
    pub agents: Vec<Agreement>,
}

/// The published figures of a rule set.
#[derive(Clone, Debug)]
pub struct PublishedArm {
    /// The rule set.
    pub rules: String,
    /// Share of games drawn.
    pub draws: Option<f64>,
    /// White's score.
    pub white: Option<f64>,
}

/// An agent's figures at one budget and their order beside the published one.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// Name of the measurement.
    pub measurement: String,
    /// The agent, as the rows name it.
    pub agent: String,
    /// Nodes of each move.
    pub nodes: u64,
    /// Whether each game began with plies of its own.
    pub own_openings: bool,
    /// Draw share and White's score of each of [`Published::arms`].
    pub figures: Vec<[Option<f64>; 2]>,
    /// Rank correlation of draw shares.
    pub draws: Option<Correlation>,
    /// Rank correlation of White's scores.
    pub white: Option<Correlation>,
}

/// A rank correlation.
#[derive(Clone, Copy, Debug)]
pub struct Correlation {
    /// Number of rule sets.
    pub arms: usize,
    /// Spearman's coefficient.
    pub value: f64,
    /// Its 95% percentile interval over resampled openings.
    pub interval: Interval,
}

impl Published {
    /// Compares the games with the figures that the study names. `None` if it names none, or if fewer
    /// than three of their rule sets were played.
    ///
    /// # Errors
    /// Fails if the resampling has no resamples.
    pub fn of(run: &RunFolder, inference: Inference) -> fusion_statistics::Result<Option<Self>> {
        let study = run.study.as_deref().and_then(|text| Study::parse(text).ok());
        let Some(config) = study.and_then(|study| study.published) else { return Ok(None) };
        let canonical = |figures: BTreeMap<String, f64>| -> BTreeMap<String, f64> {
            let each = figures.into_iter();
            each.filter_map(|(rules, value)| Some((report_game::canonical(&rules)?, value)))
                .collect()
        };
        let [draws, white] = [config.draws, config.white].map(canonical);
        let played: BTreeSet<&str> = run.games.iter().map(|row| row.rules.as_str()).collect();
        let arm = |rules: &str| PublishedArm {
            rules: rules.to_owned(),
            draws: draws.get(rules).copied(),
            white: white.get(rules).copied(),
        };
        let is_published = |rules: &&str| draws.contains_key(*rules) || white.contains_key(*rules);
        let mut arms: Vec<_> = played.into_iter().filter(is_published).map(arm).collect();
        arms.sort_by(|a, b| a.draws.unwrap_or(2.0).total_cmp(&b.draws.unwrap_or(2.0)));
        if arms.len() < MIN_ARMS {
            return Ok(None);
        }
        let extras = run.extras.iter();
        let extras = extras.map(|extra| (extra.name.as_str(), &extra.games, extra.own_openings()));
        let main = (crate::run_folder::MAIN, &run.games, false);
        let mut agents = Vec::new();
        for (name, rows, own_openings) in std::iter::once(main).chain(extras) {
            let budgets: BTreeSet<u64> = rows.iter().map(|row| row.nodes).collect();
            for nodes in budgets {
                let rows = rows.iter().filter(|row| row.nodes == nodes);
                let found = Agreement::of(&arms, rows, inference)?;
                agents.extend(found.map(|found| Agreement {
                    measurement: name.to_owned(),
                    nodes,
                    own_openings,
                    ..found
                }));
            }
        }
        Ok(Some(Self { source: config.source, arms, agents }))
    }
}

impl Agreement {
    fn of<'a>(
        arms: &[PublishedArm],
        rows: impl Iterator<Item = &'a GameRow>,
        inference: Inference,
    ) -> fusion_statistics::Result<Option<Self>> {
        let mut openings: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        let mut agent = None;
        for row in rows.filter(|row| !row.failed()) {
            let Some(place) = arms.iter().position(|arm| arm.rules == row.rules) else { continue };
            agent.get_or_insert(&row.network);
            let sums = openings.entry(row.opening).or_insert_with(|| vec![0.0; SUMS * arms.len()]);
            let sums = &mut sums[SUMS * place..][..SUMS];
            sums[0] += f64::from(u8::from(row.drawn()));
            sums[1] += 1.0;
            if let Some(score) = white::score(row) {
                sums[2] += score;
                sums[3] += 1.0;
            }
        }
        let Some(agent) = agent else { return Ok(None) };
        let clusters: Vec<Vec<f64>> = openings.into_values().collect();
        let mut total = vec![0.0; SUMS * arms.len()];
        for cluster in &clusters {
            total.iter_mut().zip(cluster).for_each(|(sum, part)| *sum += part);
        }
        let [draws, white] = [draw_shares(&total), white_scores(&total)];
        let of_draws =
            correlation(arms, |arm| arm.draws, draw_shares, &clusters, &total, inference)?;
        let of_white =
            correlation(arms, |arm| arm.white, white_scores, &clusters, &total, inference)?;
        Ok(Some(Self {
            measurement: String::new(),
            agent: agent.clone(),
            nodes: 0,
            own_openings: false,
            figures: draws.into_iter().zip(white).map(|(draws, white)| [draws, white]).collect(),
            draws: of_draws,
            white: of_white,
        }))
    }
}

/// Returns the draw share of each arm from the sums of all; `None` without games.
fn draw_shares(total: &[f64]) -> Vec<Option<f64>> {
    total.chunks_exact(SUMS).map(|sums| (sums[1] > 0.0).then(|| sums[0] / sums[1])).collect()
}

/// Returns White's score under each arm from the sums of all; `None` without results.
fn white_scores(total: &[f64]) -> Vec<Option<f64>> {
    total.chunks_exact(SUMS).map(|sums| (sums[3] > 0.0).then(|| sums[2] / sums[3])).collect()
}

/// Correlates a published figure with our own. `None` if there are too few rule sets, or if one side
/// has the same figure for all.
fn correlation(
    arms: &[PublishedArm],
    published: impl Fn(&PublishedArm) -> Option<f64> + Sync,
    own: impl Fn(&[f64]) -> Vec<Option<f64>> + Sync,
    clusters: &[Vec<f64>],
    total: &[f64],
    inference: Inference,
) -> fusion_statistics::Result<Option<Correlation>> {
    let both = |total: &[f64]| -> (Vec<f64>, Vec<f64>) {
        let pairs = arms.iter().map(&published).zip(own(total));
        pairs.filter_map(|(published, own)| published.zip(own)).unzip()
    };
    let ranked = |total: &[f64]| {
        let (published, own) = both(total);
        spearman(&published, &own).ok().flatten().filter(|_| published.len() >= MIN_ARMS)
    };
    let Some(value) = ranked(total) else { return Ok(None) };
    let Inference { resamples, seed, .. } = inference;
    // Of few openings, many resamples may have the same figure for all rule sets.
    let Ok(distribution) = Bootstrap::draw_rows(clusters, ranked, resamples, seed) else {
        return Ok(None);
    };
    let interval = distribution.interval(Confidence::P95)?;
    Ok(Some(Correlation { arms: both(total).0.len(), value, interval }))
}
