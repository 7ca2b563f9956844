//! Run folders: each has its full configuration, and another configuration is rejected.

use std::path::Path;

use anyhow::Context;
use fusion_jobs::atomic::{self, write_bytes};
use fusion_jobs::exit::Failure;
use fusion_jobs::lock::FolderLock;
use fusion_jobs::plain;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Writes a value as indented JSON, atomically.
///
/// # Errors
/// Failures of the file system.
pub fn write_json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write_bytes(path, text.as_bytes())
}

/// Advice for a damaged file that the same command makes again.
pub const REMOVE: &str = "remove it and run `fusion-train` again to have it made again";
/// Advice for damaged settings, without which the origin of the other files is unknown.
pub const RESTORE: &str = "restore it, or choose another folder";

/// Reads a JSON file; `None` if it does not exist.
///
/// # Errors
/// The file cannot be read (exit code 1) or parsed (65, with the advice).
pub fn read_json<T: DeserializeOwned>(path: &Path, advice: &str) -> anyhow::Result<Option<T>> {
    let Some(text) = plain::read_if_there(path, plain::TABLE)? else { return Ok(None) };
    let parsed = serde_json::from_slice(&text);
    let damaged =
        |error| Failure::corrupt(format!("{} is damaged ({error}): {advice}", path.display()));
    Ok(Some(parsed.map_err(damaged)?))
}

/// Converts a value to JSON, with numbers as short as in a file.
///
/// # Errors
/// JSON cannot represent the value.
pub fn to_json(value: &impl Serialize) -> anyhow::Result<Value> {
    // Through text: direct conversion would widen 32-bit floats with meaningless digits.
    Ok(serde_json::from_str(&serde_json::to_string(value)?)?)
}

/// Returns this program's name and version, for configurations.
#[must_use]
pub fn program() -> String {
    format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
}

/// A run's folder. This process is its only user until the value is dropped.
#[derive(Debug)]
pub struct Folder {
    _lock: FolderLock,
}

impl Folder {
    /// Claims a folder for a run. It creates the folder and writes the configuration to `file`, or
    /// checks that the configuration equals the one in `file`. Settings named in `free`, such as
    /// `train.gate`, may change. Temporary files of a killed process are removed.
    ///
    /// # Errors
    /// The folder has another configuration (exit code 64; the message names the first key that
    /// differs), another process uses the folder, or the file system fails.
    pub fn claim(
        folder: &Path,
        file: &str,
        settings: &Value,
        free: &[&str],
    ) -> anyhow::Result<Self> {
        let lock = FolderLock::exclusive(folder)?;
        let path = folder.join(file);
        let noted = read_json::<Value>(&path, RESTORE)?;
        if let Some(difference) = noted.as_ref().and_then(|noted| difference(noted, settings, free))
        {
            return Err(Failure::usage(format!(
                "{} holds a run with other settings: {difference}. \
                 Use those settings to continue it, or choose another folder.",
                folder.display()
            ))
            .into());
        }
        let removed = atomic::remove_all_temporary(folder);
        removed.with_context(|| format!("tidying {}", folder.display()))?;
        if noted.as_ref() != Some(settings) {
            write_json(&path, settings)?;
        }
        Ok(Self { _lock: lock })
    }
}

/// Returns the first setting outside of `free` in which two configurations differ, as a message;
/// `None` if they agree.
#[must_use]
pub fn difference(old: &Value, new: &Value, free: &[&str]) -> Option<String> {
    difference_at("", old, new, free)
}

fn difference_at(path: &str, old: &Value, new: &Value, free: &[&str]) -> Option<String> {
    if free.contains(&path) {
        return None;
    }
    let (Value::Object(olds), Value::Object(news)) = (old, new) else {
        return (old != new).then(|| format!("`{path}` was {old}, now it is {new}"));
    };
    let added = news.keys().filter(|&key| !olds.contains_key(key));
    olds.keys().chain(added).find_map(|key| {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let value =
            |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
        difference_at(&path, &value(olds), &value(news), free)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_folder_is_continued_with_its_own_settings_only() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a/b");
        let settings = json!({"seed": 1, "train": {"batch": 512, "epochs": 2.0}});
        let held = Folder::claim(&folder, "run.json", &settings, &[]).unwrap();
        let error = Folder::claim(&folder, "run.json", &settings, &[]).unwrap_err();
        assert!(error.to_string().contains("another process"), "{error}");
        drop(held);
        Folder::claim(&folder, "run.json", &settings, &[]).unwrap();
        let other = json!({"seed": 1, "train": {"batch": 256, "epochs": 2.0}});
        let error = Folder::claim(&folder, "run.json", &other, &[]).unwrap_err();
        assert!(error.to_string().contains("`train.batch` was 512, now it is 256"), "{error}");
        std::fs::write(folder.join("net.tmp.host-0a1b2c3d-4026531836.1"), "half").unwrap();
        Folder::claim(&folder, "run.json", &other, &["train.batch"]).unwrap();
        assert!(!folder.join("net.tmp.host-0a1b2c3d-4026531836.1").exists());
        assert_eq!(read_json::<Value>(&folder.join("run.json"), RESTORE).unwrap(), Some(other));
        Folder::claim(&folder, "run.json", &settings, &["train"]).unwrap();
        let more = json!({"seed": 1, "train": {"batch": 512, "epochs": 2.0, "clip": 1}});
        let error = Folder::claim(&folder, "run.json", &more, &[]).unwrap_err();
        assert!(error.to_string().contains("`train.clip` was null, now it is 1"), "{error}");
    }
}
