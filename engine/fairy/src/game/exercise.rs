//! Exercises: to win with a King and a few pieces against a bare King.

use super::FairyGame;
use crate::definition::{Piece, Role};
use crate::rules::FairyRules;
use fusion_game::{Exercise, Game, Notation, Side, Tactics};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::{self, Display};
use std::str::FromStr;

/// Largest number of pieces besides the King.
const MOST: usize = 8;
/// Value in hundredths of a Pawn below which two pieces are tried together: one of them seldom wins.
const LIGHT: i32 = 450;
/// Random draws by which a small force is tried, and the positions that they must give.
const TRIALS: usize = 300;
const LEAST: usize = 10;

/// The first side's pieces besides its King, against the other side's bare King: letters of kinds, such as
/// `Q` or `B+N`. They stand on the board; promoted kinds have a `+` in no name and are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BareKing(Vec<char>);

impl FromStr for BareKing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let letter = |part: &str| {
            let mut letters = part.trim().chars();
            letters.next().filter(|letter| letters.next().is_none() && letter.is_alphabetic())
        };
        let letters: Option<Vec<char>> = text.split('+').map(letter).collect();
        letters.filter(|letters| letters.len() <= MOST).map(Self).ok_or_else(|| {
            format!(
                "'{text}' is no material: give up to {MOST} letters of pieces of the rule set, joined by \
                 +, as in Q or B+N"
            )
        })
    }
}

impl Display for BareKing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters: Vec<String> =
            self.0.iter().map(|letter| letter.to_ascii_uppercase().to_string()).collect();
        f.write_str(&letters.join("+"))
    }
}

/// Returns whether a piece can be part of a small force: one that stays as it is, and may be lost.
fn is_force(rules: FairyRules, kind: usize, piece: &Piece) -> bool {
    let promotes = rules.definition().promotion.pawns[0] >> kind & 1 == 1;
    piece.role != Role::King && piece.role != Role::Pawn && !promotes
}

/// Returns the names of the small forces of a rule set: each kind of piece, and two light ones. There are
/// none if the sides do not have one King each.
pub(super) fn names(rules: FairyRules) -> Vec<String> {
    let game = FairyGame::new(&rules);
    let kings =
        |owner| rules.definition().king().map_or(0, |king| game.position().count(owner, king));
    if kings(0) != 1 || kings(1) != 1 {
        return Vec::new();
    }
    let values = rules.values();
    let pieces = rules.definition().pieces.iter().enumerate();
    let forces = pieces.filter(|(kind, piece)| is_force(rules, *kind, piece));
    let forces: Vec<(char, i32)> = forces
        .map(|(kind, piece)| (piece.letter.to_ascii_uppercase(), values[kind]))
        .filter(|(letter, _)| letter.is_alphabetic())
        .collect();
    let light = || forces.iter().filter(|(_, value)| *value < LIGHT).map(|(letter, _)| *letter);
    let pairs = light()
        .enumerate()
        .flat_map(|(i, first)| light().skip(i).map(move |second| BareKing(vec![first, second])));
    let single = forces.iter().map(|(letter, _)| BareKing(vec![*letter]));
    let all = single.chain(pairs).filter(|force| can_be_drawn(force, rules));
    all.map(|force| force.to_string()).collect()
}

/// Returns whether random positions of a small force are games: where a bare King loses, or is stalemated at
/// once, there are none.
fn can_be_drawn(force: &BareKing, rules: FairyRules) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let drawn = (0..TRIALS).filter(|_| force.draw(&rules, &mut rng).is_some());
    drawn.take(LEAST).count() == LEAST
}

impl Exercise<FairyGame> for BareKing {
    /// Draws a legal position, not over, without check, in which nothing can be captured at once.
    fn draw(&self, rules: &FairyRules, rng: &mut dyn Rng) -> Option<FairyGame> {
        let definition = rules.definition();
        let king = definition.pieces.get(usize::from(definition.king()?))?.letter;
        let mut placed: Vec<char> = self.0.iter().map(char::to_ascii_uppercase).collect();
        placed.extend([king.to_ascii_uppercase(), king.to_ascii_lowercase()]);
        let (files, ranks) = (usize::from(definition.files), usize::from(definition.ranks));
        let mut board: Vec<Option<char>> = (0..files * ranks)
            .map(|square| rules.start().is_missing(square).then_some('*'))
            .collect();
        for letter in placed {
            let free: Vec<usize> = (0..board.len()).filter(|&at| board[at].is_none()).collect();
            let square = *free.get(rng.random_range(0..free.len().max(1)))?;
            board[square] = Some(letter);
        }
        let side = if rng.random_bool(0.5) { 'w' } else { 'b' };
        let text = format!("{} {side} - - 0 1", rows(&board, files));
        let game = FairyGame::from_text(rules, &text).ok()?;
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let captures = moves.iter().any(|&mv| game.position().captures(mv));
        let fits = game.outcome(&moves).is_none() && !captures && !game.is_threatened();
        let decided =
            fits && game.side_to_move() == Side::First && game.winning_move(&moves).is_some();
        (fits && !decided).then_some(game)
    }
}

/// Writes the rows of a board from the last one, with numbers of empty squares.
fn rows(board: &[Option<char>], files: usize) -> String {
    let row = |squares: &[Option<char>]| {
        let (mut text, mut empty) = (String::new(), 0);
        for square in squares {
            match square {
                None => empty += 1,
                Some(letter) => {
                    if empty > 0 {
                        text += &std::mem::take(&mut empty).to_string();
                    }
                    text.push(*letter);
                }
            }
        }
        if empty > 0 { text + &empty.to_string() } else { text }
    };
    board.chunks(files).rev().map(row).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::RuleSet;

    #[test]
    fn small_forces_are_drawn_on_every_board() {
        for (name, force, files) in [
            ("variants#capablanca", "A", 10),
            ("variants#chess", "N+B", 8),
            ("variants#makruk", "R", 8),
        ] {
            let rules: FairyRules = RuleSet::parse(name).unwrap();
            assert!(names(rules).contains(&force.to_owned()), "{name}: {:?}", names(rules));
            let exercise: BareKing = force.parse().unwrap();
            assert_eq!(exercise.to_string(), force);
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let drawn: Vec<FairyGame> =
                (0..200).filter_map(|_| exercise.draw(&rules, &mut rng)).collect();
            assert!(drawn.len() > 20, "{name}");
            assert_eq!(usize::from(rules.definition().files), files);
            for game in drawn {
                let count = |owner, letter| {
                    game.position().count(owner, rules.definition().kind(letter).unwrap())
                };
                for letter in force.chars().filter(|letter| *letter != '+') {
                    assert_eq!((count(0, letter), count(1, letter)), (1, 0));
                }
                assert_eq!((count(0, 'k'), count(1, 'k')), (1, 1));
            }
        }
        let rules: FairyRules = RuleSet::parse("variants#antichess").unwrap();
        assert_eq!(names(rules), Vec::<String>::new());
        assert!("BN".parse::<BareKing>().is_err());
    }
}
