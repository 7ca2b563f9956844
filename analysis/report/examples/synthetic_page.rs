//! Writes a report page with every part, most of it made up, to look at and to test.
//!
//! `cargo run -p fusion-report --example synthetic_page -- RUN_DIR PAGE`
//!
//! The run is one of `synthetic_run`'s. The games on the board are legal ones between
//! players that move at random. The same run gives the same page.

use anyhow::Context;
use fusion_chess::FusionGame;
use fusion_chess::game::{CHECKMATE, DEAD_POSITION, FIFTY_MOVE, STALEMATE, THREEFOLD};
use fusion_game::prelude::*;
use fusion_game::{Ending, Side};
use fusion_report::html::{
    AgentDifference, Effect, Extras, IncidenceCurve, IncidenceStep, PieceValue, ReliabilityBin,
    SampledGame, render_with,
};
use fusion_report::pairs::Resampling;
use fusion_report::report::{Options, Report};
use fusion_report::run_folder::RunFolder;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, page] = &arguments[..] else {
        anyhow::bail!("usage: synthetic_page RUN_DIR PAGE");
    };
    let options =
        Options { primary: None, resampling: Resampling { resamples: 2_000, seed: 2020 } };
    let report = Report::new(RunFolder::open(Path::new(run))?, options)?;
    let page_text = render_with(&report, &extras())?;
    std::fs::write(page, page_text).with_context(|| format!("writing {page}"))
}

fn extras() -> Extras {
    let deviation = "The network was trained one generation less than planned <see the log>.";
    Extras {
        effects: effects(),
        agents: agents(),
        incidence: incidence(),
        piece_values: piece_values(),
        synergies: synergies(),
        reliability: reliability(),
        games: games(),
        deviations: vec![deviation.into()],
        all_games: false,
    }
}

const RULES: [&str; 4] = ["fusion-1999", "fusion-2006", "fusion-2020", "orthodox"];

fn incidence() -> Vec<IncidenceCurve> {
    let shares = [
        (CHECKMATE, 90.0, [0.38, 0.42, 0.55, 0.36]),
        (THREEFOLD, 150.0, [0.28, 0.27, 0.2, 0.34]),
        (FIFTY_MOVE, 230.0, [0.2, 0.16, 0.11, 0.17]),
        (DEAD_POSITION, 170.0, [0.1, 0.11, 0.1, 0.11]),
        (STALEMATE, 130.0, [0.04, 0.04, 0.04, 0.02]),
    ];
    let curve = |ending, middle: f64, index: usize, share: f64| IncidenceCurve {
        rules: RULES[index].into(),
        ending,
        steps: (20u32..=400)
            .step_by(2)
            .map(|ply| {
                let so_far = 1.0 / (1.0 + (-(f64::from(ply) - middle) / 22.0).exp());
                let half = 0.05 * so_far.sqrt();
                let share = share * so_far;
                IncidenceStep { ply, share, low: (share - half).max(0.0), high: share + half }
            })
            .collect(),
    };
    let of_ending = |(ending, middle, shares): (Ending, f64, [f64; 4])| {
        shares.into_iter().enumerate().map(move |(i, share)| curve(ending, middle, i, share))
    };
    shares.into_iter().flat_map(of_ending).collect()
}

