//! The options that `setoption` changes.

use super::limits;
use super::searcher::{Kind, Recipe};
use super::strength::{self, Level};
use super::variants::{CHESS, Rules, Variants, setup};
use fusion_game::{Game, RuleSet as _};
use fusion_network::model::{Model, MoveModel};
use fusion_registry::{KnownGame, for_game};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The name of the built-in network.
const SHIPPED: &str = "shipped";
/// The names of the searches: tree search, and alpha-beta search of selective depth.
const SEARCHES: [&str; 2] = ["tree", "pvs"];
/// Minimum, default and maximum size of the tree or table in megabytes.
const HASH: [u32; 3] = [1, 256, 16_384];
/// The most lines to report. It exceeds the number of moves in any position.
const MOST_LINES: usize = 500;

/// The options that decide the move. After a wrong value the engine plays no move until the value
/// is corrected.
const DECISIVE: [&str; 7] =
    ["UCI_Variant", "Rules", "Search", "Network", "EndgameTables", "UCI_LimitStrength", "UCI_Elo"];
/// The other options. A file that cannot be read changes no rules: only a variant of it is then unknown.
const OTHERS: [&str; 5] = ["VariantPath", "MultiPV", "Hash", "Threads", "UCI_ShowWDL"];

/// The values of the options.
pub(super) struct Options {
    /// The value of `UCI_Variant`, and its rules.
    variant: (String, Rules),
    variants: Variants,
    /// The rules of the option `Rules`, which override the variant.
    expression: Option<Rules>,
    /// Whether the alpha-beta search plays, and not the tree search.
    pvs: bool,
    /// The evaluator of positions and the name that it was opened by; `None` for the built-in one.
    network: Option<(MoveModel, String)>,
    /// The evaluator of chess games that is built in.
    shipped: MoveModel,
    /// The evaluator of games that no network knows.
    material: MoveModel,
    /// Folder of endgame tables.
    pub(super) tables_folder: Option<PathBuf>,
    limit_strength: bool,
    elo: u32,
    /// The number of lines to report.
    pub(super) lines: usize,
    hash: u32,
    /// Whether `info` includes the chances of win, draw and loss.
    pub(super) show_wdl: bool,
    /// Remarks about the last value.
    told: Vec<String>,
    /// The decisive options whose last value was wrong, with the error.
    pub(super) wrong: BTreeMap<&'static str, String>,
}

/// The effect of a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The rules changed: position, tree and tables are invalid.
    Rules,
    /// The tree is invalid.
    Search,
    /// The folder of endgame tables changed: the tree is invalid.
    Tables,
    /// No change that concerns a tree or table.
    None,
}

impl Options {
    /// Builds the default options with the built-in network.
    pub(super) fn new(shipped: Model) -> Result<Self, String> {
        let variants = Variants::default();
        let rules = variants.rules(CHESS)?;
        Ok(Self {
            material: open("material", &rules)?,
            variant: (CHESS.into(), rules),
            variants,
            expression: None,
            pvs: false,
            network: None,
            shipped: MoveModel::Model(shipped),
            tables_folder: None,
            limit_strength: false,
            elo: strength::RANGE[1],
            lines: 1,
            hash: HASH[1],
            show_wdl: false,
            told: Vec::new(),
            wrong: BTreeMap::new(),
        })
    }

    /// Returns the lines that describe the options to the other program.
    ///
    /// `Threads` has the single value 1, because a search uses one thread. Tournament programs set
    /// it in every engine, and reject an engine without it.
    pub(super) fn describe(&self) -> Vec<String> {
        let variants = self.variants.names();
        let variants: String = variants.iter().map(|name| format!(" var {name}")).collect();
        let [weakest, strongest] = strength::RANGE;
        let [least, default, most] = HASH;
        let types = [
            format!("combo default {CHESS}{variants}"),
            "string default <empty>".into(),
            format!("combo default {} var {}", SEARCHES[0], SEARCHES.join(" var ")),
            format!("string default {SHIPPED}"),
            "string default <empty>".into(),
            "check default false".into(),
            format!("spin default {strongest} min {weakest} max {strongest}"),
            "string default <empty>".into(),
            format!("spin default 1 min 1 max {MOST_LINES}"),
            format!("spin default {default} min {least} max {most}"),
            "spin default 1 min 1 max 1".into(),
            "check default false".into(),
        ];
        let lines = names().zip(types);
        lines.map(|(name, kind)| format!("option name {name} type {kind}")).collect()
    }

    /// Returns the rules of the game.
    pub(super) fn rules(&self) -> &Rules {
        self.expression.as_ref().unwrap_or(&self.variant.1)
    }

