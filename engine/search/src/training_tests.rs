use super::*;
use crate::{Child, SearchConfig};
use fusion_chess::FusionGame;
use fusion_chess::board::Move;
use fusion_chess::rules::PRESETS;
use fusion_game::evaluator::{Evaluator, Material, Rollout, Wdl};
use fusion_game::prelude::*;
use fusion_network::model::Model;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn search(fen: &str) -> Search<FusionGame> {
    let game = FusionGame::from_text(&"fusion-2020".parse().unwrap(), fen).unwrap();
    Search::new(SearchConfig::default(), game)
}

fn run(
    search: &mut Search<FusionGame>,
    simulations: u32,
    noise: f32,
    seed: u64,
) -> TrainingResult<Move> {
    let evaluator: &mut dyn Evaluator<FusionGame> = &mut Material { seed: 1 };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    search.training(evaluator, &mut rng, &TrainingConfig { simulations, noise }).unwrap()
}

fn visits(search: &Search<FusionGame>) -> u32 {
    search.children().iter().map(|child| child.visits).sum()
}

const START: &str = fusion_chess::board::fen::START;

/// A search with its own game, evaluator and generator. Several players share only the order of
/// steps.
struct Player {
    search: Search<FusionGame>,
    evaluator: Box<dyn Evaluator<FusionGame>>,
    rng: ChaCha8Rng,
}

impl Player {
    fn new(game: &FusionGame, config: SearchConfig, evaluator: u8, seed: u64) -> Self {
        let evaluator: Box<dyn Evaluator<FusionGame>> = match evaluator {
            0 => Box::new(Material { seed }),
            // Rollouts depend on all earlier evaluations, so this evaluator detects a wrong order.
            1 => Box::new(Rollout::new(seed)),
            _ => Model::of(fusion_network::benchmark_network::<FusionGame>(game.rules()).unwrap())
                .evaluator(seed),
        };
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { search: Search::new(config, game.clone()), evaluator, rng }
    }

    /// Returns all observable state of a search and of its result.
    fn state(&self, found: &TrainingResult<Move>) -> String {
        format!("{:?} {found:?} {:?}", self.search.wdl(), self.search.children())
    }
}

/// The search as one function without interruption, the reference for the steps.
fn whole_search(player: &mut Player, config: &TrainingConfig) -> Option<TrainingResult<Move>> {
    let Player { search, evaluator, rng } = player;
    if search.is_over() {
        return None;
    }
    if config.noise > 0.0 {
        search.forget();
    }
    search.expand_root(evaluator.as_mut())?;
    let clean = (config.noise > 0.0).then(|| search.mix_noise(config.noise, rng));
    for _ in 0..config.simulations {
        if search.proof() != Proof::Unknown {
            break;
        }
        search.playout(evaluator.as_mut(), None);
    }
    clean.iter().for_each(|clean| search.set_root_policy(clean));
    TrainingSearch { left: 0, noise: 0.0, clean: None, descending: false }.result(search)
}

