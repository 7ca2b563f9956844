//! Tables of the endings of a lone King with one component.

use super::Shown;
use crate::figures::data::Data;
use crate::figures::series::Key;
use fusion_chess::rules::RuleSet;
use fusion_print::table::{Cell, Fields, Kind, Table, Unit::Points};
use fusion_results::chess::lone_king::{Change, Changes, Lone, LoneKing, Start, Tally, ToMove};
use fusion_results::report::Report;

/// Sides to move. The tally of `Either` is the sum of both.
const SIDES: [ToMove; 2] = [ToMove::Attacker, ToMove::Defender];

/// A start under a rule set, with a side to move.
type Position<'a> = (String, &'a Start, ToMove, Tally);

/// Returns the table of every start under every rule set. It leaves out each rule set that is
/// another one with one toggle changed, because the table of changes has it.
pub(in crate::chess) fn positions_file(all: &LoneKing) -> Table {
    let changed: Vec<RuleSet> = every_change(all).map(|(_, change)| change.rules).collect();
    let mut items = Vec::new();
    for rules in all.rules().into_iter().filter(|rules| !changed.contains(rules)) {
        for start in all.all_starts() {
            items.extend(SIDES.into_iter().filter_map(|to_move| {
                let tally = all.tally(&rules, start, to_move)?;
                Some((rules.to_string(), start, to_move, tally))
            }));
        }
    }
    position_fields().whole_table("lone-king", "Positions against a lone King", items)
}

fn position_fields<'a>() -> Fields<'static, Position<'a>> {
    Fields::<Position>::default()
        .text("rules", "Rule set", |(rules, ..)| rules.clone())
        .text("defender", "Defender", |(_, of, ..)| of.defender.pieces(true))
        .text("defender_pieces", "Defender’s pieces", |(_, of, ..)| of.defender.pieces(of.fused))
        .text("attacker_pieces", "Attacker", |(_, of, ..)| of.attacker.pieces().to_owned())
        .text("to_move", "To move", |(_, _, to_move, _)| to_move.name())
        .count("positions", "Positions", |(.., tally)| tally.positions)
        .count("attacker_wins", "Attacker wins", |(.., tally)| tally.won)
        .count("draws", "Draws", |(.., tally)| tally.drawn)
        .count("defender_wins", "Defender wins", |(.., tally)| tally.lost)
        .count("attacker_wins_over_100_plies", "Over 100 plies", |(.., tally)| tally.over_100)
        .count("attacker_longest_win_plies", "Longest win", |(.., of)| of.longest.map(u64::from))
        .share("share_won", "Share won", |(.., tally)| tally.share())
}

/// Returns the data of the bars of one lone King.
pub(super) fn data(shown: &Shown, lone: Lone, starts: &[&Start]) -> Data {
    let items = starts.iter().flat_map(|start| {
        shown.rules.iter().filter_map(|(rules, key)| {
            let tally = shown.all.tally(rules, start, ToMove::Either)?;
            Some((key.label.clone(), *start, ToMove::Either, tally))
        })
    });
    let keys = "rules defender attacker_pieces positions attacker_wins share_won";
    let header = keys.replace("attacker_pieces", "attacker");
    let id = format!("lone-{}", lone.pieces(true));
    Data::of(&position_fields().table(&id, "", keys, items), &header)
}

fn every_change(all: &LoneKing) -> impl Iterator<Item = (RuleSet, Change)> {
    all.changes().into_iter().flat_map(|changes| {
        let Changes { base, changes, without_effect } = changes;
        changes.into_iter().chain(without_effect).map(move |change| (base, change))
    })
}

/// A start with a number that one changed toggle of a rule set changes. The tallies are for each of
/// [`SIDES`], without and with the change.
type Moved<'a> = (&'a RuleSet, &'a Change, &'a Start, [[Tally; 2]; 2]);

/// Returns the table of toggles changed one at a time, with the starts whose numbers change.
pub(in crate::chess) fn changes_file(all: &LoneKing) -> Table {
    let every: Vec<(RuleSet, Change)> = every_change(all).collect();
    let items = every.iter().flat_map(|(base, change)| {
        let covered = |start: &&Start| all.covers(base, &change.rules, start.defender);
        all.all_starts().filter(covered).filter_map(move |start| {
            let side = |to_move| {
                let [old, new] = [base, &change.rules].map(|of| all.tally(of, start, to_move));
                Some([old?, new?])
            };
            let tallies = [side(SIDES[0])?, side(SIDES[1])?];
            let moved = tallies.iter().any(|[old, new]| old != new);
            moved.then_some((base, change, start, tallies))
        })
    });
    let mut fields = Fields::<Moved>::default()
        .text("base", "Rule set", |(base, ..)| base.to_string())
        .text("toggle", "Toggle", |(_, change, ..)| change.toggle.name)
        .text("value", "Value", |(_, change, ..)| change.value.clone())
        .text("defender", "Defender", |(.., of, _)| of.defender.pieces(true))
        .text("defender_pieces", "Defender’s pieces", |(.., of, _)| of.defender.pieces(of.fused))
        .text("attacker_pieces", "Attacker", |(.., of, _)| of.attacker.pieces().to_owned());
    for (side, to_move) in SIDES.into_iter().enumerate() {
        for (with, rules) in ["base", "changed"].into_iter().enumerate() {
            let key = format!("share_won_{rules}_{}_to_move", to_move.name());
            fields = fields.share(&key, "Share won", move |(.., of)| of[side][with].share());
        }
    }
    fields.whole_table("lone-king-toggles", "Rules changed one at a time", items)
}

