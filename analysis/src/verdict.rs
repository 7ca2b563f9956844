//! The verdict on the primary comparison, by the protocol's decision rule.

use crate::arms::Arm;
use crate::format::{agent, count, percent, points, points_interval};
use crate::pairs::Pair;
use fusion_statistics::{Confidence, Interval};

/// The comparison the whole program is for, first minus second.
pub const DEFAULT_PRIMARY: (&str, &str) = ("fusion-2020", "fusion-1999");
/// A difference smaller than this is immaterial: three percentage points.
pub const MATERIAL: f64 = 0.03;
/// Share of failed games above which a run is void.
pub const MAX_ERRORS: f64 = 0.001;
/// Share of capped games above which the cap must be raised.
pub const MAX_CAPPED: f64 = 0.01;
/// Percentile intervals of smaller samples are too narrow to decide by.
pub const MIN_OPENINGS: u64 = 30;
/// Without any discordant opening the bootstrap interval has no width. By the rule of
/// three the discordance is below 3/n with 95% confidence, which is immaterial from
/// here on.
pub const MIN_OPENINGS_ALL_EQUAL: u64 = 100;

/// What the decision rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The 95% interval is below zero and the estimate at most −3 points.
    LessDrawish,
    /// The 95% interval is above zero and the estimate at least +3 points.
    MoreDrawish,
    /// The 90% interval lies inside ±3 points.
    NoMaterialChange,
    /// None of these.
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

    /// The decision in a word or two.
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

/// What a report says first.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The decision; `None` if the protocol does not allow one.
    pub decision: Option<Decision>,
    /// A word or two.
    pub headline: &'static str,
    /// The verdict in plain words, with agent, nodes and pool.
    pub sentence: String,
    /// What to know or do about it.
    pub remarks: Vec<String>,
    /// The comparison behind it, if the games hold it.
    pub pair: Option<Pair>,
}

/// Judges the primary comparison's pair at this budget.
///
/// `pool` is the hash of the opening pool, if known.
#[must_use]
pub fn judge(
    arms: &[Arm],
    pairs: &[Pair],
    primary: (&str, &str),
    nodes: u64,
    pool: Option<&str>,
) -> Verdict {
    let (first, second) = primary;
    let pair = pairs.iter().find(|pair| {
        (pair.nodes, pair.first.as_str(), pair.second.as_str()) == (nodes, first, second)
    });
    let Some(pair) = pair else {
        let sentence = format!(
            "There is no verdict, because the games do not hold the primary comparison: {}. Name another with --primary, or as primary in the study.",
            why_no_pair(arms, primary)
        );
        return refusal("No verdict", sentence, None);
    };
    if let Some(arm) = arms.iter().find(|arm| arm.error_share() > MAX_ERRORS) {
        let sentence = format!(
            "This run is void: {} of {} games of {} at {} nodes ended in an error ({}; at most 0.1% is allowed). Find the cause of the errors and measure again.",
            count(arm.errors),
            count(arm.games + arm.errors),
            arm.rules,
            count(arm.nodes),
            percent(arm.error_share()),
        );
        return refusal("Void", sentence, Some(pair));
    }
    let compared = compared_arms(arms, pair);
    if let Some(reason) = why_undecidable(&compared, pair) {
        let sentence = format!("There is no verdict: {reason}.");
        return refusal("No verdict", sentence, Some(pair));
    }
    let decision = Decision::by_rule(pair.difference, pair.bootstrap95, pair.bootstrap90);
    let network = compared.first().and_then(|arm| arm.networks.first()).map_or("", String::as_str);
    Verdict {
        decision: Some(decision),
        headline: decision.headline(),
        sentence: sentence(decision, pair, network, pool),
        remarks: remarks(decision, pair, &compared, arms),
        pair: Some(pair.clone()),
    }
}

fn refusal(headline: &'static str, sentence: String, pair: Option<&Pair>) -> Verdict {
    Verdict { decision: None, headline, sentence, remarks: Vec::new(), pair: pair.cloned() }
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

/// The pair's two arms, first one first.
fn compared_arms<'a>(arms: &'a [Arm], pair: &Pair) -> Vec<&'a Arm> {
    [&pair.first, &pair.second]
        .into_iter()
        .filter_map(|rules| arms.iter().find(|arm| arm.nodes == pair.nodes && arm.rules == *rules))
        .collect()
}

fn why_undecidable(compared: &[&Arm], pair: &Pair) -> Option<String> {
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
    if pair.first_only + pair.second_only == 0 && pair.openings < MIN_OPENINGS_ALL_EQUAL {
        return Some(format!(
            "{} and {} were drawn from the same {} openings, which leaves the interval without a width; at least {MIN_OPENINGS_ALL_EQUAL} openings are needed then",
            pair.first, pair.second, pair.openings
        ));
    }
    None
}

