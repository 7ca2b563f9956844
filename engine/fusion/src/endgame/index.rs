//! The index of a position in its table.
//!
//! Without Pawns and castling a board has eight symmetries. The index first brings the White King
//! to the triangle a1-d1-d4. If the White King stands on the long diagonal, the Black King is
//! brought to that diagonal or below it. This leaves 462 pairs of Kings that are not adjacent
//! (Kings inside compounds also give check to adjacent squares). If both Kings stand on the
//! diagonal, a position and its mirror image both have this form. The one with the smaller index is
//! stored. For like components of one side only the set of squares counts.

use super::{MAX_COMPONENTS, Material};
use crate::board::{Color, Component, Position, Square, attacks};
use std::sync::LazyLock;

/// Pairs of squares for the two Kings, up to symmetry.
pub const KING_PAIRS: usize = 462;

/// A square, from 0 (a1) to 63 (h8), for every component of a material, in the order of
/// [`Material::components`]. The remaining elements are unused.
pub type Squares = [u8; MAX_COMPONENTS];

/// The eight symmetries of the board: for each, the image of every square. The number of
/// a symmetry is a sum: 1 mirrors left and right, 2 mirrors top and bottom, 4 then exchanges files
/// and ranks.
static SYMMETRIES: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut square = 0;
        while square < 64 {
            let (mut file, mut rank) = (square % 8, square / 8);
            if symmetry & 1 != 0 {
                file = 7 - file;
            }
            if symmetry & 2 != 0 {
                rank = 7 - rank;
            }
            if symmetry & 4 != 0 {
                (file, rank) = (rank, file);
            }
            table[symmetry][square] = (rank * 8 + file) as u8;
            square += 1;
        }
        symmetry += 1;
    }
    table
};

/// The symmetry that keeps the long diagonal.
const TRANSPOSE: usize = 4;

/// The stored form of a pair of Kings.
#[derive(Clone, Copy, Default)]
struct KingPair {
    /// The pair's number; `None` if the Kings are adjacent.
    number: Option<u16>,
    /// The symmetry that brings the pair to the stored form.
    symmetry: u8,
    /// Whether both Kings stand on the long diagonal.
    on_diagonal: bool,
}

struct KingPairs {
    /// The stored forms, indexed by White's King times 64 plus Black's King.
    lookup: Vec<KingPair>,
    /// Squares of White's and Black's King, and whether both stand on the long diagonal.
    stored: Vec<([u8; 2], bool)>,
}

static KINGS: LazyLock<KingPairs> = LazyLock::new(|| {
    let mut pairs = KingPairs { lookup: vec![KingPair::default(); 64 * 64], stored: Vec::new() };
    let below = |square: u8| square / 8 < square % 8;
    let diagonal = |square: u8| square / 8 == square % 8;
    for white in 0..64u8 {
        for black in 0..64u8 {
            let stored = white % 8 < 4
                && (below(white) || diagonal(white) && (below(black) || diagonal(black)));
            let square = |index: u8| Square::new(index.into());
            let near = attacks::king(square(white)) | square(white).bit();
            if !stored || near.has(square(black)) {
                continue;
            }
            let number = Some(pairs.stored.len() as u16);
            let on_diagonal = diagonal(white) && diagonal(black);
            pairs.stored.push(([white, black], on_diagonal));
            // The identity comes last, so it wins where several symmetries lead to the pair.
            for symmetry in (0..8).rev() {
                let [from_white, from_black] = [white, black].map(|s| inverse(symmetry, s));
                pairs.lookup[64 * usize::from(from_white) + usize::from(from_black)] =
                    KingPair { number, symmetry: symmetry as u8, on_diagonal };
            }
        }
    }
    pairs
});

fn inverse(symmetry: usize, square: u8) -> u8 {
    SYMMETRIES[symmetry].iter().position(|&to| to == square).unwrap_or(0) as u8
}

/// Like components of one side: their number, and the number of possible sets of squares.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: usize,
    len: usize,
    sets: usize,
}

/// Sets of two or three squares by their index.
static PAIRS: LazyLock<Vec<[u8; 2]>> =
    LazyLock::new(|| (0..64).flat_map(|b| (0..b).map(move |a| [a, b])).collect());