/// Plays a move for every player, with their searches stepping in turn. `None` if a game is over.
fn stepwise(players: &mut [Player], config: &TrainingConfig) -> Vec<Option<TrainingResult<Move>>> {
    let mut runs: Vec<_> = players
        .iter_mut()
        .map(|player| TrainingSearch::start(&mut player.search, config))
        .collect();
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
        simulations in 1u32..70,
        noise in prop_oneof![Just(0.0f32), Just(0.25)],
        evaluator in 0u8..3,
        preset in 0..PRESETS.len(),
        (first, seed) in (any::<prop::sample::Index>(), 0u64..1 << 40),
        plies in 1usize..5,
    ) {
        let config = TrainingConfig { simulations, noise };
        // The smallest tree, so that it fills up.
        let tree = SearchConfig { max_nodes: 1024, ..SearchConfig::default() };
        let games = FusionGame::middle_games(&PRESETS[preset].1);
        let players = || -> Vec<Player> {
            let chosen = (0..3).map(|i| &games[(first.index(games.len()) + i) % games.len()]);
            chosen.zip(seed..).map(|(game, seed)| Player::new(game, tree, evaluator, seed)).collect()
        };
        let (mut stepping, mut looping, mut whole) = (players(), players(), players());
        for _ in 0..plies {
            let found = stepwise(&mut stepping, &config);
            for (i, found) in found.into_iter().enumerate() {
                let Player { search, evaluator, rng } = &mut looping[i];
                let looped = search.training(evaluator.as_mut(), rng, &config);
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
    let config = TrainingConfig::full(8);
    let mut search = Search::new(SearchConfig::default(), FusionGame::new(&rules));
    let mut run = TrainingSearch::start(&mut search, &config).unwrap();
    assert!(run.result(&search).is_none());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    assert_eq!(run.next(&mut search, &mut rng), Some(Request::Value));
    assert!(run.result(&search).is_none());

    let mated = FusionGame::from_text(&rules, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    let mut search = Search::new(SearchConfig::default(), mated);
    assert!(TrainingSearch::start(&mut search, &config).is_none());
}

#[test]
fn the_policy_is_the_shares_of_so_many_fresh_playouts() {
    let mut search = search(START);
    for _ in 0..2 {
        let found = run(&mut search, 64, 0.25, 3);
        // With noise the search keeps nothing from earlier searches.
        assert_eq!(visits(&search), 64);
        for ((mv, share), child) in found.policy.iter().zip(search.children()) {
            assert_eq!((*mv, *share), (child.mv, child.visits as f32 / 64.0));
        }
        let most = search.children().iter().map(|child| child.visits).max();
        let best = search.children().into_iter().find(|child| child.mv == found.best);
        assert_eq!(best.map(|child| child.visits), most);
    }
    let kept = run(&mut search, 16, 0.0, 3);
    assert_eq!(visits(&search), 80);
    assert!((kept.policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn noise_moves_the_visits_and_leaves_the_policy_as_it_was() {
    let policy = |search: &Search<FusionGame>| {
        let mut policy: Vec<_> = search
            .children()
            .iter()
            .map(|Child { mv, prior, .. }| (mv.to_string(), *prior))
            .collect();
        policy.sort_by(|a, b| a.0.cmp(&b.0));
        policy
    };
    let (mut plain, mut first, mut second) = (search(START), search(START), search(START));
    let found =
        [run(&mut plain, 64, 0.0, 1), run(&mut first, 64, 0.25, 1), run(&mut second, 64, 0.25, 2)];
    let texts = found.map(|found| format!("{:?}", found.policy));
    assert!(texts[0] != texts[1] && texts[1] != texts[2]);
    assert_eq!(policy(&plain), policy(&first));
    assert_eq!(policy(&plain), policy(&second));
}

#[test]
fn proofs_outweigh_visits() {
    let mut mate = search("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    let found = run(&mut mate, 64, 0.25, 1);
    assert_eq!((found.best.to_string().as_str(), found.wdl), ("a1a8", Wdl::WIN));
    let share = found.policy.iter().find(|(mv, _)| *mv == found.best).unwrap().1;
    assert_eq!(share, 1.0);

    // Black must guard the back rank against the Rook. Moves that leave it have no share once
    // proven.
    let mut threat = search("6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1");
    let found = run(&mut threat, 600, 0.25, 1);
    let children = threat.children();
    let lost: Vec<_> = children.iter().filter(|child| child.wdl == Wdl::LOSS).collect();
    assert!(!lost.is_empty() && lost.len() < children.len());
    for child in lost {
        assert!(child.visits > 0 && found.best != child.mv);
        assert!(found.policy.contains(&(child.mv, 0.0)));
    }
    assert!((found.policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn a_single_playout_and_an_over_game() {
    let mut single = search(START);
    let found = run(&mut single, 1, 0.25, 1);
    assert_eq!(found.policy.iter().filter(|(_, share)| *share > 0.0).count(), 1);
    let mut mated = search("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    assert!(
        TrainingSearch::start(&mut mated, &TrainingConfig { simulations: 9, noise: 0.25 })
            .is_none()
    );
}

#[test]
fn when_every_move_loses_the_visits_decide() {
    // Whatever White plays, Black mates at b1.
    let mut lost = search("6k1/8/8/8/8/1r6/r6P/7K w - - 0 1");
    let found = run(&mut lost, 200, 0.25, 1);
    assert_eq!(found.wdl, Wdl::LOSS);
    assert!((found.policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn moves_that_neither_visits_nor_policy_favour_share_equally() {
    let mut search = search(START);
    let evaluator: &mut dyn Evaluator<FusionGame> = &mut Material { seed: 1 };
    search.expand_root(evaluator);
    search.set_root_policy(&vec![0.0; search.children().len()]);
    let run = TrainingSearch { left: 0, noise: 0.0, clean: None, descending: false };
    let found = run.result(&search).unwrap();
    let equal = 1.0 / found.policy.len() as f32;
    assert!(found.policy.iter().all(|(_, share)| (share - equal).abs() < 1e-6));
}

#[test]
fn a_search_can_go_on_after_its_noise_is_gone() {
    let mut search = search(START);
    run(&mut search, 40, 0.25, 1);
    let priors: Vec<f32> = search.children().iter().map(|child| child.prior).collect();
    assert!(priors.is_sorted_by(|a, b| a >= b));
    let opened = usize::from(search.tree.root().opened);
    assert!(search.children()[opened..].iter().all(|child| child.visits == 0));
    run(&mut search, 40, 0.0, 1);
    assert_eq!(visits(&search), 80);
}

#[test]
fn the_noise_has_the_moments_of_its_distribution() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for moves in [1, 5, 30, 300] {
        let draws: Vec<Vec<f32>> = (0..4_000).map(|_| dirichlet(moves, &mut rng)).collect();
        for noise in &draws {
            assert!(noise.len() == moves && noise.iter().all(|x| (0.0..=1.0).contains(x)));
            assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        let share = 1.0 / moves as f64;
        let square = |x: &f32| (f64::from(*x) - share).powi(2);
        let variance =
            draws.iter().flatten().map(square).sum::<f64>() / (draws.len() * moves) as f64;
        let expected = share * (1.0 - share) / (CONCENTRATION + 1.0);
        assert!((variance - expected).abs() <= 0.1 * expected, "{moves}: {variance}, {expected}");
    }
}
