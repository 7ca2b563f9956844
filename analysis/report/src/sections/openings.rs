//! Games from openings that the agents chose themselves, and games of random movers.

use super::*;
use fusion_chess::game::{DEAD_POSITION, FIFTY_MOVE, STALEMATE, THREEFOLD};
use fusion_runner::random::RandomRow;

fn own_openings(report: &Report) -> Table {
    let keys = "rules nodes games opening_entropy_with_interval draw_share draw_wilson95 \
        distinct_games";
    let title = "Openings that each rule set’s agent chose itself, by the visits of its search";
    arms::fields().table("own-openings", title, keys, &report.own_openings)
}

fn random_fields() -> Fields<'static, RandomRow> {
    let share = |row: &RandomRow, count: u64| count as f64 / row.games as f64;
    let mut fields = Fields::<RandomRow>::default()
        .text("rules", "Rule set", |row| row.rules.clone())
        .count("games", "Games", |row| row.games)
        .count("white_wins", "White wins", |row| row.wins[0])
        .count("black_wins", "Black wins", |row| row.wins[1])
        .value("checkmate_share", "Checkmate", FineShare, move |row| share(row, row.won()));
    for (key, heading, ending) in [
        ("stalemate", "Stalemate", STALEMATE),
        ("threefold", "Threefold", THREEFOLD),
        ("fifty_move", "Fifty-move", FIFTY_MOVE),
        ("dead_position", "Dead position", DEAD_POSITION),
    ] {
        fields = fields.count(key, heading, move |row| row.drawn_by(ending)).value(
            &format!("{key}_share"),
            heading,
            FineShare,
            move |row| share(row, row.drawn_by(ending)),
        );
    }
    fields.value("drawn_share", "Drawn", FineShare, move |row| share(row, row.drawn())).value(
        "mean_plies",
        "Plies a game",
        Decimals(1),
        |row| row.plies as f64 / row.games as f64,
    )
}

pub(super) fn random_file(report: &Report) -> Table {
    let keys = "rules games white_wins black_wins stalemate threefold fifty_move dead_position \
        mean_plies";
    random_fields().table("random", "Random movers", keys, &report.run.random)
}

fn random(report: &Report) -> Table {
    let keys = "rules games checkmate_share stalemate_share threefold_share \
        fifty_move_share dead_position_share drawn_share mean_plies";
    let title = "Random movers, from the initial position";
    random_fields().table("random", title, keys, &report.run.random)
}

const ENTROPY: &str = "Entropy: how many bits of choice these openings hold, the sum of the entropies of what each ply was drawn from.";

/// Returns the section. Its tables stand below those of the agents, without a heading.
pub(super) fn page(report: &Report) -> Option<Section> {
    let own = own_openings(report).unless_empty();
    let own = own.map(|table| [Block::Table(table), Block::Fine(ENTROPY.into())]);
    let section = Section::unlisted("", "")
        .with(own.into_iter().flatten())
        .with(random(report).unless_empty().map(Block::Table));
    (!section.blocks.is_empty()).then_some(section)
}
