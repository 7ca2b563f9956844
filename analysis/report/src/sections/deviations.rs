//! Deviations from the protocol.

use super::*;
use fusion_print::format::{paragraphs, percent};

pub(super) fn page(report: &Report) -> Option<Section> {
    let found = deviations(report);
    let section = Section::unlisted("deviations", "Deviations from the protocol");
    (!found.is_empty()).then(|| section.with([list("list.html.j2", found)]))
}

/// Returns the paragraphs of the run's own list, and the deviations in the games: failed games.
fn deviations(report: &Report) -> Vec<String> {
    let written = report.run.deviations.as_deref().unwrap_or_default();
    let mut found = paragraphs(written);
    found.extend(report.arms.iter().filter(|arm| arm.errors > 0).map(|arm| {
        format!(
            "{} games of {} at {} nodes failed and are left out ({}).",
            count(arm.errors),
            arm.rules,
            count(arm.nodes),
            percent(arm.error_share())
        )
    }));
    found
}
