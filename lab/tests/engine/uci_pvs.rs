//! Tests the alpha-beta search of the protocol.

use super::uci::{Dialogue, REJECTED, answers, best_move, timeless};
use fusion_chess::FusionGame;
use fusion_network::views::{self, ViewNetwork};
use std::time::{Duration, Instant};

const PVS: &str = "setoption name Search value pvs\nsetoption name Hash value 4\n";

/// Returns the reports of a search of a position, without their time-dependent parts.
fn reports(options: &str, position: &str, go: &str) -> Vec<String> {
    let mut lines = timeless(&format!("{PVS}{options}position {position}\n{go}\n"));
    lines.retain(|line| line.starts_with("info depth ") || line.starts_with("bestmove "));
    lines
}

/// Returns the words after a name in a report, up to `count`.
fn after<'a>(line: &'a str, name: &str, count: usize) -> Vec<&'a str> {
    let (_, rest) = line.split_once(&format!(" {name} ")).unwrap();
    rest.split(' ').take(count).collect()
}

#[test]
fn searches_end_at_their_limits() {
    for limit in [
        "nodes 1",
        "nodes 3000",
        "movetime 20",
        "wtime 200 btime 200",
        "depth 2",
        "wtime 0 btime 0",
        "movetime 0",
        "depth 0",
        "nodes 0",
    ] {
        let best = best_move(&format!("{PVS}position startpos moves e2e4\ngo {limit}\n"));
        assert!(["5", "6"].contains(&&best[3..4]), "{limit}: {best}");
    }
}

#[test]
fn every_finished_depth_is_reported() {
    let show = "setoption name UCI_ShowWDL value true\n";
    let lines = reports(show, "startpos", "go depth 7");
    let depths: Vec<&str> =
        lines[..lines.len() - 1].iter().map(|line| after(line, "depth", 1)[0]).collect();
    assert_eq!(depths, ["1", "2", "3", "4", "5", "6", "7"]);
    let last = &lines[lines.len() - 2];
    let wdl: Vec<i32> =
        after(last, "wdl", 3).iter().map(|chance| chance.parse().unwrap()).collect();
    assert_eq!(wdl.iter().sum::<i32>(), 1000, "{last}");
    assert_eq!(after(last, "score", 1), ["cp"]);
    assert!(!last.contains(" tbhits "), "{last}");
    let number = |name| after(last, name, 1)[0].parse::<u32>().unwrap();
    assert!(number("seldepth") >= 7 && (1..=1000).contains(&number("hashfull")), "{last}");
    assert_eq!(lines[lines.len() - 1], format!("bestmove {}", after(last, "pv", 1)[0]));
    // The same limits give the same search.
    assert_eq!(lines, reports(show, "startpos", "go depth 7"));
    // Nodes are the limit of the whole search, of which the last depth is unfinished.
    let few = reports("", "startpos", "go nodes 5000");
    let nodes: u64 = after(&few[few.len() - 2], "nodes", 1)[0].parse().unwrap();
    assert!((1..=5000).contains(&nodes), "{few:?}");
}

#[test]
fn mates_are_told_and_played() {
    for (fen, score, best) in [
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "mate 1", "d8h4"),
        ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", "mate -1", "h8g8"),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", "mate 2", "a2a7 b1b7 b1g1"),
    ] {
        for network in ["material", "shipped"] {
            let network = format!("setoption name Network value {network}\n");
            let lines = reports(&network, &format!("fen {fen}"), "go nodes 20000");
            let last = &lines[lines.len() - 2];
            assert_eq!(after(last, "score", 2).join(" "), score, "{last}");
            let played = lines[lines.len() - 1].strip_prefix("bestmove ").unwrap();
            assert!(best.split(' ').any(|mv| mv == played), "{played}");
        }
    }
}

#[test]
fn several_lines_are_numbered_and_differ() {
    let several = "setoption name MultiPV value 5\n";
    let lines = reports(several, "startpos moves e2e4", "go depth 4");
    let mut firsts = Vec::new();
    for (i, line) in lines[lines.len() - 6..lines.len() - 1].iter().enumerate() {
        assert_eq!(after(line, "multipv", 1), [(i + 1).to_string()], "{line}");
        firsts.push(after(line, "pv", 1)[0]);
    }
    assert_eq!(lines[lines.len() - 1], format!("bestmove {}", firsts[0]));
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 5, "{lines:?}");
    // Search moves restrict the lines too.
    let few = reports(several, "startpos", "go depth 3 searchmoves a2a3 h2h3");
    let last: Vec<&String> = few.iter().filter(|line| line.starts_with("info depth 3 ")).collect();
    assert_eq!(last.len(), 2, "{few:?}");
    let mate = "fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    assert_eq!(reports("", mate, "go depth 4 searchmoves a1b1").last().unwrap(), "bestmove a1b1");
}

