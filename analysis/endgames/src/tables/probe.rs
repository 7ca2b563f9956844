//! Probing of one position.

use crate::line::{self, Choice};
use fusion_chess::board::{Color, Position};
use fusion_chess::endgame::{MAX_COMPONENTS, Material, Tables, Value};
use fusion_chess::notation::san::san;
use fusion_chess::rules::RuleSet;
use fusion_jobs::exit::{Failure, note};
use fusion_study::failure;
use std::io::Write;
use std::path::Path;

/// Prints a position's value, the best line, and every move with its result.
///
/// # Errors
/// Fails if the FEN cannot be parsed (64), or if tables are damaged (65) or missing (66).
pub fn run(
    folder: &Path,
    rules: &RuleSet,
    fen: &str,
    terminal: &mut impl Write,
) -> anyhow::Result<()> {
    let (position, remarks) = Position::read_fen(rules, fen)
        .map_err(|error| Failure::usage(format!("the FEN '{fen}': {error}")))?;
    remarks.iter().for_each(|remark| note(format_args!("the FEN: {remark}")));
    let Some((material, _)) = Material::of(&position) else {
        let message = format!(
            "tables have no positions with Pawns, castling rights or more than {MAX_COMPONENTS} \
             components, Kings included"
        );
        return Err(Failure::usage(message).into());
    };
    let tables = Tables::open(folder, rules).map_err(|error| failure(error.into()))?;
    let known = |position: &Position| tables.value(position);
    let choices = line::choices(&position, rules, known);
    let (Some(value), Some(choices)) = (tables.value(&position), choices) else {
        let wanted = [material].into_iter().chain(material.descendants());
        let missing = wanted.filter(|wanted| wanted.len() > 2 && tables.table(wanted).is_none());
        let missing: Vec<String> = missing.map(|material| material.to_string()).collect();
        let message = format!(
            "{} lacks {} under {rules}; build what is missing with fusion \
             endgames build --out {} --rules {rules} --material {material}",
            folder.display(),
            missing.join(", "),
            folder.display()
        );
        return Err(Failure::new(fusion_jobs::exit::NO_INPUT, message).into());
    };
    let side = if position.side_to_move() == Color::White { "White" } else { "Black" };
    writeln!(
        terminal,
        "{material} under {rules}: {side} to move {}",
        verdict(value, &position, rules)
    )?;
    let best = line::best(position, rules, known);
    if !best.is_empty() {
        writeln!(terminal, "{}", line::text(&position, &best))?;
    }
    for Choice { mv, after } in choices {
        let san = san(&position, rules, mv);
        writeln!(terminal, "{san:<8} {:<6} {}", mv.to_string(), outlook(after))?;
    }
    Ok(())
}

fn verdict(value: Value, position: &Position, rules: &RuleSet) -> String {
    let clock = position.halfmove_clock();
    let most = rules.move_limit.plies().unwrap_or(u16::MAX);
    let late = value.plies().is_some_and(|plies| plies.saturating_add(clock) > most);
    let fifty = match most / 2 {
        _ if !late => String::new(),
        50 => "; the fifty-move rule may come first".into(),
        moves => format!("; the draw after {moves} moves may come first"),
    };
    match value {
        Value::Draw => "draws".into(),
        Value::Win(plies) => format!("mates in {} ({plies} plies){fifty}", plies.div_ceil(2)),
        Value::Loss(0) => "is checkmated".into(),
        Value::Loss(plies) => format!("is mated in {} ({plies} plies){fifty}", plies / 2),
    }
}

/// Returns the result of a move, for the side that makes it.
fn outlook(after: Value) -> String {
    match after {
        Value::Draw => "draws".into(),
        Value::Loss(0) => "mates".into(),
        Value::Loss(plies) => format!("wins, mate in {}", plies / 2 + 1),
        Value::Win(plies) => format!("loses, mated in {}", plies.div_ceil(2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The draw that may come first is that of the rule set.
    #[test]
    fn late_wins_depend_on_the_length_of_the_move_rule() {
        for (rules, clock, said) in [
            ("orthodox", 0, "mates in 15 (29 plies)"),
            ("orthodox", 90, "mates in 15 (29 plies); the fifty-move rule may come first"),
            ("orthodox,move-limit=none", 90, "mates in 15 (29 plies)"),
            (
                "orthodox,move-limit=10",
                0,
                "mates in 15 (29 plies); the draw after 10 moves may come first",
            ),
        ] {
            let rules: RuleSet = rules.parse().unwrap();
            let fen = format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 60");
            let position = Position::from_fen(&rules, &fen).unwrap();
            assert_eq!(verdict(Value::Win(29), &position, &rules), said, "{rules}");
        }
    }
}
