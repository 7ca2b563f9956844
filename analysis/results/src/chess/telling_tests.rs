use super::*;
use crate::games::test_row;
use fusion_chess::notation::pgn;
use fusion_game::EventSet;

fn won(rules: &str, opening: u64, plies: u32, drama: f64) -> GameRow {
    GameRow { plies, drama: Some(drama), ..test_row(rules, 8, opening, false) }
}

fn drawn(rules: &str, opening: u64, plies: u32) -> GameRow {
    GameRow { plies, ..test_row(rules, 8, opening, true) }
}

/// Adds an event at ply 3 to a game, `count` times.
fn with_events(mut row: GameRow, column: &str, count: u32) -> GameRow {
    let kind = FusionGame::EVENTS.place(column).unwrap();
    (0..count).for_each(|_| row.events.add(EventSet::default().with(kind, true), 3));
    row
}

/// Returns games of two rule sets from four openings. Other budgets and rule sets have more extreme
/// values.
fn rows() -> Vec<GameRow> {
    vec![
        won("a", 0, 50, 0.2),
        won("a", 1, 60, 0.4),
        drawn("a", 2, 90),
        won("a", 3, 30, 0.5),
        drawn("b", 0, 70),
        drawn("b", 1, 80),
        with_events(won("b", 2, 40, 0.1), "escapes", 3),
        GameRow { lead_changes: 2, ..won("b", 3, 30, 0.5) },
        won("c", 0, 8, 0.9),
        GameRow { nodes: 99, ..won("a", 0, 7, 0.8) },
        with_events(drawn("c", 1, 500), "escapes", 9),
    ]
}

fn chosen(rows: &[GameRow], primary: (&str, &str)) -> Vec<(usize, Reason)> {
    Telling::new(rows, 8, Some(primary)).finish(rows, |_| None)
}

#[test]
fn each_criterion_chooses_among_the_compared_games() {
    let found = chosen(&rows(), ("b", "a"));
    let of = |row: usize| &found.iter().find(|(known, _)| *known == row).unwrap().1;
    let order: Vec<usize> = found.iter().map(|(row, _)| *row).collect();
    // Of two games with equal drama, and of two equally short mates, the first is selected. It is
    // shown once.
    assert_eq!(order, [3, 1, 5, 6, 2]);
    assert_eq!(of(3).title, "Most dramatic; shortest mate");
    assert!(of(3).why.starts_with("Drama 0.500, the most of the 5 decisive games under b and a:"));
    assert!(
        of(3)
            .why
            .contains("Mate after 30 plies, the opening’s 0 among them: the fewest of the 5 mates")
    );
    assert_eq!(of(1).title, "Won under a, drawn under b");
    assert!(of(1).why.contains("From opening 1 White won under a (checkmate, 60 plies); under b the game was drawn (threefold repetition, 80 plies)."));
    assert!(of(1).why.contains("2 openings were won under a and drawn under b, and 1 the other way round; this is the one whose won game has the most drama, 0.400."));
    assert_eq!(of(5).title, "The same opening, drawn");
    assert_eq!(of(6).title, ESCAPE);
    assert!(of(6).why.starts_with("3 checks in this game could be answered by a fusion or fission only, the most of the 1 game under b and a with such a check. White won (checkmate)."), "{}", of(6).why);
    assert_eq!(of(2).title, "Longest game");
    assert!(of(2).why.starts_with("90 plies, the most of the 8 games under b and a. It was drawn"));
}

#[test]
fn without_the_pair_all_rule_sets_count() {
    let found = chosen(&rows(), ("b", "x"));
    let titles: Vec<(usize, &str)> =
        found.iter().map(|(row, reason)| (*row, reason.title.as_str())).collect();
    let expected = [(8, "Most dramatic; shortest mate"), (10, "Escape from mate; longest game")];
    assert_eq!(titles, expected);
    assert!(found[0].1.why.contains("of this run"));
}

#[test]
fn nothing_is_claimed_that_the_games_do_not_have() {
    let rows: Vec<GameRow> = ["a", "b"].map(|rules| drawn(rules, 0, 20)).into();
    let found = chosen(&rows, ("a", "b"));
    let titles: Vec<&str> = found.iter().map(|(_, reason)| reason.title.as_str()).collect();
    assert_eq!(titles, ["Longest game"]);
    assert!(chosen(&[], ("a", "b")).is_empty());
}

/// A game whose last ply puts the Rook on the King.
const GAME: &str = "[Event \"x\"]\n[RuleSet \"fusion-2020\"]\n[FEN \"4k3/8/8/8/8/8/r7/4K2R w - - 0 1\"]\n\n1. Rf1 {[%wdl 300,400,300]} Rb2 {[%wdl 250,400]} 2. Re1=KR {[%wdl 100,300,600]} 1/2-1/2\n";

#[test]
fn a_fusion_with_the_king_is_told_with_its_expectation() {
    let game = pgn::read(GAME.as_bytes()).next().unwrap().unwrap();
    let rows = vec![
        with_events(drawn("a", 0, 3), "royal_fusions", 1),
        with_events(drawn("b", 0, 3), "royal_fusions", 1),
        drawn("b", 1, 9),
    ];
    let chances = |win, draw| [None, None, Some([win, draw, 1000 - win - draw])];
    let mut telling = Telling::new(&rows, 8, Some(("a", "b")));
    assert!(telling.looks_at(0, &rows[0], &game, &chances(100, 300)));
    assert!(!telling.looks_at(1, &rows[1], &game, &chances(100, 301)), "a higher expectation");
    assert!(!telling.looks_at(2, &rows[2], &game, &chances(0, 0)), "no such fusion by its row");
    let found = telling.finish(&rows, |row| (row == 0).then_some(&game));
    let held = found.iter().find(|(row, _)| *row == 0).unwrap();
    assert_eq!(held.1.title, "Draw held by a fusion with the King");
    assert_eq!(
        held.1.why,
        "White expected 0.25 of a point when its King was fused by 2. Re1=KR+, the least of the 2 drawn games under a and b with such a fusion; the game was drawn (threefold repetition)."
    );
}

#[test]
fn an_escape_is_told_with_its_move() {
    // The King is in the corner. A Rook checks on the back rank. The King can leave the rank only
    // by fusing with its own Rook.
    let text = "[Event \"x\"]\n[RuleSet \"fusion-1999\"]\n[FEN \"7k/6pr/8/8/8/8/8/R3K3 w - - 0 1\"]\n\n1. Ra8+ *\n";
    let game = pgn::read(text.as_bytes()).next().unwrap().unwrap();
    let (position, _) = before(&game, 0).unwrap();
    let mut state = FusionGame::at("fusion-1999".parse().unwrap(), position);
    state.play(game.moves[0].mv);
    let mut legal = Vec::new();
    state.legal_moves(&mut legal);
    let fusion = legal.iter().find(|mv| mv.kind() == MoveKind::Fusion);
    let saved = escapes(&state, &legal);
    let Some(&mv) = fusion.filter(|_| saved) else {
        panic!("{}: {legal:?}", state.to_text());
    };
    let mut game = game.clone();
    game.moves.push(mv.into());
    let told = first_escape(&game, 0).unwrap();
    assert!(told.starts_with("Black answered check by 1… "), "{told}");
    assert!(
        told.contains("(ply 2); without fusion and fission it would have been mate."),
        "{told}"
    );
    assert_eq!(first_escape(&game, 2), None, "the opening is not searched");
}
