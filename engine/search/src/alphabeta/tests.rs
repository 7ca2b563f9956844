use super::*;
use fusion_chess::FusionGame;
use fusion_game::prelude::*;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn game(rules: &str, fen: &str) -> FusionGame {
    FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap()
}

fn depth(plies: u32) -> Depth {
    format!("alphabeta:{plies}").parse().unwrap()
}

fn stopping(plies: u32) -> Depth {
    format!("alphabeta:{plies}:plain").parse().unwrap()
}

fn search<G: Game>(game: &G, plies: u32) -> Option<AlphaBetaResult<G::Move>> {
    AlphaBeta::new(depth(plies)).search(game, &|| false)
}

/// Returns the value, and the best moves in coordinate notation.
fn best(rules: &str, fen: &str, plies: u32) -> (i32, Vec<String>) {
    let found = search(&game(rules, fen), plies).unwrap();
    (found.value, found.best.iter().map(ToString::to_string).collect())
}

#[test]
fn depths_have_names_and_limits() {
    assert_eq!(depth(3).to_string(), "alphabeta:3");
    assert_eq!(stopping(3).to_string(), "alphabeta:3:plain");
    assert_ne!(depth(3), stopping(3));
    for bad in [
        "alphabeta:3:",
        "alphabeta:9:plain",
        "alphabeta:3:plain:plain",
        "alphabeta:0",
        "alphabeta:9",
        "alphabeta:",
        "alphabeta:x",
        "alphabeta",
        "3",
    ] {
        let error = bad.parse::<Depth>().unwrap_err();
        assert!(error.contains(bad) && error.contains("from 1 to 8"), "{error}");
    }
}

#[test]
fn finds_mates_and_prefers_the_fastest() {
    let in_one = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    for plies in 1..=4 {
        assert_eq!(best("no-fusion", in_one, plies), (MATE - 1, vec!["a1a8".to_owned()]));
    }
    let in_two = "6k1/8/8/8/8/8/1R6/R5K1 w - - 0 1";
    let (value, moves) = best("orthodox", in_two, 3);
    assert_eq!(value, MATE - 3);
    assert!(moves.iter().all(|mv| ["b2b7", "a1a7"].contains(&mv.as_str())), "{moves:?}");
    // The loser delays the mate as long as possible.
    let (value, _) = best("orthodox", "6k1/1R6/8/8/8/8/8/R5K1 b - - 0 1", 2);
    assert_eq!(value, -(MATE - 2));
}

#[test]
fn takes_what_hangs_and_leaves_what_is_guarded() {
    let hanging = "4k3/8/8/3r4/8/8/8/3RK3 w - - 0 1";
    assert_eq!(best("fusion-2020", hanging, 1).1, ["d1d5"]);
    // Another Pawn guards the Pawn. The search sees that only beyond the depth.
    let guarded = "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1";
    let (_, moves) = best("orthodox", guarded, 1);
    assert!(!moves.contains(&"d1d5".to_owned()), "{moves:?}");
    // The plain search, which stops at the depth, takes the Pawn.
    let found = AlphaBeta::new(stopping(1)).search(&game("orthodox", guarded), &|| false).unwrap();
    assert_eq!(found.best.iter().map(ToString::to_string).collect::<Vec<_>>(), ["d1d5"]);
}

#[test]
fn a_repetition_is_a_draw_that_the_better_side_avoids() {
    let mut game = game("orthodox", "k7/8/8/8/8/8/8/KQ6 b - - 0 1");
    for text in ["a8a7", "b1c1", "a7a8", "c1b1", "a8a7", "b1c1", "a7a8"] {
        game.play(game.parse_move(text).unwrap());
    }
    let repeat = game.parse_move("c1b1").unwrap();
    let mut after = game.clone();
    after.play(repeat);
    assert!(search(&after, 2).is_none(), "the third time the game is over");
    assert!(!search(&game, 2).unwrap().best.contains(&repeat));
}

#[test]
fn equal_moves_are_chosen_by_the_seed_and_a_stop_is_heard() {
    let start = FusionGame::new(&"fusion-2020".parse().unwrap());
    let choose = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        AlphaBeta::new(depth(1)).best_move(&start, &mut rng, &|| false)
    };
    assert_eq!(choose(1), choose(1));
    let found = search(&start, 1).unwrap();
    if found.best.len() > 1 {
        assert!((0..20).any(|seed| choose(seed) != choose(1)));
    }
    let mut searcher = AlphaBeta::new(depth(8));
    assert!(searcher.search(&start, &|| true).is_none());
    let started = std::time::Instant::now();
    let late = || started.elapsed().as_millis() > 50;
    assert!(searcher.search(&start, &late).is_none());
    assert!(searcher.search(&game("orthodox", "7k/8/8/8/8/8/8/K7 w - - 0 1"), &|| false).is_none());
}

/// Returns the same value by trying every move, without a window.
fn plain(game: &FusionGame, depth: u32, captures: bool, ply: usize) -> i32 {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    if let Some(outcome) = game.outcome(&moves) {
        return decided(outcome, game.side_to_move(), ply);
    }
    let mut best = if depth == 0 { standing(game, moves.len()) } else { -INFINITY };
    for mv in moves {
        if depth > 0 || captures && game.is_forcing(mv) {
            let mut next = game.clone();
            next.play(mv);
            best = best.max(-plain(&next, depth.saturating_sub(1), captures, ply + 1));
        }
    }
    best
}

fn plain_root(
    game: &FusionGame,
    depth: Depth,
) -> Option<AlphaBetaResult<fusion_chess::board::Move>> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    if game.outcome(&moves).is_some() {
        return None;
    }
    let value = |mv| {
        let mut next = game.clone();
        next.play(mv);
        -plain(&next, depth.plies - 1, depth.captures, 1)
    };
    let values: Vec<i32> = moves.iter().map(|&mv| value(mv)).collect();
    let best = values.iter().copied().max()?;
    let moves = moves.into_iter().zip(values).filter(|&(_, value)| value == best);
    Some(AlphaBetaResult { value: best, best: moves.map(|(mv, _)| mv).collect() })
}

/// Positions with few enough pieces that every move can be tried. They are varied enough to contain
/// mates, fusions, promotions and captures.
const POSITIONS: [&str; 5] = [
    "4k3/1P1n4/8/2b5/8/3R4/p3B3/4K3 w - - 0 1",
    "r3k3/2p5/8/3N4/1b6/8/3P4/R3K3 w Qq - 90 1",
    "4k3/4q3/8/8/8/8/3Q4/4K3 b - - 96 1",
    "8/3g4/8/8/2m5/8/2B1P3/1N2K3 w - - 0 1",
    "5rk1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn pruning_changes_nothing(
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        position in 0usize..POSITIONS.len(),
        rules in 0usize..4,
    ) {
        let rules = ["fusion-2020", "fusion-1999", "orthodox", "fusion-2006"][rules];
        let Ok(mut game) = FusionGame::from_text(&rules.parse().unwrap(), POSITIONS[position]) else {
            return Ok(());
        };
        for choice in choices {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            if game.outcome(&moves).is_some() {
                break;
            }
            game.play(*choice.get(&moves));
        }
        for depth in [depth(1), depth(2), stopping(1), stopping(2)] {
            let found = AlphaBeta::new(depth).search(&game, &|| false);
            prop_assert_eq!(found, plain_root(&game, depth));
        }
    }
}
