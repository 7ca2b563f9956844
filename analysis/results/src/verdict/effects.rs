//! The verdict of a study that changes rules one at a time or in all their mixes: their effects.

use super::more_games::Openings;
use super::{
    Decision, Evidence, MATERIAL, MIN_OPENINGS, MIN_OPENINGS_ALL_EQUAL, Verdict, undecided,
};
use crate::ablations::Ablations;
use crate::toggles::Toggles;
use crate::white::{self, Edge};
use fusion_print::format::{count, listed, p_value, points, points_interval};
use fusion_statistics::estimate::Estimate;
use fusion_statistics::evalue::Looks;
use fusion_statistics::{Confidence, Interval};

/// Significance level of adjusted p-values.
const ALPHA: f64 = 0.05;
/// Largest number of unsettled effects that are named. Of more, only the number is given.
const FEW: usize = 4;
/// Largest number of shown effects with all their numbers. Of the others there are the names and the range.
const LARGEST: usize = 3;

/// The effect of one change of the rules on draws.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The change: `castling`, or `castling=no` if it is changed on its own.
    pub name: String,
    /// Change of the chance of a draw, with its standard error.
    pub estimate: Estimate,
    /// 95% interval of the change.
    pub interval: Interval,
    /// Interval at the level of `joint_level`, which can state no material change.
    pub joint: Interval,
    /// p-value, adjusted for the number of effects.
    pub p: f64,
    /// White's score with the change minus that without.
    pub white: Option<Edge>,
}

/// All effects of a measurement.
#[derive(Clone, Debug)]
pub struct Effects {
    /// The effects.
    pub list: Vec<Effect>,
    /// Number of openings behind each effect.
    pub openings: u64,
    /// Nodes per move.
    pub nodes: u64,
    /// The base of the effects, such as `averaged over all mixes of the other rules`.
    pub of: String,
    /// Whether the number of openings may depend on the results.
    pub looks: Looks,
}

/// Returns the level at which the intervals of this number of effects together state no material change with an error of
/// 5%.
fn joint_level(effects: usize) -> Confidence {
    let level = 1.0 - 2.0 * ALPHA / effects.max(1) as f64;
    Confidence::new(level).unwrap_or(Confidence::P90)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Fewer,
    More,
    Immaterial,
    Open,
}

impl Effects {
    /// Converts the effects of toggles in all their mixes.
    #[must_use]
    pub fn of_toggles(toggles: &Toggles, looks: Looks) -> Self {
        let level = joint_level(toggles.effects.len());
        let effect = |effect: &crate::toggles::Effect| Effect {
            name: effect.toggle.to_owned(),
            estimate: effect.estimate,
            interval: effect.interval,
            joint: looks.interval(effect.estimate, toggles.openings, level),
            p: effect.holm_p,
            white: None,
        };
        Self {
            list: toggles.effects.iter().map(effect).collect(),
            openings: toggles.openings,
            nodes: toggles.nodes,
            of: "on average over all mixes of the other rules".to_owned(),
            looks,
        }
    }

    /// Converts the effects of toggles changed one at a time.
    #[must_use]
    pub fn of_changes(ablations: &Ablations, looks: Looks) -> Self {
        let level = joint_level(ablations.changes.len());
        let effect = |change: &crate::ablations::Change| Effect {
            name: change.text.clone(),
            estimate: Estimate { value: change.pair.difference, error: change.pair.error() },
            interval: change.pair.interval95,
            joint: change.pair.interval(looks, level),
            p: change.holm_p,
            white: change.white,
        };
        let openings = ablations.changes.iter().map(|change| change.pair.openings).min();
        Self {
            list: ablations.changes.iter().map(effect).collect(),
            openings: openings.unwrap_or_default(),
            nodes: ablations.nodes,
            of: format!("each changed by itself in {}", ablations.base),
            looks,
        }
    }

