//! The lone King with one component: bars of the share of positions that each attacker wins,
//! and the tables behind them.

use super::axis::{Axis, Tick, round, tick};
use super::data::{Data, number};
use super::series::{self, Key};
use super::tables::TableView;
use super::{lone_king_text as text, shown};
use crate::endgames::lone_king::{Attacker, Change, Changes, Lone, LoneKing, Start, Tally, ToMove};
use crate::format::{count, points, share};
use crate::report::Report;
use fusion_chess::rules::RuleSet;
use serde::Serialize;

/// Heights in pixels: a bar with the gap below it, the gap between attackers, above and below.
const BAR: f64 = 13.0;
const GAP: f64 = 11.0;
const TOP: f64 = 4.0;
const AXIS: f64 = 26.0;
/// Where bars begin, and where they end if everything is won, in per cent of the width: names
/// stand on the left, the shares right of the bars.
const LEFT: f64 = 20.0;
const RIGHT: f64 = 87.0;

/// The section.
#[derive(Serialize)]
pub(super) struct Section {
    sentences: Vec<String>,
    /// One for each component that the lone King can have.
    defenders: Vec<Defender>,
    /// Of each rule set with toggles changed alone: a sentence and a table for each defender.
    changes: Vec<ChangesView>,
}

/// A lone King with its figure and its table.
#[derive(Serialize)]
struct Defender {
    title: String,
    /// `KR`.
    fused: &'static str,
    /// `K+R`.
    split: &'static str,
    plot: Plot,
    table: TableView,
}

/// Bars of one lone King.
#[derive(Serialize)]
struct Plot {
    legend: Vec<Key>,
    panels: Vec<Panel>,
    data: Data,
}

#[derive(Serialize)]
struct Panel {
    id: String,
    title: &'static str,
    description: String,
    groups: Vec<Group>,
    ticks: Vec<Tick>,
    left: f64,
    height: f64,
    axis_y: f64,
}

/// The bars of an attacker.
#[derive(Serialize)]
struct Group {
    label: String,
    /// Where the name's baseline is.
    y: f64,
    bars: Vec<Bar>,
}

#[derive(Serialize)]
struct Bar {
    style: usize,
    y: f64,
    x: f64,
    width: f64,
    /// Where the value stands.
    end: f64,
    value: String,
    tooltip: String,
}

#[derive(Serialize)]
struct ChangesView {
    sentences: Vec<String>,
    tables: Vec<TableView>,
}

/// What is shown of which rule sets.
pub(super) struct Shown<'a> {
    pub all: &'a LoneKing,
    /// The rule sets with their names and colours.
    pub rules: Vec<(RuleSet, Key)>,
    /// The compared rule sets of the report, second and first, if both are shown.
    pub primary: Option<(RuleSet, RuleSet)>,
}

/// The section; `None` if the run has no endings of a lone King.
pub(super) fn section(report: &Report) -> Option<Section> {
    let shown = shown_rules(report, report.lone_king.as_ref()?)?;
    let defenders: Vec<Defender> =
        Lone::ALL.into_iter().filter_map(|lone| defender(&shown, lone)).collect();
    let changes = shown.all.changes();
    (!defenders.is_empty()).then(|| Section {
        sentences: text::sentences(&shown),
        defenders,
        changes: changes.iter().map(|changes| changes_view(shown.all, changes)).collect(),
    })
}

fn shown_rules<'a>(report: &Report, all: &'a LoneKing) -> Option<Shown<'a>> {
    let mut rules = all.compared(report.main_arms().map(|arm| arm.rules.as_str()));
    rules.sort_by_key(RuleSet::to_string);
    let names: Vec<String> = rules.iter().map(RuleSet::to_string).collect();
    // The colours that these rule sets have in the other figures.
    let others = series::keys(shown::lines(report).into_iter());
    let known = |name: &String| others.iter().any(|key| key.label == *name);
    let keys = match names.iter().all(known) {
        true => others.into_iter().filter(|key| names.contains(&key.label)).collect(),
        false => series::keys(names.iter().map(String::as_str)),
    };
    let find = |name: &str| rules.iter().copied().find(|rules| rules.to_string() == name);
    let compared = report.primary.as_ref();
    let primary = compared.and_then(|(first, second)| find(second).zip(find(first)));
    let rules: Vec<(RuleSet, Key)> = rules.into_iter().zip(keys).collect();
    (!rules.is_empty()).then_some(Shown { all, rules, primary })
}

