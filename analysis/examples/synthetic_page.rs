//! Writes a report page with every part, most of it made up, to look at and to test.
//!
//! `cargo run -p fusion-analysis --example synthetic_page -- RUN_DIR PAGE`
//!
//! The run is one of `synthetic_run`'s. The games on the board are legal ones between
//! players that move at random. The same run gives the same page.

use anyhow::Context;
use fusion_analysis::html::{AgentDifference, Effect, Extras, SampledGame, render_with};
use fusion_analysis::pairs::Resampling;
use fusion_analysis::report::{Options, Report};
use fusion_analysis::run_folder::RunFolder;
use fusion_engine::fusion::FusionGame;
use fusion_engine::game::{Game, Side};
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
    Extras { games: games(), effects: effects(), agents: agents() }
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
    let parsed = FusionGame::parse_rules(rules).expect("a preset");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = FusionGame::new(&parsed);
    let mut sampled = SampledGame {
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
                (0..moves.len()).filter(|&i| game.events(moves[i]).capture).collect();
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
