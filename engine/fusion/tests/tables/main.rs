//! Search with endgame tables: what is proven, and what is made of it.

mod tiny;

use fusion_chess::FusionGame;
use fusion_chess::board::{Move, Position};
use fusion_chess::endgame::{Layout, Material, Tables, Value};
use fusion_chess::game::CHECKMATE;
use fusion_chess::rules::RuleSet;
use fusion_game::prelude::*;
use fusion_game::tablebase::{SolvedValue, Tablebase};
use fusion_game::{OpenError, OpenErrorKind, Side};
use fusion_network::model::Model;
use fusion_search::{Proof, Search, SearchConfig};
use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::{Arc, LazyLock};

const RULES: [&str; 2] = ["orthodox", "fusion-1999"];

fn rules(name: &str) -> RuleSet {
    name.parse().unwrap()
}

/// Tables of King and Rook against King for each of [`RULES`].
static TABLES: LazyLock<[Arc<Tables>; 2]> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    RULES.map(|name| {
        tiny::build(folder.path(), 'R', &rules(name));
        Arc::new(Tables::open(folder.path(), &rules(name)).unwrap())
    })
});

static LAYOUT: LazyLock<Layout> = LazyLock::new(|| Layout::new("KRvK".parse().unwrap()));

/// What the table says of a position; bare Kings are a draw.
fn value(arm: usize, position: &Position) -> Value {
    TABLES[arm].value(position).unwrap()
}

/// A position of the table, with this clock.
fn position(arm: usize, entry: prop::sample::Index, clock: u16) -> Option<FusionGame> {
    let (squares, side) = LAYOUT.squares(entry.index(LAYOUT.entries()))?;
    let material: Material = LAYOUT.material();
    let table = TABLES[arm].table(&material).unwrap();
    Value::of_code(table.code(LAYOUT.index(&squares, side)?))?;
    let fen = LAYOUT.position(&squares, side).to_fen();
    let placement: Vec<&str> = fen.split(' ').take(4).collect();
    let fen = format!("{} {clock} 90", placement.join(" "));
    FusionGame::from_text(&rules(RULES[arm]), &fen).ok()
}

#[test]
fn manns_are_no_part_of_any_table() {
    let table = &TABLES[0];
    for fen in ["8/8/8/3k4/8/8/1O6/K7 w - - 0 1", "8/8/8/3k4/3o4/8/1R6/K7 w - - 0 1"] {
        let position = Position::from_fen(&rules("orthodox,start=mann"), fen).unwrap();
        assert_eq!(table.value(&position), None, "{fen}");
    }
}

#[test]
fn rules_that_tables_do_not_cover_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    tiny::build(folder.path(), 'R', &rules("fusion-1999"));
    for name in ["metamorphin", "combination", "fusion-1999,metamorph=yes"] {
        let error = Tables::open(folder.path(), &rules(name)).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("do not cover") && message.contains(name), "{message}");
        assert_eq!(OpenError::from(error).kind(), OpenErrorKind::Unsupported);
    }
}

fn game(name: &str, fen: &str) -> FusionGame {
    FusionGame::from_text(&rules(name), fen).unwrap()
}

fn search(arm: usize, game: FusionGame) -> Search<FusionGame> {
    let config = SearchConfig { max_nodes: 4_096, ..SearchConfig::default() };
    Search::new(config, game).with_tablebase(Some(TABLES[arm].clone()))
}

/// The move of a search of so many nodes.
fn best(search: &mut Search<FusionGame>, nodes: u32, rng: &mut ChaCha8Rng) -> Move {
    let model = Model::open::<FusionGame>("uniform", []).unwrap();
    let mut evaluator = model.evaluator(1);
    search.run(evaluator.as_mut(), nodes);
    search.expand_root(evaluator.as_mut()).unwrap();
    search.best_move(rng).unwrap()
}

#[test]
fn orthodox_rook_endings_take_sixteen_moves() {
    let table = TABLES[0].table(&LAYOUT.material()).unwrap();
    let values = (0..LAYOUT.entries()).filter_map(|index| Value::of_code(table.code(index)));
    assert_eq!(values.filter_map(Value::plies).max(), Some(32));
}

/// How the other side plays.
#[derive(Clone, Copy, Debug)]
enum Defence {
    Random,
    /// By the same search.
    Search,
}

