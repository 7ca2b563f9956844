//! What the game itself is like: its pieces, moves and openings, forced wins, and what few pieces win.

use super::*;
use fusion_print::format::percent;
use fusion_results::facts::{Deeds, Opening, Pieces};
use fusion_runner::forced::ForcedRow;
use fusion_runner::technique::TechniqueResult;

/// The names of the tables.
pub(crate) const NAMES: [&str; 5] = ["pieces", "moves", "own-lines", "forced", "technique"];
/// Share of the positions below which a kind of piece that hardly moves is named.
const DEAD: f64 = 0.02;

/// A kind of piece under a rule set.
type Item<'a> = (&'a Pieces, &'a Deeds);

fn moves(of: &Pieces) -> u64 {
    of.kinds.iter().map(|deeds| deeds.moves).sum()
}

fn captures(of: &Pieces) -> u64 {
    of.kinds.iter().map(|deeds| deeds.captures).sum()
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn piece_fields<'a>() -> Fields<'static, Item<'a>> {
    Fields::<Item>::default()
        .text("rules", "Rule set", |(of, _)| of.rules.clone())
        .text("piece", "Piece", |(_, deeds)| deeds.name.clone())
        .count("start", "At the start", |(_, deeds)| deeds.start)
        .value("value", "Value", Decimals(2), |(_, deeds)| deeds.value.map(|of| of.0))
        .interval("value95", "95% interval", Decimals(2), |(_, deeds)| deeds.value.map(|of| of.1))
        .text("unit", "Unit", |(of, _)| of.unit.clone().unwrap_or_default())
        .count("moves", "Moves", |(_, deeds)| deeds.moves)
        .share("share_of_moves", ("Of all moves", "of moves"), |(of, deeds)| {
            share(deeds.moves, moves(of))
        })
        .count("captures", "Captures", |(_, deeds)| deeds.captures)
        .share("share_of_captures", ("Of all captures", "of captures"), |(of, deeds)| {
            share(deeds.captures, captures(of))
        })
        .count("captured", ("Captured", "captured"), |(_, deeds)| deeds.captured)
        .share("could_move", ("Could move", "could move"), |(_, deeds)| {
            share(deeds.free, deeds.present)
        })
}

fn pieces(report: &Report) -> impl Iterator<Item = Item<'_>> {
    report.facts.pieces.iter().flat_map(|of| of.kinds.iter().map(move |deeds| (of, deeds)))
}

fn move_fields() -> Fields<'static, Pieces> {
    Fields::<Pieces>::default()
        .text("rules", "Rule set", |of| of.rules.clone())
        .count("games", "Games", |of| of.games)
        .count("plies", "Plies", |of| of.plies)
        .value("choices", "Moves to choose from", Decimals(1), |of| of.choices)
        .count("most_choices", "At most", |of| of.most_choices)
}

fn opening_fields() -> Fields<'static, Opening> {
    Fields::<Opening>::default()
        .text("rules", "Rule set", |of| of.rules.clone())
        .count("plies", "Plies", |of| of.plies as u64)
        .text("line", "Opening", |of| of.line.clone())
        .count("games", "Games", |of| of.games)
        .share("share", "Of the games", |of| share(of.games, of.all))
        .share("score", "First player’s score", |of| {
            let [won, drawn] = of.results;
            Some((won as f64 + 0.5 * drawn as f64) / of.games as f64)
        })
        .share("draws", "Drawn", |of| share(of.results[1], of.games))
}

fn forced_fields() -> Fields<'static, ForcedRow> {
    Fields::<ForcedRow>::default()
        .text("rules", "Rule set", |row| row.rules.clone())
        .count("start", "Start", |row| row.start)
        .count("nodes", "Positions searched", |row| row.nodes)
        .count("depth", "Plies ahead", |row| u64::try_from(row.depth).unwrap_or_default())
        .text("winner", "Forced win of", |row| {
            row.winner.clone().unwrap_or_else(|| "none found".into())
        })
        .count("plies", "In plies", |row| row.plies.and_then(|plies| u64::try_from(plies).ok()))
        .text("line", "Line", |row| row.line.clone())
}

fn technique_fields() -> Fields<'static, TechniqueResult> {
    Fields::<TechniqueResult>::default()
        .text("rules", "Rule set", |row| row.rules.clone())
        .text("pieces", "Pieces", |row| row.pieces.clone())
        .count("nodes", "Nodes", |row| u64::from(row.nodes))
        .count("games", "Games", |row| row.games)
        .count("won", "Won", |row| row.mates)
        .share("share", "Won", |row| share(row.mates, row.games))
        .value("mean_plies", "Plies to the win", Decimals(0), |row| row.mean_plies)
}

