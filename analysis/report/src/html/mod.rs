//! The report as one self-contained HTML page.
//!
//! Rust computes every number and position, and the templates only lay them out. The page has no
//! external resources. Two small scripts sort tables, save data as CSV and play through games. The
//! page's text is the same without them.

pub(crate) use crate::figures::data::json_in_script;
pub(crate) use crate::figures::endings::style;

use crate::game_sections::{self, sections_of};
use crate::labels::Labels;
use crate::section::{Block, Figure, Section};
use crate::sections::{self, Top};
use crate::viewer;
use anyhow::Context;
use fusion_print::format::{count, listed, paragraphs};
use fusion_results::report::Report;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, HtmlEscape, UndefinedBehavior, Value, context};
use std::collections::BTreeSet;

const TEMPLATES: [(&str, &str); 11] = [
    ("block.html.j2", include_str!("block.html.j2")),
    ("charts.html.j2", include_str!("../figures/charts.html.j2")),
    ("conditions.html.j2", include_str!("../sections/conditions.html.j2")),
    ("list.html.j2", include_str!("../sections/list.html.j2")),
    ("method.html.j2", include_str!("../sections/method.html.j2")),
    ("pairs.html.j2", include_str!("../sections/pairs.html.j2")),
    ("recompute.html.j2", include_str!("../sections/recompute.html.j2")),
    ("report.html.j2", include_str!("report.html.j2")),
    ("settings.html.j2", include_str!("../sections/settings.html.j2")),
    ("table.html.j2", include_str!("table.html.j2")),
    ("verdict.html.j2", include_str!("../sections/verdict.html.j2")),
];

/// The most rule sets of a study on the page on which people play, and the most nodes a move there.
const PAGE_RULES: usize = 6;
const PAGE_NODES: u64 = 100_000;

/// What the page links to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Links<'a> {
    /// Address of the page on which people play, to which boards link.
    pub play_page: Option<&'a str>,
    /// Whether the page of all games lies beside this one.
    pub all_games: bool,
}

/// Returns the environment with these templates.
pub(crate) fn environment(
    templates: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> anyhow::Result<Environment<'static>> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .context("the template's syntax")?;
    environment.set_syntax(syntax);
    environment.add_filter("code", code);
    // The suffix of a template's name enables escaping.
    for (name, source) in templates {
        environment.add_template(name, source).with_context(|| format!("the template {name}"))?;
    }
    Ok(environment)
}

/// Escapes a text and marks up as code what stands in backticks. A text with an odd number of
/// backticks keeps them.
fn code(text: &str) -> Value {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return Value::from_safe_string(HtmlEscape(text).to_string());
    }
    let html = parts.iter().enumerate().map(|(i, part)| match (HtmlEscape(part), i % 2) {
        (html, 1) => format!("<code>{html}</code>"),
        (html, _) => html.to_string(),
    });
    Value::from_safe_string(html.collect())
}

/// Renders the page.
///
/// # Errors
/// Fails if the rules of a shown game do not allow its moves.
pub fn render(report: &Report, links: Links) -> anyhow::Result<String> {
    let environment = environment(
        TEMPLATES
            .into_iter()
            .chain(game_sections::all().flat_map(|game| game.templates().iter().copied()))
            .chain([viewer::TEMPLATE, viewer::SECTION]),
    )?;
    let labels = &Labels::of(report.run.study.as_deref());
    let named = |sections: Vec<Section>| -> Vec<Section> {
        sections.into_iter().map(|section| labels.section(section)).collect()
    };
    let Top { verdict, below, beside } = sections::first(report);
    let (verdict, below, beside) = (labels.block(verdict), named(below), named(beside));
    let sections = named(sections::page(report, links.all_games)?);
    let listed = beside.iter().chain(&below).chain(&sections);
    let listed = listed.filter_map(|section| Some((section.anchor, section.name?)));
    let contents: Vec<_> = std::iter::once(("verdict", "Verdict")).chain(listed).collect();
    let run = &report.run;
    let page = context! {
        title => labels.text(&title(report, labels)),
        study => run.name.as_str(),
        lead => lead(report),
        headline => report.verdict.headline.as_str(),
        superseded => run.superseded.as_deref().map(paragraphs).unwrap_or_default(),
        version => env!("CARGO_PKG_VERSION"),
        contents => Value::from(Serde(contents)),
        has_board => !report.shown.is_empty(),
        play_page => links.play_page,
        question => question(report),
        games_hash => run.games_hash.as_str(),
        styles => [style(run.game), viewer::STYLE.to_owned()],
        scripts => [include_str!("page.js").to_owned(), viewer::report_script()],
        verdict => block(&environment, verdict)?,
        below => rendered(&environment, below)?,
        beside => rendered(&environment, beside)?,
        sections => rendered(&environment, sections)?,
    };
    let template = environment.get_template("report.html.j2")?;
    template.render(page).context("rendering the report")
}

