//! Files, folders and programs that a study names.

use std::path::Path;

use crate::{Searcher, rule_sets};
use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_jobs::exit::{Failure, NO_INPUT};
use fusion_network::model::Model;

use super::check::require;
use super::command::{split_settings, words};
use super::{LadderConfig, Measurement, SELF, START, SearchKind, Study};

/// Prefix of a player's text that names another program.
pub const PROGRAM: &str = "uci:";
/// Prefixes of a player's text that name no file.
pub(super) const NO_FILE: [&str; 2] = [PROGRAM, Searcher::DEPTHS];

/// A program that a study's games start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedProgram {
    /// The key that names the program, such as `matches.x.opponent`.
    pub key: String,
    /// The player's text: `uci:` and the command with its settings.
    pub text: String,
}

impl NamedProgram {
    fn new((key, text): (String, &String)) -> Option<Self> {
        text.starts_with(PROGRAM).then(|| Self { key, text: text.clone() })
    }
}

/// Rejects programs that are named only by a study file, since the file may come from a stranger.
///
/// # Errors
/// Fails if there is a program and `allowed` is false (exit code 64).
pub fn allow_programs(programs: &[NamedProgram], allowed: bool) -> Result<(), Failure> {
    match programs {
        [NamedProgram { key, text }, ..] if !allowed => Err(Failure::usage(format!(
            "{key} of the study's file names a program that would be started, `{}`: if you trust \
             it, give --allow-programs",
            text.trim_start_matches(PROGRAM)
        ))),
        _ => Ok(()),
    }
}

impl Study {
    /// Returns the programs that the study's matches start.
    #[must_use]
    pub fn match_programs(&self) -> Vec<NamedProgram> {
        let others = self.matches.iter();
        let others =
            others.map(|(name, each)| (format!("matches.{name}.opponent"), &each.opponent));
        let strength = ("strength.opponent".to_owned(), &self.strength.opponent);
        std::iter::once(strength).chain(others).filter_map(NamedProgram::new).collect()
    }

    /// Returns the programs that play the study's measurements.
    #[must_use]
    pub fn measuring_programs(&self) -> Vec<NamedProgram> {
        let named = |each: Measurement| {
            let key = format!("{}.network", each.section());
            NamedProgram::new((key, &each.config.network?))
        };
        self.measurements().into_iter().filter_map(named).collect()
    }

    /// Returns the programs that the study's ladder starts.
    #[must_use]
    pub fn ladder_programs(&self) -> Vec<NamedProgram> {
        let references = self.ladder.iter().flat_map(|ladder| &ladder.references);
        let references = references.map(|text| ("ladder.references".to_owned(), text));
        references.filter_map(NamedProgram::new).collect()
    }

    /// Checks the names of the study's files and folders. They need not exist yet.
    pub(super) fn check_paths(&self) -> Result<(), Failure> {
        if let Some(out) = &self.study.out {
            check_path("study.out", out, "leave it out for runs/NAME")?;
        }
        if let Some(file) = &self.network.file {
            check_path("network.file", file, "leave it out for a network of the study's own")?;
        }
        let start = &self.train.start;
        let is_pvs = Searcher::is_pvs(start);
        require(
            !is_pvs || self.network.search == SearchKind::Pvs,
            format!(
                "train.start = \"{start}\" has no policy to learn from, which networks of the tree search \
                 need: leave out pvs:, or set network.search to \"pvs\""
            ),
        )?;
        require(
            !start.is_empty() && !is_no_file(start),
            format!(
                "train.start must be {} or a network file, or for alpha-beta search pvs: and one of \
                 these, not `{start}`",
                Model::BUILT_IN.join(", "),
            ),
        )
    }

    /// Checks that everything that the study names exists: networks can be read, and other files,
    /// folders and programs are present. Outputs of the study itself need not exist.
    ///
    /// # Errors
    /// Fails if something is missing (exit code 66) or rejected (65), and names its key.
    pub fn check_files<G: CompleteGame>(&self) -> anyhow::Result<()> {
        for (key, text) in self.players() {
            let rules = self.rules_of_player::<G>(&key)?;
            check_player::<G>(&text, &rules).with_context(|| key)?;
        }
        if let Some(init) = self.init() {
            check_exists("train.init", &init)?;
        }
        let own = self.out().join("endgames");
        for measurement in self.measurements() {
            // The study builds its own tables before it measures.
            let made = |folder: &Path| self.endgames.is_some() && folder == own;
            if let Some(folder) = measurement.config.tables().filter(|folder| !made(folder)) {
                check_exists(&format!("{}.tables", measurement.section()), folder)?;
            }
        }
        Ok(())
    }

