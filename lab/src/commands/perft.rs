//! `perft`: move counts of a position, or a check of a table of counts.

use super::position::Setting;
use anyhow::{Context, bail};
use fusion_chess::board::{Position, perft};
use fusion_chess::rules::RuleSet;
use fusion_jobs::escape::Escaped;
use fusion_jobs::exit::Failure;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `perft`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    setting: Setting,
    /// Plies to count.
    #[arg(long, value_name = "PLIES", required_unless_present = "check",
        value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)))]
    depth: Option<u32>,
    /// Lists the count below each move.
    #[arg(long)]
    divide: bool,
    /// Checks every row of a CSV file with the columns ruleset,name,fen,depth,nodes.
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["depth", "divide", "rules", "fen"])]
    check: Option<PathBuf>,
}

/// Counts moves, or checks a table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match (&args.check, args.depth) {
        (Some(path), _) => check(path),
        (None, Some(depth)) => count(&args.setting, depth, args.divide),
        // The argument parser requires one of the two.
        (None, None) => bail!(Failure::usage("--depth or --check is needed")),
    }
}

fn count(setting: &Setting, depth: u32, divide: bool) -> anyhow::Result<()> {
    let position = setting.position()?;
    let mut out = std::io::stdout().lock();
    if !divide || depth == 0 {
        writeln!(out, "{}", perft::perft(&position, &setting.rules, depth))?;
        return Ok(());
    }
    let mut total = 0;
    for (mv, nodes) in perft::divide(&position, &setting.rules, depth) {
        writeln!(out, "{:<5}  {nodes}", mv.to_string())?;
        total += nodes;
    }
    writeln!(out, "total  {total}")?;
    Ok(())
}

/// A row of a table of counts.
struct Row {
    line: u64,
    rules: RuleSet,
    name: String,
    position: Position,
    depth: u32,
    nodes: u64,
}

const COLUMNS: [&str; 5] = ["ruleset", "name", "fen", "depth", "nodes"];

fn check(path: &Path) -> anyhow::Result<()> {
    let rows = read(path)?;
    let mut out = Escaped::new(std::io::stdout().lock());
    let mut wrong = 0;
    for Row { line, rules, name, position, depth, nodes } in &rows {
        let counted = perft::perft(position, rules, *depth);
        if counted != *nodes {
            wrong += 1;
            let place = format!("{}:{line}", path.display());
            writeln!(
                out,
                "{place}: {rules}, {name}, depth {depth}: the table has {nodes}, counted {counted}"
            )?;
        }
    }
    let rows = rows.len();
    writeln!(out, "{rows} rows checked, {} agree, {wrong} differ", rows - wrong)?;
    if wrong > 0 {
        bail!("{wrong} of the move counts in {} are wrong", path.display());
    }
    Ok(())
}

/// Reads the whole table, so that a malformed row is reported before any counting.
fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let corrupt = |line: u64, reason: &dyn std::fmt::Display| {
        Failure::corrupt(format!("{}:{line}: {reason}", path.display()))
    };
    let csv_error = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        corrupt(line, &describe(&error))
    };
    let mut reader = csv::Reader::from_reader(file);
    if reader.headers().map_err(csv_error)? != COLUMNS[..] {
        bail!(corrupt(1, &format!("the columns must be {}", COLUMNS.join(","))));
    }
    let mut rows = Vec::new();
    for record in reader.into_records() {
        let record = record.map_err(csv_error)?;
        let line = record.position().map_or(0, csv::Position::line);
        rows.push(row(&record, line).map_err(|reason| corrupt(line, &reason))?);
    }
    if rows.is_empty() {
        bail!(corrupt(1, &"there are no rows"));
    }
    Ok(rows)
}

/// Returns a CSV error's text without the place, which the caller adds.
fn describe(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!(
            "{len} fields instead of {expected_len}; a rule set with commas must be in quotes"
        ),
        csv::ErrorKind::Utf8 { .. } => "not UTF-8".into(),
        _ => error.to_string(),
    }
}

fn row(record: &csv::StringRecord, line: u64) -> Result<Row, String> {
    let field = |i: usize| record.get(i).unwrap_or_default();
    let rules: RuleSet =
        field(0).parse().map_err(|error: fusion_chess::rules::RulesError| error.to_string())?;
    let position = Position::from_fen(&rules, field(2))
        .map_err(|error| format!("FEN '{}': {error}", field(2)))?;
    let number = |i: usize| -> Result<u64, String> {
        field(i).parse().map_err(|_| format!("{} '{}' is not a number", COLUMNS[i], field(i)))
    };
    let depth = u32::try_from(number(3)?).ok().filter(|&depth| depth <= perft::MAX_DEPTH);
    let depth = depth.ok_or("the depth is too large")?;
    Ok(Row { line, rules, name: field(1).into(), position, depth, nodes: number(4)? })
}
