//! Standard algebraic notation, extended to fusion and fission.
//!
//! Compounds are written with the letters of their components, `RBxd5` for a Queen's capture. If
//! every move is one of orthodox chess ([`RuleSet::is_chess`]), the Queen is Q, as in all other
//! programs. A piece that becomes another piece as it arrives is followed by the new piece: a
//! fusion `Bf3=BN`, a promotion `b8=R`, a metamorphosis `Nd4=RB`, a compound that is demoted by its
//! capture `RBxd5=R`. A fission is written as the move of the component that leaves, `Rd3`. The
//! Mann is M. A Pawn's step sideways or back is written with both squares, `d5d4`. If several legal moves, fissions included, would be written alike, the origin's file,
//! rank or both are added.

use super::lenient::{plain, strip_marks, strip_number};
use crate::board::{Component, Move, MoveKind, Piece, Position, Square};
use crate::rules::RuleSet;

/// Why a text in algebraic notation is not a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SanError {
    /// Not algebraic notation at all.
    #[error("'{0}' is not a move in algebraic notation")]
    Malformed(String),
    /// Well formed, but no legal move fits.
    #[error("no legal move is '{0}'")]
    NoSuchMove(String),
    /// Several legal moves fit.
    #[error("'{san}' is ambiguous: it may be {candidates}", candidates = candidates.join(" or "))]
    Ambiguous {
        /// The text.
        san: String,
        /// Every legal move that fits, written in full.
        candidates: Vec<String>,
    },
}

const PAWN: Piece = Piece::of(Component::Pawn);

/// Formats a legal move in algebraic notation, with `+` or `#` where it gives check or mate.
///
/// ```
/// use fusion_chess::board::Position;
/// use fusion_chess::notation::{parse_san, san};
/// use fusion_chess::rules::RuleSet;
///
/// let rules: RuleSet = "fusion-2020".parse().unwrap();
/// let position = Position::from_fen(&rules, "4k3/8/8/8/8/5N2/4B3/4K3 w - - 0 1").unwrap();
/// let fusion = parse_san(&position, &rules, "Bf3=BN").unwrap();
/// assert_eq!(fusion.to_string(), "e2f3");
/// assert_eq!(san(&position, &rules, fusion), "Bf3=BN");
/// ```
#[must_use]
pub fn san(position: &Position, rules: &RuleSet, mv: Move) -> String {
    let mut moves = Vec::with_capacity(64);
    position.legal_moves(rules, &mut moves);
    san_among(position, rules, &moves, mv)
}

/// Does the same as [`san`], given the position's legal moves.
pub(super) fn san_among(position: &Position, rules: &RuleSet, moves: &[Move], mv: Move) -> String {
    let mut text = spell(position, rules, moves, mv);
    let mut next = *position;
    next.play(mv);
    if next.in_check() {
        text.push(if next.count_legal_moves(rules) == 0 { '#' } else { '+' });
    }
    text
}

/// Parses a legal move in algebraic notation.
///
/// The parser accepts more than [`san`] writes:
///
/// - FEN's letters for compounds (`Qxd5`, `Bf3=D`); `M` is the Mann where there are any, else the
///   Marshall
/// - the Queen's components in orthodox chess (`RBxd5`)
/// - missing or superfluous check marks and `x`
/// - more of the origin than needed
/// - `0-0`, `b8R`, `b8(R)`, `b8r`, `e.p.`, `ep`, and the glyphs `!` and `?`
/// - figurines, other dashes and crosses than those of ASCII, and the number of the move
/// - small letters for pieces that no file has, `nf3`
/// - a fusion or demotion without its result
/// - Metamorphin's own fissions, which name the piece that stays behind, `Ra4-d4; a4=N`
///
/// # Errors
/// Returns an error if the text is malformed, if no legal move fits, or if several fit.
pub fn parse_san(position: &Position, rules: &RuleSet, text: &str) -> Result<Move, SanError> {
    let letters = Letters { manns: rules.has_manns(), most: rules.max_components.number() };
    let pattern = letters.read(&plain(text)).ok_or_else(|| SanError::Malformed(text.into()))?;
    let mut moves = Vec::with_capacity(64);
    position.legal_moves(rules, &mut moves);
    let fitting: Vec<Move> =
        moves.iter().copied().filter(|&mv| pattern.fits(position, mv)).collect();
    match fitting[..] {
        [] => Err(SanError::NoSuchMove(text.into())),
        [mv] => Ok(mv),
        _ => Err(SanError::Ambiguous {
            san: text.into(),
            candidates: fitting.iter().map(|&mv| spell(position, rules, &moves, mv)).collect(),
        }),
    }
}

