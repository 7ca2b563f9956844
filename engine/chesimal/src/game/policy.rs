//! Policy rows: an action's logit is the sum of four rows.
//!
//! | term | rows | of an activation | of other actions |
//! | --- | --- | --- | --- |
//! | arrival | 6 x 192 + 4 x 192 + 192 + 2 | kind and destination | mode and leader's square; recruit's square; end, pass |
//! | departure | 6 x 192 + 4 + 6 + 11 | kind and origin | mode; kind of the recruit; activations before the end |
//! | capture | 6 x 7 + 1 | kind that moves, and what it captures | none |
//! | danger | 6 x 2 x 2 x 2 + 1 | kind, whether the enemy reaches its origin, whether its destination, capture or not | none |
//!
//! Squares are turned like the inputs.

use super::features::Orientation;
use crate::board::{Action, Bitboard, Kind, Mode, Position, SQUARES};
use crate::rules::RuleSet;

/// Number of rows whose sum is an action's logit.
pub(super) const TERMS: usize = 4;

// Rows of squares come first: their mirror image is that of the square.
const CHOICE: usize = Kind::COUNT * SQUARES;
const RECRUIT: usize = CHOICE + Mode::COUNT * SQUARES;
const DEPARTURE: usize = RECRUIT + SQUARES;
const END: usize = DEPARTURE + Kind::COUNT * SQUARES;
const MODE: usize = END + 2;
const RECRUITED_KIND: usize = MODE + Mode::COUNT;
const BEFORE_END: usize = RECRUITED_KIND + Kind::COUNT;
/// Counts of activations that are told apart before the end of a turn: 0 to 9, and more.
const COUNTS: usize = 11;
const CAPTURE: usize = BEFORE_END + COUNTS;
const CAPTURED: usize = Kind::COUNT + 1;
const NO_CAPTURE: usize = CAPTURE + Kind::COUNT * CAPTURED;
const DANGER: usize = NO_CAPTURE + 1;
const NO_DANGER: usize = DANGER + Kind::COUNT * 8;

/// Number of policy rows.
pub(super) const COUNT: usize = NO_DANGER + 1;

/// Returns the row that corresponds to this one when the board is mirrored left to right.
pub(super) fn reflect(row: usize) -> usize {
    if row < END { row ^ 15 } else { row }
}

/// Appends the rows of legal actions.
pub(super) fn rows(position: &Position, rules: &RuleSet, actions: &[Action], rows: &mut Vec<u16>) {
    let orientation = Orientation::of(position.side(), rules);
    let enemy = position.side().other();
    // Nothing moves at the start of a turn.
    let reached = if position.active().is_some() {
        position.reached_by(position.alert(enemy, rules), rules)
    } else {
        Bitboard::EMPTY
    };
    let kind_on = |square| position.kind_on(square).map_or(0, Kind::index);
    let before_end = usize::from(position.activations()).min(COUNTS - 1);
    for &action in actions {
        let of_action = match action {
            Action::Choose { leader, mode } => {
                let arrival = CHOICE + mode.index() * SQUARES + orientation.square(leader);
                [arrival, MODE + mode.index(), NO_CAPTURE, NO_DANGER]
            }
            Action::Recruit(square) => {
                let arrival = RECRUIT + orientation.square(square);
                [arrival, RECRUITED_KIND + kind_on(square), NO_CAPTURE, NO_DANGER]
            }
            Action::End => {
                let end = END + usize::from(before_end == 0);
                [end, BEFORE_END + before_end, NO_CAPTURE, NO_DANGER]
            }
            Action::Activate { from, to } => {
                let kind = kind_on(from);
                let captured = position.kind_on(to).map_or(Kind::COUNT, Kind::index);
                let danger = usize::from(reached.has(from))
                    | usize::from(reached.has(to)) << 1
                    | usize::from(captured != Kind::COUNT) << 2;
                [
                    kind * SQUARES + orientation.square(to),
                    DEPARTURE + kind * SQUARES + orientation.square(from),
                    CAPTURE + kind * CAPTURED + captured,
                    DANGER + kind * 8 + danger,
                ]
            }
        };
        rows.extend(of_action.map(|row| row as u16));
    }
}