    /// Returns the rule sets under which the player plays that a key of [`Study::players`] names.
    fn rules_of_player<G: CompleteGame>(&self, key: &str) -> Result<Vec<G::Rules>, Failure> {
        let mut rules = Vec::new();
        match (key, &self.ladder) {
            ("train.start", _) => rules.extend(self.selfplay.of_game::<G>().rules.into_keys()),
            ("ladder.references", Some(ladder)) => rules.extend(self.ladder_rules(ladder)),
            _ => {}
        }
        for measurement in self.measurements() {
            let named = match measurement.config.network {
                Some(_) => format!("{}.network", measurement.section()),
                None => "network.file".to_owned(),
            };
            if named == key {
                rules.extend(measurement.config.arms::<G>()?);
            }
        }
        for (folder, config) in self.all_matches::<G>()? {
            let named = match folder.file_name() {
                Some(name) => format!("matches.{}.opponent", name.to_string_lossy()),
                None => "strength.opponent".to_owned(),
            };
            if [&named, "network.file"].contains(&key) {
                rules.extend(config.rules);
            }
        }
        rule_sets::<G>(&rules)
    }

    /// Returns all players that the study names, each with its key.
    pub(super) fn players(&self) -> Vec<(String, String)> {
        let network = self.network.file.is_some().then(|| self.network());
        let network = network.map(|file| ("network.file".to_owned(), file.display().to_string()));
        let mut players: Vec<_> = network.into_iter().collect();
        players.push(("train.start".to_owned(), self.start()));
        for measurement in self.measurements() {
            let key = format!("{}.network", measurement.section());
            players.extend(measurement.config.network.map(|text| (key, text)));
        }
        let own = [START, SELF];
        let mut add = |key: String, text: &String| {
            if !own.contains(&text.as_str()) {
                players.push((key, self.located(text)));
            }
        };
        add("strength.opponent".to_owned(), &self.strength.opponent);
        for (name, config) in &self.matches {
            add(format!("matches.{name}.opponent"), &config.opponent);
        }
        for text in self.ladder.iter().flat_map(|LadderConfig { references, .. }| references) {
            add("ladder.references".to_owned(), text);
        }
        players
    }
}

fn is_no_file(text: &str) -> bool {
    NO_FILE.iter().any(|prefix| text.starts_with(prefix))
}

/// Checks that a path can be passed to programs, scripts and terminals.
fn check_path(key: &str, path: &Path, else_do: &str) -> Result<(), Failure> {
    let text = path.to_string_lossy();
    require(!text.is_empty(), format!("{key} must not be empty; {else_do}"))?;
    require(
        !text.starts_with('-') && !is_no_file(&text) && !text.contains(char::is_control),
        format!(
            "{key} `{text}` must not begin with -, {} or {}, and have no line breaks or other \
             control characters",
            NO_FILE[0], NO_FILE[1]
        ),
    )
}

/// Opens a network for these rule sets, or checks that a program exists.
fn check_player<G: CompleteGame>(text: &str, rules: &[G::Rules]) -> anyhow::Result<()> {
    if let Some(command) = text.strip_prefix(PROGRAM) {
        return find_program(&words(split_settings(command).0)?[0]);
    }
    Searcher::open::<G>(text, rules)?;
    Ok(())
}

/// Searches for a program as the system does when it starts one.
fn find_program(name: &str) -> anyhow::Result<()> {
    let found = if name.contains('/') {
        Path::new(name).is_file()
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
    };
    if found {
        return Ok(());
    }
    Err(Failure::new(NO_INPUT, format!("there is no program `{name}`")).into())
}

fn check_exists(key: &str, path: &Path) -> anyhow::Result<()> {
    std::fs::metadata(path).with_context(|| format!("{key}: {}", path.display()))?;
    Ok(())
}
