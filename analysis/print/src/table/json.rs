//! Tables as JSON. Numbers have all their digits. A number that does not exist is `null`.

use super::{Cell, Table, Unit};
use fusion_statistics::Interval;
use serde_json::{Map, Value, json};

impl Table {
    /// Renders the table as JSON with `id`, `title`, `columns` and `rows`. Each column has `key`,
    /// `heading` and `kind`. Each row is an object by key. Counts are an array. An interval has
    /// `low` and `high`. An estimate has these and `value`. Those of an Elo difference with one end have
    /// `null` for the other one and `kind`, "one-sided 95%". A part of a whole has `part` and
    /// `whole`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let columns = self.columns.iter().map(|column| {
            json!({"key": column.key, "heading": column.heading.long, "kind": column.kind})
        });
        let row = |row: &Vec<Cell>| -> Value {
            let keys = self.columns.iter().map(|column| column.key.clone());
            keys.zip(row.iter().map(value)).collect::<Map<_, _>>().into()
        };
        json!({
            "id": self.id,
            "title": self.title,
            "columns": columns.collect::<Vec<_>>(),
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

/// Names the kind of an interval that has one end.
fn one_sided(mut interval: Value, unit: Unit) -> Value {
    if unit == Unit::Elo && (interval["low"].is_null() || interval["high"].is_null()) {
        interval["kind"] = json!("one-sided 95%");
    }
    interval
}

fn value(cell: &Cell) -> Value {
    // JSON has no infinite numbers, so they become null.
    match cell {
        Cell::Missing => Value::Null,
        Cell::Text(text) => json!(text),
        Cell::Count(count) => json!(count),
        Cell::Counts(counts) => json!(counts),
        Cell::Part(part, whole) | Cell::FinePart(part, whole) => {
            json!({"part": part, "whole": whole})
        }
        Cell::Value(value, _) => json!(value),
        Cell::Interval(Interval { low, high }, unit) => {
            one_sided(json!({"low": low, "high": high}), *unit)
        }
        Cell::Estimate(value, Interval { low, high }, unit) => {
            one_sided(json!({"value": value, "low": low, "high": high}), *unit)
        }
    }
}
