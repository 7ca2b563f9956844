//! Exercises: to mate a bare King with a King and a few pieces.

use super::FusionGame;
use crate::board::{Component, Piece};
use crate::rules::RuleSet;
use fusion_game::{Exercise, Game, Notation, Side, Tactics};
use rand::{Rng, RngExt};
use std::fmt::{self, Display};
use std::str::FromStr;

/// Largest number of pieces besides the King.
const MOST: usize = 8;
/// Number of squares of the board.
const SQUARES: usize = 64;

/// White's pieces besides its King, against Black's bare King: Rooks, Bishops, Knights and compounds
/// of two of them, such as `R`, `RB` or `R+R`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BareKing(Vec<Piece>);

impl FromStr for BareKing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pieces: Option<Vec<Piece>> = text.split('+').map(piece).collect();
        pieces.filter(|pieces| pieces.len() <= MOST).map(Self).ok_or_else(|| {
            format!(
                "'{text}' is no material: give up to {MOST} of R, B, N and compounds of two of \
                 them, joined by +, as in RB or R+R"
            )
        })
    }
}

impl Display for BareKing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&pieces.join("+"))
    }
}

/// Parses a simple piece, or a compound by its components' letters.
fn piece(text: &str) -> Option<Piece> {
    let known = [Component::Rook, Component::Bishop, Component::Knight];
    let mut piece = Piece::NONE;
    for letter in text.trim().chars() {
        let component = known.into_iter().find(|known| known.letter() == letter)?;
        if piece.has(component) {
            return None;
        }
        piece = piece.with(component);
    }
    (1..=2).contains(&piece.len()).then_some(piece)
}

impl Exercise<FusionGame> for BareKing {
    /// Draws a legal position, not over, in which nothing can be captured at once.
    fn draw(&self, rules: &RuleSet, rng: &mut dyn Rng) -> Option<FusionGame> {
        let king = Piece::of(Component::King).letter();
        let white = self.0.iter().map(|piece| piece.letter()).chain([king]);
        let mut board = [None; SQUARES];
        for letter in white.map(|letter| letter.map(|l| l.to_ascii_uppercase())).chain([king]) {
            let square = rng.random_range(0..SQUARES);
            if board[square].is_some() {
                return None;
            }
            board[square] = letter;
        }
        let side = if rng.random() { 'w' } else { 'b' };
        let fen = format!("{} {side} - - 0 1", placement(&board));
        let game = FusionGame::from_text(rules, &fen).ok()?;
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        // Between bare Kings and pieces, only a capture is forcing.
        let captures = moves.iter().any(|&mv| game.is_forcing(mv));
        let loose = game.side_to_move() == Side::Second && captures;
        (game.outcome(&moves).is_none() && !loose).then_some(game)
    }
}

/// Returns FEN's first field, the eighth rank first.
fn placement(board: &[Option<char>; SQUARES]) -> String {
    let rank = |rank: &[Option<char>]| {
        let letters = rank.iter().map(|letter| letter.map_or("1".to_owned(), String::from));
        letters.collect::<String>()
    };
    board.chunks(8).map(rank).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn material_is_read_and_written() {
        for text in ["R", "RB", "R+R", "B+N", "RN+B+B"] {
            assert_eq!(text.parse::<BareKing>().unwrap().to_string(), text);
        }
        assert_eq!("BR".parse::<BareKing>().unwrap().to_string(), "RB");
        for bad in ["", "K", "Q", "P", "RBN", "RR", "R+", "R,R", "r", "R+R+R+R+R+R+R+R+R"] {
            let error = bad.parse::<BareKing>().unwrap_err();
            assert!(error.contains("as in RB or R+R"), "{error}");
        }
    }

    #[test]
    fn draws_are_positions_to_be_won() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let rules = "fusion-2020".parse().unwrap();
        let pieces: BareKing = "RB+N".parse().unwrap();
        let games: Vec<_> = (0..500).filter_map(|_| pieces.draw(&rules, &mut rng)).collect();
        assert!(games.len() > 100);
        let texts: Vec<String> = games.iter().map(Notation::to_text).collect();
        for text in &texts {
            let placement = text.split(' ').next().unwrap();
            let mut letters: Vec<char> =
                placement.chars().filter(char::is_ascii_alphabetic).collect();
            letters.sort_unstable();
            assert_eq!(letters, ['K', 'N', 'Q', 'k'], "{text}");
        }
        assert!(texts.iter().any(|text| text.contains(" w ")));
        assert!(texts.iter().any(|text| text.contains(" b ")));
        // A lone Bishop cannot mate, so no placement gives a game.
        let bishop: BareKing = "B".parse().unwrap();
        assert!((0..500).all(|_| bishop.draw(&rules, &mut rng).is_none()));
    }
}
