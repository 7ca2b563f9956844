//! `fusion study --game`: a study of one game, which a network is trained for from nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_fairy::FairyGame;
use fusion_fairy::ini::File;
use fusion_fairy::rules::{BUILTIN, know_file};
use fusion_game::CompleteGame;
use fusion_jobs::atomic;
use fusion_jobs::exit::{Failure, note};
use fusion_jobs::plain;
use fusion_registry::{KnownGame, for_game};
use fusion_runner::matches;
use fusion_study::{General, STUDY_FILE, StrengthConfig, Study, file_name, rule_set};

/// The study that has all but the game.
pub(super) const STUDY: &str = "data/studies/game.toml";
/// The program that plays games of the same files.
const OTHER: &str = "fairy-stockfish";
/// Folder of Debian's games, which PATH may lack.
const DEBIAN: &str = "/usr/games";
/// Most characters of the game's name in the report.
const LONGEST_LABEL: usize = 80;

/// The game of `--game`.
#[derive(Debug)]
pub(super) struct OwnGame {
    /// The rule set, with the name of its file instead of the path.
    rules: String,
    /// The file that defines it; `None` if a game of the program does.
    file: Option<(String, String)>,
}

impl OwnGame {
    /// Reads `FILE[#GAME][,OPTION=VALUE]...`, or the name of any rule set.
    ///
    /// # Errors
    /// The file is missing (exit code 66), it or its section has mistakes (65), it has several games of which none is
    /// named, or it lacks the one that is (64).
    pub(super) fn read(text: &str) -> anyhow::Result<Self> {
        let (name, changes) =
            text.split_once(',').map_or((text, ""), |(name, _)| (name, &text[name.len()..]));
        let (path, section) = match name.split_once('#') {
            Some((path, section)) => (path, Some(section)),
            None => (name, None),
        };
        let is_named = section.is_none() && !Path::new(path).exists() && !path.contains('.');
        if is_named || path == BUILTIN {
            return Ok(Self { rules: text.to_owned(), file: None });
        }
        let content = plain::text(Path::new(path), plain::TABLE)?;
        let base = Path::new(path).file_name().context("a file has a name")?;
        let base = base.to_string_lossy().into_owned();
        let file = File::parse(path, &content).map_err(|all| Failure::corrupt(all.to_string()))?;
        let section = match (section, &file.sections().collect::<Vec<_>>()[..]) {
            (Some(section), _) => section,
            (None, [only]) => only,
            (None, []) => {
                return Err(Failure::corrupt(format!("{path}: it defines no game")).into());
            }
            (None, several) => {
                let message = format!(
                    "--game: {path} defines {}: name one of them, as in --game {path}#{}",
                    several.join(", "),
                    several[0]
                );
                return Err(Failure::usage(message).into());
            }
        };
        rule_set::<FairyGame>(&format!("{path}#{section}{changes}"))?;
        know_file(&base, &content);
        let rules = format!("{base}#{section}{changes}");
        Ok(Self { rules, file: Some((base, content)) })
    }

