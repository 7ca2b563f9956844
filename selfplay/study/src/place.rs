//! Where the relative paths of a study file lead.
//!
//! They are relative to the file's folder. What the study reads (networks, tables, start positions,
//! programs) and is not there is that of the checkout, so that `data/nets/family.fnet` is the shipped
//! network everywhere; a program without a checkout has copies of the shipped files. The results are below the current folder, in `runs`, unless the study names a folder.

use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use fusion_game::files;
use fusion_jobs::checksums;
use serde_json::Value;

use super::command::{quoted, split_program};
use super::files::{NO_FILE, PROGRAM};
use super::{Searcher, Study};

/// A file that every checkout has.
const MARK: &str = "scripts/study";
/// Folder of the results of studies that name none.
const RUNS: &str = "runs";
/// Name of the study's file in the folder of its results.
pub const STUDY_FILE: &str = "study.toml";

/// The folders that paths are looked for in. Without a file, they are relative to the current folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The study file.
    file: PathBuf,
    /// The current folder.
    here: PathBuf,
    /// Folder of relative paths.
    base: PathBuf,
    /// The checkout, if there is one.
    checkout: Option<PathBuf>,
}

impl Place {
    /// Returns the place of a study file with this key `relative_to`. The checkout is the one that holds the
    /// folder of relative paths, else the current folder, else the program.
    ///
    /// # Errors
    /// Fails if the current folder no longer exists.
    pub(super) fn of(file: &Path, relative_to: Option<&Path>) -> anyhow::Result<Self> {
        let here = std::env::current_dir().context("finding the current folder")?;
        let file = std::path::absolute(file).context("finding the study file")?;
        // Without links, `..` has one meaning. Windows’ own form of such a path has a `?`.
        let real = |path: PathBuf| dunce::canonicalize(&path).unwrap_or(path);
        let folder = real(file.parent().unwrap_or(&file).to_owned());
        let file = folder.join(file.file_name().unwrap_or_default());
        let base = real(folder.join(relative_to.unwrap_or(Path::new(""))));
        let places = [Some(base.clone()), Some(here.clone()), std::env::current_exe().ok()];
        let checkout = places.into_iter().flatten().find_map(|place| checkout(&place));
        Ok(Self { file, here, base, checkout })
    }

    /// Finds the files with start positions that rule sets name.
    pub(super) fn look_in(&self) {
        for folder in [Some(&self.base), self.checkout.as_ref()].into_iter().flatten() {
            files::look_in(folder);
        }
    }

    /// Returns the path of something that the study reads.
    fn input(&self, path: &Path) -> PathBuf {
        let beside = self.base.join(path);
        let shipped = self.checkout.as_ref().map(|root| root.join(path));
        let shipped = shipped.filter(|shipped| !beside.exists() && shipped.exists());
        if shipped.is_none() && !beside.exists() && files::is_held(path) {
            return path.to_owned();
        }
        self.short(&shipped.unwrap_or(beside))
    }

    /// Returns the path of something that the study writes.
    fn output(&self, path: &Path) -> PathBuf {
        let mut full = self.base.clone();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(full.pop()),
                Component::CurDir => {}
                part => full.push(part),
            }
        }
        self.short(&full)
    }

    /// Returns a path relative to the current folder if it is in there.
    fn short(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.here) {
            Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
            Ok(inside) => inside.to_owned(),
            Err(_) => path.to_owned(),
        }
    }

    /// Returns the folder of the file if it is that of the study's results.
    fn run(&self, name: &str) -> Option<PathBuf> {
        let own = Path::new(RUNS).join(name).join(STUDY_FILE);
        self.file.parent().filter(|_| self.file.ends_with(own)).map(|folder| self.short(folder))
    }
}

/// Returns the checkout that contains a path.
fn checkout(place: &Path) -> Option<PathBuf> {
    place.ancestors().find(|folder| folder.join(MARK).is_file()).map(Path::to_owned)
}

/// Returns the path of a shipped file, such as a study, if there is none at the path itself.
#[must_use]
pub fn or_shipped(path: &Path) -> PathBuf {
    let shipped = Place::of(path, None).ok().and_then(|place| place.checkout);
    let shipped = shipped.map(|root| root.join(path)).filter(|file| file.exists());
    shipped.filter(|_| !path.exists()).unwrap_or_else(|| path.to_owned())
}

