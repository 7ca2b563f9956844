//! The position that the page shows until its engine is ready is the one that the engine shows then.

use fusion_play::Session;
use serde_json::{Value, json};
use std::path::Path;

fn ask(session: &mut Session, request: Value) -> Value {
    let reply: Value = serde_json::from_str(&session.handle(&request.to_string())).unwrap();
    reply["ok"].clone()
}

/// Returns the initial position of the first preset, what is needed to draw it, and the presets that have the
/// same one.
fn first(session: &mut Session) -> Value {
    let start = ask(session, json!({ "request": "start" }));
    let names = start["presets"].as_array().unwrap().iter().map(|preset| preset["name"].clone());
    let names: Vec<Value> = names.collect();
    let mut shown = |name: &Value| {
        let rules = ask(session, json!({ "request": "rules", "rules": name }));
        let position = ask(session, json!({ "request": "position", "at": { "rules": name } }));
        let parts = ["side", "players", "board", "pieces"];
        let position: serde_json::Map<_, _> =
            parts.map(|part| (part.to_owned(), position[part].clone())).into_iter().collect();
        json!({ "figures": rules["figures"], "position": position })
    };
    let mut first = shown(&names[0]);
    let same: Vec<&Value> = names.iter().filter(|name| shown(name) == first).collect();
    first["presets"] = json!(same);
    first
}

#[test]
fn the_first_position_is_that_of_the_engine() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../page/site/first.json");
    let expected = format!("{}\n", first(&mut Session::new(&[]).unwrap()));
    if std::env::var_os("UPDATE_FIRST").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    let advice = "UPDATE_FIRST=1 cargo test -p fusion-server --test first";
    assert!(found == expected, "{} is out of date: {advice} writes it again", path.display());
}
