//! `fusion endgames`

use super::output::Output;
use clap::{Args, Subcommand};
use fusion_chess::FusionGame;
use fusion_chess::endgame::{MAX_COMPONENTS, Material, covers};
use fusion_chess::rules::{PRESETS, RuleSet};
use fusion_endgames::tables::build::{self, Request, Task};
use fusion_endgames::tables::files::{self, Files};
use fusion_endgames::tables::{probe, terminal as table};
use fusion_jobs::cluster::{self, ShardChoice};
use fusion_jobs::escape::Escaped;
use fusion_jobs::exit::Failure;
use fusion_jobs::lock::FolderLock;
use fusion_jobs::stop::Stop;
use fusion_print::format::counted;
use fusion_results::chess::solved as solved_games;
use fusion_results::run_folder::RunFolder;
use fusion_study::Study;
use std::io::Write;
use std::path::PathBuf;

/// Endgame tables.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve endings. Finished tables are kept, and interrupted ones continue
    Build(BuildArgs),
    /// Print a position's value, distance to mate and best moves
    Probe(ProbeArgs),
    /// Compare the games of a run's measurements with the tables: wins missed, and draws that were won
    Games(GamesArgs),
    /// Print how many positions of each ending are won, drawn and lost under each rule set
    Summary(SummaryArgs),
}

/// Arguments of `build`.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// Folder of the tables
    #[arg(long, value_name = "DIR", required_unless_present = "study", conflicts_with = "study")]
    out: Option<PathBuf>,
    /// The endings that this study lists, into `endgames` in its folder; once all are solved,
    /// `endgames.csv` beside it is what the report reads
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rules", "ablate", "material", "components"])]
    study: Option<PathBuf>,
    /// A rule set; may be repeated [default: all presets that tables cover]
    #[arg(long, value_name = "RULES")]
    rules: Vec<RuleSet>,
    /// Also every rule set that differs from this one in a single toggle and that tables cover;
    /// may be repeated
    #[arg(long, value_name = "RULES")]
    ablate: Vec<RuleSet>,
    /// An ending such as KRBvKR; may be repeated [default: see --components]
    #[arg(long, value_name = "ENDING")]
    material: Vec<Material>,
    /// All endings with up to this number of components, Kings included [default: 4, or none if
    /// --material is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=MAX_COMPONENTS as i64))]
    components: Option<u8>,
    /// Of tables with more components than this keep only the summary, unless another ending
    /// of this command needs them
    #[arg(long, value_name = "N", default_value_t = MAX_COMPONENTS as u8, value_parser = clap::value_parser!(u8).range(2..=MAX_COMPONENTS as i64))]
    keep: u8,
    /// Do not derive every value again from its successors
    #[arg(long)]
    no_verify: bool,
    /// The part of the tables to build: a number from 0, or auto, the scheduler's task number
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    shard: ShardChoice,
    /// Number of parts into which the tables are split
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    shards: u32,
    /// Threads [default: the scheduler's cores, else all]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Arguments of `probe`.
#[derive(Debug, Args)]
pub struct ProbeArgs {
    /// Folder of the tables
    #[arg(long, value_name = "DIR")]
    tables: PathBuf,
    /// The rule set
    #[arg(long, value_name = "RULES", default_value = "fusion-2020")]
    rules: RuleSet,
    /// The position
    fen: String,
}

