//! Why an action is illegal, in plain English.

use super::FreeChess;
use super::board::name;
use crate::board::{Action, Kind, Piece, Square, Turn};
use fusion_game::{BoardGame, Game, Side};

/// Returns why no legal action leads from one square to another, or is about the square if both are
/// the same; `None` if one does.
pub(super) fn why(game: &FreeChess, from: Square, to: Square) -> Option<String> {
    let actions = if from == to { on(game, from) } else { between(game, from, to) };
    let (position, rules) = (&game.position, &game.rules);
    if actions.iter().any(|&action| position.is_legal(rules, action)) {
        return None;
    }
    let in_check = position.in_check(rules, game.side_to_move());
    Some(match () {
        () if !actions.is_empty() && in_check => "It would leave the own royal in check.".into(),
        () if !actions.is_empty() => "It would put the own royal in check.".into(),
        () if from == to => of_square(game, from),
        () => of_squares(game, from, to),
    })
}

/// Returns the actions about a square that the rules of placing and lifting allow.
fn on(game: &FreeChess, square: Square) -> Vec<Action> {
    let (position, rules) = (&game.position, &game.rules);
    let lifts = Kind::ALL.map(|kind| Action::Lift { from: square, kind });
    match position.turn() {
        Turn::Start => {
            let places = Kind::ALL.map(|kind| Action::Place { kind, to: square });
            let actions = places.into_iter().chain(lifts);
            actions.filter(|&action| position.is_allowed(rules, action)).collect()
        }
        _ => lifts.into_iter().filter(|&action| position.is_allowed(rules, action)).collect(),
    }
}

/// Returns the actions from one square to another that the rules of movement allow.
fn between(game: &FreeChess, from: Square, to: Square) -> Vec<Action> {
    let (position, rules) = (&game.position, &game.rules);
    let is_own = position.of(game.side_to_move()).has(from);
    let may_move = match position.turn() {
        Turn::Start => is_own,
        Turn::Move { at, .. } => at == from,
        Turn::Split { .. } => false,
    };
    let mut actions = Vec::new();
    if may_move {
        position.each_part(rules, from, |action| {
            if matches!(action, Action::Part { to: end, .. } if end == to) {
                actions.push(action);
            }
        });
    }
    let set_down = Action::SetDown { from, to };
    if position.is_allowed(rules, set_down) {
        actions.push(set_down);
    }
    actions
}

/// Returns why nothing can be done on a square.
fn of_square(game: &FreeChess, square: Square) -> String {
    let (position, us) = (&game.position, game.side_to_move());
    let at = square.name(position.size());
    match position.turn() {
        Turn::Move { .. } => "Only the piece that has moved goes on in this turn.".into(),
        Turn::Split { .. } => format!("Nothing can be lifted from {at} now."),
        Turn::Start if position.reserve(us).is_empty() => "The reserve is empty.".into(),
        Turn::Start if !position.valid_squares(&game.rules).has(square) => {
            format!("No piece strikes {at} or can go there, so nothing is placed on it.")
        }
        Turn::Start => format!("Nothing of the reserve can be placed on {at}."),
    }
}

/// Returns why no piece can go from one square to another.
fn of_squares(game: &FreeChess, from: Square, to: Square) -> String {
    let (position, us) = (&game.position, game.side_to_move());
    let names = [from, to].map(|square| square.name(position.size()));
    let [origin, end] = &names;
    let piece = position.piece_on(from);
    let Some(owner) = position.side_on(from) else {
        return format!("There is no piece on {origin}.");
    };
    if owner != us {
        let player = |side| FreeChess::PLAYERS[usize::from(side == Side::Second)];
        let (owner, mover) = (player(owner), player(us));
        return format!("{} on {origin} is {owner}’s, and {mover} is to move.", capital(piece));
    }
    match position.turn() {
        Turn::Move { at, .. } if at != from => {
            return "Only the piece that has moved goes on in this turn.".into();
        }
        Turn::Split { origin: split, .. } if split != from => {
            return "Only the piece that splits goes on in this turn.".into();
        }
        Turn::Split { hand, .. } if hand.is_empty() => {
            return "Lift attributes first, or end the turn.".into();
        }
        Turn::Split { hand, .. } => return format!("{} cannot go to {end}.", capital(hand)),
        _ => {}
    }
    let target = position.piece_on(to);
    match position.side_on(to) {
        Some(_) if !position.may_capture(&game.rules, us) => {
            "A player captures only while the own royal is on the board.".into()
        }
        Some(side) if side != us && target.is_royal() => "A royal is never captured.".into(),
        Some(side) if side != us && target.single() == Some(Kind::Combinator) => {
            "A combinator that stands alone is not captured.".into()
        }
        Some(side) if side == us && !game.rules.fusing => game.rule("fusing"),
        Some(side) if side == us && piece.combines() && target.combines() => {
            "A piece has at most one combinator.".into()
        }
        _ if piece.single() == Some(Kind::Combinator) => "A combinator alone stands still.".into(),
        _ => format!("{} does not go from {origin} to {end} now.", capital(piece)),
    }
}

/// Returns a piece's name as the beginning of a sentence.
fn capital(piece: Piece) -> String {
    let name = name(piece);
    name[..1].to_uppercase() + &name[1..]
}

impl FreeChess {
    /// Returns what a toggle's value means, as a sentence.
    fn rule(&self, toggle: &str) -> String {
        fusion_game::RuleSet::sentence(&self.rules, toggle).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::Notation;

    #[test]
    fn reasons_say_what_is_wrong() {
        let rules = "freechess-9".parse().unwrap();
        for (text, from, to, wanted) in [
            ("8k/9/9/9/9/4N4/9/9/K8 w -/p - -", "e4", "f6", None),
            (
                "8k/9/9/9/9/4N4/9/9/K8 w -/p - -",
                "e4",
                "e5",
                Some("Knight does not go from e4 to e5 now."),
            ),
            ("8k/9/9/9/9/4N4/9/9/K8 w -/p - -", "e5", "e6", Some("There is no piece on e5.")),
            ("8k/9/9/9/9/4N4/9/9/K8 w -/p - -", "c9", "c9", Some("The reserve is empty.")),
            (
                "8k/9/9/9/9/4N4/9/9/K8 w P/p - -",
                "c9",
                "c9",
                Some("No piece strikes c9 or can go there, so nothing is placed on it."),
            ),
            (
                "8k/9/9/9/9/4N4/9/9/K8 w -/p - -",
                "i9",
                "i8",
                Some("Royal on i9 is Black’s, and White is to move."),
            ),
            (
                "4r3k/9/9/9/9/4N4/9/9/4K4 w -/p - -",
                "e4",
                "f6",
                Some("It would put the own royal in check."),
            ),
            (
                "8k/9/9/5n3/9/4N4/9/9/9 w K/p - -",
                "e4",
                "f6",
                Some("A player captures only while the own royal is on the board."),
            ),
        ] {
            let game = FreeChess::from_text(&rules, text).unwrap();
            assert_eq!(game.why_illegal(from, to).as_deref(), wanted, "{text} {from}{to}");
        }
    }
}
