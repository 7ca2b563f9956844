//! Rule sets that name a section of a file: `games/my.ini#my-game,castling=no`.
//!
//! Every option of the format is a toggle. `variants#crazyhouse` is a game that the format has built in.
//! The canonical text of a rule set has a hash of a file's section behind its name: a run, a network or a
//! measurement that names the rule set can so not be continued after the file has changed.

mod sentences;
mod words;

pub use sentences::sentences;
pub use words::TOGGLES;

use crate::board::{Position, Tables};
use crate::definition::{Definition, Value};
use crate::game::counts::CountTables;
use crate::game::values;
use crate::ini::{self, File, Resolved};
use fusion_game::{OpenError, OpenErrorKind, RuleSet, ToggleKind, Variant, files, hex};
use rand::Rng;
use rand::seq::IndexedRandom;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::{LazyLock, Mutex};

/// The file of the built-in games in the text of a rule set.
pub const BUILTIN: &str = "variants";

/// Built-in games of many kinds, with what they are; the one with the smallest board is the last.
const PRESETS: [(&str, &str); 21] = [
    ("variants#chess", "chess, as the built-in game that others inherit from"),
    ("variants#capablanca", "Capablanca Chess: ten files, Archbishop and Chancellor"),
    ("variants#grand", "Grand Chess: a board of 10 × 10"),
    ("variants#shako", "Shako: a board of 10 × 10 with Cannons and Elephants"),
    ("variants#crazyhouse", "Crazyhouse: captured pieces are dropped"),
    ("variants#atomic", "Atomic Chess: captures explode"),
    ("variants#antichess", "Antichess: captures are forced, and losing all pieces wins"),
    ("variants#3check", "Three-check: the third check wins"),
    ("variants#kingofthehill", "King of the Hill: a King in the centre wins"),
    ("variants#racingkings", "Racing Kings: the first King on the last rank wins"),
    ("variants#makruk", "Makruk, the chess of Thailand"),
    ("variants#shatranj", "Shatranj, the chess of the Middle Ages"),
    ("variants#minishogi", "Minishogi: a board of 5 × 5, captured pieces are dropped"),
    ("variants#losalamos", "Los Alamos Chess: a board of 6 × 6 without Bishops"),
    ("variants#metamorph", "Metamorph Chess: attacked pieces become more, captures make them less"),
    ("variants#assimilation", "Assimilation Chess: a piece merges with what it captures"),
    (
        "variants#fusion-chessgi",
        "Fusion Chessgi: Fusion Chess of 1999, captured pieces are dropped",
    ),
    ("variants#bedlam", "Bedlam: Metamorphin' Fusion Chess, captured pieces are dropped"),
    ("variants#thunder", "Thunder Chess: Metamorph, Fusion and Assimilation Chess in one"),
    ("variants#mini-thunder", "Mini Thunder Chess: Thunder Chess on a board of 6 × 7"),
    ("variants#fusion-2020-capablanca", "Fusion Chess of 2020 on Capablanca's board"),
];

/// The rule sets of [`PRESETS`].
static PRESET_RULES: LazyLock<Vec<(&str, FairyRules)>> = LazyLock::new(|| {
    PRESETS.iter().filter_map(|&(name, _)| Some((name, FairyRules::read(name).ok()?))).collect()
});

