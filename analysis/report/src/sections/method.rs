//! How the numbers are made, and what they do not show.

use super::{Section, template};
use crate::format::count;
use crate::report::Report;
use serde::Serialize;

#[derive(Serialize)]
struct View<'a> {
    primary: Option<(&'a str, &'a str)>,
    /// Whether the verdict is on effects of rule changes.
    on_effects: bool,
    /// Whether the searches probed endgame tables, and whether games ended by them.
    tables_probed: bool,
    adjudicated: bool,
    resamples: String,
    seed: u64,
    /// Whether endings of a lone King were solved.
    solved: bool,
}

pub(super) fn page(report: &Report, solved: bool) -> Section {
    let view = View {
        primary: report.primary_names(),
        on_effects: report.primary.is_none() && report.verdict.judged,
        tables_probed: report.run.setting("tables.sha256").is_some(),
        adjudicated: report.run.adjudicated(),
        resamples: count(report.resampling.resamples.into()),
        seed: report.resampling.seed,
        solved,
    };
    Section::new("method", "Method", "Method").with(template("method.html.j2", view))
}
