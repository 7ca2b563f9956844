use super::*;
use fusion_chess::FusionGame;
use fusion_game::evaluator::{Evaluator, Material, value_of_score};
use fusion_game::prelude::*;
use fusion_game::toy::{TicTacToe, VARIANTS, Variant, best_play};

/// Compares the search to the end with all games that can follow.
#[test]
fn an_exhaustive_search_solves_every_variant() {
    for name in VARIANTS {
        let rules = Variant::parse(name).unwrap();
        for text in [".........", "x........", "xo.......", "xox......", "..x.o....", "xo.o.x..."] {
            let game = TicTacToe::from_text(&rules, text).unwrap();
            let (winner, plies) = best_play(&game);
            let mut search = Pvs::new(PvsConfig::EXHAUSTIVE, &rules, Box::new(MaterialCount));
            let result = search.search(&game, Limits::depth(9), &|| false).unwrap();
            let value = result.lines[0].value;
            let expected = match winner {
                None => 0,
                Some(winner) if winner == game.side_to_move() => MATE - plies as i32,
                Some(_) => plies as i32 - MATE,
            };
            assert_eq!(value, expected, "{name} {text}");
        }
    }
}

fn game(rules: &str, fen: &str) -> FusionGame {
    FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap()
}

fn searcher<G: Tactics>(config: PvsConfig, game: &G) -> Pvs<G> {
    Pvs::new(PvsConfig { table_mib: 1, ..config }, game.rules(), Box::new(MaterialCount))
}

