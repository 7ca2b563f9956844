//! The verdict and the threats to it.

use super::*;
use fusion_results::verdict::Decision;

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let verdict = &report.verdict;
    let sentence = format!("{}. {}", verdict.headline, verdict.sentence);
    let remarks = verdict.remarks.iter().map(|of| Paragraph::Item("- ".into(), of.clone()));
    [Paragraph::Gap, Paragraph::Text(sentence)].into_iter().chain(remarks).collect()
}

pub(super) fn page(report: &Report) -> Block {
    let verdict = &report.verdict;
    let pair = verdict.pair.as_ref();
    let plot = pair.map(|pair| forest::differences(&[pair], "primary"));
    let data = pair.map(|pair| differences::data(report, "primary", &[pair]));
    let values = context! {
        headline => verdict.headline.as_str(),
        tone => tone(verdict.decision),
        sentence => verdict.sentence.as_str(),
        remarks => verdict.remarks.clone(),
        plot => Value::from(Serde(plot)),
        data => Value::from(Serde(data)),
        primary => Value::from(Serde(report.primary_names())),
    };
    Block::Template("verdict.html.j2", values)
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
