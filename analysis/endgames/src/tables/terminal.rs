//! Summaries for people: tables and the longest mates.

use super::files;
use crate::summary::Row;
use anyhow::Context;
use fusion_chess::endgame::Material;
use fusion_chess::rules::RuleSet;
use fusion_jobs::exit::{Failure, NO_INPUT};
use fusion_jobs::stop::Stop;
use fusion_print::table::{Cell, Fields, Kind};
use fusion_print::text::Text;
use std::collections::HashSet;
use std::path::Path;

/// The summaries to show. An empty list selects all.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Rule sets.
    pub rules: Vec<RuleSet>,
    /// Endings.
    pub material: Vec<Material>,
}

/// Returns the requested rows of a folder's summaries. Smaller endings come first. Rule sets are in
/// the requested order, otherwise in the order of their names.
///
/// # Errors
/// Fails if the folder has no summaries or lacks a requested one (exit code 66). Fails if a summary
/// is damaged.
pub fn rows(folder: &Path, choice: &Choice) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let stop = Stop::of_process();
    for material in Material::all(usize::MAX) {
        stop.check_unsaved()?;
        if !choice.material.is_empty() && !choice.material.contains(&material) {
            continue;
        }
        let place = folder.join(material.to_string());
        if choice.rules.is_empty() {
            for rules in summaries(&place)? {
                rows.extend(rows_of(folder, &[(rules, material)])?);
            }
            continue;
        }
        let asked = choice.rules.iter().map(|&rules| (rules, material));
        let there = |(rules, material): &(RuleSet, Material)| {
            let files = files::Files::new(folder, material, rules);
            files.summary.is_file() || !choice.material.is_empty()
        };
        rows.extend(rows_of(folder, &asked.filter(there).collect::<Vec<_>>())?);
    }
    if rows.is_empty() {
        let message = format!(
            "{} has no summary of such endgame tables; make them with fusion endgames \
             build --out {}",
            folder.display(),
            folder.display()
        );
        return Err(Failure::new(NO_INPUT, message).into());
    }
    Ok(rows)
}

/// Returns all rows of these endings.
///
/// # Errors
/// Fails if a summary is missing (exit code 66) or damaged (65).
pub fn rows_of(folder: &Path, endings: &[(RuleSet, Material)]) -> anyhow::Result<Vec<Row>> {
    let (mut rows, mut seen) = (Vec::new(), HashSet::new());
    let stop = Stop::of_process();
    for (rules, material) in endings.iter().filter(|ending| seen.insert(**ending)) {
        stop.check_unsaved()?;
        let files = files::Files::new(folder, material, rules);
        let found = files::read_summary(&files.summary, material, rules)?;
        // Rows get the requested rule set. The file can have another one with the same moves.
        rows.extend(found.into_iter().map(|row| Row { rules: rules.to_string(), ..row }));
    }
    Ok(rows)
}

/// Returns the rule sets of the summaries in a material's folder, by name. Other files are ignored.
fn summaries(folder: &Path) -> anyhow::Result<Vec<RuleSet>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let context = || format!("reading the folder {}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if path.extension().is_some_and(|extension| extension == "csv")
            && let Some(Ok(rules)) = stem.map(str::parse)
        {
            found.push(rules);
        }
    }
    found.sort_by_key(RuleSet::to_string);
    Ok(found)
}

/// Returns the rows grouped by ending and rule set.
fn groups(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|a, b| a.rules == b.rules && a.material == b.material)
}

/// Returns a table of the rows, with the longest mates below it. Shares are those of the stronger
/// side, White.
#[must_use]
pub fn text(rows: &[Row], arrangements: bool) -> Text {
    let parts =
        groups(rows).flat_map(|group| group.chunks(if arrangements { 1 } else { group.len() }));
    let sum = |rows: &[Row], value: fn(&Row) -> u64| rows.iter().map(value).sum::<u64>();
    let share = |part: u64, whole: u64| match whole {
        0 => Cell::Missing,
        _ => Cell::Part(part, whole),
    };
    let of_all =
        move |value| move |rows: &&[Row]| share(sum(rows, value), sum(rows, |row| row.positions));
    let table = Fields::<&[Row]>::default()
        .text("ending", "ending", |rows| ending(&rows[0], arrangements))
        .text("rules", "rules", |rows| rows[0].rules.clone())
        .count("positions", "positions", |rows| sum(rows, |row| row.positions))
        .cells("won", "won", Kind::Number, of_all(|row| row.white_wins))
        .cells("drawn", "drawn", Kind::Number, of_all(|row| row.draws))
        .cells("lost", "lost", Kind::Number, of_all(|row| row.black_wins))
        .cells("won_late", "won late", Kind::Number, |rows| {
            share(sum(rows, |row| row.white_over_100), sum(rows, |row| row.white_wins))
        })
        .count("longest_mate", "longest mate", |rows| {
            longest(rows).map(|(plies, ..)| plies.div_ceil(2).into())
        })
        .whole_table("endgames", "Positions of each ending", parts)
        .droppable("won_late positions lost");
    let mut text = Text::default();
    text.table(table);
    text.gap();
    text.push(format!(
        "Shares are the stronger side’s, over all positions{}. Won late: the share of its wins that take more than 100 plies, beyond the fifty-move rule. Mates in moves.",
        if arrangements { "" } else { " with either side to move, however fused" }
    ));
    for group in groups(rows) {
        if let Some((plies, fen, line)) = longest(group) {
            let Row { material, rules, .. } = &group[0];
            let moves = plies.div_ceil(2);
            text.gap();
            text.line(format!("{material}, {rules}: mate in {moves} from {fen}"));
            text.push(line);
        }
    }
    text
}

/// Returns the name of the ending, or the arrangement of its pieces with the side to move.
fn ending(row: &Row, arrangements: bool) -> String {
    if !arrangements {
        return row.material.clone();
    }
    let side = if row.to_move == 'w' { "White" } else { "Black" };
    format!("{} v {}, {side} to move", row.white, row.black)
}

/// Returns White's longest mate, otherwise Black's: plies, position and line.
fn longest(rows: &[Row]) -> Option<(u16, &str, &str)> {
    let white = rows.iter().filter_map(|row| {
        Some((
            row.white_longest?,
            row.white_longest_fen.as_deref()?,
            row.white_longest_line.as_deref()?,
        ))
    });
    let black = rows.iter().filter_map(|row| {
        Some((
            row.black_longest?,
            row.black_longest_fen.as_deref()?,
            row.black_longest_line.as_deref()?,
        ))
    });
    // Of equally long mates, the first counts.
    let first = |a: (u16, _, _), b: (u16, _, _)| if b.0 > a.0 { b } else { a };
    white.reduce(first).or_else(|| black.reduce(first))
}