fn sentence(decision: Decision, pair: &Pair, network: &str, pool: Option<&str>) -> String {
    let Pair { first, second, .. } = pair;
    let pool = pool.map_or(String::new(), |hash| format!(" ({})", crate::format::short_hash(hash)));
    let under = format!(
        "Under this agent ({}), {} nodes a move and this pool of {} openings{pool}",
        agent(network),
        count(pair.nodes),
        count(pair.openings),
    );
    let shares = format!(
        "{} against {} of the games",
        percent(pair.first_share.share()),
        percent(pair.second_share.share())
    );
    let difference = points(pair.difference);
    let at95 = points_interval(pair.bootstrap95);
    let at90 = points_interval(pair.bootstrap90);
    match decision {
        Decision::LessDrawish => format!(
            "{under}, {first} is drawn less often than {second}: {shares}, a difference of {difference} percentage points (95% interval {at95})."
        ),
        Decision::MoreDrawish => format!(
            "{under}, {first} is drawn more often than {second}: {shares}, a difference of {difference} percentage points (95% interval {at95})."
        ),
        Decision::NoMaterialChange => format!(
            "{under}, {first} and {second} are drawn about equally often: {shares}, a difference of {difference} percentage points whose 90% interval, {at90}, lies inside ±3 points (95% interval {at95})."
        ),
        Decision::Inconclusive => format!(
            "{under}, these games do not settle whether {first} is drawn less often than {second}: {shares}, a difference of {difference} percentage points (95% interval {at95}, 90% interval {at90})."
        ),
    }
}

fn remarks(decision: Decision, pair: &Pair, compared: &[&Arm], arms: &[Arm]) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(arm) = arms.iter().find(|arm| arm.capped_share() > MAX_CAPPED) {
        remarks.push(format!(
            "Provisional: {} of the games of {} at {} nodes met the ply cap, more than the 1% allowed. Raise the cap and measure again.",
            percent(arm.capped_share()),
            arm.rules,
            count(arm.nodes)
        ));
    }
    if decision == Decision::Inconclusive {
        remarks.push(why_inconclusive(pair));
    }
    if let Some(remark) = white_scores(compared) {
        remarks.push(remark);
    }
    if compared.iter().any(|arm| arm.capped > 0) {
        remarks.push(format!(
            "Capped games count as not drawn. Had each ended one way or the other, the difference would lie between {} points.",
            points_interval(pair.cap_bounds).replace(" to ", " and ")
        ));
    }
    remarks
}

fn why_inconclusive(pair: &Pair) -> String {
    let excludes_zero = pair.bootstrap95.high < 0.0 || pair.bootstrap95.low > 0.0;
    let mut text = if excludes_zero {
        "There is a difference, but it is smaller than the 3 points that the protocol calls material, and its 90% interval does not stay inside ±3.".to_owned()
    } else {
        "The 95% interval includes zero, and the 90% interval reaches beyond ±3 points.".to_owned()
    };
    let needed = (Confidence::P95.z() * pair.deviation / MATERIAL).powi(2).ceil();
    if needed > pair.openings as f64 {
        text.push_str(&format!(
            " About {} openings would narrow the 95% interval to ±3 points.",
            count(needed as u64)
        ));
    }
    text
}

fn white_scores(compared: &[&Arm]) -> Option<String> {
    let scores: Vec<String> = compared
        .iter()
        .filter_map(|arm| {
            let score = arm.white_score?;
            Some(format!(
                "{} in {} (95% interval {})",
                percent(score.value),
                arm.rules,
                crate::format::percent_interval(score.interval)
            ))
        })
        .collect();
    let [first, second] = compared.iter().filter_map(|arm| arm.white_score).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let apart =
        first.interval.high < second.interval.low || second.interval.high < first.interval.low;
    let meaning = if apart {
        "White's edge differs too, so that draws may have become wins of one side: judge the two together."
    } else {
        "No difference in White's edge is seen, so that draws have not become wins of one side."
    };
    Some(format!("White scored {} and {}. {meaning}", scores[0], scores[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    #[test]
    fn the_rule_at_its_edges() {
        use Decision::*;
        for (difference, i95, i90, expected) in [
            (-0.03, (-0.05, -0.01), (-0.045, -0.015), LessDrawish),
            (-0.0299, (-0.05, -0.01), (-0.045, -0.015), Inconclusive),
            (-0.10, (-0.20, 0.0), (-0.19, -0.01), Inconclusive),
            (0.03, (0.01, 0.05), (0.015, 0.045), MoreDrawish),
            (0.10, (-0.001, 0.2), (0.01, 0.19), Inconclusive),
            (0.0, (-0.031, 0.031), (-0.029, 0.029), NoMaterialChange),
            (0.0, (-0.04, 0.04), (-0.03, 0.03), Inconclusive),
            (-0.01, (-0.018, -0.002), (-0.017, -0.003), NoMaterialChange),
            (0.0, (0.0, 0.0), (0.0, 0.0), NoMaterialChange),
        ] {
            let decision =
                Decision::by_rule(difference, interval(i95.0, i95.1), interval(i90.0, i90.1));
            assert_eq!(decision, expected, "{difference} {i95:?} {i90:?}");
        }
    }
}
