//! The lone King with one component, solved exactly.

mod figure;
mod tables;
mod words;

pub(super) use tables::{changes_file, positions_file};

use crate::figures::series::{self, Key};
use crate::many;
use crate::section::{Block, Figure, Section};
use fusion_chess::rules::RuleSet;
use fusion_print::text::Paragraph;
use fusion_results::chess::lone_king::{Lone, LoneKing, Start, ToMove};
use fusion_results::report::Report;

/// The endings and the rule sets in the section.
struct Shown<'a> {
    all: &'a LoneKing,
    /// The rule sets with their names and colours.
    rules: Vec<(RuleSet, Key)>,
    /// The compared rule sets of the report, second and first, if the section has both.
    primary: Option<(RuleSet, RuleSet)>,
}

impl<'a> Shown<'a> {
    fn of(report: &'a Report) -> Option<Self> {
        let all = report.chess.lone_king.as_ref()?;
        let mut rules = all.compared(report.main_arms().map(|arm| arm.rules.as_str()));
        rules.sort_by_key(RuleSet::to_string);
        let names: Vec<String> = rules.iter().map(RuleSet::to_string).collect();
        // Same colours as in the other figures if those have all these rule sets.
        let others = series::keys(many::figure_lines(report).into_iter());
        let known = |name: &String| others.iter().any(|key| key.label == *name);
        let keys = match names.iter().all(known) {
            true => others.into_iter().filter(|key| names.contains(&key.label)).collect(),
            false => series::keys(names.iter().map(String::as_str)),
        };
        let find = |name: &str| rules.iter().copied().find(|rules| rules.to_string() == name);
        let compared = report.primary.as_ref();
        let primary = compared.and_then(|(first, second)| find(second).zip(find(first)));
        let rules: Vec<(RuleSet, Key)> = rules.into_iter().zip(keys).collect();
        (!rules.is_empty()).then_some(Self { all, rules, primary })
    }

    /// Returns the starts against a fused lone King for which at least one number exists.
    fn starts(&self, lone: Lone) -> Vec<&'a Start> {
        let known = |start: &&Start| {
            let mut rules = self.rules.iter();
            rules.any(|(rules, _)| self.all.tally(rules, start, ToMove::Either).is_some())
        };
        self.all.starts(lone, true).filter(known).collect()
    }
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let all = report.chess.lone_king.iter();
    all.map(|all| Paragraph::Table(tables::terminal(report, all))).collect()
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let shown = Shown::of(report)?;
    let defenders: Vec<(Lone, Vec<Block>)> =
        Lone::ALL.into_iter().filter_map(|lone| Some((lone, defender(&shown, lone)?))).collect();
    let mut others = defenders.into_iter();
    let (_, first) = others.next()?;
    let (names, others): (Vec<&str>, Vec<Vec<Block>>) =
        others.map(|(lone, blocks)| (lone.pieces(true), blocks)).unzip();
    let others: Vec<Block> = others.into_iter().flatten().collect();
    let summary = format!("The other royal compounds: {}", names.join(", "));
    let sentences = words::sentences(&shown).into_iter().map(Block::Paragraph);
    let section = Section::new("lone-king", "Lone King", "The lone King, solved exactly")
        .folded()
        .with(sentences)
        .with(first)
        .with((!others.is_empty()).then(|| Block::Folded(summary, others)))
        .with(changes(shown.all));
    Some(section)
}

/// Returns the figure of one lone King with its numbers, or `None` without numbers.
fn defender(shown: &Shown, lone: Lone) -> Option<Vec<Block>> {
    let starts = shown.starts(lone);
    let [fused, split] = [true, false].map(|fused| lone.pieces(fused));
    let caption = format!(
        "Share of positions that the attacker wins against {fused}, fused at the start, with either side to move. K+RB: the King and one piece fused of Rook and Bishop; K+R+B: the two apart. 0%: not one position."
    );
    let numbers = vec![Block::Table(tables::defender(shown, lone, &starts))];
    let summary = format!("Numbers, by side to move, against {fused} and {split}");
    let plot = figure::plot(shown, lone, &starts);
    let figure = Figure {
        full: true,
        below: vec![Block::Folded(summary, numbers)],
        ..Figure::new("bars", plot, caption, tables::data(shown, lone, &starts))
    };
    let title = format!("A lone {} ({fused})", lone.title());
    (!starts.is_empty()).then(|| vec![Block::Subheading("", title), Block::Figure(figure)])
}

/// Returns sentences and a table for each lone King, for each rule set with single toggles changed.
fn changes(all: &LoneKing) -> Vec<Block> {
    let mut blocks = Vec::new();
    for changes in &all.changes() {
        if blocks.is_empty() {
            blocks.push(Block::Subheading("", "Each rule changed by itself".into()));
        }
        blocks.push(Block::Paragraph(words::changes(all, changes).join(" ")));
        let table = |lone| tables::changes(all, changes, lone).map(Block::Table);
        let mut tables = Lone::ALL.into_iter().filter_map(table);
        blocks.extend(tables.next());
        let others: Vec<Block> = tables.collect();
        if !others.is_empty() {
            let summary = "The same against the other royal compounds";
            blocks.push(Block::Folded(summary.into(), others));
        }
    }
    if !blocks.is_empty() {
        let zeros = "0: not one position more or fewer; 0.0: less than a twentieth of a point.";
        blocks.push(Block::Fine(zeros.into()));
    }
    blocks
}
