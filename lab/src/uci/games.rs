//! What UCI needs of a game beyond its rules: moves as other programs write them, and endgame tables.

use fusion_chess::FusionGame;
use fusion_chess::board::{Move, Position};
use fusion_chess::endgame::{self, EXTENSION, TableError};
use fusion_chess::notation::{parse_castling, parse_coordinate, parse_move};
use fusion_chess::rules::RuleSet;
use fusion_fairy::FairyGame;
use fusion_fairy::rules::FairyRules;
use fusion_game::tablebase::Tablebase;
use fusion_game::{BoardGame, Game, Notation};
use std::path::Path;
use std::sync::Arc;

/// Endgame tables that are open.
pub(super) type OpenTables<G> = Arc<dyn Tablebase<G>>;

/// The tables of a folder with a remark about them, or an error.
pub(super) type Found<G> = Result<(Option<OpenTables<G>>, String), String>;

/// A game that the protocol plays.
pub(super) trait UciGame: BoardGame {
    /// Parses a legal move.
    ///
    /// # Errors
    /// Returns the reason, with the text, if it is none.
    fn read_move(&self, text: &str) -> Result<Self::Move, String>;

    /// Returns the number of plies on the clock of the move rule.
    fn clock(&self) -> u16;

    /// Opens the tables of a folder for these rules. The folder may have tables only for other rules.
    fn find_tables(rules: &Self::Rules, folder: &Path) -> Found<Self>;

    /// Returns the game at the same position, as if clock and history began here.
    fn afresh(&self) -> Option<Self> {
        let text = self.to_text();
        let mut fields: Vec<&str> = text.split(' ').collect();
        // A FEN ends with the clock and the number of the move.
        let clock = fields.len().checked_sub(2)?;
        fields[clock] = "0";
        Self::from_text(self.rules(), &fields.join(" ")).ok()
    }
}

impl UciGame for FusionGame {
    /// Accepts coordinate notation, or else any other.
    fn read_move(&self, text: &str) -> Result<Move, String> {
        let (position, rules): (&Position, &RuleSet) = (self.position(), self.rules());
        parse_coordinate(position, rules, text).or_else(|error| {
            let castling = || parse_castling(position, rules, text);
            parse_move(position, rules, text)
                .ok()
                .or_else(castling)
                .ok_or_else(|| error.to_string())
        })
    }

    fn clock(&self) -> u16 {
        self.position().halfmove_clock()
    }

    fn find_tables(rules: &RuleSet, folder: &Path) -> Found<Self> {
        match endgame::Tables::open(folder, rules) {
            Ok(tables) => {
                let remark = format!("endgame tables for {rules}: {}", tables.materials().len());
                Ok((Some(Arc::new(tables)), remark))
            }
            Err(error @ (TableError::None { .. } | TableError::Uncovered(_)))
                if has_any(folder) =>
            {
                Ok((None, format!("endgame tables: {error}; searches go without")))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

impl UciGame for FairyGame {
    /// Accepts the notation of Fairy-Stockfish, in any case of letters, and `0000` for a pass.
    fn read_move(&self, text: &str) -> Result<Self::Move, String> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        let is_named = |mv: &Self::Move| self.move_text(*mv).eq_ignore_ascii_case(text);
        let is_pass = |mv: &Self::Move| text == "0000" && self.board_move(*mv).kind == "pass";
        let found = moves.into_iter().find(|mv| is_named(mv) || is_pass(mv));
        found.ok_or_else(|| format!("'{text}' is not a legal move here"))
    }

    fn clock(&self) -> u16 {
        self.position().progress_clock()
    }

    fn find_tables(rules: &FairyRules, _: &Path) -> Found<Self> {
        let none = format!("there are none for {rules}, a game that a file defines");
        Ok((None, format!("endgame tables: {none}; searches go without")))
    }
}

/// Returns whether a folder has tables for any rules.
fn has_any(folder: &Path) -> bool {
    let entries = |folder: &Path| folder.read_dir().into_iter().flatten().flatten();
    entries(folder)
        .flat_map(|material| entries(&material.path()))
        .any(|file| file.path().extension().is_some_and(|extension| extension == EXTENSION))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::RuleSet as _;

    fn game<G: UciGame>(rules: &str, text: &str) -> G {
        G::from_text(&G::Rules::parse(rules).unwrap(), text).unwrap()
    }

    #[test]
    fn moves_are_read_as_other_programs_write_them() {
        let capablanca = "4k5/1P8/10/10/10/10/10/R4K3R w KQ - 3 9";
        let game = game::<FairyGame>("variants#capablanca", capablanca);
        for (text, read) in [("b7b8c", "b7b8c"), ("b7b8Q", "b7b8q"), ("f1i1", "f1i1")] {
            assert_eq!(game.move_text(game.read_move(text).unwrap()), read);
        }
        for text in ["b7b8", "0000", "e2e4", "", "P@e4"] {
            let reason = game.read_move(text).unwrap_err();
            assert_eq!(reason, format!("'{text}' is not a legal move here"));
        }
        let shogi = "variants#minishogi";
        let game = self::game::<FairyGame>(shogi, "4k/P4/5/5/K4[Bb] w - - 0 1");
        for text in ["B@c3", "b@c3", "a4a5+"] {
            assert!(game.read_move(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_pass_is_the_square_of_the_king_twice_or_four_zeros() {
        let rules = FairyRules::read("variants#chess,pass=yes").unwrap();
        let game = FairyGame::new(&rules);
        for text in ["e1e1", "0000"] {
            assert_eq!(game.move_text(game.read_move(text).unwrap()), "e1e1", "{text}");
        }
    }

    #[test]
    fn a_game_goes_on_as_if_it_began_here() {
        let fen = "7k/8/6K1/8/8/8/8/1Q6 w - - 100 80";
        let chess: FusionGame = game("orthodox", fen);
        let afresh = chess.afresh().unwrap();
        assert_eq!((chess.clock(), afresh.clock()), (100, 0));
        assert_eq!(afresh.to_text(), "7k/8/6K1/8/8/8/8/1Q6 w - - 0 80");
        let checks: FairyGame = game("variants#3check", "4k3/8/8/8/8/8/8/R3K3 w Q - 2+3 7 9");
        assert_eq!(checks.afresh().unwrap().to_text(), "4k3/8/8/8/8/8/8/R3K3 w Q - 2+3 0 9");
        assert_eq!(checks.clock(), 7);
    }
}
