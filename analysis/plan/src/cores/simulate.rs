//! Simulation of a study's steps on many cores.
//!
//! Steps are taken in the order of the list, as a scheduler does that starts the first job that fits
//! (first in, first out, with backfill). A task keeps its cores from its start to its end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A step: tasks of the same size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Work {
    /// Name of the step.
    pub(super) name: String,
    /// Indices of the steps that must end before.
    pub(super) after: Vec<usize>,
    /// Number of tasks.
    pub(super) tasks: u64,
    /// Cores of a task.
    pub(super) cores: u64,
    /// Whether a task needs a GPU.
    pub(super) gpu: bool,
    /// Seconds of a task.
    pub(super) seconds: f64,
    /// Core seconds that a task computes: at most its cores times its seconds.
    pub(super) busy: f64,
}

/// What the tasks run on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Machines {
    /// Cores in all.
    pub(super) cores: u64,
    /// GPUs in all.
    pub(super) gpus: u64,
    /// Seconds between the starts of two tasks.
    pub(super) start: f64,
}

/// When a step begins and ends, in seconds from the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// The course of a study.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// Begin and end of each step.
    pub(super) spans: Vec<Span>,
    /// Seconds for all steps.
    pub(super) seconds: f64,
    /// For each step, the core seconds without a task while it was the first unfinished step.
    pub(super) idle: Vec<f64>,
    /// For each step, the seconds in which it was the first unfinished step.
    pub(super) first: Vec<f64>,
}

/// A running task: its end and its step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Running {
    end: f64,
    step: usize,
}

impl Eq for Running {}

impl PartialOrd for Running {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Running {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.end.total_cmp(&other.end).then(self.step.cmp(&other.step))
    }
}

/// The state between two events.
struct State<'a> {
    works: &'a [Work],
    machines: Machines,
    now: f64,
    free: u64,
    free_gpus: u64,
    next_start: f64,
    running: BinaryHeap<Reverse<Running>>,
    /// For each step, the tasks that have not begun, and those that have not ended.
    waiting: Vec<u64>,
    unfinished: Vec<u64>,
    course: Course,
}

/// Simulates the steps. No step may need more cores or GPUs than there are; one that does never
/// begins, so the caller limits them.
pub(super) fn simulate(works: &[Work], machines: Machines) -> Course {
    let tasks: Vec<u64> = works.iter().map(|work| work.tasks).collect();
    let course = Course {
        spans: vec![Span { begin: 0.0, end: 0.0 }; works.len()],
        seconds: 0.0,
        idle: vec![0.0; works.len()],
        first: vec![0.0; works.len()],
    };
    let mut state = State {
        works,
        machines,
        now: 0.0,
        free: machines.cores,
        free_gpus: machines.gpus,
        next_start: 0.0,
        running: BinaryHeap::new(),
        waiting: tasks.clone(),
        unfinished: tasks,
        course,
    };
    state.start_what_fits();
    while state.end_next() {
        state.start_what_fits();
    }
    state.course.seconds = state.now;
    state.course
}

