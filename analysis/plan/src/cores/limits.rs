//! What breaks first at a number of cores: limits of schedulers, file systems and joins.

use super::Cluster;
use super::rates::{OPENED_SHARD, START, generation};
use super::simulate::Work;
use fusion_print::format::{count, counted, duration};
use fusion_study::Study;

/// Slurm's usual limit of an array's size, `MaxArraySize`, less one.
pub(super) const MOST_TASKS: u64 = 1_000;
/// Bytes a second of a shared file system: an assumption.
const BANDWIDTH: f64 = 1e9;
/// Bytes of a network for each unit of its width, about.
const BYTES_OF_WIDTH: f64 = 7e3;
/// Seconds of one step that are worth a sentence.
const LONG: f64 = 30.0;

/// Returns sentences on the limits that the study meets.
pub(super) fn of(works: &[Work], study: &Study, cluster: &Cluster) -> Vec<String> {
    let mut found: Vec<String> = works.iter().flat_map(|work| of_step(work, study)).collect();
    // Those of one generation stand for all.
    found.sort();
    found.dedup();
    if found.is_empty() {
        let cores = counted(cluster.cores, "core");
        found.push(format!(
            "On {cores} no step meets a limit of the scheduler, the file system or the merges."
        ));
    }
    found
}

fn of_step(work: &Work, study: &Study) -> Vec<String> {
    let name = match generation(&work.name) {
        Some((_, part)) => format!("generation-*/{part}"),
        None => work.name.clone(),
    };
    let tasks = counted(work.tasks, "task");
    let mut found = Vec::new();
    if work.tasks > MOST_TASKS {
        found.push(format!(
            "{name} has {tasks}: Slurm rejects arrays beyond MaxArraySize, usually {}, unless it is raised.",
            count(MOST_TASKS + 1)
        ));
    }
    let starts = START * work.tasks as f64;
    if work.tasks > 1 && starts > work.seconds {
        found.push(format!(
            "{name}: a task takes {}, to start all {tasks} takes {}: fewer tasks use as many cores.",
            duration(work.seconds),
            duration(starts)
        ));
    }
    let copies = work.tasks as f64 * BYTES_OF_WIDTH * f64::from(study.network.hidden) / BANDWIDTH;
    if work.tasks > 1 && copies > LONG {
        found.push(format!(
            "{name}: {tasks} read the network, {} at 1 GB a second.",
            duration(copies)
        ));
    }
    if work.name.ends_with("/merge") && work.seconds > LONG {
        found.push(format!(
            "{name} takes {}: it reads all games, and opens each shard in about {:.0} ms.",
            duration(work.seconds),
            1e3 * OPENED_SHARD
        ));
    }
    let used = work.busy / work.seconds.max(f64::MIN_POSITIVE);
    if work.tasks > 1 && work.cores > 1 && used < 0.5 * work.cores as f64 {
        found.push(format!(
            "{name}: a task keeps {used:.1} of its {} cores busy on average, since it has few games: fewer shards, or fewer cores for a task.",
            count(work.cores)
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(tasks: u64, cores: u64, seconds: f64, busy: f64) -> Vec<String> {
        let name = "measure".to_owned();
        let work = Work { name, after: Vec::new(), tasks, cores, gpu: false, seconds, busy };
        of_step(&work, &Study::parse("study.name = \"limits\"").unwrap())
    }

    #[test]
    fn limits_are_named_where_they_are_met() {
        assert_eq!(found(1_000, 16, 600.0, 9_000.0), [""; 0]);
        assert!(found(1_001, 16, 600.0, 9_000.0)[0].contains("MaxArraySize"));
        assert!(found(1_000, 16, 100.0, 1_500.0)[0].contains("to start all"));
        assert!(found(1_000, 16, 600.0, 3_000.0)[0].contains("5.0 of its 16 cores"));
        assert!(found(1, 16, 600.0, 600.0).is_empty(), "one task cannot be divided");
    }
}
