//! Replays a game into what a reader without rules needs: the spaces that each action changes, its
//! notation, and its words.
//!
//! An action is a move of the game; a turn is the actions of a side in a row. What an action does is
//! written relative to the side that acts, so that both sides share it: contents are its own or the
//! enemy's, and rows count forwards.

use fusion_game::{BoardGame, BoardPiece, BoardShape, Side, Space};
use serde::Serialize;
use std::collections::HashMap;
use std::hash::Hash;

/// What stands on a space: 0 if nothing does, else 1 + 2 · kind + side.
pub(super) type Content = u16;

/// Characters that stand for names in texts: the origin, the target, the origin's column and row.
const NAMES: [char; 4] = ['\u{1}', '\u{2}', '\u{3}', '\u{4}'];

/// A kind of piece: a piece without its owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Kind {
    figure: String,
    name: String,
    parts: Option<String>,
}

impl Kind {
    /// Returns the kind of a piece.
    pub fn of(piece: &BoardPiece) -> Self {
        let BoardPiece { figure, name, parts, .. } = piece.clone();
        Self { figure, name, parts }
    }

    /// Returns the figures that are drawn.
    pub fn figure(&self) -> &str {
        &self.figure
    }
}

/// Names, each with a number: its place in the list.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Names<T: Eq + Hash + Clone + Serialize> {
    list: Vec<T>,
    #[serde(skip)]
    places: HashMap<T, usize>,
}

impl<T: Eq + Hash + Clone + Serialize> Default for Names<T> {
    fn default() -> Self {
        Self { list: Vec::new(), places: HashMap::new() }
    }
}

impl<T: Eq + Hash + Clone + Serialize> Names<T> {
    /// Returns the number of a name. A new one is added at the end.
    pub fn place(&mut self, name: T) -> usize {
        if let Some(&place) = self.places.get(&name) {
            return place;
        }
        self.list.push(name.clone());
        self.places.insert(name, self.list.len() - 1);
        self.list.len() - 1
    }

    /// Returns the names in the order of their numbers.
    pub fn list(&self) -> &[T] {
        &self.list
    }
}

/// A space that an action changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(untagged)]
pub(super) enum Place {
    /// The origin (0) or the target (1).
    Named(u8),
    /// Columns and rows from the target.
    Away(i32, i32),
}

/// What an action does, apart from where.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Effect {
    /// What stands on the spaces that change, seen by the side that acts.
    pub changes: Vec<(Place, Content)>,
    /// Number of UTF-16 units at the end of the turn's notation that the action replaces.
    pub cut: usize,
    /// What it adds to the turn's notation.
    pub words: String,
    /// Engine notation.
    pub text: String,
    /// What it does, in a few words.
    pub label: String,
    /// Kind of the move, in a word.
    pub kind: &'static str,
    /// Whether the turn ends with it.
    pub ends: bool,
}

/// An action: its spaces, what it does, and what a reader has to find out.
#[derive(Clone, Debug)]
pub(super) struct Action {
    /// Place of the origin in the list of its owner's spaces; `None` without an origin there.
    pub place: Option<usize>,
    /// Columns and rows from the origin, or from the first space, to the target.
    pub way: Option<(i32, i32)>,
    /// What stands on origin and target before it, seen by the side that acts.
    pub before: [Content; 2],
    pub effect: Effect,
}

/// A game's first position.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Start {
    /// Number of the board's shape.
    pub shape: usize,
    /// The position's text; `None` for the rules' initial position.
    pub text: Option<String>,
    /// Spaces by number and what stands on them.
    pub pieces: Vec<(u16, Content)>,
    /// Whether the second side acts first.
    pub second: bool,
    /// Number of the first turn.
    pub number: u32,
}

/// A game as it was replayed. Kinds of pieces have numbers of this game.
#[derive(Clone, Debug)]
pub(crate) struct Replayed {
    pub(super) shape: BoardShape,
    pub(super) start: Start,
    pub(super) kinds: Names<Kind>,
    pub(super) actions: Vec<Action>,
}

/// Why a game cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The position before the first move is rejected.
    #[error("the first position: {0}")]
    Start(String),
    /// A move is not legal.
    #[error("ply {ply}: {text} is not a legal move in {position}")]
    IllegalMove {
        /// Ply of the move, from 1.
        ply: usize,
        /// The move.
        text: String,
        /// The position before it.
        position: String,
    },
}