    fn outcome(&self, effect: &Effect) -> Outcome {
        let Estimate { value, error } = effect.estimate;
        let shown = effect.p < ALPHA && !effect.interval.contains(0.0);
        let Interval { low, high } = effect.joint;
        let within = low > -MATERIAL && high < MATERIAL;
        let enough = error > 0.0 || self.openings >= MIN_OPENINGS_ALL_EQUAL;
        match value {
            value if shown && value <= -MATERIAL => Outcome::Fewer,
            value if shown && value >= MATERIAL => Outcome::More,
            _ if within && enough => Outcome::Immaterial,
            _ => Outcome::Open,
        }
    }

    /// Returns the effects with these outcomes, the largest first.
    fn with(&self, wanted: &[Outcome]) -> Vec<&Effect> {
        let is_wanted = |effect: &&Effect| wanted.contains(&self.outcome(effect));
        let mut found: Vec<&Effect> = self.list.iter().filter(is_wanted).collect();
        found.sort_by(|a, b| b.estimate.value.abs().total_cmp(&a.estimate.value.abs()));
        found
    }
}

/// Judges all effects at once.
///
/// An effect with an adjusted p below 5% and an estimate of at least 3 points changes draws. An
/// effect whose simultaneous interval lies within ±3 points does not change them materially. The
/// other effects are not settled by these games.
#[must_use]
pub fn judge(evidence: &Evidence, effects: &Effects, more: Openings) -> Verdict {
    if let Some(void) = evidence.void() {
        return void;
    }
    let networks = evidence.networks();
    if networks.len() != 1 {
        let sentence = format!(
            "There is no verdict: the games come from {} networks, and the comparison needs one agent for all.",
            networks.len()
        );
        return undecided("No verdict", sentence, None);
    }
    if effects.openings < MIN_OPENINGS {
        let sentence = format!(
            "There is no verdict: the rule sets share {} openings, and the intervals need at least {MIN_OPENINGS}.",
            effects.openings
        );
        return undecided("No verdict", sentence, None);
    }
    let decision = decision(effects);
    Verdict {
        decision,
        headline: headline(effects, decision),
        sentence: format!(
            "{}, {}{}: {}.",
            evidence.under(effects.openings, effects.nodes),
            effects.of,
            if effects.looks == Looks::Any { " (anytime-valid intervals)" } else { "" },
            in_words(effects)
        ),
        remarks: remarks(evidence, effects, more),
        pair: None,
        judged: true,
    }
}

/// Returns the common decision. Returns `None` if some changes lower draws and others raise them.
fn decision(effects: &Effects) -> Option<Decision> {
    let has = |outcome: Outcome| !effects.with(&[outcome]).is_empty();
    match (has(Outcome::Fewer), has(Outcome::More), has(Outcome::Open)) {
        (true, true, _) => None,
        (true, false, _) => Some(Decision::LessDrawish),
        (false, true, _) => Some(Decision::MoreDrawish),
        (false, false, true) => Some(Decision::Inconclusive),
        (false, false, false) => Some(Decision::NoMaterialChange),
    }
}

fn headline(effects: &Effects, decision: Option<Decision>) -> String {
    let shown = effects.with(&[Outcome::Fewer, Outcome::More]);
    let direction = match decision {
        Some(Decision::LessDrawish) => "Fewer draws",
        Some(Decision::MoreDrawish) => "More draws",
        Some(same_or_open) => return same_or_open.headline().to_owned(),
        None => "",
    };
    match shown[..] {
        [one] => format!("{direction} with {}", one.name),
        [one, two] if decision.is_some() => {
            format!("{direction} with {} and {}", one.name, two.name)
        }
        [largest, ..] => {
            let how = if largest.estimate.value < 0.0 { "lowers" } else { "raises" };
            format!(
                "{} {how} draws most; {} of {} rule changes affect them",
                largest.name,
                shown.len(),
                effects.list.len()
            )
        }
        [] => direction.to_owned(),
    }
}

