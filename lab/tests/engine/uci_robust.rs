//! What other programs send: every `go`, numbers, positions and bytes of other systems, and little
//! memory.

use super::uci::{REJECTED, answers};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The searches, by the commands that choose them.
const SEARCHES: [&str; 2] = [
    "setoption name Search value tree",
    "setoption name Search value pvs\nsetoption name Hash value 4",
];

/// An engine that ends after two minutes at the latest.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn new(commands: &str) -> Self {
        let fusion = assert_cmd::cargo::cargo_bin("fusion");
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "120"]).arg(fusion).arg("uci");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut engine = Self { child, input, output };
        engine.say(commands);
        engine
    }

    fn say(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// Reads up to a line that begins with `beginning`, and returns all lines.
    fn until(&mut self, beginning: &str) -> String {
        let mut text = String::new();
        loop {
            let start = text.len();
            assert!(self.output.read_line(&mut text).unwrap() > 0, "no {beginning}: {text}");
            if text[start..].starts_with(beginning) {
                return text;
            }
        }
    }
}

/// Runs work for both searches at the same time.
fn for_both(work: impl Fn(&str) + Sync) {
    std::thread::scope(|scope| {
        for search in SEARCHES {
            let work = &work;
            scope.spawn(move || work(search));
        }
    });
}

/// The limits, and whether the search of White ends by itself.
const LIMITS: [(&str, bool); 13] = [
    ("depth 1", true),
    ("nodes 50", true),
    ("movetime 20", true),
    ("mate 1", true),
    ("wtime 100", true),
    ("btime 100", true),
    ("winc 10", true),
    ("binc 10", true),
    ("movestogo 3", true),
    ("infinite", false),
    ("ponder", false),
    ("searchmoves e2e4 d2d4", false),
    ("", false),
];

#[test]
fn every_limit_and_every_pair_ends() {
    for_both(|search| {
        let mut engine = Engine::new(&format!("{search}\nisready\nposition startpos"));
        engine.until("readyok");
        for (first, first_ends) in LIMITS {
            for (second, second_ends) in LIMITS {
                if first > second {
                    continue;
                }
                let never = ["infinite", "ponder"];
                let is_endless = never.contains(&first) || never.contains(&second);
                let go = format!("go {first} {second}");
                let began = Instant::now();
                engine.say(&go);
                if is_endless || !first_ends && !second_ends {
                    engine.say("isready");
                    assert!(!engine.until("readyok").contains("bestmove"), "{search} {go}");
                    engine.say("stop");
                }
                let told = engine.until("bestmove");
                assert!(!told.ends_with(REJECTED), "{search} {go}: {told}");
                if go.contains("searchmoves") {
                    let best = told.lines().last().unwrap();
                    assert!(["bestmove e2e4", "bestmove d2d4"].contains(&best), "{go}: {told}");
                }
                assert!(began.elapsed() < Duration::from_secs(8), "{search} {go}");
            }
        }
    });
}

/// No `go` that cannot be read makes a search without an end.
#[test]
fn what_cannot_be_read_is_bounded_and_said() {
    let spoilt = [
        "depth",
        "nodes many",
        "movetime 1,5",
        "fast",
        "perft three",
        "mate x",
        "searchmoves",
        "searchmoves e2e5",
        "wtime five",
        "depth inf",
    ];
    let read = [
        "movetime 100.0",
        "wtime 1000.5 btime 1000.5",
        "nodes 1e2",
        "wtime -5 btime -5",
        "depth -1",
        "movetime 50 movetime 60",
        "movetime 20 nonsense",
        "nodes 100 depth 18446744073709551615",
    ];
    for_both(|search| {
        let mut engine = Engine::new(&format!("{search}\nposition startpos"));
        for go in spoilt {
            let began = Instant::now();
            engine.say(&format!("go {go}"));
            let told = engine.until("bestmove");
            assert!(told.contains("info string go was not read in full"), "{go}: {told}");
            assert!(
                !told.ends_with(REJECTED) && began.elapsed() < Duration::from_secs(5),
                "{told}"
            );
        }
        for go in read {
            let began = Instant::now();
            engine.say(&format!("go {go}"));
            let told = engine.until("bestmove");
            assert!(!told.contains("not read in full"), "{go}: {told}");
            assert!(
                !told.ends_with(REJECTED) && began.elapsed() < Duration::from_secs(5),
                "{told}"
            );
        }
        // The largest number is a limit that is not reached.
        engine.say("go nodes 18446744073709551615\nisready");
        assert!(!engine.until("readyok").contains("bestmove"));
        engine.say("stop");
        engine.until("bestmove");
    });
}

