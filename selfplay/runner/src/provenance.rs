//! Check that the results in a study's folder were made from one study and one network.
//!
//! The steps of a study are programs of their own, and the study's file, its network, its pool or its
//! tables may change between them. Every result records what it was made with.

use std::path::Path;

use fusion_game::{CompleteGame, RuleSet};
use fusion_jobs::cluster::{Status, read_header};
use fusion_jobs::exit::Failure;
use fusion_jobs::plain;
use fusion_study::{MeasureConfig, Measurement, PROGRAM, Searcher, Study, rule_sets};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::matches::{MatchReport, RESULT, recorded};
use crate::measure::{MeasureFile, Settings};
use crate::openings::Pool;

/// What a measurement was made with.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Seed of its games.
    pub seed: u64,
    /// The other settings.
    pub settings: Settings,
}

impl From<&MeasureFile> for Measured {
    fn from(file: &MeasureFile) -> Self {
        Self { seed: file.seed, settings: file.settings.clone() }
    }
}

/// What a match was made with.
#[derive(Clone, Debug)]
pub struct Played {
    /// Names of the players.
    pub players: [String; 2],
    /// Rule sets; `None` while the match is not finished.
    pub rules: Option<Vec<String>>,
}

impl From<MatchReport> for Played {
    fn from(report: MatchReport) -> Self {
        let MatchReport { first, second, rules, .. } = report;
        Self { players: [first.network, second.network], rules: Some(rules) }
    }
}

/// The results in a study's folder.
pub trait Results {
    /// Returns what the measurement in this folder of the run was made with, if it is there.
    ///
    /// # Errors
    /// Fails if it is damaged.
    fn measured(&self, folder: &Path) -> anyhow::Result<Option<Measured>>;

    /// Returns what the match in this folder of the run was made with, if it is there.
    ///
    /// # Errors
    /// Fails if it is damaged.
    fn played(&self, folder: &Path) -> anyhow::Result<Option<Played>>;

    /// Returns whether a pool with this hash is the run's, or its first openings; `None` if the run
    /// has no pool.
    ///
    /// # Errors
    /// Fails if the pool is damaged.
    fn has_pool(&self, hash: &str) -> anyhow::Result<Option<bool>>;

    /// Returns whether the study has a key, and not only its default, which may be another one in
    /// another version. Results are compared with such keys.
    fn states(&self, section: &str, key: &str) -> bool;

    /// Returns the name of a player that the study names for games under these rule sets, if it can be
    /// opened here.
    ///
    /// # Errors
    /// Fails if it cannot be opened.
    fn name_of(&self, player: &str, rules: &[String]) -> anyhow::Result<Option<String>>;
}

/// Returns what differs between the results in a study's folder and the study, or between two of the
/// results, by the keys of the study.
///
/// # Errors
/// Fails if a result is damaged, or the study is not valid.
pub fn differences<G: CompleteGame>(
    study: &Study,
    results: &impl Results,
) -> anyhow::Result<Vec<String>> {
    let mut found =
        Differences { found: Vec::new(), states: &|section, key| results.states(section, key) };
    let mut measured = Vec::new();
    for part in study.measurements() {
        if let Some(made) = results.measured(&part.folder)? {
            measured.push((part, made));
        }
    }
    for (part, made) in &measured {
        compare_settings::<G>(study, part, made, &mut found)?;
        let pool = &made.settings.pool;
        if part.config.own_plies == 0 && results.has_pool(pool)? == Some(false) {
            let whose = part.folder.display();
            found.found.push(format!("openings: {whose} was played from another openings.csv"));
        }
    }
    let mut players = Vec::new();
    for (part, made) in &measured {
        players.push(Named {
            key: format!("{}.network", part.section()),
            text: study.player(&part.config),
            rules: part.config.arms::<G>()?,
            whose: part.folder.display().to_string(),
            name: made.settings.network.clone(),
        });
    }
    for (folder, config) in study.all_matches::<G>()? {
        let Some(Played { players: [first, second], rules }) = results.played(&folder)? else {
            continue;
        };
        if let Some(rules) = rules {
            let section = match folder.file_name() {
                Some(name) => format!("matches.{}", name.to_string_lossy()),
                None => "strength".to_owned(),
            };
            let (made, now) = (canonical::<G>(&rules)?, canonical::<G>(&config.rules)?);
            found.compare((&section, "rules"), &folder.join(RESULT), &made, &now);
        }
        let own = study.network().to_string_lossy().into_owned();
        let sides =
            [("network.file", own, first), ("strength.opponent", study.opponent(&config), second)];
        players.extend(sides.map(|(key, text, name)| Named {
            key: key.to_owned(),
            text,
            rules: config.rules.clone(),
            whose: folder.join(RESULT).display().to_string(),
            name,
        }));
    }
    compare_players(&players, results, &mut found)?;
    compare_tables(&measured, &mut found);
    Ok(found.found)
}

