//! The stronger side's pieces besides its King, and random positions with them.

use std::fmt::{self, Display};
use std::str::FromStr;

use fusion_chess::board::{Component, Piece};
use fusion_game::Side;
use fusion_game::prelude::*;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Largest number of pieces besides the King.
const MOST: usize = 8;
/// Number of squares of the board.
const SQUARES: usize = 64;

/// Material besides the King: Rooks, Bishops, Knights and compounds of two of them, such as `R`,
/// `RB` or `R+R`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material(Vec<Piece>);

impl FromStr for Material {
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

impl Display for Material {
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

impl Material {
    /// Draws a random position of White's King and this material against Black's King, either side
    /// to move. The position is legal, not over, and nothing can be captured at once. Returns
    /// `None` if the random placement does not fulfil these conditions. Only for games that read
    /// FEN.
    pub fn throw<G: CompleteGame>(&self, rules: &G::Rules, rng: &mut ChaCha8Rng) -> Option<G> {
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
        let game = G::from_text(rules, &format!("{} {side} - - 0 1", placement(&board))).ok()?;
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        // A move beside bare Kings and pieces is forcing only if it captures.
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
    use fusion_chess::FusionGame;
    use rand::SeedableRng;

    #[test]
    fn material_is_read_and_written() {
        for text in ["R", "RB", "R+R", "B+N", "RN+B+B"] {
            assert_eq!(text.parse::<Material>().unwrap().to_string(), text);
        }
        assert_eq!("BR".parse::<Material>().unwrap().to_string(), "RB");
        for bad in ["", "K", "Q", "P", "RBN", "RR", "R+", "R,R", "r", "R+R+R+R+R+R+R+R+R"] {
            let error = bad.parse::<Material>().unwrap_err();
            assert!(error.contains("as in RB or R+R"), "{error}");
        }
    }

    #[test]
    fn throws_are_positions_to_be_won() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let rules = "fusion-2020".parse().unwrap();
        let material: Material = "RB+N".parse().unwrap();
        let throws = (0..500).filter_map(|_| material.throw::<FusionGame>(&rules, &mut rng));
        let games: Vec<FusionGame> = throws.collect();
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
        let bishop: Material = "B".parse().unwrap();
        assert!((0..500).all(|_| bishop.throw::<FusionGame>(&rules, &mut rng).is_none()));
    }
}
