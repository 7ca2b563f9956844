//! Coordinate notation, which engine protocols and data files use.
//!
//! A move is origin, destination, and one letter where needed: `e2e4`, promotion `b7b8r`, fusion
//! `e2f3`, castling `e1g1`, fission `d1d3r` with the component that leaves, metamorphosis `a4d4m`
//! with the new piece. [`Move`]'s `Display` writes it without a position.

use crate::board::{Move, Position};
use crate::rules::RuleSet;

/// The reason why a text in coordinate notation is not a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoordinateError {
    /// The text is not two squares and at most one letter.
    #[error(
        "'{0}' is not a move in coordinate notation (from, to, and a letter for promotion, \
         fission or metamorphosis, such as e2e4, b7b8r, d1d3r)"
    )]
    Malformed(String),
    /// The text is well formed, but not a legal move of the position.
    #[error("'{0}' is not a legal move here")]
    NoSuchMove(String),
}

/// Parses a legal move in coordinate notation.
///
/// ```
/// use fusion_chess::board::Position;
/// use fusion_chess::notation::parse_coordinate;
/// use fusion_chess::rules::RuleSet;
///
/// let rules: RuleSet = "fusion-2020".parse().unwrap();
/// let start = Position::start(&rules);
/// assert_eq!(parse_coordinate(&start, &rules, "e2e4").unwrap().to_string(), "e2e4");
/// assert!(parse_coordinate(&start, &rules, "e2e5").is_err());
/// ```
///
/// # Errors
/// Returns an error if the text is malformed or is not a legal move of the position.
pub fn parse_coordinate(
    position: &Position,
    rules: &RuleSet,
    text: &str,
) -> Result<Move, CoordinateError> {
    let square = |bytes: &[u8]| matches!(bytes, [b'a'..=b'h', b'1'..=b'8']);
    let well_formed = match text.as_bytes() {
        [squares @ .., last] if squares.len() == 4 => {
            square(&squares[..2]) && square(&squares[2..]) && last.is_ascii_lowercase()
        }
        squares if squares.len() == 4 => square(&squares[..2]) && square(&squares[2..]),
        _ => false,
    };
    if !well_formed {
        return Err(CoordinateError::Malformed(text.into()));
    }
    let mut moves = Vec::with_capacity(64);
    position.legal_moves(rules, &mut moves);
    let (from, to) = (text[..2].parse(), text[2..4].parse());
    moves
        .into_iter()
        .filter(|mv| from == Ok(mv.from()) && to == Ok(mv.to()))
        .find(|mv| mv.to_string() == text)
        .ok_or_else(|| CoordinateError::NoSuchMove(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejections_say_whether_the_text_or_the_move_is_wrong() {
        let rules: RuleSet = "fusion-2020".parse().unwrap();
        let fen = "4k3/1P6/8/8/8/8/3Q4/R3K3 w Q - 0 1";
        let position = Position::from_fen(&rules, fen).unwrap();
        for text in ["e1c1", "b7b8r", "d2d4r", "d2d4", "a1a8"] {
            let read = parse_coordinate(&position, &rules, text);
            assert_eq!(read.map(|mv| mv.to_string()), Ok(text.into()));
        }
        for text in ["b7b8", "b7b8q", "e1c1r", "d2d4n", "e8e7"] {
            let missing = Err(CoordinateError::NoSuchMove(text.into()));
            assert_eq!(parse_coordinate(&position, &rules, text), missing);
        }
        for text in ["", "e", "e1", "e1e", "e1e9", "i1e1", "e1e2R", "e1e2rr", "0000", "é1é", "e1é2"]
        {
            let malformed = Err(CoordinateError::Malformed(text.into()));
            assert_eq!(parse_coordinate(&position, &rules, text), malformed);
        }
    }
}
