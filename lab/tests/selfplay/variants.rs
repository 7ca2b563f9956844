//! Tests other programs that play the games of files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use assert_cmd::cargo::cargo_bin;

use super::command::{fail, run, succeed, text};

const FILE: &str = "[cleric-chess:chess]\nbishop = -\ncustomPiece1 = c:NF\n\
    startFen = rncqkcnr/pppppppp/8/8/8/8/PPPPPPPP/RNCQKCNR w KQkq - 0 1\n\
    promotionPieceTypes = qrcn\n";

/// Writes a program in the shell and returns it as a player.
fn script(folder: &Path, commands: &str) -> String {
    let path = folder.join("script");
    fs::write(&path, format!("#!/bin/sh\n{commands}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("uci:{}", path.display())
}

/// Returns an engine in the shell with these lines of options. It writes its input into `log`.
fn engine(folder: &Path, options: &str) -> String {
    let log = folder.join("log");
    let commands = format!(
        "while read -r line; do echo \"$line\" >> {}; case $line in\n\
         uci) echo 'id name Shell 1'; {options} echo uciok;;\nisready) echo readyok;;\n\
         go*) echo bestmove none;;\nquit) exit;;\nesac; done",
        log.display()
    );
    script(folder, &commands)
}

/// Returns the command of a match, each in a folder of its own.
fn line(rules: &str, program: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!(
        "match --first pvs:material --second {program} --rules {rules} --nodes 30 --games 4 \
         --cap 60 --threads 1 --out m{number}"
    )
}

/// The second player is this program, which receives the variant as any other does.
#[test]
fn another_program_plays_the_game_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("my.ini"), FILE).unwrap();
    let program = script(at, &format!("exec '{}' uci", cargo_bin("fusion").display()));
    let program = program + "?nodes=20&option.Search=pvs&option.Hash=1";
    for rules in
        ["my.ini#cleric-chess", "my.ini#cleric-chess,stalemateValue=loss", "variants#minishogi"]
    {
        let out = succeed(at, &line(rules, &program));
        assert!(
            out.contains("Fusion Chess Lab") && out.contains(rules.split('#').next().unwrap()),
            "{out}"
        );
    }
    // Its nodes are chosen so that it takes as long as the first player.
    let out = succeed(at, &(line("orthodox", &program) + " --equal-time"));
    assert!(out.contains("equal time: ") && out.contains(" ms a move, Fusion Chess Lab"), "{out}");
}

/// This program plays both sides as any other program does: the same games with one process and with two.
#[test]
fn another_program_measures() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("my.ini"), FILE).unwrap();
    let program = script(at, &format!("exec '{}' uci", cargo_bin("fusion").display()));
    let program = program + "?option.Search=pvs&option.Hash=1";
    let rules = "--rules my.ini#cleric-chess --rules my.ini#cleric-chess,stalemateValue=loss";
    succeed(at, &format!("openings {rules} --count 3 --nodes 4 --network material --out o.csv"));
    let measure = |program: &str, out: &str, threads: u32| {
        format!(
            "measure {rules} --openings o.csv --network {program} --nodes 20,40 --cap 120 \
             --threads {threads} --out {out}"
        )
    };
    let games = |out: &str| fs::read_to_string(at.join(out).join("games.csv")).unwrap();
    for (out, threads) in [("one", 1), ("two", 2), ("two", 1)] {
        succeed(at, &measure(&program, out, threads));
    }
    assert_eq!(games("one").matches(",\"uci:Fusion Chess Lab").count(), 12, "{}", games("one"));
    assert_eq!(games("one"), games("two"));
    let with_nodes = program + "&nodes=5";
    fail(at, &measure(&with_nodes, "three", 1), 64, "measure.nodes sets the nodes of each move");
    // A program that does not know an option may leave it out without a word.
    let deaf = script(
        at,
        "while read -r line; do case $line in\nuci) echo 'option name VariantPath type string'; \
        echo 'option name UCI_Variant type combo var az-torpedo'; echo uciok;;\nisready) echo readyok;;\n\
        'go perft'*) echo 'Nodes searched: 20';;\nquit) exit;;\nesac; done",
    );
    succeed(at, "openings --rules orthodox --count 2 --nodes 4 --network material --out chess.csv");
    let measure = format!(
        "measure --rules az-torpedo --openings chess.csv --network {deaf} --nodes 9 --out four"
    );
    let words = "does not understand the definition of az-torpedo";
    fail(at, &measure, 64, words);
    fail(at, &line("az-torpedo", &deaf), 64, words);
}

