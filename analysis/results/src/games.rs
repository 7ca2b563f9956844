//! Strict reader of `games.csv`, which has one row per measurement game.
//!
//! The columns and the checks of a row are those of the module that writes the file. A row that
//! contradicts the format or itself is rejected with file, line and column, since a report on
//! damaged data would mislead.

mod together;

pub use fusion_runner::measure::{Event, GameResult, GameRow, RowEnding};

use crate::report_game::ReportGame;
use crate::run_folder::files::Rows;
use fusion_jobs::exit::Failure;
use fusion_runner::measure::columns;
use std::io::Read;
use std::path::{Path, PathBuf};
use together::Together;

/// Error in a file of games.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// The file as a whole is invalid.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
    /// A row is invalid.
    #[error("{}, line {line}, column {column}: {message}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Line number. The header is line 1.
        line: u64,
        /// Name of the column.
        column: &'static str,
        /// What is wrong.
        message: String,
    },
}

/// Parses and checks the bytes of a file. `path` is used in messages.
///
/// # Errors
/// Returns a [`GamesError`] if the file or a row is invalid.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<GameRow>, GamesError> {
    read(path, &mut Rows::new(bytes), None)
}

/// Reads and checks the rows of a file, up to a maximum number. `path` is used in messages.
///
/// # Errors
/// Returns a [`GamesError`] if the file or a row is invalid.
pub fn read(
    path: &Path,
    input: &mut Rows<impl Read>,
    most: Option<u64>,
) -> Result<Vec<GameRow>, GamesError> {
    let file = File { path };
    match file.rows(input, most) {
        _ if input.is_empty() => {
            Err(file.error("is empty: run `fusion measure` to play the games"))
        }
        // A truncated row may fail other checks first.
        _ if input.ends_in_a_line() => Err(file.error(
            "is truncated: its last line has no end. Copy it again, or run `fusion measure` again",
        )),
        Ok(rows) if rows.is_empty() => {
            Err(file.error("has a header and no games: run `fusion measure` to play the games"))
        }
        rows => rows,
    }
}

/// The name of the file that is read, for messages.
struct File<'a> {
    path: &'a Path,
}

