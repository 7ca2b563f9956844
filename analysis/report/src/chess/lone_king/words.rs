//! Sentences on the endgame tables of the lone King.

use super::Shown;
use fusion_chess::rules::RuleSet;
use fusion_print::format::{listed, share};
use fusion_results::chess::lone_king::{
    Attacker, Change, Changes, Lone, LoneKing, Start, Tally, ToMove,
};

/// Returns what is counted, and the results for the KR of the complaint. Without a KR, the results
/// are for the first lone King in the tables.
pub(super) fn sentences(shown: &Shown) -> Vec<String> {
    let mut sentences = vec![counted(shown)];
    let has = |lone: &Lone| shown.all.starts(*lone, true).next().is_some();
    if let Some(lone) = Lone::ALL.into_iter().find(has) {
        sentences.push(winners(shown, lone));
        sentences.push(shares(shown, lone));
        sentences.extend(most_changed(shown, lone));
    }
    sentences
}

fn counted(shown: &Shown) -> String {
    let most = shown.all.all_starts().map(|start| start.attacker.components()).max();
    let extras = match most {
        Some(1) => "one",
        Some(2) => "one or two",
        _ => "some",
    };
    format!(
        "The complaint that began the rule changes was that it would take a ton of material to checkmate a lone Dragon King, a King fused with its Rook. Endgame tables, which hold every position with the result of best play by both sides, tell how much: one side has a King with a single Rook, Bishop or Knight, the attacker a King with {extras} of these, fused or not. Every position counts once, however likely it is, and every win, however long it takes."
    )
}

/// Returns the attackers that win more than half of the positions with the move.
fn winners(shown: &Shown, lone: Lone) -> String {
    let of = |rules: &RuleSet| {
        let known = |start: &&Start| shown.all.tally(rules, start, ToMove::Attacker).is_some();
        let starts: Vec<&Start> = shown.all.starts(lone, true).filter(known).collect();
        let most = |start: &&&Start| {
            let tally = shown.all.tally(rules, start, ToMove::Attacker);
            tally.is_some_and(|tally| tally.won > tally.positions / 2)
        };
        let winners: Vec<&Attacker> = starts.iter().filter(most).map(|s| &s.attacker).collect();
        some_of(&winners, starts.len())
    };
    let each: Vec<String> = shown
        .rules
        .iter()
        .map(|(rules, key)| format!("{} under {}", of(rules), key.label))
        .collect();
    format!(
        "How many of the attackers win more than half of the positions against a fused {} if they are to move: {}.",
        lone.pieces(true),
        each.join("; ")
    )
}

/// Returns the share of all positions, by rule set.
fn shares(shown: &Shown, lone: Lone) -> String {
    let of = |to_move: ToMove| {
        let each = shown.rules.iter().filter_map(|(rules, key)| {
            let tally = shown.all.total(rules, lone, true, to_move)?;
            Some(format!("{} under {}", won(&tally), key.label))
        });
        listed(&each.collect::<Vec<_>>())
    };
    let late = shown.rules.iter().filter_map(|(rules, key)| {
        let tally = shown.all.total(rules, lone, true, ToMove::Either)?;
        let late = share(tally.over_100, tally.won);
        (tally.over_100 > 0).then(|| format!("{late} of the wins under {}", key.label))
    });
    let late = match &late.collect::<Vec<_>>()[..] {
        [] => " No win takes more than 50 moves.".into(),
        late => format!(" More than 50 moves take {}.", listed(late)),
    };
    format!(
        "All attackers together win, of the positions against {} in which they are to move, {}; with either side to move, {}.{late}",
        lone.pieces(true),
        of(ToMove::Attacker),
        of(ToMove::Either),
    )
}

/// Returns the attacker with the largest difference between the two rule sets that the report
/// compares.
fn most_changed(shown: &Shown, lone: Lone) -> Option<String> {
    let (before, after) = shown.primary.as_ref()?;
    let (start, difference) = largest(shown.all, before, after, lone)?;
    let [old, new] = [before, after].map(|rules| shown.all.tally(rules, start, ToMove::Either));
    let (old, new) = old.zip(new)?;
    let pieces = lone.pieces(true);
    Some(if difference == 0.0 {
        format!("{after} and {before} do not differ in a single share against {pieces}.")
    } else {
        format!(
            "From {before} to {after} the share changes most for {}: it wins {} of the positions against {pieces} under {before} and {} under {after}.",
            start.attacker.pieces(),
            won(&old),
            won(&new)
        )
    })
}

/// Returns the start against a fused King whose share differs most between two rule sets.
fn largest<'a>(
    all: &'a LoneKing,
    before: &RuleSet,
    after: &RuleSet,
    lone: Lone,
) -> Option<(&'a Start, f64)> {
    let change = |start: &'a Start| {
        let [old, new] = [before, after].map(|rules| all.tally(rules, start, ToMove::Either));
        Some((start, new?.share() - old?.share()))
    };
    let larger = |a: (&'a Start, f64), b: (&'a Start, f64)| {
        if b.1.abs() > a.1.abs() { b } else { a }
    };
    all.starts(lone, true).filter_map(change).reduce(larger)
}

/// Returns sentences on the change of one toggle with the largest effect, and on the changes
/// without effect.
pub(super) fn changes(all: &LoneKing, changes: &Changes) -> Vec<String> {
    let base = &changes.base;
    let lone = Lone::ALL.into_iter().find(|lone| all.starts(*lone, true).next().is_some());
    let moved = changes.changes.iter().filter_map(|change| {
        let (start, difference) = largest(all, base, &change.rules, lone?)?;
        Some((change, start, difference))
    });
    let larger = |a: (_, _, f64), b: (_, _, f64)| if b.2.abs() > a.2.abs() { b } else { a };
    let most = moved.reduce(larger);
    let mut sentences = Vec::new();
    if let Some((change, start, difference)) = most
        && difference != 0.0
        && let [Some(old), Some(new)] =
            [base, &change.rules].map(|rules| all.tally(rules, start, ToMove::Either))
    {
        sentences.push(format!(
            "Of the rules of {base}, changed one at a time, {} moves a share against {} most: with {}, {} wins {} of the positions, without the change {}.",
            named(change),
            start.defender.pieces(true),
            change.text,
            start.attacker.pieces(),
            won(&new),
            won(&old)
        ));
    }
    let none: Vec<String> = changes.without_effect.iter().map(|c| c.text.clone()).collect();
    if !none.is_empty() {
        let verb = if none.len() == 1 { "moves" } else { "move" };
        sentences.push(format!("{} {verb} no number.", listed(&none)));
    }
    sentences
}

/// Returns a toggle with what it allows.
fn named(change: &Change) -> String {
    format!("{} ({})", change.toggle.name, change.toggle.words)
}

/// Returns the share that the attacker wins.
pub(super) fn won(tally: &Tally) -> String {
    share(tally.won, tally.positions)
}

/// Returns a list of at most `MOST` attackers for a sentence.
fn some_of(attackers: &[&Attacker], of: usize) -> String {
    const MOST: usize = 6;
    let names: Vec<String> = attackers.iter().map(|a| a.pieces().to_owned()).collect();
    match attackers.len() {
        0 => format!("none of the {of}"),
        n if n == of => format!("all {of}"),
        n if n <= MOST => format!("{n} of the {of} ({})", listed(&names)),
        n => format!("{n} of the {of}"),
    }
}
