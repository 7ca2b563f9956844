//! What a network's inputs depend on, in few bytes: about 24 in a game of orthodox chess.
//!
//! | bytes | meaning |
//! | --- | --- |
//! | 1 | the castling rights, and a bit for Black to move |
//! | 8 | the occupied squares |
//! | 1 to 9 | a bit for each byte of the rules that is not zero, then these bytes |
//! | rest | a digit of four bits for each piece, in the order of squares |
//!
//! A digit below 12 is a simple piece: six components of White, then of Black. The digits 12 and 13 are
//! White's and Black's other pieces, and two digits with the set of components follow.

use super::{View, counts, rules};
use crate::board::{Bitboard, Color, Component, Piece, Position, Square};
use fusion_game::ViewInputs;

/// First digit of pieces with several components.
const COMPOUND: u8 = 2 * Component::COUNT as u8;
/// The bit for Black to move.
const BLACK: u8 = 1 << 4;

/// The pieces by their sets of components.
static PIECES: [Piece; Piece::SETS] = {
    let mut pieces = [Piece::NONE; Piece::SETS];
    let mut set = 0;
    while set < Piece::SETS {
        let mut component = 0;
        while component < Component::COUNT {
            if set >> component & 1 != 0 {
                pieces[set] = pieces[set].with(Component::ALL[component]);
            }
            component += 1;
        }
        set += 1;
    }
    pieces
};

/// Appends a position and the bits of its rules.
pub(super) fn pack(position: &Position, rules: u64, bytes: &mut Vec<u8>) {
    let black = if position.side_to_move() == Color::Black { BLACK } else { 0 };
    let occupied = position.occupied();
    bytes.push(position.castling_rights() | black);
    bytes.extend(occupied.0.to_le_bytes());
    let mask = bytes.len();
    bytes.push(0);
    for (place, byte) in rules.to_le_bytes().into_iter().enumerate() {
        if byte != 0 {
            bytes[mask] |= 1 << place;
            bytes.push(byte);
        }
    }
    let mut digits = Digits { bytes, half: false };
    for square in occupied {
        let piece = position.piece_on(square);
        let color = position.color(Color::Black).has(square) as u8;
        let set = piece.index() as u8;
        if piece.len() == 1 {
            digits.push(color * Component::COUNT as u8 + set.trailing_zeros() as u8);
        } else {
            digits.push(COMPOUND + color);
            digits.push(set & 15);
            digits.push(set >> 4);
        }
    }
}

/// Four bits at a time, the lower half of a byte first.
struct Digits<'a> {
    bytes: &'a mut Vec<u8>,
    half: bool,
}

impl Digits<'_> {
    fn push(&mut self, digit: u8) {
        match self.bytes.last_mut() {
            Some(last) if self.half => *last |= digit << 4,
            _ => self.bytes.push(digit),
        }
        self.half = !self.half;
    }
}

/// The pieces of a colour, in the order of squares.
struct Pieces {
    count: usize,
    list: [(Piece, Square); 64],
    /// The square of the royal piece, as [`Position::royal`] returns it.
    royal: Option<Square>,
}

impl Pieces {
    fn push(&mut self, piece: Piece, square: Square) {
        self.list[self.count] = (piece, square);
        self.count += 1;
        if piece.has(Component::King) {
            self.royal.get_or_insert(square);
        }
    }
}

/// Replaces the inputs by those of a packed position.
pub(super) fn unpack(bytes: &[u8], inputs: &mut ViewInputs) {
    let (&[head], rest) = bytes.split_first_chunk().expect("a packed position has a head");
    let (occupied, rest) = rest.split_first_chunk().expect("a packed position has squares");
    let (&[mask], mut rest) = rest.split_first_chunk().expect("a packed position has rules");
    let mut bits = [0; 8];
    for (place, byte) in bits.iter_mut().enumerate() {
        if mask >> place & 1 != 0 {
            (*byte, rest) = (rest[0], &rest[1..]);
        }
    }
    let sides = pieces(Bitboard(u64::from_le_bytes(*occupied)), rest);
    let mover = if head & BLACK == 0 { Color::White } else { Color::Black };
    for (color, inputs) in [mover, !mover].into_iter().zip(&mut inputs.views) {
        inputs.clear();
        let royal = sides[color as usize].royal.unwrap_or(Square::new(0));
        let view = View::at(color, royal);
        for (color, side) in Color::ALL.into_iter().zip(&sides) {
            for &(piece, square) in &side.list[..side.count] {
                view.piece(color, piece, square, inputs);
            }
        }
        view.castling(head & !BLACK, inputs);
        inputs.extend(rules(u64::from_le_bytes(bits)));
    }
    let components = Color::ALL.into_iter().zip(&sides).flat_map(|(color, side)| {
        let components = move |&(piece, square): &(Piece, Square)| {
            piece.components().map(move |component| (color, component, square))
        };
        side.list[..side.count].iter().flat_map(components)
    });
    inputs.counts.resize(counts::COUNT, 0);
    counts::count(&Position::of_components(components, mover), &mut inputs.counts);
}

/// Returns the pieces of each colour on these squares.
fn pieces(squares: Bitboard, digits: &[u8]) -> [Pieces; 2] {
    let none = || Pieces { count: 0, list: [(Piece::NONE, Square::new(0)); 64], royal: None };
    let mut sides = [none(), none()];
    let mut digits = digits.iter().flat_map(|byte| [byte & 15, byte >> 4]);
    let mut next = || usize::from(digits.next().expect("a packed position has all its pieces"));
    for square in squares {
        let digit = next();
        let compound = usize::from(COMPOUND);
        let (color, set) = match digit.checked_sub(compound) {
            Some(color) => (color, next() | next() << 4),
            None => (digit / Component::COUNT, 1 << (digit % Component::COUNT)),
        };
        sides[color].push(PIECES[set], square);
    }
    sides
}
