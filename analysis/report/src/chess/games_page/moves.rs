//! Compact encoding of moves, for a reader without rules.
//!
//! A board is 64 squares. Each square has a bit for each component of its piece, and a bit for its
//! colour. Each side has a list of its squares, with the last one moved to first. A ply is one byte
//! in the stream of heads and one byte in the stream of targets of the piece that moves:
//!
//! | head | meaning |
//! | --- | --- |
//! | 0 to 191 | place of the origin in the list (0 to 15) + 16 · mark + 48 · origin named |
//! | 192 to 239 | 192 + place + 16 · mark; a code follows in the specials |
//! | 240 to 242 | 240 + mark; everything follows in the specials |
//!
//! Marks: nothing, check, mate. Origin named in the notation: not, by file, by rank, by both. A
//! target is `15 · (ranks forward + 7) + files + 7`. A piece that moves without a code leaves its
//! square empty and merges with its own side's piece on the target. The codes, plus 16 · origin
//! named, are 1 (a component leaves the piece on the origin), 2 (promotion), 3 (metamorphosis) and
//! 4 (demotion). After 1, the number of the component's bit follows. After 2 to 4, the piece
//! follows that arrives instead. "Everything" has these parts: origin, target, kinds of move as
//! bits, number of changed squares, each changed square with its new contents, length of the
//! notation, and the notation.
//!
//! The encoder compares this reading of every ply with the engine's position and notation. It
//! spells out every ply in which they differ.

use fusion_chess::board::{Color, Component, Move, MoveKind, Piece, Position, Square};
use fusion_chess::notation::san;
use fusion_chess::rules::RuleSet;

/// Kinds of move, a bit each.
const FUSION: u8 = 1;
const FISSION: u8 = 2;
const CASTLING: u8 = 4;
const CAPTURE: u8 = 8;
const PROMOTION: u8 = 16;
const METAMORPHOSIS: u8 = 32;
const DEMOTION: u8 = 64;
/// Codes of the kinds that a head cannot express.
const CODES: [(u8, u8); 4] = [(FISSION, 1), (PROMOTION, 2), (METAMORPHOSIS, 3), (DEMOTION, 4)];
/// Bit of a square's byte for a Black piece.
const BLACK: u8 = 1 << Component::COUNT;
const PAWN: u8 = 1 << Component::Pawn as u8;
/// First heads of plies with a code, and of plies that are spelled out.
const CODED: u8 = 192;
const SPELLED: u8 = 240;
/// Number of places of origins that a head can express.
const PLACES: usize = 16;
/// Indices of the first streams. One stream for the targets of each piece follows.
const HEADS: usize = 0;
const SPECIALS: usize = 1;
const TARGETS: usize = 2;

/// The encoded streams. One encoder takes all games of a page.
#[derive(Debug)]
pub(super) struct Encoder {
    /// Heads, specials, and the targets of each piece in the order of its components' bits.
    streams: [Vec<u8>; TARGETS + Piece::SETS],
}

/// A game's part of the streams, in their order.
#[derive(Debug, Default)]
pub(super) struct Encoded(Vec<(usize, Vec<u8>)>);

impl Default for Encoder {
    fn default() -> Self {
        Self { streams: std::array::from_fn(|_| Vec::new()) }
    }
}

impl Encoder {
    /// Returns the length of each stream.
    pub fn lengths(&self) -> Vec<usize> {
        self.streams.iter().map(Vec::len).collect()
    }

    /// Returns all streams, one after the other.
    pub fn bytes(&self) -> Vec<u8> {
        self.streams.concat()
    }

    /// Appends a game.
    pub fn append(&mut self, game: &Encoded) {
        for (stream, bytes) in &game.0 {
            self.streams[*stream].extend_from_slice(bytes);
        }
    }
}

/// Returns whether the engine writes a Queen under these rules as `Q`, not by its components.
pub(super) fn queen_is_q(rules: &RuleSet) -> bool {
    let lonely = Position::from_fen(rules, "4k3/8/8/8/8/8/8/3QK3 w - - 0 1");
    let mv = Move::new(Square::new(3), Square::new(19), MoveKind::Plain);
    lonely.is_ok_and(|position| san(&position, rules, mv).starts_with('Q'))
}

