//! From a section and its parents to a definition.

use super::draft::Draft;
use super::options::{Effect, TABLE, entry};
use super::pieces::KING;
use super::problem::Place;
use super::{File, Problem, Problems, Section, Setting, lens, options, pieces, start};
use crate::definition::Definition;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A section with its parents and defaults.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The game.
    pub definition: Definition,
    /// What a reader may want to know: options without effect, and where Fairy-Stockfish differs.
    pub remarks: Vec<String>,
}

/// The built-in games of Fairy-Stockfish, and the family of Fusion Chess.
static BUILTIN: LazyLock<File> = LazyLock::new(|| {
    let texts = [include_str!("builtin.ini"), include_str!("../../../../data/games/fusion.ini")];
    let files = texts.into_iter().filter_map(|text| File::parse("builtin.ini", text).ok());
    let sections = files.flat_map(|file| file.sections).collect();
    File { name: "builtin.ini".into(), sections }
});

/// Returns the names of the built-in games: those of Fairy-Stockfish and the family of Fusion Chess.
pub fn builtins() -> impl Iterator<Item = &'static str> {
    BUILTIN.sections()
}

/// Returns a built-in game with changes, `(option, value)`.
///
/// # Errors
/// Returns an error for an unknown name, for changes that are wrong, and for a game with rules that are
/// not supported.
pub fn builtin(name: &str, changes: &[(&str, &str)]) -> Result<Resolved, Problems> {
    BUILTIN.resolve(name, changes)
}

impl File {
    /// Returns the game of a section, with further options `(option, value)` as if a child had them. A
    /// change to the value that an option has already changes nothing.
    ///
    /// # Errors
    /// Returns all problems of the section and of its parents.
    pub fn resolve(&self, section: &str, changes: &[(&str, &str)]) -> Result<Resolved, Problems> {
        let chain = self.chain(section).map_err(|problem| Problems(vec![problem]))?;
        let mut outcome =
            Outcome { draft: Draft::new(), problems: Vec::new(), remarks: Vec::new() };
        let own = chain.last().map_or(0, |(_, section)| section.line);
        let name = section;
        for (file, section) in chain {
            outcome.problems.extend(section.problems.iter().cloned());
            outcome.remarks.extend(section.remarks.iter().map(ToString::to_string));
            let places =
                |line| Place { file: file.name.clone(), line, section: section.name.clone() };
            outcome.apply(&section.options, places);
        }
        let place = |line| Place { file: self.name.clone(), line, section: section.into() };
        outcome.change(changes, place);
        outcome.check(&place(Some(own)));
        if !outcome.problems.is_empty() {
            return Err(self.problems(name, own, outcome.problems));
        }
        Ok(Resolved { definition: outcome.draft.definition(name), remarks: outcome.remarks })
    }

    /// Sorts the problems of a section: those of the built-in games first, then by their lines. Those of
    /// parents say who inherits them, and the line of its name.
    fn problems(&self, section: &str, line: usize, mut problems: Vec<Problem>) -> Problems {
        for problem in &mut problems {
            if problem.section.as_deref() != Some(section) {
                problem.message.push_str(&format!(" ([{section}] in line {line} inherits it)"));
            }
        }
        problems
            .sort_by_key(|problem| (problem.file == self.name, problem.line.unwrap_or(usize::MAX)));
        Problems(problems)
    }

    /// Returns a section's parents and the section, the first parent first.
    fn chain(&self, name: &str) -> Result<Vec<(&File, &Section)>, Problem> {
        let found = self.sections.iter().position(|section| section.name == name);
        let mut at = found.ok_or_else(|| {
            let near = near(name, self.sections());
            let known: Vec<&str> = self.sections().take(20).collect();
            let message =
                format!("the file has no section [{name}]{near}; it has {}", known.join(", "));
            Problem { file: self.name.clone(), line: None, section: None, option: None, message }
        })?;
        let place = |file: &Self, section: &Section| Place {
            file: file.name.clone(),
            line: Some(section.line),
            section: section.name.clone(),
        };
        let mut file = self;
        let mut chain: Vec<(&File, &Section)> = Vec::new();
        while let Some(section) = file.sections.get(at) {
            chain.push((file, section));
            let Some(parent) = &section.parent else { break };
            if chain.len() > file.sections.len() + BUILTIN.sections.len() {
                let place = place(self, chain[0].1);
                let message = "the section is a parent of itself: give it another parent";
                return Err(place.problem("", message));
            }
            (file, at) = file.parent(&section.name, parent).ok_or_else(|| {
                let mut known: Vec<&str> = file.sections().collect();
                builtins().for_each(|name| known.push(name));
                let near = near(parent, known.into_iter());
                let message =
                    format!("no section of the file and no built-in game is named {parent}{near}");
                place(file, section).problem("", message)
            })?;
        }
        chain.reverse();
        Ok(chain)
    }

