//! Summaries of tables: the numbers of won, drawn and lost positions, for every way in which the
//! components are fused or split, and for either side to move.

use crate::graph::Ending;
use crate::line;
use fusion_chess::board::{Color, Component, Piece, Position};
use fusion_chess::endgame::{MAX_COMPONENTS, Squares, Value};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Plies without a capture after which the fifty-move rule ends a game.
pub const FIFTY_MOVES: u16 = 100;

/// One row of a summary: an ending under a rule set, one arrangement of its components into pieces,
/// and one side to move.
///
/// Positions are counted on the whole board, mirror images included. Like components of one side
/// are not distinguished. White has the material written first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The rule set.
    pub rules: String,
    /// The material, `KRBvKR`.
    pub material: String,
    /// White's pieces, `K+RB`.
    pub white: String,
    /// Black's pieces, `KR`.
    pub black: String,
    /// The side to move: `w` or `b`.
    pub to_move: char,
    /// Number of positions.
    pub positions: u64,
    /// Number of positions that White wins.
    pub white_wins: u64,
    /// Number of drawn positions.
    pub draws: u64,
    /// Number of positions that Black wins.
    pub black_wins: u64,
    /// Number of White's wins that take more than 100 plies.
    pub white_over_100: u64,
    /// Number of Black's wins that take more than 100 plies.
    pub black_over_100: u64,
    /// Length of White's longest win in plies; empty without wins.
    pub white_longest: Option<u16>,
    /// A position with White's longest win.
    pub white_longest_fen: Option<String>,
    /// Best play from that position.
    pub white_longest_line: Option<String>,
    /// Length of Black's longest win in plies; empty without wins.
    pub black_longest: Option<u16>,
    /// A position with Black's longest win.
    pub black_longest_fen: Option<String>,
    /// Best play from that position.
    pub black_longest_line: Option<String>,
}

/// Counts of results for one kind of arrangement.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    positions: u64,
    wins: [Wins; 2],
}

/// The wins of a colour.
#[derive(Clone, Copy, Debug, Default)]
struct Wins {
    positions: u64,
    over_100: u64,
    longest: Option<Longest>,
}

#[derive(Clone, Copy, Debug)]
struct Longest {
    plies: u16,
    /// The first entry with the longest win.
    index: usize,
}

impl Longest {
    fn longer(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let rank = |longest: &Self| (longest.plies, std::cmp::Reverse(longest.index));
        a.into_iter().chain(b).max_by_key(rank)
    }
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        for (mine, other) in self.wins.iter_mut().zip(&other.wins) {
            mine.positions += other.positions;
            mine.over_100 += other.over_100;
            mine.longest = Longest::longer(mine.longest, other.longest);
        }
    }

    fn note(&mut self, value: Value, side: Color, weight: u64, index: usize) {
        self.positions += weight;
        let (winner, plies) = match value {
            Value::Draw => return,
            Value::Win(plies) => (side, plies),
            Value::Loss(plies) => (!side, plies),
        };
        let wins = &mut self.wins[winner.index()];
        wins.positions += weight;
        wins.over_100 += if plies > FIFTY_MOVES { weight } else { 0 };
        wins.longest = Longest::longer(wins.longest, Some(Longest { plies, index }));
    }
}

/// Partners of the components: for each component, the index of the one on its square, or its own.
type Fused = [u8; MAX_COMPONENTS];

/// White's pieces, Black's pieces, Black to move.
type Kind = (String, String, bool);

/// Summarises a table. `value` returns the value of positions of this ending and smaller ones.
#[must_use]
pub fn summarise(
    ending: &Ending,
    codes: &[u16],
    value: impl Fn(&Position) -> Option<Value>,
) -> Vec<Row> {
    let layout = &ending.layout;
    let blocks = (0..layout.blocks()).into_par_iter();
    let counted = blocks.map(|block| count_block(ending, codes, block));
    let counts = counted.reduce(BTreeMap::new, |mut all, block| {
        for (fused, count) in block {
            all.entry(fused).or_default().add(&count);
        }
        all
    });
    let mut kinds: BTreeMap<Kind, Count> = BTreeMap::new();
    for ((fused, black_moves), count) in counts {
        let [white, black] = Color::ALL.map(|color| pieces(ending, &fused, color));
        kinds.entry((white, black, black_moves)).or_default().add(&count);
    }
    kinds.into_iter().map(|(kind, count)| row(ending, kind, &count, &value)).collect()
}

fn count_block(ending: &Ending, codes: &[u16], block: usize) -> BTreeMap<(Fused, bool), Count> {
    let layout = &ending.layout;
    let mut counts: BTreeMap<(Fused, bool), Count> = BTreeMap::new();
    let first = block * layout.block();
    for (index, &code) in (first..).zip(&codes[first..first + layout.block()]) {
        let Some(value) = Value::of_code(code) else { continue };
        let Some((squares, side)) = layout.squares(index) else { continue };
        let key = (fused(&squares, layout.components().len()), side == Color::Black);
        counts.entry(key).or_default().note(value, side, layout.weight(&squares), index);
    }
    counts
}

fn fused(squares: &Squares, components: usize) -> Fused {
    let mut fused = Fused::default();
    for (i, partner) in fused.iter_mut().enumerate().take(components) {
        let others = (0..components).find(|&j| j != i && squares[j] == squares[i]);
        *partner = others.unwrap_or(i) as u8;
    }
    fused
}

/// Formats a side's pieces, the royal one first, then compounds: `K+RB+N`.
fn pieces(ending: &Ending, fused: &Fused, color: Color) -> String {
    let components = ending.layout.components();
    let mut pieces = Vec::new();
    for (i, &(owner, component)) in components.iter().enumerate() {
        let partner = usize::from(fused[i]);
        if owner == color && partner >= i {
            let piece = Piece::of(component);
            pieces.push(if partner > i { piece.with(components[partner].1) } else { piece });
        }
    }
    names(pieces)
}

fn names(mut pieces: Vec<Piece>) -> String {
    let first = |piece: &Piece| piece.components().next().map_or(0, Component::index);
    pieces.sort_by_key(|piece| (!piece.is_royal(), std::cmp::Reverse(piece.len()), first(piece)));
    let names: Vec<String> = pieces.iter().map(Piece::to_string).collect();
    names.join("+")
}

fn row(
    ending: &Ending,
    (white, black, black_moves): Kind,
    count: &Count,
    value: impl Fn(&Position) -> Option<Value>,
) -> Row {
    let [white_wins, black_wins] = count.wins;
    let longest = |wins: Wins| {
        let (squares, side) = ending.layout.squares(wins.longest?.index)?;
        let position = ending.layout.position(&squares, side);
        let line = line::text(&position, &line::best(position, &ending.rules, &value));
        Some((position.to_fen(), line))
    };
    let (white_longest_fen, white_longest_line) = longest(white_wins).unzip();
    let (black_longest_fen, black_longest_line) = longest(black_wins).unzip();
    Row {
        rules: ending.rules.to_string(),
        material: ending.layout.material().to_string(),
        white,
        black,
        to_move: if black_moves { 'b' } else { 'w' },
        positions: count.positions,
        white_wins: white_wins.positions,
        draws: count.positions - white_wins.positions - black_wins.positions,
        black_wins: black_wins.positions,
        white_over_100: white_wins.over_100,
        black_over_100: black_wins.over_100,
        white_longest: white_wins.longest.map(|longest| longest.plies),
        white_longest_fen,
        white_longest_line,
        black_longest: black_wins.longest.map(|longest| longest.plies),
        black_longest_fen,
        black_longest_line,
    }
}
