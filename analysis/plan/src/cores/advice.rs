//! Changes of a study's settings that would make it faster on many cores, each simulated.

use super::limits::MOST_TASKS;
use super::rates::{Rates, generation};
use super::{Cluster, Plan};
use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_print::format::{duration, fixed, listed};
use fusion_study::{MAX_STOPPED_SHARDS, RANDOM, Study};
use std::path::{Path, PathBuf};

/// A saving of time that is worth a sentence.
const WORTH: f64 = 0.02;
/// Least seconds of a task, so that its start is a small part of it.
const LEAST_TASK: f64 = 300.0;
/// Fewest times that each position should be learnt.
const LEAST_EPOCHS: f64 = 0.5;
/// Factors of the simulations that are tried.
const FACTORS: [u32; 4] = [2, 4, 8, 16];
/// Time for more simulations that counts as none.
const FREE: f64 = 0.1;

/// A changed study, with the change in words.
type Change = Option<(Study, String)>;

/// Returns sentences on the changes that help, in the order in which they were tried. Each one keeps
/// those before it that help.
pub(super) fn of<G: CompleteGame>(
    study: &Study,
    plan: &Plan,
    rates: &Rates,
    cluster: &Cluster,
) -> Result<Vec<String>, Failure> {
    let mut sentences = Vec::new();
    let (mut best, mut seconds) = (study.clone(), plan.seconds());
    let shards = |study: &Study| with_shards(study, plan, cluster);
    for change in [&shards as &dyn Fn(&Study) -> Change, &with_lag, &with_fewer_epochs] {
        let Some((changed, words)) = change(&best) else { continue };
        let then = Plan::of::<G>(&changed, rates, cluster)?.seconds();
        if then < (1.0 - WORTH) * seconds {
            let times = [duration(then), duration(seconds)];
            sentences.push(format!("{words}: {} instead of {}.", times[0], times[1]));
            (best, seconds) = (changed, then);
        }
    }
    sentences.extend(more_simulations::<G>(&best, seconds, rates, cluster)?);
    if sentences.is_empty() {
        sentences.push("No change of shards or learning that was tried saves time.".to_owned());
    } else {
        sentences.insert(0, "What helps, each after the ones before:".to_owned());
    }
    Ok(sentences)
}

/// Gives the games as many tasks as have room, if each then has some minutes of work.
fn with_shards(study: &Study, plan: &Plan, cluster: &Cluster) -> Change {
    let shards = |of: &dyn Fn(&str) -> bool| {
        let works = plan.works.iter().filter(|work| of(&work.name));
        works.map(|work| shards(work.busy * work.tasks as f64, cluster)).max()
    };
    let mut changed = study.clone();
    let mut words: Vec<String> = Vec::new();
    let training = shards(&|name| matches!(generation(name), Some((_, "games"))));
    if let Some(shards) = training.filter(|&shards| shards != study.selfplay.shards) {
        changed.selfplay.shards = shards;
        words.push(format!("selfplay.shards = {shards}"));
    }
    let folders: Vec<PathBuf> = study.measurements().into_iter().map(|part| part.folder).collect();
    let measured = shards(&|name| folders.iter().any(|folder| folder == Path::new(name)));
    let most = if study.measure.stop.is_some() { MAX_STOPPED_SHARDS } else { u32::MAX };
    let measured = measured.map(|shards| shards.min(most));
    if let Some(shards) = measured.filter(|&shards| shards != study.measure.shards) {
        changed.measure.shards = shards;
        words.push(format!("measure.shards = {shards}"));
    }
    let random = shards(&|name| name == RANDOM);
    if let (Some(config), Some(shards)) = (&mut changed.random, random)
        && shards != config.shards
    {
        config.shards = shards;
        words.push(format!("random.shards = {shards}"));
    }
    (!words.is_empty()).then(|| (changed, listed(&words)))
}

/// Returns the number of tasks for this many core seconds.
fn shards(busy: f64, cluster: &Cluster) -> u32 {
    let cores = cluster.task_cores.min(cluster.cores).max(1);
    let most = (cluster.cores / cores).clamp(1, MOST_TASKS);
    let worth = (busy / (LEAST_TASK * cores as f64)).floor() as u64;
    u32::try_from(worth.clamp(1, most)).unwrap_or(1)
}

/// Plays the games of a generation while the one before is learnt.
fn with_lag(study: &Study) -> Change {
    let train = &study.train;
    let generations = train.number_of_generations();
    if study.network.file.is_some() || train.lag > 0 || generations.is_none_or(|number| number < 2)
    {
        return None;
    }
    let mut changed = study.clone();
    changed.train.lag = 1;
    let words =
        "train.lag = 1 (the games of a generation are played while the one before is learnt)";
    Some((changed, words.to_owned()))
}

/// Learns half as often from each position.
fn with_fewer_epochs(study: &Study) -> Change {
    if study.network.file.is_some() || study.train.epochs <= LEAST_EPOCHS {
        return None;
    }
    let epochs = (0.5 * study.train.epochs).max(LEAST_EPOCHS);
    let mut changed = study.clone();
    changed.train.epochs = epochs;
    Some((changed, format!("train.epochs = {epochs} (each position is learnt less often)")))
}

/// Says how many simulations cost next to no time, because cores wait for the learner.
fn more_simulations<G: CompleteGame>(
    study: &Study,
    seconds: f64,
    rates: &Rates,
    cluster: &Cluster,
) -> Result<Option<String>, Failure> {
    if study.network.file.is_some() {
        return Ok(None);
    }
    let mut found = None;
    for factor in FACTORS {
        let mut changed = study.clone();
        let selfplay = &mut changed.selfplay;
        selfplay.simulations = selfplay.simulations.saturating_mul(factor);
        selfplay.fast_simulations = selfplay.fast_simulations.saturating_mul(factor);
        let more = selfplay.simulations;
        let then = Plan::of::<G>(&changed, rates, cluster)?.seconds();
        if then > (1.0 + FREE) * seconds {
            break;
        }
        found = Some(format!(
            "{factor} times as many simulations (selfplay.simulations = {more}) cost {}% more time, since cores wait for the learner.",
            fixed(100.0 * (then / seconds - 1.0).max(0.0), 0)
        ));
    }
    Ok(found)
}