    /// Reads several games. The run keeps their files by name.
    ///
    /// # Errors
    /// Those of [`OwnGame::read`], or two files of one name differ (exit code 64).
    pub(super) fn read_all<'a>(
        texts: impl Iterator<Item = &'a String>,
    ) -> anyhow::Result<Vec<Self>> {
        let games: Vec<Self> = texts.map(|text| Self::read(text)).collect::<Result<_, _>>()?;
        let mut files: Vec<_> = games.iter().filter_map(|game| game.file.as_ref()).collect();
        files.sort();
        files.dedup();
        if let Some(pair) = files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let name = &pair[0].0;
            let message = format!("two different files are named {name}: rename one of them");
            return Err(Failure::usage(message).into());
        }
        Ok(games)
    }

    /// Returns the name of the game without its file.
    fn short(&self) -> &str {
        self.rules.split_once('#').map_or(&*self.rules, |(_, section)| section)
    }

    /// Makes a study of the game from the shipped one, or of how much less drawish it is than another.
    ///
    /// # Errors
    /// A rule set cannot be parsed (exit codes 64 to 66), or one network cannot play both games (64).
    pub(super) fn study(
        &self,
        mut study: Study,
        than: Option<&Self>,
        out: Option<PathBuf>,
    ) -> anyhow::Result<Study> {
        let known = KnownGame::of_rules(&self.rules);
        let games: Vec<&Self> = std::iter::once(self).chain(than).collect();
        let rules = for_game!(known, G => canonical::<G>(&games))?;
        let short = |game: &Self| -> String { game.short().chars().take(LONGEST_LABEL).collect() };
        let (title, name) = match than {
            None => (format!("What is {} like?", short(self)), self.short().to_owned()),
            Some(than) => (
                format!("Is {} less drawish than {}?", short(self), short(than)),
                format!("{}-or-{}", self.short(), than.short()),
            ),
        };
        study.study = General { name: file_name(&name), title: Some(title), out, ..study.study };
        if let [only] = &rules[..] {
            study.labels.insert(only.clone(), short(self));
        }
        study.selfplay.rules = rules.iter().map(|rules| (rules.clone(), 1.0)).collect();
        study.measure.primary = <[String; 2]>::try_from(rules.clone()).ok();
        let agree = |program: &PathBuf| for_game!(known, G => rules.iter().all(|rules| agrees::<G>(program, rules)));
        let program = other_program().filter(agree);
        study.measure.rules = rules;
        if let Some(program) = program {
            let opponent = format!("uci:'{}'", program.display());
            let config = StrengthConfig { opponent, equal_time: true, ..study.strength.clone() };
            study.matches.insert(OTHER.to_owned(), config);
        }
        Ok(study)
    }

    /// Keeps the file that defines the game beside the results, so that the run does not need another copy.
    ///
    /// # Errors
    /// Failures of the file system.
    pub(super) fn keep(&self, folder: &Path) -> anyhow::Result<()> {
        let Some((name, content)) = &self.file else { return Ok(()) };
        let path = folder.join(name);
        if plain::read(&path, plain::TABLE).is_ok_and(|kept| kept == content.as_bytes()) {
            return Ok(());
        }
        atomic::write_bytes(&path, content.as_bytes())
    }
}

/// Parses the rule sets of games that one network plays.
fn canonical<G: CompleteGame>(games: &[&OwnGame]) -> Result<Vec<String>, Failure> {
    let parse = |game: &&OwnGame, option: &str| {
        rule_set::<G>(&game.rules).map_err(|error| error.under(option))
    };
    let options = ["--game", "--than"];
    let rules: Result<Vec<_>, _> =
        games.iter().zip(options).map(|(game, option)| parse(game, option)).collect();
    let rules = rules?;
    if let [one, other] = &rules[..]
        && one == other
    {
        return Err(Failure::usage("--than: it is the game of --game: name another one"));
    }
    let schemes: BTreeSet<_> = rules.iter().map(|rules| G::views(rules).name).collect();
    if schemes.len() > 1 {
        let message = "--than: one network plays both games, so that they need the same board and the \
                       same pieces; measure them one by one with --game";
        return Err(Failure::usage(message));
    }
    Ok(rules.iter().map(ToString::to_string).collect())
}

/// Returns whether a program plays a game by the same rules. Says why if it does not.
fn agrees<G: CompleteGame>(program: &Path, rules: &str) -> bool {
    let Ok(rules) = rule_set::<G>(rules) else { return false };
    let reason = match matches::disagreement::<G>(program, &rules) {
        Ok(None) => return true,
        Ok(Some(reason)) => reason,
        Err(error) => format!("{error:#}"),
    };
    note(format_args!("no match against {}: {reason}", program.display()));
    false
}

/// Returns the path of Fairy-Stockfish, if it is installed.
fn other_program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from(DEBIAN)]);
    folders.map(|folder| folder.join(OTHER)).find(|program| program.is_file())
}

/// Takes from the run in the study's folder, if there is one, the minutes of training where none are asked for, and
/// leaves out the match that it does not have: the other program may have come later.
pub(super) fn continue_run(study: &mut Study, asked: Option<f64>) -> anyhow::Result<()> {
    let file = study.out().join(STUDY_FILE);
    let earlier = if file.exists() { Some(Study::read(&file)?) } else { None };
    if earlier.as_ref().is_some_and(|earlier| !earlier.matches.contains_key(OTHER)) {
        study.matches.remove(OTHER);
    }
    let before = earlier.and_then(|earlier| earlier.train.minutes);
    study.train.minutes = asked.or(before).or(study.train.minutes);
    Ok(())
}
