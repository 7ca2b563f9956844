//! Tests the protocol through the program's input and output.

use assert_cmd::Command;
use fusion_chess::FusionGame;
use fusion_chess::rules::RuleSet;
use fusion_network::{FloatNetwork, Network, TreeSizes};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// Returns all answers to a script. The engine exits at the end of the input.
pub(super) fn answers(script: &str) -> String {
    let mut command = Command::cargo_bin("fusion").unwrap();
    let output = command.arg("uci").write_stdin(script).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub(super) fn best_move(script: &str) -> String {
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
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/nets/family.fnet");
    let shipped = Network::load::<FusionGame>(&rules(), Path::new(shipped)).unwrap();
    for line in [
        "uciok",
        "readyok",
        "option name Rules type string default <empty>",
        "option name Network type string default shipped",
        "option name Threads type spin default 1 min 1 max 1",
        "option name UCI_LimitStrength type check default false",
        &format!("info string network shipped (SHA-256 {})", shipped.hash()),
    ] {
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

/// Tests limits that the search cannot reach, because the only move is decided or the tree is full.
#[test]
fn searches_end_where_their_depth_is_out_of_reach() {
    let repeat = "position fen 6k1/5ppp/8/8/8/8/q4PPP/4R1K1 w - - 0 1 moves \
                  e1d1 a2b2 d1e1 b2a2 e1d1 a2b2 d1e1\ngo searchmoves b2a2 depth 9\n";
    assert_eq!(best_move(repeat), "b2a2");
    // One of the moves wins at once, so the value of the other is not needed.
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
    // The positions are fool's mate, Kg8 and Ra8#, and one without a mate nearby.
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
    // Only the rules of 1999 allow the King to fuse with a Rook that gives no check.
    let position = "position fen 4k3/8/8/8/8/8/6KR/8 w - - 0 1\ngo nodes 50 searchmoves g2h2\n";
    let with = |options: &str| answers(&format!("{options}\n{position}"));
    let rejected = "info string searchmoves: 'g2h2' is not a legal move here";
    assert!(with("setoption name UCI_Variant value fusion-1999").contains("bestmove g2h2\n"));
    assert!(
        with("setoption name Rules value fusion-2020,king-fuses=yes").contains("bestmove g2h2\n")
    );
    assert!(with("setoption name UCI_Variant value fusion-2020").contains(rejected));
    assert!(with("").contains(rejected));
}

#[test]
fn a_mate_in_one_is_played_whatever_evaluates() {
    for network in ["uniform", "material", "rollout", "shipped"] {
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
    // Even a mate is not played unless it is among the search moves.
    let script =
        "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo nodes 400 searchmoves a1b1\n";
    assert_eq!(best_move(script), "a1b1");
}

/// Repetition counts from the given moves: the winning side must not repeat.
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
        ("fly", "error: no command 'fly'"),
        ("setoption name Hash value x", "error: option Hash: 'x' is not a number from 1"),
        ("setoption name Threads value 4", "option Threads: '4' is not a number from 1 to 1; 1 is"),
        ("setoption name MultiPV value none", "error: option MultiPV: 'none' is not a number"),
        ("setoption name Ponder value true", "error: no option 'Ponder'"),
        ("setoption", "error: setoption needs a name"),
        ("\u{7f}\u{0}é", "error: no command"),
    ] {
        let script = format!("position startpos moves e2e4\n{command}\nd\ngo nodes 2\n");
        let answers = answers(&script);
        let remark = answers.lines().find(|line| line.starts_with("info string")).unwrap();
        assert!(remark.contains(answer), "{command}: {remark}");
        let fen = "fen      rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        assert!(answers.contains(fen), "{command}: {answers}");
        assert!(
            answers.contains("bestmove ") && !answers.contains(REJECTED),
            "{command}: {answers}"
        );
    }
    let answers = answers("go nodes many fast\nstop\nquit\nisready\n");
    assert!(answers.contains("go nodes needs a number, not 'many'"));
    assert!(answers.contains("go does not know 'fast'") && !answers.contains("readyok"));
}

/// The answer if no correct move can be played.
pub(super) const REJECTED: &str = "bestmove (none)\n";

/// After a wrong option or position, `go` is rejected until that error is corrected, even if later
/// commands are correct.
#[test]
fn what_is_wrong_is_not_played_until_it_is_right() {
    let right = "position startpos moves e2e4";
    for (wrong, reason, remedy) in [
        ("position", "position: 'startpos' or 'fen' must follow", right),
        ("position fen", "position: a FEN has 6 fields", right),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "White has no royal piece", right),
        ("position startpos moves e2e4 e7e4", "move 2: 'e7e4' is not a legal move here", right),
        ("position startpos moves e2e4 castle", "move 2: 'castle' is not a move", right),
        ("position startpos e2e4", "'startpos' or 'fen' must follow", right),
        (
            "setoption name Network value /no/such",
            "option Network: network file /no/such",
            "setoption name Network value uniform",
        ),
        (
            "setoption name Rules value fusion-3000\nsetoption name UCI_Variant value chess",
            "option Rules: unknown rule set",
            "setoption name Rules value <empty>",
        ),
        (
            "setoption name UCI_Variant value loosers",
            "option UCI_Variant: 'loosers' is neither a variant nor a section of VariantPath's file; \
             did you mean losers?",
            "setoption name UCI_Variant value chess",
        ),
        (
            "setoption name UCI_Elo value much",
            "option UCI_Elo: 'much' is not a number from",
            "setoption name UCI_Elo value 1500",
        ),
    ] {
        let script = format!(
            "{right}\n{wrong}\ngo nodes 2\nucinewgame\ngo infinite\n{remedy}\ngo nodes 2\n"
        );
        let answers = answers(&script);
        let errors: Vec<&str> =
            answers.lines().filter(|line| line.starts_with("info string error: ")).collect();
        assert_eq!(errors.len(), 3, "{answers}");
        assert!(errors.iter().all(|error| error.contains(reason)), "{wrong}: {answers}");
        let (rejected, played) = answers.split_once(REJECTED).unwrap();
        assert!(rejected.contains("info string error: ") && !rejected.contains("bestmove"));
        let (_, played) = played.split_once(REJECTED).unwrap();
        let best = played.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap();
        assert!(["5", "6"].contains(&&best[3..4]), "{wrong}: {answers}");
    }
}

/// A position belongs to the rules under which it was set.
#[test]
fn other_rules_need_the_position_again() {
    let change = |position: &str, rules: &str| {
        answers(&format!("{position}\nsetoption name Rules value {rules}\nd\ngo nodes 2\n"))
    };
    let rejected = change("position startpos moves e2e4", "fusion-2020");
    assert!(rejected.contains("error: position: it was set under other rules"), "{rejected}");
    assert!(
        rejected.contains("\nerror    position: ") && rejected.contains(REJECTED),
        "{rejected}"
    );
    assert!(!change("position startpos moves e2e4", "orthodox").contains("error"));
    assert!(!change("", "fusion-2020").contains("error"));
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

/// A running engine with its input and output.
pub(super) struct Dialogue {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Dialogue {
    pub(super) fn new() -> Self {
        let path = assert_cmd::cargo::cargo_bin("fusion");
        let mut command = std::process::Command::new(path);
        command.arg("uci").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    pub(super) fn say(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// Reads up to a line that begins with `beginning`.
    pub(super) fn until(&mut self, beginning: &str) -> String {
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
    // A proven result is not announced before `stop`.
    engine.say("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo infinite");
    engine.until("info depth");
    engine.say("isready");
    assert_eq!(engine.until(""), "readyok");
    engine.say("stop");
    assert_eq!(engine.until("bestmove"), "bestmove a1a8");
    // A new command ends a running search.
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

fn rules() -> RuleSet {
    RuleSet::preset("orthodox").unwrap()
}

/// Returns a network that gives no information, of the shape of real ones.
fn network() -> Network {
    let sizes = TreeSizes::of::<FusionGame>(&rules(), 64).unwrap();
    let zeros = |_, size: Vec<usize>| Ok::<_, ()>(vec![0.0; size.iter().product()]);
    let float = FloatNetwork::try_of(sizes, zeros).unwrap();
    Network::quantise::<FusionGame>(&rules(), &float).unwrap()
}

#[test]
fn networks_are_loaded_or_rejected() {
    // The folder has a blank in its name, as users' folders can have.
    let folder = tempfile::Builder::new().prefix("with blank ").tempdir().unwrap();
    let path = folder.path().join("network.fnet");
    std::fs::write(&path, network().bytes()).unwrap();
    let script = format!("setoption name Network value {}\nd\ngo nodes 50\n", path.display());
    let good = answers(&script);
    assert!(good.contains(&format!("network  {}", network().hash())), "{good}");
    let named = format!("info string network {} (SHA-256 {})\n", path.display(), network().hash());
    assert!(good.contains("bestmove ") && good.starts_with(&named), "{good}");

    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let rejected = answers(&script);
    assert!(rejected.contains("info string error: option Network: "), "{rejected}");
    assert!(
        rejected.contains(REJECTED) && rejected.contains("\nerror    option Network"),
        "{rejected}"
    );
}

/// Returns the reports without their time-dependent parts, and the best move.
pub(super) fn timeless(script: &str) -> Vec<String> {
    let answers = answers(script);
    let words = answers.lines().map(|line| {
        let mut words: Vec<&str> = line.split(' ').collect();
        for timed in ["nps", "time"] {
            if let Some(i) = words.iter().position(|&word| word == timed) {
                words.drain(i..i + 2);
            }
        }
        words.join(" ")
    });
    words.collect()
}

#[test]
fn several_lines_are_numbered_and_differ() {
    let script = "setoption name MultiPV value 5\nposition startpos moves e2e4\ngo nodes 300\n";
    let lines = timeless(script);
    assert_eq!(lines, timeless(script));
    let report = &lines[lines.len() - 6..];
    let mut firsts = Vec::new();
    for (i, line) in report[..5].iter().enumerate() {
        assert!(line.contains(&format!(" multipv {} score ", i + 1)), "{line}");
        let (_, moves) = line.split_once(" pv ").unwrap();
        firsts.push(moves.split(' ').next().unwrap());
    }
    assert_eq!(report[5], format!("bestmove {}", firsts[0]));
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 5, "{report:?}");
    // A King in check has few moves, and one of them is not among the search moves.
    let few = "setoption name MultiPV value 9\nposition fen 7k/8/8/8/8/8/8/K6R b - - 0 1\n\
               go nodes 50 searchmoves h8g8 h8g7\n";
    assert_eq!(timeless(few).iter().filter(|line| line.contains(" multipv ")).count(), 2);
}

/// A mate in one leaves the other lines to be searched. Every mate has its length and its moves.
#[test]
fn mates_are_right_in_every_line() {
    let script = "setoption name Network value material\nsetoption name MultiPV value 30\n\
                  position fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1\ngo nodes 9000\n";
    let lines = timeless(script);
    let last = lines.iter().rposition(|line| line.contains(" multipv 1 ")).unwrap();
    let mut mates = Vec::new();
    for line in &lines[last..lines.len() - 1] {
        let (_, score) = line.split_once(" score ").unwrap();
        let Some(mate) = score.strip_prefix("mate ") else { break };
        let mate: usize = mate.split(' ').next().unwrap().parse().unwrap();
        let (_, moves) = line.split_once(" pv ").unwrap();
        assert_eq!(moves.split(' ').count(), 2 * mate - 1, "{line}");
        mates.push(mate);
    }
    assert!(mates.len() > 3 && mates[0] == 1 && mates.is_sorted(), "{mates:?}");
    assert_eq!(lines.last().unwrap(), "bestmove a1a8");
}

#[test]
fn limited_strength_limits_the_search() {
    let weakest = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value ";
    let answers = answers("uci\n");
    let elo = answers.lines().find(|line| line.contains("name UCI_Elo ")).unwrap();
    let [least, most] = ["min ", "max "].map(|word| {
        let (_, rest) = elo.split_once(word).unwrap();
        rest.split(' ').next().unwrap().to_owned()
    });
    let play = |elo: &str, position: &str| {
        let lines = timeless(&format!("{weakest}{elo}\nposition {position}\ngo nodes 100000\n"));
        let visits = lines.iter().rfind(|line| line.starts_with("info depth")).unwrap();
        let (_, visits) = visits.split_once(" nodes ").unwrap();
        let visits: u32 = visits.split(' ').next().unwrap().parse().unwrap();
        (visits, lines.last().unwrap().clone())
    };
    let (few, many) = (play(&least, "startpos"), play(&most, "startpos"));
    assert!(few.0 <= 2 && many.0 > 400 && many.0 < 100_000, "{few:?} {many:?}");
    assert_eq!(play(&least, "startpos"), few);
    // The weakest level plays a mate that its search has found.
    let mate = "fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    assert_eq!(play(&least, mate).1, "bestmove a1a8");
    // It does not always play the best move.
    let moves = ["a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3"];
    let position = |mv: &str| format!("startpos moves {mv}");
    let drawn = moves.map(|mv| play(&least, &position(mv)).1);
    let best = moves
        .map(|mv| timeless(&format!("position {}\ngo nodes 1\n", position(mv))).pop().unwrap());
    assert_ne!(drawn, best);
}