/// A rule set from a file. Copies are cheap: the program keeps each rule set once, as long as it runs.
#[derive(Clone, Copy)]
pub struct FairyRules(&'static Known);

struct Known {
    /// The canonical text.
    text: String,
    /// The name of the section with its hash, and the section without changes; `None` for built-in games.
    definition: Option<(String, String)>,
    remarks: Vec<String>,
    tables: Tables,
    start: Position,
    values: Vec<i32>,
    count_tables: CountTables,
    /// Whether a position without check and with moves goes on, whatever the last move was.
    only_mate: bool,
}

/// The rule sets parsed until now, by canonical text.
static KNOWN: Mutex<BTreeMap<String, &'static Known>> = Mutex::new(BTreeMap::new());

/// The texts of files that were made known, by the name of the file.
static TEXTS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Makes a file known by its name, for programs that read no files. It takes the place of one on the disk.
pub fn know_file(name: &str, text: &str) {
    if let Ok(mut texts) = TEXTS.lock() {
        texts.insert(name.to_owned(), text.to_owned());
    }
}

/// The definitions that runs have kept, by name: `games/my.ini#my-game@7ff019c0`.
static DEFINITIONS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Makes a definition known by a name with its hash, `my.ini#my-game@7ff019c0`, after a check that it has
/// this hash.
///
/// # Errors
/// Returns what is wrong with the name or with the text.
pub fn learn_definition(name: &str, text: &str) -> Result<(), String> {
    let parts = Parts::parse(name)?;
    let file = File::parse(parts.file, text).map_err(|problems| problems.to_string())?;
    let resolved = file.resolve(parts.section, &[]).map_err(|problems| problems.to_string())?;
    let found = hash(&resolved.definition);
    if parts.file == BUILTIN || !parts.changes.is_empty() || parts.hash != Some(&*found) {
        return Err(format!("the text does not define '{name}': its rules have the hash {found}"));
    }
    FairyRules::know_definition(name, text);
    Ok(())
}

/// Returns whether a rule set needs no file of the disk: it is built in, its file was made known by
/// [`know_file`] or has been read, or its definition is known.
#[must_use]
pub fn is_known(text: &str) -> bool {
    Parts::parse(text).is_ok_and(|parts| {
        let is_told = || TEXTS.lock().is_ok_and(|texts| texts.contains_key(parts.file));
        parts.file == BUILTIN || is_told() || parts.kept().is_some()
    })
}

/// A rule set's text in parts.
struct Parts<'a> {
    file: &'a str,
    section: &'a str,
    /// The hash that the text gives.
    hash: Option<&'a str>,
    changes: Vec<(&'a str, &'a str)>,
}

impl<'a> Parts<'a> {
    fn parse(text: &'a str) -> Result<Self, String> {
        let mut parts = text.split(',').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let (file, section) = name.split_once('#').ok_or_else(|| {
            format!("'{name}' names no section of a file: write games/my.ini#my-game")
        })?;
        let (section, hash) = match section.split_once('@') {
            Some((section, hash)) => (section, Some(hash)),
            None => (section, None),
        };
        let mut changes: Vec<(&str, &str)> = Vec::new();
        for change in parts {
            let (option, value) = change.split_once('=').ok_or_else(|| {
                format!("'{change}' is not a change of the form option=value, such as castling=no")
            })?;
            let (option, value) = (option.trim(), value.trim());
            if changes.iter().any(|(known, _)| *known == option) {
                return Err(format!("option '{option}' is given twice; leave one of the two out"));
            }
            changes.push((option, value));
        }
        Ok(Self { file, section, hash, changes })
    }

    /// Returns the definition that a run has kept under this name. Without a hash, it is the only one of this
    /// section, and only where the file is gone.
    fn kept(&self) -> Option<String> {
        let definitions = DEFINITIONS.lock().ok()?;
        let name = format!("{}#{}@", self.file, self.section);
        if let Some(hash) = self.hash {
            return definitions.get(&(name + hash)).cloned();
        }
        let mut of_section = definitions.iter().filter(|(known, _)| known.starts_with(&name));
        let (_, text) =
            of_section.next().filter(|_| !files::find(Path::new(self.file)).exists())?;
        of_section.next().is_none().then(|| text.clone())
    }

    /// Resolves the section with these changes. Only what is wrong without any is a mistake of the file.
    fn resolve(&self, changes: &[(&str, &str)]) -> Result<Resolved, OpenError> {
        if self.file == BUILTIN {
            return ini::builtin(self.section, changes).map_err(unsupported);
        }
        let text = self.kept().map_or_else(|| read(self.file), Ok)?;
        let file = File::parse(self.file, &text).map_err(rejected)?;
        let is_there = file.sections().any(|section| section == self.section);
        let kind = if is_there && changes.is_empty() { rejected } else { unsupported };
        file.resolve(self.section, changes).map_err(kind)
    }
}

