use super::*;
use crate::benchmark;
use crate::evaluator::{Material, Rollout};
use crate::fusion::FusionGame;
use crate::model::Model;
use crate::rules::PRESETS;
use crate::search::SearchConfig;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[test]
fn the_schedule_halves() {
    // 4 actions, 16 simulations: 2 phases of 8: two visits each, then four each for two.
    assert_eq!(halving_schedule(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    assert_eq!(halving_schedule(1, 3), [0, 1, 2]);
    for (considered, simulations) in [(16, 16), (16, 32), (7, 5), (3, 100), (2, 1)] {
        assert_eq!(halving_schedule(considered, simulations).len(), simulations);
    }
}

/// A search that several of them share nothing with but the time at which they step.
struct Player {
    search: Search<FusionGame>,
    evaluator: Box<dyn Evaluator<FusionGame>>,
    rng: ChaCha8Rng,
}

impl Player {
    fn new(game: &FusionGame, config: SearchConfig, evaluator: u8, seed: u64) -> Self {
        let evaluator: Box<dyn Evaluator<FusionGame>> = match evaluator {
            0 => Box::new(Material { seed }),
            // Its answers depend on all questions before: none may be asked out of order.
            1 => Box::new(Rollout::new(seed)),
            _ => Model::of(benchmark::network().unwrap()).evaluator(seed),
        };
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { search: Search::new(config, game.clone()), evaluator, rng }
    }

    /// All that can be seen of a search and of what it found.
    fn state(&self, found: &GumbelResult<crate::board::Move>) -> String {
        format!("{:?} {found:?} {:?}", self.search.wdl(), self.search.children())
    }
}

/// The search as one function, without a stop: what the steps must add up to.
fn whole_search(
    player: &mut Player,
    config: &GumbelConfig,
) -> Option<GumbelResult<crate::board::Move>> {
    let Player { search, evaluator, rng } = player;
    search.expand_root(evaluator.as_mut())?;
    let halving = Halving::new(search, rng, config);
    let mut visits = vec![0; halving.noisy.len()];
    for target in halving.schedule {
        if search.proof() != Proof::Unknown {
            break;
        }
        let sigma = search.sigma_scale(config);
        let score = |i: usize| halving.noisy[i] + sigma * search.child_score(i).unwrap_or(0.0);
        let candidates = halving.considered.iter().copied().filter(|&i| visits[i] == target);
        let Some(child) = candidates.max_by(|&a, &b| score(a).total_cmp(&score(b))) else {
            continue;
        };
        search.playout(evaluator.as_mut(), Some(child));
        visits[child] += 1;
    }
    let halving = Halving { visits, schedule: Vec::new().into_iter(), ..halving };
    GumbelRun { config: *config, halving: Some(halving) }.result(search)
}

/// A move of every player, their searches stepping in turn; nothing where a game is over.
fn stepwise(
    players: &mut [Player],
    config: &GumbelConfig,
) -> Vec<Option<GumbelResult<crate::board::Move>>> {
    let mut runs: Vec<_> =
        players.iter_mut().map(|player| GumbelRun::start(&mut player.search, config)).collect();
    loop {
        let mut waiting = Vec::new();
        for (i, (player, run)) in players.iter_mut().zip(&mut runs).enumerate() {
            let request =
                run.as_mut().and_then(|run| run.next(&mut player.search, &mut player.rng));
            waiting.extend(request.map(|request| (i, request)));
        }
        if waiting.is_empty() {
            break;
        }
        for (i, request) in waiting {
            players[i].search.answer(request, players[i].evaluator.as_mut());
        }
    }
    let results = runs.iter().zip(players);
    results.map(|(run, player)| run.as_ref()?.result(&player.search)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn steps_add_up_to_the_whole_search(
        (simulations, considered) in (1u32..70, 1u32..20),
        gumbel_scale in prop_oneof![Just(0.0f32), Just(1.0)],
        evaluator in 0u8..3,
        preset in 0..PRESETS.len(),
        (first, seed) in (any::<prop::sample::Index>(), 0u64..1 << 40),
        plies in 1usize..5,
    ) {
        let config =
            GumbelConfig { simulations, considered, gumbel_scale, c_visit: 50.0, c_scale: 0.25 };
        // The smallest tree there is, so that it fills up.
        let tree = SearchConfig { max_nodes: 1024, ..SearchConfig::default() };
        let games = benchmark::middle_games(&PRESETS[preset].1);
        let players = || -> Vec<Player> {
            let chosen = (0..3).map(|i| &games[(first.index(games.len()) + i) % games.len()]);
            chosen.zip(seed..).map(|(game, seed)| Player::new(game, tree, evaluator, seed)).collect()
        };
        let (mut stepping, mut looping, mut whole) = (players(), players(), players());
        for _ in 0..plies {
            let found = stepwise(&mut stepping, &config);
            for (i, found) in found.into_iter().enumerate() {
                let Player { search, evaluator, rng } = &mut looping[i];
                let looped = search.gumbel(evaluator.as_mut(), rng, &config);
                let reference = whole_search(&mut whole[i], &config);
                let Some((found, looped)) = found.zip(looped) else {
                    prop_assert!(reference.is_none());
                    continue;
                };
                let wanted = whole[i].state(&reference.unwrap());
                prop_assert_eq!(stepping[i].state(&found), &*wanted);
                prop_assert_eq!(looping[i].state(&looped), wanted);
                for player in [&mut stepping[i], &mut looping[i], &mut whole[i]] {
                    player.search.advance(found.best);
                }
            }
        }
    }
}

#[test]
fn a_run_without_an_answer_has_no_result() {
    let rules = "orthodox".parse().unwrap();
    let config = benchmark::training_search(8);
    let mut search = Search::new(SearchConfig::default(), FusionGame::new(&rules));
    let mut run = GumbelRun::start(&mut search, &config).unwrap();
    assert!(run.result(&search).is_none());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    assert_eq!(run.next(&mut search, &mut rng), Some(Request::Value));
    assert!(run.result(&search).is_none());

    let mated = FusionGame::from_text(&rules, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    let mut search = Search::new(SearchConfig::default(), mated);
    assert!(GumbelRun::start(&mut search, &config).is_none());
}