    /// Returns the file and the place of a section's parent.
    fn parent(&self, section: &str, parent: &str) -> Option<(&File, usize)> {
        let find = |file: &File| file.sections.iter().position(|other| other.name == parent);
        // A section may carry on the built-in game of its name.
        let own = find(self).filter(|_| section != parent).map(|place| (self, place));
        own.or_else(|| find(&BUILTIN).map(|place| (&*BUILTIN, place)))
    }
}

/// A draft, and what is wrong with its sections.
struct Outcome {
    draft: Draft,
    problems: Vec<Problem>,
    remarks: Vec<String>,
}

impl Outcome {
    /// Applies the options of a section in the order of the table.
    fn apply(&mut self, settings: &[Setting], place: impl Fn(Option<usize>) -> Place) {
        let mut problems = Vec::new();
        let mut given: BTreeMap<&str, &Setting> = BTreeMap::new();
        for setting in settings {
            match entry(&setting.option) {
                Some(_) => drop(given.insert(&setting.option, setting)),
                None => problems
                    .push(place(setting.line).problem(&setting.option, unknown(&setting.option))),
            }
        }
        let replaced = ["promotionPieceTypes", "promotionPieceTypesWhite"]
            .iter()
            .any(|name| given.contains_key(name));
        for option in TABLE.iter() {
            let Some(setting) = given.get(option.name.as_str()) else { continue };
            let before = self.draft.promotions;
            if let Err(message) = option.apply(&mut self.draft, &setting.value) {
                problems.push(place(setting.line).problem(&option.name, message));
            }
            let kind = pieces::kind(&option.name)
                .filter(|&kind| self.draft.letters[kind].is_some() && !replaced);
            if kind.is_some_and(|kind| before[0].has(kind) && !self.draft.promotions[0].has(kind)) {
                let message = "it has this letter already, and Pawns no longer become it, as in Fairy-Stockfish: \
                    leave it out, or give promotionPieceTypes too";
                self.remarks.push(place(setting.line).problem(&option.name, message).to_string());
            }
            self.draft.places.insert(option.name.clone(), place(setting.line));
        }
        self.problems.extend(problems);
        self.draft.conclude();
    }

    /// Applies those changes that change something.
    fn change(&mut self, changes: &[(&str, &str)], place: impl Fn(Option<usize>) -> Place) {
        let mut settings: Vec<Setting> = Vec::new();
        for (option, value) in changes {
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            if settings.iter().any(|other| other.option == *option) {
                self.problems
                    .push(place(None).problem(option, "it is changed twice: leave one change out"));
            }
            let same =
                |entry: &options::Entry| entry.text(&mut self.draft).as_ref() == Some(&value);
            if !entry(option).is_some_and(same) {
                settings.push(Setting { option: (*option).into(), value, line: None });
            }
        }
        if !settings.is_empty() {
            self.apply(&settings, place);
        }
    }

    /// Checks what all options together give.
    fn check(&mut self, section: &Place) {
        self.unsupported();
        for (option, message) in contradictions(&self.draft) {
            self.wrong(&option, message, section);
        }
        // A position is not checked against pieces and a board that are wrong themselves.
        let basic = |option: &str| {
            pieces::kind(option).is_some() || ["maxFile", "maxRank"].contains(&option)
        };
        if !self.problems.iter().filter_map(|problem| problem.option.as_deref()).any(basic) {
            match start::check(&self.draft) {
                Err(message) => self.wrong("startFen", message, section),
                Ok(remarks) => {
                    let place = self.draft.places.get("startFen").unwrap_or(section);
                    let remarks = remarks.iter().map(|it| place.problem("startFen", it.as_str()));
                    self.remarks.extend(remarks.map(|remark| remark.to_string()));
                }
            }
        }
    }

