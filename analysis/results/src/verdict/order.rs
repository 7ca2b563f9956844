//! The order of rule sets by their draw rates, and which neighbours in it are separated.

use super::{Evidence, Verdict};
use crate::arms::Arm;
use crate::pairs::Pair;
use crate::published::Published;
use crate::run_folder::MAIN;
use fusion_print::format::{count, percent, signed};
use fusion_statistics::evalue::Looks;

/// Numbers of rule sets that are put into an order: fewer have none, and more do not fit in a sentence.
const RANKED: std::ops::RangeInclusive<usize> = 3..=12;
/// Significance level of adjusted p-values.
const ALPHA: f64 = 0.05;

/// Rule sets by draw rate, the least drawish first.
#[derive(Debug)]
pub struct Order<'a> {
    arms: Vec<&'a Arm>,
    /// Whether each rule set but the first is separated from the one before it.
    separated: Vec<bool>,
    /// Number of pairs that the p-values are adjusted for.
    pairs: usize,
    looks: Looks,
}

impl<'a> Order<'a> {
    /// Puts the rule sets at the judged budget into an order. `None` if there are fewer than three or more than twelve, or
    /// if not all pairs were compared.
    #[must_use]
    pub fn of(evidence: &Evidence<'a>, pairs: &[Pair]) -> Option<Self> {
        let mut arms: Vec<&Arm> =
            evidence.arms.iter().filter(|arm| arm.nodes == evidence.nodes).collect();
        arms.sort_by(|a, b| a.draw_share.share().total_cmp(&b.draw_share.share()));
        let pairs: Vec<&Pair> = pairs.iter().filter(|pair| pair.nodes == evidence.nodes).collect();
        let is_separated = |pair: &[&Arm]| {
            let names = [&pair[0].rules, &pair[1].rules];
            let is =
                |of: &&&Pair| names == [&of.first, &of.second] || names == [&of.second, &of.first];
            pairs.iter().find(is).map(|pair| pair.holm_p < ALPHA)
        };
        let separated: Vec<bool> = arms.windows(2).map(is_separated).collect::<Option<_>>()?;
        let pairs = pairs.len();
        RANKED.contains(&arms.len()).then_some(Self {
            arms,
            separated,
            pairs,
            looks: evidence.looks,
        })
    }

    /// Returns the rule sets with their draw rates, `<` between neighbours that are separated.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut text = String::new();
        for (place, arm) in self.arms.iter().enumerate() {
            text += match place.checked_sub(1).map(|before| self.separated[before]) {
                None => "",
                Some(true) => " < ",
                Some(false) => ", ",
            };
            text += &format!("{} {}", arm.rules, percent(arm.draw_share.share()));
        }
        let explained = if self.separated.contains(&true) {
            "“<” stands between neighbours that are separated"
        } else {
            "no two neighbours are separated"
        };
        let test = match self.looks {
            Looks::Once => "McNemar’s test",
            Looks::Any => "anytime-valid",
        };
        format!(
            "from fewest draws to most: {text} ({explained}; {test}, p below 0.05 after Holm’s adjustment over {} pairs)",
            count(self.pairs as u64)
        )
    }

    /// Returns the verdict of a study that asks for an order: one with published figures, or one without a comparison of
    /// two rule sets. `found` is the verdict on the primary comparison, which becomes a remark.
    #[must_use]
    pub fn verdict(
        &self,
        evidence: &Evidence,
        published: Option<&Published>,
        found: Verdict,
    ) -> Verdict {
        let openings = self.arms.iter().map(|arm| arm.games).min().unwrap_or_default();
        let mut sentence =
            format!("{}, {}.", evidence.under(openings, evidence.nodes), self.in_words());
        let is_main = |of: &&crate::published::Agreement| {
            (of.measurement.as_str(), of.nodes) == (MAIN, evidence.nodes)
        };
        let agent = published.and_then(|of| of.agents.iter().find(is_main));
        if let Some(correlation) = agent.and_then(|agent| agent.draws) {
            let interval = correlation.interval;
            sentence += &format!(
                " Beside the published order of {} of them: rank correlation {} (95% interval {}); +1 is the same order.",
                correlation.arms,
                signed(correlation.value, 2),
                format_args!("{} to {}", signed(interval.low, 2), signed(interval.high, 2)),
            );
        }
        let compared = found
            .judged
            .then(|| format!("The comparison that the study names: {}", found.sentence));
        let [least, most] = [0, self.arms.len() - 1].map(|place| &self.arms[place].rules);
        Verdict {
            decision: None,
            headline: format!("Least drawish: {least}. Most: {most}"),
            sentence,
            remarks: compared.into_iter().chain(found.remarks).collect(),
            judged: true,
            ..found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms;
    use crate::games::{GameRow, test_row};
    use crate::pairs::{self, Inference};
    use crate::verdict::no_question;

    /// Returns games of rule sets that are drawn in this many of 200 openings.
    fn rows(drawn: &[(&str, u64)]) -> Vec<GameRow> {
        let games = |&(rules, drawn): &(&str, u64)| {
            let rules = rules.to_owned();
            (0..200).map(move |opening| test_row(&rules, 100, opening, opening < drawn))
        };
        drawn.iter().flat_map(games).collect()
    }

    fn judged(drawn: &[(&str, u64)]) -> Option<Verdict> {
        let rows = rows(drawn);
        let arms = arms::summarise(&rows).unwrap();
        let pairs = pairs::compare(
            &rows,
            None,
            Inference { resamples: 100, seed: 1, ..Inference::default() },
        )
        .unwrap();
        let evidence = Evidence { arms: &arms, nodes: 100, pool: None, looks: Looks::Once };
        let order = Order::of(&evidence, &pairs)?;
        Some(order.verdict(&evidence, None, no_question(&arms.iter().collect::<Vec<_>>())))
    }

    #[test]
    fn a_study_that_asks_for_an_order_gets_one() {
        let verdict = judged(&[("a", 150), ("b", 40), ("c", 38), ("d", 77)]).unwrap();
        assert_eq!(verdict.headline, "Least drawish: c. Most: a");
        let said = "from fewest draws to most: c 19.0%, b 20.0% < d 38.5% < a 75.0% (“<” stands between neighbours";
        assert!(verdict.sentence.contains(said), "{}", verdict.sentence);
        assert!(verdict.sentence.contains("adjustment over 6 pairs"), "{}", verdict.sentence);
        assert!(verdict.judged && verdict.remarks.is_empty(), "{:?}", verdict.remarks);
        let alike = judged(&[("a", 40), ("b", 41), ("c", 42)]).unwrap();
        assert!(alike.sentence.contains("no two neighbours are separated"), "{}", alike.sentence);
    }

    #[test]
    fn two_rule_sets_have_no_order() {
        assert!(judged(&[("a", 40), ("b", 41)]).is_none());
    }
}