/// A study starts the program that measures in its own process of that step.
#[test]
fn a_study_measures_by_another_program() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let program = script(at, &format!("exec '{}' uci", cargo_bin("fusion").display()));
    let study = format!(
        "[study]\nname = 'x'\n[network]\nfile = 'material'\n[openings]\ncount = 3\nnodes = 4\n\
         [measure]\nrules = ['orthodox', 'az-torpedo']\nnodes = [8]\ncap = 120\n\
         network = '{program}?option.Search=pvs&option.Hash=1'\n[strength]\ngames = 2\nnodes = 4\n\
         [random]\ngames = 20\n"
    );
    fs::write(at.join("x.toml"), study).unwrap();
    fail(at, "study x.toml", 64, "--allow-programs");
    succeed(at, "study x.toml --allow-programs");
    let page = fs::read_to_string(at.join("runs/x/report.html")).unwrap();
    assert!(
        page.contains("Games by Fusion Chess Lab")
            && page.contains("may differ when they are played")
    );
}

#[test]
fn a_program_is_told_the_variant_or_named_as_unable() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("my.ini"), FILE).unwrap();
    let game = "my.ini#cleric-chess,castling=no";
    fail(at, &line(game, &engine(at, "")), 64, "has no option VariantPath");
    fail(at, &line("variants#capablanca", &engine(at, "")), 64, "has no option UCI_Variant");
    let option = |name: &str, rest: &str| format!("echo 'option name {name} type {rest}';");
    let options = option("VariantPath", "string") + &option("UCI_Variant", "combo var chess");
    let out = run(at, &line(game, &engine(at, &options)));
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out).contains("does not offer the variant cleric-chess-"), "{}", text(&out));
    let log = fs::read_to_string(at.join("log")).unwrap();
    let path = log.lines().find_map(|line| line.strip_prefix("setoption name VariantPath value "));
    // The file is gone when the program has read it.
    assert!(Path::new(path.unwrap()).is_absolute() && !Path::new(path.unwrap()).exists());
    fs::remove_file(at.join("log")).unwrap();
    let options = option("UCI_Variant", "combo default chess var chess var capablanca");
    fail(at, &line("variants#capablanca", &engine(at, &options)), 1, "the illegal move 'none'");
    let log = fs::read_to_string(at.join("log")).unwrap();
    let told = "uci\nisready\nuci\nsetoption name UCI_Variant value capablanca\nucinewgame\n";
    assert!(log.starts_with(told), "{log}");
    assert!(log.contains("position fen rnabqkbcnr/pppppppppp/10"), "{log}");
    // The rules of these chess games have no name in other programs.
    fail(
        at,
        &line("fusion-2020", &engine(at, &options)),
        64,
        "cannot be told the rules fusion-2020",
    );
}

#[test]
fn one_network_plays_games_of_one_board_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let line = "study --game variants#chess --than variants#capablanca --out s";
    fail(at, line, 64, "the same board and the same pieces");
    fail(at, "study --than variants#chess --out s", 64, "--game");
    let line = "study --game variants#chess --than variants#chess,castling=yes --out s";
    fail(at, line, 64, "--than: it is the game of --game");
    fail(at, "study --game variants#chess --than variants#ches --out s", 64, "--than: ");
    for folder in ["a", "b"] {
        fs::create_dir(at.join(folder)).unwrap();
        fs::write(at.join(folder).join("my.ini"), format!("[{folder}:chess]\n")).unwrap();
    }
    let line = "study --game a/my.ini --than b/my.ini --out s";
    fail(at, line, 64, "two different files are named my.ini");
    assert!(!at.join("s").exists());
}

