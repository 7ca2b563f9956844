use super::*;
use crate::evaluator::{Evaluator, Material, Wdl};
use crate::fusion::FusionGame;
use crate::search::{Child, SearchConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

type Found = GumbelResult<crate::board::Move>;

fn search(fen: &str) -> Search<FusionGame> {
    let game = FusionGame::from_text(&"fusion-2020".parse().unwrap(), fen).unwrap();
    Search::new(SearchConfig::default(), game)
}

fn run(search: &mut Search<FusionGame>, simulations: u32, noise: f32, seed: u64) -> Found {
    let evaluator: &mut dyn Evaluator<FusionGame> = &mut Material { seed: 1 };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut run = VisitsRun::start(search, &VisitsConfig { simulations, noise }).unwrap();
    while let Some(request) = run.next(search, &mut rng) {
        search.answer(request, evaluator);
    }
    run.result(search).unwrap()
}

fn visits(search: &Search<FusionGame>) -> u32 {
    search.children().iter().map(|child| child.visits).sum()
}

const START: &str = crate::board::fen::START;

#[test]
fn the_policy_is_the_shares_of_so_many_fresh_playouts() {
    let mut search = search(START);
    for _ in 0..2 {
        let found = run(&mut search, 64, 0.25, 3);
        // With noise nothing is kept from a search before.
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

    // Black must not leave the back rank to the Rook: moves that do have no share once proven.
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
    assert!(VisitsRun::start(&mut mated, &VisitsConfig { simulations: 9, noise: 0.25 }).is_none());
}

#[test]
fn the_noise_has_the_moments_of_its_distribution() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for shape in [0.05f64, 0.3, 1.0, 5.0] {
        let draws: Vec<f64> = (0..40_000).map(|_| gamma(shape, &mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!((mean / shape - 1.0).abs() < 0.1 && (variance / shape - 1.0).abs() < 0.2);
    }
    for moves in [1, 30, 300] {
        let noise = dirichlet(moves, &mut rng);
        assert!(noise.len() == moves && noise.iter().all(|x| (0.0..=1.0).contains(x)));
        assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}
