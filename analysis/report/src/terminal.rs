//! The report in the terminal: tables, then the verdict as the last lines. The page and the CSV
//! files hold more of each table.

use crate::format::paragraphs;
use crate::report::Report;
use crate::sections::{self, Paragraph};
use crate::text::{Text, file_link};
use std::path::Path;

/// The whole report as text of so many columns, ending with the verdict.
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

/// Why another study replaces this one; nothing where none does.
fn superseded(text: &mut Text, report: &Report) {
    if let Some(why) = &report.run.superseded {
        text.push("SUPERSEDED. A later study replaces this one.");
        for paragraph in paragraphs(why) {
            text.push(&paragraph);
        }
        text.gap();
    }
}

/// The last line: where the page is.
#[must_use]
pub fn where_it_is(page: &Path) -> String {
    format!("Report: {}\n", file_link(page))
}
