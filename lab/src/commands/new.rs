//! `new`: a file that defines games, checked and tried.

use super::output::Output;
use fusion_fairy::ini::{File, Problem, Problems};
use fusion_fairy::rules::{FairyRules, sentences};
use fusion_fairy::trial::{Deeds, Trial};
use fusion_fairy::{Definition, FairyGame};
use fusion_game::{Describe, Game};
use fusion_jobs::exit::Failure;
use fusion_jobs::plain;
use fusion_print::table::Fields;
use fusion_print::text::{Paragraph, Text};
use fusion_study::rule_set;
use std::path::Path;

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file in the format of variants.ini, or one of its games: games/my.ini#my-game
    #[arg(value_name = "FILE[#GAME]")]
    file: String,
    /// Random games to play
    #[arg(long, value_name = "N", default_value_t = 1_000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Seed of the random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Shows what the games of a file are, and reports what is wrong with the others.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (path, section) = match args.file.split_once('#') {
        Some((path, section)) => (path, Some(section)),
        None => (&*args.file, None),
    };
    let text = plain::text(Path::new(path), plain::TABLE)?;
    let corrupt = |problems: Problems| Failure::corrupt(problems.to_string());
    let file = File::parse(path, &text).map_err(corrupt)?;
    let mut problems: Vec<Problem> = Vec::new();
    let mut games = Vec::new();
    if section.is_some() {
        games.push(rule_set::<FairyGame>(&args.file)?);
    } else {
        for section in file.sections() {
            match file.resolve(section, &[]) {
                // Sections share the problems of their parents.
                Err(found) => problems.extend(
                    found.0.into_iter().filter(|new| !problems.contains(new)).collect::<Vec<_>>(),
                ),
                Ok(_) => games.push(rule_set::<FairyGame>(&format!("{path}#{section}"))?),
            }
        }
    }
    if args.output.json {
        let row = |rules: &FairyRules| (*rules, Trial::play(*rules, args.games, args.seed));
        let rows = games.iter().map(row).collect::<Vec<Row>>();
        args.output.print_table(fields().whole_table("new", "Games", rows));
    } else {
        let mut out = Text::default();
        for rules in games {
            show(&mut out, rules, &Trial::play(rules, args.games, args.seed));
        }
        args.output.print(&out);
    }
    if problems.is_empty() { Ok(()) } else { Err(corrupt(Problems(problems)).into()) }
}

type Row = (FairyRules, Trial);

fn fields() -> Fields<'static, Row> {
    Fields::<Row>::default()
        .text("rules", "Rule set", |(rules, _)| rules.to_string())
        .count("games", "Random games", |(_, trial)| u64::from(trial.games))
        .count("first", "Won by White", |(_, trial)| u64::from(trial.results[0]))
        .count("drawn", "Drawn", |(_, trial)| u64::from(trial.results[1]))
        .count("second", "Won by Black", |(_, trial)| u64::from(trial.results[2]))
        .count("endless", "Not ended", |(_, trial)| u64::from(trial.results[3]))
        .count("plies", "Plies", |(_, trial)| trial.plies)
        .text("warnings", "Warnings", |(rules, trial)| trial.warnings(*rules).join(" "))
}

fn show(out: &mut Text, rules: FairyRules, trial: &Trial) {
    let definition = rules.definition();
    out.line(rules.to_string());
    out.gap();
    FairyGame::new(&rules).diagram().lines().for_each(|line| out.line(format!("    {line}")));
    out.gap();
    for sentence in sentences(rules.tables()) {
        out.0.push(Paragraph::Item("  - ".into(), sentence));
    }
    out.gap();
    let share = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
    let [first, drawn, second, endless] = trial.results;
    let of_games = |count: u32| share(count.into(), u64::from(trial.games));
    out.push(format!(
        "{} random games: White won {:.1}%, {:.1}% were drawn, Black won {:.1}%; {endless} did not end. A game took \
         {:.0} plies, and a position had {:.0} moves.",
        trial.games,
        of_games(first),
        of_games(drawn),
        of_games(second),
        trial.plies as f64 / f64::from(trial.games.max(1)),
        trial.choices as f64 / trial.plies.max(1) as f64,
    ));
    let endings: Vec<String> =
        trial.endings.iter().map(|(name, count)| format!("{name} {count}")).collect();
    out.push(format!("Endings: {}.", endings.join(", ")));
    pieces(out, definition, trial);
    let warnings = trial.warnings(rules);
    for remark in rules.remarks() {
        out.0.push(Paragraph::Item("note: ".into(), remark.clone()));
    }
    if warnings.is_empty() {
        out.push("Nothing looks wrong.");
    }
    for warning in warnings {
        out.0.push(Paragraph::Item("warning: ".into(), warning));
    }
    out.gap();
}

/// Adds a table of what the pieces did.
fn pieces(out: &mut Text, definition: &Definition, trial: &Trial) {
    let moves: u64 = trial.deeds.iter().map(|deeds| deeds.moves).sum();
    let captures: u64 = trial.deeds.iter().map(|deeds| deeds.captures).sum();
    let share = |part: u64, of: u64| format!("{:.1}%", 100.0 * part as f64 / of.max(1) as f64);
    type Row = (String, Deeds);
    let name = |kind: usize| {
        let name = fusion_fairy::names::name(definition, kind as u8);
        format!("{} {name}", definition.pieces[kind].letter)
    };
    let rows = (0..definition.pieces.len()).map(name).zip(trial.deeds.iter().copied());
    let rows: Vec<Row> = rows.collect();
    let fields = Fields::<Row>::default()
        .text("piece", "piece", |(piece, _)| piece.clone())
        .text("moves", "moves", move |(_, deeds)| share(deeds.moves, moves))
        .text("captures", "captures", move |(_, deeds)| share(deeds.captures, captures))
        .text("free", "could move", move |(_, deeds)| share(deeds.free, deeds.present));
    out.table(fields.whole_table("pieces", "Shares of the pieces in random games", rows));
}