/// Plays a won position to its end and returns the plies it took.
fn play_out(arm: usize, start: &FusionGame, nodes: u32, defence: Defence, seed: u64) -> u32 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut search = search(arm, start.clone());
    let attacker = match value(arm, start.position()) {
        Value::Win(_) => start.side_to_move(),
        _ => start.side_to_move().other(),
    };
    for ply in 0.. {
        let (game, mut moves) = (search.game().clone(), Vec::new());
        if let Some(outcome) = game.outcome_now() {
            assert_eq!(outcome.ending, CHECKMATE, "{}", game.to_text());
            assert_eq!(outcome.winner, Some(attacker));
            return ply;
        }
        game.legal_moves(&mut moves);
        let mv = if game.side_to_move() == attacker || matches!(defence, Defence::Search) {
            let mv = best(&mut search, nodes, &mut rng);
            assert_eq!(search.proof(), Proof::of(Some(attacker)), "{}", game.to_text());
            mv
        } else {
            *moves.choose(&mut rng).unwrap()
        };
        // Kept or thrown away, the tree is of no importance.
        if rng.random_bool(0.5) {
            search.advance(mv);
        } else {
            let mut next = game;
            next.play(mv);
            search = search.afresh(next);
        }
    }
    unreachable!("games end")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn won_positions_are_mated_in_time(
        arm in 0..RULES.len(),
        entry: prop::sample::Index,
        nodes in 1u32..20,
        random: bool,
        seed: u64,
    ) {
        let game = position(arm, entry, 0);
        let plies = game.as_ref().and_then(|game| value(arm, game.position()).plies());
        let (Some(game), Some(plies)) = (game, plies.map(u32::from)) else { return Ok(()) };
        let defence = if random { Defence::Random } else { Defence::Search };
        let taken = play_out(arm, &game, nodes, defence, seed);
        prop_assert!(taken <= plies, "{} instead of {}", taken, plies);
        // The longest defence is found as well.
        prop_assert!(random || taken == plies, "{} instead of {}", taken, plies);
    }

    #[test]
    fn a_win_on_the_hundredth_ply_is_one(arm in 0..RULES.len(), entry: prop::sample::Index) {
        let fresh = position(arm, entry, 0);
        let plies = fresh.as_ref().and_then(|game| value(arm, game.position()).plies());
        let Some(plies) = plies.filter(|&plies| plies > 0) else { return Ok(()) };
        let in_time = position(arm, entry, 100 - plies).unwrap();
        prop_assert_eq!(play_out(arm, &in_time, 4, Defence::Search, 1), u32::from(plies));
        let late = position(arm, entry, 101 - plies).unwrap();
        prop_assert_eq!(TABLES[arm].probe(&late), None);
    }

    #[test]
    fn the_clock_decides_what_stands(
        arm in 0..RULES.len(),
        entry: prop::sample::Index,
        clock in 0u16..100,
    ) {
        let Some(game) = position(arm, entry, clock) else { return Ok(()) };
        let mover = game.side_to_move();
        let stands = |winner, plies: u16| {
            (clock + plies <= 100).then_some(SolvedValue { winner: Some(winner), plies: plies.into() })
        };
        let expected = match value(arm, game.position()) {
            Value::Draw => Some(SolvedValue { winner: None, plies: u32::from(100 - clock) }),
            Value::Win(plies) => stands(mover, plies),
            Value::Loss(plies) => stands(mover.other(), plies),
        };
        prop_assert_eq!(TABLES[arm].probe(&game), expected);
    }
}

#[test]
fn a_draw_is_kept() {
    // The Rook can be taken, and nothing else draws.
    for nodes in [1, 2, 50] {
        let game = game("orthodox", "8/8/8/8/8/2k5/1R6/7K b - - 0 1");
        let mut search = search(0, game);
        let mv = best(&mut search, nodes, &mut ChaCha8Rng::seed_from_u64(nodes.into()));
        assert_eq!((mv.to_string().as_str(), search.proof()), ("c3b2", Proof::Draw));
    }
}

/// No table has the Knight, but without it one knows everything.
#[test]
fn captures_lead_into_the_tables() {
    let mut search = search(0, game("orthodox", "8/8/8/3n4/8/2k5/8/3R3K w - - 80 90"));
    let mv = best(&mut search, 1, &mut ChaCha8Rng::seed_from_u64(1));
    assert_eq!((mv.to_string().as_str(), search.proof()), ("d1d5", Proof::First));
    assert_eq!(search.tablebase_hits(), 1);
}

/// The Knight is pinned, the King has one move, and then the Rook takes the Knight: below the
/// root, where only leaves are asked about.
#[test]
fn leaves_are_proven_below_the_root() {
    let mut search = search(0, game("orthodox", "kn5R/2K5/8/8/8/8/8/8 b - - 0 1"));
    let model = Model::open::<FusionGame>("uniform", []).unwrap();
    search.run(model.evaluator(1).as_mut(), 200);
    assert_eq!(search.proof(), Proof::First);
    assert!(search.visits() < 200 && search.tablebase_hits() > 0);
}

