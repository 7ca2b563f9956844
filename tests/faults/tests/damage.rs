//! Tests files that were cut short or whose bytes were changed.

use fusion_faults::programs::{self, ENDGAMES, GENERATE, Job, LOOP, MEASURE, finish, prepared};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fs;
use std::path::Path;

/// Cuts a file short or changes some of its bytes.
fn damage(path: &Path, rng: &mut ChaCha8Rng) {
    let sound = fs::read(path).unwrap();
    let mut bytes = sound.clone();
    while bytes == sound {
        if rng.random() {
            bytes.truncate(rng.random_range(0..sound.len()));
        } else {
            for _ in 0..rng.random_range(1..4) {
                let place = rng.random_range(0..sound.len());
                bytes[place] ^= rng.random_range(1..=255u8);
            }
        }
    }
    fs::write(path, bytes).unwrap();
}

/// A finished job with one damaged file. The error must name the file, and its advice must help.
struct Damage<'a> {
    job: &'a Job,
    /// Files that are removed first, so that the job has work to do.
    undone: &'a [&'a str],
    /// The damaged file.
    file: &'a str,
}

impl Damage<'_> {
    /// Damages the file `times` times, each time in a fresh copy of the folder.
    fn inflict(&self, folder: &Path, times: u32) {
        let expected = self.job.results(folder);
        for seed in 0..times {
            let mut rng = ChaCha8Rng::seed_from_u64(u64::from(seed));
            let copy = copied(folder);
            for name in self.undone {
                fs::remove_file(copy.path().join(name)).unwrap();
            }
            let path = copy.path().join(self.file);
            damage(&path, &mut rng);
            let (code, said) = self.job.finish(copy.path());
            assert!(!said.contains("panicked"), "{}: {said}", self.file);
            assert_eq!(code, Some(65), "{} {seed}: {said}", self.file);
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(said.contains(name), "{}: {said}", self.file);
            fs::remove_file(&path).unwrap();
            let (code, said) = self.job.finish(copy.path());
            assert_eq!(code, Some(0), "{} {seed}: {said}", self.file);
            assert!(self.job.results(copy.path()) == expected, "{} {seed}", self.file);
        }
    }
}

/// Copies a folder with all of its files.
fn copied(folder: &Path) -> tempfile::TempDir {
    programs::filled(&programs::tree(folder))
}

#[test]
fn shards() {
    for (job, file) in [
        (GENERATE, "games/games-00000-of-00002.shard"),
        (MEASURE, "measure/measure-00001-of-00002.shard"),
    ] {
        let (folder, _) = job.undisturbed();
        Damage { job: &job, undone: &[], file }.inflict(folder.path(), programs::faults(8));
    }
}

