//! `fusion-selfplay check`

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use fusion_engine::fusion::FusionGame;
use fusion_jobs::escape::Escaped;
use fusion_jobs::exit::{note, say};
use fusion_selfplay::study::{NamedProgram, Study, allow_programs};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
    /// As if it named no network: the study that trains its own
    #[arg(long)]
    train: bool,
    /// Print the study with all its keys instead of its folder and, on a second line, the
    /// network that it names
    #[arg(long)]
    toml: bool,
    /// Refuse a study that would not continue what is in this folder: whose keys differ from
    /// those of the folder's study.toml, but for numbers of openings that have grown
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
    /// Say on standard error what the study measures, in one line
    #[arg(long)]
    summary: bool,
    /// Refuse a study that names programs to be started
    #[arg(long)]
    refuse_programs: bool,
}

impl Arguments {
    /// Checks the keys and values of the study, the files that it names and what it continues,
    /// and lists the programs that it would start.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let study = Study::open::<FusionGame>(&self.study)?;
        let study = if self.train { study.training() } else { study };
        let programs = [study.match_programs(), study.ladder_programs()].concat();
        for NamedProgram { key, text } in &programs {
            note(format_args!("{key} starts a program: {}", text));
        }
        allow_programs(&programs, !self.refuse_programs)?;
        study.check_files::<FusionGame>().with_context(|| self.study.display().to_string())?;
        if let Some(folder) = &self.against {
            let earlier = folder.join("study.toml");
            if earlier.exists() {
                let earlier = Study::open::<FusionGame>(&earlier)?;
                study.check_continues(&earlier).with_context(|| folder.display().to_string())?;
            }
        }
        if self.summary {
            note(summary(&study)?);
        }
        if self.toml {
            return Ok(write!(Escaped::new(stdout()), "{}", toml::to_string(&study)?)?);
        }
        say(study.out().display());
        if let Some(network) = study.network.file {
            say(network.display());
        }
        Ok(())
    }
}

/// The main measurement in one line.
fn summary(study: &Study) -> anyhow::Result<String> {
    let measure = &study.measure;
    let arms = measure.arms::<FusionGame>()?;
    let openings = measure.games.unwrap_or(study.openings.count);
    let budgets: Vec<String> = measure.nodes.iter().map(ToString::to_string).collect();
    let games = arms.len() as u64 * budgets.len() as u64 * u64::from(openings);
    let named = match arms.len() {
        1..=4 => arms.join(", "),
        many => format!("{many} rule sets"),
    };
    Ok(format!(
        "study {}: {named}; {openings} openings, {} nodes a move: {games} games",
        study.study.name,
        budgets.join(" and ")
    ))
}
