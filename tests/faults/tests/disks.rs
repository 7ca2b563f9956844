//! Tests full disks and folders that cannot be written.

use fusion_faults::mounts;
use fusion_faults::programs::{self, JOBS, Job};
use std::fs::{self, File};
use std::process::Stdio;

/// Returns whether a program's error has the job's folder and the system's reason.
fn names(said: &str, job: &Job, reason: &str) -> bool {
    let places = [format!("{}/", job.out), format!(" {}:", job.out)];
    let named = |line: &str| {
        line.starts_with("error: ")
            && line.contains(reason)
            && places.iter().any(|place| line.contains(place))
    };
    said.lines().any(named)
}

/// Runs a job on disks that are too small for it by different margins. With more sizes, more of the
/// writes are the first to fail.
fn on_full_disks(job: &Job, sizes: u32) {
    let (reference, _) = job.undisturbed();
    let expected = job.results(reference.path());
    let written: usize = programs::tree(reference.path()).values().map(Vec::len).sum();
    let needed = written.div_ceil(1024) as u32 + 64;
    let mut failed = 0;
    for size in 1..=sizes {
        let keep = tempfile::tempdir().unwrap();
        // The smallest disk has little room beyond the job's inputs.
        let kibibytes = 24 + needed * size / sizes;
        let [full, room] = mounts::on_full_disk(job, kibibytes, keep.path());
        assert!(!full.said.contains("panicked"), "{}: {}", job.name, full.said);
        if full.code != 0 {
            failed += 1;
            assert_eq!(full.code, 1, "{}: {}", job.name, full.said);
            assert!(names(&full.said, job, "No space left"), "{}: {}", job.name, full.said);
        }
        assert_eq!(room.code, 0, "{} after {kibibytes} KiB: {}", job.name, room.said);
        assert!(job.results(keep.path()) == expected, "{} after {kibibytes} KiB", job.name);
        let left = programs::leftovers(&keep.path().join(job.out));
        assert!(left.is_empty(), "{} after {kibibytes} KiB: {left:?}", job.name);
    }
    assert!(failed > 0, "{}: no disk was too small", job.name);
    println!("{}: {failed} of {sizes} disks were too small", job.name);
}

#[test]
fn a_full_disk_costs_nothing_but_time() {
    if mounts::can_mount() {
        for job in JOBS {
            on_full_disks(&job, programs::faults(4));
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    if mounts::can_mount() {
        for job in JOBS {
            let keep = tempfile::tempdir().unwrap();
            let step = mounts::on_read_only_disk(&job, keep.path());
            assert_eq!(step.code, 1, "{}: {}", job.name, step.said);
            let named = names(&step.said, &job, "Read-only file system");
            assert!(named && !step.said.contains("panicked"), "{}: {}", job.name, step.said);
            // Finished work needs no writing.
            let (done, _) = job.undisturbed();
            let step = mounts::on_read_only_disk(&job, done.path());
            assert_eq!(step.code, 0, "{}: {}", job.name, step.said);
        }
    }
}

fn listener_who_left() -> std::io::PipeWriter {
    std::io::pipe().unwrap().1
}

fn full_disk() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

/// A closed pipe or a full disk for the log does not end a program, because its messages are not
/// its results.
#[test]
fn nobody_has_to_listen() {
    for job in JOBS {
        let (reference, _) = job.undisturbed();
        let folder = programs::prepared();
        let mut command = job.command(folder.path());
        let status = command.stdout(listener_who_left()).stderr(full_disk()).status().unwrap();
        assert_eq!(status.code(), Some(0), "{}", job.name);
        assert!(job.results(folder.path()) == job.results(reference.path()), "{}", job.name);
    }
}

/// All measurements of a study are played, even if nobody reads the output.
#[test]
fn no_measurement_is_left_out_because_nobody_listens() {
    let study = "[study]\nname = 'deaf'\n[openings]\ncount = 4\n[measure]\nnodes = [3]\ncap = 120\nnetwork = 'material'\n\
                 [extra.second]\nnodes = [4]\nnetwork = 'material'\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("deaf.toml"), study).unwrap();
    for (line, code) in
        [("openings --study deaf.toml --network material", 0), ("measure --study deaf.toml", 1)]
    {
        let mut command = programs::command("fusion", line, folder.path());
        // Text on standard output may be a result, so its loss is reported.
        let listener: Stdio =
            if code == 0 { listener_who_left().into() } else { full_disk().into() };
        command.stdout(listener);
        assert_eq!(command.status().unwrap().code(), Some(code), "{line}");
    }
    let played = |name: &str| folder.path().join("runs/deaf").join(name).is_file();
    assert!(played("measure/games.csv") && played("extra/second/games.csv"));
}
