//! Tables in the terminal. A table that is wider than the terminal first breaks headings and text
//! between words, then loses the columns that it can do without, and only then breaks the names of
//! its rows and numbers.

use super::{Cell, Column, Kind, Table};
use crate::text::broken;
use comfy_table::{CellAlignment, ColumnConstraint, LineStyle, TableStyle, Width};
use console::measure_text_width;

/// Spaces between two columns.
const GAP: usize = 2;
/// Length from which on a word or the name of a row is broken.
const LONG: usize = 28;
/// A style with a line under the header and no other lines.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A column with its texts.
struct Printed<'a> {
    column: &'a Column,
    cells: Vec<String>,
    /// Smallest legible width.
    least: usize,
    /// Width in which nothing is broken.
    natural: usize,
}

impl Table {
    /// Renders the table without its title, at most `width` columns wide, with the names of the
    /// columns that are left out below it.
    #[must_use]
    pub fn to_text(&self, width: usize) -> String {
        let mut printed: Vec<Printed> = self
            .columns
            .iter()
            .enumerate()
            .map(|(i, column)| Printed::new(column, i == 0, self.rows.iter().map(|row| &row[i])))
            .collect();
        let mut left_out = Vec::new();
        for key in &self.droppable {
            let least = printed.iter().map(|each| each.least).sum::<usize>();
            if least <= room(width, printed.len()) {
                break;
            }
            if let Some(at) = printed.iter().position(|each| each.column.key == *key) {
                left_out.push(printed.remove(at).column.heading.short.as_str());
            }
        }
        let mut text = drawn(&printed, &widths(&printed, room(width, printed.len())));
        if !left_out.is_empty() {
            let plural = if left_out.len() == 1 { "" } else { "s" };
            let note = format!(
                "{} column{plural} left out: {}. A wider window or --json has all.",
                left_out.len(),
                left_out.join("; ")
            );
            text.push_str(&broken(&note, width).join("\n"));
            text.push('\n');
        }
        text
    }
}

impl<'a> Printed<'a> {
    fn new<'c>(
        column: &'a Column,
        names_rows: bool,
        cells: impl Iterator<Item = &'c Cell>,
    ) -> Self {
        let cells: Vec<String> = cells.map(Cell::format).collect();
        let heading = column.heading.short.as_str();
        let longest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(measure_text_width).max().unwrap_or_default()
        };
        let whole = longest(&mut cells.iter().map(String::as_str));
        let least = match column.kind {
            Kind::Text if names_rows => whole.min(LONG),
            Kind::Text => longest(&mut cells.iter().flat_map(|text| text.split(' '))).min(LONG),
            _ => whole,
        };
        Self {
            column,
            least: least.max(longest(&mut heading.split(' '))),
            natural: whole.max(measure_text_width(heading)),
            cells,
        }
    }
}

/// Returns the width that this number of columns can fill. The line under the header is one longer
/// than the columns with their gaps.
fn room(width: usize, columns: usize) -> usize {
    (width + GAP - 1).saturating_sub(GAP * columns)
}

/// Returns the width of each column. Room that is left goes to the first columns that need it.
fn widths(printed: &[Printed], room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = printed.iter().map(|each| each.least).collect();
    let mut left = room.saturating_sub(widths.iter().sum());
    for (width, each) in widths.iter_mut().zip(printed) {
        let more = left.min(each.natural - *width);
        (*width, left) = (*width + more, left - more);
    }
    // Where not even the legible widths fit, the widest columns become narrower.
    while widths.iter().sum::<usize>() > room
        && let Some(widest) = widths.iter_mut().max().filter(|width| **width > 1)
    {
        *widest -= 1;
    }
    widths
}

fn drawn(printed: &[Printed], widths: &[usize]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(STYLE).set_header(printed.iter().map(|each| &each.column.heading.short));
    for row in 0..printed.first().map_or(0, |each| each.cells.len()) {
        table.add_row(printed.iter().map(|each| &each.cells[row]));
    }
    let labels = printed.iter().take_while(|each| each.column.kind == Kind::Text).count();
    for (i, column) in table.column_iter_mut().enumerate() {
        let width = u16::try_from(widths[i] + 1).unwrap_or(u16::MAX);
        column.set_padding((0, 1)).set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        if i >= labels {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}
