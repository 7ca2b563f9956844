//! Players that count their nodes, by name: a search with its evaluator.

use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_network::model::{Model, MoveModel};
use fusion_search::pvs::PvsConfig;

use crate::{SearchKind, open_model, open_move_model};

/// A search with its evaluator. Clones share their network.
#[derive(Clone, Debug)]
pub enum Searcher {
    /// Tree search.
    Tree(Model),
    /// Alpha-beta search of selective depth.
    Pvs(PvsConfig, MoveModel),
}

impl From<Model> for Searcher {
    fn from(model: Model) -> Self {
        Self::Tree(model)
    }
}

impl Searcher {
    /// Prefix of the names of players that search by alpha-beta to a selective depth.
    pub const PVS: &str = "pvs:";

    /// Returns whether a player's text or name is that of an alpha-beta search of selective depth.
    #[must_use]
    pub fn is_pvs(player: &str) -> bool {
        player.starts_with(Self::PVS)
    }

    /// Opens a searcher by its text:
    ///
    /// - `uniform`, `material`, `rollout` or a network file: tree search;
    /// - `pvs:MODEL[?SETTING=VALUE[&SETTING=VALUE]...]`: alpha-beta search of selective depth, where
    ///   `MODEL` is as above or a network of its own and the settings are those of [`PvsConfig`].
    ///
    /// # Errors
    /// Fails on settings that cannot be parsed (exit code 64), a missing file (66) or a rejected
    /// file (65).
    pub fn open<G: CompleteGame>(text: &str) -> Result<Self, Failure> {
        let Some(rest) = text.strip_prefix(Self::PVS) else {
            return open_model::<G>(text).map(Self::Tree);
        };
        let (model, settings) = rest.split_once('?').unwrap_or((rest, ""));
        let config =
            pvs_config(settings).map_err(|error| Failure::usage(format!("{text}: {error}")))?;
        Ok(Self::Pvs(config, open_move_model::<G>(model)?))
    }

    /// Returns the text that opens a network file for the search that it was trained for.
    #[must_use]
    pub fn text(search: SearchKind, path: &str) -> String {
        match search {
            SearchKind::Tree => path.to_owned(),
            SearchKind::Pvs => format!("{}{path}", Self::PVS),
        }
    }

    /// Returns the identity in results: the hash of the network or the name of the evaluator. For
    /// alpha-beta search it stands between the prefix and the settings that are not the usual ones.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Tree(model) => model.hash().to_owned(),
            Self::Pvs(config, model) => {
                format!("{}{}{}", Self::PVS, model.hash(), settings_of(config))
            }
        }
    }
}

/// Parses `SETTING=VALUE[&SETTING=VALUE]...` with the keys of [`PvsConfig`].
fn pvs_config(settings: &str) -> Result<PvsConfig, String> {
    let parsed = toml::from_str::<PvsConfig>(&settings.replace('&', "\n"));
    let config = parsed.map_err(|error| error.message().to_owned())?;
    config.check().map(|()| config)
}

/// Returns the settings that are not the usual ones, as [`pvs_config`] parses them, after a
/// question mark; an empty text if there are none.
fn settings_of(config: &PvsConfig) -> String {
    let table = |config: &PvsConfig| toml::Table::try_from(config).unwrap_or_default();
    let usual = table(&PvsConfig::default());
    let settings = table(config).into_iter().filter(|(key, value)| usual.get(key) != Some(value));
    let settings: Vec<String> = settings.map(|(key, value)| format!("{key}={value}")).collect();
    if settings.is_empty() { String::new() } else { format!("?{}", settings.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use fusion_jobs::exit::{USAGE, exit_code};

    #[test]
    fn names_have_the_search_and_its_unusual_settings() {
        let name = |text: &str| Searcher::open::<FusionGame>(text).map(|found| found.name());
        for (text, expected) in [
            ("material", "material"),
            ("pvs:material", "pvs:material"),
            ("pvs:material?table_mib=16&null_move=true", "pvs:material"),
            ("pvs:uniform?null_move=false", "pvs:uniform?null_move=false"),
        ] {
            assert_eq!(name(text).unwrap(), expected);
        }
        for text in [
            "pvs:material?table_mib=0",
            "pvs:material?reduction_statistic=0",
            "pvs:material?futility_growth=2147483647",
            "pvs:material?fast=true",
            "pvs:material?null_move",
        ] {
            assert_eq!(exit_code(&name(text).unwrap_err().into()), USAGE, "{text}");
        }
    }
}
