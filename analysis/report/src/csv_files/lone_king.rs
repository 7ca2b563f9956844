//! Tables of the endings of a lone King with one component.

use super::number;
use crate::endgames::lone_king::{Change, Changes, LoneKing, Start, Tally, ToMove};
use fusion_chess::rules::RuleSet;

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

/// Every start under the rule sets that are not another's with one toggle changed: those are in
/// the table of changes.
pub(super) fn positions(all: &LoneKing) -> Rows {
    let changed: Vec<RuleSet> = every_change(all).map(|(_, change)| change.rules).collect();
    let mut rows = Vec::new();
    for rules in all.rules().into_iter().filter(|rules| !changed.contains(rules)) {
        let name = rules.to_string();
        for start in all.all_starts() {
            for to_move in SIDES {
                let Some(tally) = all.tally(&rules, start, to_move) else { continue };
                let mut row = vec![name.clone()];
                row.extend(pieces(start));
                row.push(to_move.name().to_owned());
                row.extend(counts(&tally));
                rows.push(row);
            }
        }
    }
    rows
}

/// Either side to move is the sum of both.
const SIDES: [ToMove; 2] = [ToMove::Attacker, ToMove::Defender];

fn every_change(all: &LoneKing) -> impl Iterator<Item = (RuleSet, Change)> {
    all.changes().into_iter().flat_map(|changes| {
        let Changes { base, changes, without_effect } = changes;
        changes.into_iter().chain(without_effect).map(move |change| (base, change))
    })
}

fn pieces(start: &Start) -> [String; 3] {
    [start.defender.pieces(true), start.defender.pieces(start.fused), start.attacker.pieces()]
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
    "share_won_base_attacker_to_move",
    "share_won_changed_attacker_to_move",
    "share_won_base_defender_to_move",
    "share_won_changed_defender_to_move",
];

/// Each toggle of a rule set changed alone: the starts of which it changes a number.
pub(super) fn changes(all: &LoneKing) -> Rows {
    let mut rows = Vec::new();
    for (base, change) in every_change(all) {
        let covered = |start: &&Start| all.covers(&base, &change.rules, start.defender);
        for start in all.all_starts().filter(covered) {
            let tallies = |rules| -> Option<Vec<Tally>> {
                SIDES.into_iter().map(|to_move| all.tally(rules, start, to_move)).collect()
            };
            let pair = tallies(&base).zip(tallies(&change.rules));
            let Some((before, after)) = pair.filter(|(before, after)| before != after) else {
                continue;
            };
            let mut row = vec![base.to_string(), change.toggle.to_owned(), change.value.clone()];
            row.extend(pieces(start));
            let sides = before.iter().zip(&after);
            row.extend(sides.flat_map(|(old, new)| [old, new].map(|tally| number(tally.share()))));
            rows.push(row);
        }
    }
    rows
}
