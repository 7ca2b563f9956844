//! What solved endings say of the games that reach them: wins that were missed, and draws that the
//! tables call won.

use crate::chess::positions;
use crate::games::{GameResult, GameRow, RowEnding};
use crate::run_folder::MAIN;
use crate::run_folder::RunFolder;
use fusion_chess::board::Color;
use fusion_chess::endgame::{TableError, Tables, Value};
use fusion_chess::game::FIFTY_MOVE;
use fusion_chess::notation::pgn::PgnGame;
use fusion_chess::rules::RuleSet;
use fusion_jobs::exit::Failure;
use fusion_print::table::{Fields, Table};
use fusion_registry::KnownGame;
use fusion_study::failure;
use std::collections::BTreeMap;
use std::path::Path;

/// The games of a measurement under one rule set at one budget, beside the tables.
#[derive(Clone, Debug, Default)]
pub struct SolvedGames {
    /// Name of the measurement.
    pub measurement: String,
    /// The rule set.
    pub rules: String,
    /// Nodes of each move.
    pub nodes: u64,
    /// Number of games with a result.
    pub games: u64,
    /// Number of games that reach a position of the tables.
    pub reached: u64,
    /// Number of these in which the first such position is won for a side.
    pub won: u64,
    /// Number of these that this side won.
    pub converted: u64,
    /// Number of draws by the move limit, usually fifty moves.
    pub limited: u64,
    /// Number of these whose last position the tables have.
    pub limited_solved: u64,
    /// Number of these that are won by the tables, in which there is no move limit.
    pub limited_won: u64,
}

/// Compares the games that have moves with the tables of their rule sets. Rule sets without tables
/// are left out.
///
/// # Errors
/// Fails if the run has no moves or no rule set has tables (exit code 66), if a table is damaged
/// (65), or if the moves do not belong to the games.
pub fn read(run: &RunFolder, folder: &Path) -> anyhow::Result<Vec<SolvedGames>> {
    if run.game.known() != KnownGame::Chess {
        return Err(Failure::usage("endgame tables are of chess games, and this run is not").into());
    }
    let extras = run.extras.iter().map(|extra| (extra.name.as_str(), &extra.moves, &extra.games));
    let mut known = Opened { folder, tables: BTreeMap::new() };
    let mut found = Vec::new();
    for (name, moves, rows) in std::iter::once((MAIN, &run.moves, &run.games)).chain(extras) {
        if let Some(path) = moves {
            found.extend(of_measurement(name, path, rows, &mut known)?);
        }
    }
    if known.tables.is_empty() {
        let message = "the run has no moves: they were left out when it was published";
        return Err(Failure::new(fusion_jobs::exit::NO_INPUT, message).into());
    }
    if found.is_empty() {
        let message = format!(
            "{folder} has no tables of the rule sets of the games; build some with fusion endgames \
             build --out {folder} --rules RULES",
            folder = folder.display()
        );
        return Err(Failure::new(fusion_jobs::exit::NO_INPUT, message).into());
    }
    Ok(found)
}

/// Tables by rule set; `None` for one that has none.
struct Opened<'a> {
    folder: &'a Path,
    tables: BTreeMap<String, Option<Tables>>,
}

impl Opened<'_> {
    fn of(&mut self, rules: &str) -> anyhow::Result<Option<&Tables>> {
        if !self.tables.contains_key(rules) {
            let parsed: RuleSet =
                rules.parse().map_err(|error| Failure::corrupt(format!("{error}")))?;
            let tables = match Tables::open(self.folder, &parsed) {
                Ok(tables) => Some(tables),
                Err(TableError::None { .. } | TableError::Uncovered(_)) => None,
                Err(error) => return Err(failure(error.into()).into()),
            };
            self.tables.insert(rules.to_owned(), tables);
        }
        Ok(self.tables.get(rules).and_then(Option::as_ref))
    }
}

fn of_measurement(
    name: &str,
    path: &Path,
    rows: &[GameRow],
    known: &mut Opened<'_>,
) -> anyhow::Result<Vec<SolvedGames>> {
    for row in rows {
        known.of(&row.rules)?;
    }
    let mut groups: BTreeMap<(&str, u64), SolvedGames> = BTreeMap::new();
    positions::each_game(path, rows, |_, row, game| {
        let tables = known.tables.get(&row.rules).and_then(Option::as_ref);
        if row.result != GameResult::None
            && let Some(tables) = tables
            && let Some(facts) = Facts::of(&game, tables)
        {
            groups.entry((&row.rules, row.nodes)).or_default().take(row, &facts);
        }
    })?;
    let named = |((rules, nodes), games): ((&str, u64), SolvedGames)| SolvedGames {
        measurement: name.to_owned(),
        rules: rules.to_owned(),
        nodes,
        ..games
    };
    Ok(groups.into_iter().map(named).collect())
}

/// What the tables say of a game.
struct Facts {
    /// The first position that the tables have, and whom it is won for.
    first: Option<Option<Color>>,
    /// The same of the last position of the game.
    last: Option<Option<Color>>,
}

