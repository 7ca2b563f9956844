//! Methods behind the numbers, and their limits.

use super::*;

pub(super) fn page(report: &Report) -> Section {
    let limits = sections_of(report.run.game).limits();
    let values = context! {
        primary => Value::from(Serde(report.primary_names())),
        // Whether the verdict is on effects of rule changes.
        on_effects => report.primary.is_none() && report.verdict.judged,
        tables_probed => report.run.measure_file().is_some_and(|file| file.settings.tables.is_some()),
        adjudicated => report.run.adjudicated(),
        resamples => count(report.inference.resamples.into()),
        seed => report.inference.seed,
        programs => fusion_print::format::listed(&report.run.programs()),
        solved => report.run.endgames.is_some(),
        level => limits.level,
        pool => limits.pool,
    };
    Section::new("method", "Method", "Method")
        .folded()
        .with([Block::Template("method.html.j2", values)])
}
