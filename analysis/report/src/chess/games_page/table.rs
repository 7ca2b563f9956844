//! The table of the games: the data by which they are filtered, sorted and shown.

use super::read::{ReadGame, Start};
use super::select::Measurement;
use fusion_chess::notation::{PgnGame, pgn::PgnResult};
use fusion_game::Outcome;
use fusion_results::games::display;
use fusion_results::games::{GameRow, RowEnding};
use serde::{Serialize, Serializer};

/// Scale of drama. Ten-thousandths take few bytes.
const PARTS: f64 = 10_000.0;

/// Columns with an entry for each game. Names are indices of lists.
#[derive(Debug, Default, Serialize)]
pub(super) struct Table<'a> {
    names: Names<'a>,
    measurement: Vec<usize>,
    rules: Vec<usize>,
    nodes: Vec<u64>,
    opening: Vec<Opening>,
    opening_plies: Vec<u32>,
    network: Vec<usize>,
    start: Vec<usize>,
    result: Vec<usize>,
    ending: Vec<usize>,
    plies: Vec<u32>,
    /// In ten-thousandths.
    drama: Vec<Option<u32>>,
    lead_changes: Vec<u32>,
    captures: Vec<u32>,
    promotions: Vec<u32>,
    fusions: Vec<u32>,
    royal_fusions: Vec<u32>,
    fissions: Vec<u32>,
    castlings: Vec<u32>,
    metamorphoses: Vec<u32>,
    demotions: Vec<u32>,
    self_captures: Vec<u32>,
    escapes: Vec<u32>,
    /// The length of each stream before each block of games.
    blocks: Vec<Vec<usize>>,
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
    network: Vec<&'a str>,
    start: Vec<Start>,
    result: Vec<&'static str>,
    ending: Vec<EndingNames>,
}

/// The ending of a game, in words and in PGN's tags.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct EndingNames {
    words: String,
    tags: Vec<(String, String)>,
}

impl<'a> Table<'a> {
    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.plies.len()
    }

    /// Records the position of each stream before the next game.
    pub fn begin_block(&mut self, lengths: Vec<usize>) {
        self.blocks.push(lengths);
    }

    /// Appends a game.
    pub fn push(&mut self, measurement: &Measurement<'a>, game: &ReadGame) {
        let row = &measurement.rows[game.row];
        let names = &mut self.names;
        self.measurement.push(index(&mut names.measurement, measurement.name));
        self.rules.push(index(&mut names.rules, &row.rules));
        self.network.push(index(&mut names.network, &row.network));
        self.start.push(index(&mut names.start, game.start.clone()));
        self.result.push(index(&mut names.result, row.result.text()));
        self.ending.push(index(&mut names.ending, ending(row)));
        self.nodes.push(row.nodes);
        self.opening.push(Opening(row.opening));
        self.opening_plies.push(row.opening_plies);
        self.plies.push(row.plies);
        self.drama.push(row.drama.map(|drama| (drama * PARTS).round() as u32));
        for (column, value) in [
            (&mut self.lead_changes, row.lead_changes),
            (&mut self.captures, row.events.of("captures").count),
            (&mut self.promotions, row.events.of("promotions").count),
            (&mut self.fusions, row.events.of("fusions").count),
            (&mut self.royal_fusions, row.events.of("royal_fusions").count),
            (&mut self.fissions, row.events.of("fissions").count),
            (&mut self.castlings, row.events.of("castlings").count),
            (&mut self.metamorphoses, row.events.of("metamorphoses").count),
            (&mut self.demotions, row.events.of("demotions").count),
            (&mut self.self_captures, row.events.of("self_captures").count),
            (&mut self.escapes, row.events.of("escapes").count),
        ] {
            column.push(value);
        }
    }
}

/// Returns the index of a name in its list. A new name is added at the end.
fn index<T: PartialEq>(names: &mut Vec<T>, name: T) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

fn ending(row: &GameRow) -> EndingNames {
    let mut pgn =
        PgnGame { tags: Vec::new(), comment: None, moves: Vec::new(), result: PgnResult::Unknown };
    if let RowEnding::Game(ending) = row.ending {
        pgn.set_outcome(Outcome { winner: None, ending });
    }
    EndingNames { words: display(row.ending).to_lowercase(), tags: pgn.tags }
}
