//! The requests about one kind of game.

use super::replay::{first, replay};
use super::request::{Request, Setting, reject};
use super::search::{Engine, Networks};
use super::{Answers, Rejection, Reply, position, rules};
use fusion_game::{BoardGame, ReadGame, ReadLine};
use serde_json::{Value, json};

/// Answers requests about the game `G`.
pub(crate) struct GameSession<G: BoardGame> {
    engine: Engine<G>,
}

impl<G: BoardGame> GameSession<G> {
    pub(crate) fn new(networks: Networks) -> Self {
        Self { engine: Engine::new(networks) }
    }
}

impl<G: BoardGame> Answers for GameSession<G> {
    fn forget(&mut self) {
        self.engine.forget();
    }

    fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::Rules { rules } => {
                let mut described = rules::describe::<G>(rules)?;
                let parsed = G::parse_rules(rules).map_err(|message| reject("rules", message))?;
                described["engine"] = json!(self.engine.describe(&parsed));
                Ok(described)
            }
            Request::Position { at } => {
                let record = |game: &G, mv| (mv, position::view_move(game, mv));
                let (game, plies) = replay::<G, _>(at, record)?;
                let (moves, history): (Vec<_>, Vec<_>) = plies.into_iter().unzip();
                let (first, remarks) = first::<G>(at)?;
                let turns = position::turns(&first, &moves);
                let mut described = position::describe(&position::Played { game, history, turns });
                described["remarks"] = json!(remarks);
                Ok(described)
            }
            Request::Why { at, from, to } => {
                let (game, _) = replay::<G, _>(at, |_, _| ())?;
                let over = game.outcome_now().map(|outcome| outcome.ending.kind().words);
                let over = over.map(|words| format!("The game is over: {words}."));
                Ok(json!(over.or_else(|| game.why_illegal(from, to))))
            }
            Request::Search { at, nodes, slice, lines } => {
                self.engine.search(at, *nodes, *slice, *lines)
            }
            Request::Play { at, level, slice, seed } => self.engine.play(at, *level, *slice, *seed),
            Request::Export { game, players } => G::write_text(game, players)
                .map(Value::from)
                .map_err(|reason| reject("text", reason)),
            Request::Count { at, depth } => {
                let (game, _) = replay::<G, _>(at, |_, _| ())?;
                Ok(json!(game.perft(*depth)))
            }
            Request::Start {}
            | Request::Import { .. }
            | Request::File { .. }
            | Request::Definition { .. }
            | Request::New {} => Ok(Value::Null),
        }
    }
}

/// Describes a game that was read: the rules, the first position, the tags and the result, the moves with
/// all that is said about them, and what is wrong with the first move that could not be read.
pub(crate) fn describe_read<G: BoardGame>(read: &ReadGame) -> Reply {
    let (rules, start) = (read.rules.clone(), read.start.clone());
    let (first, _) = first::<G>(&Setting { rules, start, moves: Vec::new() })?;
    let mut told = describe_line(first, &read.line)?;
    for (key, value) in [
        ("rules", json!(read.rules)),
        ("start", json!(read.start)),
        ("tags", json!(read.tags)),
        ("result", json!(read.result)),
        ("unread", json!(read.unread)),
        ("remarks", json!(read.remarks)),
    ] {
        told[key] = value;
    }
    Ok(told)
}

