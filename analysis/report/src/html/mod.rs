//! The report as one self-contained HTML page.
//!
//! Rust computes every number and position; the template only lays them out. Plots are
//! SVG whose horizontal positions are percentages of the page's width, so that text keeps
//! its size on a narrow screen. No external resources. Two small scripts sort tables, save
//! data as CSV and play through games; the page reads the same without them.

mod axis;
mod bars;
mod data;
mod findings;
mod forest;
mod incidence;
mod ladder;
mod lengths;
mod lone_king;
mod lone_king_text;
mod reliability;
mod series;
mod shown;
mod supplement;
mod tables;
mod values;
mod viewer;

pub use forest::{AgentDifference, Effect};
pub use incidence::{IncidenceCurve, IncidenceStep};
pub use reliability::ReliabilityBin;
pub use values::PieceValue;
pub use viewer::{SampledGame, ViewerError};

pub(crate) use bars::display;
pub(crate) use data::json_in_script;
pub(crate) use viewer::whole_queen;

use crate::format::{agent, capitalised, count, paragraphs, percent, short_hash, signed};
use crate::many;
use crate::report::Report;
use crate::run_folder::{Player, RunFolder, Strength};
use crate::verdict::{DEFAULT_PRIMARY, Decision};
use anyhow::Context;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;
use std::collections::BTreeSet;

/// What a page can show beyond what follows from `games.csv`. What is empty is left out.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Effects of rule changes on draws, in the order in which to show them.
    pub effects: Vec<Effect>,
    /// The primary comparison by several agents.
    pub agents: Vec<AgentDifference>,
    /// Cumulative incidence of the endings at the main budget.
    pub incidence: Vec<IncidenceCurve>,
    /// Values of pieces.
    pub piece_values: Vec<PieceValue>,
    /// What compounds are worth beyond the sum of their components.
    pub synergies: Vec<PieceValue>,
    /// What the search expected against what happened.
    pub reliability: Vec<ReliabilityBin>,
    /// Games to play through on the board.
    pub games: Vec<SampledGame>,
    /// Where the run departed from its protocol, one sentence or two each.
    pub deviations: Vec<String>,
    /// Whether the page of all games is written beside this one.
    pub all_games: bool,
}

/// The parts of the page that are not templates.
#[derive(Serialize)]
struct Parts {
    page: &'static str,
    viewer: &'static str,
}

const STYLES: Parts = Parts { page: include_str!("style.css"), viewer: include_str!("viewer.css") };
const SCRIPTS: Parts = Parts {
    page: include_str!("page.js"),
    viewer: concat!(include_str!("viewer.js"), include_str!("viewer_report.js")),
};

