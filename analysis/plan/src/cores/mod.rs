//! The plan of a study on many cores: what they do when, and what limits them.
//!
//! `rates` has what each part takes, `simulate` lets a scheduler start the steps, `limits` names what
//! breaks at this size, and `advice` simulates changes of the study's settings.

mod advice;
mod limits;
pub(super) mod rates;
mod simulate;

use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_print::format::{count, counted, duration, percent};
use fusion_print::table::{Fields, Table, Unit};
use fusion_print::text::Text;
use fusion_study::{Step, Study};
use rates::{Load, Rates, START, generation};
use simulate::{Course, Machines, Work, simulate};
use std::path::Path;

/// A share of idle cores that is worth a sentence.
const MUCH: f64 = 0.05;

/// What a study is planned for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// Cores in all.
    pub cores: u64,
    /// Most cores of a task.
    pub task_cores: u64,
    /// GPUs in all.
    pub gpus: u64,
    /// Positions that a learner learns in a second, on the GPU if there is one. `None` takes a rate
    /// that was measured on a CPU.
    pub learned: Option<f64>,
}

/// A study on a cluster.
pub(super) struct Plan {
    works: Vec<Work>,
    course: Course,
    machines: Machines,
}

impl Plan {
    /// Simulates a study. `rates` must be those of a study that differs in settings of shards, budgets
    /// and learning only.
    ///
    /// # Errors
    /// Fails with exit code 64 if the game does not have a rule set.
    pub(super) fn of<G: CompleteGame>(
        study: &Study,
        rates: &Rates,
        cluster: &Cluster,
    ) -> Result<Self, Failure> {
        let steps = study.steps::<G>(Path::new("study.toml"), false)?;
        let works: Vec<Work> =
            steps.iter().map(|step| work(study, step, &steps, rates, cluster)).collect();
        let machines = Machines { cores: cluster.cores, gpus: cluster.gpus, start: START };
        let course = simulate(&works, machines);
        Ok(Self { works, course, machines })
    }

    /// Returns the seconds of all steps.
    pub(super) fn seconds(&self) -> f64 {
        self.course.seconds
    }

    /// Returns the core seconds that all tasks compute.
    fn busy(&self) -> f64 {
        self.works.iter().map(|work| work.busy * work.tasks as f64).sum()
    }

    /// Returns the share of the cores' time in which they compute.
    fn used(&self) -> f64 {
        self.busy() / (self.seconds() * self.machines.cores as f64).max(f64::MIN_POSITIVE)
    }

    /// Formats the time, as in `about 3.1 h on 1,000 cores`.
    pub(super) fn in_words(&self) -> String {
        let cores = counted(self.machines.cores, "core");
        format!("about {} on {cores}", duration(self.seconds()))
    }

    fn table(&self) -> Table {
        let title = format!("Steps on {}", counted(self.machines.cores, "core"));
        Fields::<Row>::default()
            .text("step", "step", |row| row.name.clone())
            .count("steps", "steps", |row| row.steps)
            .count("tasks", "tasks", |row| row.tasks)
            .count("cores", "cores of a task", |row| row.cores)
            .value("task", "time of a task", Unit::Seconds, |row| row.seconds)
            .value("begins", "begins", Unit::Seconds, |row| row.begin)
            .value("ends", "ends", Unit::Seconds, |row| row.end)
            .value("hours", "core hours", Unit::Magnitude, |row| row.busy / 3600.0)
            .whole_table("cores", &title, self.rows())
            .droppable("begins steps")
    }

