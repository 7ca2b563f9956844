//! Reading `games.csv`, one row a measurement game, strictly.
//!
//! Whatever contradicts the format or itself is refused with file, line and column:
//! a report on damaged data is worse than none.

mod together;

use crate::run_folder::files::Rows;
use fusion_game::Ending;
use serde::Deserialize;
use std::io::Read;
use std::path::{Path, PathBuf};
use together::Together;

/// The columns of `games.csv`, in order.
pub const COLUMNS: [&str; 30] = [
    "rules",
    "opening",
    "opening_plies",
    "seed",
    "network",
    "nodes",
    "result",
    "ending",
    "plies",
    "captures",
    "promotions",
    "fusions",
    "royal_fusions",
    "fissions",
    "castlings",
    "first_capture",
    "first_fusion",
    "first_royal_fusion",
    "first_fission",
    "first_castling",
    "escapes",
    "lead_changes",
    "drama",
    "opening_entropy",
    "start_fen",
    "moves_hash",
    "metamorphoses",
    "first_metamorphosis",
    "demotions",
    "first_demotion",
];

/// The first so many are in every file; the others came with the games that need them.
const ALWAYS: usize = 26;

/// What is wrong with a file of games.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// The file as a whole is not what it should be.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
    /// A row is wrong.
    #[error("{}, line {line}, column {column}: {message}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Line number, the header being line 1.
        line: u64,
        /// Name of the column.
        column: &'static str,
        /// What is wrong.
        message: String,
    },
}

/// How a row says that its game ended: an ending of the game, or a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowEnding {
    /// The game ended, was adjudicated, or met the cap.
    Game(Ending),
    /// The program failed in the middle of the game; it counts for nothing.
    Error,
}

impl RowEnding {
    /// Every ending, in the order in which tables list them.
    pub const ALL: [RowEnding; 8] = [
        RowEnding::Game(Ending::Checkmate),
        RowEnding::Game(Ending::Stalemate),
        RowEnding::Game(Ending::Threefold),
        RowEnding::Game(Ending::FiftyMove),
        RowEnding::Game(Ending::DeadPosition),
        RowEnding::Game(Ending::Tables),
        RowEnding::Game(Ending::Cap),
        RowEnding::Error,
    ];

    /// The name used in files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RowEnding::Game(ending) => ending.name(),
            RowEnding::Error => "error",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ending| ending.name() == name)
    }
}

/// Who won, if the game was decided by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// 1-0
    White,
    /// 1/2-1/2
    Draw,
    /// 0-1
    Black,
    /// `*`: capped or failed.
    None,
}

/// How often something happened in a game, and when first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Occurrences after the opening, both sides together.
    pub count: u32,
    /// Ply of the first one, 1-based over the whole game.
    pub first: Option<u32>,
}

/// One measurement game.
#[derive(Clone, Debug)]
pub struct GameRow {
    /// Line in the file.
    pub line: u64,
    /// Rule-set expression.
    pub rules: String,
    /// Opening's number in the pool.
    pub opening: u64,
    /// Plies of the opening.
    pub opening_plies: u32,
    /// Network hash, or an evaluator's name.
    pub network: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Who won.
    pub result: GameResult,
    /// How it ended.
    pub ending: RowEnding,
    /// Plies of the whole game, the opening's included.
    pub plies: u32,
    /// Captures.
    pub captures: Event,
    /// Promotions; their first ply is not recorded.
    pub promotions: u32,
    /// Fusions, royal ones included.
    pub fusions: Event,
    /// Fusions with the King.
    pub royal_fusions: Event,
    /// Fissions.
    pub fissions: Event,
    /// Castlings.
    pub castlings: Event,
    /// Metamorphoses.
    pub metamorphoses: Event,
    /// Demotions.
    pub demotions: Event,
    /// Checks that only a fusion or a fission could answer.
    pub escapes: u32,
    /// How often the lead went over from one side to the other, by the searches.
    pub lead_changes: u32,
    /// How far behind the winner was (Browne's drama); decided games alone.
    pub drama: Option<f64>,
    /// Entropy in bits of the plies that were drawn by visits; games with such plies alone.
    pub opening_entropy: Option<f64>,
    /// Hash over rules and all moves.
    pub moves_hash: u64,
}