fn find(rules: &str, fen: &str, limits: Limits) -> PvsResult<<FusionGame as Game>::Move> {
    let game = game(rules, fen);
    searcher(PvsConfig::default(), &game).search(&game, limits, &|| false).unwrap()
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[test]
fn forced_mates_are_proven_with_their_distance() {
    for (rules, fen, plies, best) in [
        ("orthodox", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 1, "a1a8"),
        ("orthodox", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3, "a1a6"),
        ("orthodox", "8/8/8/8/8/5k2/r7/5K2 b - - 0 1", 1, "a2a1"),
        ("orthodox", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 5, "f6a6"),
        // On the hundredth ply a mate is a mate.
        ("orthodox", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 99 80", 1, "a1a8"),
    ] {
        let found = find(rules, fen, Limits::nodes(200_000));
        let line = &found.lines[0];
        assert_eq!(plies_to_end(line.value), Some(plies), "{fen}: {line:?}");
        assert_eq!((line.moves[0].to_string().as_str(), line.moves.len()), (best, plies as usize));
    }
}

/// A side that is not in check may have lost: no static evaluation or pass says otherwise.
#[test]
fn wins_by_other_endings_are_found_at_once() {
    for (rules, fen, best) in [
        ("az-stalemate-win", "k7/8/PK6/8/8/7p/6pr/6Bb w - - 0 1", &["a6a7", "b6c7"][..]),
        ("orthodox,bare-king=loses", "3k4/4R3/8/8/8/7K/1p6/8 b - - 0 1", &["d8e7"]),
    ] {
        let found = find(rules, fen, Limits::depth(2));
        let line = &found.lines[0];
        assert_eq!(plies_to_end(line.value), Some(1), "{fen}: {line:?}");
        assert!(best.contains(&line.moves[0].to_string().as_str()), "{rules}: {line:?}");
    }
}

/// A move that loses by repetition does not keep the search from trying the others.
#[test]
fn losing_repetitions_are_avoided() {
    let mut game = game("orthodox,repetition=loses", "8/6k1/8/8/8/8/8/K4R2 w - - 0 1");
    for mv in "a1b1 g7h7 b1a1 h7g7 f1f2 g7g8".split_whitespace() {
        game.play(game.parse_move(mv).unwrap());
    }
    for depth in 1..=6 {
        let mut search = searcher(PvsConfig::default(), &game);
        let found = search.search(&game, Limits::depth(depth), &|| false).unwrap();
        let value = found.lines[0].value;
        assert!((300..800).contains(&value), "depth {depth}: {value}");
    }
}

#[test]
fn draws_by_rule_are_exact() {
    // The Queen gives perpetual check; anything else loses.
    let found = find("orthodox", "6k1/5p1p/8/8/7Q/8/qr6/7K w - - 0 1", Limits::nodes(300_000));
    assert_eq!(found.lines[0].value, 0, "{found:?}");
    let first = found.lines[0].moves[0].to_string();
    assert!(["h4d8", "h4g5"].contains(&first.as_str()), "{found:?}");
    // One ply before the fifty-move draw no advantage is left, unless a Pawn moves.
    let found = find("orthodox", "4k3/8/8/8/8/8/8/R3K3 w - - 99 80", Limits::depth(4));
    assert_eq!(found.lines[0].value, 0, "{found:?}");
    let found = find("orthodox", "4k3/8/8/8/8/8/P7/R3K3 w - - 99 80", Limits::depth(4));
    assert!(found.lines[0].moves[0].to_string().starts_with("a2"), "{found:?}");
}

#[test]
fn the_result_depends_only_on_the_limits() {
    let search = |looks: u64| {
        let mut left = looks;
        let count = std::cell::RefCell::new(&mut left);
        let game = game("fusion-2020", KIWIPETE);
        let found =
            searcher(PvsConfig::default(), &game).search(&game, Limits::nodes(30_000), &|| {
                **count.borrow_mut() -= 1;
                false
            });
        found.unwrap()
    };
    let found = search(1_000);
    assert_eq!(found, search(2_000));
    assert!(found.nodes >= 29_000 && found.nodes <= 30_000, "{}", found.nodes);
}

#[test]
fn a_search_is_stopped_and_still_has_a_move() {
    let start = game("orthodox", START);
    let mut search = searcher(PvsConfig::default(), &start);
    let found = search.search(&start, Limits::depth(60), &|| true).unwrap();
    assert_eq!(found.nodes, SLICE);
    assert!(!found.lines[0].moves.is_empty());
    for nodes in [1, 2, 30] {
        let found = search.search(&start, Limits::nodes(nodes), &|| false).unwrap();
        assert!(found.nodes <= nodes && !found.lines[0].moves.is_empty());
    }
    let over = game("orthodox", "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1");
    assert!(search.search(&over, Limits::depth(3), &|| false).is_none());
}

#[test]
fn several_lines_begin_with_different_moves_and_are_ordered() {
    let limits = Limits { lines: 5, ..Limits::depth(5) };
    let found = find("fusion-1999", KIWIPETE, limits);
    let mut first: Vec<u16> = found.lines.iter().map(|line| line.moves[0].code()).collect();
    first.sort_unstable();
    first.dedup();
    assert_eq!((first.len(), found.lines.len()), (5, 5));
    assert!(found.lines.is_sorted_by(|a, b| a.value >= b.value), "{:?}", found.lines);
    let single = find("fusion-1999", KIWIPETE, Limits::depth(5));
    assert_eq!(single.lines.len(), 1);
    let all = Limits { lines: 500, ..Limits::depth(2) };
    assert_eq!(find("orthodox", START, all).lines.len(), 20);
}

#[test]
fn a_restricted_search_considers_only_some_moves() {
    let start = game("orthodox", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    let mut moves = Vec::new();
    start.legal_moves(&mut moves);
    moves.retain(|mv| ["a1b1", "a1c1"].contains(&mv.to_string().as_str()));
    let mut search = searcher(PvsConfig::default(), &start);
    let mut firsts = |only: &[<FusionGame as Game>::Move], lines| {
        search.restrict(only);
        let limits = Limits { lines, ..Limits::depth(4) };
        let found = search.search(&start, limits, &|| false).unwrap();
        let mut firsts: Vec<String> = found.lines.iter().map(|l| l.moves[0].to_string()).collect();
        firsts.sort_unstable();
        firsts
    };
    assert_eq!(firsts(&[], 1), ["a1a8"]);
    assert_eq!(firsts(&moves, 9), ["a1b1", "a1c1"]);
    assert_eq!(firsts(&moves[..1], 1), [moves[0].to_string()]);
    // The restriction ends with an empty list, and one without legal moves is none.
    assert_eq!(firsts(&[], 1), ["a1a8"]);
    let black = game("orthodox", "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1");
    let mut replies = Vec::new();
    black.legal_moves(&mut replies);
    assert_eq!(firsts(&replies, 1), ["a1a8"]);
}

/// A search without selectivity is the reference: alpha-beta, table and ordering change nothing.
#[test]
fn an_exhaustive_search_has_the_value_of_minimax() {
    fn minimax(game: &FusionGame, depth: u32, ply: i32) -> i32 {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        if let Some(outcome) = game.outcome(&moves) {
            return if outcome.winner.is_some() { ply - MATE } else { 0 };
        }
        let value = |mv| {
            let mut next = game.clone();
            next.play(mv);
            -minimax(&next, depth - 1, ply + 1)
        };
        match depth {
            0 => quiet(game, -INFINITY, INFINITY, ply),
            _ => moves.into_iter().map(value).max().unwrap(),
        }
    }
    fn quiet(game: &FusionGame, mut alpha: i32, beta: i32, ply: i32) -> i32 {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        if let Some(outcome) = game.outcome(&moves) {
            return if outcome.winner.is_some() { ply - MATE } else { 0 };
        }
        assert!(!game.is_threatened(), "only positions without checks are compared");
        let mut best = MaterialCount.value(game);
        alpha = alpha.max(best);
        for mv in moves {
            if best < beta && game.is_forcing(mv) && game.exchange_gains(mv, 0) {
                let mut next = game.clone();
                next.play(mv);
                best = best.max(-quiet(&next, -beta, -alpha, ply + 1));
                alpha = alpha.max(best);
            }
        }
        best
    }
    // The Kings are too far away for checks within the depth.
    for fen in ["7k/8/8/1pp5/pP6/P1P5/8/7K w - - 0 1", "7k/1p6/8/p1p5/PPP5/8/1P6/7K w - - 0 1"] {
        let game = game("orthodox", fen);
        let found = searcher(PvsConfig::EXHAUSTIVE, &game)
            .search(&game, Limits::depth(3), &|| false)
            .unwrap();
        assert_eq!(found.lines[0].value, minimax(&game, 3, 0), "{fen}");
    }
}

#[test]
fn values_and_scores_correspond() {
    for value in [-900, -250, -40, 0, 40, 250, 900] {
        let wdl = chances(value);
        assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-5);
        assert!((value_of_score(wdl.score()) - value).abs() <= 2, "{value}");
    }
    assert_eq!([value_of_score(0.0), value_of_score(1.0)].map(i32::signum), [-1, 1]);
    assert_eq!(chances(MATE - 3).score(), 1.0);
    let drawish = Wdl { win: 0.1, draw: 0.8, loss: 0.1 };
    assert!((value::chances_of(0, value::drawishness(drawish)).draw - 0.8).abs() < 1e-5);
    for value in [-900, -40, 250, MATE - 3] {
        let wdl = value::chances_of(value, value::drawishness(drawish));
        assert!((wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-5 && wdl.loss >= 0.0);
        assert!((wdl.score() - chances(value).score()).abs() < 1e-5, "{value}");
    }
    let evaluator: Box<dyn Evaluator<FusionGame>> = Box::new(Material { seed: 1 });
    let mut evaluator = evaluator;
    assert_eq!(MoveEvaluator::value(&mut evaluator, &game("orthodox", START)), 0);
}

/// Black has to move a Pawn. If Black could pass, there would be no mate.
#[test]
fn a_mate_by_zugzwang_is_found() {
    let found = find("orthodox", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", Limits::nodes(50_000));
    assert_eq!(found.lines[0].moves[0].to_string(), "a1a6");
    assert_eq!(plies_to_end(found.lines[0].value), Some(3));
}

/// A search in slices ends with as many positions, and finds the same mate.
#[test]
fn a_search_goes_on_where_it_ended() {
    let game = game("orthodox", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1");
    let mut search = searcher(PvsConfig::default(), &game);
    let mut result = search.search(&game, Limits::nodes(1_000), &|| false).unwrap();
    assert_eq!(result.nodes, 1_000);
    for slice in 2..100 {
        let before = (result.depth, result.nodes);
        result = search.resume(&game, Limits::nodes(1_000 * slice), &|| false, result).unwrap();
        assert!(result.depth >= before.0 && result.nodes > before.1);
        if result.nodes < 1_000 * slice {
            break;
        }
    }
    assert_eq!(plies_to_end(result.lines[0].value), Some(3));
    assert_eq!(result.lines[0].moves[0].to_string(), "a1a6");
}

/// Compares the search for mates with a plain one, which looks at all moves of both sides.
#[test]
fn mates_are_found_or_refuted() {
    fn is_mated(game: &FusionGame, moves: u32) -> bool {
        let mut replies = Vec::new();
        game.legal_moves(&mut replies);
        match game.outcome(&replies) {
            Some(outcome) => outcome.winner == Some(game.side_to_move().other()),
            None => moves > 0 && replies.iter().all(|&mv| has_mate(&after(game, mv), moves)),
        }
    }
    fn has_mate(game: &FusionGame, moves: u32) -> bool {
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        game.outcome(&legal).is_none()
            && legal.iter().any(|&mv| is_mated(&after(game, mv), moves - 1))
    }
    fn after(game: &FusionGame, mv: <FusionGame as Game>::Move) -> FusionGame {
        let mut next = game.clone();
        next.play(mv);
        next
    }
    for (rules, fen, shortest) in [
        ("orthodox", START, None),
        ("orthodox", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", Some(1)),
        ("orthodox", "7k/8/8/8/8/8/R7/1R5K w - - 0 1", Some(2)),
        ("orthodox", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", Some(2)),
        ("orthodox", "8/8/8/8/8/1k6/8/K1R5 w - - 0 1", None),
        ("fusion-2020", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", Some(1)),
        ("fusion-2020", "4k3/8/4K3/8/8/8/8/R6B w - - 0 1", Some(1)),
    ] {
        let game = game(rules, fen);
        for moves in 1..=2 {
            let found = find_mate(&game, &[], moves, u64::MAX, &|| false);
            let expected = shortest.filter(|&shortest| shortest <= moves);
            assert_eq!(has_mate(&game, moves), expected.is_some(), "{fen}");
            match (found, expected) {
                (Mate::Refuted, None) => {}
                (Mate::Found(line), Some(shortest)) => {
                    assert_eq!(plies_to_end(line.value), Some(2 * shortest as i32 - 1));
                    assert_eq!(line.moves.len(), 2 * shortest as usize - 1, "{fen}");
                    assert!(is_mated(&after(&game, line.moves[0]), shortest - 1), "{fen}");
                }
                (found, _) => panic!("{fen}, {moves}: {found:?}"),
            }
        }
    }
    // Only these first moves, a bound, and a stop.
    let game = game("orthodox", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    let quiet = game.parse_move("a1b1").unwrap();
    assert_eq!(find_mate(&game, &[quiet], 1, u64::MAX, &|| false), Mate::Refuted);
    assert_eq!(find_mate(&game, &[quiet], 9, 3_000, &|| false), Mate::Unknown);
    assert_eq!(find_mate(&game, &[quiet], 9, u64::MAX, &|| true), Mate::Unknown);
}
