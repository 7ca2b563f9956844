//! Commands of steps, with the paths of the programs and as texts for a shell.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_study::{Step, TRAINER};

use crate::commands::train;

/// Returns the command of a step with the paths of the programs.
pub(crate) fn words(step: &Step) -> anyhow::Result<Vec<String>> {
    let mut words = step.command.clone();
    let program = match words.first() {
        Some(name) if name == TRAINER => train::program()?,
        _ => this_program()?,
    };
    if let Some(first) = words.first_mut() {
        *first = path_text(&program)?;
    }
    Ok(words)
}

/// Returns the path of this program.
pub(super) fn this_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("finding this program")
}

/// Returns the folder in which the commands run.
pub(super) fn current_folder() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("finding the current folder")
}

pub(super) fn path_text(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().map(ToOwned::to_owned);
    text.with_context(|| format!("{}: the name is no text in UTF-8", path.display()))
}

/// Returns a command line for a shell.
pub(super) fn line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// Returns a word for a shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "'{}'", word.replace('\'', "'\\''"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn words_are_quoted_for_the_shell() {
        let words = ["runs/a b/study.toml", "--only", "it's", ""].map(ToOwned::to_owned);
        assert_eq!(line(&words), r"'runs/a b/study.toml' --only 'it'\''s' ''");
        let echoed = Command::new("bash")
            .args(["-c", &format!("printf '%s\\n' {}", line(&words))])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(echoed.stdout).unwrap().lines().collect::<Vec<_>>(), words);
    }
}