    /// Returns the steps; those of all generations together.
    fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for (work, span) in self.works.iter().zip(&self.course.spans) {
            let name = phase(&work.name).to_owned();
            let busy = work.busy * work.tasks as f64;
            if let Some(row) = rows.iter_mut().find(|row| row.name == name) {
                row.steps += 1;
                row.seconds = row.seconds.max(work.seconds);
                row.end = row.end.max(span.end);
                row.busy += busy;
                continue;
            }
            let (tasks, cores, seconds) = (work.tasks, work.cores, work.seconds);
            let (begin, end) = (span.begin, span.end);
            rows.push(Row { name, steps: 1, tasks, cores, seconds, begin, end, busy });
        }
        rows
    }

    /// Returns sentences on the steps during which many cores are idle, the worst first.
    fn idle_in_words(&self) -> Vec<String> {
        let mut phases: Vec<(&str, f64, f64)> = Vec::new();
        let times = self.course.first.iter().zip(&self.course.idle);
        for (work, (&first, &idle)) in self.works.iter().zip(times) {
            let name = phase(&work.name);
            match phases.iter_mut().find(|(known, ..)| *known == name) {
                Some(known) => *known = (name, known.1 + first, known.2 + idle),
                None => phases.push((name, first, idle)),
            }
        }
        let all = self.seconds() * self.machines.cores as f64;
        phases.retain(|&(_, _, idle)| idle > MUCH * all);
        phases.sort_by(|a, b| b.2.total_cmp(&a.2));
        let words = |(name, first, idle): (&str, f64, f64)| {
            format!(
                "While the study waits for {name} ({} in all), {} of {} cores have no task on average: {} of all core hours.",
                duration(first),
                count((idle / first).round() as u64),
                count(self.machines.cores),
                percent(idle / all)
            )
        };
        phases.into_iter().map(words).collect()
    }
}

/// A row of the table: a step, or one part of all generations.
struct Row {
    name: String,
    steps: u64,
    tasks: u64,
    cores: u64,
    seconds: f64,
    begin: f64,
    end: f64,
    busy: f64,
}

/// Returns the name under which steps are summed up: of the generations, that of their part.
fn phase(step: &str) -> &str {
    match generation(step) {
        Some((_, "games")) => "training games",
        Some((_, "learn")) => "learning",
        _ => step,
    }
}

/// Returns the work of a step on the cores that its tasks get.
fn work(study: &Study, step: &Step, steps: &[Step], rates: &Rates, cluster: &Cluster) -> Work {
    let load = rates.of(study, step);
    let cores = step.cores.clamp(1, cluster.task_cores.min(cluster.cores));
    let (seconds, busy) = load.of_task(step.tasks.into(), cores);
    let index = |name: &String| steps.iter().position(|step| step.name == *name);
    Work {
        name: step.name.clone(),
        after: step.after.iter().filter_map(index).collect(),
        tasks: step.tasks.into(),
        cores,
        gpu: matches!(load, Load::Gpu(_)),
        seconds,
        busy: busy.min(seconds * cores as f64),
    }
}

/// Adds the plan for many cores.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn write<G: CompleteGame>(
    text: &mut Text,
    study: &Study,
    plan: &Plan,
    rates: &Rates,
    cluster: &Cluster,
) -> Result<(), Failure> {
    text.gap();
    text.table(plan.table());
    text.push(format!(
        "In all {}; the cores compute for {} of the time. A step with several tasks is as long as its last task; steps that do not depend on each other overlap.",
        plan.in_words(),
        percent(plan.used())
    ));
    for sentence in plan.idle_in_words() {
        text.push(sentence);
    }
    text.gap();
    for sentence in limits::of(&plan.works, study, cluster) {
        text.push(sentence);
    }
    text.gap();
    for sentence in advice::of::<G>(study, plan, rates, cluster)? {
        text.push(sentence);
    }
    text.gap();
    text.push(assumptions(study, rates, cluster));
    Ok(())
}

