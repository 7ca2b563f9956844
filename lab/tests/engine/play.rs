//! Tests a game in the terminal.

use assert_cmd::Command;

/// Returns exit code, standard output and standard error of a game with this input.
fn play(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("fusion").unwrap();
    let all = ["play", "--terminal", "--nodes", "100"];
    let output = command.args(all).args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_game_is_played_and_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.pgn");
    let save = format!("save {}\n", file.display());
    // The same file again, and then the end of the input.
    let input = format!("e4\nxyz\nundo\nd2d4\n{save}{save}");
    let (code, text, errors) = play(&["--rules", "orthodox"], &input);
    assert_eq!((code, errors.as_str()), (0, ""));
    for part in ["Black plays ", "(win ", "`xyz` is no legal move", "White moves", "not saved: "] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(saved.contains("[White \"You\"]") && saved.contains("\n1. d4 "), "{saved}");
}

#[test]
fn the_program_mates_and_the_end_is_announced() {
    let position = "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1";
    let arguments = ["--rules", "orthodox", "--position", position, "--side", "none"];
    let (code, text, _) = play(&arguments, "");
    assert_eq!(code, 0);
    assert!(text.ends_with("1-0: checkmate\n"), "{text}");
    let (_, text, _) = play(&["--position", position, "--side", "both"], "hint\nquit\n");
    assert!(text.contains("#  (win 100%, draw 0%, loss 0%)"), "{text}");
}

#[test]
fn bad_arguments_are_usage_errors() {
    for (arguments, reason) in [
        (["--rules", "fusion-2021"], "unknown rule set 'fusion-2021'"),
        (["--position", "8/8"], "a FEN has 6 fields"),
        (["--side", "green"], "possible values"),
    ] {
        let (code, _, errors) = play(&arguments, "");
        assert_eq!(code, 64, "{errors}");
        assert!(errors.contains(reason), "{errors}");
    }
    let (code, _, errors) = play(&["--network", "no-such-file"], "");
    assert!([64, 66].contains(&code), "{errors}");
}
