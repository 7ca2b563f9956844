//! Building tables: what is missing is solved, checked, summed up and written.

use super::files::{self, Files};
use super::graph::{Ending, Solved, SolvedTables};
use super::progress::Progress;
use super::solve::Solver;
use super::{summary, verify};
use anyhow::Context;
use fusion_engine::board::Position;
use fusion_engine::cli::Failure;
use fusion_engine::endgame::{Material, Value, equivalent_rules};
use fusion_engine::rules::RuleSet;
use fusion_selfplay::stop::Stop;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pause between two saves of a table in the making.
const SAVE_EVERY: Duration = Duration::from_secs(300);

/// What to build and where.
#[derive(Clone, Debug)]
pub struct Request {
    /// Folder of the tables.
    pub out: PathBuf,
    /// The endings with their rules, in order. Smaller endings that they need are built too.
    pub tasks: Vec<(RuleSet, Material)>,
    /// Of tables with more components than this only the summary is kept.
    pub keep: usize,
    /// Derive every value again from its successors.
    pub verify: bool,
}

/// What was found and made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Tables that were there.
    pub present: usize,
    /// Tables that were built.
    pub fresh: usize,
}

/// Builds what is missing.
///
/// # Errors
/// A request to stop, with its exit code, once what was done is saved; a folder that cannot be
/// written; a damaged file (65); a table that contradicts itself, which would be a fault of the
/// solver.
pub fn build(request: &Request, stop: &Stop) -> anyhow::Result<Built> {
    let mut built = Built::default();
    let mut done: Vec<Files> = Vec::new();
    for (rules, material) in &request.tasks {
        let mut solved = SolvedTables::new();
        let below = material.descendants().into_iter().filter(|below| below.len() > 2);
        for material in below.chain([*material]).filter(|material| material.len() > 2) {
            stop.check()?;
            let rules = equivalent_rules(rules, &material);
            let files = Files::new(&request.out, &material, &rules);
            let fresh = make(request, &files, material, rules, &mut solved, stop)?;
            if !done.contains(&files) {
                let count = if fresh { &mut built.fresh } else { &mut built.present };
                *count += 1;
                done.push(files);
            }
        }
    }
    Ok(built)
}

/// Makes sure that a table is there and adds it to `solved` if larger ones may need it. Whether
/// it had to be built.
fn make(
    request: &Request,
    files: &Files,
    material: Material,
    rules: RuleSet,
    solved: &mut SolvedTables,
    stop: &Stop,
) -> anyhow::Result<bool> {
    let kept = material.len() <= request.keep;
    let largest = request.tasks.iter().map(|(_, material)| material.len()).max();
    let needed = largest > Some(material.len());
    if files.summary.is_file() && (!kept && !needed || files.table.is_file()) {
        files::read_summary(&files.summary)?;
        if needed {
            let table = files::read_codes(&files.table, &material, &rules)?;
            solved.insert(material, table.into());
        } else if kept {
            files::open(&files.table, &material, &rules)?;
        }
        return Ok(false);
    }
    let ending = Ending::new(material, rules, solved)?;
    let started = Instant::now();
    let table = Arc::new(solve(&ending, files, stop)?);
    if request.verify {
        check(&ending, &table, files, stop)?;
    }
    solved.insert(material, table.clone());
    let rows = summary::summarise(&ending, &table.codes, |position| look_up(solved, position));
    if kept || needed {
        files::write_codes(&files.table, &table.layout, &rules, &table.codes)?;
    }
    files::write_summary(&files.summary, &rows)?;
    let checked = if request.verify { ", checked" } else { "" };
    eprintln!("{material} under {rules}: {:.1} s{checked}", started.elapsed().as_secs_f64());
    match std::fs::remove_file(&files.part) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", files.part.display()))
        }
        _ => Ok(true),
    }
}

/// Solves an ending, from where an interrupted build left off.
fn solve(ending: &Ending, files: &Files, stop: &Stop) -> anyhow::Result<Solved> {
    let material = ending.layout.material();
    if let Some(folder) = files.table.parent() {
        crate::output::create_folder(folder)?;
    }
    let progress = Progress::new(&format!("{material} under {}", ending.rules));
    let mut solver = if files.part.is_file() {
        let part = files::read_codes(&files.part, &material, &ending.rules)?;
        Solver::resume(ending, part.codes)
    } else {
        progress.show("looking at all positions");
        match Solver::begin(ending, stop) {
            Some(solver) => solver,
            None => return Err(stopped(stop)),
        }
    };
    let mut saved = Instant::now();
    loop {
        let step = solver.step(stop);
        if step.is_err() || saved.elapsed() > SAVE_EVERY {
            files::write_codes(&files.part, &ending.layout, &ending.rules, &solver.snapshot())?;
            saved = Instant::now();
        }
        match step {
            Err(_) => return Err(stopped(stop)),
            Ok(None) => break,
            Ok(Some(step)) => progress.step(step),
        }
    }
    Ok(Solved { layout: ending.layout.clone(), codes: solver.codes() })
}

/// The error of a request to stop.
fn stopped(stop: &Stop) -> anyhow::Error {
    match stop.check() {
        Err(failure) => failure.into(),
        Ok(()) => Failure::new(1, "stopped").into(),
    }
}

fn check(ending: &Ending, table: &Solved, files: &Files, stop: &Stop) -> anyhow::Result<()> {
    let checked = verify::verify(ending, &table.codes, stop)
        .context("the solver made a table that contradicts itself; please report this")?;
    if checked < table.codes.len() as u64 {
        files::write_codes(&files.part, &table.layout, &ending.rules, &table.codes)?;
        return Err(stopped(stop));
    }
    Ok(())
}

/// The value of a position by tables in memory.
#[must_use]
pub fn look_up(tables: &SolvedTables, position: &Position) -> Option<Value> {
    let (material, swapped) = Material::of(position)?;
    if material.len() == 2 {
        return Some(Value::Draw);
    }
    let table = tables.get(&material)?;
    let (squares, side) = table.layout.arrangement(position, swapped);
    Value::of_code(table.codes[table.layout.index(&squares, side)?])
}
