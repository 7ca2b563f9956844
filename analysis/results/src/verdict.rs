//! The verdict by the protocol's decision rule.
//!
//! It is on the primary comparison or, in a study without one, on the effects of its rule changes.

pub mod effects;
pub mod more_games;
pub mod order;

use crate::arms::Arm;
use crate::names::{agent, short_hash};
use crate::pairs::Pair;
use crate::white::{self, Edge};
use fusion_print::format::{
    count, counted, fixed, percent, points_between, points_interval, whole_percent,
};
use fusion_statistics::evalue::Looks;
use fusion_statistics::power::Power;
use fusion_statistics::{Confidence, Interval};
use more_games::Openings;

/// The default primary comparison, first minus second.
pub const DEFAULT_PRIMARY: (&str, &str) = ("fusion-2020", "fusion-1999");
/// Smallest material difference: three percentage points.
pub const MATERIAL: f64 = 0.03;
/// Share of failed games above which a run is void.
pub const MAX_ERRORS: f64 = 0.001;
/// Share of capped games above which the cap must be raised.
pub const MAX_CAPPED: f64 = 0.01;
/// Smallest number of openings for a decision. Percentile intervals of smaller samples are too
/// narrow.
pub const MIN_OPENINGS: u64 = 30;
/// Smallest number of openings for a decision if no opening is discordant.
///
/// The bootstrap interval then has no width. By the rule of three the discordance is below 3/n with
/// 95% confidence, which is immaterial from this number on.
pub const MIN_OPENINGS_ALL_EQUAL: u64 = 100;

/// Decision of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The 95% interval is below zero and the estimate at most −3 points.
    LessDrawish,
    /// The 95% interval is above zero and the estimate at least +3 points.
    MoreDrawish,
    /// The 90% interval lies within ±3 points.
    NoMaterialChange,
    /// No other decision applies.
    Inconclusive,
}

impl Decision {
    /// Applies the rule to a difference with its two intervals.
    #[must_use]
    pub fn by_rule(difference: f64, interval95: Interval, interval90: Interval) -> Self {
        if interval95.high < 0.0 && difference <= -MATERIAL {
            Decision::LessDrawish
        } else if interval95.low > 0.0 && difference >= MATERIAL {
            Decision::MoreDrawish
        } else if interval90.low > -MATERIAL && interval90.high < MATERIAL {
            Decision::NoMaterialChange
        } else {
            Decision::Inconclusive
        }
    }

    /// Returns the decision in one or a few words.
    #[must_use]
    pub fn headline(self) -> &'static str {
        match self {
            Decision::LessDrawish => "Less drawish",
            Decision::MoreDrawish => "More drawish",
            Decision::NoMaterialChange => "No material change",
            Decision::Inconclusive => "Inconclusive",
        }
    }
}

/// The verdict of a report.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The decision. `None` if the protocol does not allow one, or if the effects have both signs.
    pub decision: Option<Decision>,
    /// The verdict in a few words.
    pub headline: String,
    /// The verdict in one sentence, with agent, nodes and pool.
    pub sentence: String,
    /// Only threats to the verdict, and what would settle it.
    pub remarks: Vec<String>,
    /// The comparison that is judged, if the games have it.
    pub pair: Option<Pair>,
    /// Whether the rule was applied, which the protocol may not allow.
    pub judged: bool,
}

/// The data common to all verdicts.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The arms of the main measurement.
    pub arms: &'a [Arm],
    /// The node budget that is judged.
    pub nodes: u64,
    /// Hash of the opening pool, if known.
    pub pool: Option<&'a str>,
    /// Whether the number of openings may depend on the results.
    pub looks: Looks,
}

impl Evidence<'_> {
    /// Returns the verdict on a run with too many failed games.
    fn void(&self) -> Option<Verdict> {
        let arm = self.arms.iter().find(|arm| arm.error_share() > MAX_ERRORS)?;
        let sentence = format!(
            "This run is void: {} of {} games of {} at {} nodes ended in an error ({}; at most 0.1% is allowed). Find the cause of the errors and measure again.",
            count(arm.errors),
            count(arm.games + arm.errors),
            arm.rules,
            count(arm.nodes),
            percent(arm.error_share()),
        );
        Some(undecided("Void", sentence, None))
    }

    /// Returns whether the games are of one agent, and few of them failed.
    pub fn is_sound(&self) -> bool {
        self.void().is_none() && self.networks().len() == 1
    }

    /// Returns the remark on a run with too many capped games.
    fn provisional(&self) -> Option<String> {
        let arm = self.arms.iter().find(|arm| arm.capped_share() > MAX_CAPPED)?;
        Some(format!(
            "Provisional: {} of the games of {} at {} nodes met the cap, more than the 1% allowed. Raise the cap and measure again.",
            percent(arm.capped_share()),
            arm.rules,
            count(arm.nodes)
        ))
    }

    /// Returns the agents at the budget that is judged.
    fn networks(&self) -> Vec<&str> {
        let arms = self.arms.iter().filter(|arm| arm.nodes == self.nodes);
        let mut networks: Vec<&str> =
            arms.flat_map(|arm| &arm.networks).map(String::as_str).collect();
        networks.sort_unstable();
        networks.dedup();
        networks
    }

    /// Formats the conditions, as in `Under this agent (…), 400 nodes a move and this pool of 1,000
    /// openings (…)`.
    fn under(&self, openings: u64, nodes: u64) -> String {
        let network = self.networks().first().copied().unwrap_or_default();
        let pool = self.pool.map_or(String::new(), |hash| format!(" ({})", short_hash(hash)));
        format!(
            "Under this agent ({}), {} nodes a move and this pool of {} openings{pool}",
            agent(network),
            count(nodes),
            count(openings),
        )
    }
}