/// Returns the report's question for the address of the page: there its games can be played in a browser. `None` if
/// the page lacks one of the rule sets, which a file defines, or takes fewer of them.
fn question(report: &Report) -> Option<String> {
    let primary = report.primary_names();
    let mut rules: Vec<&str> = primary.into_iter().flat_map(|(one, two)| [one, two]).collect();
    for arm in report.main_arms() {
        if !rules.contains(&arm.rules.as_str()) {
            rules.push(&arm.rules);
        }
    }
    // The names of games of a reader's files have an @.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=,#".contains(c);
    let fits = report.main_nodes <= PAGE_NODES
        && rules.len() <= PAGE_RULES
        && rules.iter().all(|rules| rules.chars().all(is_plain));
    let named = rules.join(";").replace('#', "%23");
    let address = || format!("measure={named}&openings=100&nodes={}", report.main_nodes);
    (fits && !rules.is_empty()).then(address)
}

/// Renders the sections as values for the page's template.
fn rendered(environment: &Environment, sections: Vec<Section>) -> anyhow::Result<Vec<Value>> {
    let section = |section: Section| {
        let folded = section.folded;
        let html = blocks(environment, section.blocks)?;
        Ok(context! { anchor => section.anchor, heading => section.heading, folded, html => html })
    };
    sections.into_iter().map(section).collect()
}

/// Renders blocks as HTML.
fn blocks(environment: &Environment, blocks: Vec<Block>) -> anyhow::Result<Value> {
    let each = |of| Ok(block(environment, of)?.to_string() + "\n");
    let html = blocks.into_iter().map(each).collect::<anyhow::Result<String>>()?;
    Ok(Value::from_safe_string(html))
}

/// Renders a block as HTML.
fn block(environment: &Environment, block: Block) -> anyhow::Result<Value> {
    let mut name = "block.html.j2";
    let values = match block {
        Block::Markup(html) => return Ok(Value::from_safe_string(html.to_owned())),
        Block::Paragraph(text) => context! { kind => "paragraph", text => text },
        Block::Fine(text) => context! { kind => "fine", text => text },
        Block::Subheading(anchor, text) => {
            context! { kind => "subheading", anchor => anchor, text => text }
        }
        Block::Table(table) => context! { kind => "table", table => Value::from(Serde(table)) },
        Block::Figure(Figure { draw, plot, title, caption, full, data, below }) => {
            let inner = blocks(environment, below)?;
            let data = Value::from(Serde(data));
            context! { kind => "figure", draw, plot, title, caption, full, data, inner }
        }
        Block::Folded(text, of) => {
            context! { kind => "folded", text => text, inner => blocks(environment, of)? }
        }
        Block::Grid(of) => context! { kind => "grid", inner => blocks(environment, of)? },
        Block::Template(template, values) => {
            name = template;
            values
        }
    };
    let html = environment.get_template(name)?.render(values);
    Ok(Value::from_safe_string(html.with_context(|| format!("rendering {name}"))?))
}

/// Returns the title: the study's question, which its arms define.
fn title(report: &Report, labels: &Labels) -> String {
    if let Some(title) = &labels.title {
        return title.clone();
    }
    let main = |name: &str| name == fusion_results::run_folder::MAIN;
    let ablated = report.ablations.iter().find(|found| main(&found.measurement));
    match &report.primary {
        Some((first, second)) => {
            let own = sections_of(report.run.game).question((first, second));
            own.map_or_else(|| format!("Is {first} less drawish than {second}?"), str::to_owned)
        }
        None if report.toggles.iter().any(|found| main(&found.measurement)) => {
            "Which of these rules change how often the game is drawn?".into()
        }
        None => match ablated {
            Some(ablations) => {
                format!("What does each change of {} do to draws?", ablations.base)
            }
            None => "How often is each rule set drawn?".into(),
        },
    }
}

/// Returns a sentence on the games that were played.
fn lead(report: &Report) -> String {
    let games: u64 = report.arms.iter().map(|arm| arm.games + arm.errors).sum();
    let mut rules: Vec<&str> = report.arms.iter().map(|arm| arm.rules.as_str()).collect();
    rules.dedup();
    let budgets: Vec<String> = report.budgets().into_iter().map(count).collect();
    // Games that two measurements share count once.
    let mut all: BTreeSet<(&str, u64, u64, u64)> = BTreeSet::new();
    let extras = report.run.extras.iter().flat_map(|extra| &extra.games);
    for row in report.run.games.iter().chain(extras) {
        all.insert((row.rules.as_str(), row.nodes, row.opening, row.moves_hash));
    }
    let others = (all.len() as u64).saturating_sub(games);
    let random: u64 = report.run.random.iter().map(|row| row.games).sum();
    let also = |number: u64, what: &str| {
        if number == 0 { String::new() } else { format!(" {} {what}.", count(number)) }
    };
    format!(
        "{} games under {} rule {} at {} nodes a move, {}.{}{}",
        count(games),
        rules.len(),
        if rules.len() == 1 { "set" } else { "sets" },
        listed(&budgets),
        if report.run.adjudicated() {
            "adjudicated where endgame tables prove the result"
        } else {
            "without resignation or adjudication"
        },
        also(others, "more under other rules, by other agents or from other openings"),
        also(random, "by random movers")
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn backticks_mark_code() {
        for (text, html) in [
            ("set `a < b` and `c`", "set <code>a &lt; b</code> and <code>c</code>"),
            ("no <b> code", "no &lt;b&gt; code"),
            ("one ` & more", "one ` &amp; more"),
        ] {
            assert_eq!(super::code(text).as_str(), Some(html));
        }
    }
}
