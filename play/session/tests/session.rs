//! Requests and replies of a session.

use fusion_play::{LEVELS, Session};
use fusion_registry::KnownGame;
use proptest::prelude::*;
use serde_json::{Value, json};

fn session() -> Session {
    Session::new(&[]).unwrap()
}

fn send(session: &mut Session, request: &Value) -> Value {
    serde_json::from_str(&session.handle(&request.to_string())).unwrap()
}

/// Returns the reply to a request that is accepted.
fn ok(session: &mut Session, request: &Value) -> Value {
    let mut reply = send(session, request);
    assert!(reply["error"].is_null(), "{reply}");
    reply["ok"].take()
}

/// Returns the kind and the message of a rejection.
fn refused(session: &mut Session, request: &Value) -> (String, String) {
    let reply = send(session, request);
    let text = |name: &str| reply["error"][name].as_str().unwrap_or_default().to_owned();
    (text("kind"), text("message"))
}

fn at(rules: &str, moves: &[&str]) -> Value {
    json!({ "rules": rules, "moves": moves })
}

#[test]
fn a_position_has_all_that_a_page_shows() {
    let mut session = session();
    let moves = ["g1f3", "g8f6", "f1e2", "e7e6"];
    let moves = ["e2e3", "a7a6"].into_iter().chain(moves).collect::<Vec<_>>();
    let request = json!({ "request": "position", "at": at("fusion-2020", &moves) });
    let position = ok(&mut session, &request);
    let legal = position["legal"].as_array().unwrap();
    // The Bishop moves onto the Knight.
    let fusion = legal.iter().find(|mv| mv["text"] == "e2f3").unwrap();
    assert_eq!(fusion["kind"], "fusion");
    assert_eq!(fusion["words"], "Bf3=BN");
    assert_eq!(fusion["becomes"]["figure"], "BN");
    assert_eq!(position["history"][2]["words"], "Nf3");
    assert_eq!(position["pieces"].as_array().unwrap().len(), 32);
    assert_eq!(position["side"], "first");
    assert_eq!(position["players"], json!(["White", "Black"]));
    assert!(position["outcome"].is_null() && position["threatened"] == json!([]));
    let mate =
        json!({ "request": "position", "at": at("orthodox", &["f2f3", "e7e5", "g2g4", "d8h4"]) });
    let over = ok(&mut session, &mate);
    assert_eq!(over["outcome"]["winner"], "second");
    assert_eq!(over["outcome"]["words"], "checkmate");
    assert_eq!((over["legal"].clone(), over["threatened"].clone()), (json!([]), json!(["e1"])));
}

#[test]
fn rules_are_explained_and_contradictions_named() {
    let mut session = session();
    let rules =
        ok(&mut session, &json!({ "request": "rules", "rules": "fusion-2020,castling=yes" }));
    assert_eq!(rules["name"], "fusion-2020");
    let toggle = |name: &str| {
        let all = rules["toggles"].as_array().unwrap();
        all.iter().find(|toggle| toggle["name"] == name).unwrap().clone()
    };
    assert_eq!(toggle("attacked-split")["sentence"], "An attacked compound may not split.");
    let shown = &toggle("attacked-split")["examples"][0];
    assert_eq!(shown["why"], "The Queen is attacked by the Rook on d8, so it may not split.");
    let castling = toggle("castling");
    assert_eq!(castling["choices"][1]["rules"], "fusion-2020,castling=no");
    assert_eq!(castling["differs"], false);
    let rules = ok(&mut session, &json!({ "request": "rules", "rules": "orthodox" }));
    let all = rules["toggles"].as_array().unwrap();
    assert!(all.iter().all(|toggle| toggle["differs"] == false));
    let needs = all.iter().find(|toggle| toggle["name"] == "fusion-needs").unwrap();
    let refusal = needs["choices"][1]["refused"].as_str().unwrap();
    assert!(refusal.contains("is a condition on fusion"), "{refusal}");
    let wrong = json!({ "request": "rules", "rules": "orthodox,fusion-needs=no-queen" });
    let (kind, message) = refused(&mut session, &wrong);
    assert!(kind == "rules" && message.contains("contradicts itself"), "{message}");
}

#[test]
fn every_preset_is_described() {
    let mut session = session();
    let start = ok(&mut session, &json!({ "request": "start" }));
    assert_eq!(start["levels"].as_array().unwrap().len(), LEVELS.len());
    for preset in start["presets"].as_array().unwrap() {
        let rules = ok(&mut session, &json!({ "request": "rules", "rules": preset["name"] }));
        assert_eq!(rules["name"], preset["name"]);
        // A file that defines a game has no examples.
        if preset["name"].as_str().unwrap().contains('#') {
            continue;
        }
        for toggle in rules["toggles"].as_array().unwrap() {
            let shown = toggle["examples"] != json!([]);
            assert_eq!(toggle["differs"], shown, "{}: {}", preset["name"], toggle["name"]);
        }
    }
}

