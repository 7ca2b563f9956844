//! Players that count their nodes, by name: a search with its evaluator.

use fusion_game::CompleteGame;
use fusion_game::evaluator::Wdl;
use fusion_game::tablebase::Tablebase;
use fusion_jobs::exit::Failure;
use fusion_jobs::seeds;
use fusion_network::model::{Model, MoveModel};
use fusion_search::pvs::{Pvs, PvsConfig};
use fusion_search::{Choices, Player, SearchConfig, TreePlayer};
use std::borrow::Cow;
use std::sync::Arc;

use crate::files::PROGRAM;
use crate::{SearchKind, TreeSettings, open_model, open_move_model};

/// A search with its evaluator. Clones share their network.
#[derive(Clone, Debug)]
pub enum Searcher {
    /// Tree search, with settings in place of those of the run.
    Tree(TreeSettings, Model),
    /// Alpha-beta search of selective depth.
    Pvs(PvsConfig, MoveModel),
}

/// Random numbers of a player.
#[derive(Clone, Debug)]
pub struct Seeds {
    /// Seed of an evaluator that draws random numbers.
    pub evaluator: u64,
    /// Random numbers of the choice of moves.
    pub choices: Choices,
}

impl Seeds {
    /// Returns the numbers of the player of a measurement game.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        Self {
            evaluator: seed,
            choices: Choices {
                ties: seeds::stream("tie-breaks", &[seed]),
                draws: seeds::stream("own opening", &[seed]),
            },
        }
    }
}

impl From<Model> for Searcher {
    fn from(model: Model) -> Self {
        Self::Tree(TreeSettings::default(), model)
    }
}

impl Searcher {
    /// Prefix of the names of players that search by alpha-beta to a selective depth.
    pub const PVS: &str = "pvs:";

    /// Prefix of the names of players that searched to a fixed depth, which are rejected by name:
    /// studies and results of earlier builds may have them.
    pub const DEPTHS: &str = "alphabeta:";

    /// Returns whether a player's text or name is that of an alpha-beta search of selective depth.
    #[must_use]
    pub fn is_pvs(player: &str) -> bool {
        player.starts_with(Self::PVS)
    }

    /// Returns whether a player's text or name is that of a tree search: neither alpha-beta nor a program.
    #[must_use]
    pub fn has_tree(player: &str) -> bool {
        !Self::is_pvs(player) && !player.starts_with(PROGRAM)
    }

