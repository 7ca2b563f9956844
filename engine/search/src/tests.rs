use super::*;
use fusion_chess::FusionGame;
use fusion_chess::board::Move;
use fusion_chess::game::CHECKMATE;
use fusion_game::evaluator::{Evaluator, Material, Rollout, Uniform};
use fusion_game::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn search(rules: &str, fen: &str) -> Search<FusionGame> {
    let game = FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap();
    Search::new(SearchConfig::default(), game)
}

const TRAINING: TrainingConfig = TrainingConfig { simulations: 64, noise: 0.25 };

const START: &str = fusion_chess::board::fen::START;

/// White mates in one by a1a8.
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";

#[test]
fn finds_and_proves_a_mate_in_one() {
    let mut search = search("no-fusion", MATE_IN_ONE);
    search.run(&mut Uniform { seed: 1 }, 2_000);
    assert_eq!(search.proof(), Proof::First);
    assert_eq!(search.wdl(), Wdl::WIN);
    let best = search.best_move(&mut ChaCha8Rng::seed_from_u64(0)).unwrap();
    assert_eq!(best.to_string(), "a1a8");

    let mut training = self::search("no-fusion", MATE_IN_ONE);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let found = training.training(&mut Uniform { seed: 1 }, &mut rng, &TRAINING).unwrap();
    assert_eq!(found.best.to_string(), "a1a8");
    let target = found.policy.iter().find(|(mv, _)| *mv == found.best).unwrap().1;
    assert!(target > 0.3, "{target}");
}

#[test]
fn a_mate_in_one_is_known_as_soon_as_a_position_is_expanded() {
    let mut mating = search("no-fusion", MATE_IN_ONE);
    mating.run(&mut Uniform { seed: 1 }, 2);
    assert_eq!((mating.proof(), mating.visits()), (Proof::First, 2));
    let best = mating.best_move(&mut ChaCha8Rng::seed_from_u64(0)).unwrap();
    assert_eq!(best.to_string(), "a1a8");

    // The King moves into the corner. The second visit proves that this move loses.
    let mut defending = search("no-fusion", "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1");
    defending.run(&mut Uniform { seed: 1 }, 300);
    let children = defending.children();
    let blunder = children.iter().find(|child| child.mv.to_string() == "g8h8").unwrap();
    assert_eq!((blunder.proof, blunder.visits), (Proof::First, 2));
}

#[test]
fn positions_with_hundreds_of_moves_are_searched() {
    // The Queens may split. No move mates.
    let fen = "5rqk/5pqq/8/Q2Q1Q2/1Q2Q3/Q1Q3Q1/1Q1Q1Q2/K7 w - - 0 1";
    let mut search = search("metamorphin", fen);
    assert!(search.game().position().count_legal_moves(search.game().rules()) > 256);
    search.run(&mut Material { seed: 1 }, 1_000);
    assert!(search.visits() >= 1_000, "{:?}", search.proof());
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    assert!(search.best_move(&mut rng).is_some());
    let mut training = self::search("metamorphin", fen);
    let rules = search.game().rules();
    let network = fusion_network::FloatNetwork::random::<FusionGame>(rules, 64, 1).unwrap();
    let network = fusion_network::Network::quantise::<FusionGame>(rules, &network).unwrap();
    let mut evaluator = fusion_network::NetworkEvaluator::new(network.into());
    let found = training.training(&mut evaluator, &mut rng, &TRAINING).unwrap();
    let total: f32 = found.policy.iter().map(|(_, share)| share).sum();
    assert!((total - 1.0).abs() < 1e-4, "{total}");
}

#[test]
fn proves_draws() {
    // The King must take the Rook, which gives a dead position.
    let mut search = search("orthodox", "8/8/8/8/3k4/8/1r6/K7 w - - 0 1");
    search.run(&mut Material { seed: 1 }, 500);
    assert_eq!(search.proof(), Proof::Draw);
    assert_eq!(search.wdl(), Wdl::DRAW);
}