/// Returns the error of a file with mistakes.
fn rejected(message: impl Display) -> OpenError {
    OpenError::new(OpenErrorKind::Rejected, message)
}

/// Returns the error of a text that asks for what there is not.
fn unsupported(message: impl Display) -> OpenError {
    OpenError::new(OpenErrorKind::Unsupported, message)
}

/// The most bytes of a file.
const MOST_BYTES: u64 = 16 << 20;

/// Reads the text of a file, which [`files::find`] finds.
fn read_text(name: &str) -> io::Result<String> {
    let mut text = String::new();
    let file = files::open(&files::find(Path::new(name)))?;
    file.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        let message = format!("it has more than {MOST_BYTES} bytes");
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    }
    Ok(text)
}

/// Reads a file, or the text that is known under its name. A file is read once: a change while the program
/// runs has no effect.
fn read(name: &str) -> Result<String, OpenError> {
    if let Some(text) = TEXTS.lock().ok().and_then(|texts| texts.get(name).cloned()) {
        return Ok(text);
    }
    let text = read_text(name).map_err(|error| {
        let kind = match OpenErrorKind::of(&error) {
            OpenErrorKind::Rejected => OpenErrorKind::Rejected,
            // A file that cannot be read is as good as none.
            _ => OpenErrorKind::Missing,
        };
        OpenError::new(kind, format!("{name}: {error}"))
    })?;
    know_file(name, &text);
    Ok(text)
}

/// Returns a short hash of a definition.
fn hash(definition: &Definition) -> String {
    let digest = Sha256::digest(definition.to_text().as_bytes());
    hex(&digest[..4])
}

impl Known {
    fn new(
        text: String,
        definition: Option<(String, String)>,
        resolved: Resolved,
    ) -> Result<Self, String> {
        let tables = Tables::new(resolved.definition);
        let start =
            Position::start(&tables).map_err(|error| format!("{text}: startFen: {error}"))?;
        let rules = &tables.rules;
        let only_mate = rules.extinction.is_none()
            && rules.flag.is_none()
            && rules.connect.is_none()
            && !rules.check_counting
            && rules.repetition.value == Value::Draw
            && !rules.repetition.no_perpetual_check
            && !rules.repetition.no_back_and_forth
            && rules.material.is_none()
            && rules.king().is_some()
            && !rules.pass.iter().chain(&rules.pass_on_stalemate).any(|&yes| yes);
        let values = values::values(&tables);
        let count_tables = CountTables::new(&tables, &values);
        let remarks = resolved.remarks;
        Ok(Self { text, definition, remarks, start, values, count_tables, only_mate, tables })
    }
}

impl FairyRules {
    /// Parses a rule set such as `games/my.ini#my-game,castling=no`.
    ///
    /// # Errors
    /// Returns all that is wrong with the text ([`OpenErrorKind::Unsupported`]) or with the section of the file
    /// ([`OpenErrorKind::Rejected`]), or that the file cannot be read ([`OpenErrorKind::Missing`]).
    pub fn read(text: &str) -> Result<Self, OpenError> {
        let known = |text: &str| KNOWN.lock().ok().and_then(|known| known.get(text).copied());
        if let Some(known) = known(text) {
            return Ok(Self(known));
        }
        let parts = Parts::parse(text).map_err(unsupported)?;
        let plain = parts.resolve(&[])?.definition;
        let base = hash(&plain);
        if let Some(given) = parts.hash.filter(|given| *given != base) {
            return Err(rejected(format!(
                "{}#{}: the section has changed: its rules have the hash {base}, and '{text}' was made with {given}; \
                 restore the file, or begin anew under another name",
                parts.file, parts.section
            )));
        }
        let changes: Vec<(&str, &str)> = parts
            .changes
            .iter()
            .map(|&(option, value)| (option, own(&plain, option, value)))
            .collect();
        let resolved = parts.resolve(&changes)?;
        let mut canonical = format!("{}#{}", parts.file, parts.section);
        if parts.file != BUILTIN {
            canonical += &format!("@{base}");
        }
        for (option, value) in differences(&plain, &resolved.definition, &changes) {
            canonical += &format!(",{option}={}", usual(&value));
        }
        let name = format!("{}#{}@{base}", parts.file, parts.section);
        let definition = (parts.file != BUILTIN).then(|| (name, plain.to_text()));
        let locked = |_| OpenError::new(OpenErrorKind::Io, "the list of rule sets is locked");
        let mut known = KNOWN.lock().map_err(locked)?;
        if let Some(known) = known.get(&canonical) {
            return Ok(Self(known));
        }
        let wrong = if changes.is_empty() { rejected } else { unsupported };
        let new = Known::new(canonical.clone(), definition, resolved).map_err(wrong)?;
        let new: &'static Known = Box::leak(Box::new(new));
        known.insert(canonical, new);
        Ok(Self(new))
    }