#[test]
fn a_search_is_stopped_and_a_mate_ends_it() {
    let mut engine = Dialogue::new();
    engine.say(PVS);
    engine.say("position startpos\ngo infinite\nisready");
    engine.until("readyok");
    engine.until("info depth");
    let stopped = Instant::now();
    engine.say("stop");
    engine.until("bestmove");
    // Other tests share the processor.
    assert!(stopped.elapsed() < Duration::from_millis(500), "{:?}", stopped.elapsed());
    // A search for a mate ends by itself as soon as the mate is found, an infinite one does not.
    let mate = "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    engine.say(&format!("{mate}\ngo mate 2"));
    assert_eq!(engine.until("bestmove"), "bestmove a1a8");
    engine.say("go infinite");
    engine.until("info depth");
    engine.say("isready");
    assert_eq!(engine.until(""), "readyok");
    engine.say("stop");
    assert_eq!(engine.until("bestmove"), "bestmove a1a8");
    engine.say("go infinite\nposition startpos moves e2e4\ngo nodes 10");
    engine.until("bestmove");
    engine.until("bestmove");
    engine.say("go infinite\nquit");
    engine.until("bestmove");
}

#[test]
fn games_that_are_over_are_still_answered() {
    for (position, ending, moves) in [
        ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate", "(none)"),
        ("fen 7k/8/6K1/8/8/8/8/1Q6 w - - 100 80", "fifty-move", "b1b8"),
    ] {
        let answers = answers(&format!("{PVS}position {position}\ngo nodes 2000\n"));
        assert!(answers.contains(&format!("info string the game is over: {ending}")), "{answers}");
        assert!(answers.ends_with(&format!("bestmove {moves}\n")), "{answers}");
    }
}

/// Nothing is played while two options contradict each other.
#[test]
fn options_that_conflict_are_rejected_until_one_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("views.fnet");
    let rules = "orthodox".parse().unwrap();
    let network = views::ViewFloats::random::<FusionGame>(&rules, 64, 1).unwrap();
    let network = ViewNetwork::quantise::<FusionGame>(&rules, &network).unwrap();
    std::fs::write(&path, network.bytes()).unwrap();
    let network = format!("setoption name Network value {}", path.display());
    let pvs = "setoption name Search value pvs";
    let limited = "setoption name UCI_LimitStrength value true";
    for (wrong, reason, remedy) in [
        (network.clone(), "error: option Network: ", pvs),
        (
            format!("{pvs}\n{limited}"),
            "error: option UCI_LimitStrength: its levels",
            "setoption name Search value tree",
        ),
    ] {
        let script = format!("{wrong}\nisready\ngo nodes 50\n{remedy}\ngo nodes 50\n");
        let answers = answers(&script);
        let (rejected, played) = answers.split_once(REJECTED).unwrap();
        assert!(rejected.contains(reason), "{answers}");
        assert!(played.contains("\nbestmove ") && !played.contains("error"), "{answers}");
    }
    // The order of the options does not matter.
    for options in [format!("{network}\n{pvs}"), format!("{pvs}\n{network}")] {
        assert!(!answers(&format!("{options}\ngo nodes 50\n")).contains("error"));
    }
}

#[test]
fn moves_are_counted_for_other_programs() {
    let counted = |go: &str| {
        answers(&format!(
            "setoption name UCI_Variant value orthodox\nposition startpos moves e2e4\n{go}\n"
        ))
    };
    let text = counted("go perft 3");
    assert!(text.contains("e7e5: ") && text.contains("\nNodes searched: 13160\n"), "{text}");
    assert_eq!(text.matches(": ").count(), 21, "{text}");
    let rejected = counted("go perft 9");
    assert!(rejected.contains("counts 1 to 4 plies") && rejected.contains(REJECTED), "{rejected}");
}
