//! The options that `setoption` changes.

use crate::fusion::FusionGame;
use crate::game::Game;
use crate::model::Model;
use crate::oracle::Oracle;
use crate::rules::{PRESETS, RuleSet};
use crate::search::{Search, SearchConfig};
use std::path::PathBuf;
use std::sync::Arc;

/// Name under which other programs know orthodox chess.
const CHESS: &str = "chess";
const HASH: [u32; 3] = [1, 256, 16_384];

/// The options' values.
pub(super) struct Options {
    /// The rules of the game.
    pub(super) rules: RuleSet,
    /// Whoever evaluates positions.
    pub(super) model: Model,
    /// Whether `info` carries chances of win, draw and loss.
    pub(super) show_wdl: bool,
    hash: u32,
    /// Folder of endgame tables.
    tables_folder: Option<PathBuf>,
    /// The tables in it for the rules, if there are any.
    tables: Option<Arc<dyn Oracle<FusionGame>>>,
}

/// What became of a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The rules may be others: the position is void.
    Rules,
    /// The tree is void.
    Search,
    /// The folder of endgame tables is another: the tree is void.
    Tables,
    /// Nothing that concerns a search.
    None,
}

impl Options {
    pub(super) fn new() -> Result<Self, String> {
        Ok(Self {
            rules: RuleSet::preset("orthodox").map_err(|error| error.to_string())?,
            model: Model::open::<FusionGame>("material").map_err(|error| error.to_string())?,
            show_wdl: false,
            hash: HASH[1],
            tables_folder: None,
            tables: None,
        })
    }

    /// The lines that describe the options to the other program.
    pub(super) fn describe() -> Vec<String> {
        let variants = std::iter::once(CHESS).chain(PRESETS.iter().map(|(name, _)| *name));
        let variants: String = variants.map(|name| format!(" var {name}")).collect();
        let [least, default, most] = HASH;
        vec![
            format!("option name UCI_Variant type combo default {CHESS}{variants}"),
            "option name Rules type string default <empty>".into(),
            "option name Network type string default material".into(),
            format!("option name Hash type spin default {default} min {least} max {most}"),
            "option name UCI_ShowWDL type check default false".into(),
            "option name EndgameTables type string default <empty>".into(),
        ]
    }

    /// A search of a game.
    pub(super) fn search(&self, game: FusionGame) -> Search<FusionGame> {
        let config = SearchConfig { max_nodes: self.max_nodes(), ..SearchConfig::default() };
        Search::new(config, game).with_oracle(self.tables.clone())
    }

    /// Opens the endgame tables for the rules, if there is a folder; what there is to say of it.
    pub(super) fn open_tables(&mut self) -> Option<String> {
        self.tables = None;
        let folder = self.tables_folder.as_deref()?;
        Some(match FusionGame::oracle(&self.rules, folder) {
            Ok(tables) => {
                let found = tables.contents().len();
                self.tables = Some(tables);
                format!("endgame tables for {}: {found}", self.rules)
            }
            Err(error) => format!("option EndgameTables: {error}; searches go without"),
        })
    }

    /// Nodes that the tree may hold.
    fn max_nodes(&self) -> u32 {
        let nodes = (u64::from(self.hash) << 20) / Search::<FusionGame>::NODE_BYTES as u64;
        u32::try_from(nodes).unwrap_or(u32::MAX)
    }

    /// Changes an option: the words after `setoption`.
    pub(super) fn set(&mut self, text: &str) -> Result<Change, String> {
        let text = text.trim();
        let named = text.strip_prefix("name ").ok_or("setoption needs a name")?.trim();
        let (name, value) = match named.split_once(" value") {
            Some((name, value)) => (name.trim(), value.trim()),
            None => (named, ""),
        };
        let wrong = |wanted: &str| format!("option {name} cannot be '{value}'; it takes {wanted}");
        match name.to_ascii_lowercase().as_str() {
            "uci_variant" => {
                let preset = if value == CHESS { "orthodox" } else { value };
                self.rules = RuleSet::preset(preset).map_err(|error| error.to_string())?;
                Ok(Change::Rules)
            }
            "rules" if value.is_empty() || value == "<empty>" => Ok(Change::None),
            "rules" => {
                self.rules = value.parse().map_err(|error| format!("option Rules: {error}"))?;
                Ok(Change::Rules)
            }
            "network" => {
                self.model = Model::open::<FusionGame>(value)
                    .map_err(|error| format!("option Network: {error}"))?;
                Ok(Change::Search)
            }
            "hash" => {
                let range = format!("a number from {} to {}", HASH[0], HASH[2]);
                let size = value.parse().ok().filter(|size| (HASH[0]..=HASH[2]).contains(size));
                self.hash = size.ok_or_else(|| wrong(&range))?;
                Ok(Change::Search)
            }
            "uci_showwdl" => {
                self.show_wdl = value.parse().map_err(|_| wrong("true or false"))?;
                Ok(Change::None)
            }
            "endgametables" => {
                let named = !value.is_empty() && value != "<empty>";
                self.tables_folder = named.then(|| value.into());
                Ok(Change::Tables)
            }
            _ => Err(format!(
                "no option '{name}'; options are UCI_Variant, Rules, Network, Hash, UCI_ShowWDL, \
                 EndgameTables"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_change_or_say_why_not() {
        let mut options = Options::new().unwrap();
        assert_eq!(options.rules.to_string(), "orthodox");
        for (text, change, rules) in [
            ("name UCI_Variant value fusion-1999", Change::Rules, "fusion-1999"),
            ("name rules value fusion-2020, castling=no", Change::Rules, "fusion-2020,castling=no"),
            ("name Rules value <empty>", Change::None, "fusion-2020,castling=no"),
            ("name Rules value", Change::None, "fusion-2020,castling=no"),
            ("name UCI_Variant value chess", Change::Rules, "orthodox"),
            ("name Network value uniform", Change::Search, "orthodox"),
            ("name Hash value 1", Change::Search, "orthodox"),
            ("name UCI_ShowWDL value true", Change::None, "orthodox"),
            ("name EndgameTables value /no/such", Change::Tables, "orthodox"),
        ] {
            assert_eq!(options.set(text), Ok(change), "{text}");
            assert_eq!(options.rules.to_string(), rules);
        }
        assert_eq!(options.model.name(), "uniform");
        assert_eq!(options.max_nodes(), 26_214);
        assert!(options.show_wdl);
        let remark = options.open_tables().unwrap();
        assert!(remark.starts_with("option EndgameTables: /no/such holds no"), "{remark}");
        for none in ["name EndgameTables", "name endgametables value <empty>"] {
            assert_eq!(options.set(none), Ok(Change::Tables));
            assert_eq!(options.open_tables(), None);
        }
        for (text, message) in [
            ("", "needs a name"),
            ("value 3", "needs a name"),
            ("name Ponder value true", "no option 'Ponder'"),
            ("name Hash value 0", "from 1 to 16384"),
            ("name Hash value much", "from 1 to 16384"),
            ("name UCI_ShowWDL value yes", "true or false"),
            ("name UCI_Variant value atomic", "unknown rule set 'atomic'"),
            ("name Rules value fusion-2020,castle=no", "unknown toggle"),
            ("name Network value /no/such/file", "/no/such/file"),
        ] {
            let error = options.set(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
        assert_eq!(options.rules.to_string(), "orthodox");
        assert_eq!(options.model.name(), "uniform");
    }
}
