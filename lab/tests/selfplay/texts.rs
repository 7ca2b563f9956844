//! Tests the texts that people hand in: from every system, of every length, and what is no file.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::command::{program, succeed, text};

const STUDY: &str = "[study]\nname = \"texts\"\n[network]\nfile = \"material\"\n[openings]\ncount = 2\n\
                     nodes = 1\n[measure]\nrules = [\n  \"orthodox\", # one\n  \
                     \"orthodox,start=a.fen\",\n]\nnodes = [1]\ncap = 101\n[labels]\northodox = \"chess\"\n";
const FENS: &str = "# one\nrnbmkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBMKBNR w KQkq -\n\
                    rnbkmbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKMBNR w - -\n";
const SITE: &str = "cores = 2\n[kubernetes]\nimage = \"x\"\nclaim = \"y\"\nmount = \"/\"\n";
const COUNTS: &str = "ruleset,name,position,depth,nodes\n\
                      orthodox,start,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,2,400\n\
                      orthodox,mended,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 0,2,400\n";

/// Returns a text as other systems write it.
fn written(text: &str) -> Vec<String> {
    let crlf = text.replace('\n', "\r\n");
    let texts = [text, &crlf, text.trim_end(), crlf.trim_end()];
    let mark = |mark: &str| texts.map(|text| format!("{mark}{text}"));
    [mark(""), mark("\u{feff}")].concat()
}

#[test]
fn texts_of_every_system_are_read_alike() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let results = || {
        let checked = succeed(folder.path(), "check study.toml --toml --summary");
        succeed(folder.path(), "openings --study study.toml --network none");
        succeed(folder.path(), "measure --study study.toml");
        let manifests = succeed(folder.path(), "study study.toml --on kubernetes --site site.toml");
        let counted = succeed(folder.path(), "perft --check counts.csv");
        let study = fs::read_to_string(at("runs/texts/study.toml")).unwrap();
        let games = fs::read_to_string(at("runs/texts/measure/games.csv")).unwrap();
        fs::remove_dir_all(at("runs/texts/measure")).unwrap();
        [checked, manifests, counted, study, games]
    };
    let write = |forms: [&str; 4]| {
        for (name, form) in ["study.toml", "a.fen", "site.toml", "counts.csv"].iter().zip(forms) {
            fs::write(at(name), form).unwrap();
        }
    };
    write([STUDY, FENS, SITE, COUNTS]);
    let plain = results();
    let pool = fs::read_to_string(at("runs/texts/openings.csv")).unwrap();
    let forms = [STUDY, FENS, SITE, COUNTS, &pool].map(written);
    for (i, _) in forms[0].iter().enumerate().skip(1) {
        write([&forms[0][i], &forms[1][i], &forms[2][i], &forms[3][i]]);
        assert_eq!(results(), plain, "form {i}");
        fs::write(at("runs/texts/openings.csv"), &forms[4][i]).unwrap();
        succeed(folder.path(), "openings --study study.toml --network none");
        succeed(folder.path(), "measure --study study.toml");
        let games = fs::read_to_string(at("runs/texts/measure/games.csv")).unwrap();
        assert_eq!(games, plain[4], "pool {i}");
        fs::remove_dir_all(at("runs/texts/measure")).unwrap();
        fs::write(at("runs/texts/openings.csv"), &pool).unwrap();
    }
}

#[test]
fn what_is_no_file_or_has_no_end_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    fs::File::create(at("long")).unwrap().set_len(1 << 40).unwrap();
    fs::write(at("study.toml"), STUDY.replace(",start=a.fen", ",castling=no")).unwrap();
    for odd in ["/dev/zero", "pipe", "long", "."] {
        for line in [
            "check ODD",
            "steps ODD",
            "plan ODD --no-calibration",
            "study ODD",
            "openings --study ODD",
            "measure --study ODD",
            "status --study ODD",
            "perft --check ODD",
            "study study.toml --on kubernetes --site ODD",
            "measure --network material --rules orthodox --openings ODD --nodes 1 --out a",
            "generate --network ODD --games 1 --out b",
            "generate --network pvs:ODD --games 1 --out b",
            "match --first material --second ODD --games 2 --nodes 1 --out c",
            "play --network ODD --terminal",
            "bench --quick --network ODD",
        ] {
            // A long file is no network after its first bytes.
            let is_network = line.contains("--network ODD") || line.contains("pvs:ODD");
            if odd != "long" || !(is_network || line.contains("--second")) {
                rejected(folder.path(), &line.replace("ODD", odd));
            }
        }
        for line in ["report ODD", "games ODD", "status ODD"].iter().filter(|_| odd != ".") {
            let output = limited(folder.path(), &line.replace("ODD", odd));
            let said = text(&output);
            let is_told = output.status.code() == Some(65) && said.contains("Not a directory");
            assert!(is_told, "{line}: {said}");
        }
        let start = format!("rules orthodox,start={odd}");
        if odd == "pipe" {
            fs::rename(at("pipe"), at("pipe.fen")).unwrap();
            let said = text(&limited(folder.path(), &format!("{start}.fen")));
            assert!(said.contains("pipe or a device, not a file"), "{said}");
        }
    }
}

/// Runs a command that may take 20 seconds.
fn limited(folder: &Path, line: &str) -> Output {
    let mut limited = Command::new("timeout");
    limited.arg("20").arg(program().get_program()).args(line.split_whitespace());
    limited.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// Runs a command that must end with 65 and a message.
fn rejected(folder: &Path, line: &str) {
    let output = limited(folder, line);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(65), "{line}: {said}");
    assert!(said.contains("not a file") || said.contains("more than"), "{line}: {said}");
}