fn piece_values() -> Vec<PieceValue> {
    let values = [
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
    around(&values, 0.35)
}

fn synergies() -> Vec<PieceValue> {
    let values = [("RB − R − B", 1.0), ("RN − R − N", 0.5), ("BN − B − N", 0.6)];
    let royal = [("KR − R", -0.7), ("KB − B", -0.9), ("KN − N", -0.4)];
    around(&[values, royal].concat(), 0.5)
}

fn around(values: &[(&str, f64)], half: f64) -> Vec<PieceValue> {
    let value = |&(piece, value): &(&str, f64), i: usize| PieceValue {
        rules: RULES[i].into(),
        piece: piece.into(),
        value: value + 0.15 * i as f64,
        low: value + 0.15 * i as f64 - half,
        high: value + 0.15 * i as f64 + half,
    };
    values.iter().flat_map(|piece| (0..3).map(move |i| value(piece, i))).collect()
}

fn reliability() -> Vec<ReliabilityBin> {
    let bin = |outcome: &str, i: u32| {
        let predicted = (f64::from(i) + 0.5) / 10.0;
        let observed = 0.5 + 0.85 * (predicted - 0.5);
        let positions = 40 + 12 * u64::from(i.abs_diff(5)).pow(3);
        let half = 0.9 / (positions as f64).sqrt();
        ReliabilityBin {
            outcome: outcome.into(),
            predicted,
            observed,
            low: (observed - half).max(0.0),
            high: (observed + half).min(1.0),
            positions,
        }
    };
    let outcomes = ["White wins", "Draw", "Black wins"];
    outcomes.into_iter().flat_map(|outcome| (0..10).map(move |i| bin(outcome, i))).collect()
}

fn effects() -> Vec<Effect> {
    [
        ("fuse onto the King", "instead of the King fusing", -0.112, 0.021, 0.0002),
        ("no sliding through check", "", -0.071, 0.02, 0.003),
        ("no leaping through check", "", -0.018, 0.019, 0.21),
        ("no split when attacked", "", -0.094, 0.022, 0.0004),
        ("castling", "", 0.012, 0.02, 0.55),
    ]
    .into_iter()
    .map(|(label, against, estimate, half, p)| Effect {
        label: label.into(),
        against: against.into(),
        estimate,
        low: estimate - half,
        high: estimate + half,
        p: Some(p),
    })
    .collect()
}

fn agents() -> Vec<AgentDifference> {
    [
        ("network", "64 nodes a move", 400, 0.30, 0.52),
        ("rollouts", "64 nodes a move", 400, 0.21, 0.33),
        ("random movers", "", 20_000, 0.78, 0.81),
    ]
    .into_iter()
    .map(|(agent, detail, openings, first, second)| {
        let half = 1.3 / f64::from(openings as u32).sqrt();
        AgentDifference {
            agent: agent.into(),
            detail: detail.into(),
            openings,
            first,
            second,
            difference: first - second,
            low: first - second - half,
            high: first - second + half,
        }
    })
    .collect()
}

fn games() -> Vec<SampledGame> {
    let rules = ["fusion-1999", "fusion-2020", "orthodox"];
    let seeds = (0..12).map(|seed| (rules[seed % rules.len()], seed as u64));
    let mut games: Vec<SampledGame> = seeds.map(|(rules, seed)| game(rules, seed)).collect();
    games.sort_by(|a, b| a.rules.cmp(&b.rules));
    games
}

fn game(rules: &str, seed: u64) -> SampledGame {
    const OPENING: usize = 6;
    let parsed = rules.parse().expect("a preset");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = FusionGame::new(&parsed);
    let mut sampled = SampledGame {
        title: String::new(),
        why: String::new(),
        rules: rules.into(),
        nodes: 64,
        opening: seed,
        result: "*".into(),
        ending: "cap".into(),
        opening_plies: OPENING,
        moves: Vec::new(),
    };
    while sampled.moves.len() < 240 {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        if let Some(outcome) = game.outcome(&moves) {
            sampled.result = outcome.result().into();
            sampled.ending = outcome.ending.name().into();
            break;
        }
        // Some sense, so that the games look like games: mates, then captures.
        let chosen = game.winning_move(&moves).unwrap_or_else(|| {
            let captures: Vec<usize> =
                (0..moves.len()).filter(|&i| game.is_forcing(moves[i])).collect();
            if !captures.is_empty() && rng.random_bool(0.5) {
                captures[rng.random_range(0..captures.len())]
            } else {
                rng.random_range(0..moves.len())
            }
        });
        let searched = sampled.moves.len() >= OPENING;
        let wdl = searched.then(|| evaluation(&game, rng.random_range(-0.5..0.5)));
        sampled.moves.push((game.move_text(moves[chosen]), wdl));
        game.play(moves[chosen]);
    }
    sampled
}

/// Chances that follow the material, with some noise.
fn evaluation(game: &FusionGame, noise: f32) -> [u16; 3] {
    let white = game.side_to_move() == Side::First;
    let balance = if white { game.material() } else { -game.material() } + noise;
    let logistic = |x: f32| 1.0 / (1.0 + (-x).exp());
    let win = (1000.0 * logistic(0.35 * balance - 0.9)) as u16;
    let loss = (1000.0 * logistic(-0.35 * balance - 0.9)) as u16;
    [win, 1000 - win - loss, loss]
}
