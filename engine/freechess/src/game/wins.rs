//! Actions that win at once.

use crate::board::{Action, Bitboard, Escapes, Kind, Position, Square, Turn};
use crate::rules::RuleSet;
use std::cell::OnceCell;

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
    /// The enemy royal on the board.
    royal: Option<Square>,
    /// Whether the opponent can place an attribute after any action that gives no check.
    supplied: bool,
    /// Squares from which a newly placed attribute by itself strikes the enemy royal.
    lines: OnceCell<[Bitboard; Kind::COUNT]>,
    /// Squares that screen the enemy royal.
    screens: OnceCell<Bitboard>,
    /// Where the enemy royal can step.
    escapes: OnceCell<Escapes>,
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
        let (lines, screens, escapes) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { position, royal, supplied, lines, screens, escapes }
    }

    /// Returns whether an action may win, without making it.
    fn includes(&self, action: Action) -> bool {
        if self.supplied && !self.royal.is_some_and(|royal| self.may_strike(action, royal)) {
            return false;
        }
        // The opponent has a legal turn if his royal can still step away.
        let (position, them) = (self.position, self.position.side_to_move().other());
        let escapes = || *self.escapes.get_or_init(|| position.escapes());
        match action {
            // A placement adds no strikes but those of the piece on its square.
            Action::Place { kind, to } if !position.of(them).has(to) => {
                position.unstruck_by(kind, to, escapes().squares).is_empty()
            }
            Action::Part { from, to, goes_on: None } => {
                !position.leaves_escape(from, to, escapes())
            }
            _ => true,
        }
    }

    /// Returns whether an action may end the turn with a strike on the enemy royal, which nothing
    /// strikes now.
    fn may_strike(&self, action: Action, royal: Square) -> bool {
        let position = self.position;
        let us = position.side_to_move();
        let screens = || *self.screens.get_or_init(|| position.screens(us, royal));
        match action {
            Action::Place { kind, to } if position.empty().has(to) => {
                self.lines.get_or_init(|| position.lines_to(royal))[kind as usize].has(to)
            }
            Action::Place { kind, to } if position.of(us).has(to) => {
                position.unstruck_by(kind, to, royal.bit()).is_empty()
            }
            Action::Place { to, .. } => screens().has(to),
            Action::Part { from, to, goes_on: None } => {
                let opened = screens();
                opened.has(from) || opened.has(to) || position.lands_with_strike(from, to, royal)
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
        !self.supplied || next.royal(us.other()).is_some_and(|royal| next.strikers(us, royal).any())
    }
}
