//! Tables as CSV. Shares and differences are fractions of one with six decimals. A number that does
//! not exist is an empty field.

use super::{Cell, Kind, Table, Unit};

impl Table {
    /// Renders the table as CSV (RFC 4180), with the keys as its header.
    ///
    /// # Errors
    /// Returns the CSV writer's errors, which do not occur in writing to memory.
    pub fn to_csv(&self) -> anyhow::Result<Vec<u8>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().flat_map(|column| match column.kind {
            Kind::Interval => ["low", "high"].map(|limit| format!("{}_{limit}", column.key)).into(),
            _ => vec![column.key.clone()],
        }))?;
        for row in &self.rows {
            let cells = self.columns.iter().zip(row);
            writer.write_record(cells.flat_map(|(column, cell)| match (cell, column.kind) {
                (Cell::Interval(interval, _), _) => vec![limit(interval.low), limit(interval.high)],
                (_, Kind::Interval) => vec![String::new(); 2],
                (cell, _) => vec![field(cell)],
            }))?;
        }
        Ok(writer.into_inner().map_err(|error| error.into_error())?)
    }
}

fn field(cell: &Cell) -> String {
    match cell {
        Cell::Missing | Cell::Interval(..) => String::new(),
        Cell::Text(text) => no_formula(text),
        Cell::Counts(_) => cell.format(),
        Cell::Count(count) => count.to_string(),
        Cell::Part(part, whole) | Cell::FinePart(part, whole) => {
            number(*part as f64 / *whole as f64)
        }
        // Small p-values and large e-values need their exponent.
        Cell::Value(value, Unit::PValue | Unit::Magnitude) => format!("{value:.6e}"),
        Cell::Value(value, _) | Cell::Estimate(value, ..) => number(*value),
    }
}

/// Renders a text so that a spreadsheet shows it and does not compute it: a text that begins like a
/// formula gets an apostrophe before it, and a number does not.
fn no_formula(text: &str) -> String {
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins && text.parse::<f64>().is_err() { format!("'{text}") } else { text.to_owned() }
}

/// Renders a limit of an interval. An infinite limit is an empty field.
fn limit(value: f64) -> String {
    if value.is_finite() { number(value) } else { String::new() }
}

/// Renders a number with six decimals, and zero without a minus sign.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    if text == "-0.000000" { "0.000000".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_formulas() {
        for text in ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "-2+3", "=HYPERLINK(\"x\")"]
        {
            assert_eq!(field(&Cell::Text(text.to_owned())), format!("'{text}"));
        }
        for text in ["-1.5", "+2", "-3e-4", "a=1", "fusion-2020,castling=no", "", "'"] {
            assert_eq!(field(&Cell::Text(text.to_owned())), text);
        }
    }
}
