//! The printed table: sections of rows. Each row has a label, a figure and a remark.

use std::io::Write;

/// A table with columns of fixed widths, because rows are printed as they are measured.
pub struct Table<W> {
    out: W,
}

impl<W: Write> Table<W> {
    pub fn new(out: W) -> Self {
        Self { out }
    }

    /// Prints a line outside the columns.
    pub fn text(&mut self, text: &str) -> anyhow::Result<()> {
        writeln!(self.out, "{text}")?;
        Ok(self.out.flush()?)
    }

    /// Prints the title of a section.
    pub fn section(&mut self, title: &str) -> anyhow::Result<()> {
        self.text(&format!("\n{title}"))
    }

    /// Prints the title of a part of a section.
    pub fn part(&mut self, title: &str) -> anyhow::Result<()> {
        self.text(&format!("  {title}"))
    }

    /// Prints a label, its figure with the unit, and a remark.
    pub fn row(&mut self, label: &str, figure: &str, remark: &str) -> anyhow::Result<()> {
        let line = format!("    {label:<30} {figure:>18}   {remark}");
        self.text(line.trim_end())
    }
}

/// Formats a number with commas between thousands.
pub fn commas(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let first = digits.len() % 3;
    let sign = if number < 0.0 && digits != "0" { "-" } else { "" };
    let mut text = String::from(sign);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && i % 3 == first {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let table =
            [(0.0, "0"), (999.4, "999"), (1000.0, "1,000"), (-123.0, "-123"), (-1234.5, "-1,234")];
        for (number, text) in table {
            assert_eq!(commas(number), text);
        }
    }

    #[test]
    fn columns_line_up() {
        let mut out = Vec::new();
        let mut table = Table::new(&mut out);
        table.row("a", "1 x", "first").unwrap();
        table.row("bc", "20 x", "").unwrap();
        let text = String::from_utf8(out).unwrap();
        let ends: Vec<_> = text.lines().map(|line| line.find('x').unwrap()).collect();
        assert_eq!(ends[0], ends[1]);
        assert!(text.ends_with("20 x\n"), "{text:?}");
    }
}
