//! The names of `UCI_Variant`, and the files that `VariantPath` names.
//!
//! A name is a section of such a file, else a preset of the chess games, else a built-in game of files: those of
//! Fairy-Stockfish under their own names, and the family of Fusion Chess.

use fusion_chess::rules::PRESETS;
use fusion_fairy::definition::Definition;
use fusion_fairy::ini::{self, File};
use fusion_fairy::rules::{BUILTIN, FairyRules, know_file};
use fusion_game::{Game, RuleSet as _, nearest};
use fusion_jobs::plain;
use fusion_registry::{KnownGame, for_game};
use std::path::Path;
use std::sync::LazyLock;

/// The name of orthodox chess in other programs.
pub(super) const CHESS: &str = "chess";

/// What separates the files of `VariantPath`.
const SEPARATOR: char = ':';

/// The most problems of files that are reported.
const MOST_PROBLEMS: usize = 50;

/// The built-in games of files whose rules are supported.
static BUILTINS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    ini::builtins().filter(|name| *name != CHESS && ini::builtin(name, &[]).is_ok()).collect()
});

/// A rule set with the game that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) game: KnownGame,
    /// The canonical text.
    pub(super) text: String,
}

impl Rules {
    /// Parses a rule set of the chess games or of a file.
    ///
    /// # Errors
    /// Returns the reason why there is no such rule set, or why the protocol does not play it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let game = KnownGame::of_rules(text);
        if !matches!(game, KnownGame::Chess | KnownGame::Fairy) {
            return Err(format!(
                "'{text}' is no game of chess, which is all that UCI has moves for"
            ));
        }
        let rules = for_game!(game, G => <G as Game>::Rules::parse(text).map(|it| it.to_string()))?;
        Ok(Self { game, text: rules })
    }
}

/// The games of the files of `VariantPath`.
#[derive(Debug, Default)]
pub(super) struct Variants {
    /// Name and rule set of each section without problems.
    sections: Vec<(String, String)>,
}

