//! The verdict with what threatens it.

use super::{Block, Paragraph, template};
use crate::figures::forest;
use crate::report::Report;
use crate::verdict::Decision;
use serde::Serialize;

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let verdict = &report.verdict;
    let sentence = format!("{}. {}", verdict.headline, verdict.sentence);
    let remarks = verdict.remarks.iter().map(|of| Paragraph::Item("- ".into(), of.clone()));
    [Paragraph::Gap, Paragraph::Text(sentence)].into_iter().chain(remarks).collect()
}

#[derive(Serialize)]
struct View<'a> {
    headline: &'a str,
    tone: &'static str,
    sentence: &'a str,
    remarks: &'a [String],
    plot: Option<forest::Forest>,
    primary: Option<(&'a str, &'a str)>,
}

pub(super) fn page(report: &Report) -> Block {
    let verdict = &report.verdict;
    let pair = verdict.pair.as_ref();
    let view = View {
        headline: &verdict.headline,
        tone: tone(verdict.decision),
        sentence: &verdict.sentence,
        remarks: &verdict.remarks,
        plot: pair.map(|pair| forest::differences(&[pair], "primary")),
        primary: report.primary_names(),
    };
    template("verdict.html.j2", view)
}

fn tone(decision: Option<Decision>) -> &'static str {
    match decision {
        Some(Decision::LessDrawish) => "less",
        Some(Decision::MoreDrawish) => "more",
        Some(Decision::NoMaterialChange) => "same",
        Some(Decision::Inconclusive) => "open",
        None => "none",
    }
}