pub(super) fn files(report: &Report) -> Vec<Table> {
    vec![
        piece_fields().whole_table(NAMES[0], "Pieces", pieces(report)),
        move_fields().whole_table(NAMES[1], "Moves", &report.facts.pieces),
        opening_fields().whole_table(
            NAMES[2],
            "Openings of the players’ own",
            &report.facts.openings,
        ),
        forced_fields().whole_table(NAMES[3], "Forced wins from the start", &report.run.forced),
        technique_fields().whole_table(NAMES[4], "Small forces", &report.run.technique),
    ]
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let keys = "rules piece value share_of_moves share_of_captures could_move";
    let table = piece_fields().table("pieces", "What the pieces do", keys, pieces(report));
    let table = table.unless_empty().map(|table| Paragraph::Table(table.droppable("could_move")));
    let sentences = forced_sentences(report).into_iter().map(Paragraph::Text);
    table.into_iter().chain(sentences).collect()
}

/// Says what the searches of the initial positions found.
fn forced_sentences(report: &Report) -> Vec<String> {
    let players = report.run.game.players();
    let sentence = |row: &ForcedRow| {
        let start = if row.start > 0 { format!(" (start {})", row.start) } else { String::new() };
        match (&row.winner, row.plies) {
            (Some(winner), Some(plies)) => {
                let side = players[usize::from(winner == "second")];
                format!(
                    "{}{start}: {side} wins by force in {plies} plies: {}.",
                    row.rules, row.line
                )
            }
            _ => format!(
                "{}{start}: no forced win from the start was found in {} positions by a search that leaves out moves that look bad, nominally {} plies deep.",
                row.rules,
                count(row.nodes),
                row.depth
            ),
        }
    };
    report.run.forced.iter().map(sentence).collect()
}

/// Names the kinds of pieces that hardly take part.
fn dead(of: &Pieces) -> Option<String> {
    let is_dead = |deeds: &&Deeds| {
        deeds.start > 0
            && (deeds.present == 0
                || share(deeds.free, deeds.present).is_some_and(|free| free < DEAD)
                || share(deeds.moves, moves(of)).is_some_and(|moved| moved < DEAD / 4.0))
    };
    let names: Vec<&str> =
        of.kinds.iter().filter(is_dead).map(|deeds| deeds.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("{}: hardly used: {}.", of.rules, names.join(", ")))
}

/// Returns the blocks about the pieces under a rule set.
fn piece_blocks(of: &Pieces) -> Vec<Block> {
    let keys = "piece start value value95 share_of_moves share_of_captures captured could_move";
    let items = of.kinds.iter().map(|deeds| (of, deeds));
    let id = format!("pieces-{}", crate::figures::data::slug(&of.rules));
    let unit =
        of.unit.as_ref().map_or(String::new(), |unit| format!("; value in units of: {unit}"));
    let title = format!("{}, {} games{unit}", of.rules, count(of.games));
    let table = piece_fields().table(&id, &title, keys, items);
    let mut blocks = vec![Block::Table(table)];
    blocks.push(Block::Paragraph(format!(
        "{}: a position has {:.1} legal moves on average, {} at most.",
        of.rules, of.choices, of.most_choices
    )));
    blocks.extend(dead(of).map(Block::Paragraph));
    blocks
}

/// Returns the section, if the study asks for it.
pub(super) fn page(report: &Report) -> Option<Section> {
    let run = &report.run;
    if run.forced.is_empty() && run.technique.is_empty() {
        return None;
    }
    let about = format!(
        "From the games at {} nodes a move, without their openings. Value: least squares of the results by a logistic curve of the difference in pieces, at quiet positions; intervals by resampling games. A kind that too few games have more of on one side has none. Could move: share of the positions with such a piece in which one of them can move.",
        count(report.main_nodes)
    );
    let section = Section::new("game", "The game", "The game").folded();
    let section = section.with([Block::Fine(about)]);
    let section = section.with(report.facts.pieces.iter().flat_map(piece_blocks));
    let rules = if report.main_arms().count() > 1 { "rules " } else { "" };
    let openings = opening_fields().table(
        "own-lines",
        "Openings that the players chose themselves",
        &format!("{rules}line games share score draws"),
        &report.facts.openings,
    );
    let section = section.with(openings.unless_empty().map(Block::Table));
    let section = section.with(forced_sentences(report).into_iter().map(Block::Paragraph));
    let technique = technique_fields().table(
        "technique",
        "What small forces win",
        &format!("{rules}pieces games won mean_plies"),
        &run.technique,
    );
    let table = technique.unless_empty().map(Block::Table);
    Some(section.with(table).with(technique_words(report).map(Block::Fine)))
}

fn technique_words(report: &Report) -> Option<String> {
    let rows = &report.run.technique;
    let nodes = rows.first()?.nodes;
    let (won, games) =
        rows.iter().fold((0, 0), |(won, games), row| (won + row.mates, games + row.games));
    Some(format!(
        "From random positions, by the same player on both sides at {} nodes a move: {} of all these games were won. What it does not win, a stronger player may.",
        count(nodes.into()),
        percent(share(won, games)?)
    ))
}
