//! The rows of `games.csv`: their columns, how they are written, and how they are read and checked.

use std::collections::BTreeMap;
use std::io::Read;

use anyhow::anyhow;
use fusion_game::{Description, Ending, EventKind, EventKinds, EventSet, Outcome, Side};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The first columns.
const HEAD: [&str; 9] =
    ["rules", "opening", "opening_plies", "seed", "network", "nodes", "result", "ending", "plies"];

/// The columns after the common kinds of events, before that of the start.
const MIDDLE: [&str; 3] = ["lead_changes", "drama", "opening_entropy"];
/// The column after that of the start.
const HASH: &str = "moves_hash";

/// How a game ended: as its rules say, from outside, or by a failure of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowEnding {
    /// The game ended, was adjudicated, or met the cap.
    Game(Ending),
    /// The program failed in the middle of the game. The game counts for nothing.
    Error,
}

impl RowEnding {
    /// Returns every ending of a game, in the order in which tables list them.
    #[must_use]
    pub fn all(game: Description) -> Vec<Self> {
        let outside = [Ending::TABLES, Ending::CAP].map(RowEnding::Game);
        let rules = game.endings.iter().copied().map(RowEnding::Game);
        rules.chain(outside).chain([RowEnding::Error]).collect()
    }

    /// Returns the name used in files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RowEnding::Game(ending) => ending.name(),
            RowEnding::Error => "error",
        }
    }

    /// Returns whether the ending can have this result.
    fn fits(self, result: GameResult) -> bool {
        let decided = matches!(result, GameResult::White | GameResult::Black);
        match self {
            RowEnding::Error => result == GameResult::None,
            RowEnding::Game(ending) if ending == Ending::CAP => result == GameResult::None,
            RowEnding::Game(ending) => {
                result != GameResult::None && ending.kind().results.include(decided)
            }
        }
    }
}

/// The winner, if the game was decided by its rules.
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

impl GameResult {
    const ALL: [Self; 4] = [Self::White, Self::Black, Self::Draw, Self::None];

    /// Returns the result of an outcome.
    #[must_use]
    pub fn of(outcome: Outcome) -> Self {
        match outcome.winner {
            Some(Side::First) => Self::White,
            Some(Side::Second) => Self::Black,
            None if outcome.ending == Ending::CAP => Self::None,
            None => Self::Draw,
        }
    }

    /// Returns the text in files.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::White => "1-0",
            Self::Black => "0-1",
            Self::Draw => "1/2-1/2",
            Self::None => "*",
        }
    }
}

/// How often something happened in a game, and when first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Occurrences after the opening, of both sides together.
    pub count: u32,
    /// Ply of the first one, from 1 over the whole game; `None` without one, or if it is not
    /// recorded.
    pub first: Option<u32>,
}

/// The counts of all kinds of events of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventCounts {
    kinds: EventKinds,
    counts: Vec<Event>,
}

impl EventCounts {
    /// Returns counts of zero.
    #[must_use]
    pub fn new(kinds: EventKinds) -> Self {
        Self { kinds, counts: vec![Event::default(); kinds.kinds.len()] }
    }

    /// Counts events at a ply.
    pub fn add(&mut self, events: EventSet, ply: u32) {
        for kind in events.iter() {
            let event = &mut self.counts[kind];
            event.count += 1;
            if self.kinds.kinds[kind].first.is_some() {
                event.first.get_or_insert(ply);
            }
        }
    }

    /// Returns the counts in the order of the game's kinds.
    #[must_use]
    pub fn all(&self) -> &[Event] {
        &self.counts
    }

    /// Returns the count of the kind with this column. Zero if the game has no such kind.
    #[must_use]
    pub fn of(&self, column: &str) -> Event {
        self.kinds.place(column).map_or_else(Event::default, |place| self.counts[place])
    }
}

/// One measurement game: a row of `games.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow {
    /// Line in the file that the row was read from; 0 for a game that was just played.
    pub line: u64,
    /// The game that was played. It names the columns.
    pub game: Description,
    /// Rule set in canonical form.
    pub rules: String,
    /// Number of the opening in the pool.
    pub opening: u64,
    /// Plies of the opening.
    pub opening_plies: u32,
    /// Seed of the game's tie-breaks. All games of the opening share it.
    pub seed: u64,
    /// The player: see [`Player::identity`](crate::matches::Player::identity).
    pub network: String,
    /// Nodes per move.
    pub nodes: u64,
    /// The result.
    pub result: GameResult,
    /// How the game ended.
    pub ending: RowEnding,
    /// Plies of the whole game, including the opening's.
    pub plies: u32,
    /// Events after the opening.
    pub events: EventCounts,
    /// See [`lead_changes`](super::drama::lead_changes).
    pub lead_changes: u32,
    /// How far behind the winner was (Browne's drama), see [`drama`](super::drama::drama()). Only
    /// for decided games.
    pub drama: Option<f64>,
    /// Sum of the entropies, in bits, of the distributions from which the opening's plies were
    /// drawn in proportion to visits. Only for games with such plies.
    pub opening_entropy: Option<f64>,
    /// The position after the opening, as text. The first search starts from it.
    pub start: String,
    /// Hash of the rule set and all moves. It identifies duplicates.
    pub moves_hash: u64,
}

