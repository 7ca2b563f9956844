//! Tests players other than tree searches, and endgames, on chess.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use fusion_chess::FusionGame;
use fusion_game::CompleteGame;
use fusion_jobs::exit::{NO_INPUT, USAGE, exit_code};
use fusion_jobs::stop::Stop;
use fusion_runner::matches::{self, MatchConfig, MatchReport, Player};
use fusion_runner::technique::{self, TechniqueConfig, TechniqueRow};
use fusion_study::{Searcher, rule_sets};

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn open(text: &str) -> anyhow::Result<Player> {
    Player::open::<FusionGame>(text, 8, [&"orthodox".parse().unwrap()])
}

fn config(first: Player, second: Player) -> MatchConfig {
    MatchConfig {
        first,
        second,
        rules: vec!["orthodox".to_owned()],
        games: 4,
        plies: (2, 4),
        cap: 24,
        search: Default::default(),
        sprt: None,
        seed: 1,
    }
}

fn play(config: &MatchConfig, folder: &Path, threads: usize) -> anyhow::Result<MatchReport> {
    with_threads(threads, || matches::run::<FusionGame>(config, folder, &Stop::new()))
}

#[test]
fn alpha_beta_beats_blind_search_and_keeps_to_its_seed() {
    let players = || (open("pvs:material").unwrap(), open("uniform").unwrap());
    let config = |rules: &str| {
        let (first, second) = players();
        let first = first.with_nodes(600);
        MatchConfig { rules: vec![rules.to_owned()], cap: 300, ..config(first, second) }
    };
    for rules in ["fusion-1999", "orthodox"] {
        let [one, two] = [1, 3].map(|threads| {
            let folder = tempfile::tempdir().unwrap();
            let report = play(&config(rules), folder.path(), threads).unwrap();
            (report, fs::read(folder.path().join("match-00000-of-00001.shard")).unwrap())
        });
        assert!(one.0.total.wins >= 3, "{:?}", one.0.total);
        assert!(one == two);
    }
}

/// Writes an engine in the shell. It has one option, writes its input into `log`, and answers `go`
/// with the given commands.
pub fn engine(folder: &Path, go: &str) -> String {
    let path = folder.join("engine");
    let log = folder.join("log");
    let script = format!(
        "while read -r line; do echo \"$line\" >> {}; case $line in\n\
         uci) echo 'id name Shell 1'; echo 'option name Skill Level type spin'; echo uciok;;\n\
         isready) echo readyok;;\n\
         go*) {go};;\n\
         quit) exit;;\n\
         esac; done\n",
        log.display()
    );
    fs::write(&path, script).unwrap();
    format!("uci:/bin/sh {}", path.display())
}

/// Checks that a match soon fails with an error that names the program and the reason.
fn fails(go: &str, settings: &str, wanted: &str) {
    let folder = tempfile::tempdir().unwrap();
    let text = engine(folder.path(), go) + settings;
    let config = config(open(&text).unwrap(), open("uniform").unwrap());
    let started = Instant::now();
    let error = play(&config, folder.path(), 2).unwrap_err();
    let message = format!("{error:#}");
    assert!(message.contains("/engine ") && message.contains(wanted), "{message}");
    assert_eq!(exit_code(&error), 1);
    assert!(started.elapsed() < Duration::from_secs(20), "it took {:?}", started.elapsed());
}

#[test]
fn a_program_that_fails_is_an_error_and_no_hang() {
    fails("echo bestmove e2e5", "", "played the illegal move 'e2e5' in ");
    fails("echo 'bestmove (none)'", "", "played the illegal move '(none)' in ");
    fails("echo bestmove", "", "played the illegal move '' in ");
    fails("exit", "", "ended (exit code 0) without answering 'go nodes 8'");
    fails("sleep 60 > /dev/null", "?timeout=1", "did not answer 'go nodes 8' in 1 s");
    fails("yes", "?nodes=3&timeout=3600", "lines and no answer to 'go nodes 3'");
}