impl File<'_> {
    fn error(&self, message: impl Into<String>) -> GamesError {
        GamesError::File { path: self.path.to_owned(), message: message.into() }
    }

    fn row_error(&self, line: u64, column: &'static str, message: impl Into<String>) -> GamesError {
        GamesError::Row { path: self.path.to_owned(), line, column, message: message.into() }
    }

    fn csv_error(&self, error: &csv::Error) -> GamesError {
        match error.kind() {
            csv::ErrorKind::UnequalLengths {
                pos: Some(pos),
                expected_len,
                len,
            } => self.error(format!(
                "line {}: {len} columns where the header has {expected_len}: the file is damaged or truncated",
                pos.line()
            )),
            csv::ErrorKind::Utf8 { pos: Some(pos), .. } => {
                self.error(format!("line {}: is not UTF-8 text", pos.line()))
            }
            _ => self.error(error.to_string()),
        }
    }

    fn check_header(&self, game: ReportGame, header: &csv::StringRecord) -> Result<(), GamesError> {
        let known = columns(game.description());
        let missing = known.iter().find(|name| !header.iter().any(|h| h == **name));
        if let Some(missing) = missing {
            return Err(self.error(format!("line 1: column {missing} is missing")));
        }
        if let Some(unknown) = header.iter().find(|name| !known.contains(name)) {
            return Err(self.error(format!(
                "line 1: unknown column {unknown:?}; the columns are {}",
                known.join(",")
            )));
        }
        if header.iter().ne(known.iter().copied()) {
            return Err(self.error(format!(
                "line 1: columns repeated or out of order; they are {}",
                known.join(",")
            )));
        }
        Ok(())
    }

    fn rows(
        &self,
        input: &mut Rows<impl Read>,
        most: Option<u64>,
    ) -> Result<Vec<GameRow>, GamesError> {
        let mut reader = csv::ReaderBuilder::new().from_reader(input);
        let header = reader.headers().map_err(|e| self.csv_error(&e))?.clone();
        let mut records = reader.records().peekable();
        // The rules of the first game tell which game it is, and so which columns there are.
        let rules = header.iter().position(|name| name == "rules");
        let first = records.peek().and_then(|record| record.as_ref().ok()?.get(rules?));
        let game = first.map(ReportGame::of_rules).unwrap_or_default();
        self.check_header(game, &header)?;
        let mut together = Together::default();
        let mut rows = Vec::new();
        for record in records {
            let record = record.map_err(|e| self.csv_error(&e))?;
            let row = self.row(game, &header, &record)?;
            if most.is_some_and(|most| rows.len() as u64 >= most) {
                return Err(self.error(format!(
                    "line {}: more than the {} games that measure.json says were played",
                    row.line,
                    most.unwrap_or_default()
                )));
            }
            together.add(self, &row)?;
            rows.push(row);
        }
        Ok(rows)
    }

    fn row(
        &self,
        game: ReportGame,
        header: &csv::StringRecord,
        record: &csv::StringRecord,
    ) -> Result<GameRow, GamesError> {
        let line = record.position().map_or(0, csv::Position::line);
        let field = |column: &str| record.get(header.iter().position(|name| name == column)?);
        let row = GameRow::parse(game.description(), field)
            .map_err(|(column, message)| self.row_error(line, column, message))?;
        if ReportGame::of_rules(&row.rules) != game {
            let message = format!("{} is no rule set of the game of the first row", row.rules);
            return Err(self.row_error(line, "rules", message));
        }
        if !game.can_end(&row) {
            let (ending, result) = (row.ending.name(), row.result.text());
            let message = format!("{ending} contradicts the result {result} under {}", row.rules);
            return Err(self.row_error(line, "ending", message));
        }
        Ok(GameRow { line, ..row })
    }
}

/// Makes the error for a file of moves with more games than there are rows.
#[must_use]
pub fn too_many(path: &Path) -> Failure {
    Failure::corrupt(format!("{}: more games than in games.csv", path.display()))
}

/// Makes the error for a game of a file of moves that is not the game of its row.
#[must_use]
pub fn mismatch(path: &Path, row: &GameRow, what: &str) -> Failure {
    Failure::corrupt(format!(
        "{}: the game of line {} of games.csv ({}, opening {}, {} nodes): {what}; both files must be of one measurement",
        path.display(),
        row.line,
        row.rules,
        row.opening,
        row.nodes
    ))
}

/// Returns an ending in words for prose.
#[must_use]
pub fn display(ending: RowEnding) -> &'static str {
    match ending {
        RowEnding::Game(ending) => ending.kind().words,
        RowEnding::Error => "error",
    }
}

/// Returns a game for tests.
#[cfg(test)]
pub fn test_row(rules: &str, nodes: u64, opening: u64, drawn: bool) -> GameRow {
    use fusion_chess::game::{CHECKMATE, THREEFOLD};
    use fusion_runner::measure::EventCounts;
    let (result, ending) =
        if drawn { (GameResult::Draw, THREEFOLD) } else { (GameResult::White, CHECKMATE) };
    GameRow {
        line: 1,
        game: ReportGame::of_rules(rules).description(),
        rules: rules.to_owned(),
        opening,
        opening_plies: 0,
        seed: 1,
        network: "uniform".to_owned(),
        nodes,
        result,
        ending: RowEnding::Game(ending),
        plies: 40 + opening as u32 % 50,
        events: EventCounts::new(ReportGame::of_rules(rules).description().events),
        lead_changes: 0,
        drama: (!drawn).then_some(0.0),
        opening_entropy: None,
        start: "start".to_owned(),
        moves_hash: opening,
    }
}