/// Differences that were found, in words.
struct Differences<'a> {
    found: Vec<String>,
    states: &'a dyn Fn(&str, &str) -> bool,
}

impl Differences<'_> {
    /// Compares the value of a key, such as `measure` and `cap`, with that of a result.
    fn compare(
        &mut self,
        (section, key): (&str, &str),
        whose: &Path,
        made: &impl Serialize,
        now: &impl Serialize,
    ) {
        let value = |value: Result<Value, _>| value.unwrap_or_default();
        let made = value(serde_json::to_value(made));
        let now = value(serde_json::to_value(now));
        if made != now && (self.states)(section, key) {
            let whose = whose.display();
            let text =
                format!("{section}.{key} is {now} in study.toml, and {whose} was made with {made}");
            self.found.push(text);
        }
    }
}

/// Compares the settings of a measurement with those of the study.
fn compare_settings<G: CompleteGame>(
    study: &Study,
    part: &Measurement,
    made: &Measured,
    found: &mut Differences<'_>,
) -> anyhow::Result<()> {
    let (section, folder, config) = (&*part.section(), &part.folder, &part.config);
    let Measured { seed, settings } = made;
    found.compare(("study", "seed"), folder, seed, &study.study.seed);
    found.compare((section, "cap"), folder, &settings.cap, &config.cap);
    found.compare((section, "own_plies"), folder, &settings.own_plies, &config.own_plies);
    found.compare((section, "adjudicate"), folder, &settings.adjudicate, &config.adjudicate);
    found.compare((section, "stop"), folder, &settings.stop, &config.stop);
    let rules = canonical::<G>(&settings.rules)?;
    found.compare((section, "rules"), folder, &rules, &config.arms::<G>()?);
    let mut nodes = config.nodes.clone();
    nodes.sort_unstable();
    found.compare((section, "nodes"), folder, &settings.nodes, &nodes);
    let searches = [settings.search, config.search].map(serde_json::to_value);
    if let [Ok(Value::Object(made)), Ok(Value::Object(now))] = searches {
        for (name, value) in &made {
            let key = format!("search.{name}");
            found.compare((section, &key), folder, value, &now.get(name));
        }
    }
    Ok(())
}

/// Returns rule sets in canonical form, sorted, as the settings have them: an earlier version may have
/// written them otherwise.
fn canonical<G: CompleteGame>(rules: &[String]) -> anyhow::Result<Vec<String>> {
    let parse = |text: &String| G::Rules::parse(text).map(|rules| rules.to_string());
    let mut rules: Vec<String> =
        rules.iter().map(parse).collect::<Result<_, _>>().map_err(Failure::corrupt)?;
    rules.sort();
    Ok(rules)
}

/// A player of a result.
struct Named {
    /// The key of the study that names it.
    key: String,
    /// What the study says.
    text: String,
    /// The rule sets of its games.
    rules: Vec<String>,
    /// The result.
    whose: String,
    /// The name of the player in the result.
    name: String,
}

/// Compares the players of results: those that the study names by the same text must be the same,
/// and what that text names now, where it can be opened.
fn compare_players(
    players: &[Named],
    results: &impl Results,
    found: &mut Differences<'_>,
) -> anyhow::Result<()> {
    for (number, Named { key, text, rules, whose, name }) in players.iter().enumerate() {
        if let Some(now) = results.name_of(text, rules)? {
            if now != *name {
                found
                    .found
                    .push(format!("{key}: {text} is {now}, and {whose} was played by {name}"));
            }
        } else if let Some(Named { whose: other, name: by, .. }) =
            players[..number].iter().find(|named| named.text == *text)
            && by != name
        {
            found.found.push(format!("{key}: {other} was played by {by}, and {whose} by {name}"));
        }
    }
    Ok(())
}

