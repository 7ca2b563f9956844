//! All entry points of the programs for bytes from outside, as functions that a fuzzer can call.
//!
//! A target takes any bytes. It may reject them, but accepted input must be as good as the
//! program's own output: it is written and read again, played on, and evaluated. The target panics
//! if that fails. Inputs with several parts have them on lines: a rule set, a FEN, a move.

mod fairy;
mod files;
mod games;
mod tables;

use fusion_chess::FusionGame;
use fusion_chess::board::{Move, Position};
use fusion_chess::notation::pgn::{self, PgnGame};
use fusion_chess::notation::{parse_coordinate, parse_move, parse_san, san};
use fusion_chess::rules::RuleSet;
use fusion_endgames::tables::recorded;
use fusion_lab::uci;
use fusion_network::model::Model;
use fusion_results::chess::lone_king::LoneKing;
use fusion_results::games as games_csv;
use fusion_study::Study;
use std::path::Path;

/// An entry point.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the target and of its input folder in `corpus`.
    pub name: &'static str,
    /// Function that reads any bytes. It panics only if the program has a fault.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 15] = [
    Target { name: "rules", run: rules },
    Target { name: "fen", run: fen },
    Target { name: "san", run: san_moves },
    Target { name: "coordinate", run: coordinate_moves },
    Target { name: "pgn", run: pgn_file },
    Target { name: "study", run: study },
    Target { name: "shard", run: files::shard },
    Target { name: "record", run: files::record },
    Target { name: "network", run: files::network },
    Target { name: "table", run: tables::table },
    Target { name: "csv", run: csv_files },
    Target { name: "uci", run: uci_input },
    Target { name: "position", run: games::position },
    Target { name: "game-text", run: games::game_text },
    Target { name: "ini", run: fairy::ini },
];

/// Runs the target of that name.
///
/// # Panics
/// Panics if there is no such target, or if the target finds a fault.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("no target {name}")).run)(data);
}

/// Returns the first line and the rest, or `None` if the bytes are not UTF-8.
fn split(data: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(data).ok()?;
    Some(text.split_once('\n').unwrap_or((text, "")))
}

/// Returns the position from two lines, a rule set and a FEN, and the text after them.
fn position(data: &[u8]) -> Option<(RuleSet, Position, &str)> {
    let (rules, rest) = split(data)?;
    let (fen, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let rules = rules.parse().ok()?;
    let position = match fen {
        "" => Position::start(&rules),
        fen => {
            let (position, remarks) = Position::read_fen(&rules, fen).ok()?;
            // A strict reading differs only by rejecting what was mended.
            assert!(
                Position::from_fen(&rules, fen)
                    .map_or(true, |strict| { strict == position && remarks.is_empty() }),
                "{fen}: {remarks:?}"
            );
            position
        }
    };
    Some((rules, position, rest))
}

fn legal(position: &Position, rules: &RuleSet) -> Vec<Move> {
    let mut moves = Vec::new();
    position.legal_moves(rules, &mut moves);
    moves
}

fn rules(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(rules) = text.parse::<RuleSet>() else { return };
    assert_eq!(rules.to_string().parse(), Ok(rules), "{text}");
    for other in rules.neighbours() {
        assert_eq!(other.to_string().parse(), Ok(other), "an ablation of {rules}");
        assert_ne!(other, rules);
    }
    legal(&Position::start(&rules), &rules);
}

fn fen(data: &[u8]) {
    let Some((rules, position, _)) = position(data) else { return };
    let text = position.to_fen();
    assert_eq!(Position::from_fen(&rules, &text), Ok(position), "{text}");
    let flipped = position.flipped();
    assert_eq!(flipped.flipped(), position, "{text}");
    let moves = legal(&position, &rules);
    assert_eq!(moves.len(), legal(&flipped, &rules).len(), "{text} under {rules}");
    for mv in moves {
        let mut next = position;
        next.play(mv);
        assert_eq!(next.hash(), next.fresh_hash(), "{mv} in {text}");
        assert_eq!(Position::from_fen(&rules, &next.to_fen()), Ok(next), "{mv} in {text}");
    }
}

fn san_moves(data: &[u8]) {
    let Some((rules, mut position, moves)) = position(data) else { return };
    for text in moves.split(' ') {
        let Ok(mv) = parse_move(&position, &rules, text) else { return };
        assert!(legal(&position, &rules).contains(&mv), "{text} in {position} under {rules}");
        let own = san(&position, &rules, mv);
        assert_eq!(parse_san(&position, &rules, &own), Ok(mv), "{text} in {position}");
        position.play(mv);
    }
}

fn coordinate_moves(data: &[u8]) {
    let Some((rules, mut position, moves)) = position(data) else { return };
    for text in moves.split(' ') {
        let Ok(mv) = parse_coordinate(&position, &rules, text) else { return };
        assert!(legal(&position, &rules).contains(&mv), "{text} in {position} under {rules}");
        assert_eq!(mv.to_string(), text);
        assert_eq!(parse_move(&position, &rules, text), Ok(mv));
        position.play(mv);
    }
}

fn pgn_file(data: &[u8]) {
    let mut games = 0;
    for game in pgn::read(data) {
        games += 1;
        assert!(games <= data.len() + 1, "reading does not end");
        let Ok(game) = game else { continue };
        let mut written = Vec::new();
        if game.write(&mut written).is_err() {
            continue;
        }
        let mut again: Vec<PgnGame> = pgn::read(&written[..]).filter_map(Result::ok).collect();
        // The written text has all of the standard's tags, and they come first.
        let text = String::from_utf8_lossy(&written);
        assert_eq!(again.len(), 1, "{text}");
        let read = again.remove(0);
        assert!(read.moves == game.moves && read.result == game.result, "{text}");
        assert_eq!(read.comment, game.comment, "{text}");
        let mut twice = Vec::new();
        read.write(&mut twice).expect("a game that was written before");
        assert_eq!(String::from_utf8_lossy(&twice), text);
    }
}

fn study(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(study) = Study::parse(text) else { return };
    if study.check::<FusionGame>().is_err() {
        return;
    }
    // A checked study must pass the queries that the programs make first.
    for measurement in study.measurements() {
        measurement.config.arms::<FusionGame>().expect("arms of a study that was checked");
        measurement.config.primary::<FusionGame>().expect("its primary comparison");
    }
    study.pool_rules::<FusionGame>().expect("rules of its openings");
    study.random_rules::<FusionGame>().expect("rules of its random movers");
    study.endgame_rules::<FusionGame>().expect("rules of its endings");
}

/// Reads `games.csv` and the summary of endings.
fn csv_files(data: &[u8]) {
    // An error message must not grow with the input.
    if let Err(error) = games_csv::parse(Path::new("games.csv"), data) {
        assert!(error.to_string().contains("games.csv"), "{error}");
    }
    if let Ok(rows) = recorded::parse(data) {
        let _ = LoneKing::of(&rows);
    }
}

/// Runs the lines of a chess program. Searches are kept short, and files are not opened.
fn uci_input(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut input = String::new();
    for line in text.lines().filter(|line| !line.contains('/') || line.contains("fen")) {
        input.push_str(line);
        if line.trim_start().starts_with("go") {
            // The limit is repeated, because the line may end with a word that takes the first one
            // as its number.
            input.push_str(" nodes 8 nodes 8");
        }
        input.push('\n');
    }
    let material = Model::open::<FusionGame>("material", []).expect("it needs no file");
    uci::run(input.as_bytes(), std::io::sink(), material).expect("input from memory can be read");
}
