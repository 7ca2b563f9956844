//! The game as people see it on a board.

use super::{FairyGame, exercise, number, side};
use crate::board::{Action, Move};
use crate::definition::{Kind, Role};
use crate::names;
use crate::rules::FairyRules;
use fusion_game::{
    BoardGame, BoardMove, BoardPiece, BoardShape, CompleteGame, Exercise, Game, Notation,
    PlacedPiece, PlainGame, ReadGame, ReadLine, Reserve, RuleSet as _, play_text,
};
use std::sync::Arc;

impl CompleteGame for FairyGame {
    fn exercises(rules: &FairyRules) -> Vec<String> {
        exercise::names(*rules)
    }

    fn exercise(name: &str) -> Result<Arc<dyn Exercise<Self>>, String> {
        Ok(Arc::new(name.parse::<exercise::BareKing>()?))
    }
}

impl FairyGame {
    fn drawn(&self, owner: usize, kind: Kind) -> BoardPiece {
        let piece = &self.tables().rules.pieces[usize::from(kind)];
        BoardPiece {
            side: side(owner),
            figure: names::figure(&self.tables().rules, kind)
                .unwrap_or_else(|| piece.letter.to_ascii_lowercase().to_string()),
            name: self.kind_name(kind),
            parts: None,
            royal: piece.role == Role::King,
        }
    }

    fn drawn_on(&self, square: usize) -> Option<BoardPiece> {
        self.position.piece(square).map(|(owner, kind)| self.drawn(owner, kind))
    }

    /// Returns the squares of the board that exist.
    fn squares(&self) -> impl Iterator<Item = usize> {
        (0..self.tables().rules.squares()).filter(|&square| !self.position.is_missing(square))
    }

    fn kind_name(&self, kind: Kind) -> String {
        names::name(&self.tables().rules, kind)
    }

    /// Returns the squares from which and to which a move leads on the board; a drop has no origin, and a
    /// pass neither.
    fn ends(&self, mv: Move) -> (Option<usize>, Option<usize>) {
        match mv.action() {
            Action::Pass => (None, None),
            Action::Drop | Action::DropUpgraded => (None, Some(mv.to())),
            Action::Castle => {
                (Some(mv.from()), Some(self.position.castling_end(self.tables(), mv)))
            }
            _ => (Some(mv.from()), Some(mv.to())),
        }
    }

    /// Returns the kind that stays where a move begins.
    fn staying(&self, mv: Move) -> Option<Kind> {
        let (_, kind) = self.position.piece(mv.from()).filter(|_| mv.action() == Action::Split)?;
        self.tables().rules.rest(kind, mv.kind())
    }

    /// Returns the kind of a move and what it does in words.
    fn described(&self, mv: Move) -> (&'static str, String) {
        let mover = self
            .position
            .piece(mv.from())
            .map_or_else(String::new, |(_, kind)| self.kind_name(kind));
        let target = self.position.piece(mv.to()).map(|(_, kind)| self.kind_name(kind));
        let does = match (&target, self.position.captures(mv)) {
            (Some(target), true) => format!("{mover} takes {target}"),
            (None, true) => format!("{mover} takes in passing"),
            _ => format!("{mover} moves"),
        };
        let becomes = || self.kind_name(self.position.kind_after(self.tables(), mv));
        match mv.action() {
            Action::Go if self.position.captures(mv) => ("capture", does),
            Action::Go => ("plain", does),
            Action::EnPassant => ("en-passant", does),
            Action::Promote | Action::Upgrade => {
                ("promotion", format!("{does} and becomes {}", becomes()))
            }
            Action::Downgrade => ("demotion", format!("{does} and becomes {} again", becomes())),
            Action::Castle => ("castling", format!("{mover} castles")),
            Action::Drop | Action::DropUpgraded => ("drop", format!("drop a {}", becomes())),
            Action::Pass => ("pass", "pass".into()),
            Action::Change if self.merges(mv) => (
                "fusion",
                format!("{mover} merges with {}: {}", target.unwrap_or_default(), becomes()),
            ),
            Action::Change if self.position.captures(mv) => {
                ("capture", format!("{does} and becomes {}", becomes()))
            }
            Action::Change => ("promotion", format!("{does} and becomes {}", becomes())),
            Action::Split => ("fission", format!("{} leaves the {mover}", becomes())),
        }
    }

    /// Returns why no move leads from a square to another.
    fn why(&self, from: usize, to: usize) -> String {
        let us = self.position.side_to_move();
        let name = |square| self.tables().square_name(square);
        match self.position.piece(from) {
            None => format!("There is no piece on {}.", name(from)),
            Some((owner, _)) if owner != us => {
                format!(
                    "The piece on {} is not {}’s, whose turn it is.",
                    name(from),
                    Self::PLAYERS[us]
                )
            }
            Some((_, kind)) if !self.position.reaches(self.tables(), from, to) => {
                format!(
                    "{} does not go from {} to {} here.",
                    self.kind_name(kind),
                    name(from),
                    name(to)
                )
            }
            Some((_, kind)) => {
                format!(
                    "{} could go to {}, but a rule forbids it: a royal piece would be attacked, or other moves come first.",
                    self.kind_name(kind),
                    name(to)
                )
            }
        }
    }
}