impl Variants {
    /// Reads the files of a path. Also returns remarks: the sections, and the problems of others.
    ///
    /// # Errors
    /// Returns the reason why a file cannot be read, or why none of its sections can be found.
    pub(super) fn read(path: &str) -> Result<(Self, Vec<String>), String> {
        let (mut variants, mut problems) = (Self::default(), Vec::new());
        let is_one = Path::new(path).exists() || !path.contains(SEPARATOR);
        let names: Vec<&str> = if is_one { vec![path] } else { path.split(SEPARATOR).collect() };
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            variants.add(name, &mut problems)?;
        }
        let mut remarks = Vec::new();
        if !variants.sections.is_empty() {
            let names: Vec<&str> = variants.sections.iter().map(|(name, _)| &**name).collect();
            remarks.push(format!("variants of {path}: {}", names.join(", ")));
        }
        let more = problems.len().saturating_sub(MOST_PROBLEMS);
        remarks.extend(problems.into_iter().take(MOST_PROBLEMS));
        if more > 0 {
            remarks.push(format!("error: {more} more problems; `fusion new` lists all"));
        }
        Ok((variants, remarks))
    }

    fn add(&mut self, name: &str, problems: &mut Vec<String>) -> Result<(), String> {
        let text = plain::text(Path::new(name), plain::TABLE);
        let text = text.map_err(|error| format!("{error:#}"))?;
        // These characters have a meaning in the text of a rule set.
        let known = name.replace([',', '#'], "_");
        let file = File::parse(&known, &text).map_err(|problems| problems.to_string())?;
        know_file(&known, &text);
        for section in file.sections() {
            match file.resolve(section, &[]) {
                Ok(_) => {
                    self.sections.retain(|(other, _)| other != section);
                    self.sections.push((section.into(), format!("{known}#{section}")));
                }
                Err(found) => {
                    for problem in found.0.iter().map(|problem| format!("error: {problem}")) {
                        // Sections share the problems of their parents.
                        if !problems.contains(&problem) {
                            problems.push(problem);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns all names, each once, `chess` first.
    pub(super) fn names(&self) -> Vec<&str> {
        let sections = self.sections.iter().map(|(name, _)| &**name);
        let presets = PRESETS.iter().map(|(name, _)| *name);
        let mut names = vec![CHESS];
        for name in sections.chain(presets).chain(BUILTINS.iter().copied()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the rule set of a name.
    ///
    /// # Errors
    /// Returns the problems of a game that cannot be played, or the nearest name.
    pub(super) fn rules(&self, name: &str) -> Result<Rules, String> {
        if let Some((_, rules)) = self.sections.iter().find(|(known, _)| known == name) {
            return Rules::parse(rules);
        }
        match name {
            CHESS => Rules::parse("orthodox"),
            _ if PRESETS.iter().any(|(known, _)| *known == name) => Rules::parse(name),
            _ if ini::builtins().any(|known| known == name) => {
                Rules::parse(&format!("{BUILTIN}#{name}"))
            }
            _ => {
                let near = nearest(name, self.names());
                let near = near.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
                Err(format!(
                    "'{name}' is neither a variant nor a section of VariantPath's file{near}"
                ))
            }
        }
    }
}

/// Returns what Fairy-Stockfish tells other programs about a variant that they may not know: the size of
/// its board, the kinds of pieces in hand, the family of its figures, and the start position.
pub(super) fn setup(name: &str, rules: &str) -> Option<String> {
    let rules = FairyRules::read(rules).ok()?;
    let Definition { files, ranks, pieces, drops, start, .. } = rules.definition();
    let pocket = if drops.allowed { pieces.len() } else { 0 };
    let is_shogi = drops.captures && pieces.iter().any(|piece| piece.promotes_to.is_some());
    let template = if is_shogi { "shogi" } else { "fairy" };
    Some(format!(
        "variant {name} files {files} ranks {ranks} pocket {pocket} template {template} startpos {start}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a, b#c.ini");
        std::fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap().to_owned();
        (folder, path)
    }

    #[test]
    fn sections_come_before_games_of_the_same_name() {
        let (_folder, path) = written(
            "[mine:chess]\nstalemateValue = loss\n[atomic:mine]\n[bad:chess]\nking = k:Q(\n",
        );
        let (variants, remarks) = Variants::read(&path).unwrap();
        assert_eq!(variants.names()[..4], ["chess", "mine", "atomic", "fusion-2020"]);
        assert_eq!(variants.names().iter().filter(|name| **name == "atomic").count(), 1);
        assert_eq!(remarks[0], format!("variants of {path}: mine, atomic"));
        assert!(
            remarks[1].starts_with("error: ") && remarks[1].contains("[bad] king"),
            "{remarks:?}"
        );
        for (name, start) in [
            ("mine", "#mine@"),
            ("atomic", "#atomic@"),
            ("crazyhouse", "variants#crazyhouse"),
            ("chess", "orthodox"),
            ("fusion-1999", "fusion-1999"),
        ] {
            let rules = variants.rules(name).unwrap();
            assert!(rules.text.contains(start), "{rules:?}");
            assert_eq!(rules.game == KnownGame::Fairy, rules.text.contains('#'));
        }
        let error = variants.rules("crazyhuose").unwrap_err();
        assert!(error.ends_with("did you mean crazyhouse?"), "{error}");
        assert!(variants.rules("duck").unwrap_err().contains("not supported"));
    }

    #[test]
    fn a_missing_file_is_an_error_and_two_files_are_read() {
        assert!(Variants::read("/no/such").unwrap_err().contains("/no/such"));
        let folder = tempfile::tempdir().unwrap();
        let paths = ["one.ini", "two.ini"].map(|name| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("[{}:chess]\n", &name[..3])).unwrap();
            path.to_str().unwrap().to_owned()
        });
        let (variants, _) = Variants::read(&paths.join(":")).unwrap();
        assert_eq!(variants.names()[1..3], ["one", "two"]);
    }

    /// Fairy-Stockfish 11.1 prints these lines.
    #[test]
    fn other_programs_learn_the_board() {
        for line in [
            "variant 5check files 8 ranks 8 pocket 0 template fairy startpos \
             rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 5+5 0 1",
            "variant capahouse files 10 ranks 8 pocket 8 template fairy startpos \
             rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR[] w KQkq - 0 1",
            "variant micro files 4 ranks 5 pocket 10 template shogi startpos \
             kb+r+l/p3/4/3P/+L+RBK[-] w 0 1",
        ] {
            let name = line.split(' ').nth(1).unwrap();
            assert_eq!(setup(name, &format!("variants#{name}")).as_deref(), Some(line));
        }
    }
}
