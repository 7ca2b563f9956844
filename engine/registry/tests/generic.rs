//! Games lie where they belong: all other code is generic over the game, and names none.

use std::fs;
use std::path::{Path, PathBuf};

/// Words of chess, in lower case. Plurals count as well.
const WORDS: [&str; 10] =
    ["fen", "pgn", "pawn", "knight", "bishop", "rook", "queen", "king", "checkmate", "stalemate"];

/// Identifiers of the chess crate, and what names the other games.
const IDENTIFIERS: [&str; 6] =
    ["FusionGame", "fusion_chess", "FreeChess", "freechess", "Chesimal", "chesimal"];

/// Folders and files that may name chess or another game, with the reason.
const CHESS: [(&str, &str); 13] = [
    ("engine/fusion/", "the chess games"),
    ("engine/chesimal/", "a game with Kings, Knights and Pawns"),
    ("engine/freechess/", "a game whose attributes move as chess pieces"),
    ("engine/fairy/", "games in a format for kinds of chess"),
    ("engine/registry/", "the list of games"),
    ("analysis/report/src/chess/", "the chess sections of the report"),
    ("analysis/results/src/chess/", "the numbers of chess games"),
    ("analysis/endgames/", "the solver of chess endings"),
    ("lab/src/commands/endgames.rs", "the solver's command"),
    ("lab/src/commands/perft.rs", "tables of that format"),
    ("lab/src/uci/", "UCI is a protocol of chess programs"),
    ("lab/src/commands/uci.rs", "UCI is a protocol of chess programs"),
    ("lab/src/commands/bench/uci_peer.rs", "peers that speak UCI"),
];

/// Folders of tests and benchmarks, which need a real game, and of what is not our code.
const SKIPPED: [&str; 8] =
    ["tests", "benches", "examples", "fuzz", "target", "node_modules", "runs", "corpus"];

#[test]
fn only_chess_code_names_chess() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = ["engine", "selfplay", "analysis", "train", "play", "lab"]
        .map(|top| sources(&root.join(top)));
    let files: Vec<PathBuf> = files.into_iter().flatten().collect();
    assert!(files.len() > 200, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        if CHESS.iter().any(|(place, _)| name.starts_with(place)) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
        let named = lines.enumerate().filter(|(_, line)| names_chess(line));
        found.extend(named.map(|(i, line)| format!("{name}:{}: {}", i + 1, line.trim())));
    }
    assert!(found.is_empty(), "{} lines name chess:\n{}", found.len(), found.join("\n"));
}

#[test]
fn every_exception_is_needed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (place, reason) in CHESS {
        let place = root.join(place);
        let files = if place.is_dir() { sources(&place) } else { vec![place.clone()] };
        let names = |file: &PathBuf| fs::read_to_string(file).unwrap().lines().any(names_chess);
        assert!(
            files.iter().any(names),
            "{}, {reason}: nothing there names chess",
            place.display()
        );
    }
}

/// Returns the Rust files of a folder that are part of a program.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
            files.extend(sources(&path));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files
}

fn names_chess(line: &str) -> bool {
    IDENTIFIERS.iter().any(|identifier| line.contains(identifier))
        || words(line).iter().any(|word| {
            let singular = word.strip_suffix('s').unwrap_or(word);
            WORDS.contains(&word.as_str()) || WORDS.contains(&singular)
        })
}

/// Splits a line into words in lower case, identifiers at underscores and capitals.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in line.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

#[test]
fn words_are_found_in_identifiers_and_not_in_other_words() {
    for line in [
        "let start_fen = 1;",
        "enum LoneKing",
        "// two Pawns",
        "is in checkmate",
        "use fusion_chess::x",
    ] {
        assert!(names_chess(line), "{line}");
    }
    for line in ["defence", "asking", "thousand", "spawn", "knightly"] {
        assert!(!names_chess(line), "{line}");
    }
}
