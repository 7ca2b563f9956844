//! Games of a person's own file.

use fusion_play::Session;
use serde_json::{Value, json};

const FILE: &str = "[cleric-chess:chess]\nbishop = -\ncustomPiece1 = c:NF\n\
    startFen = rncqkcnr/pppppppp/8/8/8/8/PPPPPPPP/RNCQKCNR w KQkq - 0 1\n\
    promotionPieceTypes = qrcn\n[bad:chess]\ncastlng = no\nstalemateValue = maybe\n";

fn send(session: &mut Session, request: &Value) -> Result<Value, String> {
    let mut reply: Value = serde_json::from_str(&session.handle(&request.to_string())).unwrap();
    match reply["error"]["message"].as_str() {
        Some(message) => Err(message.to_owned()),
        None => Ok(reply["ok"].take()),
    }
}

fn file(session: &mut Session, name: &str, text: &str) -> Result<Value, String> {
    send(session, &json!({ "request": "file", "name": name, "text": text }))
}

fn rules(session: &mut Session, rules: &str) -> Result<Value, String> {
    send(session, &json!({ "request": "rules", "rules": rules }))
}

#[test]
fn a_file_gives_games_and_all_its_problems() {
    let mut session = Session::new(&[]).unwrap();
    let unknown = rules(&mut session, "one.ini#cleric-chess").unwrap_err();
    assert_eq!(unknown, "'one.ini' is no file that this page knows: give its text first");
    let read = file(&mut session, "one.ini", FILE).unwrap();
    assert_eq!(read["name"], "one.ini");
    let game = json!({ "name": "one.ini#cleric-chess", "about": "cleric-chess", "remarks": [] });
    assert_eq!(read["games"], json!([game]));
    let problems: Vec<&str> =
        read["problems"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("one.ini:7: [bad] castlng: no option has this name"));
    assert!(problems[1].starts_with("one.ini:8: [bad] stalemateValue: "), "{problems:?}");
}

#[test]
fn a_game_of_a_file_is_explained_and_played_by_material() {
    let mut session = Session::new(&[]).unwrap();
    file(&mut session, "two.ini", FILE).unwrap();
    let told = rules(&mut session, "two.ini#cleric-chess,castling=no").unwrap();
    assert_eq!(told["name"], "two.ini#cleric-chess@7ff019c0,castling=no");
    assert_eq!(told["engine"]["material"], true);
    assert!(told["engine"]["words"].as_str().unwrap().contains("no network"));
    let sentences = told["sentences"].as_array().unwrap();
    assert!(
        sentences.iter().any(|words| words.as_str().unwrap().contains("Q R C N")
            || words.as_str().unwrap().contains('C')),
        "{sentences:?}"
    );
    let at = json!({ "rules": told["name"], "moves": ["e2e4"] });
    let play = json!({ "request": "play", "at": at, "level": 7, "slice": 300, "seed": 1 });
    let reply = send(&mut session, &play).unwrap();
    assert!(reply["nodes"].as_u64().unwrap() > 0, "{reply}");
    let position = send(&mut session, &json!({ "request": "position", "at": at })).unwrap();
    let cleric = position["pieces"].as_array().unwrap().iter().find(|it| it["space"] == "c1");
    // Pieces that players know have their figure, others a letter.
    assert_eq!(cleric.unwrap()["figure"], "c");
    let king = position["pieces"].as_array().unwrap().iter().find(|it| it["space"] == "e1");
    assert_eq!(king.unwrap()["figure"], "K");
}

#[test]
fn a_definition_is_known_by_its_name_and_hash() {
    let mut session = Session::new(&[]).unwrap();
    file(&mut session, "three.ini", FILE).unwrap();
    let definition = rules(&mut session, "three.ini#cleric-chess").unwrap()["definition"].take();
    let text = definition["text"].as_str().unwrap();
    // The page that opens a link knows only the definition in it.
    let know = |session: &mut Session, name: &str, text: &str| {
        send(session, &json!({ "request": "definition", "name": name, "text": text }))
    };
    let name = "four.ini#cleric-chess@7ff019c0";
    let other = text.replace("piece1 = c:", "piece1 = c:K");
    for (name, text, reason) in [
        (name, other.replace("c:NF", "c:NFA").as_str(), "does not define"),
        ("four.ini#cleric-chess", text, "does not define"),
        ("variants#cleric-chess@7ff019c0", text, "does not define"),
        ("four.ini#cleric-chess@7ff019c0,castling=no", text, "does not define"),
        (name, "[other]\n", "no section [cleric-chess]"),
        ("four", text, "names no section"),
    ] {
        let error = know(&mut session, name, text).unwrap_err();
        assert!(error.contains(reason), "{name}: {error}");
        assert!(rules(&mut session, "four.ini#cleric-chess@7ff019c0").is_err());
    }
    assert_eq!(know(&mut session, name, text), Ok(Value::Null));
    let told = rules(&mut session, &format!("{name},stalemateValue=loss")).unwrap();
    assert_eq!(told["name"], format!("{name},stalemateValue=loss"));
}

#[test]
fn names_of_files_are_parts_of_rule_sets() {
    let mut session = Session::new(&[]).unwrap();
    for (name, known) in [
        ("my, own#file@home.ini", "my_ own_file_home.ini"),
        ("variants", "variants.ini"),
        (" ", "file.ini"),
    ] {
        let read = file(&mut session, name, "[a:chess]\n").unwrap();
        assert_eq!(read["name"], known);
        let game = read["games"][0]["name"].as_str().unwrap();
        assert_eq!(game, format!("{known}#a"));
        assert!(rules(&mut session, game).is_ok());
    }
    assert!(file(&mut session, "", "[a:chess]\n").unwrap_err().contains("length of a name"));
    let sections: String = (0..501).map(|number| format!("[a{number}:chess]\n")).collect();
    assert!(file(&mut session, "many.ini", &sections).unwrap_err().contains("at most 500"));
    assert!(file(&mut session, "broken.ini", "no section").unwrap_err().contains("broken.ini:1"));
}

/// A network of chess games does not fit, whatever the game is.
#[test]
fn networks_of_other_games_are_not_used() {
    let nets = ["family-pvs", "family", "freechess", "chesimal"];
    let nets = nets.map(|name| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/nets");
        std::fs::read(format!("{root}/{name}.fnet")).unwrap()
    });
    let nets: Vec<&[u8]> = nets.iter().map(Vec::as_slice).collect();
    let mut session = Session::new(&nets).unwrap();
    file(&mut session, "five.ini", FILE).unwrap();
    for name in ["variants#chess", "variants#capablanca", "five.ini#cleric-chess"] {
        assert_eq!(rules(&mut session, name).unwrap()["engine"]["material"], true, "{name}");
    }
    assert_eq!(rules(&mut session, "orthodox").unwrap()["engine"]["material"], false);
}