/// Everything the template shows.
#[derive(Serialize)]
struct Page<'a> {
    title: String,
    study: &'a str,
    lead: String,
    /// Why another study replaces this one, and which; empty where none does.
    superseded: Vec<String>,
    version: &'static str,
    verdict: VerdictView<'a>,
    budget: String,
    primary_plot: Option<forest::Forest>,
    draws: forest::Forest,
    differences: Option<forest::Forest>,
    effects: Option<Shown<forest::Forest>>,
    agents: Option<Shown<forest::Forest>>,
    incidence: Option<incidence::Incidence>,
    piece_values: Option<values::Values>,
    synergies: Option<values::Values>,
    reliability: Option<reliability::Reliability>,
    deviations: &'a [String],
    /// Rule sets that figures leave out, for there are too many.
    left_out: usize,
    /// What tables and comparisons leave out, for there is too much.
    notes: Vec<String>,
    /// The table of contents: anchor and name of every section.
    contents: Vec<(&'static str, &'static str)>,
    endings: bars::Endings,
    lengths: lengths::Lengths,
    ladder: Option<ladder::Ladder>,
    lone_king: Option<lone_king::Section>,
    tables: tables::Tables,
    more: supplement::Supplement,
    checks: Vec<CheckView<'a>>,
    strength: Option<StrengthView>,
    settings: &'a [(String, String)],
    /// Whether the searches probed endgame tables, and whether games ended by them.
    tables_probed: bool,
    adjudicated: bool,
    study_file: Option<&'a str>,
    hashes: Vec<(String, &'a str)>,
    resamples: String,
    seed: u64,
    primary: Option<(&'a str, &'a str)>,
    /// Whether the verdict is on effects of rule changes.
    on_effects: bool,
    /// How far forecasts are off.
    forecasts: Option<String>,
    several_budgets: bool,
    /// The viewer's games as JSON.
    games: Option<String>,
    /// Whether each of them has a reason to be shown.
    told: bool,
    /// The page of all games, if it is written beside this one.
    all_games: Option<&'static str>,
    styles: Parts,
    scripts: Parts,
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

/// A figure with its table.
#[derive(Serialize)]
struct Shown<T> {
    plot: T,
    table: tables::TableView,
}

/// Renders the page.
///
/// # Errors
/// A mistake in the template; the tests would have met it.
pub fn render(report: &Report) -> anyhow::Result<String> {
    render_with(report, &findings::extras(report))
}

/// Renders the page that links to the page of all games.
///
/// # Errors
/// As [`render`].
pub fn render_beside_games(report: &Report) -> anyhow::Result<String> {
    render_with(report, &Extras { all_games: true, ..findings::extras(report) })
}

/// Renders the page with all that is known.
///
/// # Errors
/// A sampled game that its rules do not allow.
pub fn render_with(report: &Report, extras: &Extras) -> anyhow::Result<String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .context("the template's syntax")?;
    environment.set_syntax(syntax);
    // The suffix switches on escaping.
    for (name, source) in [
        ("charts.html.j2", include_str!("charts.html.j2")),
        ("lone_king.html.j2", include_str!("lone_king.html.j2")),
        ("viewer.html.j2", include_str!("viewer.html.j2")),
        ("report.html.j2", include_str!("report.html.j2")),
    ] {
        environment.add_template(name, source).context("the report's template")?;
    }
    let page = page(report, extras)?;
    environment
        .get_template("report.html.j2")
        .and_then(|template| template.render(minijinja::value::Serde(page)))
        .context("rendering the report")
}

fn page<'a>(report: &'a Report, extras: &'a Extras) -> anyhow::Result<Page<'a>> {
    let run = &report.run;
    let primary = report.primary.as_ref().map(|(first, second)| (first.as_str(), second.as_str()));
    let budgets = report.budgets();
    let lone_king = lone_king::section(report);
    Ok(Page {
        title: title(report),
        study: &run.name,
        lead: lead(report),
        superseded: run.superseded.as_deref().map(paragraphs).unwrap_or_default(),
        version: env!("CARGO_PKG_VERSION"),
        verdict: VerdictView {
            headline: &report.verdict.headline,
            tone: tone(report.verdict.decision),
            sentence: &report.verdict.sentence,
            remarks: &report.verdict.remarks,
        },
        budget: count(report.main_nodes),
        primary_plot: report
            .verdict
            .pair
            .as_ref()
            .map(|pair| forest::differences(&[pair], "primary")),
        draws: forest::draw_shares(report),
        differences: match report.main_pairs()[..] {
            [] | [_] => None,
            ref pairs => Some(forest::differences(pairs, "differences")),
        },
        effects: some(&extras.effects).map(|effects| Shown {
            plot: forest::effects(effects),
            table: tables::effects(effects),
        }),
        agents: some(&extras.agents).zip(primary).map(|(agents, primary)| Shown {
            plot: forest::agents(agents),
            table: tables::agents(agents, primary),
        }),
        incidence: some(&extras.incidence).map(incidence::incidence),
        piece_values: some(&extras.piece_values)
            .map(|list| values::values("piece-values", "Piece values in Pawns", list)),
        synergies: some(&extras.synergies)
            .map(|list| values::values("synergies", "Worth beyond the sum, in Pawns", list)),
        reliability: some(&extras.reliability).map(reliability::reliability),
        deviations: &extras.deviations,
        left_out: shown::left_out(report),
        notes: many::notes(report),
        contents: contents(report, extras, lone_king.is_some()),
        endings: bars::endings(report),
        lengths: lengths::lengths(report),
        ladder: (budgets.len() > 1).then(|| ladder::ladder(report)),
        lone_king,
        tables: tables::tables(report),
        more: supplement::supplement(report),
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
        tables_probed: run.setting("tables.sha256").is_some(),
        adjudicated: run.adjudicated(),
        study_file: run.study.as_deref(),
        hashes: hashes(run),
        resamples: count(report.resampling.resamples.into()),
        seed: report.resampling.seed,
        primary,
        on_effects: report.primary.is_none() && report.verdict.judged,
        forecasts: crate::calibration::in_words(&report.calibration),
        several_budgets: budgets.len() > 1,
        games: some(&extras.games).map(viewer::model).transpose()?,
        told: extras.games.iter().all(|game| !game.title.is_empty()),
        all_games: extras.all_games.then_some(crate::games_page::NAME),
        styles: STYLES,
        scripts: SCRIPTS,
    })
}