/// An unfinished shard loses only the damaged games, which are played again.
#[test]
fn unfinished_shards() {
    let (reference, took) = GENERATE.undisturbed();
    let expected = GENERATE.results(reference.path());
    let folder = prepared();
    let mut child = GENERATE.start(folder.path());
    std::thread::sleep(took / 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let parts = programs::leftovers(folder.path());
    let part = parts.first().expect("a shard in the making");
    for seed in 0..programs::faults(8) {
        let copy = copied(folder.path());
        let path = copy.path().join(part.strip_prefix(folder.path()).unwrap());
        damage(&path, &mut ChaCha8Rng::seed_from_u64(u64::from(seed)));
        let (code, said) = GENERATE.finish(copy.path());
        if code != Some(0) {
            assert_eq!(code, Some(65), "{seed}: {said}");
            assert!(said.contains(".shard.part"), "{said}");
            fs::remove_file(&path).unwrap();
            assert_eq!(GENERATE.finish(copy.path()).0, Some(0));
        }
        assert!(GENERATE.results(copy.path()) == expected, "{seed}");
    }
}

#[test]
fn checkpoints_and_networks_of_a_loop() {
    let (folder, _) = LOOP.undisturbed();
    let last = "train/generation-001";
    let [outcome, report, checkpoint] =
        ["generation.json", "fit/report.json", "fit/checkpoint.safetensors"]
            .map(|name| format!("{last}/{name}"));
    Damage { job: &LOOP, undone: &[&outcome, &report], file: &checkpoint }
        .inflict(folder.path(), programs::faults(4));
    for network in ["net.fnet", "net.safetensors"] {
        let file = format!("{last}/fit/{network}");
        Damage { job: &LOOP, undone: &[&outcome], file: &file }
            .inflict(folder.path(), programs::faults(4));
    }
    let first = "train/generation-000/fit";
    let (network, again) = (format!("{first}/net.safetensors"), "generation-000/generation.json");
    for seed in 0..programs::faults(4) {
        let copy = copied(folder.path());
        for name in [&outcome, &report, &checkpoint] {
            fs::remove_file(copy.path().join(name)).unwrap();
        }
        damage(&copy.path().join(&network), &mut ChaCha8Rng::seed_from_u64(u64::from(seed)));
        let (code, said) = LOOP.finish(copy.path());
        assert_eq!(code, Some(65), "{seed}: {said}");
        assert!(said.contains("net.safetensors") && said.contains(again), "{said}");
        fs::remove_file(copy.path().join(&network)).unwrap();
        fs::remove_file(copy.path().join("train").join(again)).unwrap();
        assert_eq!(LOOP.finish(copy.path()).0, Some(0));
        assert!(LOOP.results(copy.path()) == LOOP.results(folder.path()), "{seed}");
    }
    // The table of metrics is missing, and no checkpoint has its finished steps.
    let copy = copied(folder.path());
    for name in [&outcome, &report, &format!("{last}/fit/metrics.csv")] {
        fs::remove_file(copy.path().join(name)).unwrap();
    }
    let (code, said) = LOOP.finish(copy.path());
    assert!(
        code == Some(65) && said.contains("metrics.csv") && said.contains(&checkpoint),
        "{said}"
    );
    fs::remove_file(copy.path().join(&checkpoint)).unwrap();
    assert_eq!(LOOP.finish(copy.path()).0, Some(0));
    assert!(LOOP.results(copy.path()) == LOOP.results(folder.path()));
    let shard = "train/generation-000/games/games-00000-of-00001.shard";
    // The loop does not replay games that it has already trained on; it reports them.
    for seed in 0..programs::faults(4) {
        let copy = copied(folder.path());
        for name in [&outcome, &report, &checkpoint] {
            fs::remove_file(copy.path().join(name)).unwrap();
        }
        damage(&copy.path().join(shard), &mut ChaCha8Rng::seed_from_u64(u64::from(seed)));
        let (code, said) = LOOP.finish(copy.path());
        assert_eq!(code, Some(65), "{seed}: {said}");
        assert!(said.contains("games-00000-of-00001.shard"), "{said}");
    }
}

#[test]
fn endgame_tables() {
    let (folder, _) = ENDGAMES.undisturbed();
    for (file, undone) in [
        ("tables/KBvKN/fusion-2020.fet", &[][..]),
        // A larger table is solved from this one.
        ("tables/KBvK/fusion-2020.fet", &["tables/KBvKN/fusion-2020.fet"][..]),
    ] {
        Damage { job: &ENDGAMES, undone, file }.inflict(folder.path(), programs::faults(4));
    }
}

/// A damaged network plays no game.
#[test]
fn networks() {
    let (folder, _) = LOOP.undisturbed();
    let sound = folder.path().join("train/generation-001/fit/net.fnet");
    for seed in 0..programs::faults(8) {
        let at = prepared();
        let network = at.path().join("net.fnet");
        fs::copy(&sound, &network).unwrap();
        damage(&network, &mut ChaCha8Rng::seed_from_u64(u64::from(seed)));
        let line = "measure --network net.fnet --openings openings.csv --nodes 4 --rules fusion-2020 --out m";
        let (code, said) = finish(&mut programs::command("fusion", line, at.path()));
        assert_eq!(code, Some(65), "{seed}: {said}");
        assert!(said.contains("net.fnet"), "{said}");
        assert!(!at.path().join("m").exists());
    }
}

/// Measured games with a changed byte give no report.
#[test]
fn results_of_a_measurement() {
    let (folder, _) = MEASURE.undisturbed();
    let names = ["games.csv", "games.pgn", "measure.json"];
    for (name, seed) in names.into_iter().cycle().zip(0..3 * programs::faults(3)) {
        let copy = copied(folder.path());
        let path = copy.path().join("measure").join(name);
        damage(&path, &mut ChaCha8Rng::seed_from_u64(seed.into()));
        let report = || finish(&mut programs::command("fusion", "report .", copy.path()));
        let (code, said) = report();
        assert_eq!(code, Some(65), "{seed}: {said}");
        assert!(said.contains(name), "{said}");
        assert!(!copy.path().join("report.html").exists());
        // The shards still have the games.
        let (code, said) = MEASURE.finish(copy.path());
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(report().0, Some(0));
        assert!(MEASURE.results(copy.path()) == MEASURE.results(folder.path()), "{name} {seed}");
    }
}
