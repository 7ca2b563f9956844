//! Check that the parts of a run were made from one study and one network.

use super::RunFolder;
use super::files::corrupt;
use crate::names::is_hash;
use anyhow::Context;
use fusion_registry::{KnownGame, for_game};
use fusion_runner::openings;
use fusion_runner::provenance::{self, Measured, Played, Results};
use fusion_study::{PRIMARY, Study, parse_toml};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Section of the other measurements, and their folder.
const EXTRA: &str = "extra";

/// Rejects a run whose parts were made with different networks or settings, against its study.
///
/// # Errors
/// Fails with exit code 65 and names the keys.
pub(super) fn check(dir: &Path, run: &RunFolder) -> anyhow::Result<()> {
    let Some(text) = &run.study else { return Ok(()) };
    let path = dir.join("study.toml");
    let study = Study::parse(text).map_err(|error| corrupt(&path, error))?;
    let stated: Value = parse_toml(text).map_err(|error| corrupt(&path, error))?;
    let parts = Parts { run, stated: &stated };
    let found = for_game!(KnownGame::of_rules(study.measure.first_rules()), G => {
        let mut found = provenance::differences::<G>(&study, &parts);
        if let (Ok(found), Some((rules, _))) = (&mut found, study.random_rules::<G>()?) {
            let played: BTreeSet<&String> = run.random.iter().map(|row| &row.rules).collect();
            if !played.is_empty() && played != rules.iter().collect() {
                found.push("random.rules: random/random.csv is of other rule sets".to_owned());
            }
        }
        found
    });
    let found = found.with_context(|| path.display().to_string())?;
    if found.is_empty() {
        return Ok(());
    }
    let advice = "put back the study that made them, or make the others again under another name";
    let what = format!("is not the study of all parts of the run: {}: {advice}", found.join("; "));
    Err(corrupt(&path, what))
}

/// The parts of a run that was read.
struct Parts<'a> {
    run: &'a RunFolder,
    /// The keys of the study's file.
    stated: &'a Value,
}

impl Results for Parts<'_> {
    fn measured(&self, folder: &Path) -> anyhow::Result<Option<Measured>> {
        let measured = match folder.strip_prefix(EXTRA) {
            Err(_) => &self.run.measured,
            Ok(name) => {
                let mut extras = self.run.extras.iter();
                match extras.find(|extra| Path::new(&extra.name) == name) {
                    Some(extra) => &extra.measured,
                    None => return Ok(None),
                }
            }
        };
        Ok(measured.as_ref().map(|measured| (&measured.file).into()))
    }

    fn played(&self, folder: &Path) -> anyhow::Result<Option<Played>> {
        let found = match folder.strip_prefix("matches") {
            Err(_) => self.run.strength.as_ref(),
            Ok(name) => {
                let mut matches = self.run.matches.iter();
                matches.find(|(of, _)| Path::new(of) == name).map(|(_, report)| report)
            }
        };
        Ok(found.map(|report| report.clone().into()))
    }

    fn has_pool(&self, hash: &str) -> anyhow::Result<Option<bool>> {
        // That of the main measurement is one of the protocol's conditions.
        let main = self.run.measure_file().map(|file| &*file.settings.pool);
        let pool = self.run.pool.as_ref().filter(|_| is_hash(hash) && main != Some(hash));
        Ok(pool.map(|pool| openings::begins_with(&pool.csv, hash)))
    }

    /// An extra measurement has the keys of the main one, and those that define the arms replace one
    /// another.
    fn states(&self, section: &str, key: &str) -> bool {
        let stated = &self.stated;
        let arms = ["rules", "factorial", "base", "ablate"];
        let keys = if key == "rules" { &arms[..] } else { &[key] };
        let within = |section: Option<&Value>| {
            let of = |key: &&str| section?.pointer(&format!("/{}", key.replace('.', "/")));
            keys.iter().any(|key| of(key).is_some())
        };
        match section.strip_prefix("extra.") {
            Some(name) => {
                let extra = stated.get(EXTRA).and_then(|all| all.get(name));
                within(extra) || within(stated.get(PRIMARY))
            }
            None => within(stated.pointer(&format!("/{}", section.replace('.', "/")))),
        }
    }

    fn name_of(&self, _: &str, _: &[String]) -> anyhow::Result<Option<String>> {
        Ok(None)
    }
}