/// Returns a text as the name of a folder. Long texts are cut and get a hash.
///
/// ```
/// assert_eq!(fusion_study::file_name("orthodox,castling=no"), "orthodox-castling-no");
/// ```
#[must_use]
pub fn file_name(text: &str) -> String {
    const LONGEST: usize = 80;
    let name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if name.len() <= LONGEST {
        return name;
    }
    format!("{}-{}", &name[..LONGEST], &checksums::of(text.as_bytes())[..8])
}

/// Splits the text of a player into what stands before its file or program, that without quotes, and
/// the rest. `None` if it names no file. A program without a slash is none, because it is looked for in
/// the folders of PATH.
fn split_player(text: &str) -> Option<(&str, String, &str)> {
    if let Some(command) = text.strip_prefix(PROGRAM) {
        let (program, rest) = split_program(command)?;
        return program.contains('/').then_some((PROGRAM, program, rest));
    }
    let rest = text.strip_prefix(Searcher::PVS).unwrap_or(text);
    let (file, settings) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
    let is_file = !file.is_empty() && NO_FILE.iter().all(|prefix| !rest.starts_with(prefix));
    is_file.then(|| (&text[..text.len() - rest.len()], file.to_owned(), settings))
}

impl Study {
    /// Returns the folder of the study's results. A relative one is relative to the current folder.
    #[must_use]
    pub fn out(&self) -> PathBuf {
        match &self.study.out {
            Some(out) => self.place.output(out),
            None => {
                let own = self.place.run(&self.study.name);
                own.unwrap_or_else(|| Path::new(RUNS).join(&self.study.name))
            }
        }
    }

    /// Returns the text of a player with the path of its file or program.
    #[must_use]
    pub fn located(&self, player: &str) -> String {
        let Some((before, file, after)) = split_player(player) else { return player.to_owned() };
        if fusion_network::model::Model::BUILT_IN.contains(&&*file) {
            return player.to_owned();
        }
        let path = self.place.input(Path::new(&file));
        let path = path.to_string_lossy();
        if before != PROGRAM {
            return format!("{before}{path}{after}");
        }
        // Without a slash it would be looked for in the folders of PATH.
        let here = if path.contains('/') { "" } else { "./" };
        format!("{before}{}{after}", quoted(&format!("{here}{path}")))
    }

    /// Returns the player of generation 0.
    #[must_use]
    pub fn start(&self) -> String {
        self.located(&self.train.start)
    }

    /// Returns the file with the first weights of training.
    #[must_use]
    pub fn init(&self) -> Option<PathBuf> {
        self.train.init.as_deref().map(|path| self.place.input(path))
    }

    /// Returns the folder of endgame tables that a measurement names. That of the study's own tables need
    /// not exist.
    pub(super) fn tables(&self, folder: &Path) -> PathBuf {
        let own = self.out().join("endgames");
        let found = self.place.input(folder);
        let is_own = folder.is_relative() && !found.exists() && own.ends_with(folder);
        if is_own { own } else { found }
    }

    /// Returns the text of a study for the file in its results' folder. Where a relative path would lead
    /// elsewhere from there, the text gets the key `relative_to`.
    ///
    /// # Errors
    /// Fails if the current folder no longer exists, or if the study cannot be written as TOML.
    pub fn text_at(&self, text: String, file: &Path) -> anyhow::Result<String> {
        let there = Place::of(file, None)?;
        if self.study.relative_to.is_none() && !self.leads_elsewhere(&there)? {
            return Ok(text);
        }
        let folder = there.file.parent().unwrap_or(&there.file);
        let base = match folder.strip_prefix(&self.place.base) {
            Ok(below) => below.components().map(|_| "..").collect(),
            Err(_) => self.place.base.clone(),
        };
        const HEADER: &str = "[study]\n";
        let key = toml::Value::String(base.to_string_lossy().into_owned());
        let at = match text.find(HEADER) {
            Some(at)
                if self.study.relative_to.is_none() && (at == 0 || text[..at].ends_with('\n')) =>
            {
                at
            }
            _ => {
                let mut study = self.clone();
                study.study.relative_to = Some(base);
                return Ok(toml::to_string(&study)?);
            }
        };
        let (before, after) = text.split_at(at + HEADER.len());
        Ok(format!("{before}relative_to = {key}\n{after}"))
    }

