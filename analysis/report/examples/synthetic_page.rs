//! Writes a report page with every part, most of it made up, for viewing and tests.
//!
//! `cargo run -p fusion-report --example synthetic_page -- RUN_DIR PAGE`
//!
//! The run is one of `synthetic_run`'s. The games on the board are legal and have random moves. The
//! same run gives the same page.

use anyhow::Context;
use fusion_chess::FusionGame;
use fusion_chess::game::{CHECKMATE, DEAD_POSITION, FIFTY_MOVE, STALEMATE, THREEFOLD};
use fusion_game::Side;
use fusion_game::Tactics;
use fusion_game::prelude::*;
use fusion_report::html::{self, render};
use fusion_results::calibration::Calibration;
use fusion_results::chess::piece_values::{Values, Worth};
use fusion_results::ending_curves::Curves;
use fusion_results::games::{GameResult, RowEnding};
use fusion_results::notable::{Reason, ShownGame};
use fusion_results::pairs::Inference;
use fusion_results::report::{Options, Report};
use fusion_results::report_game::ReportGame;
use fusion_results::robustness::AgentResult;
use fusion_results::run_folder::RunFolder;
use fusion_results::toggles::{Effect, Toggles};
use fusion_statistics::difference::newcombe;
use fusion_statistics::estimate::Estimate;
use fusion_statistics::incidence::Step;
use fusion_statistics::reliability::{Forecast, Reliability};
use fusion_statistics::{Confidence, Interval, Proportion};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, page] = &arguments[..] else {
        anyhow::bail!("usage: synthetic_page RUN_DIR PAGE");
    };
    let options = Options {
        primary: None,
        inference: Inference { resamples: 2_000, seed: 2020, ..Inference::default() },
        page_openings: None,
    };
    let mut report = Report::new(RunFolder::open(Path::new(run))?, options)?;
    report.toggles = vec![toggles()];
    report.agents = agents()?;
    report.curves = (0..RULES.len()).map(curves).collect();
    report.chess.values = (0..3).map(values).collect();
    report.calibration = vec![calibration()?];
    show_games(&mut report);
    let deviation = "The network was trained one generation less than planned <see the log>.";
    report.run.deviations = Some(deviation.into());
    std::fs::write(page, render(&report, html::Links::default())?)
        .with_context(|| format!("writing {page}"))
}

const RULES: [&str; 4] = ["fusion-1999", "fusion-2006", "fusion-2020", "orthodox"];

fn curves(rules: usize) -> Curves {
    let shares = [
        (CHECKMATE, 90.0, [0.38, 0.42, 0.55, 0.36]),
        (THREEFOLD, 150.0, [0.28, 0.27, 0.2, 0.34]),
        (FIFTY_MOVE, 230.0, [0.2, 0.16, 0.11, 0.17]),
        (DEAD_POSITION, 170.0, [0.1, 0.11, 0.1, 0.11]),
        (STALEMATE, 130.0, [0.04, 0.04, 0.04, 0.02]),
    ];
    let steps = |middle: f64, share: f64| -> Vec<Step> {
        let step = |time: u32| {
            let so_far = 1.0 / (1.0 + (-(f64::from(time) - middle) / 22.0).exp());
            Step { time, share: share * so_far, error: 0.025 * so_far.sqrt() }
        };
        (20..=400).step_by(2).map(step).collect()
    };
    let by_ending = shares.map(|(ending, middle, of)| (ending, steps(middle, of[rules])));
    Curves { rules: RULES[rules].into(), by_ending: by_ending.into() }
}

fn values(rules: usize) -> Values {
    let pieces = [
        ("R", 4.6),
        ("B", 3.3),
        ("N", 3.0),
        ("RB", 8.9),
        ("RN", 8.1),
        ("BN", 6.9),
        ("KR", 3.9),
        ("KB", 2.4),
        ("KN", 2.6),
    ];
    let synergies = [
        ("RB − R − B", 1.0),
        ("RN − R − N", 0.5),
        ("BN − B − N", 0.6),
        ("KR − R", -0.7),
        ("KB − B", -0.9),
        ("KN − N", -0.4),
    ];
    let around = |values: &[(&str, f64)], half: f64| {
        let worth = |&(name, value): &(&str, f64)| {
            let value = value + 0.15 * rules as f64;
            let interval = Interval { low: value - half, high: value + half };
            Worth { name: name.into(), value, interval }
        };
        values.iter().map(worth).collect()
    };
    Values {
        rules: RULES[rules].into(),
        games: 1_000,
        pieces: around(&pieces, 0.35),
        synergies: around(&synergies, 0.5),
    }
}

