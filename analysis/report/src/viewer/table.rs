//! The table of the games: the data by which they are filtered, sorted and shown.

use super::encode::Encoded;
use fusion_game::{BoardGame, TextLayout};
use fusion_results::games::GameRow;
use fusion_results::games::display;
use serde::{Serialize, Serializer};
use std::collections::HashMap;

/// Scale of drama. Ten-thousandths take few bytes.
const PARTS: f64 = 10_000.0;

/// Columns with an entry for each game. Names are indices of lists.
#[derive(Debug, Serialize)]
pub(crate) struct Table<'a> {
    /// Names of the players.
    players: [&'static str; 2],
    /// Layout of the games' texts.
    layout: TextLayout,
    names: Names<'a>,
    measurement: Vec<usize>,
    rules: Vec<usize>,
    nodes: Vec<u64>,
    opening: Vec<Opening>,
    opening_plies: Vec<u32>,
    start: Vec<usize>,
    result: Vec<usize>,
    ending: Vec<usize>,
    plies: Vec<u32>,
    /// In ten-thousandths.
    drama: Vec<Option<u32>>,
    lead_changes: Vec<u32>,
    /// Numbers of events, for each kind.
    events: Vec<Events>,
    /// The lines before the turns in a game's text, for pages that show it.
    head: Vec<Vec<usize>>,
    /// Why a game is shown, for pages that say so.
    shown: Vec<Shown<'a>>,
    /// Number of games in a block, and the length of each stream before each block.
    block: usize,
    blocks: Vec<Vec<usize>>,
    /// Places of the lines of heads.
    #[serde(skip)]
    lines: HashMap<String, usize>,
}

/// Numbers of events of a kind.
#[derive(Debug, Serialize)]
struct Events {
    name: &'static str,
    plural: &'static str,
    counts: Vec<u32>,
}

/// Why a game is shown, and what its searches expected.
#[derive(Debug, Serialize)]
pub(super) struct Shown<'a> {
    /// The reason in a few words; empty without a particular reason.
    pub title: &'a str,
    /// The reason with its numbers.
    pub why: &'a str,
    /// The first side's chances of win, draw and loss per mille before each ply; `None` without a search.
    pub wdl: Vec<Option<[u16; 3]>>,
}

/// The number of an opening. It is a text in JavaScript beyond 2⁵³, where a number would be
/// rounded.
#[derive(Debug)]
struct Opening(u64);

impl Serialize for Opening {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 < 1 << 53 {
            serializer.serialize_u64(self.0)
        } else {
            serializer.collect_str(&self.0)
        }
    }
}

#[derive(Debug, Default, Serialize)]
struct Names<'a> {
    measurement: Vec<&'a str>,
    rules: Vec<&'a str>,
    result: Vec<&'static str>,
    ending: Vec<String>,
    head: Vec<String>,
}

impl<'a> Table<'a> {
    /// Creates a table for a game. The reader can begin with any block of this number of games.
    pub fn new<G: BoardGame>(block: usize) -> Self {
        Self {
            players: G::PLAYERS,
            layout: G::LAYOUT,
            block,
            names: Names::default(),
            measurement: Vec::new(),
            rules: Vec::new(),
            nodes: Vec::new(),
            opening: Vec::new(),
            opening_plies: Vec::new(),
            start: Vec::new(),
            result: Vec::new(),
            ending: Vec::new(),
            plies: Vec::new(),
            drama: Vec::new(),
            lead_changes: Vec::new(),
            events: Vec::new(),
            head: Vec::new(),
            shown: Vec::new(),
            blocks: Vec::new(),
            lines: HashMap::new(),
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.plies.len()
    }

    /// Appends a game of a measurement with its number of plies. `lengths` are those of the streams before it.
    pub fn push(
        &mut self,
        measurement: &'a str,
        row: &'a GameRow,
        plies: u32,
        game: &Encoded,
        lengths: impl FnOnce() -> Vec<usize>,
    ) {
        if self.games().is_multiple_of(self.block) {
            self.blocks.push(lengths());
        }
        self.count(row);
        let names = &mut self.names;
        self.measurement.push(index(&mut names.measurement, measurement));
        self.rules.push(index(&mut names.rules, &row.rules));
        self.result.push(index(&mut names.result, row.result.text()));
        self.ending.push(index(&mut names.ending, display(row.ending).to_lowercase()));
        self.start.push(game.start);
        self.nodes.push(row.nodes);
        self.opening.push(Opening(row.opening));
        self.opening_plies.push(row.opening_plies);
        self.plies.push(plies);
        self.drama.push(row.drama.map(|drama| (drama * PARTS).round() as u32));
        self.lead_changes.push(row.lead_changes);
    }

    /// Counts the events of a game that is about to be appended.
    fn count(&mut self, row: &GameRow) {
        if self.events.is_empty() {
            let kinds = row.game.events.kinds.iter();
            let events = |kind: &fusion_game::EventKind| {
                (kind.place, Events { name: kind.count, plural: kind.plural, counts: Vec::new() })
            };
            let mut events: Vec<_> = kinds.map(events).collect();
            events.sort_by_key(|(place, _)| *place);
            self.events = events.into_iter().map(|(_, events)| events).collect();
        }
        for events in &mut self.events {
            events.counts.push(row.events.of(events.name).count);
        }
    }

    /// Adds the lines before the turns of the last game's text.
    pub fn push_head(&mut self, head: &[String]) {
        let Self { lines, names, .. } = self;
        let place = |line: &String| {
            *lines.entry(line.clone()).or_insert_with(|| {
                names.head.push(line.clone());
                names.head.len() - 1
            })
        };
        self.head.push(head.iter().map(place).collect());
    }

    /// Adds why the last game is shown.
    pub(super) fn push_shown(&mut self, shown: Shown<'a>) {
        self.shown.push(shown);
    }
}

/// Returns the index of a name in its list. A new name is added at the end.
fn index<T: PartialEq>(names: &mut Vec<T>, name: T) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}
