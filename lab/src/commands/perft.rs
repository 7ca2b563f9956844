//! `perft`: move counts of a position, or a check of a table of counts.

use super::output::Output;
use super::position::Setting;
use anyhow::{Context, bail};
use fusion_game::{CompleteGame, MAX_PERFT_DEPTH, RuleSet};
use fusion_jobs::exit::{Failure, say};
use fusion_registry::{KnownGame, for_game};
use fusion_report::table::Fields;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `perft`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    setting: Setting,
    /// Plies to count
    #[arg(long, value_name = "PLIES", required_unless_present = "check",
        value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_PERFT_DEPTH)))]
    depth: Option<u32>,
    /// List the count below each move
    #[arg(long)]
    divide: bool,
    /// Check every row of a CSV file with the columns ruleset, name, position, depth, nodes; the
    /// column of positions may have another name
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "divide", "rules", "position"])]
    check: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// Counts moves, or checks a table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match (&args.check, args.depth) {
        (Some(path), _) => check(path, args.output),
        (None, Some(depth)) => for_game!(args.setting.known_game(), G => {
            count(&args.setting.game::<G>()?, depth, args.divide, args.output)
        }),
        // The argument parser requires one of the two.
        (None, None) => bail!(Failure::usage("--depth or --check is needed")),
    }
}

fn count<G: CompleteGame>(
    game: &G,
    depth: u32,
    divide: bool,
    output: Output,
) -> anyhow::Result<()> {
    let divide = divide && depth > 0;
    let counts: Vec<(String, u64)> = if divide {
        game.divide(depth).into_iter().map(|(mv, nodes)| (game.move_text(mv), nodes)).collect()
    } else {
        vec![(String::new(), game.perft(depth))]
    };
    if output.json {
        let fields = Fields::<(String, u64)>::default()
            .text("move", "Move", |(mv, _)| mv.clone())
            .count("nodes", "Nodes", |(_, nodes)| *nodes);
        let keys = if divide { "move nodes" } else { "nodes" };
        output.print_table(fields.table("perft", "Legal move sequences", keys, counts));
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    if divide {
        counts.iter().try_for_each(|(mv, nodes)| writeln!(out, "{mv:<5}  {nodes}"))?;
        write!(out, "total  ")?;
    }
    writeln!(out, "{}", counts.iter().map(|(_, nodes)| nodes).sum::<u64>())?;
    Ok(())
}

/// A row of a table of counts.
struct Row {
    line: u64,
    rules: String,
    name: String,
    depth: u32,
    nodes: u64,
    /// Counts the moves of the row's position to a depth.
    count: Box<dyn Fn(u32) -> u64>,
}

/// The columns before and after that of the position, which each game names as it likes.
const BEFORE: [&str; 2] = ["ruleset", "name"];
const AFTER: [&str; 2] = ["depth", "nodes"];

fn check(path: &Path, output: Output) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for row in read(path)? {
        let counted = (row.count)(row.depth);
        if counted != row.nodes {
            let Row { line, rules, name, depth, nodes, .. } = &row;
            output.remark(format_args!(
                "{}:{line}: {rules}, {name}, depth {depth}: the table has {nodes}, counted {counted}",
                path.display()
            ));
        }
        rows.push((row, counted));
    }
    let wrong = rows.iter().filter(|(row, counted)| row.nodes != *counted).count();
    let all = rows.len();
    if output.json {
        let fields = Fields::<(Row, u64)>::default()
            .count("line", "Line", |(row, _)| row.line)
            .text("rules", "Rule set", |(row, _)| row.rules.clone())
            .text("name", "Name", |(row, _)| row.name.clone())
            .count("depth", "Depth", |(row, _)| u64::from(row.depth))
            .count("nodes", "Nodes in the file", |(row, _)| row.nodes)
            .count("counted", "Nodes counted", |(_, counted)| *counted);
        output.print_table(fields.whole_table("perft", "Checked counts", rows));
    } else {
        say(format_args!("{all} rows checked, {} agree, {wrong} differ", all - wrong));
    }
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
    let columns: Vec<&str> = reader.headers().map_err(csv_error)?.iter().collect();
    if columns.len() != 5 || columns[..2] != BEFORE || columns[3..] != AFTER {
        bail!(corrupt(1, &"the columns must be ruleset,name,position,depth,nodes"));
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
    let [rules, name, position] = [field(0), field(1), field(2)];
    let count = for_game!(KnownGame::of_rules(rules), G => counter::<G>(rules, position))?;
    let number = |i: usize| -> Result<u64, String> {
        field(i).parse().map_err(|_| format!("{} '{}' is not a number", AFTER[i - 3], field(i)))
    };
    let depth = u32::try_from(number(3)?).ok().filter(|&depth| depth <= MAX_PERFT_DEPTH);
    let depth = depth.ok_or("the depth is too large")?;
    Ok(Row { line, rules: rules.into(), name: name.into(), depth, nodes: number(4)?, count })
}

/// Returns a function that counts the moves of a position.
fn counter<G: CompleteGame>(rules: &str, text: &str) -> Result<Box<dyn Fn(u32) -> u64>, String> {
    let rules = G::Rules::parse(rules)?;
    let game = G::from_text(&rules, text).map_err(|error| format!("position '{text}': {error}"))?;
    Ok(Box::new(move |depth| game.perft(depth)))
}
