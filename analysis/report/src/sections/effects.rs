//! Effects of each rule change on draws.

use super::changes::single_table;
use super::*;
use crate::figures::forest::RuleChange;
use fusion_print::format::capitalised;
use fusion_results::ablations::{Ablations, Change};
use fusion_results::names::agent;
use fusion_results::part::part;
use fusion_results::report_game::ReportGame;
use fusion_results::toggles::{Effect, Interaction, Toggles};
use fusion_statistics::proportion::wilson;
use fusion_statistics::{Confidence, Interval, Proportion};

/// Adjusted p-value below which an interaction is singled out.
const CERTAIN: f64 = 0.001;
/// Maximum number of rows in the table of these interactions.
const MAX_PAIRS: usize = 3;

/// Returns the changes of single toggles if only one rule set is changed. Several have a figure and
/// tables of their own.
fn only_ablations(report: &Report) -> Option<&Ablations> {
    report.ablations.first().filter(|_| report.ablations.len() == 1)
}

/// Returns the changes in the figure, the largest effect first.
fn changes(report: &Report) -> Vec<RuleChange> {
    let mixed = |of: &Effect| {
        let label = capitalised(words(report.run.game, of.toggle));
        (label, Some(of.toggle), of.estimate.value, of.interval, of.holm_p)
    };
    let alone =
        |of: &Change| (of.text.clone(), None, of.pair.difference, of.pair.interval95, of.holm_p);
    let mut changes: Vec<RuleChange> = match (report.toggles.first(), only_ablations(report)) {
        (Some(toggles), _) => toggles.effects.iter().map(mixed).collect(),
        (None, Some(ablations)) => ablations.changes.iter().map(alone).collect(),
        (None, None) => Vec::new(),
    };
    changes.sort_by(|(_, _, a, ..), (_, _, b, ..)| b.abs().total_cmp(&a.abs()));
    changes
}

fn change_fields() -> Fields<'static, RuleChange> {
    Fields::<RuleChange>::default()
        .text("change", "Change", |(label, ..)| label.clone())
        .text("toggle", "Toggle", |(_, toggle, ..)| toggle.unwrap_or("–"))
        .text("against", "Toggle", |(_, toggle, ..)| toggle.unwrap_or_default())
        .points("effect", "Effect on draws", |(_, _, effect, ..)| *effect)
        .interval("effect95", "95% interval", Points, |(.., interval, _)| *interval)
        .p("p", "Adjusted p", |(.., p)| *p)
        .value("adjusted_p", "Adjusted p", Decimals(3), |(.., p)| *p)
}

/// Returns the words for what a toggle allows, or the toggle's name if it has no words.
fn words(game: ReportGame, toggle: &'static str) -> &'static str {
    match game.toggle_words(toggle) {
        "" => toggle,
        words => words,
    }
}

/// A toggle's effect in a measurement of all mixes.
type Item<'a> = (&'a Toggles, &'a Effect);

fn fields<'a>() -> Fields<'static, Item<'a>> {
    Fields::<Item>::default()
        .text("measurement", "Measurement", |(toggles, _)| toggles.measurement.clone())
        .count("nodes", "Nodes", |(toggles, _)| toggles.nodes)
        .count("games", "Games", |(toggles, _)| toggles.games)
        .count("openings", "Openings", |(toggles, _)| toggles.openings)
        .text("toggle", ("Toggle", "toggle"), |(_, effect)| effect.toggle)
        .text("rule", "Rule", |(of, effect)| words(of.game, effect.toggle))
        .points("effect", ("Effect on draws", "effect"), |(_, effect)| effect.estimate.value)
        .points("standard_error", "Standard error", |(_, effect)| effect.estimate.error)
        .interval("effect95", "95% interval", Points, |(_, effect)| effect.interval)
        .p("p", "p", |(_, effect)| effect.estimate.p_value())
        .p("holm_p", ("Adjusted p", "Holm p"), |(_, effect)| effect.holm_p)
        .share("share_without", ("Without", "without"), |(_, effect)| effect.share_off)
        .share("share_with", ("With", "with"), |(_, effect)| effect.share_on)
}

fn items(toggles: &Toggles) -> impl Iterator<Item = Item<'_>> {
    toggles.effects.iter().map(move |effect| (toggles, effect))
}

