//! Changes of single toggles, of one rule set or of several: draws, White's score and length.

use super::*;
use crate::figures::changes;
use fusion_results::ablations::{Ablations, Change};

/// A change of one toggle in a measurement of such changes.
type Single<'a> = (&'a Ablations, &'a Change);

fn singles(ablations: &Ablations) -> impl Iterator<Item = Single<'_>> {
    ablations.changes.iter().map(move |change| (ablations, change))
}

fn fields<'a>() -> Fields<'static, Single<'a>> {
    let plies = Coefficient(1);
    Fields::<Single>::default()
        .text("measurement", "Measurement", |(of, _)| of.measurement.clone())
        .text("base", "Rule set", |(of, _)| of.base.clone())
        .text("change", "Change", |(_, change)| change.text.clone())
        .count("nodes", "Nodes", |(of, _)| of.nodes)
        .count("openings", "Openings", |(_, change)| change.pair.openings)
        .share("changed", "Changed", |(_, change)| change.pair.first_share.share())
        .share("unchanged", "Unchanged", |(_, change)| change.pair.second_share.share())
        .points("difference", "Difference", |(_, change)| change.pair.difference)
        .interval("difference95", "95% interval", Points, |(_, change)| change.pair.interval95)
        .p("mcnemar_p", "McNemar p", |(_, change)| change.pair.mcnemar_p)
        .p("holm_p", "Holm p", |(_, change)| change.holm_p)
        .points("white", "White’s score", |(_, change)| change.white.map(|of| of.score.value))
        .interval("white95", "95% interval", Points, |(_, change)| {
            change.white.map(|of| of.score.interval)
        })
        .value("plies", "Plies", plies, |(_, change)| change.plies.map(|of| of.value))
        .interval("plies95", "95% interval", plies, |(_, change)| {
            change.plies.map(|of| of.interval)
        })
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "measurement base change nodes openings changed unchanged difference \
        difference95 mcnemar_p holm_p white white95 plies plies95";
    let items = report.ablations.iter().flat_map(singles);
    fields().table("changes", "Changes of single toggles", keys, items)
}

/// Returns the table of the changes of one rule set.
pub(super) fn single_table(ablations: &Ablations) -> Table {
    let title = format!(
        "{} with one toggle changed, measurement “{}” at {} nodes: draws, White’s score and length, changed minus unchanged",
        ablations.base,
        ablations.measurement,
        count(ablations.nodes)
    );
    let keys = "change openings changed unchanged difference difference95 holm_p \
        white white95 plies plies95";
    let id = format!("changes-{}", ablations.measurement);
    let mut changes: Vec<Single> = singles(ablations).collect();
    let size = |(_, change): &Single| change.pair.difference.abs();
    changes.sort_by(|a, b| size(b).total_cmp(&size(a)));
    fields().table(&id, &title, keys, changes)
}

/// Returns the figure of the changes of several rule sets.
pub(super) fn page(report: &Report) -> Option<Section> {
    let several = report.ablations.len() > 1;
    let caption = "Draws with one toggle changed minus draws without, percentage points, with the 95% interval; fewest draws first. Filled and bold: adjusted p below 0.05 (Holm, over the changes of the rule set). At the right: change in draws, then in White’s score (W, percentage points) and in the mean length. Grey zone: ±3 points.";
    let header = "measurement base change nodes openings changed unchanged difference low95 high95 \
        mcnemar_p holm_p white white_low95 white_high95 plies plies_low95 plies_high95";
    let figure = Figure::new(
        "changes",
        changes::changes(&report.ablations),
        caption.into(),
        Data::of(&file(report), header),
    );
    let figure = Figure { full: true, ..figure };
    let heading = "What each rule change does, and what it costs";
    let section = Section::new("changes", "Single changes", heading).with([Block::Figure(figure)]);
    // Beside a question to many players, these are details.
    let section = if report.pooled.is_some() { section.folded() } else { section };
    several.then_some(section)
}