impl GameRow {
    /// Whether the game was drawn by its rules. A capped game was not.
    #[must_use]
    pub fn drawn(&self) -> bool {
        self.result == GameResult::Draw
    }

    /// Whether the game met the cap.
    #[must_use]
    pub fn capped(&self) -> bool {
        self.ending == RowEnding::Game(Ending::Cap)
    }

    /// Whether the game is excluded because the program failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.ending == RowEnding::Error
    }
}

/// Parses and checks the bytes of a file; `path` is for messages.
///
/// # Errors
/// See [`GamesError`].
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<GameRow>, GamesError> {
    read(path, &mut Rows::new(bytes), None)
}

/// Reads and checks the rows of a file, at most so many; `path` is for messages.
///
/// # Errors
/// See [`GamesError`].
pub(crate) fn read(
    path: &Path,
    input: &mut Rows<impl Read>,
    most: Option<u64>,
) -> Result<Vec<GameRow>, GamesError> {
    let file = File { path };
    match file.rows(input, most) {
        _ if input.is_empty() => {
            Err(file.error("is empty: run `fusion measure` to play the games"))
        }
        // A row may be wrong for it has no end.
        _ if input.ends_in_a_line() => Err(file.error(
            "is truncated: its last line has no end. Copy it again, or run `fusion measure` again",
        )),
        Ok(rows) if rows.is_empty() => {
            Err(file.error("has a header and no games: run `fusion measure` to play the games"))
        }
        rows => rows,
    }
}

/// A row as it stands in the file.
#[derive(Deserialize)]
struct RawRow {
    rules: String,
    opening: u64,
    opening_plies: u32,
    // Read so that a value that is no number is refused.
    #[serde(rename = "seed")]
    _seed: u64,
    network: String,
    nodes: u64,
    result: String,
    ending: String,
    plies: u32,
    captures: u32,
    promotions: u32,
    fusions: u32,
    royal_fusions: u32,
    fissions: u32,
    castlings: u32,
    first_capture: Option<u32>,
    first_fusion: Option<u32>,
    first_royal_fusion: Option<u32>,
    first_fission: Option<u32>,
    first_castling: Option<u32>,
    escapes: u32,
    lead_changes: u32,
    drama: Option<f64>,
    opening_entropy: Option<f64>,
    start_fen: String,
    moves_hash: String,
    #[serde(default)]
    metamorphoses: u32,
    #[serde(default)]
    first_metamorphosis: Option<u32>,
    #[serde(default)]
    demotions: u32,
    #[serde(default)]
    first_demotion: Option<u32>,
}

