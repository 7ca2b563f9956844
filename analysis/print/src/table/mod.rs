//! A table, described once and rendered four ways: for the terminal, as CSV, on the page and as
//! JSON.
//!
//! [`Fields`] describes every column that a type can have. A table picks some of them by their
//! keys. Its cells are typed, and each renderer formats them by type.
//!
//! ```
//! use fusion_print::table::{Fields, Unit};
//! use fusion_statistics::Interval;
//!
//! struct Arm(&'static str, u64, f64, Interval);
//! let fields = Fields::<Arm>::default()
//!     .text("rules", ("Rule set", "rules"), |arm| arm.0)
//!     .count("games", ("Games", "games"), |arm| arm.1)
//!     .share("drawn", ("Draw share", "drawn"), |arm| arm.2)
//!     .interval("drawn95", ("95% interval", "95%"), Unit::Share, |arm| arm.3);
//! let arms = [Arm("orthodox", 1234, 0.4321, Interval { low: 0.4, high: 0.46 })];
//! let table = fields.table("draws", "Draws", "rules games drawn drawn95", &arms);
//!
//! let csv = "rules,games,drawn,drawn95_low,drawn95_high\n\
//!            orthodox,1234,0.432100,0.400000,0.460000\n";
//! assert_eq!(String::from_utf8(table.to_csv()?)?, csv);
//! assert_eq!(table.to_text(80).lines().last(), Some("orthodox  1,234  43.2%  40.0 to 46.0%"));
//! assert_eq!(table.to_json()["rows"][0]["drawn95"]["low"], 0.4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod csv;
mod html;
mod json;
mod terminal;

use crate::format;
use fusion_statistics::Interval;
use serde::Serialize;
use std::borrow::Borrow;

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name, unique among the tables of a report.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// The columns. Columns of text come before columns of numbers.
    pub columns: Vec<Column>,
    /// The rows; each has a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Index of the stressed row.
    pub strong: Option<usize>,
    /// Keys of the columns that a narrow terminal leaves out, the first one first.
    pub droppable: Vec<String>,
}

/// A column's names and kind.
#[derive(Clone, Debug)]
pub struct Column {
    /// Name for programs. In a CSV file the limits of an interval are `key_low` and `key_high`.
    pub key: String,
    /// Headings for people.
    pub heading: Heading,
    /// Kind of its cells.
    pub kind: Kind,
}

/// A column's heading: a long one for the page and a short one for the terminal.
#[derive(Clone, Debug)]
pub struct Heading {
    /// On the page.
    pub long: String,
    /// In the terminal.
    pub short: String,
}

/// The kind of a column's cells. Text is aligned left and numbers are aligned right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// [`Cell::Text`].
    Text,
    /// One number.
    Number,
    /// [`Cell::Counts`].
    Counts,
    /// [`Cell::Interval`].
    Interval,
    /// [`Cell::Estimate`]. A CSV file cannot hold it, because a CSV column holds one number.
    Estimate,
}

/// The format of a number for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share as a percentage: `43.2%`.
    Share,
    /// A difference of shares in signed percentage points: `−8.0`.
    Points,
    /// A half width of an interval of such differences: `±8.0`.
    Margin,
    /// A p-value: `0.028` or `<0.001`.
    PValue,
    /// A positive number of any size, with three significant digits.
    Magnitude,
    /// A number with the given number of decimals.
    Decimals(usize),
    /// A number with the given number of decimals and the minus sign of typeset numbers.
    Signed(usize),
    /// A coefficient with its sign and the given number of decimals: `+0.45`.
    Coefficient(usize),
    /// A difference in Elo, with its sign: `+35`.
    Elo,
    /// A number of seconds: `75 s`, `2 min`.
    Seconds,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number that does not exist: a dash for people, an empty field in a file.
    Missing,
    /// Text.
    Text(String),
    /// A count.
    Count(u64),
    /// Several counts: `16; 64`. Equal ones are shown as one.
    Counts(Vec<u64>),
    /// A part of a complete count, and the whole.
    Part(u64, u64),
    /// The same with two decimals: `0.04%`.
    FinePart(u64, u64),
    /// A number.
    Value(f64, Unit),
    /// An interval.
    Interval(Interval, Unit),
    /// A number with its interval.
    Estimate(f64, Interval, Unit),
}

impl From<&str> for Heading {
    fn from(heading: &str) -> Self {
        (heading, heading).into()
    }
}

impl From<(&str, &str)> for Heading {
    fn from((long, short): (&str, &str)) -> Self {
        Self { long: long.to_owned(), short: short.to_owned() }
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Missing, Into::into)
    }
}

