//! Moves as people and other programs write them, in any notation.

use super::{SanError, parse_coordinate, parse_san};
use crate::board::{Color, Move, MoveKind, Position};
use crate::rules::RuleSet;
use std::borrow::Cow;

/// Parses a legal move in coordinate notation or in algebraic notation.
///
/// Besides what [`parse_coordinate`] and [`parse_san`] accept, coordinates may have a dash, capitals
/// and marks (`E2-E4`, `e7e8=Q+`), and castling may be the King's move to its Rook (`e1h1`). No text
/// means different moves in the two notations.
///
/// ```
/// use fusion_chess::board::Position;
/// use fusion_chess::notation::parse_move;
/// use fusion_chess::rules::RuleSet;
///
/// let rules: RuleSet = "orthodox".parse().unwrap();
/// let start = Position::start(&rules);
/// for text in ["g1f3", "g1-f3", "G1F3", "Nf3", "\u{2658}f3!", "1. Ngf3"] {
///     assert_eq!(parse_move(&start, &rules, text).unwrap().to_string(), "g1f3");
/// }
/// ```
///
/// # Errors
/// Returns the error of [`parse_san`] if the text is a move in no notation.
pub fn parse_move(position: &Position, rules: &RuleSet, text: &str) -> Result<Move, SanError> {
    if let Ok(mv) = parse_coordinate(position, rules, text) {
        return Ok(mv);
    }
    match squares(text).and_then(|squares| read_squares(position, rules, &squares)) {
        Some(mv) => Ok(mv),
        None => parse_san(position, rules, text),
    }
}

/// Parses coordinates, or the King's move to its Rook as castling.
fn read_squares(position: &Position, rules: &RuleSet, squares: &str) -> Option<Move> {
    if let Ok(mv) = parse_coordinate(position, rules, squares) {
        return Some(mv);
    }
    let from = squares.get(..2)?;
    let file = match squares.get(2..)? {
        "h1" if from == "e1" && position.side_to_move() == Color::White => "g1",
        "a1" if from == "e1" && position.side_to_move() == Color::White => "c1",
        "h8" if from == "e8" && position.side_to_move() == Color::Black => "g8",
        "a8" if from == "e8" && position.side_to_move() == Color::Black => "c8",
        _ => return None,
    };
    let castling = parse_coordinate(position, rules, &format!("{from}{file}")).ok()?;
    (castling.kind() == MoveKind::Castling).then_some(castling)
}

/// Returns the coordinates of a text without separators and marks, in small letters. In algebraic
/// notation, a capital before a rank is a piece, so both files must be of one case.
fn squares(text: &str) -> Option<String> {
    let plain = plain(text);
    let text = strip_marks(strip_number(&plain));
    let letters: Vec<char> = text.chars().filter(|c| !"-x:=()/".contains(*c)).collect();
    let [from, '1'..='8', to, ..] = letters[..] else { return None };
    let is_same = from.is_ascii_uppercase() == to.is_ascii_uppercase();
    is_same.then(|| letters.into_iter().map(|letter| letter.to_ascii_lowercase()).collect())
}

/// Returns whether a character is used as a dash.
pub(super) fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Returns a text with letters for figurines and with ASCII dashes, crosses and glyphs.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let ascii = |letter| match letter {
        // The selectors say how a figurine is drawn.
        '\u{fe0e}' | '\u{fe0f}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => None,
        '\u{2654}'..='\u{265f}' => {
            let figure = (u32::from(letter) - 0x2654) % 6;
            Some(['K', 'Q', 'R', 'B', 'N', 'P'][figure as usize])
        }
        dash if is_dash(dash) => Some('-'),
        '×' | '✕' | '✗' => Some('x'),
        '†' | '‡' => Some('+'),
        '‼' | '⁇' | '⁈' | '⁉' | '±' | '∓' | '⩲' | '⩱' | '∞' | '□' | '⌓' => {
            Some('!')
        }
        '…' => Some('.'),
        // Cyrillic and Greek letters that look like those of castling.
        'О' | 'Ο' => Some('O'),
        other => Some(other),
    };
    text.chars().filter_map(ascii).collect()
}