/// The file being read, for messages.
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

    fn check_header(&self, header: &csv::StringRecord) -> Result<(), GamesError> {
        let newer = header.iter().any(|name| COLUMNS[ALWAYS..].contains(&name));
        let columns = if newer { &COLUMNS[..] } else { &COLUMNS[..ALWAYS] };
        let missing = columns.iter().find(|name| !header.iter().any(|h| h == **name));
        if let Some(missing) = missing {
            return Err(self.error(format!("line 1: column {missing} is missing")));
        }
        if let Some(unknown) = header.iter().find(|name| !COLUMNS.contains(name)) {
            return Err(self.error(format!(
                "line 1: unknown column {unknown:?}; the columns are {}",
                COLUMNS.join(",")
            )));
        }
        if header.len() != columns.len() || header.iter().ne(columns.iter().copied()) {
            return Err(self.error(format!(
                "line 1: columns repeated or out of order; they are {}",
                COLUMNS.join(",")
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
        self.check_header(&header)?;
        let mut together = Together::default();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| self.csv_error(&e))?;
            let row = self.row(&header, &record)?;
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
        header: &csv::StringRecord,
        record: &csv::StringRecord,
    ) -> Result<GameRow, GamesError> {
        let line = record.position().map_or(0, csv::Position::line);
        let raw: RawRow = record.deserialize(Some(header)).map_err(|error| {
            let csv::ErrorKind::Deserialize { err, .. } = error.kind() else {
                return self.csv_error(&error);
            };
            let index = err.field().unwrap_or(0) as usize;
            let column = COLUMNS.get(index).copied().unwrap_or("?");
            let value = record.get(index).unwrap_or_default();
            let message = format!("{value:?} is not a number in range");
            self.row_error(line, column, message)
        })?;
        check(line, raw).map_err(|(column, message)| self.row_error(line, column, message))
    }
}

type Complaint = (&'static str, String);

/// Checks a row against itself.
fn check(line: u64, raw: RawRow) -> Result<GameRow, Complaint> {
    non_empty("rules", &raw.rules)?;
    non_empty("network", &raw.network)?;
    non_empty("start_fen", &raw.start_fen)?;
    if raw.nodes == 0 {
        return Err(("nodes", "0 nodes a move: at least 1 is needed".into()));
    }
    if raw.plies < raw.opening_plies {
        let message =
            format!("{} plies are fewer than the opening's {}", raw.plies, raw.opening_plies);
        return Err(("plies", message));
    }
    let (result, ending) = result_and_ending(&raw.result, &raw.ending)?;
    if raw.royal_fusions > raw.fusions {
        let message = format!("more than the {} fusions", raw.fusions);
        return Err(("royal_fusions", message));
    }
    let played = raw.opening_plies.saturating_add(1)..=raw.plies;
    let event = |columns, count, first| event(&played, columns, count, first);
    for (column, count) in [
        ("promotions", raw.promotions),
        ("escapes", raw.escapes),
        ("lead_changes", raw.lead_changes),
    ] {
        within_game(column, count, &played)?;
    }
    decided_alone("drama", raw.drama, result)?;
    not_negative("opening_entropy", raw.opening_entropy)?;
    Ok(GameRow {
        line,
        captures: event(("captures", "first_capture"), raw.captures, raw.first_capture)?,
        promotions: raw.promotions,
        fusions: event(("fusions", "first_fusion"), raw.fusions, raw.first_fusion)?,
        royal_fusions: event(
            ("royal_fusions", "first_royal_fusion"),
            raw.royal_fusions,
            raw.first_royal_fusion,
        )?,
        fissions: event(("fissions", "first_fission"), raw.fissions, raw.first_fission)?,
        castlings: event(("castlings", "first_castling"), raw.castlings, raw.first_castling)?,
        metamorphoses: event(
            ("metamorphoses", "first_metamorphosis"),
            raw.metamorphoses,
            raw.first_metamorphosis,
        )?,
        demotions: event(("demotions", "first_demotion"), raw.demotions, raw.first_demotion)?,
        escapes: raw.escapes,
        lead_changes: raw.lead_changes,
        drama: raw.drama,
        opening_entropy: raw.opening_entropy,
        moves_hash: hash(&raw.moves_hash)?,
        rules: raw.rules,
        opening: raw.opening,
        opening_plies: raw.opening_plies,
        network: raw.network,
        nodes: raw.nodes,
        result,
        ending,
        plies: raw.plies,
    })
}

fn non_empty(column: &'static str, value: &str) -> Result<(), Complaint> {
    if value.is_empty() {
        return Err((column, "is empty".into()));
    }
    Ok(())
}

fn result_and_ending(result: &str, ending: &str) -> Result<(GameResult, RowEnding), Complaint> {
    let parsed_result = match result {
        "1-0" => GameResult::White,
        "0-1" => GameResult::Black,
        "1/2-1/2" => GameResult::Draw,
        "*" => GameResult::None,
        _ => {
            let message = format!("{result:?} is none of 1-0, 0-1, 1/2-1/2, *");
            return Err(("result", message));
        }
    };
    let parsed_ending = RowEnding::from_name(ending).ok_or_else(|| {
        let names = RowEnding::ALL.map(RowEnding::name).join(", ");
        ("ending", format!("{ending:?} is none of {names}"))
    })?;
    let fits = match parsed_ending {
        RowEnding::Game(Ending::Checkmate) => {
            matches!(parsed_result, GameResult::White | GameResult::Black)
        }
        RowEnding::Game(Ending::Tables) => parsed_result != GameResult::None,
        RowEnding::Game(Ending::Cap) | RowEnding::Error => parsed_result == GameResult::None,
        RowEnding::Game(_) => parsed_result == GameResult::Draw,
    };
    if fits {
        Ok((parsed_result, parsed_ending))
    } else {
        let message = format!("{ending} contradicts the result {result}");
        Err(("ending", message))
    }
}

fn decided_alone(
    column: &'static str,
    value: Option<f64>,
    result: GameResult,
) -> Result<(), Complaint> {
    let decided = matches!(result, GameResult::White | GameResult::Black);
    match value {
        Some(_) if !decided => Err((column, "is given although nobody won".into())),
        None if decided => Err((column, "is empty although a side won".into())),
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err((column, format!("{value} is outside 0 to 1")))
        }
        _ => Ok(()),
    }
}

fn not_negative(column: &'static str, value: Option<f64>) -> Result<(), Complaint> {
    match value {
        Some(value) if !(value.is_finite() && value >= 0.0) => {
            Err((column, format!("{value} is not a number from 0")))
        }
        _ => Ok(()),
    }
}

type Plies = std::ops::RangeInclusive<u32>;

/// A side does one thing a ply, so nothing can happen more often than plies were played.
fn within_game(column: &'static str, count: u32, played: &Plies) -> Result<(), Complaint> {
    let plies = u64::from(*played.end()) + 1;
    let plies = plies.saturating_sub(u64::from(*played.start()));
    if u64::from(count) > plies {
        let message = format!("{count} in {plies} plies after the opening");
        return Err((column, message));
    }
    Ok(())
}

fn event(
    played: &Plies,
    (count_column, first_column): (&'static str, &'static str),
    count: u32,
    first: Option<u32>,
) -> Result<Event, Complaint> {
    within_game(count_column, count, played)?;
    match first {
        None if count > 0 => {
            Err((first_column, format!("is empty although {count_column} is {count}")))
        }
        Some(_) if count == 0 => {
            Err((first_column, format!("is given although {count_column} is 0")))
        }
        Some(ply) if !played.contains(&ply) => Err((
            first_column,
            format!(
                "ply {ply} is outside {} to {}, the plies after the opening",
                played.start(),
                played.end()
            ),
        )),
        _ => Ok(Event { count, first }),
    }
}

fn hash(text: &str) -> Result<u64, Complaint> {
    let digits = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    match u64::from_str_radix(text, 16) {
        Ok(value) if digits => Ok(value),
        _ => Err(("moves_hash", format!("{text:?} is not 16 hex digits"))),
    }
}

/// A game of tests.
#[cfg(test)]
pub(crate) fn test_row(rules: &str, nodes: u64, opening: u64, drawn: bool) -> GameRow {
    let (result, ending) = if drawn {
        (GameResult::Draw, Ending::Threefold)
    } else {
        (GameResult::White, Ending::Checkmate)
    };
    GameRow {
        line: 1,
        rules: rules.to_owned(),
        opening,
        opening_plies: 0,
        network: "uniform".to_owned(),
        nodes,
        result,
        ending: RowEnding::Game(ending),
        plies: 40 + opening as u32 % 50,
        captures: Event::default(),
        promotions: 0,
        fusions: Event::default(),
        royal_fusions: Event::default(),
        fissions: Event::default(),
        castlings: Event::default(),
        metamorphoses: Event::default(),
        demotions: Event::default(),
        escapes: 0,
        lead_changes: 0,
        drama: (!drawn).then_some(0.0),
        opening_entropy: None,
        moves_hash: opening,
    }
}