/// Encodes the moves of a game from a position. The moves must be legal. `q` is whether a Queen is
/// written as `Q`.
pub(super) fn encode(rules: &RuleSet, start: &Position, moves: &[Move], q: bool) -> Encoded {
    let mut encoder = Encoder::default();
    let mut position = *start;
    let mut board = Board::of(start);
    for &mv in moves {
        let notation = san(&position, rules, mv);
        let kinds = kinds(&position, mv);
        position.play(mv);
        let truth = Truth { mv, after: squares(&position), notation: &notation, kinds };
        encoder.ply(&mut board, &truth, q);
    }
    let streams = encoder.streams.into_iter().enumerate();
    Encoded(streams.filter(|(_, bytes)| !bytes.is_empty()).collect())
}

/// The engine's data of a ply.
struct Truth<'a> {
    mv: Move,
    after: [u8; 64],
    notation: &'a str,
    kinds: u8,
}

impl Encoder {
    fn ply(&mut self, board: &mut Board, truth: &Truth, q: bool) {
        let (text, mark) = match truth.notation.strip_suffix('#') {
            Some(text) => (text, 2),
            None => truth.notation.strip_suffix('+').map_or((truth.notation, 0), |text| (text, 1)),
        };
        let (from, to) = (truth.mv.from(), truth.mv.to());
        let place = board.place(from);
        let found = (0..4).find_map(|named| {
            let short = Short::of(truth, named);
            let reading = board.read(&short, q);
            (reading.after == truth.after && reading.kinds == truth.kinds && reading.text == text)
                .then_some((short, reading.mover))
        });
        match found.filter(|_| place < PLACES) {
            Some((short, mover)) => {
                let place = place as u8;
                if short.code == 0 {
                    self.streams[HEADS].push(place + 16 * mark + 48 * short.named);
                } else {
                    self.streams[HEADS].push(CODED + place + 16 * mark);
                    let code = short.code + 16 * short.named;
                    self.streams[SPECIALS].extend([code, short.detail]);
                }
                self.streams[TARGETS + usize::from(mover)].push(board.target(from, to));
            }
            None => {
                self.streams[HEADS].push(SPELLED + mark);
                self.spell(board, truth, text);
            }
        }
        board.become_after(&truth.after, to);
    }

    fn spell(&mut self, board: &Board, truth: &Truth, text: &str) {
        let changed: Vec<u8> =
            (0..64).filter(|&i| board.squares[i] != truth.after[i]).map(|i| i as u8).collect();
        let stream = &mut self.streams[SPECIALS];
        let (from, to) = (truth.mv.from().index() as u8, truth.mv.to().index() as u8);
        stream.extend([from, to, truth.kinds, changed.len() as u8]);
        stream.extend(changed.iter().flat_map(|&i| [i, truth.after[usize::from(i)]]));
        // No move has a notation of more than a dozen letters.
        stream.push(text.len() as u8);
        stream.extend_from_slice(text.as_bytes());
    }
}

/// A ply as a head and a code express it.
struct Short {
    from: Square,
    to: Square,
    code: u8,
    /// Number of the component that leaves, or the piece that arrives.
    detail: u8,
    /// Number for how the notation names the origin.
    named: u8,
}

impl Short {
    fn of(truth: &Truth, named: u8) -> Self {
        let mv = truth.mv;
        let code = CODES.iter().find(|(kind, _)| truth.kinds & kind != 0).map_or(0, |code| code.1);
        let detail = match mv.kind() {
            MoveKind::Fission(component) => component as u8,
            _ => truth.after[mv.to().index()] & !BLACK,
        };
        Self { from: mv.from(), to: mv.to(), code, detail, named }
    }
}

/// A ply as a reader decodes it.
struct Reading {
    after: [u8; 64],
    kinds: u8,
    text: String,
    /// Components that are written as moving.
    mover: u8,
}

/// The board in the reader's state.
struct Board {
    squares: [u8; 64],
    black_to_move: bool,
    /// Squares of each side, the last one moved to first.
    lists: [Vec<u8>; 2],
}

impl Board {
    fn of(position: &Position) -> Self {
        let squares = squares(position);
        let list = |black: bool| (0..64).filter(|&i| owned(&squares, i, black)).collect();
        let black_to_move = position.side_to_move() == Color::Black;
        Self { squares, black_to_move, lists: [list(false), list(true)] }
    }

    /// Returns the place of a square in the list of the side to move.
    fn place(&self, square: Square) -> usize {
        let list = &self.lists[usize::from(self.black_to_move)];
        list.iter().position(|&at| usize::from(at) == square.index()).unwrap_or(list.len())
    }

