//! The report as a text: the tables, then the verdict as the last lines. The page and the CSV files
//! have more details of each table.

use crate::labels::Labels;
use crate::sections;
use fusion_print::format::paragraphs;
use fusion_print::text::Text;
use fusion_results::report::Report;

/// Returns the report for people, with the verdict last.
#[must_use]
pub fn text(report: &Report) -> Text {
    let mut text = Text::default();
    superseded(&mut text, report);
    let labels = Labels::of(report.run.study.as_deref());
    if let Some(title) = &labels.title {
        text.push(title.clone());
    }
    text.push(format!("{}, by {}", report.run.name, report.agent()));
    let named = |paragraph| labels.paragraph(paragraph);
    text.0.extend(sections::terminal(report).into_iter().map(named));
    text
}

/// Returns the report for programs: the tables of the CSV files, and the verdict.
#[must_use]
pub fn data(report: &Report) -> Text {
    let mut text = Text::default();
    superseded(&mut text, report);
    text.0.extend(sections::data(report));
    text
}

/// Adds the reason why another study replaces this one. Adds nothing if none does.
fn superseded(text: &mut Text, report: &Report) {
    if let Some(why) = &report.run.superseded {
        text.push("SUPERSEDED. A later study replaces this one.");
        for paragraph in paragraphs(why) {
            text.push(paragraph);
        }
        text.gap();
    }
}