fn played(game: &mut FusionGame, moves: &str) {
    moves.split(' ').for_each(|text| game.play(game.parse_move(text).unwrap()));
}

fn all_moves(game: &FusionGame) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    moves
}

#[test]
fn a_win_stands_unless_what_came_twice_may_come_again() {
    let mut game = game("orthodox", "8/8/8/8/3k4/8/8/R6K w - - 0 1");
    let plies = value(0, game.position()).plies().unwrap();
    assert!(TABLES[0].probe(&game).is_some());
    played(&mut game, "h1g1 d4d5 g1h1 d5d4");
    // The start is here for the second time; what comes now knows it twice.
    assert!(TABLES[0].probe(&game).is_some());
    let mut stand = 0;
    for mv in all_moves(&game) {
        let mut next = game.clone();
        next.play(mv);
        let Value::Loss(left) = value(0, next.position()) else { continue };
        let stands = left < plies;
        stand += u32::from(stands);
        let exact = SolvedValue { winner: Some(Side::First), plies: left.into() };
        assert_eq!(TABLES[0].probe(&next), stands.then_some(exact));
        if stands {
            assert_eq!(TABLES[0].probe_hint(&next), None);
        }
    }
    assert!(stand > 0);
    let mut search = search(0, game);
    best(&mut search, 1, &mut ChaCha8Rng::seed_from_u64(1));
    assert_eq!(search.proof(), Proof::First);
}

proptest! {
    /// What is promised of a result: there is a move that keeps it, and in time. Sides that often
    /// take their moves back make histories with many repetitions.
    #[test]
    fn results_are_kept_whatever_came_before(
        arm in 0..RULES.len(),
        entry: prop::sample::Index,
        seed: u64,
    ) {
        let Some(mut game) = position(arm, entry, 0) else { return Ok(()) };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut last: [Option<Move>; 2] = [None; 2];
        for ply in 0..24 {
            let moves = all_moves(&game);
            if game.outcome(&moves).is_some() || game.position().occupied().len() < 3 {
                break;
            }
            check_promise(arm, &game, &moves);
            let back = last[ply % 2].and_then(|last| {
                moves.iter().find(|mv| (mv.from(), mv.to()) == (last.to(), last.from()))
            });
            let mv = match back {
                Some(mv) if rng.random_bool(0.8) => *mv,
                _ => *moves.choose(&mut rng).unwrap(),
            };
            last[ply % 2] = Some(mv);
            game.play(mv);
        }
    }
}

fn check_promise(arm: usize, game: &FusionGame, moves: &[Move]) {
    let Some(SolvedValue { winner: Some(winner), plies }) = TABLES[arm].probe(game) else { return };
    let next = moves.iter().map(|&mv| {
        let mut next = game.clone();
        next.play(mv);
        match next.outcome_now() {
            Some(outcome) => Some(SolvedValue { winner: outcome.winner, plies: 0 }),
            None => TABLES[arm].probe(&next),
        }
    });
    let kept = Some(SolvedValue { winner: Some(winner), plies: plies - 1 });
    let next: Vec<Option<SolvedValue>> = next.collect();
    assert!(next.contains(&kept), "{}", game.to_text());
    if game.side_to_move() != winner {
        let lost = |next: &Option<SolvedValue>| {
            next.is_some_and(|next| next.winner == Some(winner) && next.plies < plies)
        };
        assert!(next.iter().all(lost), "{}", game.to_text());
    }
}

/// Black's moves to a third occurrence come first, else any move.
fn spoilt(game: &FusionGame, rng: &mut ChaCha8Rng) -> Move {
    let moves = all_moves(game);
    let draws = |mv: &&Move| {
        let mut next = game.clone();
        next.play(**mv);
        next.outcome_now().is_some()
    };
    *moves.iter().find(draws).unwrap_or_else(|| moves.choose(rng).unwrap())
}

