//! The report as one self-contained HTML page.
//!
//! Rust computes every number and position; the template only lays them out. Plots are
//! SVG whose horizontal positions are percentages of the page's width, so that text keeps
//! its size on a narrow screen. No scripts, no external resources.

mod axis;
mod bars;
mod ladder;
mod lengths;
mod tables;

use crate::format::{agent, capitalised, count, percent, short_hash, signed};
use crate::report::Report;
use crate::run_folder::{Player, Strength};
use crate::verdict::{DEFAULT_PRIMARY, Decision};
use anyhow::Context;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

/// Everything the template shows.
#[derive(Serialize)]
struct Page<'a> {
    title: String,
    study: &'a str,
    lead: String,
    version: &'static str,
    verdict: VerdictView<'a>,
    budget: String,
    primary_plot: Option<bars::Forest>,
    draws: bars::Forest,
    differences: Option<bars::Forest>,
    endings: bars::Endings,
    lengths: lengths::Lengths,
    ladder: Option<ladder::Ladder>,
    tables: tables::Tables,
    checks: Vec<CheckView<'a>>,
    strength: Option<StrengthView>,
    settings: &'a [(String, String)],
    study_file: Option<&'a str>,
    hashes: Vec<(&'static str, &'a str)>,
    resamples: String,
    seed: u64,
    primary: (&'a str, &'a str),
    several_budgets: bool,
}

#[derive(Serialize)]
struct VerdictView<'a> {
    headline: &'a str,
    tone: &'static str,
    sentence: &'a str,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct CheckView<'a> {
    status: &'static str,
    title: &'a str,
    detail: &'a str,
}

#[derive(Serialize)]
struct StrengthView {
    sentence: String,
    rows: Vec<(&'static str, String)>,
}

/// Renders the page.
///
/// # Errors
/// A mistake in the template; the tests would have met it.
pub fn render(report: &Report) -> anyhow::Result<String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .context("the template's syntax")?;
    environment.set_syntax(syntax);
    environment
        .add_template("charts.html.j2", include_str!("charts.html.j2"))
        .context("the report's template")?;
    environment
        .add_template("style.css", include_str!("style.css"))
        .context("the report's style")?;
    // The suffix switches on escaping.
    environment
        .add_template("report.html.j2", include_str!("report.html.j2"))
        .context("the report's template")?;
    environment
        .get_template("report.html.j2")
        .and_then(|template| template.render(minijinja::value::Serde(page(report))))
        .context("rendering the report")
}

fn page(report: &Report) -> Page<'_> {
    let run = &report.run;
    let mut hashes = vec![("games.csv", run.games_hash.as_str())];
    hashes.extend(run.pool.iter().map(|pool| ("openings.csv", pool.hash.as_str())));
    let mut networks: Vec<&str> = run.games.iter().map(|row| row.network.as_str()).collect();
    networks.sort_unstable();
    networks.dedup();
    hashes.extend(networks.into_iter().map(|network| ("network", network)));
    let primary = (report.primary.0.as_str(), report.primary.1.as_str());
    let budgets = report.budgets();
    Page {
        title: title(primary),
        study: &run.name,
        lead: lead(report),
        version: env!("CARGO_PKG_VERSION"),
        verdict: VerdictView {
            headline: report.verdict.headline,
            tone: tone(report.verdict.decision),
            sentence: &report.verdict.sentence,
            remarks: &report.verdict.remarks,
        },
        budget: count(report.main_budget()),
        primary_plot: report
            .verdict
            .pair
            .as_ref()
            .map(|pair| bars::differences(&[pair], "primary")),
        draws: bars::draw_shares(report),
        differences: match report.main_pairs()[..] {
            [] | [_] => None,
            ref pairs => Some(bars::differences(pairs, "differences")),
        },
        endings: bars::endings(report),
        lengths: lengths::lengths(report),
        ladder: (budgets.len() > 1).then(|| ladder::ladder(report)),
        tables: tables::tables(report),
        checks: report
            .checks
            .iter()
            .map(|check| CheckView {
                status: check.status.name(),
                title: check.title,
                detail: &check.detail,
            })
            .collect(),
        strength: run.strength.as_ref().map(strength),
        settings: run.settings.as_deref().unwrap_or_default(),
        study_file: run.study.as_deref(),
        hashes,
        resamples: count(report.resampling.resamples.into()),
        seed: report.resampling.seed,
        primary,
        several_budgets: budgets.len() > 1,
    }
}

fn title(primary: (&str, &str)) -> String {
    if primary == DEFAULT_PRIMARY {
        "Do the 2020 rules make Fusion Chess less drawish?".into()
    } else {
        format!("Is {} less drawish than {}?", primary.0, primary.1)
    }
}

/// What was played, in a sentence.
fn lead(report: &Report) -> String {
    let games: u64 = report.arms.iter().map(|arm| arm.games + arm.errors).sum();
    let mut rules: Vec<&str> = report.arms.iter().map(|arm| arm.rules.as_str()).collect();
    rules.dedup();
    let budgets: Vec<String> = report.budgets().into_iter().map(count).collect();
    format!(
        "{} games under {} rule {} at {} nodes a move, without resignation or adjudication.",
        count(games),
        rules.len(),
        if rules.len() == 1 { "set" } else { "sets" },
        listed(&budgets)
    )
}

/// `16, 64 and 256`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn tone(decision: Option<Decision>) -> &'static str {
    match decision {
        Some(Decision::LessDrawish) => "less",
        Some(Decision::MoreDrawish) => "more",
        Some(Decision::NoMaterialChange) => "same",
        Some(Decision::Inconclusive) => "open",
        None => "none",
    }
}

fn strength(strength: &Strength) -> StrengthView {
    let elo = |value: Option<f64>| value.map_or_else(|| "unbounded".into(), |v| signed(v, 0));
    let player = |player: &Player| {
        let nodes = player.nodes.map(|nodes| format!(" at {} nodes", count(nodes)));
        agent(&player.network) + &nodes.unwrap_or_default()
    };
    let sentence = format!(
        "{} scored {} against {} over {} games.",
        capitalised(&player(&strength.first)),
        strength.score.map_or_else(|| "–".into(), percent),
        player(&strength.second),
        count(strength.games),
    );
    StrengthView {
        sentence,
        rows: vec![
            (
                "Wins, draws, losses",
                format!(
                    "{}, {}, {}",
                    count(strength.wins),
                    count(strength.draws),
                    count(strength.losses)
                ),
            ),
            ("Elo difference", elo(strength.elo)),
            ("95% interval", format!("{} to {}", elo(strength.elo_low), elo(strength.elo_high))),
            (
                "Likelihood of superiority",
                strength.los.map_or_else(|| "–".into(), |los| format!("{:.2}%", 100.0 * los)),
            ),
            ("Rule sets", strength.rules.join("; ")),
            (
                "Networks",
                format!(
                    "{} against {}",
                    short_hash(&strength.first.network),
                    short_hash(&strength.second.network)
                ),
            ),
        ],
    }
}