static TRIPLES: LazyLock<Vec<[u8; 3]>> = LazyLock::new(|| {
    let below = |c: u8| (0..c).flat_map(|b| (0..b).map(move |a| [a, b]));
    (0..64).flat_map(|c| below(c).map(move |[a, b]| [a, b, c])).collect()
});

/// Indices of the sets of two squares that contain a given square, by the other square. The last
/// row holds the indices of single squares.
static ROWS: LazyLock<Vec<[u16; 64]>> = LazyLock::new(|| {
    let pair = |one: usize, other: usize| pair_index(one.min(other), one.max(other)) as u16;
    let pairs = (0..64).map(|one| std::array::from_fn(|other| pair(one, other)));
    pairs.chain([std::array::from_fn(|square| square as u16)]).collect()
});

/// Entries of the arrangements that differ only in the square of the moving components.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    start: usize,
    stride: usize,
    row: &'static [u16; 64],
}

impl Line {
    /// Returns the entry of the arrangement with the moving components on a square.
    #[inline]
    #[must_use]
    pub fn entry(&self, square: Square) -> usize {
        self.start + self.stride * usize::from(self.row[square.index()])
    }
}

/// Entries of arrangements that differ by moves of components other than Kings. Finding them here
/// is faster than computing each index.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours<'a> {
    layout: &'a Layout,
    squares: Squares,
    entry: usize,
}

impl Neighbours<'_> {
    /// Returns the entries of the arrangements in which these components (bit i is component i)
    /// have left a square together. Returns `None` where only [`Layout::index`] can find them.
    #[inline]
    #[must_use]
    pub fn moved(&self, components: usize, from: Square) -> Option<Line> {
        let (mut stride, mut row) = (0, 64);
        for i in (0..self.squares.len()).filter(|i| components >> i & 1 != 0) {
            let Like { stride: own, other } = self.layout.likes[i];
            // A King, one of three like components, or one of two that moves with another
            // component.
            if own == 0 || other.is_some() && components != 1 << i {
                return None;
            }
            stride += own;
            row = other.map_or(row, |other| usize::from(self.squares[usize::from(other)] & 63));
        }
        let row = &ROWS[row];
        Some(Line { start: self.entry - stride * usize::from(row[from.index()]), stride, row })
    }
}

/// How a component's square changes the entry.
#[derive(Clone, Copy, Debug, Default)]
struct Like {
    /// The change of the entry for one step of its group's number; 0 for Kings and one of three.
    stride: usize,
    /// The other component of the same kind, if there are two.
    other: Option<u8>,
}

/// The order of a table's entries.
///
/// Entries are grouped in blocks. Every pair of Kings has one block with White to move and one with
/// Black to move.
#[derive(Clone, Debug)]
pub struct Layout {
    material: Material,
    components: Vec<(Color, Component)>,
    groups: Vec<Group>,
    block: usize,
    likes: [Like; MAX_COMPONENTS],
}

impl Layout {
    /// Builds the layout of a material's table.
    #[must_use]
    pub fn new(material: Material) -> Self {
        let components = material.components();
        let mut groups: Vec<Group> = Vec::new();
        for i in 2..components.len() {
            match groups.last_mut().filter(|group| components[group.first] == components[i]) {
                Some(group) => group.len += 1,
                None => groups.push(Group { first: i, len: 1, sets: 0 }),
            }
        }
        for group in &mut groups {
            group.sets = match group.len {
                1 => 64,
                2 => PAIRS.len(),
                _ => TRIPLES.len(),
            };
        }
        let mut likes = [Like::default(); MAX_COMPONENTS];
        let mut block = 1;
        for &Group { first, len, sets } in groups.iter().rev() {
            match len {
                1 => likes[first] = Like { stride: block, other: None },
                2 => {
                    likes[first] = Like { stride: block, other: Some(first as u8 + 1) };
                    likes[first + 1] = Like { stride: block, other: Some(first as u8) };
                }
                _ => {}
            }
            block *= sets;
        }
        Self { material, components, groups, block, likes }
    }

    /// Returns the material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// Returns the components in the order of [`Squares`].
    #[must_use]
    pub fn components(&self) -> &[(Color, Component)] {
        &self.components
    }