#[test]
fn searches_go_on_and_levels_choose() {
    let mut session = session();
    let position = at("orthodox", &["f2f3", "e7e5", "g2g4"]);
    let request =
        json!({ "request": "search", "at": position, "nodes": 4000, "slice": 500, "lines": 3 });
    let mut nodes = 0;
    let found = loop {
        let found = ok(&mut session, &request);
        let now = found["nodes"].as_u64().unwrap();
        assert!(now > nodes && now <= nodes + 500, "{found}");
        nodes = now;
        if found["done"] == true {
            break found;
        }
    };
    assert_eq!(found["lines"].as_array().unwrap().len(), 3);
    assert_eq!(found["lines"][0]["words"][0], "Qh4#");
    assert_eq!(found["lines"][0]["wdl"], json!([0, 0, 1000]));
    assert_eq!(found["lines"][0]["plies_to_end"], -1);
    assert_eq!(ok(&mut session, &request), found, "a search that is done stays as it is");
    for level in 0..LEVELS.len() {
        let request = json!({ "request": "play", "at": position, "level": level, "slice": 2_000_000, "seed": 3 });
        assert_eq!(ok(&mut session, &request)["move"], "d8h4", "{level}");
    }
    let over = at("orthodox", &["f2f3", "e7e5", "g2g4", "d8h4"]);
    let request = json!({ "request": "search", "at": over, "nodes": 10, "slice": 10, "lines": 1 });
    assert_eq!(refused(&mut session, &request).0, "over");
}

/// A new session gives the same move for the same seed, and others for some other seeds.
#[test]
fn weak_moves_depend_on_the_seed_only() {
    let choose = |seed: u64| {
        let request = json!({ "request": "play", "at": at("fusion-2020", &[]), "level": 0, "slice": 5000, "seed": seed });
        ok(&mut session(), &request)["move"].clone()
    };
    let moves: Vec<Value> = (0..8).map(choose).collect();
    assert_eq!(moves, (0..8).map(choose).collect::<Vec<_>>());
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
}

#[test]
fn games_leave_as_text_and_come_back() {
    let mut session = session();
    let moves = ["e2e3", "a7a6", "g1f3", "a6a5", "f1e2", "a5a4", "e2f3"];
    let line: Vec<Value> = moves.iter().map(|text| json!({ "text": text })).collect();
    let game = json!({ "rules": "fusion-2020,castling=no", "moves": line });
    let request = json!({ "request": "export", "game": game, "players": ["You", "Engine"] });
    let text = ok(&mut session, &request);
    assert!(!text.as_str().unwrap().contains("Ending"), "the game goes on: {text}");
    assert!(text.as_str().unwrap().contains("4. Bf3=BN *"), "{text}");
    let game = ok(&mut session, &json!({ "request": "import", "text": text }));
    assert_eq!(game["rules"], "fusion-2020,castling=no");
    let line = game["moves"].as_array().unwrap();
    assert!(line.iter().map(|mv| &mv["text"]).eq(moves.iter()), "{game}");
    assert_eq!((&line[6]["words"], &line[6]["side"]), (&json!("Bf3=BN"), &json!("first")));
    assert_eq!(game["start"], Value::Null);
    let (kind, _) = refused(&mut session, &json!({ "request": "import", "text": "1. e9 e5 *" }));
    assert_eq!(kind, "text");
    let file = "[RuleSet \"orthodox,start=/etc/hosts.fen\"]\n\n*";
    let (_, message) = refused(&mut session, &json!({ "request": "import", "text": file }));
    assert!(message.contains("cannot be read here"), "{message}");
}

#[test]
fn moves_may_be_in_peoples_notation() {
    let mut session = session();
    // A Bishop moves onto a Knight, and leaves it again.
    let moves = ["e2e3", "a7a6", "g1f3", "a6a5", "f1e2", "a5a4", "e2f3", "a4a3", "f3e2b"];
    let request = |moves: &[&str]| json!({ "request": "position", "at": at("fusion-2020", moves) });
    let expected = ok(&mut session, &request(&moves));
    let words: Vec<String> =
        expected["history"].as_array().unwrap().iter().map(|mv| text(&mv["words"])).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_ne!(words, moves);
    assert_eq!(ok(&mut session, &request(&words)), expected);
}