/// The program answers in time. Meanwhile, the match itself is stopped for longer than the time
/// limit of a move.
#[test]
fn time_in_which_the_match_is_stopped_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let text = engine(folder.path(), "sleep 1; echo bestmove a1a1") + "?timeout=4";
    let mut command = Command::new(cargo_bin("fusion"));
    command.args(["match", "--first", &text, "--second", "uniform", "--games", "2"]);
    command.args(["--rules", "orthodox", "--threads", "1", "--out"]).arg(folder.path());
    let process = command.stderr(Stdio::piped()).spawn().unwrap();
    let signal = |name: &str| {
        let number = process.id().to_string();
        assert!(Command::new("kill").args([name, &number]).status().unwrap().success());
    };
    let log = folder.path().join("log");
    while !fs::read_to_string(&log).is_ok_and(|log| log.contains("go nodes")) {
        std::thread::sleep(Duration::from_millis(20));
    }
    signal("-STOP");
    std::thread::sleep(Duration::from_secs(6));
    signal("-CONT");
    let output = process.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("played the illegal move 'a1a1'"), "{message}");
}

#[test]
fn a_program_is_told_its_options_and_the_whole_game() {
    let folder = tempfile::tempdir().unwrap();
    // The engine plays no legal move. Only its input up to then matters.
    let text = engine(folder.path(), "echo bestmove a1a1");
    let player = open(&format!("{text}?nodes=77&option.skill level=3")).unwrap();
    let name = player.name();
    assert_eq!((name.network.as_str(), name.nodes), ("Shell 1 (skill level 3)", Some(77)));
    play(&config(player, open("uniform").unwrap()), folder.path(), 1).unwrap_err();
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(
        lines[..5],
        ["uci", "setoption name skill level value 3", "isready", "ucinewgame", "isready"]
    );
    let start = "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves ";
    assert!(lines[5].starts_with(start), "{log}");
    assert_eq!(lines[6], "go nodes 77");
}

#[test]
fn players_that_cannot_play_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let text = engine(folder.path(), "echo bestmove e2e4");
    for (text, code, wanted) in [
        ("alphabeta:3".to_owned(), USAGE, "pvs:material is the alpha-beta search on material"),
        ("no.fnet".to_owned(), NO_INPUT, "no.fnet"),
        ("pvs".to_owned(), USAGE, "did you mean pvs:NETWORK?"),
        ("Rollout".to_owned(), USAGE, "did you mean rollout?"),
        ("uic:stockfish".to_owned(), USAGE, "did you mean uci:stockfish?"),
        ("stockfish".to_owned(), NO_INPUT, "players are uniform, material, rollout, pvs:"),
        ("uci:/no/such/engine -x".to_owned(), NO_INPUT, "cannot start /no/such/engine"),
        ("uci:".to_owned(), USAGE, "needs a program"),
        ("uci:/bin/true".to_owned(), 1, "is it a UCI engine?"),
        (format!("{text}?nodes=0"), USAGE, "whole number from 1"),
        (format!("{text}?timeout=soon"), USAGE, "whole number from 1"),
        (format!("{text}?Skill Level=3"), USAGE, "option.NAME=VALUE"),
        (format!("{text}?option.Contempt=3"), USAGE, "no option 'Contempt'; it has Skill Level"),
    ] {
        let error = open(&text).unwrap_err();
        let message = format!("{error:#}");
        assert!(message.contains(wanted), "{text}: {message}");
        assert_eq!(exit_code(&error), code, "{message}");
    }
    let rules = vec!["orthodox".to_owned(), "fusion-2020".to_owned()];
    let config = MatchConfig { rules, ..config(open("uniform").unwrap(), open(&text).unwrap()) };
    let error = play(&config, folder.path(), 1).unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(error.to_string().contains("cannot be told the rules fusion-2020"), "{error}");
}

fn technique(rules: &[&str], pieces: &[&str], games: u64) -> TechniqueConfig<FusionGame> {
    technique_of("material", rules, pieces, games)
}