    /// Returns the number of entries of a block.
    #[must_use]
    pub fn block(&self) -> usize {
        self.block
    }

    /// Returns the number of blocks.
    #[must_use]
    pub fn blocks(&self) -> usize {
        2 * KING_PAIRS
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.blocks() * self.block
    }

    /// Returns the entry of an arrangement, or `None` if its Kings are adjacent or on one square.
    ///
    /// Like components must stand on different squares.
    #[inline]
    #[must_use]
    pub fn index(&self, squares: &Squares, side: Color) -> Option<usize> {
        self.index_in(&KINGS, squares, side)
    }

    #[inline]
    fn index_in(&self, kings: &KingPairs, squares: &Squares, side: Color) -> Option<usize> {
        let pair = kings.lookup[64 * usize::from(squares[0] & 63) + usize::from(squares[1] & 63)];
        let number = usize::from(pair.number?);
        let symmetry = usize::from(pair.symmetry & 7);
        let mut offset = self.offset(squares, &SYMMETRIES[symmetry]);
        if pair.on_diagonal {
            offset = offset.min(self.offset(squares, &SYMMETRIES[symmetry ^ TRANSPOSE]));
        }
        Some((2 * number + side.index()) * self.block + offset)
    }

    #[inline]
    fn offset(&self, squares: &Squares, symmetry: &[u8; 64]) -> usize {
        let mut offset = 0;
        for group in &self.groups {
            let square =
                |i: usize| usize::from(symmetry[usize::from(squares[group.first + i] & 63)]);
            let set = match group.len {
                1 => square(0),
                2 => {
                    let (a, b) = (square(0), square(1));
                    pair_index(a.min(b), a.max(b))
                }
                _ => {
                    let mut three = [square(0), square(1), square(2)];
                    three.sort_unstable();
                    let [a, b, c] = three;
                    c * c.saturating_sub(1) * c.saturating_sub(2) / 6 + pair_index(a, b)
                }
            };
            offset = offset * group.sets + set;
        }
        offset
    }

    /// Returns the entries of the arrangements that differ from this one by moves of components
    /// other than Kings. Returns `None` if this arrangement is not in its stored form, or if both
    /// Kings stand on the long diagonal.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, squares: &Squares, side: Color) -> Option<Neighbours<'_>> {
        let pair = KINGS.lookup[64 * usize::from(squares[0] & 63) + usize::from(squares[1] & 63)];
        let number = usize::from(pair.number?);
        if pair.symmetry != 0 || pair.on_diagonal {
            return None;
        }
        let offset = self.offset(squares, &SYMMETRIES[0]);
        let entry = (2 * number + side.index()) * self.block + offset;
        Some(Neighbours { layout: self, squares: *squares, entry })
    }

    /// Returns the arrangement of an entry, or `None` where its mirror image is stored instead.
    #[must_use]
    pub fn squares(&self, index: usize) -> Option<(Squares, Color)> {
        let (block, mut offset) = (index / self.block, index % self.block);
        let side = Color::ALL[block % 2];
        let mut squares = [0; MAX_COMPONENTS];
        let (kings, on_diagonal) = *KINGS.stored.get(block / 2)?;
        squares[..2].copy_from_slice(&kings);
        for group in self.groups.iter().rev() {
            let set = offset % group.sets;
            offset /= group.sets;
            let places = &mut squares[group.first..group.first + group.len];
            match places {
                [one] => *one = set as u8,
                [_, _] => places.copy_from_slice(&PAIRS[set]),
                _ => places.copy_from_slice(&TRIPLES[set]),
            }
        }
        let stored = !on_diagonal || self.index(&squares, side) == Some(index);
        stored.then_some((squares, side))
    }

    /// Returns the number of positions that a stored arrangement stands for: 8, or 4 if a diagonal
    /// mirrors it onto itself.
    #[must_use]
    pub fn weight(&self, squares: &Squares) -> u64 {
        let image = squares.map(|square| SYMMETRIES[TRANSPOSE][usize::from(square & 63)]);
        let own = image[..2] == squares[..2]
            && self.offset(squares, &SYMMETRIES[0]) == self.offset(&image, &SYMMETRIES[0]);
        if own { 4 } else { 8 }
    }

    /// Returns the position of an arrangement. It may be impossible: see
    /// [`Position::of_components`].
    #[must_use]
    pub fn position(&self, squares: &Squares, side: Color) -> Position {
        let components = self.components.iter().zip(squares);
        let placed = components.map(|(&(color, component), &square)| {
            (color, component, Square::new(usize::from(square & 63)))
        });
        Position::of_components(placed, side)
    }

    /// Returns the arrangement of a position of this material. White and Black change roles if
    /// `swapped` (see [`Material::of`]).
    #[must_use]
    pub fn arrangement(&self, position: &Position, swapped: bool) -> (Squares, Color) {
        let turn = |color: Color| if swapped { !color } else { color };
        let mut squares = [0; MAX_COMPONENTS];
        let mut i = 0;
        while i < self.components.len() {
            let (color, component) = self.components[i];
            let found = position.component(component) & position.color(turn(color));
            for square in found {
                if i < squares.len() {
                    squares[i] = square.index() as u8;
                }
                i += 1;
            }
            if found.is_empty() {
                i += 1;
            }
        }
        (squares, turn(position.side_to_move()))
    }
}

