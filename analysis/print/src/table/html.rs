//! Tables on the page, for the macro in `table.html.j2`.

use super::{Cell, Kind, Table};
use serde::Serialize;

/// A table as text; the first column holds the row's name.
#[derive(Serialize)]
struct View<'a> {
    caption: &'a str,
    /// Name of the file that the page saves.
    file: String,
    header: Vec<&'a str>,
    /// Number of columns of text, which come first.
    texts: usize,
    rows: Vec<Vec<String>>,
    /// Index of the stressed row.
    strong: Option<usize>,
}

impl Serialize for Table {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = View {
            caption: &self.title,
            file: format!("{}-table.csv", self.id),
            texts: self.columns.iter().take_while(|column| column.kind == Kind::Text).count(),
            header: self.columns.iter().map(|column| column.heading.long.as_str()).collect(),
            rows: self.rows.iter().map(|row| row.iter().map(Cell::format).collect()).collect(),
            strong: self.strong,
        };
        view.serialize(serializer)
    }
}
