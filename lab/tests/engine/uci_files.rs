//! Tests the protocol with games that a file defines: `VariantPath` and `UCI_Variant`.

use super::uci::{REJECTED, answers};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const FILE: &str = "\
# The Bishops are replaced by Clerics.
[cleric-chess:chess]
bishop = -
customPiece1 = c:NF
startFen = rncqkcnr/pppppppp/8/8/8/8/PPPPPPPP/RNCQKCNR w KQkq - 0 1
promotionPieceTypes = qrcn

[drops:minishogi]
[broken:chess]
castlng = false
";

fn file(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my games.ini");
    fs::write(&path, text).unwrap();
    (folder, path)
}

fn set(path: &Path) -> String {
    format!("setoption name VariantPath value {}\n", path.display())
}

fn best(answers: &str) -> Vec<&str> {
    answers.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect()
}

#[test]
fn a_file_gives_variants_and_problems() {
    let (_folder, path) = file(FILE);
    let answers = answers(&format!("uci\n{}uci\n", set(&path)));
    let lists: Vec<&str> = answers.lines().filter(|line| line.contains("UCI_Variant")).collect();
    assert_eq!(lists.len(), 2);
    for (list, known) in lists.iter().zip([false, true]) {
        for name in [" var chess", " var fusion-2020", " var crazyhouse", " var capablanca"] {
            assert!(list.contains(name), "{name}: {list}");
        }
        assert_eq!(list.contains(" var cleric-chess var drops "), known, "{list}");
        // What cannot be played is not offered.
        assert!(!list.contains("broken") && !list.contains(" var duck "), "{list}");
    }
    assert!(answers.contains("option name VariantPath type string default <empty>\n"));
    let name = path.display();
    assert!(answers.contains(&format!("info string variants of {name}: cleric-chess, drops\n")));
    let problem = format!(
        "info string error: {name}:10: [broken] castlng: no option has this name; did you mean castling?\n"
    );
    assert!(answers.contains(&problem), "{answers}");
}

#[test]
fn a_variant_is_told_and_played() {
    let (_folder, path) = file(FILE);
    let script = format!(
        "{}setoption name UCI_Variant value cleric-chess\nucinewgame\nisready\n\
         position startpos moves c1e2\nposition startpos moves e2e4 e7e5\nd\ngo nodes 50\n",
        set(&path)
    );
    let answers = answers(&script);
    // Fairy-Stockfish 11.1 prints this line.
    let setup = "info string variant cleric-chess files 8 ranks 8 pocket 0 template fairy startpos \
                 rncqkcnr/pppppppp/8/8/8/8/PPPPPPPP/RNCQKCNR w KQkq - 0 1\n";
    assert!(answers.contains(setup), "{answers}");
    assert!(answers.contains("info string network material: no network"), "{answers}");
    assert!(answers.contains("info string error: position: move 1: 'c1e2' is not a legal move"));
    let fen = "fen      rncqkcnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNCQKCNR w KQkq - 0 2\n";
    assert!(answers.contains(fen), "{answers}");
    assert!(answers.contains("#cleric-chess@") && answers.contains("readyok\n"), "{answers}");
    let [mv] = best(&answers)[..] else { panic!("{answers}") };
    assert_eq!(mv.len(), 4);
    assert!(answers.contains(&format!(" pv {mv}")), "{answers}");
}

