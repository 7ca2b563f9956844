//! Effects of each toggle on draws, from games under all mixes of the toggles.

use crate::games::GameRow;
use crate::report_game::ReportGame;
use fusion_statistics::estimate::Estimate;
use fusion_statistics::evalue::Looks;
use fusion_statistics::logistic::{Logistic, Observation};
use fusion_statistics::multiple::{benjamini_hochberg, holm};
use fusion_statistics::{Confidence, Interval, Proportion, StatisticsError};
use std::collections::{BTreeMap, BTreeSet};

/// Effects of toggles on the chance of a draw.
#[derive(Clone, Debug)]
pub struct Toggles {
    /// The game of the rule sets.
    pub game: ReportGame,
    /// Name of the measurement with the games.
    pub measurement: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Number of games played.
    pub games: u64,
    /// Number of openings. Each was played under every mix.
    pub openings: u64,
    /// Toggles that all mixes have in common, with their values.
    pub common: Vec<(&'static str, String)>,
    /// The toggles' effects, in the order of the rules' table.
    pub effects: Vec<Effect>,
    /// Effects of pairs. Empty if the model with pairs could not be fitted. The other effects are
    /// then from a model without pairs.
    pub interactions: Vec<Interaction>,
    /// Agent: a network's hash or an evaluator's name.
    pub agent: String,
}

/// Average marginal effect of a toggle.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The toggle.
    pub toggle: &'static str,
    /// Change of the chance of a draw from no to yes, averaged over the games.
    pub estimate: Estimate,
    /// 95% interval of the effect.
    pub interval: Interval,
    /// p-value after Holm's adjustment over the toggles.
    pub holm_p: f64,
    /// Draw share of the games without the toggle.
    pub share_off: f64,
    /// Draw share of the games with the toggle.
    pub share_on: f64,
}

