//! Tables of the endings of a lone King with one component.

use super::number;
use crate::endgames::lone_king::{Changes, LoneKing, Start, Tally, ToMove};

type Rows = Vec<Vec<String>>;

pub(super) const POSITIONS: [&str; 12] = [
    "rules",
    "defender",
    "defender_pieces",
    "attacker_pieces",
    "to_move",
    "positions",
    "attacker_wins",
    "draws",
    "defender_wins",
    "attacker_wins_over_100_plies",
    "attacker_longest_win_plies",
    "share_won",
];

/// Every rule set, every start, each side to move and both together.
pub(super) fn positions(all: &LoneKing) -> Rows {
    let mut rows = Vec::new();
    for rules in all.rules() {
        let name = rules.to_string();
        for start in all.all_starts() {
            for to_move in ToMove::ALL {
                let Some(tally) = all.tally(&rules, start, to_move) else { continue };
                let mut row = vec![name.clone()];
                row.extend(question(start, to_move));
                row.extend(counts(&tally));
                rows.push(row);
            }
        }
    }
    rows
}

fn question(start: &Start, to_move: ToMove) -> [String; 4] {
    [
        start.defender.pieces(true),
        start.defender.pieces(start.fused),
        start.attacker.pieces(),
        to_move.name(),
    ]
    .map(str::to_owned)
}

fn counts(tally: &Tally) -> Vec<String> {
    let counts = [tally.positions, tally.won, tally.drawn, tally.lost, tally.over_100];
    let mut cells: Vec<String> = counts.map(|count| count.to_string()).into();
    cells.push(tally.longest.map_or_else(String::new, |plies| plies.to_string()));
    cells.push(number(tally.share()));
    cells
}

pub(super) const CHANGES: [&str; 10] = [
    "base",
    "toggle",
    "value",
    "defender",
    "defender_pieces",
    "attacker_pieces",
    "to_move",
    "share_won_base",
    "share_won_changed",
    "difference",
];

/// Each toggle of a rule set changed alone, those without effect among them.
pub(super) fn changes(all: &LoneKing) -> Rows {
    all.changes().iter().flat_map(|changes| rows_of(all, changes)).collect()
}

fn rows_of(all: &LoneKing, changes: &Changes) -> Rows {
    let mut rows = Vec::new();
    let base = changes.base.to_string();
    for change in changes.changes.iter().chain(&changes.without_effect) {
        for start in all.all_starts() {
            for to_move in ToMove::ALL {
                let tally = |rules| all.tally(rules, start, to_move);
                let Some((old, new)) = tally(&changes.base).zip(tally(&change.rules)) else {
                    continue;
                };
                let mut row = vec![base.clone(), change.toggle.to_owned(), change.value.clone()];
                row.extend(question(start, to_move));
                let (old, new) = (old.share(), new.share());
                row.extend([old, new, new - old].map(number));
                rows.push(row);
            }
        }
    }
    rows
}