/// Describes the effects that are shown, those that are shown to be small, and the others.
fn in_words(effects: &Effects) -> String {
    let brief = |effect: &&Effect| {
        format!(
            "{} ({}, 95% interval {})",
            effect.name,
            points(effect.estimate.value),
            points_interval(effect.interval)
        )
    };
    let some = |list: &[&Effect], of: &str| match list {
        [] => None,
        few if few.len() <= FEW => Some(few.iter().map(brief).collect::<Vec<_>>().join(", ")),
        many => Some(format!("{} {of}", count(many.len() as u64))),
    };
    let whole = |effect: &&Effect| {
        format!(
            "{} changes draws by {} percentage points (95% interval {}, adjusted p {})",
            effect.name,
            points(effect.estimate.value),
            points_interval(effect.interval),
            p_value(effect.p).replace('<', "below ")
        )
    };
    let all = effects.with(&[Outcome::Fewer, Outcome::More]);
    let (largest, smaller) = all.split_at(all.len().min(LARGEST));
    let mut shown: Vec<String> = largest.iter().map(whole).collect();
    if !smaller.is_empty() {
        let each =
            |effect: &&Effect| format!("{} ({})", effect.name, points(effect.estimate.value));
        let names: Vec<String> = smaller.iter().map(each).collect();
        shown.push(format!("less by {}", listed(&names)));
    }
    let small = some(&effects.with(&[Outcome::Immaterial]), "of the changes");
    let small =
        small.map(|names| format!("draws change by less than 3 points either way with {names}"));
    let open = some(&effects.with(&[Outcome::Open]), "of the changes");
    let open = open.map(|names| {
        format!("these games do not settle whether draws change by 3 points or more with {names}")
    });
    shown.into_iter().chain(small).chain(open).collect::<Vec<_>>().join("; ")
}