/// Drops, promotions as in Shogi and castling on another board are written as Fairy-Stockfish does.
#[test]
fn moves_have_the_notation_of_other_programs() {
    for (variant, position, moves) in [
        ("crazyhouse", "startpos moves e2e4 d7d5 e4d5 d8d5 f1e2 d5g2", "P@h3"),
        ("minishogi", "fen 2k2/P4/5/5/2K2[Bb] w - - 0 1", "a4a5+"),
        ("capablanca", "fen 4k5/1P8/10/10/10/10/10/R4K3R w KQ - 0 1", "f1i1"),
        ("capablanca", "fen 5k4/1P8/10/10/10/10/10/R4K3R w KQ - 0 1", "b7b8a"),
        ("makruk", "fen 4k3/8/8/4P3/8/8/8/4K3 w - - 0 1", "e5e6m"),
    ] {
        for search in ["tree", "pvs"] {
            let script = format!(
                "setoption name Search value {search}\nsetoption name UCI_Variant value {variant}\n\
                 position {position}\ngo nodes 300 searchmoves {moves}\n"
            );
            let answers = answers(&script);
            assert_eq!(best(&answers), [moves], "{variant}: {answers}");
        }
    }
}

#[test]
fn all_limits_end_and_a_mate_is_found() {
    for limit in ["nodes 100", "movetime 20", "depth 2", "wtime 200 btime 200 winc 5", "mate 1"] {
        for search in ["tree", "pvs"] {
            let script = format!(
                "setoption name Search value {search}\nsetoption name UCI_Variant value capablanca\n\
                 isready\nposition fen 9k/9p/7K2/10/10/10/10/C9 w - - 0 1\ngo {limit}\n"
            );
            let answers = answers(&script);
            assert_eq!(best(&answers).len(), 1, "{limit}: {answers}");
            if limit == "mate 1" {
                assert!(answers.contains("score mate 1"), "{answers}");
            }
        }
    }
}

/// One process plays games of several kinds, one after the other.
#[test]
fn options_change_between_games() {
    let (folder, path) = file(FILE);
    let other = folder.path().join("other.ini");
    fs::write(&other, "[small:losalamos]\n").unwrap();
    let script = format!(
        "{}setoption name UCI_Variant value drops\nposition startpos\ngo nodes 30\nisready\n\
         setoption name UCI_Variant value chess\ngo nodes 5\nposition startpos moves e2e4\n\
         go nodes 30\n{}setoption name UCI_Variant value small\nucinewgame\nposition startpos\nd\n\
         setoption name Rules value variants#atomic,stalemateValue=loss\nposition startpos\nd\n",
        set(&path),
        set(&other),
    );
    let answers = answers(&script);
    let best = best(&answers);
    // The position was one of the other game.
    assert_eq!((best.len(), best[1]), (3, "(none)"), "{answers}");
    assert!(answers.contains("error: position: it was set under other rules"), "{answers}");
    assert!(answers.contains("info string network shipped"), "{answers}");
    for rules in ["other.ini#small@", "rules    variants#atomic,stalemateValue=loss\n"] {
        assert!(answers.contains(rules), "{rules}: {answers}");
    }
}

#[test]
fn what_is_wrong_is_told_and_the_variant_stays() {
    let (_folder, path) = file(FILE);
    for (wrong, reason) in [
        (
            "VariantPath value /no/such.ini",
            "error: option VariantPath: reading /no/such.ini: No such file",
        ),
        (
            "UCI_Variant value cleric",
            "option UCI_Variant: 'cleric' is neither a variant nor a section",
        ),
        ("UCI_Variant value broken", "'broken' is neither a variant nor a section"),
        ("UCI_Variant value duck", "not supported"),
        ("Rules value variants#chess,castlng=no", "did you mean castling?"),
    ] {
        let script = format!(
            "{}setoption name UCI_Variant value cleric-chess\nsetoption name {wrong}\n\
             position startpos\nd\ngo nodes 5\n",
            set(&path)
        );
        let answers = answers(&script);
        let remarks = answers.lines().filter(|line| line.starts_with("info string error"));
        assert!(remarks.clone().any(|line| line.contains(reason)), "{wrong}: {answers}");
        assert!(answers.contains("#cleric-chess@"), "{wrong}: {answers}");
        // A file is not what is played, so a wrong one stops no game.
        assert_eq!(answers.contains(REJECTED), !wrong.starts_with("VariantPath"), "{wrong}");
    }
}