fn defender(shown: &Shown, lone: Lone) -> Option<Defender> {
    let starts: Vec<&Start> = shown.all.starts(lone, true).collect();
    let known = |start: &&&Start| {
        let mut rules = shown.rules.iter();
        rules.any(|(rules, _)| shown.all.tally(rules, start, ToMove::Either).is_some())
    };
    let starts: Vec<&Start> = starts.iter().filter(known).copied().collect();
    (!starts.is_empty()).then(|| Defender {
        title: format!("A lone {} ({})", lone.title(), lone.pieces(true)),
        fused: lone.pieces(true),
        split: lone.pieces(false),
        plot: plot(shown, lone, &starts),
        table: table(shown, lone, &starts),
    })
}

fn plot(shown: &Shown, lone: Lone, starts: &[&Start]) -> Plot {
    let of = |king_fused: bool| -> Vec<&Start> {
        let all = starts.iter().copied();
        all.filter(|start| start.attacker.king_fused() == king_fused).collect()
    };
    let panels = [("Attacker’s King on its own", of(false)), ("Attacker’s King fused", of(true))];
    let rows = starts.iter().flat_map(|start| {
        shown.rules.iter().filter_map(|(rules, key)| {
            let tally = shown.all.tally(rules, start, ToMove::Either)?;
            let mut row = vec![key.label.clone(), lone.pieces(true).to_owned()];
            row.push(start.attacker.pieces().to_owned());
            row.extend([tally.positions, tally.won].map(|count| count.to_string()));
            row.push(number(tally.share()));
            Some(row)
        })
    });
    let header = ["rules", "defender", "attacker", "positions", "attacker_wins", "share_won"];
    Plot {
        legend: shown.rules.iter().map(|(_, key)| key.clone()).collect(),
        data: Data::new(&format!("lone-{}", lone.pieces(true)), &header, rows),
        panels: panels
            .into_iter()
            .enumerate()
            .filter(|(_, (_, starts))| !starts.is_empty())
            .map(|(i, (title, starts))| {
                panel(shown, format!("lone-{}-{i}", lone.pieces(true)), title, &starts)
            })
            .collect(),
    }
}

fn panel(shown: &Shown, id: String, title: &'static str, starts: &[&Start]) -> Panel {
    let height = BAR * shown.rules.len() as f64 + GAP;
    let axis = Axis::new(0.0, 1.0);
    let x = |share: f64| round(LEFT + (RIGHT - LEFT) / 100.0 * axis.x(share));
    let groups: Vec<Group> = (0u32..)
        .zip(starts)
        .map(|(i, start)| {
            let top = TOP + height * f64::from(i);
            Group {
                label: start.attacker.pieces().to_owned(),
                y: top + (height - GAP) / 2.0 + 4.0,
                bars: bars(shown, start, top, x),
            }
        })
        .collect();
    let tooltips: Vec<&str> =
        groups.iter().flat_map(|group| &group.bars).map(|bar| bar.tooltip.as_str()).collect();
    let axis_y = TOP + height * groups.len() as f64 - GAP / 2.0;
    let label = |share: f64| format!("{:.0}%", 100.0 * share);
    Panel {
        description: tooltips.join("; "),
        ticks: [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| tick(x(share), label(share))).into(),
        left: LEFT,
        height: axis_y + AXIS,
        axis_y,
        id,
        title,
        groups,
    }
}

fn bars(shown: &Shown, start: &Start, top: f64, x: impl Fn(f64) -> f64) -> Vec<Bar> {
    let bar = |(i, (rules, key)): (u32, &(RuleSet, Key))| {
        let tally = shown.all.tally(rules, start, ToMove::Either)?;
        let end = x(tally.share());
        Some(Bar {
            style: key.style,
            y: top + BAR * f64::from(i),
            x: LEFT,
            width: round(end - LEFT),
            end,
            value: won(&tally),
            tooltip: format!(
                "{}: {} against {} wins {} of {} positions ({})",
                key.label,
                start.attacker.pieces(),
                start.defender.pieces(start.fused),
                count(tally.won),
                count(tally.positions),
                won(&tally)
            ),
        })
    };
    (0u32..).zip(&shown.rules).filter_map(bar).collect()
}