#[test]
fn a_mate_is_found_or_refuted() {
    for_both(|search| {
        for (fen, moves, told, best) in [
            ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 5, "score mate 2 ", "a2a7 b1b7 b1g1"),
            ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 1, "score mate 1 ", "a1a8"),
            ("8/8/8/8/8/1k6/8/K1R5 w - - 0 1", 1, "there is no mate in 1 or fewer moves", "c1"),
            ("8/8/8/8/8/1k6/8/K1R5 w - - 0 1", 0, "there is no mate in 0 or fewer moves", "c1"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 3, "there is no mate in 3 or fewer moves", "e"),
        ] {
            let mut engine = Engine::new(&format!("{search}\nposition fen {fen}"));
            engine.say(&format!("go mate {moves}"));
            let answer = engine.until("bestmove");
            assert!(answer.contains(told), "{search} {fen}: {answer}");
            let (_, played) = answer.rsplit_once("bestmove ").unwrap();
            assert!(best.split(' ').any(|best| played.starts_with(best)), "{fen}: {played}");
        }
    });
}

/// The program ends with its input, whatever it does.
#[test]
fn the_end_of_the_input_ends_every_state() {
    for_both(|search| {
        let goes = LIMITS.iter().map(|limit| limit.0);
        for go in goes.chain(["mate 9", "nodes 18446744073709551615", "depth 500", "movetime 1e12"])
        {
            // A search of a mate that is far away takes its ten seconds.
            let began = Instant::now();
            let told = answers(&format!("{search}\nposition startpos\ngo {go}"));
            assert!(told.contains("\nbestmove ") || told.starts_with("bestmove "), "{go}: {told}");
            assert!(began.elapsed() < Duration::from_secs(40), "{search} {go}");
        }
        assert_eq!(answers(&format!("{search}\nisready")), "readyok\n");
    });
}

#[test]
fn positions_of_other_programs_are_mended_with_a_remark() {
    for (position, remark, fen) in [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 0", "'0' is not a number", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "castling right Q", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w H - 0 1", "'H'", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3  w -   e6 0 1", "e6", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w", "a FEN has 6 fields", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ] {
        let told = answers(&format!("position fen {position}\nd\ngo nodes 2"));
        let first = told.lines().next().unwrap();
        assert!(first.starts_with("info string position: ") && first.contains(remark), "{first}");
        assert!(told.contains(&format!("fen      {fen}\n")) && !told.contains(REJECTED), "{told}");
        let output = assert_cmd::Command::cargo_bin("fusion")
            .unwrap()
            .args(["moves", "--rules", "orthodox", "--position", position])
            .output()
            .unwrap();
        let note = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && note.contains(remark), "{note}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("Ke2"));
    }
    // Moves in other notations, and moves that are none.
    let told = answers("position startpos moves e2-e4 E7E5 Nf3 Nc6 Bb5 a6 O-O\nd");
    assert!(told.contains("r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b"), "{told}");
    let told =
        answers("position startpos moves e2e4\nposition startpos moves e2e4 e7e8Q\ngo nodes 2");
    assert!(told.contains("move 2: 'e7e8Q'") && told.ends_with(REJECTED), "{told}");
}

fn raw(bytes: &[u8]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("fusion").unwrap();
    command.arg("uci").write_stdin(bytes).output().unwrap()
}

#[test]
fn input_of_other_systems_is_read() {
    for bytes in [
        &b"\xef\xbb\xbfposition startpos moves e2e4\r\nd\r\ngo nodes 2\r\n"[..],
        b"position startpos moves e2e4\nd\ngo nodes 2",
        b"\xff\xfep\0o\0s\0i\0t\0i\0o\0n\0 \0\n\0position startpos moves e2e4\nd\ngo nodes 2",
        b"\xc3\x28 \x80\n\0\0\nposition\0 startpos moves e2e4\0\nd\ngo nodes 2\0",
        b"\tposition\tstartpos  moves\te2e4 \r\n  d \n go   nodes   2 ",
    ] {
        let output = raw(bytes);
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
        assert!(
            told.contains("fen      rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"),
            "{told}"
        );
        assert!(told.contains("\nbestmove ") && !told.contains(REJECTED), "{told}");
    }
}