#[test]
fn the_mistakes_of_a_game_are_those_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my.ini"), "[my:chess]\ncastlng = false\n").unwrap();
    let wanted = "my.ini:2: [my] castlng: no option has this name; did you mean castling?";
    fail(folder.path(), "study --game my.ini --out s", 65, wanted);
}

/// Each place where a rule set is named.
const LINES: [&str; 18] = [
    "new GAME",
    "rules GAME",
    "moves --rules GAME",
    "perft --rules GAME --depth 1",
    "play --terminal --rules GAME",
    "bench --quick --rules GAME",
    "openings --rules GAME --count 1 --nodes 1 --network material --out o",
    "measure --rules GAME --openings o.csv --nodes 1 --network material --out o",
    "random --rules GAME --games 2 --out o",
    "match --rules GAME --first material --second material --nodes 1 --games 2 --out o",
    "generate --rules GAME:1 --network material --games 1 --out o",
    "technique --rules GAME --network material --out o",
    "budget --rules GAME --network material --time 1",
    "study --game GAME --out o",
    "study --game variants#chess --than GAME --out o",
    "study --compare variants#chess GAME --out o",
    "check measure.toml",
    "check selfplay.toml",
];

#[test]
fn mistakes_on_the_command_line_and_in_a_file_differ_in_their_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("my.ini"), FILE).unwrap();
    fs::write(at.join("wrong.ini"), format!("{FILE}castlng = false\n")).unwrap();
    fs::write(at.join("broken.ini"), format!("castling = no\n{FILE}")).unwrap();
    fs::write(at.join("bytes.ini"), [b'[', 0xff, b']']).unwrap();
    fs::write(at.join("o.csv"), "").unwrap();
    fs::write(at.join("wrong.fen"), "4k3/8/8/8/8/8/8/4K3 w - -\n").unwrap();
    fs::write(at.join("broken.fen"), "hello\n").unwrap();
    for (game, code, words) in [
        ("my.ini#cleric-chess,castlng=no", 64, "did you mean castling?"),
        ("my.ini#cleric", 64, "the file has no section [cleric]"),
        ("variants#ches", 64, "did you mean chess?"),
        ("my.ini#cleric-chess@00000000", 65, "the section has changed"),
        ("wrong.ini#cleric-chess", 65, "wrong.ini:6: [cleric-chess] castlng: "),
        ("wrong.ini#cleric-chess,castling=no", 65, "wrong.ini:6: [cleric-chess] castlng: "),
        ("broken.ini#cleric-chess", 65, "broken.ini:1: "),
        ("bytes.ini#cleric-chess", 65, "bytes.ini: "),
        ("none.ini#cleric-chess", 66, "none.ini"),
        ("orthodox,start=king", 64, "it takes queen, mann, a FEN"),
        ("orthodox,start=wrong.fen", 65, "the game is over there"),
        ("orthodox,start=broken.fen", 65, "broken.fen, line 1: "),
        ("orthodox,start=none.fen", 66, "cannot read none.fen"),
    ] {
        for section in ["measure", "selfplay"] {
            let rules = if section == "measure" {
                format!("['{game}']")
            } else {
                format!("{{ '{game}' = 1 }}")
            };
            let study = format!(
                "[study]\nname = 'x'\n[network]\nfile = 'material'\n[{section}]\nrules = {rules}\n"
            );
            fs::write(at.join(section).with_extension("toml"), study).unwrap();
        }
        // `new` needs a game of a file, `study --game` one of a section.
        let takes = |line: &str| {
            let is_file = game.contains(".ini");
            is_file
                || !line.starts_with("new") && (game.contains('#') || !line.starts_with("study"))
        };
        for line in LINES.iter().filter(|line| takes(line)) {
            fail(at, &line.replace("GAME", game), code, words);
        }
    }
    fs::write(at.join("c.csv"), "variant,fen,depth,nodes\ncleric-chess,x,1,24\n").unwrap();
    for (file, code) in [("wrong.ini", 65), ("none.ini", 66)] {
        fail(at, &format!("perft --check c.csv --game {file}"), code, file);
    }
}
