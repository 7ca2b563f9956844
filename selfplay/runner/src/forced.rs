//! The search of initial positions for a forced win of either side.

use std::path::Path;

use fusion_game::{CompleteGame, Side};
use fusion_jobs::atomic;
use fusion_jobs::stop::Stop;
use fusion_search::pvs::{Limits, Pvs, PvsConfig, plies_to_end};
use fusion_study::{FORCED, Searcher, rule_sets};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Size of the transposition table in MiB.
const TABLE: u32 = 64;

/// What the search found in an initial position: a row of `forced.csv`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForcedRow {
    /// Rule set in canonical form.
    pub rules: String,
    /// Number of the initial position, from 0.
    pub start: u64,
    /// The player: see [`Searcher::name`].
    pub network: String,
    /// Positions visited.
    pub nodes: u64,
    /// Plies that the last whole search looked ahead.
    pub depth: i32,
    /// Value for the side to move, in hundredths of the cheapest piece.
    pub value: i32,
    /// The side with a forced win, `first` or `second`; `None` if none was found.
    pub winner: Option<String>,
    /// Plies to that win.
    pub plies: Option<i32>,
    /// The best line in engine notation.
    pub line: String,
}

/// Initial positions that are searched at most, of a rule set that has many.
const MOST_STARTS: usize = 16;

/// Searches the initial positions of each rule set on the current thread pool, by alpha-beta search with this
/// player's evaluator or, if it is a tree search, with a count of material. Each search visits `nodes`
/// positions, or ends with a proof.
///
/// # Errors
/// Fails if a rule set cannot be parsed (exit codes 64 to 66), or on a request to stop (75 or 130).
pub fn run<G: CompleteGame>(
    rules: &[String],
    player: &Searcher,
    nodes: u64,
    stop: &Stop,
) -> anyhow::Result<Vec<ForcedRow>> {
    let arms = rule_sets::<G>(rules)?;
    let starts = arms.iter().flat_map(|rules| {
        let starts = G::starts(rules).min(MOST_STARTS) as u64;
        (0..starts).map(move |start| (rules, start))
    });
    let starts: Vec<_> = starts.collect();
    let rows =
        starts.par_iter().map(|&(rules, start)| search::<G>(rules, start, player, nodes, stop));
    let rows: Vec<ForcedRow> = rows.collect::<anyhow::Result<_>>()?;
    stop.check_unsaved()?;
    Ok(rows)
}

fn search<G: CompleteGame>(
    rules: &G::Rules,
    start: u64,
    player: &Searcher,
    nodes: u64,
    stop: &Stop,
) -> anyhow::Result<ForcedRow> {
    let counting = Searcher::open::<G>("pvs:material", [rules])?;
    let player = if matches!(player, Searcher::Tree(..)) { &counting } else { player };
    let Searcher::Pvs(config, model) = player else {
        anyhow::bail!("{} is no alpha-beta search", player.name())
    };
    let config = PvsConfig { table_mib: TABLE, ..*config };
    let game = G::start(rules, start);
    let mut search = Pvs::new(config, rules, model.evaluator::<G>(0));
    let found = search.search(&game, Limits::nodes(nodes), &|| stop.requested());
    let side = game.side_to_move();
    let (mut winner, mut plies, mut value, mut line) = (None, None, 0, Vec::new());
    if let Some(best) = found.as_ref().and_then(|found| found.lines.first()) {
        (value, plies) = (best.value, plies_to_end(best.value));
        winner = plies.map(|_| if best.value > 0 { side } else { side.other() });
        let mut game = game.clone();
        for &mv in &best.moves {
            line.push(game.move_text(mv));
            game.play(mv);
        }
    }
    let name = |side| if side == Side::First { "first" } else { "second" };
    Ok(ForcedRow {
        rules: rules.to_string(),
        start,
        network: player.name(),
        nodes: found.as_ref().map_or(0, |found| found.nodes),
        depth: found.as_ref().map_or(0, |found| found.depth),
        value,
        winner: winner.map(|side| name(side).to_owned()),
        plies: plies.map(i32::abs),
        line: line.join(" "),
    })
}

/// Returns the name of the table in a run's folder.
#[must_use]
pub fn file_name() -> String {
    format!("{FORCED}.csv")
}

/// Writes the table.
///
/// # Errors
/// Failures of the file system.
pub fn write(path: &Path, rows: &[ForcedRow]) -> anyhow::Result<()> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| csv.serialize(row))?;
    atomic::write_bytes(path, &csv.into_inner().map_err(|error| error.into_error())?)
}

/// Reads the table.
///
/// # Errors
/// Returns the reason why the file is rejected.
pub fn read(bytes: &[u8]) -> Result<Vec<ForcedRow>, String> {
    let rows = csv::Reader::from_reader(bytes).into_deserialize();
    rows.collect::<Result<_, _>>().map_err(|error: csv::Error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;

    #[test]
    fn forced_wins_of_either_side_are_found() {
        let search = |fen: &str| {
            let rules = vec![format!("orthodox,start={fen}")];
            let player = Searcher::open::<FusionGame>("pvs:material", []).unwrap();
            let rows = run::<FusionGame>(&rules, &player, 20_000, &Stop::new()).unwrap();
            let path = tempfile::tempdir().unwrap();
            let path = path.path().join(file_name());
            write(&path, &rows).unwrap();
            assert_eq!(read(&std::fs::read(path).unwrap()).unwrap(), rows);
            rows
        };
        let won = &search("7k/8/6K1/8/8/8/8/R7_w_-_-")[0];
        assert_eq!((won.winner.as_deref(), won.plies), (Some("first"), Some(1)));
        assert_eq!(won.line, "a1a8");
        let open = &search("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-")[0];
        assert_eq!((open.winner.as_deref(), open.plies), (None, None));
    }
}