    fn target(&self, from: Square, to: Square) -> u8 {
        let files = 7 + to.file() - from.file();
        let ranks = if self.black_to_move {
            7 + from.rank() - to.rank()
        } else {
            7 + to.rank() - from.rank()
        };
        (15 * ranks + files) as u8
    }

    fn read(&self, ply: &Short, q: bool) -> Reading {
        let (from, to) = (ply.from.index(), ply.to.index());
        let color = if self.black_to_move { BLACK } else { 0 };
        let (piece, target) = (self.squares[from] & !BLACK, self.squares[to]);
        let fission = ply.code == 1;
        let mover = if fission { 1 << ply.detail } else { piece };
        let merges = target != 0 && target & BLACK == color;
        let arrives = match ply.code {
            0 if merges => piece | target & !BLACK,
            0 => piece,
            1 => mover,
            _ => ply.detail,
        };
        let mut after = self.squares;
        after[from] = if piece == mover { 0 } else { piece & !mover | color };
        after[to] = arrives | color;
        let capture = target != 0 && !merges;
        let kind = CODES.iter().find(|(_, code)| *code == ply.code).map_or(0, |kind| kind.0);
        let fusion = ply.code == 0 && merges;
        let kinds = kind | if capture { CAPTURE } else { 0 } | if fusion { FUSION } else { 0 };
        let result = (fusion || ply.code > 1).then_some(arrives);
        let text = spelled(ply, mover, capture, result, q);
        Reading { after, kinds, text, mover }
    }

    /// Sets the squares to those after a ply. `to` is the square of arrival.
    fn become_after(&mut self, after: &[u8; 64], to: Square) {
        for (black, list) in [false, true].into_iter().zip(&mut self.lists) {
            list.retain(|&i| owned(after, i, black));
            for i in (0..64).filter(|&i| owned(after, i, black)) {
                if !owned(&self.squares, i, black) {
                    list.insert(0, i);
                }
            }
            if let Some(at) = list.iter().position(|&i| usize::from(i) == to.index()) {
                let arrived = list.remove(at);
                list.insert(0, arrived);
            }
        }
        self.squares = *after;
        self.black_to_move = !self.black_to_move;
    }
}

fn owned(squares: &[u8; 64], square: u8, black: bool) -> bool {
    let piece = squares[usize::from(square)];
    piece != 0 && (piece & BLACK != 0) == black
}

/// Returns the notation without its mark.
fn spelled(ply: &Short, mover: u8, capture: bool, result: Option<u8>, q: bool) -> String {
    let from = ply.from.to_string();
    let mut text = String::new();
    if mover == PAWN {
        text.push_str(if capture { &from[..1] } else { "" });
    } else {
        text.push_str(&letters(mover, q));
        text.push_str(["", &from[..1], &from[1..], &from][usize::from(ply.named)]);
    }
    text.push_str(if capture { "x" } else { "" });
    text.push_str(&ply.to.to_string());
    if let Some(piece) = result {
        text.push('=');
        text.push_str(&letters(piece, q));
    }
    text
}

fn letters(piece: u8, q: bool) -> String {
    if q && usize::from(piece) == Piece::QUEEN.index() {
        return "Q".into();
    }
    let has = |component: &Component| piece >> *component as u8 & 1 == 1;
    Component::ALL.into_iter().filter(has).map(Component::letter).collect()
}

/// Returns the squares of a position.
pub(super) fn squares(position: &Position) -> [u8; 64] {
    let mut squares = [0; 64];
    for (color, bit) in [(Color::White, 0), (Color::Black, BLACK)] {
        for square in position.color(color) {
            squares[square.index()] = position.piece_on(square).index() as u8 | bit;
        }
    }
    squares
}

fn kinds(position: &Position, mv: Move) -> u8 {
    let pawn = position.piece_on(mv.from()) == Piece::of(Component::Pawn);
    let capture = position.color(!position.side_to_move()).has(mv.to());
    let captured = if capture { CAPTURE } else { 0 };
    captured
        | match mv.kind() {
            MoveKind::Plain => 0,
            MoveKind::Fusion => FUSION,
            MoveKind::Castling => CASTLING,
            MoveKind::EnPassant => CAPTURE,
            MoveKind::Fission(_) => FISSION,
            MoveKind::Promotion(_) if pawn => PROMOTION,
            MoveKind::Promotion(_) => METAMORPHOSIS,
            MoveKind::Demotion => DEMOTION,
        }
}

#[cfg(test)]
#[path = "moves_tests.rs"]
mod tests;