fn technique_of(
    player: &str,
    rules: &[&str],
    pieces: &[&str],
    games: u64,
) -> TechniqueConfig<FusionGame> {
    let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
    // The run rejects what is no rule set.
    let sets = rule_sets::<FusionGame>(&rules).unwrap_or_default();
    TechniqueConfig {
        exercises: pieces.iter().map(|text| FusionGame::exercise(text).unwrap()).collect(),
        games,
        shards: 1,
        player: Searcher::open::<FusionGame>(player, &sets).unwrap(),
        rules,
        nodes: 200,
        search: Default::default(),
        seed: 5,
    }
}

fn try_out(
    config: &TechniqueConfig<FusionGame>,
    folder: &Path,
    threads: usize,
) -> anyhow::Result<Vec<TechniqueRow>> {
    let stop = Stop::new();
    with_threads(threads, || {
        technique::run::<FusionGame>(config, folder, 0..config.shards, &stop)?;
        technique::merge::<FusionGame>(config, folder, &stop)
    })
}

#[test]
fn endgames_end_and_are_counted() {
    let config = technique(&["fusion-2020", "orthodox"], &["RB+RB", "R"], 3);
    let folder = tempfile::tempdir().unwrap();
    let rows = try_out(&config, folder.path(), 1).unwrap();
    let order: Vec<(&str, &str)> =
        rows.iter().map(|row| (row.rules.as_str(), row.exercise.as_str())).collect();
    assert_eq!(
        order,
        [("fusion-2020", "RB+RB"), ("fusion-2020", "R"), ("orthodox", "RB+RB"), ("orthodox", "R")]
    );
    for row in &rows {
        let drawn: u64 = row.draws.iter().map(|(_, games)| games).sum();
        assert_eq!((row.games, row.wins + drawn), (3, 3), "{row:?}");
        let longest = row.longest_plies.map(f64::from);
        assert_eq!((row.wins > 0, row.wins > 0), (longest.is_some(), row.mean_plies.is_some()));
        assert!(row.mean_plies <= longest, "{row:?}");
    }
    assert!(rows[0].wins + rows[2].wins > 0, "two Queens mate now and then: {rows:?}");
    let path = folder.path().join("technique.csv");
    let csv = fs::read_to_string(&path).unwrap();
    let (header, lines) = csv.split_once('\n').unwrap();
    assert!(header.ends_with("longest_plies,stalemate,threefold,fifty_move,dead_position"));
    for (line, row) in lines.lines().zip(&rows) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[..2], [&row.rules, &row.exercise]);
        assert_eq!(cells[6], row.wins.to_string());
        let draws: Vec<String> = row.draws.iter().map(|(_, games)| games.to_string()).collect();
        assert_eq!(cells[9..], draws);
    }

    let other = tempfile::tempdir().unwrap();
    assert_eq!(try_out(&config, other.path(), 3).unwrap(), rows);
    let again = try_out(&config, other.path(), 1).unwrap();
    assert_eq!(again, rows);
    assert!(fs::read(other.path().join("technique.csv")).unwrap() == fs::read(&path).unwrap());
    let longer = technique(&["orthodox"], &["R"], 4);
    assert_eq!(exit_code(&try_out(&longer, folder.path(), 1).unwrap_err()), USAGE);
}

/// The alpha-beta search mates with two Rooks. Its folder is not continued by another player.
#[test]
fn the_alpha_beta_search_has_technique() {
    let config = |player: &str| technique_of(player, &["orthodox"], &["R+R"], 4);
    let [one, two] = [1, 3].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        let rows = try_out(&config("pvs:material"), folder.path(), threads).unwrap();
        (folder, rows)
    });
    assert_eq!(one.1, two.1);
    assert_eq!((one.1[0].network.as_str(), one.1[0].games), ("pvs:material", 4));
    assert!(one.1[0].wins > 0, "{:?}", one.1);
    for other in ["material", "pvs:material?null_move=false"] {
        let error = try_out(&config(other), one.0.path(), 1).unwrap_err();
        assert_eq!(exit_code(&error), USAGE, "{other}");
    }
}

