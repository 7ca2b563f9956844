//! Training games of the alpha-beta search.

use anyhow::Context;
use fusion_game::evaluator::Wdl;
use fusion_game::{CompleteGame, Outcome};
use fusion_jobs::progress::Progress;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_network::model::MoveModel;
use fusion_search::pvs::{Limits, Pvs, PvsConfig, PvsLine};
use fusion_study::SelfplayConfig;
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_chacha::ChaCha8Rng;

use super::Mix;
use super::game::{first_position, random_opening};
use crate::play::{self, Turns};
use crate::records::{Ply, Record, RootWdl, Searched};

/// Number of best lines among which early moves are drawn.
const LINES: usize = 4;

/// Difference of values, in hundredths of the cheapest piece, at which a line is drawn e times less
/// often at temperature 1.
const SPREAD: f32 = 40.0;

/// Plays one game. Returns `None` if stopped.
///
/// A full search has the nodes of [`SelfplayConfig::simulations`], a fast one those of
/// [`SelfplayConfig::fast_simulations`]. The search has no policy, so that no ply has a policy
/// target.
pub(super) fn play_game<G: CompleteGame>(
    config: &SelfplayConfig,
    mix: &Mix<G>,
    (settings, model): (PvsConfig, &MoveModel),
    numbers: &[u64],
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<Record>> {
    let mut rng = seeds::stream("training game", numbers);
    let rules = mix.draw(&mut rng);
    let start = first_position::<G>(&rules, &mut rng);
    let (mut game, mut plies, mut turns) = random_opening(&start, config.random_plies, &mut rng);
    let temperature_ends = (plies.len() as u32).saturating_add(config.temperature_plies);
    let evaluator = model.evaluator::<G>(seeds::number("training evaluator", numbers));
    let mut search = Pvs::new(settings, evaluator);
    loop {
        if let Some(outcome) = outcome(&game, turns, config.cap) {
            let (rules, start) = (rules.to_string(), start.to_text());
            return Ok(Some(Record { rules, start, outcome, plies }));
        }
        let full = rng.random_bool(config.full_share);
        let nodes = if full { config.simulations } else { config.fast_simulations };
        let is_drawn = (plies.len() as u32) < temperature_ends;
        let lines = if is_drawn { LINES } else { 1 };
        let limits = Limits { lines, ..Limits::nodes(nodes.into()) };
        let found = search.search(&game, limits, &|| stop.requested());
        if stop.requested() {
            return Ok(None);
        }
        let found = found.with_context(|| format!("no move can be found in {}", game.to_text()))?;
        let lines = &found.lines;
        let index = if is_drawn { draw_line(lines, config.temperature, &mut rng) } else { 0 };
        let mv = lines[index].moves[0];
        let Wdl { win, draw, loss } = found.chances(lines[0].value);
        let searched = Searched { root: RootWdl::new([win, draw, loss]), target: None };
        plies.push(Ply { code: game.encode_move(mv), search: Some(searched) });
        turns.play(&mut game, mv);
        progress.count_move();
    }
}

fn outcome<G: CompleteGame>(game: &G, turns: Turns, cap: u32) -> Option<Outcome> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    play::outcome(game, &moves, turns, cap)
}

/// Draws a line, of which there is at least one. The better its value, the more likely it is.
fn draw_line<M>(lines: &[PvsLine<M>], temperature: f32, rng: &mut ChaCha8Rng) -> usize {
    let best = &lines[0];
    let weight = |line: &PvsLine<M>| {
        let behind = (best.value - line.value) as f32;
        fusion_game::math::exp(-behind / (SPREAD * temperature))
    };
    let weights = WeightedIndex::new(lines.iter().map(weight));
    weights.map_or(0, |weights| weights.sample(rng))
}