/// Arguments of `games`.
#[derive(Debug, Args)]
pub struct GamesArgs {
    /// Folder of the run, which has the moves of its games
    run_dir: PathBuf,
    /// Folder of the tables [default: endgames in the run's folder]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `summary`.
#[derive(Debug, Args)]
pub struct SummaryArgs {
    /// Folder of the tables
    tables: PathBuf,
    /// Only this rule set; may be repeated [default: all in the folder]
    #[arg(long, value_name = "RULES")]
    rules: Vec<RuleSet>,
    /// Only this ending; may be repeated [default: all in the folder]
    #[arg(long, value_name = "ENDING")]
    material: Vec<Material>,
    /// Tell apart which components are fused and who is to move
    #[arg(long)]
    arrangements: bool,
    /// Write all rows to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

impl Command {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let terminal = &mut Escaped::new(std::io::stdout().lock());
        match self {
            Command::Build(args) => build(args, terminal),
            Command::Probe(args) => probe::run(&args.tables, &args.rules, &args.fen, terminal),
            Command::Games(args) => games(args),
            Command::Summary(args) => summary(args),
        }
    }
}

fn games(args: GamesArgs) -> anyhow::Result<()> {
    let run = RunFolder::open(&args.run_dir)?;
    let tables = args.tables.unwrap_or_else(|| args.run_dir.join("endgames"));
    args.output.print_table(solved_games::table(&solved_games::read(&run, &tables)?));
    Ok(())
}

fn summary(args: SummaryArgs) -> anyhow::Result<()> {
    let choice = table::Choice { rules: args.rules, material: args.material };
    let rows = table::rows(&args.tables, &choice)?;
    if let Some(path) = args.csv {
        files::write_summary(&path, &rows)?;
    }
    args.output.print(&table::text(&rows, args.arrangements));
    Ok(())
}

fn build(args: BuildArgs, terminal: &mut impl Write) -> anyhow::Result<()> {
    let study = args.study.as_deref().map(Study::open::<FusionGame>).transpose()?;
    let (out, tasks) = match (&study, args.out.clone()) {
        (Some(study), _) => (study.out().join("endgames"), study_tasks(study)?),
        (None, out) => (out.unwrap_or_default(), tasks(&args)?),
    };
    if tasks.is_empty() {
        writeln!(terminal, "the study lists no endings in a section [endgames]")?;
        return Ok(());
    }
    let stop = Stop::on_signals()?;
    let pool = cluster::pool(args.threads)?;
    let shards = args.shard.resolve(args.shards)?;
    let tables = build::distinct(&tasks);
    let numbered = tables.iter().enumerate();
    let mine = numbered.filter(|(i, _)| shards.contains(&((*i % args.shards as usize) as u32)));
    let request = Request {
        tasks: mine.map(|(_, task)| *task).collect(),
        keep: args.keep.into(),
        verify: !args.no_verify,
        out,
    };
    // Parts that several machines build share one folder.
    let _lock = match args.shards {
        1 => FolderLock::exclusive(&request.out)?,
        _ => FolderLock::shared(&request.out)?,
    };
    let built = pool.install(|| build::build(&request, &stop))?;
    if let Some(study) = &study {
        let missing = |(rules, material): &&Task| {
            !Files::new(&request.out, material, rules).summary.is_file()
        };
        match tables.iter().filter(missing).count() as u64 {
            0 => {
                let rows = table::rows_of(&request.out, &tasks)?;
                files::write_summary(&study.out().join("endgames.csv"), &rows)?;
            }
            missing => writeln!(terminal, "{} of other parts missing", counted(missing, "table"))?,
        }
    }
    let out = request.out.display();
    let present = counted(built.present as u64, "table");
    match built.fresh {
        0 => writeln!(terminal, "{out}: already complete, {present}")?,
        _ => {
            let fresh = counted(built.fresh as u64, "table");
            writeln!(terminal, "{out}: {fresh} built, {} there before", built.present)?;
        }
    }
    Ok(())
}

/// Returns the endings of a study.
fn study_tasks(study: &Study) -> Result<Vec<Task>, Failure> {
    let Some(endgames) = &study.endgames else { return Ok(Vec::new()) };
    let materials = Material::list(endgames.components, &endgames.endings);
    let materials = materials.map_err(Failure::usage)?;
    let mut tasks = Vec::new();
    for rules in study.endgame_rules::<FusionGame>()? {
        tasks.extend(materials.iter().map(|&material| (rules, material)));
    }
    Ok(tasks)
}

/// Returns every requested ending under every requested rule set.
fn tasks(args: &BuildArgs) -> Result<Vec<Task>, Failure> {
    let mut rules = args.rules.clone();
    for named in args.rules.iter().chain(&args.ablate) {
        covers(named).map_err(|error| Failure::usage(error.to_string()))?;
    }
    let covered = |rules: &RuleSet| covers(rules).is_ok();
    rules.extend(args.ablate.iter().flat_map(|base| base.neighbours()).filter(covered));
    if rules.is_empty() {
        rules.extend(PRESETS.map(|(_, preset)| preset).into_iter().filter(covered));
    }
    let mut materials = args.material.clone();
    let default = if materials.is_empty() { 4 } else { 2 };
    materials.extend(Material::all(args.components.unwrap_or(default).into()));
    materials.retain(|material| material.len() > 2);
    if materials.is_empty() {
        return Err(Failure::usage("KvK needs no table: it is always drawn"));
    }
    let pairs = |rules: RuleSet| materials.iter().map(move |&material| (rules, material));
    Ok(rules.into_iter().flat_map(pairs).collect())
}