    /// Returns the tables of the definition.
    #[inline]
    #[must_use]
    pub fn tables(self) -> &'static Tables {
        &self.0.tables
    }

    /// Returns the definition.
    #[must_use]
    pub fn definition(self) -> &'static Definition {
        &self.0.tables.rules
    }

    /// Returns what a reader of the file may want to know: options without effect.
    #[must_use]
    pub fn remarks(self) -> &'static [String] {
        &self.0.remarks
    }

    /// Returns a file with a section of this name that has these rules: a child of the section with its
    /// changes, since programs of all versions know the options that people write. The name of a built-in
    /// game stands for that game in other programs, so a file that has one is written out.
    fn child(self, parts: &Parts, name: &str) -> String {
        let told = TEXTS.lock().ok().and_then(|texts| texts.get(parts.file).cloned());
        let text = if parts.file == BUILTIN { Some(String::new()) } else { parts.kept().or(told) };
        let is_plain = |text: &String| {
            let file = File::parse(parts.file, text);
            parts.file == BUILTIN
                || file.is_ok_and(|file| {
                    !file.sections().any(|section| ini::builtins().any(|known| known == section))
                })
        };
        let Some(text) = text.filter(is_plain) else {
            let definition = Definition { name: name.to_owned(), ..self.definition().clone() };
            return definition.to_text();
        };
        let mut text = format!("{text}\n[{name}:{}]\n", parts.section);
        for (option, value) in &parts.changes {
            text += &format!("{option} = {}\n", own(self.definition(), option, value));
        }
        text
    }

    pub(crate) fn start(self) -> &'static Position {
        &self.0.start
    }

    /// Returns the value of each kind in hundredths of a Pawn.
    #[inline]
    pub(crate) fn values(self) -> &'static [i32] {
        &self.0.values
    }

    #[inline]
    pub(crate) fn count_tables(self) -> &'static CountTables {
        &self.0.count_tables
    }

    pub(crate) fn ends_only_by_mate(self) -> bool {
        self.0.only_mate
    }
}

/// Returns a value as the format writes it: rule sets say `yes` and `no`, as all of this program's do.
fn own<'a>(definition: &Definition, option: &str, value: &'a str) -> &'a str {
    let is_switch = || matches!(definition.option_value(option).as_deref(), Some("true" | "false"));
    match value {
        "yes" if is_switch() => "true",
        "no" if is_switch() => "false",
        value => value,
    }
}

/// Returns a value as rule sets write it.
fn usual(value: &str) -> &str {
    match value {
        "true" => "yes",
        "false" => "no",
        value => value,
    }
}