/// Difference between the effects of one toggle with and without another.
#[derive(Clone, Debug)]
pub struct Interaction {
    /// Both toggles.
    pub toggles: [&'static str; 2],
    /// Difference of the effects as a share of the games.
    pub estimate: Estimate,
    /// 95% interval of the difference.
    pub interval: Interval,
    /// p-value after Benjamini and Hochberg's adjustment over all pairs.
    pub bh_p: f64,
    /// Draws of the games with neither toggle, with only the second, with only the first, and with
    /// both.
    pub cells: [Proportion; 4],
}

/// The toggles that vary among the rule sets of a full factorial.
struct Design {
    game: ReportGame,
    varying: Vec<&'static str>,
    common: Vec<(&'static str, String)>,
    /// Bits of the toggles that are on, by rule-set expression.
    mixes: BTreeMap<String, u32>,
}

impl Design {
    /// Derives the design from the games. Returns `None` unless the rule sets are all mixes of two
    /// or more toggles.
    fn of(rows: &[GameRow]) -> Option<Self> {
        let texts: BTreeSet<&str> = rows.iter().map(|row| row.rules.as_str()).collect();
        let game = ReportGame::of_rules(texts.first()?);
        let rules: Vec<(&str, Vec<String>)> =
            texts.iter().map(|text| Some((*text, game.values(text)?))).collect::<Option<_>>()?;
        let (_, first) = rules.first()?;
        let (common, varying): (Vec<usize>, Vec<usize>) = (0..first.len())
            .partition(|&place| rules.iter().all(|(_, values)| values[place] == first[place]));
        let yes_or_no = |values: &[String]| {
            varying.iter().all(|&place| values[place] == "yes" || values[place] == "no")
        };
        let all = u32::try_from(varying.len()).ok().and_then(|count| 1usize.checked_shl(count))?;
        if varying.len() < 2
            || rules.len() != all
            || !rules.iter().all(|(_, values)| yes_or_no(values))
        {
            return None;
        }
        let mix = |values: &[String]| -> u32 {
            let on = |&(_, place): &(usize, &usize)| values[*place] == "yes";
            varying.iter().enumerate().filter(on).map(|(bit, _)| 1 << bit).sum()
        };
        let name = |place: usize| game.toggles()[place].name;
        Some(Self {
            game,
            mixes: rules.iter().map(|(text, values)| ((*text).to_owned(), mix(values))).collect(),
            common: common.iter().map(|&place| (name(place), first[place].clone())).collect(),
            varying: varying.into_iter().map(name).collect(),
        })
    }
}

/// Estimates the effects from the games of one measurement at its largest budget.
///
/// Chances are from a logistic regression on the toggles and their pairs. If the pairs are not
/// identifiable, the regression is only on the toggles. Standard errors are robust to games that
/// share an opening.
///
/// Returns `None` if the rule sets are not all mixes of some toggles, or if the games do not
/// identify the effects.
#[must_use]
pub fn effects(measurement: &str, rows: &[GameRow], looks: Looks) -> Option<Toggles> {
    let design = Design::of(rows)?;
    let nodes = rows.iter().map(|row| row.nodes).max()?;
    let counted: Vec<&GameRow> =
        rows.iter().filter(|row| row.nodes == nodes && !row.failed()).collect();
    let games: Vec<Observation> = counted
        .iter()
        .map(|row| Observation {
            drawn: row.drawn(),
            toggles: design.mixes[&row.rules],
            cluster: row.opening,
        })
        .collect();
    let count = design.varying.len() as u32;
    let paired = Logistic::fit(&games, count, true).ok();
    let plain;
    let model = match &paired {
        Some(model) => model,
        None => {
            plain = Logistic::fit(&games, count, false).ok()?;
            &plain
        }
    };
    let openings: BTreeSet<u64> = counted.iter().map(|row| row.opening).collect();
    let by = (looks, openings.len() as u64);
    Some(Toggles {
        game: design.game,
        measurement: measurement.to_owned(),
        agent: counted.first()?.network.clone(),
        nodes,
        games: games.len() as u64,
        openings: openings.len() as u64,
        effects: main_effects(model, &design, &games, by).ok()?,
        interactions: paired
            .map_or(Ok(Vec::new()), |m| interactions(&m, &design, &games, by))
            .ok()?,
        common: design.common,
    })
}

fn main_effects(
    model: &Logistic,
    design: &Design,
    games: &[Observation],
    (looks, openings): (Looks, u64),
) -> Result<Vec<Effect>, StatisticsError> {
    let estimates: Vec<Estimate> =
        (0..design.varying.len()).map(|toggle| model.effect(toggle as u32)).collect();
    let p: Vec<f64> = estimates.iter().map(|of| looks.p_value(*of, openings)).collect();
    let share = |toggle: usize, on: bool| {
        let chosen = games.iter().filter(|game| (game.toggles >> toggle & 1 == 1) == on);
        let (drawn, all) = chosen
            .fold((0u64, 0u64), |(drawn, all), game| (drawn + u64::from(game.drawn), all + 1));
        drawn as f64 / all.max(1) as f64
    };
    let effects = estimates.into_iter().zip(holm(&p)?).enumerate();
    Ok(effects
        .map(|(i, (estimate, holm_p))| Effect {
            toggle: design.varying[i],
            estimate,
            interval: looks.interval(estimate, openings, Confidence::P95),
            holm_p,
            share_off: share(i, false),
            share_on: share(i, true),
        })
        .collect())
}

fn interactions(
    model: &Logistic,
    design: &Design,
    games: &[Observation],
    (looks, openings): (Looks, u64),
) -> Result<Vec<Interaction>, StatisticsError> {
    let count = design.varying.len();
    let pairs: Vec<(usize, usize)> =
        (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
    let estimates: Vec<Estimate> =
        pairs.iter().map(|&(a, b)| model.interaction(a as u32, b as u32)).collect();
    let p: Vec<f64> = estimates.iter().map(|of| looks.p_value(*of, openings)).collect();
    let rows = pairs.into_iter().zip(estimates).zip(benjamini_hochberg(&p)?);
    rows.map(|(((a, b), estimate), bh_p)| {
        let cell = |on: usize| {
            let wanted = [on & 2 != 0, on & 1 != 0];
            let is = |game: &Observation| [a, b].map(|toggle| game.toggles >> toggle & 1 == 1);
            let (drawn, all) = games
                .iter()
                .filter(|game| is(game) == wanted)
                .fold((0, 0), |(drawn, all), game| (drawn + u64::from(game.drawn), all + 1));
            Proportion::new(drawn, all)
        };
        Ok(Interaction {
            toggles: [design.varying[a], design.varying[b]],
            estimate,
            interval: looks.interval(estimate, openings, Confidence::P95),
            bh_p,
            cells: [cell(0)?, cell(1)?, cell(2)?, cell(3)?],
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Returns games in which castling lowers draws by 20 points and attacked-split has no effect.
    fn games(openings: u64) -> Vec<GameRow> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut rows = Vec::new();
        for opening in 0..openings {
            for castling in ["yes", "no"] {
                for split in ["yes", "no"] {
                    let text = format!("fusion-2020,castling={castling},attacked-split={split}");
                    let rules = text.parse::<fusion_chess::rules::RuleSet>().unwrap().to_string();
                    let chance = if castling == "yes" { 0.3 } else { 0.5 };
                    rows.push(test_row(&rules, 100, opening, rng.random_bool(chance)));
                }
            }
        }
        rows
    }

    #[test]
    fn effects_are_found_and_nothing_is_nothing() {
        let found = effects("x", &games(1_000), Looks::Any).unwrap();
        assert_eq!((found.games, found.openings, found.effects.len()), (4_000, 1_000, 2));
        let [split, castling] = &found.effects[..] else { panic!() };
        assert_eq!((split.toggle, castling.toggle), ("attacked-split", "castling"));
        assert!(castling.interval.contains(-0.2) && castling.holm_p < 0.001, "{castling:?}");
        assert!(split.interval.contains(0.0) && split.holm_p > 0.05, "{split:?}");
        // In a balanced design the average marginal effect is the difference of the shares.
        let plain = castling.share_on - castling.share_off;
        assert!((castling.estimate.value - plain).abs() < 1e-6, "{castling:?}");
        assert!(found.interactions[0].interval.contains(0.0));
        assert!(found.common.contains(&("fission", "yes".into())));
    }

    #[test]
    fn rule_sets_that_are_no_mixes_have_no_effects() {
        let mut rows = games(20);
        rows.retain(|row| row.rules != "fusion-2020");
        assert!(effects("x", &rows, Looks::Any).is_none());
        let presets: Vec<GameRow> = (0..40)
            .map(|i| test_row(["fusion-1999", "fusion-2020"][i % 2], 10, i as u64, i % 3 == 0))
            .collect();
        assert!(effects("x", &presets, Looks::Any).is_none());
    }
}
