//! The command `check`: a whole study, of whichever game. Its own program, `fusion-check`, is built before the others.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_jobs::escape::Escaped;
use fusion_jobs::exit::{note, say};
use fusion_registry::{KnownGame, for_game};

use super::{NamedProgram, STUDY_FILE, Study, allow_programs};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
    /// Check the study that trains its own network, as if the file named none
    #[arg(long)]
    train: bool,
    /// Print the study with all its keys instead of its folder and, on a second line, the
    /// network that it names
    #[arg(long)]
    toml: bool,
    /// Reject a study whose keys differ from those of this folder's study.toml; only numbers of
    /// openings may have grown
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
    /// Print what the study measures to standard error, in one line
    #[arg(long)]
    summary: bool,
    /// Reject a study that names programs to be started
    #[arg(long)]
    refuse_programs: bool,
}

impl CheckArgs {
    /// Checks a study, and prints its folder and, on a second line, the network that it names.
    ///
    /// # Errors
    /// Fails if something is wrong with the study or a file that it names (exit codes 64 to 66).
    pub fn run(self) -> anyhow::Result<()> {
        let study = Study::read(&self.study)?;
        let study = checked(&self.study, study, self.train, !self.refuse_programs)?;
        if let Some(folder) = &self.against {
            check_continues(&study, folder)?;
        }
        if self.summary {
            note(summary(&study)?);
        }
        if self.toml {
            return Ok(write!(Escaped::new(stdout()), "{}", toml::to_string(&study)?)?);
        }
        say(std::path::absolute(study.out())?.display());
        if study.network.file.is_some() {
            say(study.network().display());
        }
        Ok(())
    }
}

impl Study {
    /// Returns the game of the study.
    #[must_use]
    pub fn game(&self) -> KnownGame {
        KnownGame::of_rules(self.measure.first_rules())
    }
}

/// Checks the values of a study, which was read from `path`, and the files that it names, and lists the
/// programs that it starts. With `train`, it is the study that trains its own network.
///
/// # Errors
/// Fails if something is wrong (exit codes 64 to 66), or if the study starts programs that are not
/// allowed (64).
pub fn checked(
    path: &Path,
    study: Study,
    train: bool,
    programs_allowed: bool,
) -> anyhow::Result<Study> {
    let game = study.game();
    for_game!(game, G => study.check::<G>()).with_context(|| path.display().to_string())?;
    let study = if train { study.training() } else { study };
    let programs =
        [study.match_programs(), study.measuring_programs(), study.ladder_programs()].concat();
    for NamedProgram { key, text } in &programs {
        note(format_args!("{key} starts a program: {text}"));
    }
    allow_programs(&programs, programs_allowed)?;
    for_game!(game, G => study.check_files::<G>()).with_context(|| path.display().to_string())?;
    Ok(study)
}

/// Checks that a study continues the run in its folder, if the folder has a study.
///
/// # Errors
/// Fails if keys differ, and names them (exit code 64).
pub fn check_continues(study: &Study, folder: &Path) -> anyhow::Result<()> {
    let earlier = folder.join(STUDY_FILE);
    if earlier.exists() {
        study
            .check_continues(&Study::read(&earlier)?)
            .with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

/// Returns the main measurement in one line.
///
/// # Errors
/// Fails if the game does not define a rule set (exit codes 64 to 66).
pub fn summary(study: &Study) -> anyhow::Result<String> {
    let measure = &study.measure;
    let arms = for_game!(study.game(), G => measure.arms::<G>())?;
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
