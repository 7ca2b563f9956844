//! Games from openings that the agents chose themselves, and games of random movers.

use super::{Block, Section, arms};
use crate::report::Report;
use crate::table::{Fields, Table, Unit};
use fusion_runner::random::RandomRow;

fn own_openings(report: &Report) -> Table {
    let keys = "rules nodes games opening_entropy_with_interval draw_share draw_wilson95 \
        distinct_games";
    let title = "Openings that each rule set’s agent chose itself, by the visits of its search";
    arms::fields().table("own-openings", title, keys, &report.own_openings)
}

/// Reads one kind of ending off a row.
type Count = fn(&RandomRow) -> u64;

fn random_fields() -> Fields<'static, RandomRow> {
    let mut fields = Fields::<RandomRow>::new()
        .text("rules", "Rule set", |row| row.rules.clone())
        .count("games", "Games", |row| row.games);
    let counts: [(&str, &str, Count); 8] = [
        ("white_wins", "White wins", |row| row.white_wins),
        ("black_wins", "Black wins", |row| row.black_wins),
        ("checkmate", "Checkmate", |row| row.white_wins + row.black_wins),
        ("stalemate", "Stalemate", |row| row.stalemate),
        ("threefold", "Threefold", |row| row.threefold),
        ("fifty_move", "Fifty-move", |row| row.fifty_move),
        ("dead_position", "Dead position", |row| row.dead_position),
        ("drawn", "Drawn", RandomRow::draws),
    ];
    for (key, heading, count) in counts {
        fields = fields.count(key, heading, count).value(
            &format!("{key}_share"),
            heading,
            Unit::Percent,
            move |row| 100.0 * count(row) as f64 / row.games as f64,
        );
    }
    fields.value("mean_plies", "Plies a game", Unit::Decimals(1), |row| {
        row.plies as f64 / row.games as f64
    })
}

pub(super) fn random_file(report: &Report) -> Table {
    let keys = "rules games white_wins black_wins stalemate threefold fifty_move dead_position \
        mean_plies";
    random_fields().table("random", "Random movers", keys, &report.run.random)
}

fn random(report: &Report) -> Table {
    let keys = "rules games checkmate_share stalemate_share threefold_share fifty_move_share \
        dead_position_share drawn_share mean_plies";
    let title = "Random movers, from the initial position";
    random_fields().table("random", title, keys, &report.run.random)
}

const ENTROPY: &str = "Entropy: how many bits of choice these openings hold, the sum of the entropies of what each ply was drawn from.";

/// The tables stand below those of the agents, without a heading.
pub(super) fn page(report: &Report) -> Option<Section> {
    let own = own_openings(report).unless_empty();
    let own = own.map(|table| [Block::Table(table), Block::Fine(ENTROPY.into())]);
    Section::unlisted("", "")
        .with(own.into_iter().flatten())
        .with(random(report).unless_empty().map(Block::Table))
        .unless_empty()
}