impl Unit {
    /// Formats the number for people.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self {
            Unit::Share => format::percent(value),
            Unit::Points => format::points(value),
            Unit::Margin => format!("±{}", format::fixed(100.0 * value, 1)),
            Unit::PValue => format::p_value(value),
            Unit::Magnitude => format::magnitude(value),
            Unit::Decimals(decimals) => format::fixed(value, decimals),
            Unit::Signed(decimals) => format::signed(value, decimals).replace('+', ""),
            Unit::Coefficient(decimals) => format::signed(value, decimals),
            Unit::Elo => format::signed(value, 0),
            Unit::Seconds => format::duration(value),
        }
    }

    /// Formats the interval for people: `41.9 to 48.1%`, or `above +183 (one-sided 95%)` for an Elo
    /// difference with one end.
    pub fn format_interval(self, interval: Interval) -> String {
        match self {
            Unit::Share => format::percent_interval(interval),
            Unit::Elo if interval.high == f64::INFINITY => {
                format!("above {} (one-sided 95%)", self.format(interval.low))
            }
            Unit::Elo if interval.low == -f64::INFINITY => {
                format!("below {} (one-sided 95%)", self.format(interval.high))
            }
            unit => format!("{} to {}", unit.format(interval.low), unit.format(interval.high)),
        }
    }
}

impl Cell {
    /// Formats the cell for people.
    #[must_use]
    pub fn format(&self) -> String {
        match self {
            Cell::Missing => "–".into(),
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => format::count(*count),
            Cell::Counts(counts) if counts.is_empty() => Cell::Missing.format(),
            Cell::Counts(counts) => {
                let mut texts: Vec<String> = counts.iter().copied().map(format::count).collect();
                texts.dedup();
                texts.join("; ")
            }
            Cell::Part(part, whole) => format::share(*part, *whole),
            Cell::FinePart(part, whole) => format::fine_share(*part, *whole),
            Cell::Value(value, unit) => unit.format(*value),
            Cell::Interval(interval, unit) => unit.format_interval(*interval),
            Cell::Estimate(value, interval, unit) if value.is_infinite() => {
                unit.format_interval(*interval)
            }
            Cell::Estimate(value, interval, unit) => {
                format!("{} ({})", unit.format(*value), unit.format_interval(*interval))
            }
        }
    }
}

/// A function that reads a cell from an item.
type CellOf<'a, T> = Box<dyn Fn(&T) -> Cell + 'a>;

/// Defines a method that adds a column of numbers of one unit.
macro_rules! unit_column {
    ($name:ident, $unit:expr, $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn $name<N: Into<Option<f64>>>(
            self,
            key: &str,
            heading: impl Into<Heading>,
            value: impl Fn(&T) -> N + 'a,
        ) -> Self {
            self.value(key, heading, $unit, value)
        }
    };
}

/// The columns that items of a type can have in a table, each with a function that reads its cells.
pub struct Fields<'a, T>(Vec<(Column, CellOf<'a, T>)>);

impl<'a, T> Fields<'a, T> {
    /// Adds a column of cells of a kind. `None` is a missing cell.
    #[must_use]
    pub fn cells<C: Into<Cell>>(
        mut self,
        key: &str,
        heading: impl Into<Heading>,
        kind: Kind,
        cell: impl Fn(&T) -> C + 'a,
    ) -> Self {
        let column = Column { key: key.to_owned(), heading: heading.into(), kind };
        self.0.push((column, Box::new(move |item| cell(item).into())));
        self
    }

    /// Adds a column of text.
    #[must_use]
    pub fn text<S: ToString>(
        self,
        key: &str,
        heading: impl Into<Heading>,
        text: impl Fn(&T) -> S + 'a,
    ) -> Self {
        self.cells(key, heading, Kind::Text, move |item| Cell::Text(text(item).to_string()))
    }

    /// Adds a column of counts. `None` is a missing cell.
    #[must_use]
    pub fn count<N: Into<Option<u64>>>(
        self,
        key: &str,
        heading: impl Into<Heading>,
        count: impl Fn(&T) -> N + 'a,
    ) -> Self {
        self.cells(key, heading, Kind::Number, move |item| count(item).into().map(Cell::Count))
    }

    /// Adds a column of several counts each.
    #[must_use]
    pub fn counts(
        self,
        key: &str,
        heading: impl Into<Heading>,
        counts: impl Fn(&T) -> Vec<u64> + 'a,
    ) -> Self {
        self.cells(key, heading, Kind::Counts, move |item| Cell::Counts(counts(item)))
    }