/// What is wrong with a row: the column and the reason.
pub type Complaint = (&'static str, String);

/// Returns the columns of `games.csv` in order.
#[must_use]
pub fn columns(game: Description) -> Vec<&'static str> {
    let (common, rare): (Vec<&EventKind>, Vec<_>) =
        game.events.kinds.iter().partition(|kind| kind.common);
    let counts = common.iter().filter(|kind| !kind.of_position).map(|kind| kind.count);
    let firsts = common.iter().filter_map(|kind| kind.first);
    let positions = common.iter().filter(|kind| kind.of_position).map(|kind| kind.count);
    let rare = rare.iter().flat_map(|kind| [Some(kind.count), kind.first]).flatten();
    let events = counts.chain(firsts).chain(positions);
    let last = MIDDLE.into_iter().chain([game.start_column, HASH]);
    HEAD.into_iter().chain(events).chain(last).chain(rare).collect()
}

impl GameRow {
    /// Returns whether the game was drawn by its rules. A capped game was not.
    #[must_use]
    pub fn drawn(&self) -> bool {
        self.result == GameResult::Draw
    }

    /// Returns whether the game met the cap.
    #[must_use]
    pub fn capped(&self) -> bool {
        self.ending == RowEnding::Game(Ending::CAP)
    }

    /// Returns whether the game is excluded because the program failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.ending == RowEnding::Error
    }

    /// Returns the value of a column; null for an empty cell.
    fn value(&self, column: &str) -> Value {
        match column {
            "rules" => self.rules.as_str().into(),
            "opening" => self.opening.into(),
            "opening_plies" => self.opening_plies.into(),
            "seed" => self.seed.into(),
            "network" => self.network.as_str().into(),
            "nodes" => self.nodes.into(),
            "result" => self.result.text().into(),
            "ending" => self.ending.name().into(),
            "plies" => self.plies.into(),
            "lead_changes" => self.lead_changes.into(),
            "drama" => self.drama.into(),
            "opening_entropy" => self.opening_entropy.into(),
            HASH => format!("{:016x}", self.moves_hash).into(),
            start if start == self.game.start_column => self.start.as_str().into(),
            event => {
                let kinds = self.events.kinds.kinds.iter().zip(&self.events.counts);
                let mut values = kinds.filter_map(|(kind, counted)| match event {
                    name if name == kind.count => Some(counted.count.into()),
                    name if Some(name) == kind.first => Some(counted.first.into()),
                    _ => None,
                });
                values.next().unwrap_or(Value::Null)
            }
        }
    }

    /// Returns the cells of the row in the order of [`columns`].
    #[must_use]
    pub fn cells(&self) -> Vec<String> {
        let text = |column| match self.value(column) {
            Value::Null => String::new(),
            Value::String(text) => text,
            number => number.to_string(),
        };
        columns(self.game).into_iter().map(text).collect()
    }

    /// Parses and checks a row. `field` returns the text of a column, or `None` if the file does
    /// not have the column.
    ///
    /// # Errors
    /// Returns the first column that is missing, malformed, or contradicts the others.
    pub fn parse<'a>(
        game: Description,
        field: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self, Complaint> {
        let fields = Fields { field };
        let mut events = EventCounts::new(game.events);
        for (kind, event) in game.events.kinds.iter().zip(&mut events.counts) {
            let first = kind.first.map(|column| fields.optional(column)).transpose()?;
            *event = Event { count: fields.number(kind.count)?, first: first.flatten() };
        }
        let row = Self {
            line: 0,
            game,
            rules: fields.text("rules")?,
            opening: fields.number("opening")?,
            opening_plies: fields.number("opening_plies")?,
            seed: fields.number("seed")?,
            network: fields.text("network")?,
            nodes: fields.number("nodes")?,
            result: result(fields.get("result")?)?,
            ending: ending(game, fields.get("ending")?)?,
            plies: fields.number("plies")?,
            events,
            lead_changes: fields.number("lead_changes")?,
            drama: fields.optional("drama")?,
            opening_entropy: fields.optional("opening_entropy")?,
            start: fields.text(game.start_column)?,
            moves_hash: hash(fields.get(HASH)?)?,
        };
        row.check()?;
        Ok(row)
    }

    /// Parses a row from the object that [`Serialize`] writes.
    pub(super) fn from_object(
        game: Description,
        object: &BTreeMap<String, Value>,
    ) -> Result<Self, Complaint> {
        let texts: BTreeMap<&str, String> = object
            .iter()
            .map(|(name, value)| match value {
                Value::Null => (name.as_str(), String::new()),
                Value::String(text) => (name.as_str(), text.clone()),
                number => (name.as_str(), number.to_string()),
            })
            .collect();
        let known = columns(game);
        if let Some(unknown) = texts.keys().find(|name| !known.contains(*name)) {
            return Err(("row", format!("unknown key {unknown}")));
        }
        Self::parse(game, |column| texts.get(column).map(String::as_str))
    }

    /// Checks a row against itself.
    fn check(&self) -> Result<(), Complaint> {
        if self.nodes == 0 {
            return Err(("nodes", "0 nodes a move: at least 1 is needed".into()));
        }
        if self.plies < self.opening_plies {
            let (plies, opening) = (self.plies, self.opening_plies);
            return Err(("plies", format!("{plies} plies are fewer than the opening's {opening}")));
        }
        if !self.ending.fits(self.result) {
            let (ending, result) = (self.ending.name(), self.result.text());
            return Err(("ending", format!("{ending} contradicts the result {result}")));
        }
        for (kind, event) in self.events.kinds.kinds.iter().zip(&self.events.counts) {
            if let Some(implied) = kind.implies {
                let most = self.events.of(implied).count;
                if event.count > most {
                    return Err((kind.count, format!("more than the {most} {implied}")));
                }
            }
            self.check_count(kind.count, event.count)?;
            if let Some(first) = kind.first {
                self.check_first((kind.count, first), *event)?;
            }
        }
        self.check_count("lead_changes", self.lead_changes)?;
        self.check_drama()?;
        match self.opening_entropy {
            Some(value) if !(value.is_finite() && value >= 0.0) => {
                Err(("opening_entropy", format!("{value} is not a number from 0")))
            }
            _ => Ok(()),
        }
    }

    /// A side does one thing a ply, so nothing can happen more often than plies were played.
    fn check_count(&self, column: &'static str, count: u32) -> Result<(), Complaint> {
        let plies = self.plies - self.opening_plies;
        if count > plies {
            return Err((column, format!("{count} in {plies} plies after the opening")));
        }
        Ok(())
    }

    fn check_first(
        &self,
        (count_column, first_column): (&'static str, &'static str),
        Event { count, first }: Event,
    ) -> Result<(), Complaint> {
        let (from, to) = (self.opening_plies.saturating_add(1), self.plies);
        match first {
            None if count > 0 => {
                Err((first_column, format!("is empty although {count_column} is {count}")))
            }
            Some(_) if count == 0 => {
                Err((first_column, format!("is given although {count_column} is 0")))
            }
            Some(ply) if !(from..=to).contains(&ply) => {
                let message =
                    format!("ply {ply} is outside {from} to {to}, the plies after the opening");
                Err((first_column, message))
            }
            _ => Ok(()),
        }
    }

    fn check_drama(&self) -> Result<(), Complaint> {
        let decided = matches!(self.result, GameResult::White | GameResult::Black);
        match self.drama {
            Some(_) if !decided => Err(("drama", "is given although no player won".into())),
            None if decided => Err(("drama", "is empty although a side won".into())),
            Some(value) if !(0.0..=1.0).contains(&value) => {
                Err(("drama", format!("{value} is outside 0 to 1")))
            }
            _ => Ok(()),
        }
    }
}