    /// Returns the evaluator: the built-in one only counts material in a game that its network does not
    /// know.
    fn model(&self) -> &MoveModel {
        match &self.network {
            Some((model, _)) => model,
            None if self.rules().game == KnownGame::Chess => &self.shipped,
            None => &self.material,
        }
    }

    /// Returns a description of the network or evaluator.
    pub(super) fn network(&self) -> String {
        let hash = self.network_hash();
        match &self.network {
            None if self.model().hash() == self.shipped.hash() => {
                format!("{SHIPPED} (SHA-256 {hash})")
            }
            None => format!("{hash}: no network that is built in knows this game"),
            Some((_, name)) if hash == name => name.into(),
            Some((_, name)) => format!("{name} (SHA-256 {hash})"),
        }
    }

    /// Returns the identity of the network or evaluator.
    pub(super) fn network_hash(&self) -> &str {
        self.model().hash()
    }

    /// Returns whether the alpha-beta search plays, which has a table to prepare.
    pub(super) fn is_pvs(&self) -> bool {
        self.pvs
    }

    /// Returns how to make a searcher.
    ///
    /// # Errors
    /// Returns the conflict of two options if there is one.
    pub(super) fn recipe(&self) -> Result<Recipe, String> {
        if let Some((model, name)) = &self.network
            && !plays(model, self.rules())
        {
            let rules = &self.rules().text;
            return Err(format!("option Network: {name} is no network for {rules}: set it again"));
        }
        let kind = match self.model() {
            _ if self.pvs && self.limit_strength => {
                return Err("option UCI_LimitStrength: its levels are those of the option Search \
                            with the value tree"
                    .into());
            }
            model if self.pvs => Kind::Pvs(model.clone()),
            MoveModel::Model(model) => Kind::Tree(model.clone()),
            MoveModel::Views(_) => {
                return Err(format!(
                    "option Network: {} needs the option Search with the value pvs",
                    self.network()
                ));
            }
        };
        Ok(Recipe { kind, hash: self.hash })
    }

    /// Returns the level to play at, if strength is limited.
    pub(super) fn level(&self) -> Option<Level> {
        self.limit_strength.then(|| Level::of(self.elo))
    }

    /// Returns remarks for the user after a change of an option.
    pub(super) fn remarks(&mut self, text: &str) -> Vec<String> {
        let told = std::mem::take(&mut self.told);
        told.into_iter().chain(self.remark(text)).collect()
    }

    fn remark(&self, text: &str) -> Option<String> {
        match known(named_value(text.trim().split_once(char::is_whitespace)?.1.trim()).0)? {
            "Network" => Some(format!("network {}", self.network())),
            "UCI_Variant" => match &self.expression {
                Some(Rules { text, .. }) => {
                    Some(format!("the rules are {text} as long as the option Rules has a value"))
                }
                None => setup(&self.variant.0, &self.variant.1.text),
            },
            "UCI_LimitStrength" | "UCI_Elo" => self.level().map(|level| level.describe(self.elo)),
            _ => None,
        }
    }

    /// Changes an option from the words after `setoption`. A wrong value changes nothing. If the
    /// option is decisive, the error is recorded.
    pub(super) fn set(&mut self, text: &str) -> Result<Change, String> {
        let (word, named) = text.trim().split_once(char::is_whitespace).unwrap_or_default();
        if word != "name" {
            return Err("setoption needs a name".into());
        }
        let (name, value) = named_value(named.trim());
        let name = known(name).ok_or_else(|| {
            let names: Vec<&str> = names().collect();
            format!("no option '{name}'; options are {}", names.join(", "))
        })?;
        let value = if value == "<empty>" { "" } else { value };
        let rules = self.rules().clone();
        let result = self.assign(name, value).map_err(|why| format!("option {name}: {why}"));
        match &result {
            Ok(_) => self.wrong.remove(name),
            Err(reason) if DECISIVE.contains(&name) => self.wrong.insert(name, reason.clone()),
            Err(_) => None,
        };
        match result? {
            Change::Rules if *self.rules() == rules => Ok(Change::None),
            change => Ok(change),
        }
    }

