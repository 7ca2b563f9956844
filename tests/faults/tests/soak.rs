//! Tests hours of self-play and training: memory does not grow, and files do not accumulate.
//!
//! `./tests/long/soak` runs this test. `SOAK_MINUTES` sets its duration (default 120). The
//! measurements are written to `runs/soak/memory.csv`.

use fusion_faults::programs::{self, SET, command};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A study with small generations, more of them than fit into the time.
const STUDY: &str = r#"
[study]
name = "soak"

[network]
hidden = 128

[selfplay]
games = 400
any_rules = 0.5
simulations = 32
fast_simulations = 8

[selfplay.rules]
fusion-1999 = 1.0
fusion-2020 = 1.0
metamorphin = 1.0

[train]
generations = 10000
min_positions = 1000
batch = 256

[train.gate]
games = 20
nodes = 16
"#;

/// Pause between two samples.
const PAUSE: Duration = Duration::from_secs(5);
/// Share of the time in which memory may still grow, because the window of games fills up.
const WARM_UP: f64 = 0.25;
/// Allowed growth from the first third after the warm-up to the last.
const GROWTH: f64 = 1.05;

/// One sample of the process.
struct Look {
    seconds: u64,
    resident_kib: u64,
    handles: usize,
    threads: usize,
    temporary_files: usize,
    generations: usize,
}

/// Samples a process and its folder. Returns `None` if the process has ended.
fn look(pid: u32, folder: &Path, started: Instant) -> Option<Look> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let count = |what: &str| fs::read_dir(format!("/proc/{pid}/{what}")).ok().map(Iterator::count);
    let entries = fs::read_dir(folder.join("train")).into_iter().flatten().flatten();
    let generation =
        |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("generation-");
    // Only the file name is checked, because the folder itself is a temporary one.
    let temporary = |path: &&PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains(".tmp."))
    };
    Some(Look {
        seconds: started.elapsed().as_secs(),
        resident_kib: resident.trim().trim_end_matches(" kB").parse().ok()?,
        handles: count("fd")?,
        threads: count("task")?,
        temporary_files: programs::paths(folder).iter().filter(temporary).count(),
        generations: entries.filter(generation).count(),
    })
}

type Number = fn(&Look) -> u64;
type Measure = fn(Vec<u64>) -> u64;

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len() / 2]
}

/// Returns a limit that all but a few of the samples stay below.
fn most(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len() * 95 / 100]
}

fn save(looks: &[Look]) {
    let mut csv = "seconds,resident_kib,handles,threads,temporary_files,generations\n".to_owned();
    for look in looks {
        let Look { seconds, resident_kib, handles, threads, temporary_files, generations } = look;
        writeln!(
            csv,
            "{seconds},{resident_kib},{handles},{threads},{temporary_files},{generations}"
        )
        .unwrap();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs/soak");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("memory.csv"), csv).unwrap();
}

#[test]
#[ignore = "takes two hours: ./tests/long/soak"]
fn memory_stays_flat() {
    let minutes = std::env::var("SOAK_MINUTES").map_or(120, |text| text.parse().unwrap());
    let time = Duration::from_secs(60 * minutes);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    let mut command = command("fusion-train", "loop study.toml --out train", folder.path());
    // The test measures the program's own choice of these variables.
    for (name, _) in SET {
        command.env_remove(name);
    }
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    let mut looks = Vec::new();
    while started.elapsed() < time {
        std::thread::sleep(PAUSE);
        let look = look(child.id(), folder.path(), started);
        looks.push(look.expect("the loop ended by itself"));
        save(&looks);
    }
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(75));

    let warm: Vec<&Look> = looks.iter().skip((looks.len() as f64 * WARM_UP) as usize).collect();
    let third = warm.len() / 3;
    let (first, last) = (&warm[..third], &warm[warm.len() - third..]);
    // Memory varies with the stages of the loop. The other measurements have a maximum.
    for (name, kind, measure, what) in [
        ("resident KiB", "median", median as Measure, (|look| look.resident_kib) as Number),
        ("handles", "most", most, |look| look.handles as u64),
        ("threads", "most", most, |look| look.threads as u64),
        ("temporary files", "most", most, |look| look.temporary_files as u64),
    ] {
        let [before, after] =
            [first, last].map(|part| measure(part.iter().map(|l| what(l)).collect()));
        println!("{name}: {kind} {before} in the first third after warm-up, {after} in the last");
        // One handle more or less is a file that was open when the sample was taken.
        let allowed = (GROWTH * before as f64).max(before as f64 + 1.0);
        assert!(after as f64 <= allowed, "{name} grew from {before} to {after}");
    }
    let generations = looks.last().unwrap().generations;
    println!("{generations} generations in {minutes} minutes");
    assert!(generations > 8, "too few generations to tell: {generations}");
    assert!(programs::leftovers(&folder.path().join("train")).len() <= 1);
}