/// Describes moves from a position, with their words and who makes them.
fn describe_line<G: BoardGame>(mut game: G, line: &ReadLine) -> Reply {
    let mut moves = Vec::new();
    for read in &line.moves {
        let variations: Result<Vec<Value>, Rejection> =
            read.variations.iter().map(|line| describe_line(game.clone(), line)).collect();
        let mv = game.parse_move(&read.text).ok_or_else(|| reject("move", read.text.clone()))?;
        moves.push(json!({
            "text": read.text,
            "words": game.move_words(mv),
            "side": game.side_to_move(),
            "comment": read.comment,
            "glyphs": read.glyphs,
            "variations": variations?,
        }));
        game.play(mv);
    }
    Ok(json!({ "comment": line.comment, "moves": moves }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::RuleSet;
    use fusion_game::toy::{TicTacToe, Variant};
    use fusion_network::views::{ViewFloats, ViewNetwork};
    use fusion_network::{FloatNetwork, Network};

    /// Double turns have an input more.
    #[test]
    fn each_rule_set_is_played_with_a_network_that_fits() {
        let [normal, double] = ["normal", "double"].map(|name| Variant::parse(name).unwrap());
        let tree = FloatNetwork::random::<TicTacToe>(&normal, 64, 1).unwrap();
        let tree = Network::quantise::<TicTacToe>(&normal, &tree).unwrap();
        let moves = ViewFloats::random::<TicTacToe>(&double, 64, 1).unwrap();
        let moves = ViewNetwork::quantise::<TicTacToe>(&double, &moves).unwrap();
        let networks = [tree.bytes(), moves.bytes(), b"no network"];
        let mut used = [false; 3];
        let mut session = crate::game_session::<TicTacToe>(&networks, &mut used);
        assert_eq!(used, [true, true, false]);
        let mut ask = |text: &str| {
            let request = Request::parse(text).map_err(|rejection| rejection.message).unwrap();
            session.answer(&request).map_err(|rejection| rejection.message).unwrap()
        };
        for (rules, unit) in [
            ("normal", "playouts"),
            ("double", "positions"),
            ("misere", "playouts"),
            ("double-misere", "positions"),
        ] {
            let told = ask(&format!(r#"{{"request": "rules", "rules": "{rules}"}}"#));
            assert_eq!(
                (&told["engine"]["material"], &told["engine"]["unit"]),
                (&json!(false), &json!(unit))
            );
            let at = format!(r#""at": {{"rules": "{rules}", "moves": ["a1"]}}"#);
            let search =
                format!(r#"{{"request": "search", {at}, "nodes": 900, "slice": 500, "lines": 1}}"#);
            assert_eq!(ask(&search)["visited"]["unit"], unit);
            assert!(ask(&search)["done"] == true, "{rules}");
        }
    }

    /// A session works for a game other than chess.
    #[test]
    fn another_game_is_played() {
        let mut session = GameSession::<TicTacToe>::new(Networks::default());
        let mut ask = |text: &str| {
            let request = Request::parse(text).map_err(|rejection| rejection.message).unwrap();
            session.answer(&request).map_err(|rejection| rejection.message)
        };
        let at = r#""at": {"rules": "normal", "moves": ["a1", "a2", "b1", "b2"]}"#;
        let position = ask(&format!(r#"{{"request": "position", {at}}}"#)).unwrap();
        assert_eq!(position["players"][0], "Crosses");
        assert_eq!(position["legal"].as_array().unwrap().len(), 5);
        assert_eq!(position["turns"].as_array().unwrap().len(), 4);
        let double = r#"{"request": "position", "at": {"rules": "double", "moves": ["a1", "a2", "b1", "b2"]}}"#;
        let turns = ask(double).unwrap()["turns"].clone();
        assert_eq!(turns[1], json!({ "side": "second", "plies": 2, "words": "a2 b1" }));
        let play = format!(r#"{{"request": "play", {at}, "level": 4, "slice": 5000, "seed": 1}}"#);
        assert_eq!(ask(&play).unwrap()["move"], "c1");
        let rules = ask(r#"{"request": "rules", "rules": "misere"}"#).unwrap();
        assert_eq!(rules["toggles"][0]["differs"], true);
        let game = r#""game": {"rules": "normal", "moves": [{"text": "a1"}, {"text": "a2"}]}"#;
        let text = format!(r#"{{"request": "export", {game}, "players": ["a", "b"]}}"#);
        assert!(ask(&text).unwrap().as_str().unwrap().contains("* unfinished\na1 a2"));
    }
}
