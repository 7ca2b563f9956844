//! Building of tables: missing tables are solved, checked, summarised and written.

use super::files::{self, Files};
use super::progress::Progress;
use crate::graph::{Ending, Solved, SolvedTables, look_up};
use crate::solve::Solver;
use crate::summary;
use crate::verify::{self, Contradiction};
use anyhow::Context;
use fusion_chess::endgame::{Material, equivalent_rules};
use fusion_chess::rules::RuleSet;
use fusion_jobs::exit::{Failure, note};
use fusion_jobs::stop::Stop;
use fusion_print::output::{create_folder, remove};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pause between two saves of an unfinished table.
const SAVE_EVERY: Duration = Duration::from_secs(300);

/// The tables to build, and their folder.
#[derive(Clone, Debug)]
pub struct Request {
    /// Folder of the tables.
    pub out: PathBuf,
    /// Endings with their rules, in order. Smaller endings that they need are built too.
    pub tasks: Vec<Task>,
    /// Maximum number of components of a table that is kept. Only the summary of a larger table is
    /// kept, unless a task needs the table.
    pub keep: usize,
    /// Whether to derive every value again from its successors.
    pub verify: bool,
}

/// A table: rules and material.
pub type Task = (RuleSet, Material);

/// Returns the tasks without those that share a table with an earlier one.
#[must_use]
pub fn distinct(tasks: &[Task]) -> Vec<Task> {
    let mut seen = HashSet::new();
    let shared = |&(rules, material): &Task| (equivalent_rules(&rules, &material), material);
    tasks.iter().map(shared).filter(|task| seen.insert(*task)).collect()
}

/// The numbers of tables that a build found and made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Number of tasks whose table existed.
    pub present: usize,
    /// Number of tables that were built.
    pub fresh: usize,
}

/// Builds the missing tables.
///
/// # Errors
/// Returns the error of a request to stop, with its exit code, after the finished work is saved.
/// Fails if a folder cannot be written, or if a file is damaged (65). Fails if a table contradicts
/// itself, which would be a fault of the solver.
pub fn build(request: &Request, stop: &Stop) -> anyhow::Result<Built> {
    let needed: HashSet<Material> =
        request.tasks.iter().flat_map(|(_, material)| material.descendants()).collect();
    let builder = Builder { request, needed, stop };
    let mut built = Built::default();
    for &(rules, material) in &distinct(&request.tasks) {
        stop.check()?;
        let files = Files::new(&request.out, &material, &rules);
        if builder.is_complete(&files, &material, &rules)? {
            built.present += 1;
            continue;
        }
        let mut solved = SolvedTables::new();
        let below = material.descendants().into_iter().filter(|below| below.len() > 2);
        for material in below.chain([material]) {
            let rules = equivalent_rules(&rules, &material);
            built.fresh += usize::from(builder.make(material, rules, &mut solved)?);
        }
    }
    Ok(built)
}

struct Builder<'a> {
    request: &'a Request,
    /// Material that larger tasks need.
    needed: HashSet<Material>,
    stop: &'a Stop,
}

