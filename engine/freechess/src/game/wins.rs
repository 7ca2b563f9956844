//! Actions that win at once.

use crate::board::{Action, Bitboard, Kind, Position, Turn};
use crate::rules::RuleSet;

/// Returns the index of the first of these legal actions after which the opponent has no legal turn.
pub(super) fn winning_action(
    position: &Position,
    rules: &RuleSet,
    actions: &[Action],
) -> Option<usize> {
    let candidates = Candidates::new(position);
    let after = |action| position.after(rules, action);
    let wins = |next: &Position| next.turn() == Turn::Start && !next.has_legal_action(rules);
    debug_assert!(actions.iter().all(|&action| {
        let next = after(action);
        !wins(&next) || candidates.includes(action) && candidates.may_have_won(&next)
    }));
    actions.iter().position(|&action| {
        candidates.includes(action) && {
            let next = after(action);
            candidates.may_have_won(&next) && wins(&next)
        }
    })
}

/// The actions that can win at once.
struct Candidates<'a> {
    position: &'a Position,
    /// Squares from which a newly placed attribute may strike the enemy royal; `None` if any action
    /// may win.
    lines: Option<[Bitboard; Kind::COUNT]>,
    /// Empty squares to which the enemy royal can step.
    escapes: Bitboard,
}

impl<'a> Candidates<'a> {
    /// An opponent with an attribute in the reserve, other than k and c, can add it to a piece of his
    /// or, if he has none, place it on any empty square (rule 5). That is legal unless something
    /// strikes his royal. So most actions win only if they begin a strike.
    fn new(position: &'a Position) -> Self {
        let us = position.side_to_move();
        let them = us.other();
        let supply = position.reserve(them).without_all(Kind::Royal).without_all(Kind::Combinator);
        let royal = position.royal(them);
        let struck = royal.is_some_and(|royal| position.strikers(us, royal).any());
        // The action may take one empty square.
        let has_place = position.of(them).any() || position.empty().len() > 1;
        let supplied = !supply.is_empty() && has_place && !struck;
        let lines =
            supplied.then(|| royal.map(|royal| position.lines_to(royal)).unwrap_or_default());
        Self { position, lines, escapes: position.escapes(them) }
    }

    /// Returns whether an action may win, without making it.
    fn includes(&self, action: Action) -> bool {
        let position = self.position;
        // A placement adds no strikes but those of the piece on its square, so the enemy royal can still
        // step where that one does not strike.
        if let Action::Place { kind, to } = action
            && !position.of(position.side_to_move().other()).has(to)
            && position.unstruck_by(kind, to, self.escapes).any()
        {
            return false;
        }
        let Some(lines) = &self.lines else { return true };
        match action {
            // A placed attribute strikes by itself where nothing stands.
            Action::Place { kind, to } => {
                !self.position.empty().has(to) || lines[kind as usize].has(to)
            }
            // These do not end the turn.
            Action::Part { goes_on: Some(_), .. } | Action::Lift { .. } => false,
            _ => true,
        }
    }

    /// Returns whether an action that led to this position, at the start of the opponent's turn, may
    /// have won. An opponent who can place an attribute loses only in check.
    fn may_have_won(&self, next: &Position) -> bool {
        let us = next.side_to_move().other();
        self.lines.is_none()
            || next.royal(us.other()).is_some_and(|royal| next.strikers(us, royal).any())
    }
}
