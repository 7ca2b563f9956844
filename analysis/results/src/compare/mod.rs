//! Two runs side by side: the same rule sets with another network, other settings or another
//! version of the program.
//!
//! `settings` lists what differs between the runs. `against` compares how often each rule set is
//! drawn in the two runs, and `effects` compares the effects of the rules. The statistics are those
//! of [`crate::arms`] and [`crate::pairs`].

mod against;
mod effects;
mod settings;
mod tables;
mod text;

use crate::arms::{self, Arm};
use crate::pairs::Inference;
use crate::run_folder::RunFolder;
use crate::verdict::DEFAULT_PRIMARY;
use against::Against;
use effects::Effect;
use fusion_jobs::exit::Failure;
use fusion_print::format::count;
use fusion_print::output;
use fusion_print::text::Text;
use fusion_statistics::evalue::Looks;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The options of a comparison.
#[derive(Clone, Debug)]
pub struct Options {
    /// Primary comparison, first minus second. The default is the one that the runs recorded.
    pub primary: Option<(String, String)>,
    /// Settings of the bootstrap.
    pub inference: Inference,
    /// Folder for `compare.csv`.
    pub out: Option<PathBuf>,
}

/// One of the two runs.
#[derive(Debug)]
struct Side {
    path: PathBuf,
    run: RunFolder,
    arms: Vec<Arm>,
}

/// A comparison of two runs.
#[derive(Debug)]
pub struct Comparison {
    sides: [Side; 2],
    settings: settings::Differences,
    /// Whether both runs played from one pool, so that openings form pairs.
    same_pool: bool,
    against: Vec<Against>,
    primary: Option<(String, String)>,
    effects: Vec<Effect>,
    inference: Inference,
}

/// Compares the runs in two folders and optionally writes `compare.csv`. Returns the comparison as
/// a text.
///
/// # Errors
/// Fails if a folder has no games (exit code 66) or if the input is damaged (65). Fails with exit
/// code 64 if the runs have no rule set and node budget in common, or lack the requested primary
/// comparison. Fails if the output folder cannot be written.
pub fn run(a: &Path, b: &Path, options: &Options) -> anyhow::Result<Text> {
    let comparison = Comparison::new(a, b, options)?;
    let mut text = comparison.text();
    if let Some(out) = &options.out {
        let path = out.join("compare.csv");
        output::create_folder(out)?;
        output::write_atomically(&path, &tables::file(&comparison).to_csv()?)?;
        text.gap();
        text.line(format!("Table: {}", path.display()));
    }
    Ok(text)
}

impl Comparison {
    /// Reads and compares two runs.
    ///
    /// # Errors
    /// Fails as [`run`] does, except for the output.
    pub fn new(a: &Path, b: &Path, options: &Options) -> anyhow::Result<Self> {
        let sides = [Side::open(a)?, Side::open(b)?];
        let [first, second] = &sides;
        let common: Vec<(&Arm, &Arm)> = first
            .arms
            .iter()
            .filter_map(|arm| Some((arm, second.arm(&arm.rules, arm.nodes)?)))
            .collect();
        if common.is_empty() {
            return Err(nothing_in_common(&sides).into());
        }
        let pools = [first, second].map(|side| settings::pool(&side.run));
        let same_pool = pools[0].is_some() && pools[0] == pools[1];
        let recorded = || first.run.recorded_primary().or_else(|| second.run.recorded_primary());
        let primary = options.primary.clone().or_else(recorded).or_else(|| usual(&common));
        let games = [first, second].map(|side| side.run.games.as_slice());
        let once = sides.iter().all(|side| side.run.looks() == Looks::Once);
        let looks = if once { Looks::Once } else { Looks::Any };
        let inference = Inference { looks, ..options.inference };
        let against = against::compare(&common, games, same_pool, inference)?;
        let effects = effects::compare(&common, games, same_pool, primary.as_ref(), inference)?;
        if let Some(asked) = &options.primary
            && !effects.iter().any(|effect| effect.primary)
        {
            return Err(no_primary(asked, &common).into());
        }
        let settings = settings::Differences::of(first, second);
        Ok(Self { settings, same_pool, against, primary, effects, inference, sides })
    }

    /// Returns the comparison as a text.
    #[must_use]
    pub fn text(&self) -> Text {
        text::text(self)
    }

    /// Returns whether both runs hold the same games, move for move, and no others.
    fn is_of_the_same_games(&self) -> bool {
        let arms = self.sides.iter().all(|side| side.arms.len() == self.against.len());
        arms && self.against.iter().all(Against::is_of_the_same_games)
    }
}

impl Side {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let run = RunFolder::open(path)?;
        let arms = arms::summarise(&run.games)?;
        Ok(Self { path: path.to_owned(), run, arms })
    }

    fn arm(&self, rules: &str, nodes: u64) -> Option<&Arm> {
        self.arms.iter().find(|arm| arm.rules == rules && arm.nodes == nodes)
    }

    /// Returns its rule sets by node budget, in words.
    fn contents(&self) -> String {
        let mut budgets: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for arm in &self.arms {
            budgets.entry(arm.nodes).or_default().push(&arm.rules);
        }
        let budget = |(nodes, rules): (u64, Vec<&str>)| {
            format!("{} at {} nodes", settings::listed(&rules), count(nodes))
        };
        budgets.into_iter().map(budget).collect::<Vec<_>>().join(", and ")
    }
}

/// Returns the default primary comparison if both runs hold its rule sets and name no comparison.
fn usual(common: &[(&Arm, &Arm)]) -> Option<(String, String)> {
    let (first, second) = DEFAULT_PRIMARY;
    let has = |name| common.iter().any(|(arm, _)| arm.rules == name);
    (has(first) && has(second)).then(|| (first.to_owned(), second.to_owned()))
}

fn nothing_in_common([a, b]: &[Side; 2]) -> Failure {
    Failure::usage(format!(
        "the runs have no rule set at the same number of nodes in common: {} holds {}; {} holds {}",
        a.path.display(),
        a.contents(),
        b.path.display(),
        b.contents()
    ))
}

fn no_primary((first, second): &(String, String), common: &[(&Arm, &Arm)]) -> Failure {
    let rules: BTreeSet<&str> = common.iter().map(|(arm, _)| arm.rules.as_str()).collect();
    Failure::usage(format!(
        "--primary: {first} and {second} cannot be compared in both runs; the rule sets in both are {}",
        settings::listed(&rules.into_iter().collect::<Vec<_>>())
    ))
}