/// A move that cannot be read costs only itself and what follows it.
#[test]
fn the_good_part_of_a_text_is_read() {
    let mut session = session();
    let pgn = "[White \"Ann\"]\n\n1. e4 (1. d4 d5) 1... e5 {good} 2. Nf3 Ke4 3. Bb5 1-0\n";
    let chesimal =
        "Match 3: Ann - Bob\nchesimal start\n1-0 told\n1. Sf3o: Wf4-f6 {far}\n1... Wf4-f9\n\n";
    let freechess = "Match 3: Ann - Bob\nfreechess-7 start\n* unfinished\nN@d2 N@d9\n\n";
    for (text, moves, bad) in [
        (pgn, 3, "move 2 (Black): no legal move is 'Ke4'"),
        (chesimal, 3, "Wf4-f9"),
        (freechess, 1, "N@d9"),
    ] {
        let game = ok(&mut session, &json!({ "request": "import", "text": text }));
        assert_eq!(game["moves"].as_array().unwrap().len(), moves, "{game}");
        assert!(self::text(&game["unread"]).contains(bad), "{game}");
    }
}

/// What is mended or left out of a text is said.
#[test]
fn mended_positions_and_further_games_are_remarked() {
    let mut session = session();
    let fen = "4k3/8/8/8/8/8/8/4K2R w KQ - 0 0";
    let mut start = at("orthodox", &[]);
    start["start"] = json!(fen);
    let position = ok(&mut session, &json!({ "request": "position", "at": start }));
    assert_eq!(position["remarks"].as_array().unwrap().len(), 2, "{position}");
    let good = json!({ "request": "position", "at": at("orthodox", &["e2e4"]) });
    assert_eq!(ok(&mut session, &good)["remarks"], json!([]));
    let chess = format!("[RuleSet \"orthodox\"]\n[FEN \"{fen}\"]\n\n1. Kf2 *\n");
    let plain = "Match 3: Ann - Bob\nchesimal start\n1-0 told\n1. Sf3o: Wf4-f6\n\n";
    for (text, remarks) in [
        ("1. e4 e5 1-0", 0),
        ("1. e4 e5 1-0\n\n[White \"B\"]\n\n1. d4 d5 *", 1),
        (&chess, 2),
        (plain, 0),
        (&plain.repeat(2), 1),
    ] {
        let game = ok(&mut session, &json!({ "request": "import", "text": text }));
        assert_eq!(game["remarks"].as_array().unwrap().len(), remarks, "{game}");
    }
}

/// What a text says about a game is written again.
#[test]
fn games_keep_what_is_said_about_them() {
    let mut session = session();
    let pgn = "[White \"Ann\"]\n[RuleSet \"orthodox\"]\n\n{begin} 1. e4 $1 {good} (1. d4 {calm} d5 (1... Nf6)) 1... e5 1-0\n";
    let plain = "Match 3: Ann - Bob\nchesimal start\n1-0 told\n1. Sf3o: Wf4-f6 {far}\n\n";
    for (text, parts) in [
        (pgn, &["\"Ann\"", "{begin} 1. e4 $1 {good}", "d4 {calm}", "Nf6", "1... e5 1-0"][..]),
        (plain, &["Match 3: Ann - Bob", "1-0 told", "Wf4-f6 {far}"]),
    ] {
        let game = ok(&mut session, &json!({ "request": "import", "text": text }));
        let request = json!({ "request": "export", "game": game, "players": ["a", "b"] });
        let written = self::text(&ok(&mut session, &request));
        assert!(parts.iter().all(|part| written.contains(part)), "{written}");
        let again = ok(&mut session, &json!({ "request": "import", "text": written }));
        for key in ["rules", "start", "comment", "moves", "result"] {
            assert_eq!(again[key], game[key], "{written}");
        }
    }
}

#[test]
fn a_bad_move_leaves_the_good_ones() {
    let request = json!({ "request": "position", "at": at("orthodox", &["e2e4", "e7e5", "e4e6"]) });
    assert_eq!(send(&mut session(), &request)["error"]["good"], 2);
}

