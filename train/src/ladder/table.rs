//! The table of a ladder.

use std::path::Path;

use anyhow::Context;
use fusion_jobs::atomic::write_bytes;

use super::entrants::Entrant;
use fusion_statistics::rating::Rating;

/// Name of the scale over all rule sets together.
pub const ALL: &str = "all";

/// A player on one scale: a row of `ladder.csv`.
#[derive(Clone, Debug)]
pub struct Row {
    /// The player.
    pub entrant: Entrant,
    /// The rule set of the scale, or [`ALL`].
    pub rules: String,
    /// The player's games under these rules.
    pub games: u64,
    /// Number of these that reached the cap: half a point for each player.
    pub capped: u64,
    /// Its place on the scale.
    pub rating: Rating,
}

/// Header of `ladder.csv`. Costs are those of the loop up to and including the player's
/// generation, with rejected generations included. A position in the windows of several
/// generations counts in each. Fixed players have no costs.
const COLUMNS: [&str; 12] = [
    "player",
    "kind",
    "generation",
    "rules",
    "games",
    "capped",
    "positions",
    "plies",
    "cpu_hours",
    "elo",
    "elo_low",
    "elo_high",
];

/// Writes the table, atomically.
///
/// # Errors
/// Failures of the file system.
pub(super) fn write(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for row in rows {
        writer.write_record(cells(row))?;
    }
    write_bytes(path, &writer.into_inner().context("writing the table")?)
}

fn cells(row: &Row) -> [String; 12] {
    let Entrant { name, kind, generation, cost, .. } = &row.entrant;
    let or_empty = |text: Option<String>| text.unwrap_or_default();
    let hours = cost.map(|cost| cost.cpu_hours);
    // A tenth of an Elo is below any ladder's resolution. Adding 0.0 avoids a negative zero.
    let elo = |elo: f64| format!("{:.1}", (elo * 10.0).round() / 10.0 + 0.0);
    [
        name.clone(),
        kind.name().to_owned(),
        or_empty(generation.map(|number| number.to_string())),
        row.rules.clone(),
        row.games.to_string(),
        row.capped.to_string(),
        or_empty(cost.map(|cost| cost.positions.to_string())),
        or_empty(cost.map(|cost| cost.plies.to_string())),
        or_empty(hours.map(|hours| format!("{hours:.5}"))),
        elo(row.rating.elo),
        elo(row.rating.low),
        elo(row.rating.high),
    ]
}