    fn assign(&mut self, name: &str, value: &str) -> Result<Change, String> {
        let given = |wanted: String| format!("'{value}' is not {wanted}");
        let check = || {
            let small = value.to_ascii_lowercase();
            small.parse().map_err(|_| given("true or false".into()))
        };
        let mut spin = |least: u32, most: u32| {
            let wanted = || given(format!("a number from {least} to {most}"));
            let number = limits::number(value).ok_or_else(wanted)?;
            let nearest = u32::try_from(number.max(0)).unwrap_or(most).clamp(least, most);
            if i64::from(nearest) != number {
                self.told = vec![format!("option {name}: {}; {nearest} is used", wanted())];
            }
            Ok::<u32, String>(nearest)
        };
        match name {
            "UCI_Variant" => {
                self.variant = (value.into(), self.variants.rules(value)?);
                Ok(Change::Rules)
            }
            "Rules" => {
                self.expression = (!value.is_empty()).then(|| Rules::parse(value)).transpose()?;
                Ok(Change::Rules)
            }
            "VariantPath" => {
                (self.variants, self.told) = match value {
                    "" => Default::default(),
                    path => Variants::read(path)?,
                };
                Ok(Change::None)
            }
            "Search" => {
                let place = SEARCHES.iter().position(|known| known.eq_ignore_ascii_case(value));
                let wanted = || given(SEARCHES.join(" or "));
                self.pvs = place.ok_or_else(wanted)? == 1;
                Ok(Change::Search)
            }
            "Network" => {
                self.network = match value {
                    "" | SHIPPED => None,
                    path => Some((open(path, self.rules())?, path.to_owned())),
                };
                Ok(Change::Search)
            }
            "EndgameTables" => {
                self.tables_folder = (!value.is_empty()).then(|| value.into());
                Ok(Change::Tables)
            }
            "UCI_LimitStrength" => {
                self.limit_strength = check()?;
                Ok(Change::Search)
            }
            "UCI_Elo" => {
                self.elo = spin(strength::RANGE[0], strength::RANGE[1])?;
                Ok(Change::Search)
            }
            "MultiPV" => {
                self.lines = spin(1, MOST_LINES as u32)? as usize;
                Ok(Change::None)
            }
            "Hash" => {
                self.hash = spin(HASH[0], HASH[2])?;
                Ok(Change::Search)
            }
            "Threads" => spin(1, 1).map(|_| Change::None),
            _ => {
                self.show_wdl = check()?;
                Ok(Change::None)
            }
        }
    }
}

/// Opens an evaluator for a rule set.
fn open(name: &str, rules: &Rules) -> Result<MoveModel, String> {
    for_game!(rules.game, G => {
        let rules = <G as Game>::Rules::parse(&rules.text)?;
        MoveModel::open::<G>(name, [&rules]).map_err(|error| error.to_string())
    })
}

/// Returns whether an evaluator can evaluate positions under a rule set.
fn plays(model: &MoveModel, rules: &Rules) -> bool {
    for_game!(rules.game, G => {
        <G as Game>::Rules::parse(&rules.text).is_ok_and(|rules| model.plays::<G>(&rules))
    })
}

/// Splits the words after `name` at the word `value`.
fn named_value(text: &str) -> (&str, &str) {
    let is_blank = |text: &str, at: usize| text[at..].starts_with(char::is_whitespace);
    let split = text.match_indices("value").map(|(at, _)| at).find(|&at| {
        let end = at + "value".len();
        text[..at].ends_with(char::is_whitespace) && (end == text.len() || is_blank(text, end))
    });
    match split {
        Some(at) => (text[..at].trim(), text[at + "value".len()..].trim()),
        None => (text, ""),
    }
}

/// Returns all names, in the order in which `uci` lists them.
fn names() -> impl Iterator<Item = &'static str> {
    DECISIVE.into_iter().chain(OTHERS)
}

