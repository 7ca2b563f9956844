//! Tables in the terminal.

use super::{Cell, Kind, Table};
use crate::text::{Text, table};

impl Table {
    /// Renders the table without its title, at most `width` columns wide. Cells that do not fit are
    /// broken.
    #[must_use]
    pub fn to_text(&self, width: usize) -> String {
        let mut text = Text::new(width);
        text.table(self.for_terminal());
        text.finish()
    }

    pub(crate) fn for_terminal(&self) -> comfy_table::Table {
        let header: Vec<&str> = self.columns.iter().map(|c| c.heading.short.as_str()).collect();
        let labels = self.columns.iter().take_while(|column| column.kind == Kind::Text).count();
        let mut text = table(&header, labels);
        for row in &self.rows {
            text.add_row(row.iter().map(Cell::format));
        }
        text
    }
}
