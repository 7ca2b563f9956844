//! Checks of a network before play. Errors in training or export, such as a wrong sign or order
//! of outputs, leave numbers finite and files complete. Only these checks detect them.

use fusion_game::SanityPosition;
use fusion_game::evaluator::Wdl;
use fusion_game::prelude::*;

use fusion_search::{Choices, Effort, SearchConfig};
use fusion_study::{Searcher, Seeds};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Visits of the searches: enough to find the tested moves with any meaningful values.
const NODES: u32 = 400;

/// Largest accepted difference of the chances of winning and losing in the initial position. The
/// weakest networks determine it: the first generation of a small study.
const MOST_ADVANTAGE: f32 = 0.7;

/// Tests a network on the positions of [`Describe::sanity_positions`] and on the initial one, under
/// each rule set.
///
/// # Errors
/// The first check that the network fails, as a message.
pub fn check<G: CompleteGame>(player: &Searcher, rules: &[G::Rules]) -> Result<(), String> {
    for rules in rules {
        check_start::<G>(player, rules)?;
        for known in G::sanity_positions() {
            check_move::<G>(player, rules, known)?;
        }
    }
    Ok(())
}

/// Checks that the initial position is nearly level, and that its outputs are chances.
fn check_start<G: CompleteGame>(player: &Searcher, rules: &G::Rules) -> Result<(), String> {
    let start = G::new(rules);
    let Wdl { win, draw, loss } = player.chances(&start);
    let said = format!("the initial position of {rules} as won {win}, drawn {draw}, lost {loss}");
    if [win, draw, loss].iter().any(|chance| !(0.0..=1.0).contains(chance)) {
        return Err(format!("it sees {said}: no chances"));
    }
    if (win - loss).abs() > MOST_ADVANTAGE {
        return Err(format!("it sees {said}: far from level"));
    }
    Ok(())
}

/// Checks that the search plays the obvious move. A position that the rules reject is skipped.
fn check_move<G: CompleteGame>(
    player: &Searcher,
    rules: &G::Rules,
    known: &SanityPosition,
) -> Result<(), String> {
    let Ok(game) = G::from_text(rules, known.position) else { return Ok(()) };
    let numbers = ChaCha8Rng::seed_from_u64(0);
    let seeds = Seeds { evaluator: 0, choices: Choices { ties: numbers.clone(), draws: numbers } };
    let mut player = player.player(&SearchConfig::default(), &game, None, seeds);
    let thought = player.think(&game, Effort::nodes(NODES), &|| false);
    let best = thought.ok().flatten().map(|thought| thought.mv);
    let played = best.map_or_else(|| "nothing".into(), |mv| game.move_text(mv));
    if played == known.best {
        return Ok(());
    }
    Err(format!(
        "{}: it plays {played} instead of {} in {} under {rules}",
        known.what, known.best, known.position
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use fusion_chess::rules::{PRESETS, RuleSet};
    use fusion_network::model::Model;
    use fusion_network::{self, Network, VALUE_HIDDEN};

    fn presets() -> Vec<RuleSet> {
        PRESETS.map(|(_, rules)| rules).to_vec()
    }

    #[test]
    fn whoever_counts_pieces_passes() {
        let material = Model::open::<FusionGame>("material", []).unwrap();
        check::<FusionGame>(&Searcher::from(material), &presets()).unwrap();
    }

    #[test]
    fn the_shipped_networks_pass() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/nets/family.fnet");
        check::<FusionGame>(&Searcher::open::<FusionGame>(path, &presets()).unwrap(), &presets())
            .unwrap();
        let path = concat!("pvs:", env!("CARGO_MANIFEST_DIR"), "/../data/nets/family-pvs.fnet");
        check::<FusionGame>(&Searcher::open::<FusionGame>(path, &presets()).unwrap(), &presets())
            .unwrap();
    }

    /// The shipped network with its outputs for winning and losing exchanged.
    #[test]
    fn one_that_takes_wins_for_losses_is_rejected() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/nets/family.fnet");
        let mut floats =
            Network::load::<FusionGame>(&PRESETS[0].1, path.as_ref()).unwrap().to_float();
        for i in 0..VALUE_HIDDEN {
            floats.layers[2].weights.swap(i, 2 * VALUE_HIDDEN + i);
        }
        floats.layers[2].biases.swap(0, 2);
        let wrong = Model::of(Network::quantise::<FusionGame>(&PRESETS[0].1, &floats).unwrap());
        let reason = check::<FusionGame>(&Searcher::from(wrong), &presets()).unwrap_err();
        assert!(reason.contains("instead of"), "{reason}");
    }

    #[test]
    fn one_that_sees_a_forced_win_from_the_start_is_rejected() {
        let mut floats =
            fusion_network::FloatNetwork::random::<FusionGame>(&PRESETS[0].1, 64, 1).unwrap();
        floats.layers[2].biases[0] = 9.0;
        let wrong = Model::of(Network::quantise::<FusionGame>(&PRESETS[0].1, &floats).unwrap());
        let reason = check::<FusionGame>(&Searcher::from(wrong), &presets()).unwrap_err();
        assert!(reason.contains("far from level"), "{reason}");
    }
}