    /// Returns a study's text without its key `out`, a folder of one machine. A text that is no study stays as
    /// it is.
    ///
    /// # Errors
    /// Fails if the study cannot be written as TOML.
    pub fn text_without_out(text: String) -> anyhow::Result<String> {
        let Ok(mut study) = Self::parse(&text) else { return Ok(text) };
        if study.study.out.take().is_none() {
            return Ok(text);
        }
        let written = toml::to_string(&study)?;
        // Comments stay where the key has a line of its own.
        let is_other = |line: &&str| !line.starts_with("out ") && !line.starts_with("out=");
        let shorter: String = text.split_inclusive('\n').filter(is_other).collect();
        let is_same = Self::parse(&shorter)
            .is_ok_and(|study| toml::to_string(&study).is_ok_and(|shorter| shorter == written));
        Ok(if is_same { shorter } else { written })
    }

    /// Returns whether a relative path of the study leads elsewhere from another place. Files need not
    /// exist: those that the study makes later must not change the answer.
    fn leads_elsewhere(&self, there: &Place) -> anyhow::Result<bool> {
        let mut starts = Vec::new();
        collect_starts(&serde_json::to_value(self)?, &mut starts);
        let paths = |study: &Self| {
            let tables: Vec<_> =
                study.measurements().into_iter().map(|part| part.config.tables).collect();
            let starts: Vec<_> = starts.iter().map(|path| study.place.input(path)).collect();
            let out = study.study.out.as_ref().map(|out| study.place.output(out));
            (study.players(), study.init(), tables, starts, out)
        };
        let moved = Self { place: there.clone(), ..self.clone() };
        Ok(paths(self) != paths(&moved))
    }
}

