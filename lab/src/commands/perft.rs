//! `perft`: move counts of a position, or a check of a table of counts.

use super::output::Output;
use super::position::Setting;
use anyhow::bail;
use fusion_game::{CompleteGame, MAX_PERFT_DEPTH, RuleSet, files};
use fusion_jobs::exit::{Failure, say};
use fusion_jobs::plain;
use fusion_print::table::Fields;
use fusion_registry::{KnownGame, for_game};
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
    /// Check every row of a CSV file with the columns ruleset, name, position, depth, nodes, and kind
    /// before depth if the game has several kinds of counts. The columns of positions and of counts
    /// may have other names. With --game the columns are variant, fen, depth, nodes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "divide", "rules", "position"])]
    check: Option<PathBuf>,
    /// The file that defines the variants of the table
    #[arg(long, value_name = "FILE", requires = "check")]
    game: Option<String>,
    #[command(flatten)]
    output: Output,
}

/// Counts moves, or checks a table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match (&args.check, args.depth) {
        (Some(path), _) => check(path, args.game.as_deref(), args.output),
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
    kind: String,
    depth: u32,
    nodes: u64,
    /// Counts again.
    count: Box<dyn Fn() -> u64>,
}

/// The columns whose names are checked. That of the position stands between the first two and these;
/// that of the counts is the last.
const BEFORE: [&str; 2] = ["ruleset", "name"];
/// The columns of a table of games that a file defines.
const VARIANTS: [&str; 4] = ["variant", "fen", "depth", "nodes"];
const KIND: &str = "kind";
const DEPTH: &str = "depth";

fn check(path: &Path, game: Option<&str>, output: Output) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for row in read(path, game)? {
        let counted = (row.count)();
        if counted != row.nodes {
            let Row { line, rules, name, kind, depth, nodes, .. } = &row;
            let kind = if kind.is_empty() { String::new() } else { format!("{kind}, ") };
            output.remark(format_args!(
                "{}:{line}: {rules}, {name}, {kind}depth {depth}: the table has {nodes}, counted \
                 {counted}",
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
            .text("kind", "Kind", |(row, _)| row.kind.clone())
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
fn read(path: &Path, game: Option<&str>) -> anyhow::Result<Vec<Row>> {
    let text = plain::text(path, plain::TABLE)?;
    let corrupt = |line: u64, reason: &dyn std::fmt::Display| {
        Failure::corrupt(format!("{}:{line}: {reason}", path.display()))
    };
    let csv_error = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        corrupt(line, &describe(&error))
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns: Vec<&str> = reader.headers().map_err(csv_error)?.iter().collect();
    let has_kind = columns.get(3) == Some(&KIND);
    let depth = 3 + usize::from(has_kind);
    let own = columns.len() == depth + 2 && columns[..2] == BEFORE && columns[depth] == DEPTH;
    if !own && columns != VARIANTS {
        bail!(corrupt(
            1,
            &"the columns must be ruleset,name,position,depth,nodes or \
              ruleset,name,position,kind,depth,nodes, or with --game variant,fen,depth,nodes"
        ));
    }
    if own == game.is_some() {
        bail!(Failure::usage(if own {
            "--game is for tables with the columns variant,fen,depth,nodes"
        } else {
            "the table names variants: --game FILE says which file defines them"
        }));
    }
    if let Some(game) = game {
        plain::open(&files::find(Path::new(game)))?;
    }
    let mut rows = Vec::new();
    for record in reader.into_records() {
        let mut record = record.map_err(csv_error)?;
        let line = record.position().map_or(0, csv::Position::line);
        if let Some(game) = game {
            let [variant, fen, depth, nodes] =
                [0, 1, 2, 3].map(|i| record.get(i).unwrap_or_default());
            let rules = format!("{game}#{variant}");
            record = csv::StringRecord::from(vec![&*rules, variant, fen, depth, nodes]);
        }
        rows.push(row(&record, has_kind, line).map_err(|reason| corrupt(line, &reason))?);
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

fn row(record: &csv::StringRecord, has_kind: bool, line: u64) -> Result<Row, String> {
    let field = |i: usize| record.get(i).unwrap_or_default();
    let [rules, name, position] = [field(0), field(1), field(2)];
    let kind = if has_kind { field(3) } else { "" };
    let last = record.len() - 1;
    let number = |i: usize, what: &str| -> Result<u64, String> {
        field(i).parse().map_err(|_| format!("{what} '{}' is not a number", field(i)))
    };
    let depth = u32::try_from(number(last - 1, DEPTH)?).ok();
    let depth = depth.filter(|&depth| depth <= MAX_PERFT_DEPTH).ok_or("the depth is too large")?;
    let count = for_game!(KnownGame::of_rules(rules), G => {
        counter::<G>(rules, position, kind, depth)
    })?;
    let nodes = number(last, "nodes")?;
    let [rules, name, kind] = [rules, name, kind].map(str::to_owned);
    Ok(Row { line, rules, name, kind, depth, nodes, count })
}

/// Returns a function that counts from a position. Without a kind it counts the sequences of moves.
fn counter<G: CompleteGame>(
    rules: &str,
    text: &str,
    kind: &str,
    depth: u32,
) -> Result<Box<dyn Fn() -> u64>, String> {
    let rules = G::Rules::parse(rules)?;
    let (game, _) =
        G::read_text(&rules, text).map_err(|error| format!("position '{text}': {error}"))?;
    let known = G::COUNTS.iter().copied().find(|&known| known == kind);
    let kind = match kind {
        "" => G::COUNTS[0],
        _ => known.ok_or_else(|| {
            format!("kind '{kind}' is no kind of count; {rules} has {}", G::COUNTS.join(", "))
        })?,
    };
    if !G::counts_at(kind, depth) {
        return Err(format!("{kind} are not counted at depth {depth}"));
    }
    Ok(Box::new(move || game.count(kind, depth)))
}
