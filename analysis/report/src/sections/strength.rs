//! Strength of the agent: matches, and the reliability of the search's forecasts.

use super::*;
use crate::figures::reliability::{outcomes, reliability};
use fusion_print::format::{capitalised, percent, signed};
use fusion_results::calibration::{Calibration, in_words};
use fusion_results::names::{agent, short_hash};
use fusion_runner::matches::{MatchReport, PlayerName, RulesScore};
use fusion_statistics::Confidence;
use fusion_statistics::elo::Estimate;
use fusion_statistics::reliability::{Bin, Reliability};

/// Forecasts of about the same chance, of one outcome under one rule set or under all rule sets.
type BinOf<'a> = (&'a Calibration, &'static str, &'a Bin);

fn bin_fields<'a>() -> Fields<'static, BinOf<'a>> {
    Fields::<BinOf>::default()
        .text("rules", "Rule set", |(of, _, _)| name(of))
        .text("outcome", "Outcome", |(_, outcome, _)| *outcome)
        .count("positions", "Positions", |(_, _, bin)| bin.happened.trials())
        .share("predicted", "Predicted", |(_, _, bin)| bin.predicted)
        .share("observed", "Observed", |(_, _, bin)| bin.happened.share())
        .interval("observed95", "95% interval", Share, |(_, _, bin)| bin.interval)
}

pub(super) fn file(report: &Report) -> Table {
    let items = report.calibration.iter().flat_map(|of| {
        let outcomes = [("draw", &of.draws), ("white-wins", &of.wins)].into_iter();
        outcomes.flat_map(move |(name, all)| all.bins.iter().map(move |bin| (of, name, bin)))
    });
    bin_fields().whole_table("reliability", "Forecasts and outcomes", items)
}

fn data(of: &Calibration) -> Data {
    let outcomes = outcomes(of).into_iter();
    let items = outcomes.flat_map(|(name, bins)| bins.iter().map(move |bin| (of, name, bin)));
    let keys = "outcome predicted observed observed95 positions";
    let header = keys.replace("observed95", "low95 high95");
    Data::of(&bin_fields().table("reliability", "", keys, items), &header)
}

fn name(of: &Calibration) -> String {
    of.rules.clone().unwrap_or_else(|| "all".into())
}

/// Forecasts of one outcome, uncorrected and corrected.
type Forecasts = fn(&Calibration) -> (&Reliability, Option<&Reliability>);

fn forecasts(report: &Report) -> Option<Table> {
    let mut fields = Fields::<Calibration>::default().text("rules", "Rule set", name);
    let outcomes: [(&str, &str, Forecasts); 2] = [
        ("draws", "Draws: error, points", |of| (&of.draws, of.corrected_draws.as_ref())),
        ("wins", "White’s wins: error, points", |of| (&of.wins, of.corrected_wins.as_ref())),
    ];
    for (key, error, of) in outcomes {
        let key = |name: &str| format!("{key}_{name}");
        fields = fields
            .value(&key("error"), error, Decimals(1), move |all| {
                100.0 * of(all).0.calibration_error
            })
            .value(&key("corrected"), "Corrected", Decimals(1), move |all| {
                of(all).1.map(|corrected| 100.0 * corrected.calibration_error)
            })
            .value(&key("brier"), "Brier score", Decimals(3), move |all| of(all).0.brier)
            .estimate(&key("slope"), "Slope", Decimals(2), move |all| {
                let slope = of(all).0.recalibration.as_ref()?.slope;
                Some((slope.value, slope.interval(Confidence::P95)))
            });
    }
    let title = "Forecasts by rule set: one position of each game";
    fields.whole_table("forecasts", title, &report.calibration).unless_empty()
}

/// A match under one rule set.
type Match<'a> = (&'a MatchReport, &'a RulesScore);