    /// Adds a column of numbers. `None` is a missing cell.
    #[must_use]
    pub fn value<N: Into<Option<f64>>>(
        self,
        key: &str,
        heading: impl Into<Heading>,
        unit: Unit,
        value: impl Fn(&T) -> N + 'a,
    ) -> Self {
        let cell = move |item: &T| value(item).into().map(|value| Cell::Value(value, unit));
        self.cells(key, heading, Kind::Number, cell)
    }

    unit_column!(share, Unit::Share, "Adds a column of shares.");
    unit_column!(points, Unit::Points, "Adds a column of differences of shares.");
    unit_column!(p, Unit::PValue, "Adds a column of p-values.");

    /// Adds a column of intervals.
    #[must_use]
    pub fn interval<N: Into<Option<Interval>>>(
        self,
        key: &str,
        heading: impl Into<Heading>,
        unit: Unit,
        interval: impl Fn(&T) -> N + 'a,
    ) -> Self {
        let cell = move |item: &T| interval(item).into().map(|of| Cell::Interval(of, unit));
        self.cells(key, heading, Kind::Interval, cell)
    }

    /// Adds a column of numbers with their intervals, both in one cell.
    #[must_use]
    pub fn estimate<N: Into<Option<(f64, Interval)>>>(
        self,
        key: &str,
        heading: impl Into<Heading>,
        unit: Unit,
        estimate: impl Fn(&T) -> N + 'a,
    ) -> Self {
        let cell = move |item: &T| estimate(item).into().map(|(v, of)| Cell::Estimate(v, of, unit));
        self.cells(key, heading, Kind::Estimate, cell)
    }

    /// Returns a table of the items with the columns of these keys, which are separated by spaces.
    ///
    /// # Panics
    /// Panics if no column has one of the keys.
    pub fn table<I: Borrow<T>>(
        &self,
        id: &str,
        title: &str,
        keys: &str,
        items: impl IntoIterator<Item = I>,
    ) -> Table {
        let find = |key: &str| {
            let found = self.0.iter().find(|(column, _)| column.key == key);
            found.unwrap_or_else(|| panic!("table {id}: no column {key}"))
        };
        let picked: Vec<_> = keys.split_whitespace().map(find).collect();
        Self::of(&picked, id, title, items)
    }

    /// Returns a table of the items with all columns.
    pub fn whole_table<I: Borrow<T>>(
        &self,
        id: &str,
        title: &str,
        items: impl IntoIterator<Item = I>,
    ) -> Table {
        Self::of(&self.0.iter().collect::<Vec<_>>(), id, title, items)
    }

    fn of<I: Borrow<T>>(
        picked: &[&(Column, CellOf<'a, T>)],
        id: &str,
        title: &str,
        items: impl IntoIterator<Item = I>,
    ) -> Table {
        let row = |item: I| picked.iter().map(|(_, cell)| cell(item.borrow())).collect();
        let columns = picked.iter().map(|(column, _)| column.clone()).collect();
        Table::new(id, title, columns, items.into_iter().map(row).collect())
    }
}

impl<T> Default for Fields<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl Table {
    /// Creates a table of rows that have a cell for each column.
    #[must_use]
    pub fn new(id: &str, title: &str, columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> Self {
        let (id, title) = (id.to_owned(), title.to_owned());
        Self { id, title, columns, rows, strong: None, droppable: Vec::new() }
    }

    /// Returns the table without the named columns whose cells are all the count 0.
    #[must_use]
    pub fn without_zeros(mut self, keys: &[&str]) -> Self {
        for key in keys {
            let at = self.columns.iter().position(|column| column.key == *key);
            if let Some(at) = at.filter(|&at| self.rows.iter().all(|r| r[at] == Cell::Count(0))) {
                self.columns.remove(at);
                self.rows.iter_mut().for_each(|row| drop(row.remove(at)));
            }
        }
        self
    }

    /// Marks the columns of these keys, which are separated by spaces, as droppable: a terminal that
    /// is too narrow leaves them out, the first one first.
    #[must_use]
    pub fn droppable(mut self, keys: &str) -> Self {
        self.droppable = keys.split_whitespace().map(str::to_owned).collect();
        self
    }

    /// Marks all columns from an index on as droppable, the last one first.
    #[must_use]
    pub fn droppable_from(mut self, first: usize) -> Self {
        let keys = self.columns.iter().skip(first).rev().map(|column| column.key.clone());
        self.droppable = keys.collect();
        self
    }

    /// Returns the table, or `None` if it has no rows.
    #[must_use]
    pub fn unless_empty(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }
}