/// Returns an option's name as it is listed. Upper and lower case are not distinguished.
fn known(name: &str) -> Option<&'static str> {
    names().find(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;

    fn options() -> Options {
        Options::new(Model::open::<FusionGame>("material", []).unwrap()).unwrap()
    }

    #[test]
    fn options_change_or_say_why_not() {
        let mut options = options();
        for (text, change, rules) in [
            ("name UCI_Variant value fusion-1999", Change::Rules, "fusion-1999"),
            ("name rules value fusion-2020, castling=no", Change::Rules, "fusion-2020,castling=no"),
            // The expression overrides the variant, whichever was set last.
            ("name UCI_Variant value chess", Change::None, "fusion-2020,castling=no"),
            ("name Rules value <empty>", Change::Rules, "orthodox"),
            ("name UCI_Variant value chess", Change::None, "orthodox"),
            ("name Rules value", Change::None, "orthodox"),
            ("name Network value uniform", Change::Search, "orthodox"),
            ("name Search value pvs", Change::Search, "orthodox"),
            ("name Search value Tree", Change::Search, "orthodox"),
            ("name Hash value 1", Change::Search, "orthodox"),
            ("name UCI_ShowWDL value true", Change::None, "orthodox"),
            ("name MultiPV value 7", Change::None, "orthodox"),
            ("name Threads value 1", Change::None, "orthodox"),
            ("name UCI_LimitStrength value true", Change::Search, "orthodox"),
            ("name EndgameTables value /no/such", Change::Tables, "orthodox"),
        ] {
            assert_eq!(options.set(text), Ok(change), "{text}");
            assert_eq!(options.rules().text, rules);
        }
        assert_eq!((options.network_hash(), options.lines), ("uniform", 7));
        assert_eq!(super::super::searcher::nodes::<FusionGame>(options.hash), 23_831);
        assert!(options.show_wdl && options.level().is_some());
        for none in ["name EndgameTables", "name endgametables value <empty>"] {
            options.tables_folder = Some("x".into());
            assert_eq!(options.set(none), Ok(Change::Tables));
            assert_eq!(options.tables_folder, None);
        }
        assert_eq!(options.wrong.len(), 0);
        assert_eq!(options.set("name Network value shipped"), Ok(Change::Search));
        assert_eq!(options.network_hash(), "material");
    }

    #[test]
    fn wrong_values_change_nothing() {
        let mut options = options();
        for (text, message, decisive) in [
            ("", "needs a name", None),
            ("value 3", "needs a name", None),
            ("name Ponder value true", "no option 'Ponder'", None),
            ("name Hash value much", "'much' is not a number from 1 to 16384", None),
            ("name Hash value", "'' is not a number from 1 to 16384", None),
            ("name Threads value all", "from 1 to 1", None),
            ("name MultiPV value inf", "from 1 to 500", None),
            ("name UCI_ShowWDL value yes", "true or false", None),
            ("name UCI_Variant value atomc", "did you mean atomic?", Some("UCI_Variant")),
            ("name VariantPath value /no/such", "/no/such", None),
            ("name Rules value freechess", "no game of chess", Some("Rules")),
            ("name rules value fusion-2020,castle=no", "unknown toggle", Some("Rules")),
            ("name Network value /no/such/file", "/no/such/file", Some("Network")),
            ("name Search value alphabeta", "'alphabeta' is not tree or pvs", Some("Search")),
            ("name UCI_LimitStrength value", "true or false", Some("UCI_LimitStrength")),
            ("name UCI_Elo value x", "a number from", Some("UCI_Elo")),
        ] {
            let error = options.set(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
            let wrong: Vec<(&str, String)> =
                std::mem::take(&mut options.wrong).into_iter().collect();
            assert_eq!(wrong, Vec::from_iter(decisive.map(|name| (name, error))), "{text}");
        }
        assert_eq!(options.rules().text, "orthodox");
        assert_eq!((options.network_hash(), options.lines, options.hash), ("material", 1, HASH[1]));
        assert_eq!(options.level(), None);
    }

    /// A fraction is cut off, and a number out of range is the nearest in the range.
    #[test]
    fn numbers_are_read_leniently() {
        let mut options = options();
        for (text, value, remarks) in [
            ("name Hash value 64", 64, 0),
            ("name Hash value 64.0", 64, 0),
            ("name\tHash  value\t6.5e1", 65, 0),
            ("name Hash value 0", 1, 1),
            ("name Hash value -7", 1, 1),
            ("name Hash value 18446744073709551615", 16_384, 1),
        ] {
            assert_eq!(options.set(text), Ok(Change::Search), "{text}");
            assert_eq!((options.hash, options.remarks(text).len()), (value, remarks), "{text}");
        }
        for text in
            ["name Threads value 8", "name MultiPV value 9999", "name UCI_ShowWDL value TRUE"]
        {
            assert_eq!(options.set(text), Ok(Change::None), "{text}");
        }
        assert!(options.show_wdl && options.lines == MOST_LINES);
        assert_eq!(options.set("name UCI_Elo value 9000"), Ok(Change::Search));
        assert_eq!((options.elo, options.wrong.len()), (strength::RANGE[1], 0));
    }

    #[test]
    fn a_wrong_value_counts_until_the_option_is_right() {
        let mut options = options();
        for (text, wrong) in [
            ("name Rules value fusion-3000", "Rules"),
            ("name UCI_Variant value fusion-2020", "Rules"),
            ("name Network value /no/such", "Network Rules"),
            ("name Rules value fusion-1999", "Network"),
            ("name Hash value 3", "Network"),
            ("name Network value uniform", ""),
            ("name Rules value fusion-3000", "Rules"),
            ("name Rules value <empty>", ""),
        ] {
            let _ = options.set(text);
            let names: Vec<&str> = options.wrong.keys().copied().collect();
            assert_eq!(names.join(" "), wrong, "{text}");
        }
    }
}
