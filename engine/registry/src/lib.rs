//! The games that the programs play.
//!
//! This is the only list of games. A new game is an entry of [`KnownGame`] and an arm of
//! [`for_game!`]. The programs are generic over the game, except for endgame tables and the UCI
//! server. Users name no game: a rule set belongs to the game that has its preset.
//!
//! ```
//! use fusion_game::prelude::*;
//! use fusion_registry::{KnownGame, for_game};
//!
//! fn initial<G: CompleteGame>(rules: &str) -> Result<String, String> {
//!     Ok(G::new(&G::Rules::parse(rules)?).to_text())
//! }
//!
//! let rules = "orthodox";
//! let text = for_game!(KnownGame::of_rules(rules), G => initial::<G>(rules)).unwrap();
//! assert!(text.ends_with("w KQkq - 0 1"));
//! ```

pub use fusion_chesimal::ChesimalGame;
pub use fusion_chess::FusionGame;
pub use fusion_fairy::FairyGame;
pub use fusion_freechess::FreeChess;
use fusion_game::{CompleteGame, RuleSet, files, know_presets};

/// A game that the programs play. The default is the game of rule sets that no game knows; its
/// parser reports the error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownGame {
    /// Fusion Chess, its relatives and orthodox chess.
    #[default]
    Chess,
    /// FreeChess.
    FreeChess,
    /// Chesimal Fusion I.
    Chesimal,
    /// A game that a file defines: its rule sets name a section, `games/my.ini#my-game`.
    Fairy,
}

/// The path of a file below the top folder of the repository, and its bytes.
macro_rules! shipped {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../../../", $path)))
    };
}

impl KnownGame {
    /// All games.
    pub const ALL: [Self; 4] = [Self::Chess, Self::FreeChess, Self::Chesimal, Self::Fairy];

    /// Returns the network file that the programs have for the game, so that a copied program has
    /// it. `None` if no network has been trained for the game yet. Programs then count material and
    /// say so.
    #[must_use]
    pub fn network(self) -> Option<&'static [u8]> {
        self.shipped().map(|(_, bytes)| bytes)
    }

    /// Returns the player of studies that name none and train none: the path of
    /// [`KnownGame::network`] below the top folder of the repository, or `material`.
    ///
    /// ```
    /// use fusion_registry::KnownGame;
    ///
    /// assert_eq!(KnownGame::Chess.player(), "data/nets/family.fnet");
    /// ```
    #[must_use]
    pub fn player(self) -> &'static str {
        self.shipped().map_or("material", |(path, _)| path)
    }

    fn shipped(self) -> Option<(&'static str, &'static [u8])> {
        match self {
            Self::Chess => Some(shipped!("data/nets/family.fnet")),
            Self::Chesimal => Some(shipped!("data/nets/chesimal.fnet")),
            Self::FreeChess => Some(shipped!("data/nets/freechess.fnet")),
            Self::Fairy => None,
        }
    }

    /// Returns the file of the network of the alpha-beta search that the programs have for the game;
    /// `None` as for [`KnownGame::network`].
    #[must_use]
    pub fn move_network(self) -> Option<&'static [u8]> {
        self.shipped_moves().map(|(_, bytes)| bytes)
    }

    fn shipped_moves(self) -> Option<(&'static str, &'static [u8])> {
        match self {
            Self::Chess => Some(shipped!("data/nets/family-pvs.fnet")),
            Self::FreeChess | Self::Chesimal | Self::Fairy => None,
        }
    }

    /// Holds the networks of all games in memory ([`files::hold`]), by their paths below the top folder of the
    /// repository: a program without a checkout reads them there.
    pub fn hold_networks() {
        let all = Self::ALL.into_iter().flat_map(|game| [game.shipped(), game.shipped_moves()]);
        for (path, bytes) in all.flatten() {
            files::hold(path, bytes);
        }
    }

    /// Returns the network with which pages play the game: that of the alpha-beta search if there is
    /// one, else that of the tree search.
    #[must_use]
    pub fn page_network(self) -> Option<&'static [u8]> {
        self.move_network().or(self.network())
    }

    /// Returns the player of the measurements of pages, as studies name it: the alpha-beta search with
    /// [`KnownGame::move_network`], else [`KnownGame::player`]. Without a network it counts material.
    #[must_use]
    pub fn page_player(self) -> &'static str {
        match self {
            Self::Chess => "pvs:data/nets/family-pvs.fnet",
            Self::FreeChess | Self::Chesimal => self.player(),
            Self::Fairy => "pvs:material",
        }
    }

    /// Returns the game that a rule set belongs to: the one that has the preset before the first
    /// comma, or a file's if a section is named there. The message of its parser on an unknown one names the presets of all games.
    #[must_use]
    pub fn of_rules(rules: &str) -> Self {
        let preset = rules.split(',').next().unwrap_or_default().trim();
        if preset.contains('#') {
            return Self::Fairy;
        }
        know_presets(|| {
            let of = |game: Self| for_game!(game, G => presets::<G>());
            Self::ALL.into_iter().flat_map(of).collect()
        });
        let has_preset = |game: &Self| for_game!(*game, G => has_preset::<G>(preset));
        Self::ALL.into_iter().find(has_preset).unwrap_or_default()
    }
}

fn has_preset<G: CompleteGame>(name: &str) -> bool {
    presets::<G>().contains(&name)
}

/// Returns the names of a game's presets.
fn presets<G: CompleteGame>() -> Vec<&'static str> {
    G::Rules::presets().into_iter().map(|(name, _)| name).collect()
}

/// Evaluates an expression with a type name that stands for a [`KnownGame`]'s type.
#[macro_export]
macro_rules! for_game {
    ($game:expr, $G:ident => $body:expr) => {
        match $game {
            $crate::KnownGame::Chess => {
                type $G = $crate::FusionGame;
                $body
            }
            $crate::KnownGame::FreeChess => {
                type $G = $crate::FreeChess;
                $body
            }
            $crate::KnownGame::Chesimal => {
                type $G = $crate::ChesimalGame;
                $body
            }
            $crate::KnownGame::Fairy => {
                type $G = $crate::FairyGame;
                $body
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_preset_belongs_to_one_game() {
        let mut presets = BTreeSet::new();
        for game in KnownGame::ALL {
            for_game!(game, G => {
                for (name, _) in <G as fusion_game::Game>::Rules::presets() {
                    assert!(presets.insert(name), "{name} belongs to two games");
                    assert_eq!(KnownGame::of_rules(name), game);
                    assert_eq!(KnownGame::of_rules(&format!("{name}, x=y")), game);
                }
            });
        }
        assert_eq!(KnownGame::of_rules("no such rules"), KnownGame::default());
    }

    #[test]
    fn an_unknown_rule_set_gets_a_near_name_and_the_presets_of_all_games() {
        for (text, near) in [
            ("fusion2020", "fusion-2020"),
            ("FreeChess,x=y", "freechess"),
            ("chesimel", "chesimal"),
        ] {
            let error = for_game!(KnownGame::of_rules(text), G => <G as fusion_game::Game>::Rules::parse(text).unwrap_err().to_string());
            assert!(error.contains(&format!("did you mean {near}?")), "{error}");
            for game in KnownGame::ALL {
                for name in for_game!(game, G => presets::<G>()) {
                    assert!(error.contains(name), "{name}: {error}");
                }
            }
        }
    }

    #[test]
    fn every_game_conforms() {
        for game in KnownGame::ALL {
            for_game!(game, G => fusion_game::conformance::check::<G>(2, 1).unwrap());
        }
    }
}
