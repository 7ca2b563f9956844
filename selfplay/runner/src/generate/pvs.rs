//! Training games of the alpha-beta search.

use anyhow::Context;
use fusion_game::{CompleteGame, Ending, Outcome, Side};
use fusion_jobs::progress::Progress;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_network::model::MoveModel;
use fusion_search::pvs::{Limits, Pvs, PvsConfig, PvsResult};
use fusion_study::{Adjudication, SelfplayConfig};
use rand::RngExt;

use super::Mix;
use super::game::{Opening, first_position, random_opening};
use crate::play::{self, Turns};
use crate::records::{Ply, Record, Root, RootValue, Searched};

/// Plays one game. Returns `None` if stopped.
///
/// A full search has the nodes of [`SelfplayConfig::simulations`], a fast one those of
/// [`SelfplayConfig::fast_simulations`]. Both find the best line only, which is played. The search
/// has no policy, so that no ply has a policy target.
pub(super) fn play_game<G: CompleteGame>(
    config: &SelfplayConfig,
    mix: &Mix<G>,
    (settings, model): (PvsConfig, &MoveModel),
    numbers: &[u64],
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<Record>> {
    let mut rng = seeds::stream("training game", numbers);
    let rules = mix.draw(&mut rng)?;
    let start = first_position::<G>(&rules, &mut rng);
    let mut judge = Judge::new(config.adjudication.as_ref(), numbers);
    // Its own stream, since openings are drawn between searches.
    let mut budgets = seeds::stream("training budgets", numbers);
    let evaluator = model.evaluator::<G>(seeds::number("training evaluator", numbers));
    let mut search = Pvs::new(settings, &rules, evaluator);
    let mut think = |game: &G| {
        let full = budgets.random_bool(config.full_share);
        let nodes = if full { config.simulations } else { config.fast_simulations };
        search.search(game, Limits::nodes(nodes.into()), &|| stop.requested())
    };
    let most = config.opening_value.map_or(i32::MAX, |value| value as i32);
    let (opening, first) = random_opening(&start, config.random_plies, &mut rng, |game| {
        let found = think(game)?;
        (found.lines[0].value.abs() <= most || stop.requested()).then_some(found)
    });
    let (Opening { mut game, mut plies, mut turns }, mut next) = (opening, first);
    loop {
        let outcome = outcome(&game, turns, config.cap).or_else(|| judge.outcome());
        if let Some(outcome) = outcome {
            let (rules, start) = (rules.to_string(), start.to_text());
            return Ok(Some(Record { rules, start, outcome, plies }));
        }
        let found = next.take().or_else(|| think(&game));
        if stop.requested() {
            return Ok(None);
        }
        let found = found.with_context(|| format!("no move can be found in {}", game.to_text()))?;
        judge.note(game.side_to_move(), found.lines[0].value);
        play_best(&mut game, &found, &mut plies, &mut turns);
        progress.count_move();
    }
}

/// Plays the first move of the best line.
fn play_best<G: CompleteGame>(
    game: &mut G,
    found: &PvsResult<G::Move>,
    plies: &mut Vec<Ply>,
    turns: &mut Turns,
) {
    let mv = found.lines[0].moves[0];
    let searched = Searched { root: Root::Value(RootValue::of(found)), target: None };
    plies.push(Ply { code: game.encode_move(mv), search: Some(searched) });
    turns.play(game, mv);
}

fn outcome<G: CompleteGame>(game: &G, turns: Turns, cap: u32) -> Option<Outcome> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    play::outcome(game, &moves, turns, cap)
}

/// Adjudication of a game by the values of its searches.
struct Judge<'a> {
    /// `None` if the game is played to its end.
    rule: Option<&'a Adjudication>,
    /// The side that the last searches valued as winning, and their number.
    ahead: Option<(Side, u32)>,
}

impl<'a> Judge<'a> {
    /// Draws whether the game of these numbers is one of those that are played to their end. Its
    /// moves do not depend on that.
    fn new(rule: Option<&'a Adjudication>, numbers: &[u64]) -> Self {
        let is_control =
            |rule: &Adjudication| seeds::stream("control game", numbers).random_bool(rule.control);
        Self { rule: rule.filter(|rule| !is_control(rule)), ahead: None }
    }

    /// Notes the value of a ply's search for the side to move.
    fn note(&mut self, side: Side, value: i32) {
        let Some(rule) = self.rule else { return };
        let winner = if value < 0 { side.other() } else { side };
        let before = self.ahead.map_or(0, |(side, plies)| if side == winner { plies } else { 0 });
        self.ahead = (value.unsigned_abs() >= rule.value).then_some((winner, before + 1));
    }

    /// Returns the outcome if the game is decided.
    fn outcome(&self) -> Option<Outcome> {
        let (winner, plies) = self.ahead?;
        let is_decided = self.rule.is_some_and(|rule| plies >= rule.plies);
        is_decided.then_some(Outcome { winner: Some(winner), ending: Ending::VALUE })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_decided_by_searches_in_a_row_for_the_same_side() {
        let rule = Adjudication { value: 500, plies: 3, control: 0.0 };
        let decided = |values: &[(Side, i32)]| {
            let mut judge = Judge { rule: Some(&rule), ahead: None };
            let decided = |&(side, value): &(Side, i32)| {
                judge.note(side, value);
                judge.outcome()
            };
            values.iter().map(decided).collect::<Vec<_>>()
        };
        let won = |winner| Some(Outcome { winner: Some(winner), ending: Ending::VALUE });
        let (a, b) = (Side::First, Side::Second);
        let row = [(a, 500), (b, -700), (a, 900), (b, -499), (a, 800), (b, -800), (b, -31_000)];
        assert_eq!(decided(&row), [None, None, won(a), None, None, None, won(a)]);
        // The advantage changes hands.
        let turned = [(a, 600), (b, -600), (a, -600), (b, 600), (a, -500)];
        assert_eq!(decided(&turned), [None, None, None, None, won(b)]);
    }
}
