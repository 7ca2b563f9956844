//! What was submitted for a study, in its folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fusion_jobs::atomic;
use fusion_jobs::exit::Failure;
use fusion_jobs::plain;
use serde::{Deserialize, Serialize};

/// Largest number of submissions of a step in a row that save nothing.
pub(super) const MOST_STALLED: u32 = 5;

/// A step's newest submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    /// The scheduler's number.
    pub(super) id: String,
    /// The number of the job that follows it.
    pub(super) join: Option<String>,
    /// Number of tasks that were missing when it was submitted.
    pub(super) missing: usize,
    /// Bytes that these tasks had saved then.
    pub(super) saved: u64,
    /// Number of submissions in a row, before this one, that saved nothing.
    pub(super) stalled: u32,
}

/// The newest submissions of a study's steps, by name, and their folder.
#[derive(Debug)]
pub(super) struct Jobs {
    folder: PathBuf,
    pub(super) of_steps: BTreeMap<String, Job>,
}

impl Jobs {
    /// Reads the submissions. There are none if the folder has no such file.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("jobs.json");
        let of_steps = match plain::read_if_there(&path, plain::SMALL)? {
            None => BTreeMap::new(),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                Failure::corrupt(format!("{}: {error}: remove it", path.display()))
            })?,
        };
        Ok(Self { folder: folder.to_owned(), of_steps })
    }

    /// Writes the submissions.
    pub(super) fn write(&self) -> anyhow::Result<()> {
        let text = serde_json::to_vec_pretty(&self.of_steps)?;
        atomic::write_bytes(&self.folder.join("jobs.json"), &text)
    }

    /// Returns the file in which a task notes an exit code that repeating does not mend.
    pub(super) fn failure(&self, step: &str) -> PathBuf {
        self.folder.join(format!("{}.failed", file_name(step)))
    }
}

/// Returns a step's name as the name of a file.
pub(super) fn file_name(step: &str) -> String {
    step.replace('/', "__")
}