/// Compares the endgame tables of measurements that probe the same folder under the same rule sets.
fn compare_tables(measured: &[(Measurement, Measured)], found: &mut Differences<'_>) {
    for (number, (part, made)) in measured.iter().enumerate() {
        let same = |(other, of): &&(Measurement, Measured)| {
            let tables = |config: &MeasureConfig| config.tables().map(Path::to_owned);
            tables(&other.config) == tables(&part.config)
                && of.settings.rules == made.settings.rules
        };
        if let Some((other, of)) = measured[..number].iter().find(same)
            && of.settings.tables != made.settings.tables
        {
            let [one, two] = [&other.folder, &part.folder].map(|folder| folder.display());
            found.found.push(format!(
                "{}.tables: {one} and {two} were played with different endgame tables",
                part.section()
            ));
        }
    }
}

/// Checks, before a step of a study, that the results of earlier steps were made with what the study
/// names now.
///
/// # Errors
/// Fails if they were made with something else, and names the keys (exit code 64), or if a result is
/// damaged (65).
pub fn check<G: CompleteGame>(study: &Study) -> anyhow::Result<()> {
    let folder = study.out();
    let files = Files::<G> { folder: &folder, game: std::marker::PhantomData };
    let found = differences::<G>(study, &files)?;
    if found.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: the study or a file that it names has changed since earlier steps: {}. Put back what \
         was changed, or do the study under another name",
        folder.display(),
        found.join("; ")
    ))
    .into())
}

/// The results in a folder in which steps are at work.
struct Files<'a, G> {
    folder: &'a Path,
    game: std::marker::PhantomData<G>,
}

impl<G: CompleteGame> Results for Files<'_, G> {
    fn measured(&self, folder: &Path) -> anyhow::Result<Option<Measured>> {
        let folder = self.folder.join(folder);
        if let Some(file) = json::<MeasureFile>(&folder.join("measure.json"))? {
            return Ok(Some((&file).into()));
        }
        if !folder.is_dir() {
            return Ok(None);
        }
        let status = Status::of(&folder)?;
        let Some(shard) = status.complete.values().next() else { return Ok(None) };
        let Some(header) = read_header(shard)? else { return Ok(None) };
        let wrong = |error| Failure::corrupt(format!("{}: {error}", shard.display()));
        let settings = serde_json::from_value(header.parameters).map_err(wrong)?;
        Ok(Some(Measured { seed: header.seed, settings }))
    }

    fn played(&self, folder: &Path) -> anyhow::Result<Option<Played>> {
        let folder = self.folder.join(folder);
        if let Some(report) = json::<MatchReport>(&folder.join(RESULT))? {
            return Ok(Some(report.into()));
        }
        if !folder.is_dir() {
            return Ok(None);
        }
        let players = recorded(&folder)?.map(|players| players.map(|player| player.network));
        Ok(players.map(|players| Played { players, rules: None }))
    }

    fn has_pool(&self, hash: &str) -> anyhow::Result<Option<bool>> {
        let path = self.folder.join("openings.csv");
        let pool = path.exists().then(|| Pool::open::<G>(&path)).transpose()?;
        Ok(pool.map(|pool| pool.begins_with(hash)))
    }

    fn states(&self, _: &str, _: &str) -> bool {
        true
    }

    fn name_of(&self, player: &str, rules: &[String]) -> anyhow::Result<Option<String>> {
        // A program says its name only when it is started.
        if player.starts_with(PROGRAM) {
            return Ok(None);
        }
        Ok(Some(Searcher::open::<G>(player, &rule_sets::<G>(rules)?)?.name()))
    }
}

/// Reads a JSON file, if it exists.
fn json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    let Some(bytes) = plain::read_if_there(path, plain::TABLE)? else { return Ok(None) };
    let parsed = serde_json::from_slice(&bytes);
    let again = "move it away, and the step makes it again from its shards";
    let wrong = |error| Failure::corrupt(format!("{}: {error}: {again}", path.display()));
    Ok(Some(parsed.map_err(wrong)?))
}
