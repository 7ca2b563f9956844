//! Compact encoding of games for a reader without rules.
//!
//! The reader holds the board: what stands on each space, and for each side a list of its spaces, with
//! the last one moved to first. An action is a byte in the stream of heads, `17 · effect + place`,
//! and a number in the stream of ways of the piece that moves:
//!
//! - `place` is 0 for no origin, or 1 + the origin's place in the list of the side that acts. What does
//!   not fit follows in the stream of specials after the head 255: place, effect.
//! - A way is an entry of the piece's list of ways: columns and rows from origin to target, or nothing
//!   without a target.
//! - An effect is an entry of a list for what stands on origin and target: all that the action does.
//!
//! Numbers have seven bits a byte, the lowest first; all bytes of a number but the last have the
//! eighth bit. The lists grow as the games need them and are part of the data.

use super::replay::{Action, Content, Effect, Kind, Names, Replayed, Start};
use crate::html::json_in_script;
use base64ct::{Base64, Encoding};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use fusion_game::BoardShape;
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;

/// Indices of the first streams. One for the ways of each figure follows.
const HEADS: usize = 0;
const SPECIALS: usize = 1;
const WAYS: usize = 2;
/// Numbers of places and of effects that a head can express.
const PLACES: usize = 17;
const EFFECTS: usize = 15;
const SPELLED: u8 = 255;

/// What stands on origin and target of actions, and the effects that they have.
#[derive(Debug, Default, Serialize)]
struct Context {
    before: [Content; 2],
    effects: Names<Effect>,
}

/// The lists that the streams refer to.
#[derive(Debug, Default, Serialize)]
struct Lists {
    kinds: Names<Kind>,
    shapes: Names<BoardShape>,
    starts: Names<Start>,
    /// Figures of the pieces that move, in the order of their streams.
    figures: Names<String>,
    /// The ways of each figure.
    ways: Vec<Names<Option<(i32, i32)>>>,
    contexts: Vec<Context>,
}

/// All games of a page.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    lists: Lists,
    /// Place of each context in its list.
    contexts: HashMap<[Content; 2], usize>,
    streams: Vec<Vec<u8>>,
}

/// A game's start and its part of each stream.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(super) start: usize,
    streams: Vec<(usize, Vec<u8>)>,
}

/// What a page's script gets.
#[derive(Serialize)]
struct Packed {
    /// Number of bytes of the table, which comes first.
    table: usize,
    /// Number of bytes of each stream, in order.
    streams: Vec<usize>,
    /// Table and streams: `deflate` without a header, in Base64.
    data: String,
}

/// The table with the lists.
#[derive(Serialize)]
struct WithLists<'a, T> {
    lists: &'a Lists,
    #[serde(flatten)]
    table: &'a T,
}

impl Encoder {
    /// Returns the length of each stream.
    pub fn lengths(&self) -> Vec<usize> {
        self.streams.iter().map(Vec::len).collect()
    }

    /// Encodes a game. The lists get what they lack.
    pub fn encode(&mut self, game: Replayed) -> Encoded {
        let kinds = game.kinds.list().iter();
        let kinds: Vec<usize> = kinds.map(|kind| self.lists.kinds.place(kind.clone())).collect();
        let content = |content: Content| match content.checked_sub(1) {
            None => 0,
            Some(of) => (1 + 2 * kinds[usize::from(of / 2)]) as Content + of % 2,
        };
        let mut start = game.start;
        start.shape = self.lists.shapes.place(game.shape);
        start.pieces.iter_mut().for_each(|(_, piece)| *piece = content(*piece));
        let mut streams = vec![Vec::new(); self.streams.len().max(WAYS)];
        for mut action in game.actions {
            action.before = action.before.map(content);
            action.effect.changes.iter_mut().for_each(|(_, piece)| *piece = content(*piece));
            self.action(action, &mut streams);
        }
        let streams = streams.into_iter().enumerate().filter(|(_, bytes)| !bytes.is_empty());
        Encoded { start: self.lists.starts.place(start), streams: streams.collect() }
    }

    fn action(&mut self, action: Action, streams: &mut Vec<Vec<u8>>) {
        let Action { place, way, before, effect } = action;
        let place = place.map_or(0, |place| place + 1);
        let lists = &mut self.lists;
        let context = *self.contexts.entry(before).or_insert_with(|| {
            lists.contexts.push(Context { before, effects: Names::default() });
            lists.contexts.len() - 1
        });
        let effect = lists.contexts[context].effects.place(effect);
        if place < PLACES && effect < EFFECTS {
            streams[HEADS].push((PLACES * effect + place) as u8);
        } else {
            streams[HEADS].push(SPELLED);
            number(&mut streams[SPECIALS], place);
            number(&mut streams[SPECIALS], effect);
        }
        let mover = before[0].checked_sub(1).map(|of| usize::from(of / 2));
        let figure = mover.map_or("", |kind| lists.kinds.list()[kind].figure()).to_owned();
        let figure = lists.figures.place(figure);
        if figure == lists.ways.len() {
            lists.ways.push(Names::default());
        }
        if WAYS + figure >= streams.len() {
            streams.resize(WAYS + figure + 1, Vec::new());
        }
        number(&mut streams[WAYS + figure], lists.ways[figure].place(way));
    }

    /// Appends a game to the streams.
    pub fn append(&mut self, game: &Encoded) {
        for (stream, bytes) in &game.streams {
            if *stream >= self.streams.len() {
                self.streams.resize(stream + 1, Vec::new());
            }
            self.streams[*stream].extend_from_slice(bytes);
        }
    }

    /// Returns all games and the table about them for a page's script, safe inside a script element.
    ///
    /// # Errors
    /// Fails if memory cannot be written.
    pub fn pack(&self, table: &impl Serialize) -> anyhow::Result<String> {
        let table = serde_json::to_vec(&WithLists { lists: &self.lists, table })?;
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
        deflate.write_all(&table)?;
        deflate.write_all(&self.streams.concat())?;
        let data = Base64::encode_string(&deflate.finish()?);
        let packed = Packed { table: table.len(), streams: self.lengths(), data };
        Ok(json_in_script(&serde_json::to_string(&packed)?))
    }
}

/// Appends a number.
fn number(stream: &mut Vec<u8>, mut number: usize) {
    while number >= 128 {
        stream.push((number % 128) as u8 | 128);
        number /= 128;
    }
    stream.push(number as u8);
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