/// Returns the share that the attacker wins.
fn won(tally: Option<Tally>) -> Option<Cell> {
    tally.map(|tally| Cell::Part(tally.won, tally.positions))
}

/// Returns the table of attackers with an unfused King against a fused KR, with either side to
/// move.
pub(super) fn terminal(report: &Report, all: &LoneKing) -> Table {
    let mut fields = Fields::<Start>::default()
        .text("attacker", "attacker", |start| start.attacker.pieces().to_owned());
    for rules in all.compared(report.main_arms().map(|arm| arm.rules.as_str())) {
        let name = rules.to_string();
        fields = fields.cells(&name, name.as_str(), Kind::Number, move |start| {
            won(all.tally(&rules, start, ToMove::Either))
        });
    }
    let alone = all.starts(Lone::Rook, true).filter(|start| !start.attacker.king_fused());
    let title = "Positions that the attacker wins against a lone KR, fused, with best play";
    fields.whole_table("lone-king", title, alone).droppable_from(2)
}

/// An attacker under a rule set with its tally against the fused King, either side to move.
type Against<'a> = (&'a Start, &'a RuleSet, &'a Key, Tally);

/// Returns the table of every attacker under every rule set, against the fused and the split lone
/// King, with either side to move.
pub(super) fn defender(shown: &Shown, lone: Lone, starts: &[&Start]) -> Table {
    let items = starts.iter().flat_map(|start| {
        shown.rules.iter().filter_map(|(rules, key)| {
            Some((*start, rules, key, shown.all.tally(rules, start, ToMove::Either)?))
        })
    });
    let mut fields = Fields::<Against>::default()
        .text("attacker", "Attacker", |(start, ..)| start.attacker.pieces().to_owned())
        .text("rules", "Rule set", |(_, _, key, _)| key.label.clone());
    for is_fused in [true, false] {
        for to_move in ToMove::ALL {
            let pieces = lone.pieces(is_fused);
            let heading = match to_move {
                ToMove::Attacker => format!("{pieces}: attacker to move"),
                ToMove::Defender => format!("{pieces} to move"),
                ToMove::Either => format!("{pieces}: either to move"),
            };
            let key = format!("{pieces}_{}", to_move.name());
            fields = fields.cells(&key, heading.as_str(), Kind::Number, move |of| {
                let start = Start { fused: is_fused, ..of.0.clone() };
                won(shown.all.tally(of.1, &start, to_move))
            });
        }
    }
    let fused = lone.pieces(true);
    let lost = format!("{fused} wins, either to move");
    let longest = format!("Longest win against {fused}, moves");
    let late = format!("Of the wins against {fused}, over 50 moves");
    let title = format!(
        "Share of positions that the attacker wins against {fused} and {}",
        lone.pieces(false)
    );
    fields
        .cells("lost", lost.as_str(), Kind::Number, |(.., of)| Cell::Part(of.lost, of.positions))
        .count("longest", longest.as_str(), |(.., of)| {
            of.longest.map(|plies| u64::from(plies.div_ceil(2)))
        })
        .cells("late", late.as_str(), Kind::Number, |(.., of)| match of.won {
            0 => Cell::Missing,
            won => Cell::Part(of.over_100, won),
        })
        .whole_table(&format!("lone-{fused}"), &title, items)
}

/// Returns the table of the effect of each change of one toggle on the share won, with either side
/// to move.
pub(super) fn changes(all: &LoneKing, changes: &Changes, lone: Lone) -> Option<Table> {
    let base = |start: &Start| all.tally(&changes.base, start, ToMove::Either);
    let name = changes.base.to_string();
    let covered = |change: &&Change| all.covers(&changes.base, &change.rules, lone);
    let covered: Vec<&Change> = changes.changes.iter().filter(covered).collect();
    let mut fields = Fields::<Start>::default()
        .text("attacker", "Attacker", |start| start.attacker.pieces().to_owned())
        .cells("base", name.as_str(), Kind::Number, |start| won(base(start)));
    for change in &covered {
        fields = fields.cells(&change.text, change.text.as_str(), Kind::Number, move |start| {
            let (old, new) = (base(start)?, all.tally(&change.rules, start, ToMove::Either)?);
            let same = (new.won, new.positions) == (old.won, old.positions);
            let difference = new.share() - old.share();
            Some(if same { Cell::Count(0) } else { Cell::Value(difference, Points) })
        });
    }
    let fused = lone.pieces(true);
    let title = format!(
        "{name}, one rule changed: the attacker’s share against {fused}, either to move, and by how many percentage points each change moves it"
    );
    let starts = all.starts(lone, true).filter(|start| base(start).is_some());
    let table = fields.whole_table(&format!("toggles-{name}-lone-{fused}"), &title, starts);
    table.unless_empty().filter(|_| !covered.is_empty())
}