impl Facts {
    fn of(game: &PgnGame, tables: &Tables) -> Option<Self> {
        let mut position = game.start().ok()?;
        let winner = |position: &fusion_chess::board::Position| {
            let side = position.side_to_move();
            tables.value(position).map(|value| match value {
                Value::Draw => None,
                Value::Win(_) => Some(side),
                Value::Loss(_) => Some(!side),
            })
        };
        let mut first = winner(&position);
        for mv in &game.moves {
            position.play(mv.mv);
            if first.is_none() {
                first = winner(&position);
            }
        }
        Some(Self { first, last: winner(&position) })
    }
}

impl SolvedGames {
    fn take(&mut self, row: &GameRow, facts: &Facts) {
        self.games += 1;
        if let Some(first) = facts.first {
            self.reached += 1;
            self.won += u64::from(first.is_some());
            let winner = match row.result {
                GameResult::White => Some(Color::White),
                GameResult::Black => Some(Color::Black),
                GameResult::Draw | GameResult::None => None,
            };
            self.converted += u64::from(first.is_some() && first == winner);
        }
        if row.ending == RowEnding::Game(FIFTY_MOVE) {
            self.limited += 1;
            self.limited_solved += u64::from(facts.last.is_some());
            self.limited_won += u64::from(matches!(facts.last, Some(Some(_))));
        }
    }
}

/// Returns the table of these games.
#[must_use]
pub fn table(rows: &[SolvedGames]) -> Table {
    Fields::<SolvedGames>::default()
        .text("rules", ("Rule set", "rules"), |of| of.rules.clone())
        .text("measurement", ("Measurement", "measurement"), |of| of.measurement.clone())
        .count("nodes", ("Nodes", "nodes"), |of| of.nodes)
        .count("games", ("Games", "games"), |of| of.games)
        .count("reached", ("Reach a solved position", "solved"), |of| of.reached)
        .count("won", ("Won there", "won"), |of| of.won)
        .count("converted", ("and won by that side", "converted"), |of| of.converted)
        .count("limit", ("Drawn by the move limit", "limit"), |of| of.limited)
        .count("limit_solved", ("in a solved position", "solved at end"), |of| of.limited_solved)
        .count("limit_won", ("that the tables call won", "won at end"), |of| of.limited_won)
        .whole_table("solved-games", "Games and solved endings", rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;
    use fusion_chess::game::{CHECKMATE, THREEFOLD};
    use fusion_chess::notation::pgn;
    use fusion_endgames::tables::build::{Request, build};
    use fusion_jobs::stop::Stop;

    fn game(fen: &str, moves: &str) -> PgnGame {
        let text = format!(
            "[SetUp \"1\"]\n[FEN \"{fen}\"]\n[Variant \"fusion-1999\"]\n[RuleSet \"fusion-1999\"]\n\n{moves} *\n"
        );
        pgn::read(text.as_bytes()).next().unwrap().unwrap()
    }

    /// Rook against King is won under the 1999 rules, and King against King is drawn.
    #[test]
    fn wins_that_were_missed_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let rules = "fusion-1999".parse().unwrap();
        let tasks = vec![(rules, "KRvK".parse().unwrap())];
        let request = Request { out: folder.path().into(), tasks, keep: 5, verify: false };
        build(&request, &Stop::new()).unwrap();
        let mut known = Opened { folder: folder.path(), tables: BTreeMap::new() };
        assert!(known.of("fusion-1999,castling=yes").unwrap().is_some(), "the same moves");
        assert!(known.of("fusion-1999,metamorph=yes").unwrap().is_none());
        let tables = known.of("fusion-1999").unwrap().unwrap();

        // Black takes the Knight, and the tables have the rest.
        let fen = "7k/8/8/8/8/8/6n1/R5K1 w - - 0 1";
        let won = Facts::of(&game(fen, "1. Kxg2 Kg7 2. Ra2 Kf6"), tables).unwrap();
        assert_eq!((won.first, won.last), (Some(Some(Color::White)), Some(Some(Color::White))));
        let never = Facts::of(&game(fen, "1. Kh2 Kg7"), tables).unwrap();
        assert_eq!((never.first, never.last), (None, None));
        // The Rook is lost.
        let lost = game("8/8/8/8/8/5k2/6R1/K7 b - - 0 1", "1... Kxg2");
        let lost = Facts::of(&lost, tables).unwrap();
        assert_eq!((lost.first, lost.last), (Some(None), Some(None)));

        let mut all = SolvedGames::default();
        let row = |ending, result, drawn| GameRow {
            ending: RowEnding::Game(ending),
            result,
            ..test_row("fusion-1999", 1, 0, drawn)
        };
        all.take(&row(CHECKMATE, GameResult::White, false), &won);
        all.take(&row(FIFTY_MOVE, GameResult::Draw, true), &won);
        all.take(&row(FIFTY_MOVE, GameResult::Draw, true), &never);
        all.take(&row(THREEFOLD, GameResult::Draw, true), &never);
        assert_eq!((all.games, all.reached, all.won, all.converted), (4, 2, 2, 1));
        assert_eq!((all.limited, all.limited_solved, all.limited_won), (2, 1, 1));
    }
}