/// Says which rates were not measured in this call.
fn assumptions(study: &Study, rates: &Rates, cluster: &Cluster) -> String {
    let mut text = format!(
        "Taken as given: cores like those of this machine, all from the beginning; {START} s between the starts of two tasks (Slurm with two nodes, measured on a machine of two cores); {:.1} ms for each game and {:.0} ms for each shard in a merge; {} cores of a task at most. What is finished already is counted as if it were not.",
        1e3 * rates::MERGED_GAME,
        1e3 * rates::OPENED_SHARD,
        count(cluster.task_cores)
    );
    if rates.training.is_some() {
        let rate = match rates.learned_by_gpu {
            Some(rate) => format!("{} positions a second on a GPU", count(rate as u64)),
            None => format!("{} positions a second", count(rates.learned as u64)),
        };
        let whose = match cluster.learned {
            Some(_) => "--learned",
            None => {
                "measured on one core with networks of the tree search, for this width and batch; a second core made little difference"
            }
        };
        text.push_str(&format!(" Learning: {rate} ({whose}). Training games are as long as those of a network that has learnt nothing."));
    }
    if study.ladder.is_some() {
        text.push_str(" The ladder is not counted.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use rates::Training;

    const CLUSTER: Cluster = Cluster { cores: 1_000, task_cores: 16, gpus: 0, learned: None };

    fn rates() -> Rates {
        Rates {
            games: [("measure".to_owned(), (100_000, 4.0))].into(),
            training: Some(Training { plies: 100.0, node: 1e-5 }),
            node: 1e-5,
            tables: 0.0,
            learned: 10_000.0,
            learned_by_gpu: None,
        }
    }

    fn planned(text: &str, cluster: &Cluster) -> (Plan, Vec<String>) {
        let study = Study::parse(text).unwrap();
        let rates = rates().on(cluster);
        let plan = Plan::of::<FusionGame>(&study, &rates, cluster).unwrap();
        let advice = advice::of::<FusionGame>(&study, &plan, &rates, cluster).unwrap();
        (plan, advice)
    }

    #[test]
    fn more_shards_are_advised_where_cores_have_no_task() {
        let text = "study.name = \"a\"\nnetwork.file = \"material\"\nmeasure.shards = 8";
        let (plan, advice) = planned(text, &CLUSTER);
        // 100,000 games of 4 s on 8 times 16 cores, and the longest game.
        let measure = (400_000.0 / 8.0 - 12.0) / 16.0 + 12.0;
        assert!((measure..measure + 210.0).contains(&plan.seconds()), "{}", plan.seconds());
        assert!(plan.idle_in_words()[0].contains("waits for measure"));
        // 1,000 cores have room for 62 tasks.
        assert!(advice[1].starts_with("measure.shards = 62:"), "{advice:?}");
        let text = text.replace("= 8", "= 62");
        assert!(planned(&text, &CLUSTER).0.seconds() < 0.2 * plan.seconds());
        assert_eq!(planned(&text, &CLUSTER).1.len(), 1, "there is nothing left to advise");
    }

    #[test]
    fn a_stopping_rule_limits_the_advice() {
        let text = "study.name = \"a\"\nnetwork.file = \"material\"\nmeasure.shards = 8\n\
                    random.games = 100000\n[measure.stop]\nevery = 10";
        let cluster = Cluster { task_cores: 1, ..CLUSTER };
        let (_, advice) = planned(text, &cluster);
        assert!(advice[1].starts_with("measure.shards = 256:"), "{advice:?}");
    }

    #[test]
    fn a_learner_that_all_wait_for_is_relieved() {
        let text = "study.name = \"a\"\nselfplay.games = 20000\nselfplay.shards = 62\n\
                    measure.shards = 62\n[train]\ngenerations = 2\nepochs = 2.0";
        let (plan, advice) = planned(text, &CLUSTER);
        // Each generation learns 4 million positions, at 10,000 a second.
        let learning = plan.works.iter().find(|work| work.name == "generation-001/learn").unwrap();
        let gate = 200.0 * 100.0 * 64.0 * 1e-5 / 16.0;
        assert!((learning.seconds - 400.0 - gate).abs() < 1e-6, "{}", learning.seconds);
        assert!(plan.rows().iter().any(|row| row.name == "learning" && row.steps == 2));
        let has = |words: &str| advice.iter().any(|sentence| sentence.contains(words));
        assert!(has("train.epochs = 1"), "{advice:?}");
        assert!(has("times as many simulations"), "{advice:?}");
        let fast = Cluster { gpus: 1, learned: Some(1e6), ..CLUSTER };
        assert!(planned(text, &fast).0.seconds() < plan.seconds());
    }
    #[test]
    fn games_that_take_as_long_as_learning_are_played_meanwhile() {
        let text = "study.name = \"a\"\nmeasure.shards = 62\n\
                    [selfplay]\ngames = 20000\nshards = 62\nsimulations = 1600\nfast_simulations = 800\n\
                    [train]\ngenerations = 10\nepochs = 2.0";
        let (plan, advice) = planned(text, &CLUSTER);
        assert!(advice.iter().any(|sentence| sentence.starts_with("train.lag = 1 ")), "{advice:?}");
        let (with, advice) = planned(&format!("{text}\nlag = 1"), &CLUSTER);
        assert!(with.seconds() < 0.95 * plan.seconds(), "{}", with.seconds());
        assert!(!advice.iter().any(|sentence| sentence.contains("train.lag")), "{advice:?}");
    }
}