/// Reads all rows of a `games.csv`.
///
/// # Errors
/// Fails on an error of the input, and at the first row that [`GameRow::parse`] rejects.
pub fn read_rows(game: Description, input: impl Read) -> anyhow::Result<Vec<GameRow>> {
    let mut csv = csv::Reader::from_reader(input);
    let header = csv.headers()?.clone();
    let mut rows = Vec::new();
    for record in csv.records() {
        let record = record?;
        let line = record.position().map_or(0, csv::Position::line);
        let field = |column: &str| record.get(header.iter().position(|name| name == column)?);
        let row = GameRow::parse(game, field)
            .map_err(|(column, reason)| anyhow!("line {line}, column {column}: {reason}"))?;
        rows.push(GameRow { line, ..row });
    }
    Ok(rows)
}

/// Writes the columns in order as the keys of an object.
impl Serialize for GameRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = columns(self.game);
        let mut map = serializer.serialize_map(Some(columns.len()))?;
        for column in columns {
            map.serialize_entry(column, &self.value(column))?;
        }
        map.end()
    }
}

/// The texts of a row by column.
struct Fields<F> {
    field: F,
}

impl<'a, F: Fn(&str) -> Option<&'a str>> Fields<F> {
    fn get(&self, column: &'static str) -> Result<&'a str, Complaint> {
        (self.field)(column).ok_or_else(|| (column, "is missing".into()))
    }

    fn text(&self, column: &'static str) -> Result<String, Complaint> {
        match self.get(column)? {
            "" => Err((column, "is empty".into())),
            text => Ok(text.to_owned()),
        }
    }

    fn number<T: std::str::FromStr>(&self, column: &'static str) -> Result<T, Complaint> {
        let text = self.get(column)?;
        text.parse().map_err(|_| (column, format!("{text:?} is not a number in range")))
    }

    fn optional<T: std::str::FromStr>(&self, column: &'static str) -> Result<Option<T>, Complaint> {
        match self.get(column)? {
            "" => Ok(None),
            _ => self.number(column).map(Some),
        }
    }
}

fn result(text: &str) -> Result<GameResult, Complaint> {
    let found = GameResult::ALL.into_iter().find(|result| result.text() == text);
    found.ok_or_else(|| ("result", format!("{text:?} is none of 1-0, 0-1, 1/2-1/2, *")))
}

fn ending(game: Description, text: &str) -> Result<RowEnding, Complaint> {
    let all = RowEnding::all(game);
    all.iter().copied().find(|ending| ending.name() == text).ok_or_else(|| {
        let names: Vec<&str> = all.into_iter().map(RowEnding::name).collect();
        ("ending", format!("{text:?} is none of {}", names.join(", ")))
    })
}

fn hash(text: &str) -> Result<u64, Complaint> {
    let digits = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    match u64::from_str_radix(text, 16) {
        Ok(value) if digits => Ok(value),
        _ => Err((HASH, format!("{text:?} is not 16 hex digits"))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::MeasuredGame;
    use super::*;
    use fusion_game::toy::{LINE, TicTacToe};

    fn row() -> GameRow {
        let game = Description::of::<TicTacToe>();
        let mut events = EventCounts::new(game.events);
        let centre = EventSet::default().with(0, true);
        events.add(centre, 5);
        events.add(centre, 7);
        GameRow {
            line: 0,
            game,
            rules: "normal".into(),
            opening: 3,
            opening_plies: 2,
            seed: 9,
            network: "uniform".into(),
            nodes: 8,
            result: GameResult::White,
            ending: RowEnding::Game(LINE),
            plies: 7,
            events,
            lead_changes: 1,
            drama: Some(0.0),
            opening_entropy: None,
            start: ".........".into(),
            moves_hash: 0xabc,
        }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let (row, game) = (row(), Description::of::<TicTacToe>());
        assert_eq!(row.events.all(), [Event { count: 2, first: Some(5) }]);
        let (columns, cells) = (columns(game), row.cells());
        let cell = |column: &str| {
            let place = columns.iter().position(|name| *name == column)?;
            Some(cells[place].as_str())
        };
        assert_eq!(cell("drama"), Some("0.0"));
        assert_eq!(GameRow::parse(game, cell), Ok(row.clone()));
        let stored = MeasuredGame { row, start: None, opening: String::new(), moves: Vec::new() };
        let json = serde_json::to_vec(&stored).unwrap();
        assert_eq!(MeasuredGame::parse(game, &json), Ok(stored));
    }

    #[test]
    fn contradictions_are_named_by_column() {
        let change = |change: &dyn Fn(&mut GameRow)| {
            let mut row = row();
            change(&mut row);
            row.check().unwrap_err().0
        };
        assert_eq!(change(&|row| row.nodes = 0), "nodes");
        assert_eq!(change(&|row| row.plies = 1), "plies");
        assert_eq!(change(&|row| row.result = GameResult::Draw), "ending");
        assert_eq!(change(&|row| row.lead_changes = 6), "lead_changes");
        assert_eq!(change(&|row| row.drama = None), "drama");
        assert_eq!(change(&|row| row.opening_plies = 6), "centres");
        assert_eq!(change(&|row| row.opening_plies = 5), "first_centre");
    }
}