/// Returns the effects for people, the largest first.
fn by_size(toggles: &Toggles) -> Vec<Item<'_>> {
    let mut items: Vec<Item> = items(toggles).collect();
    let size = |(_, effect): &Item| effect.estimate.value.abs();
    items.sort_by(|a, b| size(b).total_cmp(&size(a)));
    items
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "measurement nodes games openings toggle effect standard_error effect95 \
        p holm_p share_without share_with";
    fields().table("toggles", "Effects of toggles", keys, report.toggles.iter().flat_map(items))
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let of = |toggles: &Toggles| {
        let title = format!(
            "What each toggle does to draws, percentage points, from no to yes ({} games of {} openings at {} nodes, by {})",
            count(toggles.games),
            count(toggles.openings),
            count(toggles.nodes),
            agent(&toggles.agent)
        );
        let keys = "toggle share_without share_with effect effect95 holm_p";
        let table = fields().table("toggles", &title, keys, by_size(toggles));
        Paragraph::Table(table.droppable("share_without share_with"))
    };
    report.toggles.iter().map(of).collect()
}

/// Returns the table of the effects in another measurement of mixes.
fn further(toggles: &Toggles) -> Table {
    let name = &toggles.measurement;
    let title = format!("Effects of rule changes in “{name}”, percentage points");
    let keys = "rule share_without share_with effect effect95 holm_p";
    fields().table(&format!("effects-{name}"), &title, keys, by_size(toggles))
}

/// A pair of toggles in a measurement of all mixes.
type PairItem<'a> = (&'a Toggles, &'a Interaction);

fn pair_fields<'a>() -> Fields<'static, PairItem<'a>> {
    Fields::<PairItem>::default()
        .text("measurement", "Measurement", |(toggles, _)| toggles.measurement.clone())
        .text("first", "First", |(_, pair)| pair.toggles[0])
        .text("second", "Second", |(_, pair)| pair.toggles[1])
        .text("toggles", "Toggles", |(_, pair)| pair.toggles.join(" with "))
        .text("first_rule", "First rule", |(of, pair)| words(of.game, pair.toggles[0]))
        .text("second_rule", "Second rule", |(of, pair)| words(of.game, pair.toggles[1]))
        .points("interaction", "Interaction", |(_, pair)| pair.estimate.value)
        .points("standard_error", "Standard error", |(_, pair)| pair.estimate.error)
        .interval("interaction95", "95% interval", Points, |(_, pair)| pair.interval)
        .p("p", "p", |(_, pair)| pair.estimate.p_value())
        .p("benjamini_hochberg_p", "BH p", |(_, pair)| pair.bh_p)
        .share("share_with_neither", "With neither", |(_, pair)| pair.cells[0].share())
        .share("share_with_second", "Only the second", |(_, pair)| pair.cells[1].share())
        .share("share_with_first", "Only the first", |(_, pair)| pair.cells[2].share())
        .share("share_with_both", "With both", |(_, pair)| pair.cells[3].share())
        .estimate("with_neither", "With neither", Share, |(_, pair)| drawn(pair.cells[0]))
        .estimate("with_second", "Only the second", Share, |(_, pair)| drawn(pair.cells[1]))
        .estimate("with_first", "Only the first", Share, |(_, pair)| drawn(pair.cells[2]))
        .estimate("with_both", "With both", Share, |(_, pair)| drawn(pair.cells[3]))
}

fn drawn(share: Proportion) -> (f64, Interval) {
    (share.share(), wilson(share, Confidence::P95))
}

fn pair_items(toggles: &Toggles) -> impl Iterator<Item = PairItem<'_>> {
    toggles.interactions.iter().map(move |pair| (toggles, pair))
}

pub(super) fn interactions_file(report: &Report) -> Table {
    let keys = "measurement first second interaction standard_error interaction95 \
        p benjamini_hochberg_p \
        share_with_neither share_with_second share_with_first share_with_both";
    let items = report.toggles.iter().flat_map(pair_items);
    pair_fields().table("interactions", "Interactions of toggles", keys, items)
}

fn interactions(toggles: &Toggles) -> Table {
    let title =
        "Interactions: by how many points the effect of one toggle is larger with the other";
    let keys = "toggles interaction interaction95 benjamini_hochberg_p";
    pair_fields().table("interactions", title, keys, pair_items(toggles))
}

/// Returns the table of the pairs of toggles with a clear interaction, the largest first.
fn together(toggles: &Toggles) -> Table {
    let certain = |(_, pair): &PairItem| pair.bh_p < CERTAIN;
    let mut pairs: Vec<PairItem> = pair_items(toggles).filter(certain).collect();
    pairs.sort_by(|(_, a), (_, b)| b.estimate.value.abs().total_cmp(&a.estimate.value.abs()));
    pairs.truncate(MAX_PAIRS);
    let keys = "first_rule second_rule with_neither with_second with_first with_both";
    let name = &toggles.measurement;
    let title = format!("Share of games drawn in “{name}”, with Wilson’s 95% intervals");
    pair_fields().table(&format!("together-{name}"), &title, keys, pairs)
}