/// The data of the primary comparison that the games have.
#[derive(Clone, Copy, Debug)]
pub struct Primary<'a> {
    /// The rule sets, first minus second.
    pub names: (&'a str, &'a str),
    /// Comparison of the rule sets at the budget that is judged.
    pub pair: Option<&'a Pair>,
    /// White's score under the first rule set minus that under the second.
    pub white: Option<Edge>,
}

/// Judges the primary comparison.
#[must_use]
pub fn judge(evidence: &Evidence, primary: &Primary, more: Openings) -> Verdict {
    let Some(pair) = primary.pair else {
        let sentence = format!(
            "There is no verdict, because the games do not hold the primary comparison: {}. Name another with --primary, or as primary in the study.",
            why_no_pair(evidence.arms, primary.names)
        );
        return undecided("No verdict", sentence, None);
    };
    if let Some(void) = evidence.void() {
        return Verdict { pair: Some(pair.clone()), ..void };
    }
    let compared = compared_arms(evidence.arms, pair);
    if let Some(reason) = why_undecidable(&compared, pair, evidence.looks) {
        let sentence = format!("There is no verdict: {reason}.");
        return undecided("No verdict", sentence, Some(pair));
    }
    let decision = Decision::by_rule(pair.difference, pair.interval95, pair.interval90);
    Verdict {
        decision: Some(decision),
        headline: decision.headline().to_owned(),
        sentence: sentence(decision, pair, evidence),
        remarks: remarks(decision, pair, primary, evidence, more),
        pair: Some(pair.clone()),
        judged: true,
    }
}

/// Returns the verdict on a run without a primary comparison, mixes of toggles or single changes: what a game is
/// like, if there is one rule set.
#[must_use]
pub fn no_question(arms: &[&Arm]) -> Verdict {
    if let [arm] = arms {
        return one_rule_set(arm);
    }
    let sentence = format!(
        "There is no verdict, because the study compares {} rule sets and names no two of them: name a comparison with --primary A B, or as primary under [measure] in the study.",
        arms.len()
    );
    undecided("No verdict", sentence, None)
}

/// Says how drawish and long the games under the only rule set are, and what White scores.
fn one_rule_set(arm: &Arm) -> Verdict {
    let interval =
        |of: Interval| format!("95% interval {} to {}", percent(of.low), percent(of.high));
    let draws = percent(arm.draw_share.share());
    let by = match &arm.networks[..] {
        [network] => format!(" by {}", agent(network)),
        _ => String::new(),
    };
    let mut sentence = format!(
        "Of {} under {}{by} at {} nodes a move, {draws} were drawn ({}).",
        counted(arm.games, "game"),
        arm.rules,
        count(arm.nodes),
        interval(arm.draw_wilson),
    );
    if let Some(score) = &arm.white_score {
        let of = format!(" White scored {} ({}).", percent(score.value), interval(score.interval));
        sentence.push_str(&of);
    }
    let [_, low, median, high, _] = arm.length.quartiles.map(f64::round);
    sentence.push_str(&format!(
        " The median game lasted {median} plies, the middle half {low} to {high}."
    ));
    undecided(&format!("{draws} drawn"), sentence, None)
}

fn undecided(headline: &str, sentence: String, pair: Option<&Pair>) -> Verdict {
    let headline = headline.to_owned();
    let (remarks, pair) = (Vec::new(), pair.cloned());
    Verdict { decision: None, headline, sentence, remarks, pair, judged: false }
}

fn why_no_pair(arms: &[Arm], (first, second): (&str, &str)) -> String {
    let has = |name: &str| arms.iter().any(|arm| arm.rules == name);
    match (has(first), has(second)) {
        (false, false) => format!("neither {first} nor {second} was played"),
        (false, true) => format!("{first} was not played"),
        (true, false) => format!("{second} was not played"),
        (true, true) => {
            format!("{first} and {second} share no opening at the same number of nodes")
        }
    }
}

/// Returns the two arms of a pair, first and second.
fn compared_arms<'a>(arms: &'a [Arm], pair: &Pair) -> Vec<&'a Arm> {
    [&pair.first, &pair.second]
        .into_iter()
        .filter_map(|rules| arms.iter().find(|arm| arm.nodes == pair.nodes && arm.rules == *rules))
        .collect()
}

