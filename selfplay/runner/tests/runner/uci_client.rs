//! Tests programs that violate the protocol. They soon end in an error with the reason.

use fusion_runner::matches::UciClient;
use std::path::Path;
use std::time::{Duration, Instant};

/// Starts a program that completes the handshake and then runs the script.
fn start(script: &str) -> UciClient {
    let script = format!("read -r line; echo 'id name Shell'; echo uciok; {script}");
    UciClient::start(Path::new("/bin/sh"), ["-c", &script]).unwrap()
}

/// Checks that the work soon fails with the reason, whatever the time limit.
fn fails(what: &str, work: impl FnOnce() -> anyhow::Result<()>) {
    let started = Instant::now();
    let error = work().unwrap_err().to_string();
    assert!(error.starts_with("/bin/sh -c ") && error.contains(what), "{error}");
    assert!(started.elapsed() < Duration::from_secs(60), "it took {:?}", started.elapsed());
}

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn a_flood_of_lines_is_bounded() {
    let mut client = start("yes info string");
    fails("sent 300000 lines and no answer to 'go'", || {
        client.send("go")?;
        client.wait("go", HOUR, |line| line.starts_with("bestmove").then_some(()))
    });
}

#[test]
fn a_line_without_end_is_bounded() {
    let mut client = start("cat /dev/zero");
    fails("sent a line of 65536 bytes or more instead of answering 'go'", || {
        client.send("go")?;
        client.wait("go", HOUR, |line| line.starts_with("bestmove").then_some(()))
    });
}

/// The program's pipe is full after some thousand lines. Sending must not wait until the pipe is
/// read.
#[test]
fn a_program_that_does_not_read_is_not_waited_for() {
    let mut client = start("sleep 90");
    fails("it does not read what it is sent", || {
        (0..100_000).try_for_each(|_| client.send("position startpos moves e2e4 e7e5"))
    });
}

#[test]
fn a_program_that_has_ended_is_told_from_one_that_is_slow() {
    let mut client = start("exit");
    fails("ended (exit code 0) without answering 'isready'", || client.synchronise());
    let mut client = start("exec >&-; sleep 100");
    fails("closed its output without answering 'isready'", || client.synchronise());
    let mut client = start("while :; do sleep 1; done");
    fails("did not answer 'go' in 1 s", || {
        client.send("go")?;
        client.wait("go", Duration::from_secs(1), |_| Some(()))
    });
}

#[test]
fn a_program_that_dies_says_why() {
    let mut client = start("echo one >&2; read -r line; printf 'no \\033[1mroom\\n' >&2; exit 70");
    fails(
        "ended (exit code 70) without answering 'isready'; its standard error ends: one | no \\u{1b}[1mroom",
        || client.synchronise(),
    );
    let mut client = start("read -r line; kill -s SEGV $$");
    fails("ended (SIGSEGV) without answering 'isready'", || client.synchronise());
    // What it has written is there after a timeout too.
    let mut client = start("echo busy >&2; while :; do sleep 1; done");
    fails("did not answer 'go' in 1 s; its standard error ends: busy", || {
        client.send("go")?;
        client.wait("go", Duration::from_secs(1), |_| Some(()))
    });
    // A process that it started holds its output open.
    let mut client = start("sleep 30 & read -r line; exit 3");
    fails("ended (exit code 3) without answering 'go'", || {
        client.send("go")?;
        client.wait("go", Duration::from_secs(1), |_| Some(()))
    });
    let error =
        UciClient::start(Path::new("/bin/sh"), ["-c", "echo usage >&2; exit 2"]).unwrap_err();
    let wanted =
        "ended (exit code 2) without answering 'uci'; its standard error ends: usage; is it";
    assert!(error.to_string().contains(wanted), "{error}");
}

#[test]
fn a_flood_on_standard_error_harms_nothing() {
    let mut client = start("yes flood >&2 & while read -r line; do echo readyok; done");
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(300));
        client.synchronise().unwrap();
    }
}

#[test]
fn a_program_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("engine");
    std::fs::write(&path, "#!/no/such/interpreter\n").unwrap();
    let start = |path: &Path| format!("{:#}", UciClient::start(path, []).unwrap_err());
    assert!(start(&path).contains("Permission denied"), "{}", start(&path));
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, open).unwrap();
    assert!(start(&path).contains("the file is there"), "{}", start(&path));
    assert!(start(folder.path()).contains("it is a folder"), "{}", start(folder.path()));
}
