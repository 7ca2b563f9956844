//! Endings of the games, and their plies.

use super::*;
use crate::figures::endings::endings;
use crate::figures::incidence::incidence;
use fusion_game::Ending;
use fusion_results::arms::{Arm, listed_endings};
use fusion_results::ending_curves::Curves;
use fusion_results::games::RowEnding;
use fusion_results::games::display;
use fusion_statistics::Confidence;
use fusion_statistics::incidence::Step;

/// An ending under a rule set, with its index among the endings.
type Item<'a> = (&'a Arm, (usize, RowEnding));

fn fields<'a>() -> Fields<'static, Item<'a>> {
    let games = |(arm, (place, _)): &Item| arm.endings[*place];
    Fields::<Item>::default()
        .text("rules", "Rule set", |(arm, _)| arm.rules.clone())
        .count("nodes", "Nodes", |(arm, _)| arm.nodes)
        .text("ending", "Ending", |(_, (_, ending))| ending.name())
        .count("games", "Games", games)
        .share("share", "Share", move |of| games(of) as f64 / (of.0.games + of.0.errors) as f64)
        .share("share_of_counted", "Share", move |of| games(of) as f64 / of.0.games as f64)
}

pub(super) fn file(report: &Report) -> Table {
    let listed = listed_endings(&report.arms);
    let items = report.arms.iter().flat_map(|arm| listed.iter().map(move |of| (arm, *of)));
    fields().table("endings", "Endings", "rules nodes ending games share", items)
}

fn data(report: &Report) -> Data {
    let mut listed = listed_endings(report.main_arms());
    listed.retain(|(_, ending)| *ending != RowEnding::Error);
    let arms = many::main_arms(report).into_iter();
    let items = arms.flat_map(|arm| listed.iter().map(move |of| (arm, *of)));
    let keys = "rules nodes ending games share_of_counted";
    Data::of(&fields().table("endings", "", keys, items), "rules nodes ending games share")
}

/// Returns a table with a column for each ending.
fn table(report: &Report, title: &str) -> Table {
    let mut fields = Fields::<Arm>::default()
        .text("rules", ("Rule set", "rules"), |arm| arm.rules.clone())
        .count("nodes", ("Nodes", "nodes"), |arm| arm.nodes);
    for (place, ending) in listed_endings(&report.arms) {
        let heading = (display(ending), short(ending));
        fields = fields.count(ending.name(), heading, move |arm| arm.endings[place]);
    }
    fields.whole_table("endings", title, many::arms(report))
}

/// Returns a name of an ending that is short enough for all columns to fit in a terminal.
fn short(ending: RowEnding) -> &'static str {
    match ending {
        RowEnding::Game(ending) => ending.kind().short,
        RowEnding::Error => "error",
    }
}

/// Returns the table for the terminal. It leaves out the columns of stopped and failed games if
/// there are none, because such games did not end by the rules.
pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let stopped = [RowEnding::Error, RowEnding::Game(Ending::CAP)].map(RowEnding::name);
    let table = table(report, "Endings (games)").without_zeros(&stopped);
    vec![Paragraph::Table(table.droppable_from(2))]
}

/// A point of a curve: rule set, ending and step.
type Point<'a> = (&'a str, Ending, &'a Step);

/// Returns the plies at which each ending occurred. Plies with only other endings are left out.
fn points(curves: &Curves) -> impl Iterator<Item = Point<'_>> {
    curves.by_ending.iter().flat_map(|(ending, steps)| {
        let mut last = 0.0;
        let grown = steps.iter().filter(move |step| {
            let grown = step.share > last;
            last = step.share;
            grown
        });
        grown.map(|step| (curves.rules.as_str(), *ending, step))
    })
}

fn curves<'a>(id: &str, curves: impl IntoIterator<Item = &'a Curves>) -> Table {
    Fields::<Point>::default()
        .text("rules", "Rule set", |(rules, _, _)| *rules)
        .text("ending", "Ending", |(_, ending, _)| ending.name())
        .count("ply", "Ply", |(_, _, step)| u64::from(step.time))
        .share("share", "Share", |(_, _, step)| step.share)
        .interval("share95", "95% interval", Share, |(_, _, step)| step.interval(Confidence::P95))
        .whole_table(id, "Cumulative incidence", curves.into_iter().flat_map(points))
}

pub(super) fn curves_file(report: &Report) -> Table {
    curves("curves", &report.curves)
}

pub(super) fn page(report: &Report) -> Section {
    let nodes = count(report.main_nodes);
    let caption = format!("Share of games by ending at {nodes} nodes a move, errors left out.");
    let counts = Block::Table(table(report, "Games by ending"));
    let section = Section::new("endings", "Endings", "How the games end")
        .with([Block::Figure(Figure::new("endings", endings(report), caption, data(report)))])
        .with([Block::Folded("Counts".into(), vec![counts])]);
    let arms = many::main_arms(report);
    let is_shown = |curves: &&Curves| arms.iter().any(|arm| arm.rules == curves.rules);
    let shown: Vec<&Curves> = report.curves.iter().filter(is_shown).collect();
    if shown.iter().all(|curves| curves.by_ending.is_empty()) {
        return section;
    }
    let caption = format!(
        "Share of all games that have ended in each way by a ply (cumulative incidence by Aalen and Johansen, 95% intervals ply by ply) at {nodes} nodes a move. Each panel has its own scale."
    );
    let table = curves("incidence", shown.iter().copied());
    let data = Data::of(&table, "rules ending ply share low95 high95");
    let figure = Figure::new("incidence", incidence(&shown), caption, data);
    let figure = Figure { full: true, ..figure };
    section.with([Block::Folded("When they end".into(), vec![Block::Figure(figure)])])
}
