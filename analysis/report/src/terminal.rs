//! The report as a text: the tables, then the verdict as the last lines. The page and the CSV files
//! have more details of each table.

use crate::format::paragraphs;
use crate::report::Report;
use crate::sections;
use crate::text::Text;

/// Returns the report for people, with the verdict last.
#[must_use]
pub fn text(report: &Report) -> Text {
    let mut text = Text::default();
    superseded(&mut text, report);
    if let Some(title) = &report.labels.title {
        text.push(title.clone());
    }
    text.push(format!("{}, by {}", report.run.name, report.agent()));
    let named = |paragraph| report.labels.paragraph(paragraph);
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
