//! Text for a terminal: paragraphs and tables that fit its width.

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};
use console::{Term, measure_text_width};
use std::path::Path;

/// Default width if there is no terminal.
pub const COLUMNS: usize = 80;
/// Smallest and largest width. Tables need the smallest, and lines longer than the largest are hard
/// to read.
const RANGE: (usize, usize) = (40, 120);
/// Shortest length at which names of rows are broken.
const LABEL: u16 = 28;
/// Spaces between two columns of a table.
const GAP: usize = 2;
/// A table style with a line under the header and no other lines.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// Text that grows line by line.
#[derive(Clone, Debug)]
pub struct Text {
    width: usize,
    text: String,
}

/// Returns the width of the terminal at standard output, or 80 if there is none.
#[must_use]
pub fn width() -> usize {
    let columns = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    columns.map_or(COLUMNS, |columns| columns.clamp(RANGE.0, RANGE.1))
}

impl Text {
    /// Creates an empty text with at most `width` columns.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self { width, text: String::new() }
    }

    /// Adds a paragraph, with its lines broken between words.
    pub fn push(&mut self, paragraph: &str) {
        self.item("", paragraph);
    }

    /// Adds a paragraph that starts with a mark. Its later lines are indented by the width of the
    /// mark.
    pub fn item(&mut self, mark: &str, paragraph: &str) {
        let indent = " ".repeat(measure_text_width(mark));
        for (i, line) in
            broken(paragraph, self.width.saturating_sub(indent.len())).iter().enumerate()
        {
            self.text.push_str(if i == 0 { mark } else { &indent });
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Adds a line that is not broken, such as a link.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds an empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Adds a table with its title, after an empty line.
    pub fn section(&mut self, title: &str, table: Table) {
        self.gap();
        self.push(title);
        self.table(table);
    }

    /// Adds a table. Cells of a table that is too wide are broken.
    pub fn table(&mut self, mut table: Table) {
        let widths = table.column_max_content_widths();
        let label = widths.first().copied().unwrap_or_default();
        let others: usize = widths.iter().skip(1).map(|&width| usize::from(width) + GAP).sum();
        if usize::from(label) + GAP + others <= self.width {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
        table.set_width(u16::try_from(self.width).unwrap_or(u16::MAX));
        // The first column is broken last. Its width is what the other columns leave.
        let left = u16::try_from(self.width.saturating_sub(others + GAP)).unwrap_or(u16::MAX);
        let least = Width::Fixed(label.min(LABEL.max(left)) + 1);
        for (i, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 1));
            if i == 0 && self.width >= COLUMNS {
                column.set_constraint(ColumnConstraint::LowerBoundary(least));
            }
        }
        self.line(&table.trim_fmt());
    }

    /// Returns the text.
    #[must_use]
    pub fn finish(self) -> String {
        self.text
    }
}

/// Breaks a paragraph into lines of as many words as fit, with at least one word on each.
fn broken(paragraph: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in paragraph.split(' ') {
        let line = lines.last_mut().map_or(0, |line| measure_text_width(line));
        match lines.last_mut() {
            Some(last) if line == 0 => last.push_str(word),
            Some(last) if line + 1 + measure_text_width(word) <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Creates a table whose first `labels` columns are text and whose other columns are numbers.
#[must_use]
pub fn table(header: &[&str], labels: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(header.iter().copied());
    for (i, column) in table.column_iter_mut().enumerate() {
        if i >= labels {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Returns a link to a file that terminals open: its absolute path, percent-encoded (RFC 8089, RFC
/// 3986).
#[must_use]
pub fn file_link(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut link = "file://".to_owned();
    for &byte in absolute.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => link.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => link.push(byte.into()),
            byte => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widest(text: &str) -> usize {
        text.lines().map(measure_text_width).max().unwrap_or_default()
    }

    #[test]
    fn paragraphs_are_broken_between_words() {
        let mut text = Text::new(20);
        text.push("one two three four five six −7 “eight”");
        text.item("- ", "a list’s item that is long");
        text.push("a-word-that-is-longer-than-a-line stays");
        text.gap();
        let text = text.finish();
        assert_eq!(
            text,
            "one two three four\nfive six −7 “eight”\n- a list’s item that\n  is long\n\
             a-word-that-is-longer-than-a-line\nstays\n\n"
        );
    }

    #[test]
    fn tables_are_broken_to_fit_and_left_alone_where_they_do() {
        let cells =
            ["fusion-2020,castling=no,fission=no,attacked-split=yes", "1,000", "−3.1 to +4.5"];
        let of = |width| {
            let mut table = table(&["rules", "nodes", "95% interval"], 1);
            table.add_row(cells);
            let mut text = Text::new(width);
            text.section("A title", table);
            text.finish()
        };
        assert!(widest(&of(40)) <= 40, "{}", of(40));
        let wide = of(80);
        assert!(wide.contains("attacked-split=yes  1,000  −3.1 to +4.5\n"), "{wide}");
    }

    #[test]
    fn links_are_absolute_and_encoded() {
        assert_eq!(
            file_link(Path::new("/a b/ü%?#\"/r.html")),
            "file:///a%20b/%C3%BC%25%3F%23%22/r.html"
        );
        let relative = file_link(Path::new("runs/x/report.html"));
        let here = file_link(&std::env::current_dir().unwrap());
        assert_eq!(relative, format!("{here}/runs/x/report.html"));
    }
}