#[test]
fn endgames_that_cannot_be_played_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    for (config, wanted) in [
        (technique(&["orthodox"], &["N"], 1), "none of 10000 random positions of N fits orthodox"),
        (technique(&["fusion-3000"], &["R"], 1), "fusion-3000"),
        (technique(&["orthodox"], &["R"], 0), "at least 1 game"),
        (technique(&[], &["R"], 1), "a rule set"),
        (technique(&["orthodox"], &["R"], u64::MAX), "at most"),
    ] {
        let error = try_out(&config, folder.path(), 1).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
        assert_eq!(exit_code(&error), USAGE);
    }
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn alpha_beta_search_beats_tree_search_on_material_and_keeps_to_its_seed() {
    let config = || {
        let (first, second) = (open("pvs:material").unwrap(), open("material").unwrap());
        let (first, second) = (first.with_nodes(600), second.with_nodes(60));
        let rules = ["fusion-1999", "orthodox"].map(str::to_owned).to_vec();
        MatchConfig { rules, cap: 300, games: 8, ..config(first, second) }
    };
    let [one, two] = [1, 3].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        let report = play(&config(), folder.path(), threads).unwrap();
        (report, fs::read(folder.path().join("match-00000-of-00001.shard")).unwrap())
    });
    assert!(one.0.total.wins >= 6, "{:?}", one.0.total);
    assert_eq!(one.0.first.network, "pvs:material");
    assert!(one == two);
}

#[test]
fn settings_of_an_alpha_beta_search_are_part_of_its_name() {
    let name = |text: &str| open(text).unwrap().name().to_string();
    assert_eq!(name("pvs:uniform"), "pvs:uniform at 8 nodes");
    let usual = "pvs:uniform?null_move=true&table_mib=16";
    assert_eq!(name(usual), "pvs:uniform at 8 nodes");
    let other = "pvs:material?table_mib=2&null_move=false";
    assert_eq!(name(other), "pvs:material?null_move=false&table_mib=2 at 8 nodes");
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/nets/family.fnet");
    let hash = name(&format!("pvs:{network}?futility=false"));
    assert_eq!(hash, "pvs:76a3a3ddea06?futility=false at 8 nodes");
    for (text, code, part) in [
        ("pvs:material?table_mib=0", USAGE, "table_mib must be from 1 to 1024"),
        ("pvs:material?null_move=maybe", USAGE, "null_move=maybe"),
        ("pvs:material?nul_move=false", USAGE, "unknown field `nul_move`"),
        ("pvs:no/such.fnet", NO_INPUT, "no/such.fnet"),
        ("pvz:material", USAGE, "did you mean pvs:material?"),
    ] {
        let error = open(text).unwrap_err();
        assert_eq!(exit_code(&error), code, "{text}: {error:#}");
        assert!(format!("{error:#}").contains(part), "{text}: {error:#}");
    }
}

/// 10,000 nodes would need a tree with more nodes than the default, which the alpha-beta search does not have.
#[test]
fn the_alpha_beta_search_needs_no_room_for_a_tree() {
    let folder = tempfile::tempdir().unwrap();
    let study = |file: &str| {
        format!(
            "[study]\nname = 't'\n[network]\nfile = '{file}'\n[measure]\nnodes = [100]\n[strength]\n\
             opponent = 'self'\nopponent_nodes = 20\nnodes = 10000\ngames = 2\ncap = 4\nplies = [2, 2]\n"
        )
    };
    for (file, code) in [("pvs:material", 0), ("material", 64)] {
        let path = folder.path().join("t.toml");
        fs::write(&path, study(file)).unwrap();
        let mut command = Command::new(cargo_bin("fusion"));
        command.args(["match", "--threads", "1", "--study"]).arg(&path);
        let output = command.arg("--out").arg(folder.path().join("m")).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{file}: {words}");
    }
}