/// Games without a network of the alpha-beta search are played by the tree search.
#[test]
fn shipped_networks_play_all_games() {
    let networks: Vec<&[u8]> =
        KnownGame::ALL.into_iter().filter_map(KnownGame::page_network).collect();
    let mut session = Session::new(&networks).unwrap();
    for (rules, unit) in
        [("orthodox", "positions"), ("freechess-7", "playouts"), ("chesimal-small", "playouts")]
    {
        let told = ok(&mut session, &json!({ "request": "rules", "rules": rules }));
        assert_eq!(told["engine"]["material"], false, "{rules}");
        assert_eq!(told["lessons"] == json!([]), rules == "orthodox");
        let request = json!({ "request": "search", "at": at(rules, &[]), "nodes": 2000, "slice": 700, "lines": 3 });
        let found = loop {
            let found = ok(&mut session, &request);
            if found["done"] == true {
                break found;
            }
        };
        assert_eq!(found["visited"]["unit"], unit);
        assert!(!found["lines"][0]["moves"].as_array().unwrap().is_empty(), "{found}");
        let request = json!({ "request": "play", "at": at(rules, &[]), "level": 0, "slice": 9000, "seed": 1 });
        assert!(ok(&mut session, &request)["move"].is_string());
    }
    let mut material = self::session();
    let told = ok(&mut material, &json!({ "request": "rules", "rules": "freechess" }));
    assert_eq!(told["engine"]["material"], true);
}

/// Returns a text of a reply.
fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn bad_requests_are_named() {
    let mut session = session();
    let long = vec!["e2e4"; 2001];
    for (request, expected) in [
        (json!({}), "request"),
        (json!({ "request": "dance" }), "request"),
        (json!({ "request": "position" }), "request"),
        (json!({ "request": "position", "at": at("chess", &[]) }), "rules"),
        (json!({ "request": "position", "at": at("orthodox,start=x.fen", &[]) }), "rules"),
        (json!({ "request": "position", "at": at("orthodox", &["e2e5"]) }), "move"),
        (json!({ "request": "position", "at": at("orthodox", &long) }), "request"),
        (
            json!({ "request": "position", "at": { "rules": "orthodox", "start": "8/8" } }),
            "position",
        ),
        (json!({ "request": "rules", "rules": "x".repeat(5000) }), "request"),
        (json!({ "request": "count", "at": at("orthodox", &[]), "depth": 9 }), "request"),
        (
            json!({ "request": "play", "at": at("orthodox", &[]), "level": 99, "slice": 1, "seed": 0 }),
            "request",
        ),
        (
            json!({ "request": "search", "at": at("orthodox", &[]), "nodes": 0, "slice": 1, "lines": 1 }),
            "request",
        ),
        (json!({ "request": "import", "text": "x".repeat(1 << 20) }), "request"),
    ] {
        let (kind, message) = refused(&mut session, &request);
        assert_eq!(kind, expected, "{message}");
        assert!(!message.is_empty());
    }
    let moves =
        ok(&mut session, &json!({ "request": "count", "at": at("orthodox", &[]), "depth": 3 }));
    assert_eq!(moves, 8902);
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-h][1-8][a-h][1-8][qrbn]?",
        Just("fusion-2020".to_owned()),
        Just("orthodox,castling=no".to_owned()),
        Just("8/8/8/8/8/8/8/8 w - - 0 1".to_owned()),
        ".{0,30}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any text is answered by an object, and so is any request of the right form.
    #[test]
    fn no_request_panics(
        text in ".{0,200}",
        name in prop::sample::select(vec!["start", "rules", "position", "why", "search", "play", "export", "import", "count", "new"]),
        words in prop::collection::vec(word(), 6),
        numbers in prop::collection::vec(prop_oneof![0u64..4, any::<u64>()], 5),
        start in prop::option::of(word()),
    ) {
        let mut session = session();
        let reply: Value = serde_json::from_str(&session.handle(&text)).unwrap();
        prop_assert!(reply["error"]["message"].is_string());
        let at = json!({ "rules": words[0], "start": start, "moves": [words[1]] });
        let mut request = json!({ "request": name });
        let nodes = numbers[0].min(2000);
        let all = json!({
            "at": at, "rules": words[0], "from": words[2], "to": words[3], "nodes": nodes,
            "slice": numbers[1].min(2000), "lines": numbers[2], "level": numbers[3] % 3, "seed": numbers[4],
            "game": { "rules": words[0], "start": start, "moves": [{ "text": words[1] }] },
            "players": [words[4], words[5]], "text": words[5], "depth": numbers[3],
        });
        let wanted: &[&str] = match name {
            "rules" => &["rules"],
            "position" => &["at"],
            "why" => &["at", "from", "to"],
            "search" => &["at", "nodes", "slice", "lines"],
            "play" => &["at", "level", "slice", "seed"],
            "export" => &["game", "players"],
            "import" => &["text"],
            "count" => &["at", "depth"],
            _ => &[],
        };
        for key in wanted {
            request[*key] = all[*key].clone();
        }
        let reply = send(&mut session, &request);
        prop_assert!(reply.get("ok").is_some() || reply["error"]["message"].is_string(), "{reply}");
    }
}
