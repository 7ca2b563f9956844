//! The report in the terminal: the tables, then the verdict as the last lines. The page and the CSV
//! files have more details of each table.

use crate::format::paragraphs;
use crate::report::Report;
use crate::sections::{self, Paragraph};
use crate::text::{Text, file_link};
use std::path::Path;

/// Renders the whole report as text of the given width, with the verdict last.
#[must_use]
pub fn render(report: &Report, width: usize) -> String {
    let mut text = Text::new(width);
    superseded(&mut text, report);
    text.push(&format!("{}, by {}", report.run.name, report.agent()));
    for paragraph in sections::terminal(report) {
        match paragraph {
            Paragraph::Table(table) => text.section(&table.title, table.for_terminal()),
            Paragraph::Text(paragraph) => text.push(&paragraph),
            Paragraph::Item(mark, paragraph) => text.item(&mark, &paragraph),
            Paragraph::Gap => text.gap(),
        }
    }
    text.finish()
}

/// Adds the reason why another study replaces this one. Adds nothing if none does.
fn superseded(text: &mut Text, report: &Report) {
    if let Some(why) = &report.run.superseded {
        text.push("SUPERSEDED. A later study replaces this one.");
        for paragraph in paragraphs(why) {
            text.push(&paragraph);
        }
        text.gap();
    }
}

/// Returns the last line, which is a link to the page.
#[must_use]
pub fn where_it_is(page: &Path) -> String {
    format!("Report: {}\n", file_link(page))
}
