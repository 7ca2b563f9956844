//! Tests programs that are killed or stopped at random moments.

use fusion_faults::programs::{self, JOBS, Job};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The signals that disturb a run, each with the expected exit code.
const SIGNALS: [(&str, Option<i32>); 4] =
    [("KILL", None), ("TERM", Some(75)), ("INT", Some(130)), ("USR1", Some(75))];

/// Time that a started program may need to install its signal handlers.
const START: Duration = Duration::from_millis(300);

/// Time limit for a requested stop, from the shard contract.
const STOP: Duration = Duration::from_secs(5);

fn signal(pid: u32, name: &str) {
    // The program may have ended by itself, so the result is ignored.
    let _ = Command::new("kill").args(["-s", name, &pid.to_string()]).output();
}

/// Starts a job and disturbs it after a while. Returns whether it was still running.
fn disturb(job: &Job, folder: &Path, after: Duration, (name, wanted): (&str, Option<i32>)) -> bool {
    let child = job.start(folder);
    std::thread::sleep(after);
    signal(child.id(), name);
    let asked = Instant::now();
    let output = child.wait_with_output().expect("waiting for a program");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("panicked"), "{}: {text}", job.name);
    assert!(asked.elapsed() < STOP, "{}: {name} took {:?}", job.name, asked.elapsed());
    let code = output.status.code();
    if code == Some(0) {
        return false;
    }
    assert!(code == wanted || code.is_none() && after < START, "{}: {code:?} {text}", job.name);
    let advice = code.is_none() || text.contains("run the same command to continue");
    assert!(advice, "{}: {text}", job.name);
    true
}

/// Disturbs a job the required number of times, in as many folders as that takes. Compares each
/// folder's results with those of an undisturbed run.
fn survives(job: &Job, few: u32) {
    let (reference, took) = job.undisturbed();
    let expected = job.results(reference.path());
    assert!(!expected.is_empty());
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(programs::faults(few)));
    let (mut met, mut folders) = (0, 0);
    while met < programs::faults(few) {
        let folder = programs::prepared();
        folders += 1;
        assert!(folders < 20 + programs::faults(few), "{}: ends before it is met", job.name);
        let mut safe = programs::games_on_disk(folder.path());
        while met < programs::faults(few) {
            let after = START.min(took / 4) + took.mul_f64(rng.random_range(0.0..0.5));
            // Half of the disturbances are kills, which no program can handle.
            let how = if rng.random() { SIGNALS[0] } else { SIGNALS[rng.random_range(1..4)] };
            if !disturb(job, folder.path(), after, how) {
                break;
            }
            met += 1;
            let now = programs::games_on_disk(folder.path());
            for (shard, games) in &safe {
                let kept = now.get(shard).map_or(shard.is_file(), |now| games.is_subset(now));
                assert!(kept, "{}: {} lost games", job.name, shard.display());
            }
            safe = now;
        }
        let (code, text) = job.finish(folder.path());
        assert_eq!(code, Some(0), "{}: {text}", job.name);
        let results = job.results(folder.path());
        assert!(results.keys().eq(expected.keys()), "{}: {:?}", job.name, results.keys());
        for (name, bytes) in &results {
            assert!(*bytes == expected[name], "{}: {} differs", job.name, name.display());
        }
        let left = programs::leftovers(folder.path());
        assert!(left.is_empty(), "{}: {left:?}", job.name);
    }
    println!("{}: {met} disturbances in {folders} folders, {took:.1?} undisturbed", job.name);
}

#[test]
fn whatever_is_disturbed_comes_to_the_same_end() {
    for job in JOBS {
        survives(&job, 4);
    }
}

/// The second process reports the first one and does no harm.
#[test]
fn two_processes_in_one_folder_are_rejected() {
    for job in JOBS {
        let folder = programs::prepared();
        let mut first = job.start(folder.path());
        while programs::paths(&folder.path().join(job.out)).is_empty() {
            assert!(first.try_wait().unwrap().is_none(), "{} ended too soon", job.name);
            std::thread::sleep(Duration::from_millis(2));
        }
        // A busy machine must not let the first end before the second starts.
        signal(first.id(), "STOP");
        let (code, text) = job.finish(folder.path());
        signal(first.id(), "CONT");
        assert_eq!(code, Some(75), "{}: {text}", job.name);
        assert!(text.contains("another process"), "{}: {text}", job.name);
        assert!(first.wait().unwrap().success(), "{}", job.name);
    }
}

/// Reading the training data takes longer, the larger the window is. A stop ends it soon, a second
/// Ctrl-C at once.
#[test]
fn a_stop_is_noticed_while_games_are_read() {
    let folder = programs::prepared();
    let line = "generate --network material --games 6000 --rules fusion-2020 --simulations 2 \
                --fast-simulations 1 --cap 120 --out games";
    let (code, text) = programs::finish(&mut programs::command("fusion", line, folder.path()));
    assert_eq!(code, Some(0), "{text}");
    let line = format!("fit {} --out fit --threads 1", "--shards games ".repeat(40));
    // Two signals at the same moment would be delivered as one.
    for (signals, code) in [
        ("kill -s TERM $0", 75),
        ("kill -s INT $0", 130),
        ("kill -s INT $0; sleep 0.01; kill -s INT $0", 130),
    ] {
        let mut command = programs::command("fusion-train", &line, folder.path());
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(said.next().unwrap().unwrap().starts_with("training on"));
        std::thread::sleep(START);
        let asked = Instant::now();
        Command::new("sh").args(["-c", signals, &child.id().to_string()]).output().unwrap();
        let status = child.wait().unwrap();
        let text = said.map_while(Result::ok).collect::<Vec<_>>().join("\n");
        assert_eq!(status.code(), Some(code), "{text}");
        assert!(asked.elapsed() < STOP, "{:?}", asked.elapsed());
        assert!(!folder.path().join("fit").exists(), "it was learning already: {text}");
        // The second Ctrl-C leaves no time for a message, unless it comes too late.
        if signals.len() < 20 {
            assert!(text.contains("what is finished is saved"), "{signals}: {text}");
        }
    }
}
