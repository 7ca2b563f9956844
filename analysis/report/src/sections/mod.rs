//! The sections of a report. Each file makes the tables, figures and prose of one subject. The
//! page, the terminal and the CSV files are walks over these sections.

pub(crate) mod agents;
mod arms;
mod balance;
mod changes;
mod conditions;
mod deviations;
mod differences;
mod draws;
pub(crate) mod effects;
pub(crate) mod endings;
pub(crate) mod game;
mod ladder;
mod lengths;
mod method;
mod openings;
mod players;
mod published;
mod results;
mod rules;
mod settings;
mod strength;
mod usage;
mod verdict;

// Common imports of the sections, which take them with `use super::*`.
use crate::figures::data::Data;
use crate::figures::forest;
use crate::game_sections::sections_of;
use crate::many;
use crate::section::{Block, Figure, Section, list};
use crate::viewer;
use fusion_print::format::{count, yes_or_no};
use fusion_print::table::Unit::{Coefficient, Decimals, Elo, Magnitude, Points, Share};
use fusion_print::table::{Fields, Table};
use fusion_print::text::Paragraph;
use fusion_results::random;
use fusion_results::report::Report;
use minijinja::value::Serde;
use minijinja::{Value, context};

/// Small print below tables with two shares and their difference.
const BEFORE_ROUNDING: &str = "Differences are computed before rounding: the last digit may not be that of the printed shares.";

/// Returns the tables of the CSV files: the tables of every report, then the optional tables that
/// have rows.
pub(crate) fn files(report: &Report) -> Vec<Table> {
    let always = [
        results::file(report),
        endings::file(report),
        differences::file(report),
        usage::file(report),
        balance::file(report),
    ];
    let optional = [
        Some(effects::file(report)),
        Some(effects::interactions_file(report)),
        Some(changes::file(report)),
        ladder::file(report),
        published::file(report),
        Some(agents::file(report)),
        Some(players::file(report)),
        Some(players::uncertainty_file(report)),
        Some(endings::curves_file(report)),
        Some(strength::file(report)),
        Some(conditions::file(report)),
        Some(random::file(report.run.game.description(), &report.run.random)),
    ];
    let published = published::figures_files(report);
    let optional = optional.into_iter().flatten().chain(published);
    let of_game = sections_of(report.run.game).files(report);
    let optional =
        optional.chain(game::files(report)).chain(of_game).filter_map(Table::unless_empty);
    always.into_iter().chain(optional).collect()
}

/// Returns the terminal's report. The verdict comes last, where it stays in sight.
pub(crate) fn terminal(report: &Report) -> Vec<Paragraph> {
    [
        results::terminal,
        endings::terminal,
        lengths::terminal,
        usage::terminal,
        game::terminal,
        differences::terminal,
        effects::terminal,
        ladder::terminal,
        published::terminal,
        agents::terminal,
        players::terminal,
        |report: &Report| sections_of(report.run.game).terminal(report),
        conditions::terminal,
        verdict::terminal,
    ]
    .iter()
    .flat_map(|section| section(report))
    .collect()
}

/// Returns the report for programs: the tables of the CSV files, and the verdict.
pub(crate) fn data(report: &Report) -> Vec<Paragraph> {
    let tables = files(report).into_iter().map(Paragraph::Table);
    tables.chain(verdict::terminal(report)).collect()
}

/// The top of the page.
pub(crate) struct Top {
    /// The verdict.
    pub verdict: Block,
    /// The sections below the verdict.
    pub below: Vec<Section>,
    /// The sections beside these.
    pub beside: Vec<Section>,
}

/// Returns the top of the page.
pub(crate) fn first(report: &Report) -> Top {
    let verdict = verdict::page(report);
    let figures = [Some(draws::page(report)), effects::page(report)].into_iter().flatten();
    match players::page(report) {
        // Their figure is as long as the others together.
        Some(players) => Top { verdict, below: figures.collect(), beside: vec![players] },
        None => {
            let draws = vec![draws::page(report)];
            Top { verdict, below: effects::page(report).into_iter().collect(), beside: draws }
        }
    }
}

/// Returns the other sections of the page. `all_games` adds a link to the page of all games.
///
/// # Errors
/// Fails if the rules of a shown game do not allow its moves.
pub(crate) fn page(report: &Report, all_games: bool) -> anyhow::Result<Vec<Section>> {
    let own = sections_of(report.run.game).page(report);
    let games = viewer::page(report, all_games)?;
    let before = [
        players::uncertainty_page(report),
        changes::page(report),
        rules::page(report),
        Some(results::page(report)),
        differences::page(report),
        Some(endings::page(report)),
        Some(lengths::page(report)),
        Some(balance::page(report)),
        ladder::page(report),
        published::page(report),
        agents::page(report),
        openings::page(report),
        Some(usage::page(report)),
        game::page(report),
    ];
    let after = [
        Some(strength::page(report)),
        Some(conditions::page(report)),
        Some(method::page(report)),
        Some(settings::page(report)),
        deviations::page(report),
        Some(settings::recompute_page(report)),
    ];
    // Beside the verdict its table would be cut off.
    let sections = effects::together_page(report).into_iter().chain(before.into_iter().flatten());
    let sections = sections.chain(own).chain(games).chain(after.into_iter().flatten());
    Ok(joined(sections))
}

/// Adds each section without a heading to the one before it, with which it is folded.
fn joined(sections: impl Iterator<Item = Section>) -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    for section in sections {
        match all.last_mut().filter(|_| section.anchor.is_empty()) {
            Some(last) => last.blocks.extend(section.blocks),
            None => all.push(section),
        }
    }
    all
}