/// A line that is too long changes nothing, and nothing earlier is played in its place.
#[test]
fn lines_without_end_are_bounded() {
    let long = " e2e4".repeat(1 << 20);
    let told =
        answers(&format!("uci\nposition startpos moves{long}\ngo nodes 2\nposition startpos\nd"));
    assert!(told.contains("info string error: position: lines of 1048576 bytes are ignored"));
    assert!(told.contains(REJECTED) && told.contains("\nfen  "), "{told}");
    let told = answers(&format!("go searchmoves{long}\n{long}\nsetoption name Rules value {long}"));
    assert!(told.contains("\nbestmove e2e4\n"), "{told}");
    assert!(told.len() < 1 << 16, "{}", told.len());
    let told = answers(&format!("go searchmoves{}\n", long.replace("e2e4", "e7e5")));
    assert!(told.contains("searchmoves: no move is left") && told.len() < 1 << 14, "{told}");
    // The rules are not those that were asked for.
    let long = "x".repeat(1 << 19);
    for long in [long.clone(), long.repeat(3), " ".repeat(1 << 20)] {
        let rules = format!("setoption name Rules value fusion-2020{long},castling=no");
        let told = answers(&format!("{rules}\nd\ngo nodes 2"));
        assert!(told.contains("info string error: option Rules: "), "{told}");
        assert!(told.contains("\nerror    option Rules: ") && told.ends_with(REJECTED), "{told}");
        assert!(told.len() < 1 << 16, "{}", told.len());
    }
}

#[test]
fn nothing_that_is_quoted_controls_the_terminal() {
    let escape = "\u{1b}[2J\u{7}\u{9b}31m\u{202e}x\ry";
    let commands = [
        escape.to_string(),
        format!("setoption name Rules value {escape}"),
        format!("setoption name {escape} value 3"),
        format!("setoption name Network value {escape}"),
        format!("setoption name EndgameTables value {escape}"),
        format!("setoption name UCI_Variant value {escape}"),
        format!("setoption name Hash value {escape}"),
        format!("position {escape}"),
        format!("position fen {escape}"),
        format!("position fen {escape} w - - 0 1"),
        format!("position fen 4k3/8/8/8/8/8/8/4K3 w {escape} {escape} 0 1"),
        format!("position startpos moves {escape}"),
        format!("go depth {escape}"),
        format!("go searchmoves {escape} depth 1"),
    ];
    for command in commands {
        let told = answers(&format!("{command}\nd\ngo nodes 1"));
        let is_unsafe = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!told.contains(is_unsafe), "{command:?}: {told:?}");
    }
}

/// Input is answered while a large table is made, and `quit` ends that.
#[test]
fn a_large_table_is_made_beside_the_input() {
    let large = "setoption name Search value pvs\nsetoption name Hash value 1024";
    let told = answers(&format!("{large}\nisready\nuci\nisready\ngo nodes 2"));
    let [uci, ready] = ["uciok", "readyok"].map(|word| told.find(word).unwrap());
    assert!(uci < ready && told.matches("readyok").count() == 2, "{told}");
    assert!(told.contains("\nbestmove "), "{told}");
    for waiting in ["isready\nquit", "go infinite\nquit", "go infinite\nstop\nquit"] {
        let mut engine = Engine::new(large);
        let began = Instant::now();
        engine.say(waiting);
        assert!(engine.child.wait().unwrap().success());
        // Making the table takes longer where memory is slow, and other tests share the processor.
        assert!(began.elapsed() < Duration::from_secs(3), "{waiting}: {:?}", began.elapsed());
    }
}

/// Runs a command with limited memory in KiB.
fn limited(memory: u32, command: &str, input: &str) -> (Option<i32>, String, String) {
    let fusion = assert_cmd::cargo::cargo_bin("fusion");
    let script = format!("ulimit -v {memory}; exec \"$FUSION\" {command}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("FUSION", fusion).env("RAYON_NUM_THREADS", "2");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let (mut out, mut errors) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    (child.wait().unwrap().code(), out, errors)
}

#[test]
fn a_table_beyond_the_memory_gets_smaller() {
    for search in SEARCHES {
        let script = format!(
            "{search}\nsetoption name Hash value 16384\nisready\nposition startpos\ngo nodes 200\n\
             position startpos moves e2e4 e7e5\ngo nodes 200\n"
        );
        let (code, told, errors) = limited(1_000_000, "uci", &script);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{told}");
        assert!(
            told.contains("info string option Hash: there is no memory for 16384 MB: "),
            "{told}"
        );
        assert_eq!(told.matches("\nbestmove ").count(), 2, "{told}");
        assert!(!told.contains(REJECTED), "{told}");
    }
}

/// Any other allocation that fails ends a program with a message and the code 1.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("match").display().to_string();
    let command = format!(
        "match --first 'pvs:material?table_mib=1024' --second material --rules orthodox \
         --games 2 --nodes 10 --threads 1 --out {out}"
    );
    let (code, told, errors) = limited(800_000, &command, "");
    assert_eq!(code, Some(1), "{told} {errors}");
    assert!(errors.contains("memory allocation of 1073741824 bytes failed"), "{errors}");
    assert!(errors.contains("error: the program cannot go on; if memory is short"), "{errors}");
}