/// Collects the files with start positions that rule sets name, `start=FILE`. Only a file has an extension:
/// positions and names of positions contain no dot.
fn collect_starts(value: &Value, paths: &mut Vec<PathBuf>) {
    let mut add = |text: &str| {
        let starts = text.split("start=").skip(1);
        let names = starts.map(|part| part.split([',', ':']).next().unwrap_or(part));
        paths.extend(names.map(PathBuf::from).filter(|path| path.extension().is_some()));
    };
    match value {
        Value::String(text) => add(text),
        Value::Array(values) => values.iter().for_each(|value| collect_starts(value, paths)),
        Value::Object(values) => {
            values.keys().for_each(|key| add(key));
            values.values().for_each(|value| collect_starts(value, paths));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_split_at_their_file() {
        for (text, parts) in [
            ("my.fnet", Some(("", "my.fnet", ""))),
            ("pvs:a/my.fnet?lcb=0", Some(("pvs:", "a/my.fnet", "?lcb=0"))),
            ("my net.fnet?lcb=0", Some(("", "my net.fnet", "?lcb=0"))),
            ("uci:./engine -x?nodes=2", Some(("uci:", "./engine", " -x?nodes=2"))),
            ("uci:'./my engine' -x", Some(("uci:", "./my engine", " -x"))),
            ("uci:./my\\ engine?nodes=2", Some(("uci:", "./my engine", "?nodes=2"))),
            ("uci:./my\" eng\"ine", Some(("uci:", "./my engine", ""))),
            ("uci:'./what?'?nodes=2", Some(("uci:", "./what?", "?nodes=2"))),
            ("uci:./'open", None),
            ("uci:stockfish -x", None),
            ("alphabeta:3", None),
        ] {
            let found = split_player(text);
            let found = found.as_ref().map(|(before, file, rest)| (*before, &**file, *rest));
            assert_eq!(found, parts, "{text}");
        }
    }

    #[test]
    fn the_folder_of_results_is_left_out_of_a_text() {
        let without = |text: &str| Study::text_without_out(text.to_owned()).unwrap();
        let text =
            "# mine\n[study]\nname = 'x'\nout = '/home/me/x' # here\n\n[openings]\ncount = 7\n";
        assert_eq!(without(text), text.replace("out = '/home/me/x' # here\n", ""));
        for same in ["[study]\nname = 'x' # out = 'y'\n", "no study", "out = 'z'\n"] {
            assert_eq!(without(same), same);
        }
        let inline = "study = { name = 'x', out = 'y', seed = 3 }\n";
        let found = Study::parse(&without(inline)).unwrap();
        assert_eq!((found.study.out, found.study.seed), (None, 3));
    }

    /// A program below a folder whose name has a blank is one word of the command.
    #[test]
    fn located_programs_are_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my studies/x.toml");
        write(&folder.path().join("my studies/engine"), "");
        for program in ["./engine", "'./engine'"] {
            let opponent =
                format!("study.name = 'x'\nstrength.opponent = \"uci:{program} -x?nodes=3\"");
            write(&file, &opponent);
            let study = Study::read(&file).unwrap();
            let located = study.opponent(&study.strength);
            let command = located.strip_prefix(PROGRAM).unwrap();
            let (command, settings) = super::super::command::split_settings(command);
            let words = super::super::command::words(command).unwrap();
            let engine = folder.path().canonicalize().unwrap().join("my studies/./engine");
            assert_eq!(
                (&*words[0], &*words[1], settings),
                (engine.to_str().unwrap(), "-x", "nodes=3")
            );
        }
    }

    /// Writes a file with its folders.
    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn relative_paths_are_beside_the_file_then_in_its_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("checkout");
        for name in [MARK, "data/nets/a.fnet", "data/nets/b.fnet", "mine/data/nets/b.fnet"] {
            write(&root.join(name), "");
        }
        let file = root.join("mine/x.toml");
        write(
            &file,
            "[study]\nname = 'x'\nout = 'results'\n[train]\nstart = 'data/nets/b.fnet'\n\
             [measure]\ntables = 'results/endgames'\n[extra.a]\ntables = 'tables'\n\
             [network]\nfile = 'pvs:data/nets/a.fnet?table_mib=8'\n\
             [strength]\nopponent = 'uci:./engine a/b?nodes=3'\n\
             [matches.a]\nopponent = 'uci:stockfish'\n[matches.b]\nopponent = 'material'\n",
        );
        let study = Study::read(&file).unwrap();
        let at = |name: &str| root.join(name).display().to_string();
        assert_eq!(study.out(), root.join("mine/results"));
        assert_eq!(study.start(), at("mine/data/nets/b.fnet"));
        let network = format!("pvs:{}?table_mib=8", at("data/nets/a.fnet"));
        assert_eq!(study.network().to_str(), Some(&*network));
        let engine = format!("uci:{} a/b?nodes=3", at("mine/./engine"));
        assert_eq!(study.opponent(&study.strength), engine);
        assert_eq!(study.opponent(&study.matches["a"]), "uci:stockfish");
        assert_eq!(study.opponent(&study.matches["b"]), "material");
        let tables: Vec<_> = study.measurements().into_iter().map(|of| of.config.tables).collect();
        let tables: Vec<_> = tables.into_iter().flatten().collect();
        assert_eq!(tables, [root.join("mine/results/endgames"), root.join("mine/tables")]);
    }

    #[test]
    fn the_copy_in_a_run_leads_to_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(&at("my.fnet"), "");
        let text = "# mine\n[study]\nname = 'x'\n[network]\nfile = 'my.fnet'\n";
        let own = "study.name = 'x'\nnetwork.file = 'my.fnet'\nstudy.relative_to = '..'\n";
        for (name, text) in [("x.toml", text), ("sub/x.toml", own)] {
            write(&at(name), text);
            let study = Study::read(&at(name)).unwrap();
            for run in [at("runs/x"), at("sub/runs/x"), tempfile::tempdir().unwrap().keep()] {
                let copy = run.join(STUDY_FILE);
                std::fs::create_dir_all(&run).unwrap();
                let entered = study.text_at(text.to_owned(), &copy).unwrap();
                write(&copy, &entered);
                let again = Study::read(&copy).unwrap();
                assert_eq!(
                    again.network().canonicalize().unwrap(),
                    at("my.fnet").canonicalize().unwrap()
                );
                again.check_continues(&study).unwrap();
                if run.starts_with(folder.path()) {
                    assert_eq!(again.out(), run);
                    assert!(!entered.contains(&*folder.path().to_string_lossy()), "{entered}");
                }
                std::fs::remove_dir_all(run).unwrap();
            }
        }
        let plain = "[study]\nname = 'x'\n[network]\nfile = 'material'\n";
        write(&at("y.toml"), plain);
        let study = Study::read(&at("y.toml")).unwrap();
        let copy = || study.text_at(plain.to_owned(), &at("runs/x/study.toml")).unwrap();
        assert_eq!(copy(), plain);
        // Texts that are no paths stay so, whatever the study makes.
        for name in ["x", "tree", "runs/x/x"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        assert_eq!(copy(), plain);
        // Tables that the study will make have the same place before and after.
        let tables = "[study]\nname = 'z'\n[measure]\ntables = 'made'\n";
        write(&at("z.toml"), tables);
        let study = Study::read(&at("z.toml")).unwrap();
        let copy = || study.text_at(tables.to_owned(), &at("runs/z/study.toml")).unwrap();
        let before = copy();
        assert!(before.contains("relative_to = \"../..\""), "{before}");
        std::fs::create_dir(at("made")).unwrap();
        assert_eq!(copy(), before);
    }
}