/// Formats the move without its check mark. `moves` are the position's legal moves.
fn spell(position: &Position, rules: &RuleSet, moves: &[Move], mv: Move) -> String {
    let (from, to) = (mv.from(), mv.to());
    if mv.kind() == MoveKind::Castling {
        return if to.file() > from.file() { "O-O" } else { "O-O-O" }.into();
    }
    let mover = mover(position, mv);
    let capture = match mv.kind() {
        MoveKind::EnPassant => true,
        MoveKind::Fusion => false,
        _ => position.occupied().has(to),
    };
    let mut text = String::with_capacity(8);
    if mover == PAWN {
        if capture {
            text.push(file_letter(from));
        } else if !is_ahead(position, mv) {
            text = from.to_string();
        }
    } else {
        text = letters(rules, mover);
        text.push_str(&disambiguation(position, moves, mv));
    }
    if capture {
        text.push('x');
    }
    text.push_str(&to.to_string());
    if let Some(result) = result(position, mv) {
        text.push('=');
        text.push_str(&letters(rules, result));
    }
    text
}

/// Returns whether a move leads towards the last rank of the side to move.
fn is_ahead(position: &Position, mv: Move) -> bool {
    let us = position.side_to_move();
    us.rank(mv.to().rank()) > us.rank(mv.from().rank())
}

/// Returns the capitals of a piece.
fn letters(rules: &RuleSet, piece: Piece) -> String {
    if piece == Piece::QUEEN && rules.has_chess_pieces() { "Q".into() } else { piece.to_string() }
}

/// Returns the piece that is written as moving: the whole piece, or the component that leaves it.
fn mover(position: &Position, mv: Move) -> Piece {
    match mv.kind() {
        MoveKind::Fission(component) => Piece::of(component),
        _ => position.piece_on(mv.from()),
    }
}

/// Returns the piece that is written after `=`: the new piece on the destination.
fn result(position: &Position, mv: Move) -> Option<Piece> {
    let (before, target) = (position.piece_on(mv.from()), position.piece_on(mv.to()));
    match mv.kind() {
        MoveKind::Promotion(piece) => Some(piece),
        MoveKind::Fusion => Some(before.union(target)),
        MoveKind::Demotion => Some(Piece::of(before.capturer(mv.from(), mv.to()))),
        _ => None,
    }
}

/// Returns the piece that a fission leaves on its origin, with that square.
fn left_behind(position: &Position, mv: Move) -> Option<(Square, Piece)> {
    match mv.kind() {
        MoveKind::Fission(component) => {
            Some((mv.from(), position.piece_on(mv.from()).without(component)))
        }
        _ => None,
    }
}

/// Returns the part of the origin that distinguishes the move from others that would be written
/// alike.
fn disambiguation(position: &Position, moves: &[Move], mv: Move) -> String {
    let from = mv.from();
    let rivals = || {
        moves.iter().filter(|rival| {
            rival.to() == mv.to()
                && rival.from() != from
                && rival.kind() != MoveKind::Castling
                && mover(position, **rival) == mover(position, mv)
        })
    };
    let (mut any, mut file, mut rank) = (false, false, false);
    for rival in rivals() {
        any = true;
        file |= rival.from().file() == from.file();
        rank |= rival.from().rank() == from.rank();
    }
    match (any, file, rank) {
        (false, ..) => String::new(),
        (_, false, _) => file_letter(from).to_string(),
        (_, true, false) => (from.rank() + 1).to_string(),
        (_, true, true) => from.to_string(),
    }
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file() as u8)
}