    /// Opens a searcher of games under these rule sets by its text:
    ///
    /// - `MODEL[?SETTING=VALUE[&SETTING=VALUE]...]`: tree search, where `MODEL` is `uniform`,
    ///   `material`, `rollout` or a network file and the settings are [`TreeSettings`];
    /// - `pvs:MODEL[?SETTING=VALUE[&SETTING=VALUE]...]`: alpha-beta search of selective depth, where
    ///   `MODEL` is as above or a network of its own and the settings are those of [`PvsConfig`].
    ///
    /// # Errors
    /// Fails on settings that cannot be parsed or rule sets that one network cannot play (exit code
    /// 64), a missing file (66) or a rejected file (65).
    pub fn open<'a, G: CompleteGame>(
        text: &str,
        rules: impl IntoIterator<Item = &'a G::Rules>,
    ) -> Result<Self, Failure> {
        if text.starts_with(Self::DEPTHS) {
            return Err(Failure::usage(format!(
                "'{text}' is no player: {}material is the alpha-beta search on material, and takes \
                 a number of nodes instead of a depth",
                Self::PVS
            )));
        }
        let wrong = |error| Failure::usage(format!("{text}: {error}"));
        let rest = text.strip_prefix(Self::PVS);
        let player = rest.unwrap_or(text);
        let (model, settings) = player.split_once('?').unwrap_or((player, ""));
        if rest.is_none() {
            let settings = TreeSettings::parse(settings).map_err(wrong)?;
            return Ok(Self::Tree(settings, open_model::<G>(model, rules)?));
        }
        let config = pvs_config(settings).map_err(wrong)?;
        Ok(Self::Pvs(config, open_move_model::<G>(model, rules)?))
    }

    /// Returns a player of a game from this position on, under a rule set of those that the searcher was
    /// opened for. Settings of its own replace those of `base`.
    #[must_use]
    pub fn player<G: CompleteGame>(
        &self,
        base: &SearchConfig,
        start: &G,
        tables: Option<Arc<dyn Tablebase<G>>>,
        Seeds { evaluator, choices }: Seeds,
    ) -> Box<dyn Player<G>> {
        match self {
            Self::Tree(settings, model) => {
                let (config, evaluator) = (settings.over(*base), model.evaluator(evaluator));
                Box::new(TreePlayer::new(config, start, evaluator, tables, choices))
            }
            Self::Pvs(config, model) => {
                let search = Pvs::new(*config, start.rules(), model.evaluator(evaluator));
                Box::new(search.with_tablebase(tables).with_draws(choices.draws))
            }
        }
    }

    /// Returns the chances of the side to move without a search.
    #[must_use]
    pub fn chances<G: CompleteGame>(&self, game: &G) -> Wdl {
        match self {
            Self::Tree(_, model) => model.evaluator::<G>(0).value(game).wdl,
            Self::Pvs(_, model) => {
                let mut evaluator = model.evaluator::<G>(0);
                evaluator.begin(game);
                evaluator.chances(game)
            }
        }
    }

    /// Checks that its evaluator can play under all rule sets of a list.
    ///
    /// # Errors
    /// Names a rule set whose inputs or outputs its network does not have (exit code 64).
    pub fn check_plays<G: CompleteGame>(&self, rules: &[G::Rules]) -> Result<(), Failure> {
        match rules.iter().find(|rules| !self.plays::<G>(rules)) {
            None => Ok(()),
            Some(other) => Err(Failure::usage(format!(
                "{} cannot play {other}: its network has other inputs or outputs",
                self.name()
            ))),
        }
    }

    /// Returns the same player for short searches, which fill no large table.
    #[must_use]
    pub fn for_short_searches(&self) -> Self {
        match self {
            Self::Pvs(config, model) => {
                Self::Pvs(PvsConfig { table_mib: 1, ..*config }, model.clone())
            }
            Self::Tree(..) => self.clone(),
        }
    }

    /// Returns the text that opens a network file for the search that it was trained for.
    #[must_use]
    pub fn text(search: SearchKind, path: &str) -> String {
        match search {
            SearchKind::Tree => path.to_owned(),
            SearchKind::Pvs => format!("{}{path}", Self::PVS),
        }
    }

    /// Returns the name of the inputs and moves of its evaluator under a rule set, as the header of a
    /// network file has it.
    #[must_use]
    pub fn scheme<G: CompleteGame>(&self, rules: &G::Rules) -> Cow<'static, str> {
        match self {
            Self::Pvs(_, MoveModel::Views(_)) => G::views(rules).name,
            Self::Pvs(_, MoveModel::Model(_)) | Self::Tree(..) => G::encoding(rules).name,
        }
    }

    /// Returns whether its evaluator can play under a rule set: it is built in, or its network has the
    /// inputs and outputs of the rule set.
    #[must_use]
    pub fn plays<G: CompleteGame>(&self, rules: &G::Rules) -> bool {
        match self {
            Self::Pvs(_, model) => model.plays::<G>(rules),
            Self::Tree(_, model) => model.plays::<G>(rules),
        }
    }

    /// Returns the identity in results: the hash of the network or the name of the evaluator. For
    /// alpha-beta search it stands between the prefix and the settings that are not the usual ones,
    /// for tree search before the settings of its own.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Tree(settings, model) => format!("{}{settings}", model.hash()),
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
        let name = |text: &str| Searcher::open::<FusionGame>(text, []).map(|found| found.name());
        for (text, expected) in [
            ("material", "material"),
            ("material?lcb=0.5", "material?lcb=0.5"),
            ("pvs:material", "pvs:material"),
            ("pvs:material?table_mib=16&null_move=true", "pvs:material"),
            ("pvs:uniform?null_move=false", "pvs:uniform?null_move=false"),
        ] {
            assert_eq!(name(text).unwrap(), expected);
        }
        for text in [
            "material?c_puct=0.0",
            "material?max_nodes=4096",
            "material?null_move=true",
            "material?lcb",
            "material?contempt=-1.5",
            "pvs:material?table_mib=0",
            "pvs:material?fast=true",
            "pvs:material?null_move",
        ] {
            assert_eq!(exit_code(&name(text).unwrap_err().into()), USAGE, "{text}");
        }
    }
}