fn why_undecidable(compared: &[&Arm], pair: &Pair, looks: Looks) -> Option<String> {
    let mut networks: Vec<&String> = compared.iter().flat_map(|arm| &arm.networks).collect();
    networks.sort();
    networks.dedup();
    if networks.len() != 1 {
        return Some(format!(
            "the games of {} and {} come from {} networks, and the comparison needs one agent for both",
            pair.first,
            pair.second,
            networks.len()
        ));
    }
    if pair.openings < MIN_OPENINGS {
        return Some(format!(
            "{} and {} share {} openings, and the interval needs at least {MIN_OPENINGS}",
            pair.first, pair.second, pair.openings
        ));
    }
    let alike = pair.first_only + pair.second_only == 0;
    if looks == Looks::Once && alike && pair.openings < MIN_OPENINGS_ALL_EQUAL {
        return Some(format!(
            "{} and {} were drawn from the same {} openings, which leaves the interval without a width; at least {MIN_OPENINGS_ALL_EQUAL} openings are needed then",
            pair.first, pair.second, pair.openings
        ));
    }
    None
}

/// Returns whether the 95% interval of the difference excludes 0.
fn excludes_zero(pair: &Pair) -> bool {
    !pair.interval95.contains(0.0)
}

fn sentence(decision: Decision, pair: &Pair, evidence: &Evidence) -> String {
    let under = evidence.under(pair.openings, pair.nodes);
    let Pair { first, second, .. } = pair;
    let numbers = format!(
        "{} against {} of the games, a difference of {} ({}95% interval {}",
        percent(pair.first_share.share()),
        percent(pair.second_share.share()),
        points_between(
            pair.first_share.share(),
            pair.second_share.share(),
            pair.difference,
            "percentage points"
        ),
        if evidence.looks == Looks::Any { "anytime-valid " } else { "" },
        points_interval(pair.interval95),
    );
    let at90 = points_interval(pair.interval90);
    let how = if pair.difference < 0.0 { "less often" } else { "more often" };
    match decision {
        Decision::LessDrawish | Decision::MoreDrawish => {
            format!("{under}, {first} is drawn {how} than {second}: {numbers}).")
        }
        Decision::NoMaterialChange => format!(
            "{under}, {first} is drawn about as often as {second}, within 3 points either way: {numbers}; 90% interval {at90})."
        ),
        Decision::Inconclusive if excludes_zero(pair) => format!(
            "{under}, {first} is drawn {how} than {second}, but these games do not settle whether by 3 points or more: {numbers}; 90% interval {at90})."
        ),
        Decision::Inconclusive => format!(
            "{under}, these games do not settle whether {first} is drawn less often than {second}: {numbers}; 90% interval {at90})."
        ),
    }
}

fn remarks(
    decision: Decision,
    pair: &Pair,
    primary: &Primary,
    evidence: &Evidence,
    more: Openings,
) -> Vec<String> {
    let mut remarks: Vec<String> = evidence.provisional().into_iter().collect();
    if decision == Decision::Inconclusive {
        let variance = pair.deviation.powi(2);
        remarks.extend(more.advice(variance, pair.openings, (Confidence::P90, evidence.looks)));
    }
    if matches!(decision, Decision::Inconclusive | Decision::NoMaterialChange) {
        remarks.extend(detectable(pair, evidence.looks));
    }
    if let Some(white) = primary.white.filter(Edge::is_shown) {
        remarks.push(white::in_words(&white, &pair.first, &pair.second));
    }
    if caps_may_change(decision, pair) {
        remarks.push(format!(
            "Capped games count as not drawn, and could change the verdict: had each ended one way or the other, the difference would lie between {} points.",
            points_interval(pair.cap_bounds).replace(" to ", " and ")
        ));
    }
    remarks
}

/// Says which difference these openings find with the default power.
fn detectable(pair: &Pair, looks: Looks) -> Option<String> {
    let power = Power { looks, ..Power::default() };
    let discordance = (pair.first_only + pair.second_only) as f64 / pair.openings as f64;
    let least = power.detectable(pair.openings, discordance).ok()??;
    Some(format!(
        "A difference of {} points is found in {} of such studies.",
        fixed(100.0 * least, 1),
        whole_percent(power.power)
    ))
}

/// Returns whether other results of the capped games could change the decision.
fn caps_may_change(decision: Decision, pair: &Pair) -> bool {
    let at = |difference: f64| {
        let shifted = |interval: Interval| interval.map(1.0, difference - pair.difference);
        Decision::by_rule(difference, shifted(pair.interval95), shifted(pair.interval90))
    };
    let Interval { low, high } = pair.cap_bounds;
    (low < pair.difference && at(low) != decision)
        || (high > pair.difference && at(high) != decision)
}

#[cfg(test)]
#[path = "verdict/tests.rs"]
mod tests;
#[cfg(test)]
#[path = "verdict/workflow_tests.rs"]
mod workflow_tests;
