//! Reader of `measure.json`.

use super::files::{corrupt, json};
use fusion_game::{Game, RuleSet};
use fusion_registry::{KnownGame, for_game};
use fusion_runner::measure::MeasureFile;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Largest length of a key in bytes. Nested keys are joined, and a few could fill all memory.
const LONGEST: usize = 256;

/// The description of a measurement: `measure.json`.
#[derive(Debug)]
pub struct Measured {
    /// What the program wrote.
    pub file: MeasureFile,
    /// All entries of the file as flattened keys, such as `search.c_puct`, with their values. They
    /// include those that only another version of the program knows.
    pub entries: Vec<(String, String)>,
}

impl Measured {
    /// Reads the file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is damaged (exit code 65).
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let value: Value = json(path)?;
        let mut entries = Vec::new();
        flatten(String::new(), &value, &mut entries).map_err(|message| corrupt(path, message))?;
        let file = MeasureFile::deserialize(value).map_err(|error| corrupt(path, error))?;
        for (name, text) in &file.definitions {
            for_game!(KnownGame::of_rules(name), G => <G as Game>::Rules::know_definition(name, text));
        }
        Ok(Self { file, entries })
    }
}

/// Flattens objects to dotted keys, and lists of plain values to one line each.
fn flatten(key: String, value: &Value, flat: &mut Vec<(String, String)>) -> Result<(), String> {
    if key.len() > LONGEST {
        return Err(format!("a key of more than {LONGEST} bytes"));
    }
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                flatten(key, value, flat)?;
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (i, item) in items.iter().enumerate() {
                flatten(format!("{key}[{i}]"), item, flat)?;
            }
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            flat.push((key, items.join("; ")));
        }
        _ => flat.push((key, plain(value))),
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_flattened() {
        let value = serde_json::json!({
            "seed": 7, "search": {"c_puct": 1.5}, "nodes": [16, 64], "arms": [{"rules": "a"}], "cap": null
        });
        let mut flat = Vec::new();
        flatten(String::new(), &value, &mut flat).unwrap();
        let has = |key: &str, value: &str| flat.contains(&(key.into(), value.into()));
        assert!(has("seed", "7") && has("search.c_puct", "1.5") && has("nodes", "16; 64"));
        assert!(has("arms[0].rules", "a") && has("cap", "null"), "{flat:?}");
        let long = serde_json::json!({ "x".repeat(LONGEST): {"a": 1} });
        assert!(flatten(String::new(), &long, &mut flat).is_err());
    }
}
