//! Tests the protocol's option for endgame tables.

use super::tiny;
use assert_cmd::Command;
use fusion_chess::rules::RuleSet;
use std::path::Path;

fn rules(name: &str) -> RuleSet {
    name.parse().unwrap()
}

fn answers(folder: &Path, script: &str) -> String {
    let mut command = Command::cargo_bin("fusion").unwrap();
    command.current_dir(folder).arg("uci");
    let output = command.write_stdin(script.to_owned()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

const WON: &str = "position fen 8/8/8/3k4/8/8/8/R6K w - - 0 1\ngo nodes 20\n";

#[test]
fn tables_are_probed_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    tiny::build(&folder.path().join("tables"), 'R', &rules("orthodox"));
    let ask = |script: &str| {
        answers(folder.path(), &format!("{script}\nsetoption name UCI_ShowWDL value true\n{WON}"))
    };
    let with = ask("setoption name EndgameTables value tables");
    assert!(with.contains("info string endgame tables for orthodox: 1\n"), "{with}");
    let info = with.lines().find(|line| line.starts_with("info depth")).unwrap();
    assert!(info.contains(" wdl 1000 0 0 ") && info.contains(" tbhits "), "{info}");
    assert!(!info.contains(" tbhits 0 "), "{info}");
    assert!(info.contains(" score mate 15 "), "{info}");
    let deeper = WON.replace("nodes 20", "nodes 2000");
    let pvs = "setoption name Search value pvs\nsetoption name Hash value 4\n\
                     setoption name EndgameTables value tables\n\
                     setoption name UCI_ShowWDL value true\n";
    let pvs = answers(folder.path(), &format!("{pvs}{deeper}"));
    let info = pvs.lines().rfind(|line| line.starts_with("info depth")).unwrap();
    assert!(info.contains(" wdl 1000 0 0 ") && info.contains(" score mate 15 "), "{info}");
    assert!(info.contains(" tbhits ") && !info.contains(" tbhits 0 "), "{info}");
    for off in ["", "setoption name EndgameTables value tables\nsetoption name EndgameTables value"]
    {
        let without = ask(off);
        assert!(!without.contains("tbhits") && !without.contains("wdl 1000"), "{without}");
        assert!(without.contains("bestmove "));
    }
    assert!(
        answers(folder.path(), "uci\n")
            .contains("\noption name EndgameTables type string default <empty>\n")
    );
}

#[test]
fn tables_follow_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    tiny::build(folder.path(), 'R', &rules("fusion-2020"));
    let mut script = String::from("setoption name EndgameTables value .\n");
    for (option, remark, hits) in [
        ("", "holds no endgame table for orthodox; ", 0),
        ("UCI_Variant value fusion-2020", "endgame tables for fusion-2020: 1", 1),
        ("Rules value fusion-2020,castling=no", "tables for fusion-2020,castling=no: 1", 1),
    ] {
        if !option.is_empty() {
            script += &format!("setoption name {option}\n");
        }
        let answers = answers(folder.path(), &format!("{script}{WON}"));
        // The tables of earlier rules may not be opened, because later rules replace them.
        let last = answers.lines().rfind(|line| line.starts_with("info string ")).unwrap();
        assert!(last.contains(remark), "{answers}");
        let probed = answers.lines().filter(|line| line.contains(" tbhits ")).count();
        assert_eq!((probed, answers.matches("bestmove ").count()), (hits, 1), "{answers}");
        assert!(!answers.contains("bestmove (none)"), "{answers}");
    }
}

/// No move is played with missing or damaged tables. A folder with tables only for other rules is
/// accepted.
#[test]
fn a_wrong_folder_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let tables = folder.path().join("tables");
    tiny::build(&tables, 'R', &rules("orthodox"));
    let path = fusion_chess::endgame::path(&tables, &"KRvK".parse().unwrap(), &rules("orthodox"));
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    for (value, reason) in [
        ("nowhere", "there is no folder 'nowhere'"),
        ("empty", "empty holds no endgame table for orthodox"),
        ("tables", "is rejected: "),
    ] {
        let answers =
            answers(folder.path(), &format!("setoption name EndgameTables value {value}\n{WON}"));
        let errors = answers.lines().filter(|line| line.contains("error: option EndgameTables: "));
        let errors: Vec<&str> = errors.collect();
        assert_eq!(errors.len(), 2, "{answers}");
        assert!(errors.iter().all(|error| error.contains(reason)), "{answers}");
        assert!(answers.ends_with("bestmove (none)\n"), "{answers}");
        let script = format!(
            "setoption name EndgameTables value {value}\nsetoption name EndgameTables value\n{WON}"
        );
        assert!(!self::answers(folder.path(), &script).contains("bestmove (none)"));
    }
}

/// `isready` is answered when the tables are open, also at the end of the input.
#[test]
fn readiness_waits_for_tables() {
    let folder = tempfile::tempdir().unwrap();
    tiny::build(folder.path(), 'R', &rules("orthodox"));
    let script = "setoption name EndgameTables value .\nisready\nisready\n";
    let opened = "info string endgame tables for orthodox: 1\nreadyok\nreadyok\n";
    assert_eq!(answers(folder.path(), script), opened);
}

/// Plays as chess programs do: the position with all moves before every move, with the tree kept.
#[test]
fn a_won_game_is_won() {
    let folder = tempfile::tempdir().unwrap();
    tiny::build(folder.path(), 'R', &rules("orthodox"));
    let mut moves = String::new();
    for ply in 0..40 {
        let script = format!(
            "setoption name EndgameTables value .\n\
             position fen 8/8/8/3k4/8/8/8/R6K w - - 0 1{moves}\nd\ngo nodes 3\n"
        );
        let answers = answers(folder.path(), &script);
        if answers.contains("state    over: checkmate") {
            assert!(ply <= 32);
            return;
        }
        let best = answers.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap();
        moves = if moves.is_empty() { " moves".into() } else { moves } + " " + best;
    }
    panic!("no mate: {moves}");
}
