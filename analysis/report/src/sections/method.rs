//! Methods behind the numbers, and their limits.

use super::*;

/// Returns the section. `solved` is whether endings were solved exactly.
pub(super) fn page(report: &Report, solved: bool) -> Section {
    let values = context! {
        primary => Value::from(Serde(report.primary_names())),
        // Whether the verdict is on effects of rule changes.
        on_effects => report.primary.is_none() && report.verdict.judged,
        tables_probed => report.run.measure_file().is_some_and(|file| file.settings.tables.is_some()),
        adjudicated => report.run.adjudicated(),
        resamples => count(report.resampling.resamples.into()),
        seed => report.resampling.seed,
        solved => solved,
        is_chess => report.run.game.is_chess(),
    };
    Section::new("method", "Method", "Method").with([Block::Template("method.html.j2", values)])
}
