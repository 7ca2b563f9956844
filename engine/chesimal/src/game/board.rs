//! The game as people see it on a board.

use super::ChesimalGame;
use super::lessons::LESSONS;
use crate::board::{Action, Active, FILES, Kind, Mode, Position, RANKS, SQUARES, Square};
use crate::notation;
use crate::rules::RuleSet;
use fusion_game::{
    BoardGame, BoardMove, BoardPiece, BoardShape, Game, Lesson, PlacedPiece, ReadGame,
    RuleSet as _, Side,
};

/// Returns a unit as it is drawn.
fn drawn(side: Side, kind: Kind, is_royal: bool) -> BoardPiece {
    BoardPiece {
        side,
        figure: kind.letter(Side::First).into(),
        name: kind.name().into(),
        parts: None,
        royal: is_royal,
    }
}

impl ChesimalGame {
    /// Returns a unit as it is drawn. A King is royal if its loss would lose the game.
    fn drawn_on(&self, square: Square) -> Option<BoardPiece> {
        let (side, kind) = self.position.unit_on(square)?;
        let kings = (self.position.units(side) & self.position.kind(Kind::King)).len();
        let is_royal = kind == Kind::King && kings <= self.rules.kings_needed();
        Some(drawn(side, kind, is_royal))
    }

    /// Returns the kind of an action and what it does in words.
    fn described(&self, action: Action) -> (&'static str, String) {
        let name = |square| self.position.kind_on(square).map_or("unit", Kind::name);
        match action {
            Action::Choose { leader, mode } => {
                let mode = match mode {
                    Mode::King | Mode::Both => "",
                    Mode::Ortho => ", ortho",
                    Mode::Dia => ", dia",
                };
                ("choice", format!("{} leads this turn{mode}", name(leader)))
            }
            Action::Activate { from, to } => match self.captured(action) {
                Some(kind) => ("capture", format!("{} takes {}", name(from), kind.name())),
                None => ("plain", format!("{} moves to {to}", name(from))),
            },
            Action::Recruit(square) => ("recruit", format!("recruit the {}", name(square))),
            Action::End if self.position.has_activated() => ("end", "end the turn".into()),
            Action::End => ("end", "pass".into()),
        }
    }
}