fn remarks(evidence: &Evidence, effects: &Effects, more: Openings) -> Vec<String> {
    let mut remarks: Vec<String> = evidence.provisional().into_iter().collect();
    let open = effects.with(&[Outcome::Open]);
    let error = open.iter().map(|effect| effect.estimate.error).fold(0.0, f64::max);
    let (played, looks) = (effects.openings, effects.looks);
    let together = joint_level(effects.list.len());
    remarks.extend(more.advice(error.powi(2) * played as f64, played, (together, looks)));
    let shown = effects.with(&[Outcome::Fewer, Outcome::More]);
    let white = |effect: &&Effect| {
        let of = effect.white.filter(Edge::is_shown)?;
        Some(white::in_words(&of, &format!("games with {}", effect.name), "those without"))
    };
    remarks.extend(shown.iter().filter_map(white));
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::means::Difference;

    fn effects(list: &[(&str, f64, f64)], openings: u64) -> Effects {
        let effect = |&(name, value, error): &(&str, f64, f64)| {
            let estimate = Estimate { value, error };
            let p = (estimate.p_value() * list.len() as f64).min(1.0);
            let interval = estimate.interval(Confidence::P95);
            let joint = estimate.interval(joint_level(list.len()));
            Effect { name: name.into(), estimate, interval, joint, p, white: None }
        };
        let list = list.iter().map(effect).collect();
        let (of, looks) = ("each changed by itself in x".into(), Looks::Once);
        Effects { list, openings, nodes: 100, of, looks }
    }

    fn judged(effects: &Effects) -> Verdict {
        let arm = super::super::tests::arm("x", 100);
        let evidence = Evidence { arms: &[arm], nodes: 100, pool: None, looks: Looks::Once };
        judge(&evidence, effects, Openings::ByHand)
    }

    #[test]
    fn what_is_shown_small_and_open_is_told_apart() {
        let verdict = judged(&effects(
            &[("castling", -0.08, 0.01), ("fission", 0.002, 0.008), ("start", 0.01, 0.02)],
            1_000,
        ));
        assert_eq!(verdict.headline, "Fewer draws with castling");
        assert_eq!(verdict.decision, Some(Decision::LessDrawish));
        for part in [
            "castling changes draws by −8.0 percentage points (95% interval −10.0 to −6.0, adjusted p below 0.001)",
            "draws change by less than 3 points either way with fission (+0.2,",
            "do not settle whether draws change by 3 points or more with start (+1.0,",
        ] {
            assert!(verdict.sentence.contains(part), "{part}: {}", verdict.sentence);
        }
        assert!(!verdict.sentence.contains("2020"));
        assert!(verdict.remarks[0].starts_with("About 5,200 openings"), "{:?}", verdict.remarks);
    }

    #[test]
    fn effects_within_noise_are_neither_claimed_nor_denied() {
        // One effect is significant only before the adjustment. The other is not 0, but may be
        // below 3 points.
        let verdict = judged(&effects(&[("a", 0.042, 0.02), ("b", 0.01, 0.03)], 500));
        assert_eq!(
            (verdict.headline.as_str(), verdict.decision),
            ("Inconclusive", Some(Decision::Inconclusive))
        );
        assert!(!verdict.sentence.contains("changes draws by"), "{}", verdict.sentence);
        assert!(!verdict.sentence.contains("by less than 3 points"), "{}", verdict.sentence);
        let small = judged(&effects(&[("a", 0.028, 0.005)], 2_000));
        assert_eq!(small.decision, Some(Decision::Inconclusive), "{}", small.sentence);
    }

    #[test]
    fn no_material_change_needs_every_effect_to_be_small() {
        let small = judged(&effects(&[("a", 0.0, 0.005), ("b", 0.01, 0.005)], 2_000));
        assert_eq!(small.headline, "No material change");
        assert!(small.remarks.is_empty(), "{:?}", small.remarks);
        // 90% intervals of ±1.645 errors would lie within ±3 points. The wider ones for two effects
        // do not.
        let wide = judged(&effects(&[("a", 0.0, 0.017), ("b", 0.0, 0.005)], 2_000));
        assert_eq!(wide.headline, "Inconclusive");
        // No difference in a few openings shows little.
        let none = judged(&effects(&[("a", 0.0, 0.0)], 40));
        assert_eq!(none.headline, "Inconclusive");
    }

    #[test]
    fn several_effects_have_one_headline() {
        let both = [("a", -0.1, 0.01), ("b", -0.2, 0.01)];
        assert_eq!(judged(&effects(&both, 900)).headline, "Fewer draws with b and a");
        let mixed = judged(&effects(&[("a", -0.1, 0.01), ("b", 0.2, 0.01)], 900));
        assert_eq!(
            (mixed.headline.as_str(), mixed.decision),
            ("b raises draws most; 2 of 2 rule changes affect them", None)
        );
        let many: Vec<(&str, f64, f64)> = (0..6).map(|_| ("a", 0.0, 0.03)).collect();
        let open = judged(&effects(&many, 900));
        assert!(open.sentence.contains("with 6 of the changes"), "{}", open.sentence);
        assert!(judged(&effects(&both, 20)).sentence.contains("share 20 openings"));
    }

    #[test]
    fn the_largest_effects_come_first_with_their_numbers() {
        let list = [("a", -0.05, 0.005), ("b", 0.06, 0.005), ("c", -0.4, 0.01), ("d", -0.2, 0.01)];
        let verdict = judged(&effects(&[&list[..], &[("e", -0.3, 0.01)]].concat(), 900));
        assert_eq!(verdict.headline, "c lowers draws most; 5 of 5 rule changes affect them");
        let places: Vec<usize> =
            ["c changes draws by −40.0", "e changes", "d changes", "less by b (+6.0) and a (−5.0)"]
                .map(|part| {
                    verdict
                        .sentence
                        .find(part)
                        .unwrap_or_else(|| panic!("{part}: {}", verdict.sentence))
                })
                .into();
        assert!(places.is_sorted(), "{}", verdict.sentence);
        assert!(!verdict.sentence.contains("b changes"), "{}", verdict.sentence);
    }

    #[test]
    fn whites_edge_is_told_where_it_differs_with_an_effect() {
        let mut effects = effects(&[("a", -0.1, 0.01)], 900);
        let white = |low, high| {
            let value = f64::midpoint(low, high);
            let interval = Interval { low, high };
            let score = Difference { openings: 900, first: 0.5, second: 0.5, value, interval };
            Some(Edge { score, decisive: Some(score) })
        };
        effects.list[0].white = white(-0.01, 0.05);
        assert!(judged(&effects).remarks.is_empty());
        effects.list[0].white = white(0.01, 0.05);
        assert!(judged(&effects).remarks[0].contains("edge differs too"));
    }
}