/// The share that the attacker wins, as text.
pub(super) fn won(tally: &Tally) -> String {
    share(tally.won, tally.positions)
}

/// Every attacker under every rule set: the lone King fused and split, either side to move.
fn table(shown: &Shown, lone: Lone, starts: &[&Start]) -> TableView {
    let rows = starts.iter().flat_map(|start| {
        shown.rules.iter().filter_map(|(rules, key)| {
            let fused = shown.all.tally(rules, start, ToMove::Either)?;
            let split = Start { fused: false, ..(*start).clone() };
            let mut row = vec![start.attacker.pieces().to_owned(), key.label.clone()];
            for start in [*start, &split] {
                row.extend(ToMove::ALL.map(|to_move| {
                    let tally = shown.all.tally(rules, start, to_move);
                    tally.map_or_else(|| "–".into(), |tally| won(&tally))
                }));
            }
            row.push(share(fused.lost, fused.positions));
            row.push(fused.longest.map_or("–".into(), |plies| plies.div_ceil(2).to_string()));
            let late = share(fused.over_100, fused.won);
            row.push(if fused.won == 0 { "–".into() } else { late });
            Some(row)
        })
    });
    let [fused, split] = [true, false].map(|fused| lone.pieces(fused));
    let moves = |pieces: &str| {
        ToMove::ALL.map(|to_move| match to_move {
            ToMove::Attacker => format!("{pieces}: attacker to move"),
            ToMove::Defender => format!("{pieces} to move"),
            ToMove::Either => format!("{pieces}: either to move"),
        })
    };
    let mut header = vec!["Attacker".to_owned(), "Rule set".to_owned()];
    header.extend([moves(fused), moves(split)].concat());
    header.push(format!("{fused} wins, either to move"));
    header.push(format!("Longest win against {fused}, moves"));
    header.push(format!("Of the wins against {fused}, over 50 moves"));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let caption = format!("Share of positions that the attacker wins against {fused} and {split}");
    TableView::new(&caption, &format!("lone-{fused}"), &header, rows)
}

fn changes_view(all: &LoneKing, changes: &Changes) -> ChangesView {
    let tables = Lone::ALL.into_iter().filter_map(|lone| changes_table(all, changes, lone));
    ChangesView { sentences: text::changes(all, changes), tables: tables.collect() }
}

/// What each change of one toggle adds to the share won, either side to move.
fn changes_table(all: &LoneKing, changes: &Changes, lone: Lone) -> Option<TableView> {
    let covered = |change: &&Change| all.covers(&changes.base, &change.rules, lone);
    let covered: Vec<&Change> = changes.changes.iter().filter(covered).collect();
    let row = |start: &Start| {
        let base = all.tally(&changes.base, start, ToMove::Either)?;
        let mut row = vec![start.attacker.pieces().to_owned(), won(&base)];
        row.extend(covered.iter().map(|change| {
            match all.tally(&change.rules, start, ToMove::Either) {
                None => "–".into(),
                Some(tally) if same(&tally, &base) => "0".into(),
                Some(tally) => points(tally.share() - base.share()),
            }
        }));
        Some(row)
    };
    let rows: Vec<Vec<String>> = all.starts(lone, true).filter_map(row).collect();
    let name = changes.base.to_string();
    let mut header = vec!["Attacker", name.as_str()];
    header.extend(covered.iter().map(|change| change.text.as_str()));
    let fused = lone.pieces(true);
    let caption = format!(
        "{name}, one rule changed: the attacker’s share against {fused}, either to move, and by how many percentage points each change moves it"
    );
    let file = format!("toggles-{name}-lone-{fused}");
    (!rows.is_empty() && !covered.is_empty())
        .then(|| TableView::new(&caption, &file, &header, rows.into_iter()))
}

fn same(a: &Tally, b: &Tally) -> bool {
    (a.won, a.positions) == (b.won, b.positions)
}

/// Attackers in a sentence, as many as it has room for.
pub(super) fn listed(attackers: &[&Attacker], of: usize) -> String {
    const MOST: usize = 6;
    let names: Vec<String> = attackers.iter().map(|a| a.pieces().to_owned()).collect();
    match attackers.len() {
        0 => format!("none of the {of}"),
        n if n == of => format!("all {of}"),
        n if n <= MOST => format!("{n} of the {of} ({})", super::listed(&names)),
        n => format!("{n} of the {of}"),
    }
}