impl Builder<'_> {
    fn keeps(&self, material: &Material) -> bool {
        material.len() <= self.request.keep || self.needed.contains(material)
    }

    /// Returns whether a table exists and is whole. For a table that is not kept, its summary
    /// suffices.
    fn is_complete(
        &self,
        files: &Files,
        material: &Material,
        rules: &RuleSet,
    ) -> anyhow::Result<bool> {
        if !files.summary.is_file() || self.keeps(material) && !files.table.is_file() {
            return Ok(false);
        }
        files::read_summary(&files.summary, material, rules)?;
        if files.table.is_file() {
            files::open_table(&files.table, material, rules)?;
        }
        // A concurrent build may have left this file after the table was finished.
        remove(&files.part)?;
        Ok(true)
    }

    /// Adds a table to `solved`. Returns whether it had to be built.
    fn make(
        &self,
        material: Material,
        rules: RuleSet,
        solved: &mut SolvedTables,
    ) -> anyhow::Result<bool> {
        self.stop.check()?;
        let files = Files::new(&self.request.out, &material, &rules);
        if self.is_complete(&files, &material, &rules)? && files.table.is_file() {
            let table = files::read_table(&files.table, &material, &rules)?;
            solved.insert(material, table.into());
            return Ok(false);
        }
        let ending = Ending::new(material, rules, solved)?;
        let started = Instant::now();
        let table = Arc::new(self.solved_and_checked(&ending, &files)?);
        solved.insert(material, table.clone());
        let rows = summary::summarise(&ending, &table.codes, |position| look_up(solved, position));
        if self.keeps(&material) {
            files::write_codes(&files.table, &table.layout, &rules, &table.codes, true)?;
        }
        files::write_summary(&files.summary, &rows)?;
        remove(&files.part)?;
        let checked = if self.request.verify { ", checked" } else { "" };
        note(format_args!(
            "{material} under {rules}: {:.1} s{checked}",
            started.elapsed().as_secs_f64()
        ));
        Ok(true)
    }

    /// Solves an ending and checks it. The solver resumes an interrupted build. The values of that
    /// build are discarded if they lead to a contradiction.
    fn solved_and_checked(&self, ending: &Ending, files: &Files) -> anyhow::Result<Solved> {
        if let Some(folder) = files.table.parent() {
            create_folder(folder)?;
        }
        if let Some(part) = files::read_part(&files.part, &ending.layout.material(), &ending.rules)?
        {
            let table = self.solve(ending, files, Some(part))?;
            match self.check(ending, &table, files) {
                Err(error) if error.is::<Contradiction>() => {
                    note(format_args!("{} was of no use: {error:#}", files.part.display()));
                    remove(&files.part)?;
                }
                checked => return checked.map(|()| table),
            }
        }
        let table = self.solve(ending, files, None)?;
        self.check(ending, &table, files)
            .context("the solver made a table that contradicts itself; please report this")?;
        Ok(table)
    }

    fn solve(
        &self,
        ending: &Ending,
        files: &Files,
        part: Option<Solved>,
    ) -> anyhow::Result<Solved> {
        let progress =
            Progress::new(&format!("{} under {}", ending.layout.material(), ending.rules));
        let mut solver = match part {
            Some(part) => Solver::resume(ending, part.codes),
            None => {
                progress.show("looking at all positions");
                Solver::begin(ending, self.stop).ok_or_else(|| self.stopped())?
            }
        };
        let mut saved = Instant::now();
        loop {
            let step = solver.step(self.stop);
            if step.is_err() || saved.elapsed() > SAVE_EVERY {
                self.save(ending, files, &solver.snapshot())?;
                saved = Instant::now();
            }
            match step {
                Err(_) => return Err(self.stopped()),
                Ok(None) => break,
                Ok(Some(step)) => progress.step(step),
            }
        }
        Ok(Solved { layout: ending.layout.clone(), codes: solver.codes() })
    }

    fn check(&self, ending: &Ending, table: &Solved, files: &Files) -> anyhow::Result<()> {
        if !self.request.verify {
            return Ok(());
        }
        let checked = verify::verify(ending, &table.codes, self.stop)?;
        if checked < table.codes.len() as u64 {
            self.save(ending, files, &table.codes)?;
            return Err(self.stopped());
        }
        Ok(())
    }

    fn save(&self, ending: &Ending, files: &Files, codes: &[u16]) -> anyhow::Result<()> {
        files::write_codes(&files.part, &ending.layout, &ending.rules, codes, false)
    }

    /// Returns the error of a request to stop.
    fn stopped(&self) -> anyhow::Error {
        match self.stop.check() {
            Err(failure) => failure.into(),
            Ok(()) => Failure::new(1, "stopped").into(),
        }
    }
}