/// Returns the calibration of forecasts that are slightly overconfident.
fn calibration() -> anyhow::Result<Calibration> {
    let of = |shift: f64| {
        let forecasts = (0..2_000u32).map(|i| {
            let predicted = (f64::from(i % 100) + 0.5) / 100.0;
            let chance = 0.5 + shift + 0.85 * (predicted - 0.5);
            Forecast { predicted, happened: f64::from(i * 7919 % 1000) < 1000.0 * chance }
        });
        Reliability::of(&forecasts.collect::<Vec<_>>(), Confidence::P95)
    };
    Ok(Calibration {
        rules: Some(RULES[2].into()),
        draws: of(0.0)?,
        wins: of(0.03)?,
        corrected_draws: Some(of(0.01)?),
        corrected_wins: None,
    })
}

fn toggles() -> Toggles {
    let effects = [
        ("fuse-onto-king", -0.112, 0.011, 0.0002),
        ("sliders-cross-check", -0.071, 0.01, 0.003),
        ("leapers-cross-check", -0.018, 0.01, 0.21),
        ("attacked-split", -0.094, 0.011, 0.0004),
        ("castling", 0.012, 0.01, 0.55),
    ];
    let effect = |(toggle, value, error, holm_p)| {
        let estimate = Estimate { value, error };
        let interval = estimate.interval(Confidence::P95);
        Effect { toggle, estimate, interval, holm_p, share_off: 0.4, share_on: 0.4 + value }
    };
    Toggles {
        game: ReportGame::of_rules(RULES[0]),
        measurement: "mixes".into(),
        nodes: 64,
        games: 3_200,
        openings: 100,
        common: Vec::new(),
        effects: effects.map(effect).into(),
        interactions: Vec::new(),
        agent: "rollout".into(),
    }
}

fn agents() -> anyhow::Result<Vec<AgentResult>> {
    let agents = [
        ("uniform", Some(64), 400, [120, 208]),
        ("rollout", Some(64), 400, [84, 132]),
        ("random movers", None, 20_000, [15_600, 16_200]),
    ];
    let agent = |(agent, nodes, games, draws): (&str, Option<u64>, u64, [u64; 2])| {
        let shares = [Proportion::new(draws[0], games)?, Proportion::new(draws[1], games)?];
        anyhow::Ok(AgentResult {
            agent: agent.into(),
            nodes,
            own_openings: nodes.is_none(),
            shares,
            difference: shares[0].share() - shares[1].share(),
            interval: newcombe(shares[0], shares[1], Confidence::P95),
        })
    };
    agents.into_iter().map(agent).collect()
}

/// Shows a made-up game in the place of some of the run's games.
fn show_games(report: &mut Report) {
    let mut rows: Vec<usize> = ["fusion-1999", "fusion-2020", "orthodox"]
        .into_iter()
        .flat_map(|rules| {
            let rows = report.run.games.iter().enumerate();
            rows.filter(move |(_, row)| row.rules == rules).map(|(i, _)| i).take(4)
        })
        .collect();
    rows.sort_by_key(|&i| report.run.games[i].rules.clone());
    report.shown = rows.into_iter().map(|row| show_game(report, row)).collect();
}

fn show_game(report: &mut Report, index: usize) -> ShownGame {
    const OPENING: usize = 6;
    let row = &mut report.run.games[index];
    row.opening_plies = OPENING as u32;
    (row.result, row.ending) = (GameResult::None, RowEnding::Game(fusion_game::Ending::CAP));
    let rules = row.rules.parse().expect("a preset");
    let mut rng = ChaCha8Rng::seed_from_u64(index as u64);
    let mut game = FusionGame::new(&rules);
    let mut played = Vec::new();
    while played.len() < 240 {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        if let Some(outcome) = game.outcome(&moves) {
            row.ending = RowEnding::Game(outcome.ending);
            row.result = match outcome.result() {
                "1-0" => GameResult::White,
                "0-1" => GameResult::Black,
                _ => GameResult::Draw,
            };
            break;
        }
        // Mates and captures are preferred, so that the games look plausible.
        let chosen = game.winning_move(&moves).unwrap_or_else(|| {
            let captures: Vec<usize> =
                (0..moves.len()).filter(|&i| game.is_forcing(moves[i])).collect();
            if !captures.is_empty() && rng.random_bool(0.5) {
                captures[rng.random_range(0..captures.len())]
            } else {
                rng.random_range(0..moves.len())
            }
        });
        let searched = played.len() >= OPENING;
        let wdl = searched.then(|| evaluation(&game, rng.random_range(-0.5..0.5)));
        played.push((game.move_text(moves[chosen]), wdl));
        game.play(moves[chosen]);
    }
    ShownGame {
        row: index,
        reason: Reason { title: String::new(), why: String::new() },
        start: None,
        moves: played,
    }
}

/// Returns chances that follow the material, with some noise.
fn evaluation(game: &FusionGame, noise: f32) -> [u16; 3] {
    let white = game.side_to_move() == Side::First;
    let balance = if white { game.material() } else { -game.material() } + noise;
    let logistic = |x: f32| 1.0 / (1.0 + (-x).exp());
    let win = (1000.0 * logistic(0.35 * balance - 0.9)) as u16;
    let loss = (1000.0 * logistic(-0.35 * balance - 0.9)) as u16;
    [win, 1000 - win - loss, loss]
}