#[inline]
fn pair_index(a: usize, b: usize) -> usize {
    b * b.saturating_sub(1) / 2 + a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn king_pairs_are_the_usual_462() {
        assert_eq!(KINGS.stored.len(), KING_PAIRS);
        // 64 squares, less the King's own and adjacent ones: 3,612 pairs.
        assert_eq!(KINGS.lookup.iter().filter(|pair| pair.number.is_some()).count(), 3_612);
    }

    #[test]
    fn weights_add_up_to_all_arrangements() {
        for text in ["KvK", "KRvK", "KRBvK", "KRRvK", "KRvKN"] {
            let layout = Layout::new(text.parse().unwrap());
            let stored = (0..layout.entries()).filter_map(|index| layout.squares(index));
            let total: u64 = stored.map(|(squares, _)| layout.weight(&squares)).sum();
            let sets: usize = layout.groups.iter().map(|group| group.sets).product();
            assert_eq!(total, 2 * 3_612 * sets as u64, "{text}");
        }
    }

    proptest! {
        #[test]
        fn all_images_of_an_arrangement_share_one_entry(
            choice: prop::sample::Index,
            squares: [u8; MAX_COMPONENTS],
            white: bool,
        ) {
            let all = Material::all(MAX_COMPONENTS);
            let layout = Layout::new(*choice.get(&all));
            let squares = squares.map(|square| square % 64);
            let like = |i: usize, j: usize| layout.components.get(i) == layout.components.get(j);
            let used = layout.components.len();
            let clash = |i: usize| (0..i).any(|j| squares[i] == squares[j] && like(i, j));
            prop_assume!(!(0..used).any(clash));
            let side = if white { Color::White } else { Color::Black };
            let index = layout.index(&squares, side);
            for symmetry in &SYMMETRIES {
                let image = squares.map(|square| symmetry[usize::from(square)]);
                prop_assert_eq!(layout.index(&image, side), index);
            }
            let Some(index) = index else { return Ok(()) };
            let (stored, to_move) = layout.squares(index).unwrap();
            prop_assert_eq!(layout.index(&stored, to_move), Some(index));
            prop_assert_eq!(to_move, side);
            let expected = layout.position(&stored, side);
            let is_expected = |symmetry: &[u8; 64]| {
                let image = squares.map(|square| symmetry[usize::from(square)]);
                layout.position(&image, side) == expected
            };
            prop_assert!(SYMMETRIES.iter().any(is_expected));

            // Neighbours have the entries that the index gives.
            let Some(near) = layout.neighbours(&stored, to_move) else { return Ok(()) };
            for i in 2..used {
                let from = Square::new(stored[i].into());
                let Some(line) = near.moved(1 << i, from) else { continue };
                for to in Square::all() {
                    let mut moved = stored;
                    moved[i] = to.index() as u8;
                    if (2..used).any(|j| j != i && moved[j] == moved[i] && like(i, j)) {
                        continue;
                    }
                    prop_assert_eq!(Some(line.entry(to)), layout.index(&moved, to_move));
                }
            }
        }
    }
}