/// Replays a game from a position, or from the rules' initial one. `number` is that of its first turn.
///
/// # Errors
/// Fails if the position or a move is not legal.
pub(crate) fn replay<'a, G: BoardGame>(
    rules: &G::Rules,
    start: Option<&str>,
    moves: impl IntoIterator<Item = &'a str>,
    number: u32,
) -> Result<Replayed, ReplayError> {
    let initial = G::new(rules);
    let mut game = match start {
        None => initial.clone(),
        Some(text) => G::from_text(rules, text).map_err(ReplayError::Start)?,
    };
    let text = start.filter(|_| game.to_text() != initial.to_text()).map(str::to_owned);
    let mut board = Board::new(G::shape(rules));
    let pieces = board.changes(&game);
    board.become_after(&pieces, None);
    let second = game.side_to_move() == Side::Second;
    let mut actions = Vec::new();
    let mut turn = Turn { begin: game.clone(), moves: Vec::new(), words: String::new() };
    for (i, text) in moves.into_iter().enumerate() {
        let mv = game.parse_move(text).ok_or_else(|| ReplayError::IllegalMove {
            ply: i + 1,
            text: text.to_owned(),
            position: game.to_text(),
        })?;
        actions.push(action(&mut game, &mut board, &mut turn, mv));
    }
    let Board { shape, kinds, .. } = board;
    Ok(Replayed { shape, start: Start { shape: 0, text, pieces, second, number }, kinds, actions })
}

/// The turn in progress.
struct Turn<G: BoardGame> {
    begin: G,
    moves: Vec<G::Move>,
    words: String,
}

/// Makes a legal move.
fn action<G: BoardGame>(
    game: &mut G,
    board: &mut Board,
    turn: &mut Turn<G>,
    mv: G::Move,
) -> Action {
    let seen = game.board_move(mv);
    let side = game.side_to_move();
    let [from, to] = [&seen.from, &seen.to].map(|name| board.number(name.as_deref()));
    let place = from.and_then(|from| board.place(side, from));
    // Without a place in the list the text has no origin.
    let from = from.filter(|_| place.is_some());
    let text = board.template(&game.move_text(mv), from, to);
    turn.moves.push(mv);
    let all = turn.begin.turn_words(&turn.moves);
    let kept = common(&turn.words, &all);
    let cut = turn.words[kept..].encode_utf16().count();
    let words = board.template(&all[kept..], from, to);
    game.play(mv);
    let ends = game.side_to_move() != side;
    if ends {
        turn.begin.clone_from(game);
        turn.moves.clear();
    }
    turn.words = if ends { String::new() } else { all };
    let before = [from, to].map(|space| own(space.map_or(0, |space| board.on(space)), side));
    let way = to.map(|to| board.way(from, to, side));
    let mut changed = board.changes(game);
    let place_of = |space: u16| match Some(space) {
        space if space == from => Place::Named(0),
        space if space == to => Place::Named(1),
        _ => {
            let (columns, rows) = board.way(to.or(from), space, side);
            Place::Away(columns, rows)
        }
    };
    // In an order that is the same wherever the action leads.
    changed.sort_by_key(|&(space, _)| place_of(space));
    let changes = changed.iter().map(|&(space, content)| (place_of(space), own(content, side)));
    let (label, kind) = (seen.label, seen.kind);
    let effect = Effect { changes: changes.collect(), cut, words, text, label, kind, ends };
    board.become_after(&changed, to);
    Action { place, way, before, effect }
}

