//! The protocol, from the outside.

use assert_cmd::Command;
use fusion_engine::fusion::FusionGame;
use fusion_engine::network::{FloatNetwork, Network, Shape};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// All answers to a script; the engine leaves at the end of the input.
fn answers(script: &str) -> String {
    let mut command = Command::cargo_bin("fusion-engine").unwrap();
    let output = command.arg("uci").write_stdin(script).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn best_move(script: &str) -> String {
    let answers = answers(script);
    let best = answers.lines().filter_map(|line| line.strip_prefix("bestmove "));
    let best: Vec<&str> = best.collect();
    assert_eq!(best.len(), 1, "{answers}");
    best[0].to_string()
}

#[test]
fn the_engine_introduces_itself() {
    let answers = answers("uci\nisready\n");
    assert!(answers.starts_with("id name Fusion Chess Lab "), "{answers}");
    for line in ["uciok", "readyok", "option name Rules type string default <empty>"] {
        assert!(answers.lines().any(|l| l == line), "{line} in {answers}");
    }
    let variants = answers.lines().find(|line| line.contains("UCI_Variant")).unwrap();
    assert!(variants.contains("default chess") && variants.contains(" var fusion-2020 "));
}

#[test]
fn searches_end_at_their_limits() {
    for limit in [
        "nodes 1",
        "nodes 300",
        "movetime 20",
        "wtime 200 btime 200",
        "depth 2",
        "wtime 0 btime 0",
        "movetime 0",
        "depth 0",
        "nodes 0",
    ] {
        let best = best_move(&format!("position startpos moves e2e4\ngo {limit}\n"));
        assert!(["5", "6"].contains(&&best[3..4]), "{limit}: {best}");
    }
}

/// Limits that the search cannot reach, because the only move is decided or the tree is full.
#[test]
fn searches_end_where_their_depth_is_out_of_reach() {
    let repeat = "position fen 6k1/5ppp/8/8/8/8/q4PPP/4R1K1 w - - 0 1 moves \
                  e1d1 a2b2 d1e1 b2a2 e1d1 a2b2 d1e1\ngo searchmoves b2a2 depth 9\n";
    assert_eq!(best_move(repeat), "b2a2");
    // One of the moves wins at once, and nobody asks what the other one does.
    let mate = "position fen r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4\n\
                go depth 5 searchmoves h5f7 g1f3\n";
    assert_eq!(best_move(mate), "h5f7");
    let full = "setoption name Hash value 1\nposition fen 8/8/4k3/8/8/4K3/8/R7 w - - 0 1\n\
                go depth 80\n";
    assert_eq!(best_move(full).len(), 4);
}

#[test]
fn proven_mates_are_told() {
    let score = |position: &str| {
        let answers = answers(&format!("position fen {position}\ngo nodes 3000\n"));
        let info = answers.lines().rfind(|line| line.starts_with("info depth")).unwrap();
        let (_, score) = info.split_once(" score ").unwrap();
        score.split(' ').take(2).collect::<Vec<_>>().join(" ")
    };
    // Fool's mate; Kg8 and Ra8#; no mate is near.
    assert_eq!(score("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"), "mate 1");
    assert_eq!(score("7k/8/6K1/8/8/8/8/R7 b - - 0 1"), "mate -1");
    assert_eq!(score("8/8/8/8/8/1k6/8/K1R5 w - - 0 1").split(' ').next(), Some("cp"));
}

#[test]
fn info_has_what_programs_show() {
    let script = "setoption name UCI_ShowWDL value true\nsetoption name UCI_Variant value fusion-2020\n\
        position startpos\ngo nodes 500\n";
    let answers = answers(script);
    let info = answers.lines().find(|line| line.starts_with("info depth")).unwrap();
    for word in [" nodes 5", " nps ", " time ", " score cp ", " wdl ", " hashfull ", " pv "] {
        assert!(info.contains(word), "{word} in {info}");
    }
    let best = answers.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap();
    assert!(info.contains(&format!(" pv {best}")), "{answers}");
}

#[test]
fn it_plays_by_the_rules_that_are_set() {
    // The King may fuse with the Rook that gives check to nobody only under 1999's rules.
    let position = "position fen 4k3/8/8/8/8/8/6KR/8 w - - 0 1\ngo nodes 50 searchmoves g2h2\n";
    let with = |options: &str| answers(&format!("{options}\n{position}"));
    let refused = "info string searchmoves: 'g2h2' is not a legal move here";
    assert!(with("setoption name UCI_Variant value fusion-1999").contains("bestmove g2h2\n"));
    assert!(
        with("setoption name Rules value fusion-2020,king-fuses=yes").contains("bestmove g2h2\n")
    );
    assert!(with("setoption name UCI_Variant value fusion-2020").contains(refused));
    assert!(with("").contains(refused));
}

#[test]
fn a_mate_in_one_is_played_whatever_evaluates() {
    for network in ["uniform", "material", "rollout"] {
        let script = format!(
            "setoption name Network value {network}\n\
             position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo nodes 3000\n"
        );
        assert_eq!(best_move(&script), "a1a8", "{network}");
    }
}

#[test]
fn only_the_moves_asked_for_are_considered() {
    let script = "position startpos\ngo nodes 400 searchmoves a2a3 h2h3\n";
    assert!(["a2a3", "h2h3"].contains(&best_move(script).as_str()));
    // Not even a mate is played if it is not asked for.
    let script =
        "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo nodes 400 searchmoves a1b1\n";
    assert_eq!(best_move(script), "a1b1");
}

/// Repetition counts from the moves that were given: the winning side must not repeat.
#[test]
fn games_that_are_over_are_still_answered() {
    let over = [
        ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate", "(none)"),
        ("fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "checkmate", "(none)"),
        ("fen 8/8/8/8/8/5k2/8/5K2 w - - 0 1", "dead-position", "f1e1 f1g1"),
        ("fen 7k/8/6K1/8/8/8/8/1Q6 w - - 100 80", "fifty-move", "b1b8"),
        (
            "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
            "threefold",
            "a2a3 a2a4 b1a3 b1c3 b2b3 b2b4 c2c3 c2c4 d2d3 d2d4 e2e3 e2e4 f2f3 f2f4 g1f3 g1h3 \
             g2g3 g2g4 h2h3 h2h4",
        ),
    ];
    for (position, ending, moves) in over {
        let script = format!("position {position}\ngo nodes 2000\n");
        let answers = answers(&script);
        assert!(answers.contains(&format!("info string the game is over: {ending}")), "{answers}");
        let best = answers.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap();
        assert!(moves.split(' ').any(|mv| mv == best), "{ending}: {best}");
    }
}

#[test]
fn bad_input_is_answered_and_changes_nothing() {
    for (command, answer) in [
        ("fly", "no command 'fly'"),
        ("position", "'startpos' or 'fen' must follow"),
        ("position fen", "a FEN has 6 fields"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "White has no royal piece"),
        ("position startpos moves e2e4 e7e4", "move 2: 'e7e4' is not a legal move here"),
        ("position startpos moves e2e4 castle", "move 2: 'castle' is not a move in coordinate"),
        ("position startpos e2e4", "'startpos' or 'fen' must follow"),
        ("setoption name Network value /no/such", "option Network: "),
        ("setoption name Rules value fusion-3000", "option Rules: unknown rule set"),
        ("setoption name UCI_Variant value losers", "unknown rule set 'losers'"),
        ("setoption", "needs a name"),
        ("\u{7f}\u{0}é", "no command"),
    ] {
        let script = format!("position startpos moves e2e4\n{command}\nd\ngo nodes 2\n");
        let answers = answers(&script);
        let remark = answers.lines().find(|line| line.starts_with("info string")).unwrap();
        assert!(remark.contains(answer), "{command}: {remark}");
        let fen = "fen      rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        assert!(answers.contains(fen), "{command}: {answers}");
        assert!(answers.contains("bestmove "), "{command}: {answers}");
    }
    let answers = answers("go nodes many fast\nstop\nquit\nisready\n");
    assert!(answers.contains("go nodes needs a whole number"));
    assert!(answers.contains("go does not know 'fast'") && !answers.contains("readyok"));
}

#[test]
fn the_board_shows_every_piece() {
    let answers = answers(
        "setoption name UCI_Variant value combination\n\
         position fen 4k3/8/8/8/3o4/8/8/{RBN}1{rbn}OK3 w - - 0 1\nd\n",
    );
    assert!(answers.contains("\n1  {RBN} . {rbn} O K . . .\n"), "{answers}");
    assert!(answers.contains("\n4  . . . o . . . .\n"), "{answers}");
}

/// An engine to talk with.
struct Dialogue {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Dialogue {
    fn new() -> Self {
        let path = assert_cmd::cargo::cargo_bin("fusion-engine");
        let mut command = std::process::Command::new(path);
        command.arg("uci").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    fn say(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// Reads up to a line that begins so.
    fn until(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "no {beginning}");
            if line.starts_with(beginning) {
                return line.trim().to_string();
            }
        }
    }
}

#[test]
fn input_is_answered_during_a_search() {
    let mut engine = Dialogue::new();
    engine.say("position startpos\ngo infinite\nisready");
    engine.until("readyok");
    engine.until("info depth");
    engine.say("stop");
    engine.until("bestmove");
    // A result that is proven is not announced before `stop`.
    engine.say("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo infinite");
    engine.until("info depth");
    engine.say("isready");
    assert_eq!(engine.until(""), "readyok");
    engine.say("stop");
    assert_eq!(engine.until("bestmove"), "bestmove a1a8");
    // A new command ends a search that is still going on.
    engine.say("go infinite\nposition startpos moves e2e4\ngo nodes 10");
    engine.until("bestmove");
    engine.until("bestmove");
    engine.say("go infinite\nquit");
    engine.until("bestmove");
    assert!(engine.child.wait().unwrap().success());
}

#[test]
fn an_engine_that_nobody_hears_ends() {
    let mut engine = Dialogue::new();
    drop(std::mem::replace(&mut engine.output, {
        let mut other = std::process::Command::new("true");
        let mut child = other.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        child.wait().unwrap();
        output
    }));
    engine.say("go infinite\nisready\nisready");
    drop(engine.input);
    assert!(engine.child.wait().unwrap().success());
}

/// A network that knows nothing, of the shape of real ones.
fn network() -> Network {
    let shape = Shape::of::<FusionGame>(64).unwrap();
    let zeros = FloatNetwork::tensors(&shape).map(|(_, sizes)| vec![0.0; sizes.iter().product()]);
    let [
        input,
        input_bias,
        value_hidden,
        value_hidden_bias,
        value,
        value_bias,
        policy,
        policy_bias,
    ] = zeros;
    let float = FloatNetwork {
        shape,
        input,
        input_bias,
        value_hidden,
        value_hidden_bias,
        value,
        value_bias,
        policy,
        policy_bias,
    };
    Network::quantise::<FusionGame>(&float).unwrap()
}

#[test]
fn networks_are_loaded_or_refused() {
    // A folder with a blank in its name, as people have them.
    let folder = tempfile::Builder::new().prefix("with blank ").tempdir().unwrap();
    let path = folder.path().join("network.fnet");
    std::fs::write(&path, network().bytes()).unwrap();
    let script = format!("setoption name Network value {}\nd\ngo nodes 50\n", path.display());
    let good = answers(&script);
    assert!(good.contains(&format!("network  {}", network().hash())), "{good}");
    assert!(good.contains("bestmove ") && !good.contains("info string"), "{good}");

    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let refused = answers(&script);
    assert!(refused.contains("info string option Network: "), "{refused}");
    assert!(refused.contains("network  material") && refused.contains("bestmove "), "{refused}");
}