impl BoardGame for ChesimalGame {
    const PLAYERS: [&'static str; 2] = ["White", "Black"];
    const KNOWN_RULES: &'static str = "chesimal";
    const KNOWN_NAME: &'static str = "the free Chesimal Fusion I";
    const FIGURES: &'static str = include_str!("figures.svg");
    const LESSONS: &'static [Lesson] = LESSONS;

    fn parse_rules(text: &str) -> Result<RuleSet, String> {
        Ok(RuleSet::parse(text)?)
    }

    fn shape(rules: &RuleSet) -> BoardShape {
        let (files, ranks) = rules.size();
        BoardShape::lettered(files as u16, ranks as u16)
    }

    fn pieces(&self) -> Vec<PlacedPiece> {
        let placed = |square| {
            Some(PlacedPiece { space: square_name(square), piece: self.drawn_on(square)? })
        };
        (0..SQUARES).filter_map(Square::from_index).filter_map(placed).collect()
    }

    fn codes(&self) -> Vec<u32> {
        let (files, ranks) = self.rules.size();
        let squares = (0..ranks).flat_map(|rank| (0..files).map(move |file| (file, rank)));
        let unit = |(file, rank)| self.position.unit_on(Square::at(file, rank)?);
        let code = |(side, kind)| 1 + 2 * kind as u32 + side as u32;
        squares.map(|square| unit(square).map_or(0, code)).collect()
    }

    /// The active leader, and the units that have moved or were recruited.
    fn in_turn(&self) -> Vec<String> {
        let leader = self.position.active().map(|active| active.square);
        let others = self.position.moved() | self.position.recruited();
        let others = others.filter(|&square| Some(square) != leader);
        leader.into_iter().chain(others).map(square_name).collect()
    }

    fn board_move(&self, action: Action) -> BoardMove {
        let (kind, label) = self.described(action);
        let (from, to, shown) = match action {
            Action::Choose { leader: square, .. } | Action::Recruit(square) => {
                (None, Some(square), Some(square))
            }
            Action::Activate { from, to } => (Some(from), Some(to), Some(from)),
            Action::End => (None, None, None),
        };
        let captures = match action {
            Action::Activate { to, .. } if self.captured(action).is_some() => self.drawn_on(to),
            _ => None,
        };
        BoardMove {
            from: from.map(square_name),
            to: to.map(square_name),
            kind,
            label,
            becomes: shown.and_then(|square| self.drawn_on(square)),
            stays: None,
            captures,
        }
    }

    fn why_illegal(&self, from: &str, to: &str) -> Option<String> {
        match (from.parse(), to.parse()) {
            (Ok(from), Ok(to)) => why(self, from, to),
            (Err(_), _) => Some(format!("There is no square {from}.")),
            (_, Err(_)) => Some(format!("There is no square {to}.")),
        }
    }

    fn restriction(&self, space: &str) -> Option<String> {
        let square = space.parse().ok()?;
        let active = self.position.active()?;
        let is_own = self.position.units(self.position.side()).has(square);
        if is_own { self.cannot_move(square, active) } else { None }
    }

    fn read_game(text: &str) -> Result<ReadGame, String> {
        notation::read_game(text)
    }
}

fn square_name(square: Square) -> String {
    square.to_string()
}

/// Returns why no action leads from one square to another, or is about the square if both are the
/// same; `None` if one does.
fn why(game: &ChesimalGame, from: Square, to: Square) -> Option<String> {
    let mut actions = Vec::new();
    if game.outcome_now().is_none() {
        game.legal_moves(&mut actions);
    }
    let leads = |action: &Action| match *action {
        Action::Choose { leader: square, .. } | Action::Recruit(square) => {
            square == from && square == to
        }
        Action::Activate { from: origin, to: end } => (origin, end) == (from, to),
        Action::End => false,
    };
    if actions.iter().any(leads) {
        return None;
    }
    Some(reason(game, from, to))
}

fn reason(game: &ChesimalGame, from: Square, to: Square) -> String {
    let position = &game.position;
    let us = position.side();
    let Some((owner, kind)) = position.unit_on(from) else {
        return format!("There is no unit on {from}.");
    };
    let name = kind.name();
    if owner != us {
        let player = |side| ChesimalGame::PLAYERS[usize::from(side == Side::Second)];
        return format!(
            "The {name} on {from} is {}’s, and {} is to move.",
            player(owner),
            player(us)
        );
    }
    let Some(active) = position.active() else {
        return match kind.is_leader() {
            true if from == to => format!("The {name} on {from} has nothing to activate."),
            _ => "A turn begins with the choice of a leader.".into(),
        };
    };
    if let Some(reason) = game.cannot_move(from, active) {
        return reason;
    }
    match position.unit_on(to) {
        _ if from == to => "A move needs two squares.".into(),
        Some((owner, kind)) if owner == us => format!("The own {} stands on {to}.", kind.name()),
        _ => format!("The {name} on {from} does not reach {to} in this turn."),
    }
}

impl ChesimalGame {
    /// Returns why an own unit cannot be activated in the turn in progress, wherever it would go.
    fn cannot_move(&self, square: Square, active: Active) -> Option<String> {
        let position: &Position = &self.position;
        let name = position.kind_on(square)?.name();
        if position.moved().has(square) {
            return Some(format!("The {name} on {square} has moved in this turn."));
        }
        let left = i32::from(position.others_left(&self.rules));
        if square == active.square {
            return None;
        }
        if !active.mode.activates(position.kind_on(square)?) {
            let leader = position.kind_on(active.square).map_or("leader", Kind::name);
            return Some(format!("The {leader} does not activate a {name} in this turn."));
        }
        if !position.friends(active.square, &self.rules).has(square) {
            return Some(format!("The {name} on {square} is not of the active leader’s AMP."));
        }
        if !position.connected(active.square, &self.rules).has(square) {
            return Some(format!("The {name} on {square} is not connected to the active leader."));
        }
        (left == 0).then(|| "The leader has activated as many units as it may.".into())
    }
}

// Names of spaces are those of `BoardShape::lettered`.
const _: () = assert!(FILES <= 26 && RANKS <= 99);

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::Notation;

    fn game(rules: &str, text: &str) -> ChesimalGame {
        ChesimalGame::from_text(&rules.parse().unwrap(), text).unwrap()
    }

    #[test]
    fn the_board_conforms() {
        assert!(fusion_game::conformance::check_board::<ChesimalGame>(1, 1).unwrap() > 50);
    }

    #[test]
    fn reasons_say_what_is_wrong() {
        let start = ChesimalGame::new(&"chesimal".parse().unwrap());
        let mut leads = start.clone();
        leads.play("f3o".parse().unwrap());
        for (game, from, to, wanted) in [
            (&start, "f4", "f6", Some("A turn begins with the choice of a leader.")),
            (&start, "f3", "f3", None),
            (&start, "a5", "a6", Some("There is no unit on a5.")),
            (&leads, "f4", "f6", None),
            (&leads, "a3", "b5", Some("The Prince does not activate a Knight in this turn.")),
            (&leads, "a2", "a1", Some("The Pawn on a2 is not connected to the active leader.")),
            (&leads, "f4", "f9", Some("The Warmachine on f4 does not reach f9 in this turn.")),
        ] {
            assert_eq!(game.why_illegal(from, to).as_deref(), wanted, "{from} {to}");
        }
        assert_eq!(leads.restriction("a2"), leads.why_illegal("a2", "a1"));
    }

    #[test]
    fn actions_have_their_words() {
        let game = game("chesimal", "15k/16/16/16/16/3p12/4P11/4K11/16/16/16/16 w - e5k 0 2");
        let label = |text: &str| game.board_move(text.parse().unwrap()).label;
        assert_eq!(label("e6d7"), "Pawn takes Pawn");
        assert_eq!(label("e5e4"), "King moves to e4");
        let ends = game.board_move(Action::End);
        assert_eq!((ends.to, ends.label.as_str()), (None, "pass"));
    }
}
