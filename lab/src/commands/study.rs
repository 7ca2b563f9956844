//! `fusion study`: all steps from a study file to its report.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::Parser;
use fusion_jobs::exit::{Failure, note, say};
use fusion_jobs::lock::FolderLock;
use fusion_jobs::stop::Stop;
use fusion_jobs::{atomic, child};
use fusion_study::{Study, base, enter_base};

use super::question::Question;
use super::{check, train};

/// Arguments of `study`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The study file
    #[arg(value_name = "FILE", default_value = "data/studies/quick.toml")]
    study: PathBuf,
    /// Train a network by self-play from nothing, in a folder of its own, runs/NAME-trained
    #[arg(long)]
    train: bool,
    /// Start the programs that the study's file names as opponents (uci:...)
    #[arg(long)]
    allow_programs: bool,
    #[command(flatten)]
    question: Question,
}

impl Args {
    /// Checks the study, writes it to its folder and runs its steps. Finished work is kept, so the
    /// same command continues after an interruption.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let stop = Stop::on_signals()?;
        let mut file = std::path::absolute(&self.study).context("finding the study file")?;
        if !file.exists() {
            // A study of the checkout is found from other folders, too.
            file = Some(base(&file)?.join(&self.study)).filter(|of| of.exists()).unwrap_or(file);
        }
        let changed = self.train || self.question.is_asked();
        let question = self.question.absolute()?;
        enter_base(&file)?;
        let study = question.ask(Study::read(&file)?)?;
        let study = check::checked(&file, study, self.train, self.allow_programs)?;
        note(check::summary(&study)?);
        let folder = study.out();
        let _lock = FolderLock::exclusive(&folder)?;
        // A killed run leaves temporary files.
        atomic::remove_abandoned(&folder)?;
        let entered = enter(&file, &study, &folder, changed)?;
        let programs = self.allow_programs;
        Steps { study: &study, file: &entered, folder: &folder, stop, programs }.run()
    }
}

/// Writes the study into its folder, as its file has it or, if it is `changed`, with all keys, and
/// returns the path. A folder that has another study is rejected, unless only numbers of openings have
/// grown.
fn enter(file: &Path, study: &Study, folder: &Path, changed: bool) -> anyhow::Result<PathBuf> {
    let text = match changed {
        true => toml::to_string(study)?.into_bytes(),
        false => fs::read(file).with_context(|| format!("reading {}", file.display()))?,
    };
    let entered = folder.join("study.toml");
    if fs::read(&entered).is_ok_and(|earlier| earlier == text) {
        return Ok(entered);
    }
    check::check_continues(study, folder)?;
    atomic::write_bytes(&entered, &text)?;
    Ok(entered)
}

/// The steps of one study.
struct Steps<'a> {
    study: &'a Study,
    /// The study's file in its folder.
    file: &'a Path,
    folder: &'a Path,
    stop: Stop,
    /// Whether programs that the study names may be started.
    programs: bool,
}

impl Steps<'_> {
    fn run(&self) -> anyhow::Result<()> {
        match &self.study.network.file {
            None => self.train()?,
            Some(network) => title(1, &format!("no training: {} plays", network.display())),
        }
        let file = self.file.as_os_str();
        let study = OsStr::new("--study");
        let all = [OsStr::new("--shard"), OsStr::new("all")];
        let programs: &[&OsStr] =
            if self.programs { &[OsStr::new("--allow-programs")] } else { &[] };
        self.step(
            2,
            "how strong the network is: matches",
            &["match"],
            &[&[study, file], programs],
        )?;
        match &self.study.endgames {
            None => title(3, "no endgames: the study lists none"),
            Some(_) => {
                self.step(3, "exact endgames", &["endgames", "build"], &[&[study, file], &all])?;
            }
        }
        self.step(
            4,
            "openings that are legal in every rule set",
            &["openings"],
            &[&[study, file]],
        )?;
        self.step(5, "measurement games", &["measure"], &[&[study, file], &all])?;
        self.step(6, "random movers", &["random"], &[&[study, file]])?;
        self.step(7, "report", &["report"], &[&[self.folder.as_os_str()]])
    }

    /// Runs a command of this program.
    fn step(
        &self,
        number: u32,
        name: &str,
        command: &[&str],
        arguments: &[&[&OsStr]],
    ) -> anyhow::Result<()> {
        self.stop.check()?;
        title(number, name);
        let words = ["fusion"].iter().chain(command).map(OsString::from);
        let arguments = arguments.iter().copied().flatten().map(OsString::from);
        super::run(super::Args::try_parse_from(words.chain(arguments))?)
    }

    /// Runs the training loop in `fusion-train`, which has libtorch.
    fn train(&self) -> anyhow::Result<()> {
        self.stop.check()?;
        title(1, "training by self-play");
        let mut command = Command::new(train::program()?);
        command.arg("loop").arg(self.file);
        if self.programs {
            command.arg("--allow-programs");
        }
        let status = child::run(&mut command, &self.stop)?;
        self.stop.check()?;
        if !status.success() {
            let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
            let message = format!("training ended with {status}");
            return Err(Failure::new(code, message).into());
        }
        let best = self.folder.join("train/best.fnet");
        if !best.exists() {
            bail!(
                "no generation's network was accepted, so there is none to measure with: raise \
                 games, simulations or generations in {} under another name",
                self.file.display()
            );
        }
        Ok(())
    }
}

fn title(number: u32, name: &str) {
    say("");
    say(format_args!("== {number}/7 {name}"));
}
