//! Tests `fusion endgames` as a user runs it.

use assert_cmd::Command;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

fn endgames(args: &[&str], folder: &Path) -> Command {
    let mut command = Command::cargo_bin("fusion").unwrap();
    command.arg("endgames").args(args).current_dir(folder);
    // A scheduler's number in the environment would select a part of the tables.
    for name in ["HQ_TASK_ID", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX"] {
        command.env_remove(name);
    }
    command
}

fn output(args: &[&str], folder: &Path, code: i32) -> String {
    let output = endgames(args, folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    if code == 0 { text(&output.stdout) } else { text(&output.stderr) }
}

const SMALL: [&str; 9] = [
    "build",
    "--out",
    "tables",
    "--components",
    "3",
    "--rules",
    "fusion-1999",
    "--rules",
    "orthodox",
];

#[test]
fn tables_are_built_once_probed_and_summed_up() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_eq!(output(&SMALL, folder, 0), "tables: 6 tables built, 0 there before\n");
    assert_eq!(output(&SMALL, folder, 0), "tables: already complete, 6 tables\n");

    let fen = "8/8/8/8/8/8/1Rk5/K7 b - - 0 1";
    let probe = ["probe", "--tables", "tables", "--rules", "orthodox", fen];
    let text = output(&probe, folder, 0);
    assert!(
        text.starts_with("KRvK under orthodox: Black to move is mated in 16 (32 plies)\n"),
        "{text}"
    );
    assert!(text.contains("17. Ra1#\n"), "{text}");
    assert!(text.contains("\nKd3      c2d3   loses"), "{text}");

    let summary =
        ["summary", "tables", "--material", "KRvK", "--rules", "orthodox", "--csv", "all.csv"];
    let text = output(&summary, folder, 0);
    assert!(text.contains("mate in 16 from "), "{text}");
    let csv = std::fs::read_to_string(folder.join("all.csv")).unwrap();
    assert!(csv.starts_with("rules,material,white,black,to_move,positions,white_wins,"), "{csv}");
    // The Rook is fused or not, and either side is to move.
    assert_eq!(csv.lines().count(), 1 + 4, "{csv}");
}

#[test]
fn parts_make_the_same_files_as_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    output(&SMALL, folder.path(), 0);
    let mut parts = SMALL;
    parts[2] = "parts";
    for shard in ["0", "1"] {
        let shard = ["--shard", shard, "--shards", "2", "--threads", "1"];
        output(&[&parts[..], &shard].concat(), folder.path(), 0);
    }
    for material in ["KRvK", "KBvK", "KNvK"] {
        let mut names: Vec<_> = std::fs::read_dir(folder.path().join("tables").join(material))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["fusion-1999.csv", "fusion-1999.fet", "orthodox.csv", "orthodox.fet"]);
        for name in names {
            let read = |whole: &str| {
                std::fs::read(folder.path().join(whole).join(material).join(&name)).unwrap()
            };
            assert_eq!(read("tables"), read("parts"), "{material} {name:?}");
        }
    }
}

#[test]
fn bad_input_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let build = ["build", "--out", "tables", "--material"];
    for (material, message) in [
        ("KPvK", "'KPvK' is not material of the form KRBvKR"),
        ("KRRvKRR", "KRRvKRR has 6 components; tables have at most 5"),
        ("KvK", "it is always drawn"),
    ] {
        let text = output(&[&build[..], &[material]].concat(), folder, 64);
        assert!(text.contains(message), "{text}");
    }
    let text = output(&["build", "--out", "tables", "--shard", "3", "--shards", "2"], folder, 64);
    assert!(text.contains("shard 3, but 2 shards"), "{text}");
    let text = output(&["summary", "tables"], folder, 66);
    assert!(text.contains("tables has no summary"), "{text}");
    let fen = "8/8/8/8/8/8/1Rk5/K7 b - - 0 1";
    let probe = |fen, code| output(&["probe", "--tables", "tables", fen], folder, code);
    let text = probe(fen, 66);
    assert!(text.contains("tables holds no endgame table for fusion-2020"), "{text}");
    let text = probe("8/8/8/8/8/8/1Pk5/K7 b - - 0 1", 64);
    assert!(text.contains("no positions with Pawns"), "{text}");
    let text = probe("8/8", 64);
    assert!(text.contains("the FEN '8/8'"), "{text}");

    // The error names a damaged table, which stays as it is.
    output(&SMALL, folder, 0);
    let path = folder.join("tables/KRvK/orthodox.fet");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    for args in [&SMALL[..], &["probe", "--tables", "tables", "--rules", "orthodox", fen]] {
        let text = output(args, folder, 65);
        assert!(text.contains("KRvK/orthodox.fet is rejected: its data are damaged"), "{text}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_signal_stops_and_what_was_finished_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let args =
        ["endgames", "build", "--out", "tables", "--rules", "fusion-1999", "--material", "KRRvKR"];
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("fusion"))
        .args(args)
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let first = folder.path().join("tables/KRvK/fusion-1999.csv");
    while !first.is_file() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first table was done");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").arg(&pid).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(75));

    // Finished tables exist; the large table does not.
    assert!(!folder.path().join("tables/KRRvKR/fusion-1999.csv").exists());
    let text = output(
        &["build", "--out", "tables", "--rules", "fusion-1999", "--material", "KRvK"],
        folder.path(),
        0,
    );
    assert_eq!(text, "tables: already complete, 1 table\n");
}

/// Finished tables can be read in a folder that only its owner can write.
#[test]
fn finished_tables_need_no_folder_that_can_be_written() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    output(&SMALL, folder, 0);
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let allow =
        |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    allow(folder, 0o755);
    let tables = folder.join("tables");
    let mut folders = vec![tables.clone()];
    for entry in fs::read_dir(&tables).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    allow(&tables.join(".lock"), 0o444);
    folders.iter().for_each(|folder| allow(folder, 0o555));
    let run = |args: &[&str]| {
        let program = assert_cmd::cargo::cargo_bin("fusion");
        // Root may write everywhere, so the command runs as another user.
        let mut command = if root {
            let mut command = std::process::Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
            command
        } else {
            std::process::Command::new(program)
        };
        let output = command.arg("endgames").args(args).current_dir(folder).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let done = (Some(0), "tables: already complete, 6 tables\n".to_owned());
    assert_eq!(run(&SMALL), done);
    // Missing tables cannot be built there.
    let more: Vec<&str> =
        SMALL.iter().map(|arg| if *arg == "orthodox" { "fusion-2020" } else { arg }).collect();
    let (code, text) = run(&more);
    assert!(code == Some(1) && text.contains("tables/"), "{code:?}: {text}");
    folders.iter().for_each(|folder| allow(folder, 0o755));
}
