//! Games of a person's own file.

use super::Reply;
use super::request::reject;
use fusion_fairy::ini::{File, Problem};
use fusion_fairy::rules::{BUILTIN, FairyRules, know_file, learn_definition, sentences};
use serde_json::{Value, json};

/// Most sections of a file.
const MOST_SECTIONS: usize = 500;
/// Most files and definitions of a session.
const MOST_TEXTS: usize = 1_000;

/// The files that a session was given.
#[derive(Default)]
pub(super) struct Files {
    given: usize,
}

impl Files {
    /// Reads a file and makes it known by its name. Replies with its games, whose names are those of rule
    /// sets, and with the problems of sections that cannot be played.
    pub(super) fn read(&mut self, name: &str, text: &str) -> Reply {
        self.count()?;
        let name = plain_name(name);
        let file = File::parse(&name, text).map_err(|found| reject("file", found.to_string()))?;
        let sections: Vec<&str> = file.sections().collect();
        if sections.len() > MOST_SECTIONS {
            let message = format!("{name}: a file has at most {MOST_SECTIONS} sections here");
            return Err(reject("file", message));
        }
        let mut games = Vec::new();
        let mut problems: Vec<Problem> = Vec::new();
        for section in sections {
            match file.resolve(section, &[]) {
                Ok(resolved) => games.push(json!({
                    "name": format!("{name}#{section}"),
                    "about": section,
                    "remarks": resolved.remarks,
                })),
                Err(found) => {
                    for problem in found.0 {
                        // Sections share the problems of their parents.
                        if !problems.contains(&problem) {
                            problems.push(problem);
                        }
                    }
                }
            }
        }
        know_file(&name, text);
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Ok(json!({ "name": name, "games": games, "problems": problems }))
    }

    /// Makes the definition of a rule set known, whose name has its hash.
    pub(super) fn know(&mut self, name: &str, text: &str) -> Reply {
        self.count()?;
        learn_definition(name, text).map_err(|message| reject("file", message))?;
        Ok(Value::Null)
    }

    fn count(&mut self) -> Result<(), super::Rejection> {
        self.given += 1;
        if self.given > MOST_TEXTS {
            return Err(reject("file", format!("a page reads at most {MOST_TEXTS} files")));
        }
        Ok(())
    }
}

/// Returns a name without the characters that have a meaning in the text of a rule set.
fn plain_name(name: &str) -> String {
    let is_plain = |c: char| !c.is_control() && !",#@=&".contains(c);
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    match plain.trim() {
        "" => "file.ini".into(),
        BUILTIN => format!("{BUILTIN}.ini"),
        plain => plain.into(),
    }
}

/// Returns the rules of a file's game in sentences; none of other games.
pub(super) fn sentences_of(rules: &str) -> Vec<String> {
    let rules = rules.contains('#').then(|| FairyRules::read(rules).ok()).flatten();
    rules.map(|rules| sentences(rules.tables())).unwrap_or_default()
}