/// Returns the length of what two texts have in common at their beginning.
fn common(a: &str, b: &str) -> usize {
    let pairs = a.chars().zip(b.chars());
    pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Returns a content as the side sees it: its own pieces are those of the first side.
pub(super) fn own(content: Content, side: Side) -> Content {
    match side {
        Side::Second if content > 0 => ((content - 1) ^ 1) + 1,
        _ => content,
    }
}

/// The board in the state of a reader.
struct Board {
    shape: BoardShape,
    numbers: HashMap<String, u16>,
    kinds: Names<Kind>,
    contents: Vec<Content>,
    /// The game's codes for what stands on the spaces, and what each code stands for.
    codes: Vec<u32>,
    known: HashMap<u32, Content>,
    /// Spaces of each side, the last one that was moved to first.
    lists: [Vec<u16>; 2],
}

impl Board {
    fn new(shape: BoardShape) -> Self {
        let names = shape.spaces.iter().map(|space| space.name.clone());
        let numbers = names.zip(0..).collect();
        let spaces = shape.spaces.len();
        Self {
            shape,
            numbers,
            kinds: Names::default(),
            contents: vec![0; spaces],
            codes: vec![0; spaces],
            known: HashMap::from([(0, 0)]),
            lists: Default::default(),
        }
    }

    fn number(&self, name: Option<&str>) -> Option<u16> {
        self.numbers.get(name?).copied()
    }

    fn space(&self, number: u16) -> &Space {
        &self.shape.spaces[usize::from(number)]
    }

    fn on(&self, number: u16) -> Content {
        self.contents[usize::from(number)]
    }

    /// Returns the columns and rows from a space, or from the first one of the board, to another; rows
    /// count forwards for the side.
    fn way(&self, from: Option<u16>, to: u16, side: Side) -> (i32, i32) {
        let at = |space: &Space| (i32::from(space.column), i32::from(space.row));
        let (from, to) = (from.map_or((0, 0), |from| at(self.space(from))), at(self.space(to)));
        let rows = to.1 - from.1;
        (to.0 - from.0, if side == Side::First { rows } else { -rows })
    }

    /// Returns the place of a space in the list of a side.
    fn place(&self, side: Side, space: u16) -> Option<usize> {
        self.lists[side as usize].iter().position(|&own| own == space)
    }

    /// Returns the spaces that differ in a position, in their order, with what stands there.
    fn changes<G: BoardGame>(&mut self, game: &G) -> Vec<(u16, Content)> {
        let codes = game.codes();
        let differ = (0..).zip(self.codes.iter().zip(&codes)).filter(|(_, (old, new))| old != new);
        let differ: Vec<(u16, u32)> = differ.map(|(space, (_, &code))| (space, code)).collect();
        if differ.iter().any(|(_, code)| !self.known.contains_key(code)) {
            for placed in game.pieces() {
                let Some(&space) = self.numbers.get(&placed.space) else { continue };
                let kind = self.kinds.place(Kind::of(&placed.piece));
                let content = (1 + 2 * kind + placed.piece.side as usize) as Content;
                self.known.insert(codes[usize::from(space)], content);
            }
        }
        self.codes = codes;
        let content = |code| self.known.get(&code).copied().unwrap_or_default();
        differ.into_iter().map(|(space, code)| (space, content(code))).collect()
    }

    /// Changes spaces. `to` is the target.
    fn become_after(&mut self, changes: &[(u16, Content)], to: Option<u16>) {
        let owner =
            |content: Content| content.checked_sub(1).map(|content| usize::from(content % 2));
        for &(space, content) in changes {
            let before = std::mem::replace(&mut self.contents[usize::from(space)], content);
            if owner(before) == owner(content) {
                continue;
            }
            if let Some(side) = owner(before) {
                self.lists[side].retain(|&own| own != space);
            }
            if let Some(side) = owner(content) {
                self.lists[side].insert(0, space);
            }
        }
        let moved = to.and_then(|to| Some((to, owner(self.on(to))?)));
        if let Some((to, side)) = moved {
            let list = &mut self.lists[side];
            if let Some(place) = list.iter().position(|&own| own == to) {
                list[..=place].rotate_right(1);
            }
        }
    }

    /// Replaces the names of spaces in a text by [`NAMES`]: those of the origin and of the target, or
    /// where the origin is not named, its column and its row.
    fn template(&self, text: &str, from: Option<u16>, to: Option<u16>) -> String {
        let mut text = text.to_owned();
        let [from, to] = [from, to].map(|space| space.map(|space| self.space(space)));
        // A name may begin with a shorter one.
        let mut spaces = [(from, NAMES[0]), (to, NAMES[1])];
        spaces.sort_by_key(|(space, _)| std::cmp::Reverse(space.map_or(0, |s| s.name.len())));
        for (space, mark) in spaces {
            if let Some(space) = space {
                text = text.replace(&space.name, mark.encode_utf8(&mut [0; 4]));
            }
        }
        let Some(from) = from.filter(|_| !text.contains(NAMES[0])) else { return text };
        let column = self.shape.column_names.get(usize::from(from.column));
        let row = self.shape.row_names.get(usize::from(from.row));
        for (name, mark) in [(column, NAMES[2]), (row, NAMES[3])] {
            if let Some(name) = name {
                text = text.replacen(name, mark.encode_utf8(&mut [0; 4]), 1);
            }
        }
        text
    }
}
