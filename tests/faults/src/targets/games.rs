//! Rules, positions, moves and whole games as text, of every game in the list of games.

use fusion_game::{BoardGame, Ending, Game, GameText, Outcome, RuleSet};
use fusion_registry::{KnownGame, for_game};

/// Most moves that are played: a fuzzer gains nothing by more.
const MOST_MOVES: usize = 64;

/// Reads a rule set, a position and moves, each on a line of its own.
pub(super) fn position(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let [rules, position, moves] = [(); 3].map(|()| lines.next().unwrap_or_default());
    for_game!(KnownGame::of_rules(rules), G => play::<G>(rules, position, moves));
}

fn play<G: BoardGame>(rules: &str, position: &str, moves: &str) {
    let Ok(rules) = G::parse_rules(rules) else { return };
    assert_eq!(G::Rules::parse(&rules.to_string()).as_ref(), Ok(&rules));
    let mut game = match position {
        "" => G::new(&rules),
        text => match G::from_text(&rules, text) {
            Ok(game) => game,
            Err(reason) => return assert!(!reason.is_empty()),
        },
    };
    check(&game);
    for text in moves.split_whitespace().take(MOST_MOVES) {
        let Some(mv) = game.parse_move(text) else { return };
        assert!(game.outcome_now().is_none() || legal(&game).contains(&mv));
        game.play(mv);
        check(&game);
    }
}

/// Checks that the texts of a position and of its moves come back.
fn check<G: BoardGame>(game: &G) {
    let text = game.to_text();
    let read = G::from_text(game.rules(), &text);
    let read = read.unwrap_or_else(|reason| panic!("{text}: {reason}"));
    assert_eq!((read.to_text(), read.hash()), (text.clone(), game.hash()));
    for mv in legal(game) {
        let written = game.move_text(mv);
        assert!(game.parse_move(&written) == Some(mv), "{written} in {text}");
        assert!(game.decode_move(game.encode_move(mv)) == Some(mv), "{written} in {text}");
    }
}

fn legal<G: Game>(game: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    moves
}

/// Reads a game by every kind of game. A game that is accepted is written and comes back.
pub(super) fn game_text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for known in KnownGame::ALL {
        for_game!(known, G => read::<G>(text));
    }
}

fn read<G: BoardGame>(text: &str) {
    let Ok(game) = G::read_game(text) else { return };
    let written = GameText {
        event: "Fuzz".into(),
        round: "1".into(),
        players: ["a".into(), "b".into()],
        rules: game.rules.clone(),
        start: game.start.clone(),
        moves: game.moves().iter().map(|mv| (mv.clone(), None)).collect(),
        outcome: Some(Outcome { winner: None, ending: Ending::CAP }),
    };
    let mut out = Vec::new();
    G::write_game(&written, &mut out).unwrap_or_else(|error| panic!("{text}: {error}"));
    let again = G::read_game(&String::from_utf8_lossy(&out));
    let again = again.unwrap_or_else(|reason| panic!("{text}: {reason}"));
    assert_eq!((&again.rules, &again.start), (&game.rules, &game.start), "{text}");
    // Different moves may be written alike if they lead to the same position.
    assert_eq!(again.moves().is_empty(), game.moves().is_empty(), "{text}");
}