impl BoardGame for FairyGame {
    const PLAYERS: [&'static str; 2] = ["White", "Black"];
    const KNOWN_RULES: &'static str = "variants#chess";
    const KNOWN_NAME: &'static str = "chess";
    const FIGURES: &'static str = include_str!("figures.svg");

    /// Built-in games, and those of files that were made known.
    fn parse_rules(text: &str) -> Result<FairyRules, String> {
        let file = text.split('#').next().unwrap_or_default().trim();
        if text.contains('#') && !crate::rules::is_known(text) {
            return Err(format!("'{file}' is no file that this page knows: give its text first"));
        }
        Ok(FairyRules::parse(text)?)
    }

    fn shape(rules: &FairyRules) -> BoardShape {
        let definition = rules.definition();
        let mut shape = BoardShape::lettered(definition.files.into(), definition.ranks.into());
        let mut place = 0..;
        shape
            .spaces
            .retain(|_| place.next().is_some_and(|square| !rules.start().is_missing(square)));
        shape
    }

    fn pieces(&self) -> Vec<PlacedPiece> {
        let placed = |square| {
            Some(PlacedPiece {
                space: self.tables().square_name(square),
                piece: self.drawn_on(square)?,
            })
        };
        self.squares().filter_map(placed).collect()
    }

    fn codes(&self) -> Vec<u32> {
        let code = |square| {
            let (owner, kind) = self.position.piece(square)?;
            Some(1 + 2 * u32::from(kind) + owner as u32)
        };
        self.squares().map(|square| code(square).unwrap_or_default()).collect()
    }

    fn reserves(&self) -> Vec<Reserve> {
        let kinds = self.tables().rules.pieces.len() as Kind;
        let of = |owner| {
            (0..kinds).filter_map(move |kind| {
                let count = self.position.in_hand(owner, kind);
                (count > 0).then(|| Reserve { piece: self.drawn(owner, kind), count: count.into() })
            })
        };
        [0, 1].into_iter().flat_map(of).collect()
    }

    fn threatened(&self) -> Vec<String> {
        let squares = self.position.threatened_royals(self.tables());
        squares.into_iter().map(|square| self.tables().square_name(square)).collect()
    }

    fn board_move(&self, mv: Move) -> BoardMove {
        let us = number(self.side_to_move());
        let square = |square| self.tables().square_name(square);
        let (kind, label) = self.described(mv);
        let (from, to) = self.ends(mv);
        let captures = self.position.captured_by(self.tables(), mv);
        BoardMove {
            from: from.map(square),
            to: to.map(square),
            kind,
            label,
            becomes: to.map(|_| self.drawn(us, self.position.kind_after(self.tables(), mv))),
            stays: self.staying(mv).map(|kind| self.drawn(us, kind)),
            captures: captures.map(|(owner, kind)| self.drawn(owner, kind)),
        }
    }

    fn why_illegal(&self, from: &str, to: &str) -> Option<String> {
        let tables = self.tables();
        let (Some(start), Some(end)) = (tables.square(from), tables.square(to)) else {
            return Some(format!(
                "There is no square {}.",
                if tables.square(from).is_none() { from } else { to }
            ));
        };
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        let leads = |mv: &Move| {
            let (from, to) = self.ends(*mv);
            from.or(to) == Some(start) && to == Some(end)
        };
        (!moves.iter().any(leads)).then(|| self.why(start, end))
    }

    /// The text may come from anywhere, so its rules may not name a file that is not known.
    fn read_game(text: &str) -> Result<ReadGame, String> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let rules = lines.nth(1).and_then(|line| line.split_whitespace().next());
        Self::parse_rules(rules.unwrap_or_default())?;
        Self::read_record(text)
    }

    fn read_record(text: &str) -> Result<ReadGame, String> {
        let game = PlainGame::parse::<Self>(text)?;
        let mut state: Self = game.first_position()?;
        let mut line = ReadLine::default();
        let unread = game.lines.iter().flatten().try_for_each(|(words, comment)| {
            for word in words.split_whitespace() {
                let mv = state
                    .read_words(word)
                    .ok_or_else(|| format!("{word} is not legal in {}", state.to_text()))?;
                let text = state.move_text(mv);
                play_text(&mut state, &text).map_err(|error| error.to_string())?;
                line.push(text);
            }
            comment.iter().for_each(|comment| line.comment(comment));
            Ok(())
        });
        game.read(line, unread.err())
    }
}

impl FairyGame {
    /// Returns the legal move with these words.
    fn read_words(&self, words: &str) -> Option<Move> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.into_iter().find(|&mv| self.move_words(mv) == words || self.move_text(mv) == words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_conforms() {
        assert!(fusion_game::conformance::check_board::<FairyGame>(1, 3).unwrap() > 20);
    }

    #[test]
    fn the_game_conforms() {
        let coverage = fusion_game::conformance::check::<FairyGame>(1, 5).unwrap();
        assert!(coverage.positions > 500, "{coverage:?}");
    }
}