    /// Adds a problem of an option where it is set, if it is not known to be wrong already.
    fn wrong(&mut self, option: &str, message: String, section: &Place) {
        if !self.problems.iter().any(|problem| problem.option.as_deref() == Some(option)) {
            let place = self.draft.places.get(option).unwrap_or(section);
            self.problems.push(place.problem(option, message));
        }
    }

    /// Reports options that are not supported, and those without effect here that change the play in
    /// Fairy-Stockfish.
    fn unsupported(&mut self) {
        for (option, value) in &self.draft.rejected {
            let (Some(entry), Some(place)) = (entry(option), self.draft.places.get(option)) else {
                continue;
            };
            let Effect::Reject { defaults, why } = &entry.effect else { continue };
            let default = defaults.first().unwrap_or(&"-");
            let message =
                format!("{value} is not possible, since {why}; only {option} = {default} is");
            self.problems.push(place.problem(option, message));
        }
        for option in self.draft.ignored.keys() {
            let (Some(entry), Some(place)) = (entry(option), self.draft.places.get(option)) else {
                continue;
            };
            let Effect::Ignore { why, .. } = &entry.effect else { continue };
            self.remarks
                .push(place.problem(option, format!("it is left out, since {why}")).to_string());
        }
    }
}

/// Returns options that do not go together with others, with what to do.
fn contradictions(draft: &Draft) -> Vec<(String, String)> {
    if let Some(message) = lens::board(draft) {
        return vec![("maxFile".into(), message)];
    }
    let mut wrong = Vec::new();
    let mut add =
        |option: &str, message: &str| wrong.push((option.to_string(), message.to_string()));
    if draft.blast && draft.letters[KING].is_some() {
        add(
            "blastOnCapture",
            "a King cannot be destroyed: write king = -, commoner = k, extinctionValue = loss, \
             extinctionPieceTypes = k, as [atomic] does",
        );
    }
    if draft.check_counting && !draft.checking {
        add(
            "checkCounting",
            "no check is ever given, since checking = false: leave one of both out",
        );
    }
    if draft.must_capture && draft.must_drop {
        add(
            "mustDrop",
            "captures and drops cannot both come first: leave mustCapture or mustDrop out",
        );
    }
    let other = |side: usize| draft.castling_king[side].is_some_and(|kind| kind != KING);
    if draft.castling && draft.letters[KING].is_some() && (other(0) || other(1)) {
        add("castlingKingPiece", "in a game with a King only the King castles: leave it out");
    }
    for (side, color) in ["White", "Black"].into_iter().enumerate() {
        if draft.castling
            && draft.castling_king[side].is_some_and(|king| draft.rooks[side].has(king))
        {
            let option = format!("castlingRookPieces{color}");
            add(&option, "the piece that castles as the King cannot be the Rook too: leave it out");
        }
    }
    // What a file leaves out is no mistake: a narrow board has no place for the usual squares.
    let given = |option: &str| draft.castling && draft.places.contains_key(option);
    if given("castlingKingsideFile") && draft.king_to[0] == 0 {
        add(
            "castlingKingsideFile",
            "the Rook arrives to the left of the King, so it has to be file b or more",
        );
    }
    if given("castlingQueensideFile") && draft.king_to[1] + 1 == draft.files {
        add(
            "castlingQueensideFile",
            "the Rook arrives to the right of the King, which needs one more file",
        );
    }
    if draft.pseudo_royal && draft.extinction.is_none() && draft.blast {
        let message = "what a blast that destroys them means is open: give extinctionValue";
        add("extinctionPseudoRoyal", message);
    }
    wrong.extend(super::fusion::contradictions(draft));
    let mut add =
        |option: &str, message: &str| wrong.push((option.to_string(), message.to_string()));
    for kind in draft.types() {
        for (side, region) in draft.mobility[kind].into_iter().enumerate() {
            if !region.is_empty() && region.on(draft.files, draft.ranks) == 0 {
                let option = options::mobility(kind, side);
                add(&option, "the board has none of its squares: give other ones, or -");
            }
        }
    }
    wrong
}

fn unknown(option: &str) -> String {
    format!("no option has this name{}", near(option, options::options()))
}

/// Returns the nearest name as a question, if one is near.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let lower: Vec<String> = known.iter().map(|known| known.to_lowercase()).collect();
    let near = fusion_game::nearest(name, lower.iter().map(String::as_str));
    let place = near.and_then(|near| lower.iter().position(|other| other == near));
    place.map_or_else(String::new, |place| format!("; did you mean {}?", known[place]))
}