#[test]
fn visits_add_up_and_proofs_are_sound() {
    for (rules, fen) in [("fusion-2020", START), ("fusion-1999", MATE_IN_ONE)] {
        let mut search = search(rules, fen);
        search.run(&mut Rollout::new(3), 400);
        assert_eq!(search.visits(), 400.min(search.visits()));
        for index in 0..search.tree.nodes.len() {
            let node = &search.tree.nodes[index];
            let below: u32 = search.tree.children(index).iter().map(|c| c.visits).sum();
            assert!(below <= node.visits);
            if node.children > 0 {
                assert!(below + 1 == node.visits, "{below} {}", node.visits);
                let priors: f32 = search.tree.children(index).iter().map(|c| c.prior).sum();
                assert!((priors - 1.0).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn the_tree_is_kept_between_moves_and_bounded() {
    let game = FusionGame::new(&"fusion-2020".parse().unwrap());
    let mut search = Search::new(SearchConfig { max_nodes: 2_000, ..Default::default() }, game);
    let mut evaluator = Material { seed: 5 };
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..12 {
        search.run(&mut evaluator, 500);
        assert!(search.nodes() <= 2_000);
        let best = search.best_move(&mut rng).unwrap();
        let kept = search.children().iter().find(|child| child.mv == best).unwrap().visits;
        search.advance(best);
        assert_eq!(search.visits(), kept);
        let value = search.wdl();
        assert!((value.win + value.draw + value.loss - 1.0).abs() < 1e-4);
    }
}

#[test]
fn values_are_seen_from_the_side_to_move() {
    // Black is a Rook up, with either side to move.
    for side in ["w", "b"] {
        let mut search = search("orthodox", &format!("r5k1/5ppp/8/8/8/8/5PPP/6K1 {side} - - 0 1"));
        search.run(&mut Material { seed: 2 }, 200);
        let score = search.wdl().score();
        assert_eq!(score > 0.5, side == "b", "{side} {score}");
    }
}

#[test]
fn training_policies_are_distributions() {
    let mut search = search("fusion-2020", START);
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..6 {
        let found = search.training(&mut Material { seed: 1 }, &mut rng, &TRAINING).unwrap();
        let total: f32 = found.policy.iter().map(|(_, p)| p).sum();
        assert!((total - 1.0).abs() < 1e-4);
        let mut moves = Vec::new();
        search.game().legal_moves(&mut moves);
        assert_eq!(moves.len(), found.policy.len());
        search.advance(found.best);
    }
}

#[test]
fn a_repetition_is_seen_in_the_tree() {
    // White is lost on material, but can at once repeat the position for the third time.
    let rules = "orthodox".parse().unwrap();
    let mut game = FusionGame::from_text(&rules, "6k1/5ppp/8/8/8/8/q4PPP/4R1K1 w - - 0 1").unwrap();
    for text in ["e1d1", "a2b2", "d1e1", "b2a2", "e1d1", "a2b2", "d1e1"] {
        game.play(game.parse_move(text).unwrap());
    }
    let mut search = Search::new(SearchConfig::default(), game);
    search.run(&mut Material { seed: 2 }, 300);
    let repeat = search.children().into_iter().find(|c| c.mv.to_string() == "b2a2").unwrap();
    assert_eq!(repeat.proof, Proof::Draw);
}

/// An evaluator with the same score for the first player everywhere.
struct Constant(f32);

impl Evaluator<FusionGame> for Constant {
    fn value(&mut self, game: &FusionGame) -> Evaluation {
        let score = if game.side_to_move() == Side::First { self.0 } else { 1.0 - self.0 };
        Wdl { win: score, draw: 0.0, loss: 1.0 - score }.into()
    }

    fn policy(&mut self, _: &FusionGame, moves: &[Move], logits: &mut Vec<f32>) {
        logits.clear();
        logits.resize(moves.len(), 0.0);
    }
}

#[test]
fn a_side_that_stands_slightly_better_does_not_repeat() {
    let rules = "orthodox".parse().unwrap();
    let mut game =
        FusionGame::from_text(&rules, "6k1/r4pp1/7p/8/8/7P/5PP1/1R4K1 w - - 0 1").unwrap();
    for text in ["b1d1", "a7b7", "d1e1", "b7a7", "e1d1", "a7b7", "d1e1", "b7a7"] {
        game.play(game.parse_move(text).unwrap());
    }
    // White to move can repeat a position for the third time.
    for (score, contempt, repeats) in [
        (0.52, 0.0, false),
        (0.48, 0.0, true),
        (0.52, -0.1, true),
        (0.48, 0.1, false),
        (0.44, 0.1, true),
    ] {
        for nodes in [100, 400, 1_600] {
            let config = SearchConfig { contempt, ..SearchConfig::default() };
            let mut search = Search::new(config, game.clone());
            search.run(&mut Constant(score), nodes);
            let best = search.best_move(&mut ChaCha8Rng::seed_from_u64(0)).unwrap();
            let draw = search.children().iter().any(|c| c.mv == best && c.proof == Proof::Draw);
            assert_eq!(draw, repeats, "{score} {contempt} {nodes}: {best}");
        }
    }
}

/// The third occurrence is not a draw, neither for a search that begins there nor for one that was
/// advanced to it.
#[test]
fn a_search_without_history_does_not_count_earlier_occurrences() {
    let rules = "orthodox".parse().unwrap();
    let mut game =
        FusionGame::from_text(&rules, "6k1/r4pp1/7p/8/8/7P/5PP1/1R4K1 w - - 0 1").unwrap();
    let config = SearchConfig { history: false, ..SearchConfig::default() };
    let mut alongside = Search::new(config, game.clone());
    for text in ["b1d1", "a7b7", "d1e1", "b7a7", "e1d1", "a7b7", "d1e1", "b7a7"] {
        let mv = game.parse_move(text).unwrap();
        game.play(mv);
        alongside.advance(mv);
    }
    for mut search in [Search::new(config, game), alongside] {
        search.run(&mut Constant(0.5), 400);
        assert!(search.children().iter().all(|child| child.proof != Proof::Draw));
    }
}

/// An evaluator with high logits for some moves and neutral values everywhere.
struct Favours(&'static [&'static str]);

impl Evaluator<FusionGame> for Favours {
    fn value(&mut self, _: &FusionGame) -> Evaluation {
        Wdl::NEUTRAL.into()
    }

    fn policy(
        &mut self,
        game: &FusionGame,
        moves: &[fusion_chess::board::Move],
        logits: &mut Vec<f32>,
    ) {
        let favoured = |text: &str| self.0.contains(&text);
        logits.clear();
        let logit = |text: String| if favoured(&text) { 40.0 } else { 0.0 };
        logits.extend(moves.iter().map(|&mv| logit(game.move_text(mv))));
    }
}

#[test]
fn one_node_is_the_policys_choice() {
    let mut search = search("fusion-2020", START);
    let mut evaluator = Favours(&["d2d4"]);
    search.run(&mut evaluator, 1);
    search.expand_root(&mut evaluator).unwrap();
    assert_eq!(search.visits(), 1);
    for seed in 0..9 {
        let best = search.best_move(&mut ChaCha8Rng::seed_from_u64(seed)).unwrap();
        assert_eq!(best.to_string(), "d2d4");
    }
}

/// The policy strongly favours g2g4, which allows mate in one.
#[test]
fn a_training_game_never_plays_what_is_proven_to_lose() {
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2";
    for seed in 0..9 {
        let mut search = search("orthodox", fen);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut evaluator = Favours(&["g2g4", "d8h4"]);
        let found = search.training(&mut evaluator, &mut rng, &TRAINING).unwrap();
        let blunder = search.children().into_iter().find(|c| c.mv.to_string() == "g2g4").unwrap();
        assert_eq!(blunder.proof, Proof::Second);
        assert_ne!(found.best, blunder.mv);
    }
}

/// An evaluator whose expected length falls with the number of pieces.
struct Lengths {
    score: f32,
}

impl Evaluator<FusionGame> for Lengths {
    fn value(&mut self, game: &FusionGame) -> Evaluation {
        // The same player is always winning, with either side to move.
        let score = if game.side_to_move() == Side::First { self.score } else { 1.0 - self.score };
        let wdl = Wdl { win: score, draw: 0.0, loss: 1.0 - score };
        Evaluation { wdl, plies: 2.0 * game.position().occupied().len() as f32 }
    }

    fn policy(&mut self, _: &FusionGame, moves: &[Move], logits: &mut Vec<f32>) {
        logits.clear();
        logits.resize(moves.len(), 0.0);
    }
}

/// White can capture a Pawn or not. Nothing else distinguishes the moves.
const CHOICE: &str = "7k/8/8/8/3p4/8/3R4/K7 w - - 0 1";

#[test]
fn who_is_winning_is_in_a_hurry_and_who_is_losing_is_not() {
    let visits = |score: f32, haste: f32| {
        let rules = "orthodox".parse().unwrap();
        let game = FusionGame::from_text(&rules, CHOICE).unwrap();
        let config = SearchConfig { haste, ..SearchConfig::default() };
        let mut search = Search::new(config, game);
        search.run(&mut Lengths { score }, 300);
        let children = search.children();
        let capture = children.iter().find(|child| child.mv.to().to_string() == "d4").unwrap();
        (capture.visits, children.iter().map(|child| child.visits).max().unwrap())
    };
    let (capture, most) = visits(0.95, 0.1);
    assert_eq!(capture, most);
    let (reluctant, most) = visits(0.05, 0.1);
    assert!(reluctant < most && reluctant < capture, "{reluctant} {capture}");
    let even = visits(0.5, 0.1).0;
    assert_eq!(even, visits(0.5, 0.0).0);
}

#[test]
fn lengths_are_counted_from_each_node() {
    let game = FusionGame::from_text(&"orthodox".parse().unwrap(), CHOICE).unwrap();
    let mut search = Search::new(SearchConfig::default(), game);
    // The root, then two of its moves without captures. Each of them is one ply further away.
    search.run(&mut Lengths { score: 0.5 }, 3);
    let expected = (8.0 + 9.0 + 9.0) / 3.0;
    assert!((search.tree.root().plies - expected).abs() < 1e-5, "{}", search.tree.root().plies);
}

#[test]
fn however_short_a_game_seems_a_proven_win_is_taught() {
    // Mate in one, beside many moves that seem to win soon.
    let game = FusionGame::from_text(&"orthodox".parse().unwrap(), MATE_IN_ONE).unwrap();
    let mut search = Search::new(SearchConfig { haste: 1.0, ..SearchConfig::default() }, game);
    let config = TrainingConfig { noise: 0.0, ..TRAINING };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let found = search.training(&mut Lengths { score: 0.99 }, &mut rng, &config).unwrap();
    let most = found.policy.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert_eq!(most.0, found.best);
    let mut mated = search.game().clone();
    mated.play(most.0);
    assert_eq!(mated.outcome_now().map(|outcome| outcome.ending), Some(CHECKMATE));
}