/// Returns the changes that differ from the section, in the order of the toggles, then of the text.
fn differences<'a>(
    plain: &Definition,
    changed: &Definition,
    changes: &[(&'a str, &'a str)],
) -> Vec<(&'a str, String)> {
    let place = |option: &str| {
        TOGGLES.iter().position(|toggle| toggle.name == option).unwrap_or(TOGGLES.len())
    };
    let mut found: Vec<(&str, String)> = changes
        .iter()
        .filter_map(|&(option, given)| {
            let value = changed.option_value(option).unwrap_or_else(|| given.to_owned());
            (plain.option_value(option).as_ref() != Some(&value)).then_some((option, value))
        })
        .collect();
    found.sort_by_key(|(option, _)| place(option));
    found
}

impl PartialEq for FairyRules {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl fmt::Debug for FairyRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FairyRules({self})")
    }
}

impl Display for FairyRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl RuleSet for FairyRules {
    const TOGGLES: &'static [ToggleKind] = TOGGLES;

    fn parse(text: &str) -> Result<Self, OpenError> {
        Self::read(text)
    }

    /// Some built-in games.
    fn presets() -> Vec<(&'static str, Self)> {
        PRESET_RULES.clone()
    }

    fn about(preset: &str) -> &'static str {
        PRESETS.iter().find(|(name, _)| *name == preset).map_or("", |(_, about)| about)
    }

    /// Draws a preset and changes some of the toggles that are true or false.
    fn random(rng: &mut impl Rng) -> Self {
        loop {
            let name = PRESETS.choose(rng).map_or("variants#chess", |(name, _)| name);
            let mut text = name.to_owned();
            for _ in 0..rng.next_u32() % 3 {
                if let Some(toggle) = TOGGLES.choose(rng) {
                    let value = if rng.next_u32().is_multiple_of(2) { "yes" } else { "no" };
                    text += &format!(",{}={value}", toggle.name);
                }
            }
            if let Ok(rules) = Self::read(&text) {
                return rules;
            }
        }
    }

    fn neighbours(&self) -> Vec<Self> {
        let (name, changes) = self.0.text.split_once(',').unwrap_or((&self.0.text, ""));
        let flipped = |toggle: &ToggleKind| {
            let value = match self.value(toggle.name)?.as_str() {
                "yes" => "no",
                "no" => "yes",
                _ => return None,
            };
            let kept = changes.split(',').filter(|change| {
                !change.is_empty()
                    && change.split_once('=').is_none_or(|(option, _)| option != toggle.name)
            });
            let changes: String = kept.map(|change| format!(",{change}")).collect();
            Self::read(&format!("{name}{changes},{}={value}", toggle.name)).ok()
        };
        let can_matter = |toggle: &&ToggleKind| words::matters(self.definition(), toggle.name);
        TOGGLES
            .iter()
            .filter(can_matter)
            .filter_map(flipped)
            .filter(|rules| rules != self)
            .collect()
    }

    fn value(&self, toggle: &str) -> Option<String> {
        self.definition().option_value(toggle).map(|value| usual(&value).to_owned())
    }

    fn choices(toggle: &str) -> &'static [&'static str] {
        words::choices(toggle)
    }

    fn details(&self) -> Vec<(String, String)> {
        words::details(self.definition())
    }

    fn definition_text(&self) -> Option<(String, String)> {
        self.0.definition.clone()
    }

    fn know_definition(name: &str, text: &str) {
        if let Ok(mut definitions) = DEFINITIONS.lock() {
            definitions.insert(name.to_owned(), text.to_owned());
        }
    }

    /// `None` for rules that Fairy-Stockfish has no options for.
    fn variant(&self) -> Option<Variant> {
        if self.definition().merges() {
            return None;
        }
        let text = &self.0.text;
        let parts = Parts::parse(text).ok()?;
        if parts.file == BUILTIN && parts.changes.is_empty() {
            return Some(Variant { name: parts.section.to_owned(), definition: None });
        }
        let name = format!("{}-{}", parts.section, hash(self.definition()));
        Some(Variant { definition: Some(self.child(&parts, &name)), name })
    }

    fn sentence(&self, toggle: &str) -> Option<String> {
        let value = self.value(toggle).filter(|_| words::matters(self.definition(), toggle))?;
        words::sentence(toggle, &value)
    }
}