/// White missed mate in one twice and then let the King out: nothing stands until the next
/// mate in one, but there is advice.
#[test]
fn after_repetitions_mate_is_still_found() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut game = game("orthodox", "8/8/8/8/8/1K6/7R/k7 w - - 0 1");
        played(&mut game, "h2h3 a1b1 h3h2 b1a1 h2h3 a1b1 h3h8 b1c1");
        assert_eq!(TABLES[0].probe(&game), None);
        let outcome = loop {
            let mv = match game.side_to_move() {
                Side::First => best(&mut search(0, game.clone()), 1 + seed as u32, &mut rng),
                Side::Second => spoilt(&game, &mut rng),
            };
            game.play(mv);
            if let Some(outcome) = game.outcome_now() {
                break outcome;
            }
        };
        assert_eq!(outcome.ending, CHECKMATE, "{seed}: {}", game.to_text());
        assert!(game.position().halfmove_clock() < 60, "{seed}: {}", game.to_text());
    }
}

#[test]
fn rule_sets_share_the_tables_that_they_have_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (rules("orthodox"), rules("orthodox,castling=no"));
    tiny::build(folder.path(), 'R', &one);
    let all = Tables::open_all(folder.path(), &[one, other]).unwrap();
    let tables: Vec<_> =
        all.iter().map(|tables| tables.table(&LAYOUT.material()).unwrap()).collect();
    assert!(std::ptr::eq(tables[0], tables[1]));
    assert!(Tables::open_all(folder.path(), &[one, rules("fusion-1999")]).is_err());
}

/// Nothing is known of these rules' positions.
#[derive(Debug)]
struct Ignorant;

impl Tablebase<FusionGame> for Ignorant {
    fn probe(&self, _: &FusionGame) -> Option<SolvedValue> {
        None
    }

    fn contents(&self) -> Vec<String> {
        Vec::new()
    }

    fn hash(&self) -> String {
        String::new()
    }
}

#[test]
fn an_oracle_that_knows_nothing_changes_nothing() {
    for name in ["fusion-2020", "orthodox"] {
        let trees =
            [None, Some(Arc::new(Ignorant) as Arc<dyn Tablebase<FusionGame>>)].map(|oracle| {
                let model = Model::open::<FusionGame>("material", []).unwrap();
                let game = FusionGame::new(&rules(name));
                let mut search = Search::new(SearchConfig::default(), game).with_tablebase(oracle);
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                let mut seen = Vec::new();
                for _ in 0..4 {
                    search.run(model.evaluator(1).as_mut(), 800);
                    let visits = search.children().iter().map(|child| child.visits).collect();
                    let mv = search.best_move(&mut rng).unwrap();
                    seen.push((mv, search.nodes(), visits));
                    search.advance(mv);
                }
                seen as Vec<(_, usize, Vec<u32>)>
            });
        assert_eq!(trees[0], trees[1]);
    }
}

/// Says that whatever Black is to move in is a draw, and nothing else.
#[derive(Debug)]
struct Lopsided;

impl Tablebase<FusionGame> for Lopsided {
    fn probe(&self, game: &FusionGame) -> Option<SolvedValue> {
        let known = SolvedValue { winner: None, plies: 100 };
        (game.side_to_move() == Side::Second).then_some(known)
    }

    fn contents(&self) -> Vec<String> {
        Vec::new()
    }

    fn hash(&self) -> String {
        String::new()
    }
}

/// A root that is known, but whose moves are not, is searched: a move is wanted, and its result
/// names none.
#[test]
fn a_root_is_searched_until_its_moves_are_known() {
    let start = FusionGame::new(&rules("fusion-2020"));
    let search = Search::new(SearchConfig::default(), start);
    let mut search = search.with_tablebase(Some(Arc::new(Lopsided)));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mv = best(&mut search, 100, &mut rng);
    let moves = search.children().len() as u64;
    assert_eq!((search.proof(), search.tablebase_hits()), (Proof::Draw, moves));
    search.advance(mv);
    assert_eq!(search.proof(), Proof::Unknown);
    best(&mut search, 100, &mut rng);
    assert_eq!((search.proof(), search.visits()), (Proof::Unknown, 100));
}

#[test]
fn other_tables_have_another_hash() {
    let folder = tempfile::tempdir().unwrap();
    let orthodox = rules("orthodox");
    tiny::build(folder.path(), 'R', &orthodox);
    let open = || Tables::open(folder.path(), &orthodox).unwrap();
    let before = open().sha256();
    assert_eq!((before.len(), &before), (64, &TABLES[0].sha256()));
    assert_ne!(before, TABLES[1].sha256());
    tiny::build(folder.path(), 'N', &orthodox);
    assert_ne!(open().sha256(), before);
    assert_eq!(open().contents(), ["KRvK", "KNvK"]);
}

#[test]
fn a_folder_without_tables_is_rejected_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let error = FusionGame::tablebases(&[rules("orthodox")], folder.path()).unwrap_err();
    assert_eq!(error.kind(), OpenErrorKind::Missing);
}