/// The parsed content of a move's text.
#[derive(Debug, PartialEq, Eq)]
enum Pattern {
    /// Castling; the file on which the King arrives.
    Castling(usize),
    /// Any other move.
    Move {
        piece: Piece,
        from_file: Option<usize>,
        from_rank: Option<usize>,
        to: Square,
        result: Option<Piece>,
        stays: Option<Stays>,
    },
}

/// A fission's second half in Metamorphin's notation: the square and the piece that stays behind.
type Stays = (Square, Piece);

/// The meaning of letters under a rule set.
#[derive(Clone, Copy, Debug)]
struct Letters {
    /// Whether M is the Mann and not the Marshall.
    manns: bool,
    /// The most components of a piece.
    most: usize,
}

impl Letters {
    fn read(self, text: &str) -> Option<Pattern> {
        let (text, stays) = match text.split_once(';') {
            Some((text, stays)) => (text, Some(self.read_stays(stays)?)),
            None => (text, None),
        };
        let text = strip_marks(strip_number(text));
        if let Some(castling) = read_castling(text) {
            return Some(castling);
        }
        let capital = text.starts_with(['k', 'q', 'r', 'n', 'p']).then(|| {
            let (first, rest) = text.split_at(1);
            first.to_ascii_uppercase() + rest
        });
        let (piece, rest) = match self.leading_piece(capital.as_deref().unwrap_or(text)) {
            (Some(piece), rest) => (piece, rest),
            (None, rest) => (PAWN, rest.strip_prefix('P').unwrap_or(rest)),
        };
        let is_result = |c: char| c.is_ascii_uppercase() || "=(/".contains(c);
        // A small letter after the rank is a promotion.
        let small = rest.len().checked_sub(1).filter(|&last| {
            rest.ends_with(|c: char| c.is_ascii_lowercase())
                && rest[..last].ends_with(|c: char| c.is_ascii_digit())
        });
        let (squares, result) = rest.split_at(rest.find(is_result).or(small).unwrap_or(rest.len()));
        let result = if result.is_empty() { None } else { Some(self.read_result(result)?) };
        let (origin, to) = squares.split_at_checked(squares.len().checked_sub(2)?)?;
        let to = to.parse().ok()?;
        let origin = origin.strip_suffix(['x', ':', '-']).unwrap_or(origin);
        let (from_file, from_rank) = match origin.as_bytes() {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        Some(Pattern::Move {
            piece,
            from_file: from_file.map(usize::from),
            from_rank: from_rank.map(usize::from),
            to,
            result,
            stays,
        })
    }

    /// Parses ` a4=N`.
    fn read_stays(self, text: &str) -> Option<Stays> {
        let (square, piece) = strip_marks(text).split_once('=')?;
        match self.leading_piece(piece) {
            (Some(piece), "") => Some((square.trim().parse().ok()?, piece)),
            _ => None,
        }
    }

    /// Parses the piece at the beginning of a text, in component letters or FEN's. Returns it with
    /// the rest.
    fn leading_piece(self, text: &str) -> (Option<Piece>, &str) {
        let mut piece = Piece::NONE;
        let mut rest = text;
        while let Some(component) = rest.chars().next().and_then(|letter| self.component(letter))
            && !piece.has(component)
            && piece.len() < self.most
        {
            piece = piece.with(component);
            rest = &rest[1..];
        }
        if !piece.is_empty() {
            return (Some(piece), rest);
        }
        match text.chars().next() {
            Some(letter @ ('Q' | 'M' | 'D' | 'G' | 'F' | 'C')) => {
                (Piece::from_letter(letter), &text[1..])
            }
            _ => (None, text),
        }
    }

    fn component(self, letter: char) -> Option<Component> {
        let component = Component::ALL.into_iter().find(|c| c.letter() == letter)?;
        match component {
            Component::Pawn => None,
            Component::Mann if !self.manns => None,
            _ => Some(component),
        }
    }

    /// Parses the piece of `=RB`, `=Q`, `(R)`, `/R`, `R` or `r`.
    fn read_result(self, text: &str) -> Option<Piece> {
        let text = text.strip_prefix(['=', '/']).unwrap_or(text);
        let letters = match text.strip_prefix('(') {
            Some(inside) => inside.strip_suffix(')')?,
            None => text,
        };
        match self.leading_piece(&letters.to_ascii_uppercase()) {
            (piece, "") => piece,
            _ => None,
        }
    }
}

/// Parses castling in capitals, small letters or zeros, with dashes or without.
fn read_castling(text: &str) -> Option<Pattern> {
    let letters: Vec<char> = text.chars().filter(|&c| c != '-').collect();
    match letters[..] {
        ['O' | 'o' | '0', 'O' | 'o' | '0'] => Some(Pattern::Castling(6)),
        ['O' | 'o' | '0', 'O' | 'o' | '0', 'O' | 'o' | '0'] => Some(Pattern::Castling(2)),
        _ => None,
    }
}

impl Pattern {
    fn fits(&self, position: &Position, mv: Move) -> bool {
        match *self {
            Pattern::Castling(file) => mv.kind() == MoveKind::Castling && mv.to().file() == file,
            Pattern::Move { piece, from_file, from_rank, to, result: made, stays } => {
                // A Pawn without a given file moves straight on. Only with its whole origin it may
                // step sideways or back.
                let from_file =
                    if piece == PAWN { Some(from_file.unwrap_or(to.file())) } else { from_file };
                let is_written = piece != PAWN || from_rank.is_some() || is_ahead(position, mv);
                mv.kind() != MoveKind::Castling
                    && mv.to() == to
                    && mover(position, mv) == piece
                    && from_file.is_none_or(|file| mv.from().file() == file)
                    && from_rank.is_none_or(|rank| mv.from().rank() == rank)
                    && is_written
                    && match made {
                        Some(made) => result(position, mv) == Some(made),
                        // A metamorphosis must not be mistaken for the plain move.
                        None => piece == PAWN || !matches!(mv.kind(), MoveKind::Promotion(_)),
                    }
                    && stays.is_none_or(|stays| left_behind(position, mv) == Some(stays))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(rules: &str, fen: &str) -> (RuleSet, Position) {
        let rules: RuleSet = rules.parse().unwrap();
        let position = Position::from_fen(&rules, fen).unwrap();
        (rules, position)
    }

    /// Returns all moves that end on a square, in algebraic notation.
    fn written(rules: &str, fen: &str, to: &str) -> Vec<String> {
        let (rules, position) = setting(rules, fen);
        let mut moves = Vec::new();
        position.legal_moves(&rules, &mut moves);
        let to = to.parse().unwrap();
        let mut texts: Vec<String> = moves
            .into_iter()
            .filter(|mv| mv.to() == to)
            .map(|mv| san(&position, &rules, mv))
            .collect();
        texts.sort();
        texts
    }

    #[test]
    fn every_kind_of_move_is_written_as_on_the_page() {
        let cases = [
            // Plain moves and a fission of the same piece. The leaving component is named.
            ("fusion-2020", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "d3", "RBd3 Rd3"),
            ("orthodox", "4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1", "d5", "Qxd5"),
            // Fusion, of two pieces and onto the King.
            ("fusion-2020", "4k3/8/8/8/8/5N2/4B3/4K3 w - - 0 1", "f3", "Bf3=BN"),
            ("fusion-2020", "4k3/8/8/8/8/8/8/R5K1 w - - 0 1", "g1", "Rg1=KR"),
            ("fusion-1999", "4k3/8/8/8/8/8/6KR/8 w - - 0 1", "h2", "Kh2=KR"),
            // A royal compound moves, or its King leaves it.
            ("fusion-2020", "k7/8/8/8/4G3/8/8/8 w - - 0 1", "e5", "KRe5 Ke5 Re5"),
            // Pawns.
            ("orthodox", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d6", "exd6"),
            ("orthodox", "8/1P6/8/8/k7/8/8/4K3 w - - 0 1", "b8", "b8=B b8=N b8=Q b8=R"),
            ("no-fusion", "8/1P6/8/8/k7/8/8/4K3 w - - 0 1", "b8", "b8=B b8=N b8=R"),
            // If all moves are of chess, the Queen is Q. With any other toggle, she is RB.
            ("no-fusion", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "d5", "Qd5"),
            ("orthodox,castling=no", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "d5", "Qd5"),
            ("orthodox,fission=yes", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "d5", "RBd5 Rd5"),
            ("orthodox,promotion=qm", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "d5", "RBd5"),
            ("orthodox,metamorph=yes", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "d5", "RBd5"),
            ("orthodox", "n6k/1P6/8/8/8/8/8/4K3 w - - 0 1", "a8", "bxa8=B bxa8=N bxa8=Q+ bxa8=R+"),
            // The family: triples, the Mann, demotion, capture by fission, metamorphosis.
            ("combination", "4k3/8/8/8/8/8/3N4/3QK3 w - - 0 1", "d2", "RBd2=RBN"),
            ("combination", "4k3/8/8/8/8/8/8/O3K3 w - - 0 1", "b2", "Mb2"),
            ("combination", "4k3/8/8/8/8/8/8/{RBO}3K3 w - - 0 1", "b2", "Bb2 Mb2 RBMb2"),
            ("metamorphin", "4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1", "d5", "RBxd5=R"),
            ("metamorphin", "4k3/8/8/8/8/r1N5/8/4K3 w - - 0 1", "d5", "Nd5 Nd5=RB"),
            ("confederate", "7k/8/8/3p4/8/8/8/3QK3 w - - 0 1", "d5", "RBxd5 Rxd5"),
            ("empire", "8/1P6/8/8/7k/8/8/Q3K3 w - - 0 1", "b8", "b8=B b8=BN b8=N b8=R b8=RN"),
            // Castling, and the King's own step to the same square is another move.
            ("fusion-2020", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "g1", "O-O Rg1"),
            ("orthodox", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "c1", "O-O-O Rc1"),
        ];
        for (rules, fen, to, expected) in cases {
            assert_eq!(written(rules, fen, to).join(" "), expected, "{rules} {fen}");
        }
    }

    #[test]
    fn the_origin_is_given_by_file_rank_or_both() {
        let cases = [
            ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "d1", "Kd1 Rd1"),
            ("6k1/8/8/8/8/R6R/8/K7 w - - 0 1", "d3", "Rad3 Rhd3"),
            ("7k/8/4R3/8/8/8/K3R3/8 w - - 0 1", "e4", "R2e4 R6e4"),
            ("7k/1N6/8/8/1N3N2/8/K7/8 w - - 0 1", "d5", "Nbd5 Nfd5"),
            ("7k/8/1N3N2/8/1N6/8/K7/8 w - - 0 1", "d5", "N4d5 Nb6d5 Nfd5"),
            // A component that leaves a compound counts like a separate piece for disambiguation.
            ("k7/8/8/8/1Q5R/8/K7/8 w - - 0 1", "e4", "RBe4+ Rbe4 Rhe4"),
            // But it captures nothing, so only whole pieces can take on d4.
            ("k7/8/8/8/3p4/1N6/K3M3/8 w - - 0 1", "d4", "Nxd4 RNxd4"),
        ];
        for (fen, to, expected) in cases {
            assert_eq!(written("fusion-2020", fen, to).join(" "), expected, "{fen}");
        }
    }

    #[test]
    fn checks_and_mates_are_marked() {
        let back_rank = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
        assert_eq!(written("orthodox", back_rank, "a8"), ["Ra8#"]);
        assert_eq!(written("fusion-2020", "6k1/8/8/8/8/8/8/R3K3 w - - 0 1", "a8"), ["Ra8+"]);
    }

    #[test]
    fn reading_is_lenient() {
        let cases = [
            (
                "fusion-2020",
                "4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1",
                "d1d5",
                "RBxd5 BRxd5 Qxd5 Qd5 Qd1xd5 Q1d5 Qd1-d5+! RB:d5",
            ),
            (
                "fusion-2020",
                "4k3/8/8/8/8/8/8/3QK3 w - - 0 1",
                "d1d3r",
                "Rd3 Rdd3 R1d3 Rd1d3 Rd1-d3 Rd3!? Rd3+",
            ),
            (
                "fusion-2020",
                "4k3/8/8/8/8/5N2/4B3/4K3 w - - 0 1",
                "e2f3",
                "Bf3=BN Bf3=D Bf3=NB Bf3 Bf3BN Bxf3=BN Be2f3=BN",
            ),
            (
                "orthodox",
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
                "e5d6",
                "exd6 ed6 e5d6 e5xd6 exd6e.p. exd6 e.p.!? Pexd6 exd6+",
            ),
            ("orthodox", "4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1", "d1d5", "Qxd5 RBxd5 Qd5 Qd1xd5"),
            (
                "orthodox",
                "8/1P6/8/8/k7/8/8/4K3 w - - 0 1",
                "b7b8q",
                "b8=RB b8=Q b8Q b8(Q) b8/Q+ b7b8=Q",
            ),
            ("orthodox", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O 0-0-0 o-o-o 0-0-0+!"),
            ("fusion-2020", "k7/8/8/8/4G3/8/8/8 w - - 0 1", "e4e5", "KRe5 RKe5 Ge5"),
            ("fusion-2020", "k7/8/8/8/4G3/8/8/8 w - - 0 1", "e4e5k", "Ke5 Kee5"),
            ("fusion-2020", "2c5/5n2/3b4/8/4P3/7M/4C3/1r6 w - - 0 1", "h3g5", "RNg5 Mg5"),
            ("combination", "4k3/8/8/8/8/8/8/O3K3 w - - 0 1", "a1b2", "Mb2 Ma1-b2 Mab2"),
            ("combination", "4k3/8/8/8/8/8/8/{RBO}3K3 w - - 0 1", "a1b2", "RBMb2 MBRa1b2"),
            (
                "metamorphin",
                "7k/8/8/8/M6r/8/8/4K3 w - - 0 1",
                "a4d4r",
                "Rd4 Ra4-d4 Ra4-d4;_a4=N Ra4-d4;a4=N Ra4-d4;_a4=N!",
            ),
            ("metamorphin", "7k/8/8/8/R6r/8/8/4K3 w - - 0 1", "a4d4m", "Ra4-d4=M Rd4=RN Rd4=M"),
            ("metamorphin", "7k/8/8/8/R6r/8/8/4K3 w - - 0 1", "a4d4", "Ra4-d4 Rd4"),
            ("metamorphin", "7k/8/8/8/Q6r/8/8/4K3 w - - 0 1", "a4h4", "RBxh4 RBxh4=R Qh4 Qa4xh4=R"),
        ];
        for (rules, fen, expected, texts) in cases {
            let (rules, position) = setting(rules, fen);
            // "exd6 e.p." has a space of its own.
            for text in texts.replace(" e.p.", "_e.p.").split(' ') {
                let text = text.replace('_', " ");
                let read = parse_san(&position, &rules, &text).map(|mv| mv.to_string());
                assert_eq!(read, Ok(expected.into()), "{text} in {fen}");
            }
        }
    }

    #[test]
    fn rejections_say_why() {
        let (rules, position) = setting("fusion-2020", "4k3/8/8/8/1Q5R/8/8/4K3 w - - 0 1");
        let error = |text| parse_san(&position, &rules, text).unwrap_err().to_string();
        assert_eq!(error("Re5"), "no legal move is 'Re5'");
        assert_eq!(error("Rd4=RB"), "no legal move is 'Rd4=RB'");
        assert_eq!(error("Rd4"), "'Rd4' is ambiguous: it may be Rbd4 or Rhd4");
        for text in [
            "", "x", "e", "Ri4", "Re9", "RRe4", "RBNe4", "dx3", "e4=", "e4=X", "Re4=(R", "é4",
            "Rd4é", "--", "O-O-O-O",
        ] {
            assert!(error(text).contains("is not a move in algebraic"), "{text}");
        }
        // Castling is not possible here.
        assert_eq!(error("O-O"), "no legal move is 'O-O'");
    }

    #[test]
    fn a_pawn_is_not_taken_for_one_of_another_file() {
        let (rules, position) = setting("orthodox", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
        assert!(parse_san(&position, &rules, "d5").is_err());
        assert!(parse_san(&position, &rules, "ed5").is_ok());
    }
}