/// Everything that the report was made from, by SHA-256.
fn hashes(run: &RunFolder) -> Vec<(String, &str)> {
    let mut hashes = vec![("games.csv".to_owned(), run.games_hash.as_str())];
    hashes.extend(run.pool.iter().map(|pool| ("openings.csv".to_owned(), pool.hash.as_str())));
    let endgames = run.endgames.iter();
    hashes.extend(endgames.map(|file| ("endgames.csv".to_owned(), file.hash.as_str())));
    let mut networks: Vec<&str> = run.games.iter().map(|row| row.network.as_str()).collect();
    networks.sort_unstable();
    networks.dedup();
    hashes.extend(networks.into_iter().map(|network| ("network".to_owned(), network)));
    hashes.extend(
        run.extras
            .iter()
            .map(|extra| (format!("extra/{}/games.csv", extra.name), extra.games_hash.as_str())),
    );
    hashes
}

/// The sections that the page has.
fn contents(
    report: &Report,
    extras: &Extras,
    lone_king: bool,
) -> Vec<(&'static str, &'static str)> {
    [
        ("verdict", "Verdict", true),
        ("draws", "Draw rates", true),
        ("effects", "Rule changes", !extras.effects.is_empty()),
        ("results", "Results", true),
        ("differences", "Differences", !report.pairs.is_empty()),
        ("endings", "Endings", true),
        ("length", "Lengths", true),
        ("balance", "Balance", true),
        ("nodes", "Ladder", report.budgets().len() > 1),
        ("agents", "Agents", !extras.agents.is_empty() && report.primary.is_some()),
        ("usage", "Usage", true),
        ("pieces", "Pieces", !extras.piece_values.is_empty()),
        ("lone-king", "Lone King", lone_king),
        ("games", "Games", !extras.games.is_empty()),
        ("strength", "Strength", true),
        ("conditions", "Conditions", true),
        ("method", "Method", true),
        ("settings", "Settings", true),
    ]
    .into_iter()
    .filter_map(|(anchor, name, present)| present.then_some((anchor, name)))
    .collect()
}

/// The list unless it is empty.
fn some<T>(list: &[T]) -> Option<&[T]> {
    (!list.is_empty()).then_some(list)
}

/// The question that the study asks by its own arms.
fn title(report: &Report) -> String {
    let main = |name: &str| name == crate::report::MAIN;
    let ablated = report.ablations.iter().find(|found| main(&found.measurement));
    match &report.primary {
        Some((first, second)) if (first.as_str(), second.as_str()) == DEFAULT_PRIMARY => {
            "Do the 2020 rules make Fusion Chess less drawish?".into()
        }
        Some((first, second)) => format!("Is {first} less drawish than {second}?"),
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

/// What was played, in a sentence.
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
    let limits = format!("{} to {}", elo(strength.elo_low), elo(strength.elo_high));
    let difference = match strength.score {
        Some(score) if score >= 1.0 => {
            format!("at least {}: everything was won", elo(strength.elo_low))
        }
        Some(score) if score <= 0.0 => {
            format!("at most {}: everything was lost", elo(strength.elo_high))
        }
        _ => format!("{} (95% interval {limits})", elo(strength.elo)),
    };
    let [wins, draws, losses, capped] =
        [strength.wins, strength.draws, strength.losses, strength.capped].map(count);
    let counts = match strength.capped {
        0 => format!("{wins}, {draws}, {losses}"),
        _ => format!("{wins}, {draws}, {losses}; {capped} capped, half a point for each player"),
    };
    StrengthView {
        sentence,
        rows: vec![
            ("Wins, draws, losses", counts),
            ("Elo difference", difference),
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
