//! Conditions of the protocol.

use super::*;
use fusion_results::protocol::Check;

pub(super) fn file(report: &Report) -> Table {
    Fields::<Check>::default()
        .text("status", "Status", |check| check.status.name())
        .text("condition", "Condition", |check| check.title)
        .text("found", "Found", |check| check.detail.clone())
        .whole_table("checks", "Conditions of the protocol", &report.checks)
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let check = |check: &Check| {
        let mark = format!("{:>9}  ", check.status.name());
        Paragraph::Item(mark, format!("{}: {}", check.title, check.detail))
    };
    let heading = [Paragraph::Gap, Paragraph::Text("Conditions of the protocol".into())];
    heading.into_iter().chain(report.checks.iter().map(check)).collect()
}

const ABOUT: &str = "Unsettled: the interval reaches across the limit, so that these games show neither that the condition is met nor that it is not. Unknown: the run does not hold what is needed to tell.";

pub(super) fn page(report: &Report) -> Section {
    let check = |check: &Check| (check.status.name(), check.title, check.detail.clone());
    let checks: Vec<_> = report.checks.iter().map(check).collect();
    Section::new("conditions", "Conditions", "Conditions of the protocol")
        .folded()
        .with([Block::Fine(ABOUT.into()), list("conditions.html.j2", checks)])
}