/// Returns a move's text without its number, `12.` or `12...`.
pub(super) fn strip_number(text: &str) -> &str {
    let text = text.trim_start();
    match text.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('.') {
        Some(rest) => rest.trim_start_matches(['.', ' ']),
        None => text,
    }
}

/// What may follow a move, besides check marks and glyphs.
const MARKS: [&str; 14] = [
    "(e.p.)", "(ep)", "e.p.", "e.p", "ep", "mate", "ch", "(=)", "+-", "-+", "+/-", "-/+", "+=",
    "=+",
];

/// Returns the text without check marks, glyphs and the mark `e.p.`.
pub(super) fn strip_marks(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let shorter = text.trim_end_matches(|c: char| c.is_whitespace() || "+#!?".contains(c));
        let unmarked = MARKS.iter().find_map(|mark| shorter.strip_suffix(mark));
        let shorter = unmarked.unwrap_or_else(|| strip_glyph(shorter));
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

/// Returns the text without a numeric glyph, `$14`.
fn strip_glyph(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('$').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the moves that are read from texts, which are separated by commas.
    fn read(rules: &str, fen: &str, texts: &str) -> Vec<Result<String, SanError>> {
        let rules: RuleSet = rules.parse().unwrap();
        let position = Position::from_fen(&rules, fen).unwrap();
        let parse = |text| parse_move(&position, &rules, text).map(|mv| mv.to_string());
        texts.split(", ").map(parse).collect()
    }

    #[test]
    fn common_notations_are_read() {
        let start = crate::board::fen::START;
        let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let black = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
        let passed = "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1";
        let promotes = "8/1P6/8/8/k7/8/8/4K3 w - - 0 1";
        for (fen, expected, texts) in [
            (
                start,
                "g1f3",
                "g1f3, g1-f3, G1-F3, Nf3, nf3, Ng1-f3, Ng1–f3, ♘f3, ♞f3, ♘\u{fe0e}f3, Nf3!?, \
                 Nf3‼, Nf3$14, 1.Nf3, 1. Nf3, Nf3 ch",
            ),
            (start, "e2e4", "e2e4, e2-e4, E2E4, e2–e4, e2−e4, e4, ♙e4, Pe4, e4⩲, e4+-"),
            (passed, "d5c6", "d5c6, dxc6, dxc6ep, dxc6 e.p., dxc6e.p., dxc6 ep, dxc6(ep), d5×c6"),
            (
                promotes,
                "b7b8q",
                "b7b8q, b7b8Q, B7B8Q, b7-b8=Q, b8Q, b8=Q, b8(Q), b8/Q, b8=(Q), b8=q, b8q, b8=♕+, \
                 b7b8=q",
            ),
            (castle, "e1g1", "e1g1, O-O, 0-0, o-o, O–O, 0−0, О-О, OO, 0-0+, e1h1"),
            (castle, "e1c1", "e1c1, O-O-O, 0-0-0, 0–0–0, e1a1, 0-0-0 mate"),
            (black, "e8g8", "e8g8, O-O, e8h8, 0-0"),
        ] {
            let moves = read("orthodox", fen, texts);
            for (text, mv) in texts.split(", ").zip(moves) {
                // The King's own step to the same square does not exist.
                assert_eq!(mv.as_deref(), Ok(expected), "{text} in {fen}");
            }
        }
    }

    #[test]
    fn lenient_texts_are_not_other_moves() {
        // The Bishop of the fourth rank, and the b-Pawn.
        let both = "4k3/8/8/3p4/8/8/1P6/1B2K2B w - - 0 1";
        let texts = "b2b4, B1h7, Bh7, b4, Bxd5";
        let moves: Vec<_> = read("orthodox", both, texts).into_iter().map(Result::unwrap).collect();
        assert_eq!(moves, ["b2b4", "b1h7", "b1h7", "b2b4", "h1d5"]);
        // A King may fuse with a Rook on its square, and that is no castling.
        let fuses = read("fusion-1999", "4k3/8/8/8/8/8/8/4KR2 w - - 0 1", "e1f1, e1h1, 0000, --");
        assert_eq!(fuses[0].as_deref(), Ok("e1f1"));
        assert!(fuses[1..].iter().all(Result::is_err), "{fuses:?}");
    }
}
