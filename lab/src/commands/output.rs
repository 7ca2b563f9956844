//! Output of a command's result: text for people, or JSON for programs.

use fusion_jobs::exit::{note, say};
use fusion_print::table::Table;
use fusion_print::text::{Text, width};
use std::fmt::Display;

/// The form of a result.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Output {
    /// Print one JSON document with the result's tables instead of text
    #[arg(long)]
    pub(super) json: bool,
}

impl Output {
    /// Prints a result.
    pub(super) fn print(self, text: &Text) {
        let text = if self.json { text.to_json() } else { text.render(width()) };
        say(text.trim_end());
    }

    /// Prints a result that is one table.
    pub(super) fn print_table(self, table: Table) {
        let mut text = Text::default();
        text.table(table);
        self.print(&text);
    }

    /// Prints a line that is no part of the result. With JSON it goes to standard error.
    pub(super) fn remark(self, line: impl Display) {
        if self.json { note(line) } else { say(line) }
    }
}