fn matches(report: &Report) -> Option<Table> {
    let main = report.run.strength.iter();
    let all = main.chain(report.run.matches.iter().map(|(_, result)| result));
    let items = all.flat_map(|result| result.per_rules.iter().map(move |rules| (result, rules)));
    Fields::<Match>::default()
        .text("first", "First player", |(result, _)| player(&result.first, ", "))
        .text("second", "Second player", |(result, _)| player(&result.second, ", "))
        .text("rules", "Rule set", |(_, rules)| rules.rules.clone())
        .count("games", "Games", |(_, rules)| rules.score.games)
        .share("score", "Score", |(_, rules)| rules.score.estimate.map(|of| of.score))
        .value("elo", "Elo", Elo, |(_, rules)| rules.score.estimate.and_then(|of| of.elo))
        .text("elo95", "95% interval", |(_, rules)| limits(rules.score.estimate))
        .whole_table("matches", "Matches by rule set", items)
        .unless_empty()
}

/// Returns the limits of a match's Elo difference. A score of 100% has only a lower limit.
fn limits(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| "–".into(), |of| Elo.format_interval(of.interval()))
}

fn player(player: &PlayerName, before_nodes: &str) -> String {
    let nodes = player.nodes.map(|nodes| format!("{before_nodes}{} nodes", count(nodes.into())));
    agent(&player.network) + &nodes.unwrap_or_default()
}

fn sentence(strength: &MatchReport) -> String {
    format!(
        "{} scored {} against {} over {} games.",
        capitalised(&player(&strength.first, " at ")),
        strength.total.estimate.map_or_else(|| "–".into(), |of| percent(of.score)),
        player(&strength.second, " at "),
        count(strength.total.games),
    )
}

/// Returns the results of the main match, by name.
fn main_match(strength: &MatchReport) -> [(&'static str, String); 4] {
    let total = &strength.total;
    let limits = limits(total.estimate);
    let difference = match total.estimate {
        Some(Estimate { elo: Some(elo), .. }) => {
            format!("{} (95% interval {limits})", signed(elo, 0))
        }
        Some(Estimate { score, .. }) if score >= 0.5 => format!("{limits}: everything was won"),
        Some(_) => format!("{limits}: everything was lost"),
        None => limits,
    };
    let [wins, draws, losses, capped] =
        [total.wins, total.draws, total.losses, total.capped].map(count);
    let counts = match total.capped {
        0 => format!("{wins}, {draws}, {losses}"),
        _ => format!("{wins}, {draws}, {losses}; {capped} capped, half a point for each player"),
    };
    let [first, second] = [&strength.first, &strength.second].map(|of| short_hash(&of.network));
    [
        ("Wins, draws, losses", counts),
        ("Elo difference", difference),
        ("Rule sets", strength.rules.join("; ")),
        ("Networks", format!("{first} against {second}")),
    ]
}

const NO_MATCH: &str = "<p>The run holds no match (<code>strength.json</code>), so nothing here shows how strong the agent is. A draw rate among weak players may differ from one among strong ones.</p>";

pub(super) fn page(report: &Report) -> Section {
    let section = Section::new("strength", "Strength", "Strength of the agent").folded();
    let section = match &report.run.strength {
        Some(of) => {
            section.with([Block::Paragraph(sentence(of)), settings::pairs(&main_match(of))])
        }
        None => section.with([Block::Markup(NO_MATCH)]),
    };
    section
        .with(matches(report).map(Block::Table))
        .with(report.calibration.first().into_iter().flat_map(|of| reliability_blocks(report, of)))
}

fn reliability_blocks(report: &Report, of: &Calibration) -> Vec<Block> {
    const CAPTION: &str = "Across: what the search expected of a position; up: how often it happened, with Wilson’s 95% interval. On the dashed line, expectations come true. Corrected: each half of the games by isotonic regression on the other half. Below: the number of positions, one of each game.";
    const COLUMNS: &str = "Error: mean distance of forecast and outcome; corrected: by isotonic regression on the other half of the games. Slope: of the line that would set the forecasts right; below 1 they are too bold, above it too timid.";
    let heading = "Do the forecasts of the search come true?";
    let figure = Figure::new("reliability", reliability(of), CAPTION.into(), data(of));
    let figure = Figure { full: true, ..figure };
    let mut blocks = vec![Block::Subheading("reliability", heading.into()), Block::Figure(figure)];
    blocks.extend(in_words(&report.calibration).map(Block::Paragraph));
    blocks.extend(forecasts(report).map(|table| {
        let table = vec![Block::Table(table), Block::Fine(COLUMNS.into())];
        Block::Folded("By rule set".into(), table)
    }));
    blocks
}