impl State<'_> {
    /// Starts tasks of the first steps whose predecessors are done, while there is room for them.
    fn start_what_fits(&mut self) {
        for (step, work) in self.works.iter().enumerate() {
            if self.free == 0 {
                return;
            }
            if self.waiting[step] == 0 || work.after.iter().any(|&other| self.unfinished[other] > 0)
            {
                continue;
            }
            while self.waiting[step] > 0
                && work.cores <= self.free
                && !(work.gpu && self.free_gpus == 0)
            {
                self.start(step);
            }
        }
    }

    fn start(&mut self, step: usize) {
        let work = &self.works[step];
        let begin = self.now.max(self.next_start);
        self.next_start = begin + self.machines.start;
        if self.waiting[step] == work.tasks {
            self.course.spans[step].begin = begin;
        }
        self.waiting[step] -= 1;
        self.free -= work.cores;
        self.free_gpus -= u64::from(work.gpu);
        self.running.push(Reverse(Running { end: begin + work.seconds, step }));
    }

    /// Ends the task that ends next. Returns whether there was one.
    fn end_next(&mut self) -> bool {
        let Some(Reverse(Running { end, step })) = self.running.pop() else { return false };
        if let Some(first) = self.unfinished.iter().position(|&tasks| tasks > 0) {
            let seconds = end - self.now;
            self.course.first[first] += seconds;
            self.course.idle[first] += seconds * self.free as f64;
        }
        self.now = end;
        self.free += self.works[step].cores;
        self.free_gpus += u64::from(self.works[step].gpu);
        self.unfinished[step] -= 1;
        if self.unfinished[step] == 0 {
            self.course.spans[step].end = end;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn work(after: &[usize], tasks: u64, cores: u64, seconds: f64) -> Work {
        let (name, after, busy) = (String::new(), after.to_vec(), seconds * cores as f64);
        Work { name, after, tasks, cores, gpu: false, seconds, busy }
    }

    fn on(cores: u64) -> Machines {
        Machines { cores, gpus: 0, start: 0.0 }
    }

    #[test]
    fn tasks_that_do_not_fit_wait() {
        // Five tasks of four cores on ten cores: two at a time.
        let course = simulate(&[work(&[], 5, 4, 10.0)], on(10));
        assert_eq!(course.seconds, 30.0);
        // Two cores are always free, and four more at the end.
        assert_eq!(course.idle, [2.0 * 20.0 + 6.0 * 10.0]);
    }

    #[test]
    fn steps_wait_for_their_predecessors_and_others_fill_the_gap() {
        let works = [work(&[], 1, 2, 10.0), work(&[0], 1, 4, 5.0), work(&[], 4, 1, 5.0)];
        let course = simulate(&works, on(4));
        assert_eq!(course.spans[1], Span { begin: 10.0, end: 15.0 });
        assert_eq!(course.spans[2], Span { begin: 0.0, end: 10.0 });
        assert_eq!((course.seconds, course.idle.iter().sum::<f64>()), (15.0, 0.0));
        assert_eq!(course.first, [10.0, 5.0, 0.0]);
    }

    #[test]
    fn a_gpu_has_one_task_at_a_time() {
        let mut learning = work(&[], 3, 1, 7.0);
        learning.gpu = true;
        let course = simulate(&[learning], Machines { cores: 100, gpus: 1, start: 0.0 });
        assert_eq!(course.seconds, 21.0);
    }

    #[test]
    fn tasks_start_one_after_the_other() {
        let course =
            simulate(&[work(&[], 100, 1, 1.0)], Machines { cores: 100, gpus: 0, start: 0.25 });
        assert_eq!(course.seconds, 99.0 * 0.25 + 1.0);
    }

    proptest! {
        /// Every course has the bounds of list scheduling (Graham, "Bounds on multiprocessing timing
        /// anomalies", 1969) for tasks of one core, and counts each core's time once.
        #[test]
        fn courses_are_within_their_bounds(
            steps in prop::collection::vec((1u64..20, 1u32..100, any::<bool>()), 1..8),
            cores in 1u64..16,
        ) {
            let works: Vec<Work> = steps.iter().enumerate().map(|(i, &(tasks, seconds, follows))| {
                let after = if follows && i > 0 { vec![i - 1] } else { Vec::new() };
                work(&after, tasks, 1, seconds.into())
            }).collect();
            let course = simulate(&works, on(cores));
            let busy: f64 = works.iter().map(|work| work.busy * work.tasks as f64).sum();
            let mut path: Vec<f64> = Vec::new();
            for work in &works {
                let before = work.after.iter().map(|&i| path[i]).fold(0.0, f64::max);
                path.push(before + work.seconds);
            }
            let longest = path.iter().copied().fold(0.0, f64::max);
            let least = longest.max(busy / cores as f64);
            prop_assert!(course.seconds >= least - 1e-6);
            prop_assert!(course.seconds <= busy / cores as f64 + longest + 1e-6);
            let idle: f64 = course.idle.iter().sum();
            prop_assert!((busy + idle - course.seconds * cores as f64).abs() < 1e-6);
            for (work, span) in works.iter().zip(&course.spans) {
                prop_assert!(span.end - span.begin >= work.seconds - 1e-9);
                prop_assert!(work.after.iter().all(|&i| course.spans[i].end <= span.begin + 1e-9));
            }
        }
    }
}