/// Returns the source of the effects in the figure.
fn source(report: &Report) -> Option<String> {
    let alone = |ablations: &Ablations| {
        format!(
            "From the measurement “{}”: {} with one toggle changed, less {} unchanged, paired by opening, at {} nodes a move; p by Holm’s adjustment over the changes.",
            ablations.measurement,
            ablations.base,
            ablations.base,
            count(ablations.nodes)
        )
    };
    report.toggles.first().map(described).or_else(|| only_ablations(report).map(alone))
}

fn described(toggles: &Toggles) -> String {
    let words = |(toggle, value): &(&str, String)| match toggles.game.toggle_words(toggle) {
        "" => format!("{toggle} {value}"),
        words => format!("{toggle} ({words}) {value}"),
    };
    let notable = |(toggle, value): &&(&str, String)| {
        part(toggles.game).is_notable(toggles.game, toggle, value)
    };
    let common: Vec<String> = toggles.common.iter().filter(notable).map(words).collect();
    let model = if toggles.interactions.is_empty() {
        "only the toggles, since the games do not tell the effects of their pairs"
    } else {
        "the toggles and all their pairs"
    };
    let same = if common.is_empty() {
        String::new()
    } else {
        format!(" The same in all mixes: {}.", common.join("; "))
    };
    format!(
        "From the measurement “{}” by {}: all mixes of the {} toggles from {} openings, {} games at {} nodes a move. An effect is the average change of the chance of a draw from no to yes (logistic regression on {model}, average marginal effects, errors clustered by opening; p by Holm’s adjustment).{same}",
        toggles.measurement,
        agent(&toggles.agent),
        toggles.effects.len(),
        count(toggles.openings),
        count(toggles.games),
        count(toggles.nodes)
    )
}

/// Returns the figure of the effects, which stands beside the verdict.
pub(super) fn page(report: &Report) -> Option<Section> {
    let changes = changes(report);
    let paired = has_interactions(report);
    let averaged = if paired {
        "When a rule is allowed instead of not, averaged over all mixes of the others. "
    } else {
        ""
    };
    let caption = format!(
        "Change in draws, percentage points, with its 95% interval; left of zero, fewer draws; the largest effect first. {averaged}Grey zone: ±3 points."
    );
    let heading =
        if paired { "What allowing each rule does" } else { "What each rule change does" };
    let keys = "change against effect effect95 adjusted_p";
    let header = keys.replace("effect95", "low95 high95");
    let data = Data::of(&change_fields().table("effects", "", keys, &changes), &header);
    let figure = Figure::new("forest", forest::effects(&changes), caption, data);
    let section = Section::new("effects", "Rule changes", heading).with([Block::Figure(figure)]);
    (!changes.is_empty()).then_some(section)
}

fn has_interactions(report: &Report) -> bool {
    report.toggles.first().is_some_and(|toggles| !toggles.interactions.is_empty())
}

const TOGETHER: &str = "The pairs with the largest interactions, of those with an adjusted p below 0.001; averaged over all mixes of the other rules. An average effect hides such a pair: a rule that matters only with another one seems to matter half as much.";

pub(super) fn together_page(report: &Report) -> Option<Section> {
    let tables = report.toggles.iter().filter_map(|toggles| together(toggles).unless_empty());
    let tables: Vec<Block> = tables.map(Block::Table).collect();
    let section = Section::unlisted("together", "Rules that matter together");
    (!tables.is_empty()).then(|| section.with(tables).with([Block::Fine(TOGETHER.into())]))
}

const EXPLORATION: &str =
    "p by Benjamini and Hochberg’s adjustment over all pairs: read it as exploration.";

/// Returns the tables for the section of results.
pub(super) fn tables(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::new();
    let changes = changes(report);
    if !changes.is_empty() {
        let title = "Effects of rule changes, percentage points";
        let keys = "change toggle effect effect95 p";
        let table = change_fields().table("effects", title, keys, &changes);
        let mut effects = vec![Block::Table(table)];
        effects.extend(source(report).map(Block::Fine));
        for toggles in report.toggles.iter().skip(1) {
            effects.extend([Block::Table(further(toggles)), Block::Fine(described(toggles))]);
        }
        blocks.push(Block::Folded("Effects of the rule changes".into(), effects));
    }
    let single = |of: &Ablations| {
        let title = format!("{} with one toggle changed", of.base);
        Block::Folded(
            title,
            vec![Block::Table(single_table(of)), Block::Fine(BEFORE_ROUNDING.into())],
        )
    };
    blocks.extend(report.ablations.iter().map(single));
    if let Some(toggles) = report.toggles.first().filter(|_| has_interactions(report)) {
        let folded = vec![Block::Table(interactions(toggles)), Block::Fine(EXPLORATION.into())];
        blocks.push(Block::Folded("Interactions of the rule changes".into(), folded));
    }
    blocks
}
