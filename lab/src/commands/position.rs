//! Options that set a position.

use fusion_game::Notation;
use fusion_jobs::exit::{Failure, note};
use fusion_registry::KnownGame;
use fusion_study::rule_set;

/// A position under a rule set, as arguments.
#[derive(Debug, clap::Args)]
pub struct Setting {
    /// A preset and changes to it, such as fusion-2020,castling=no
    #[arg(long, value_name = "RULES", default_value = "fusion-2020")]
    rules: String,
    /// The position, as programs write it [default: the initial one]
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
}

impl Setting {
    /// Returns the game that the rule set belongs to.
    pub fn known_game(&self) -> KnownGame {
        KnownGame::of_rules(&self.rules)
    }

    /// Parses the rules and the position. Says which harmless faults of the position were mended.
    pub fn game<G: Notation>(&self) -> Result<G, Failure> {
        let rules = rule_set::<G>(&self.rules)
            .map_err(|error| error.under(format_args!("--rules '{}'", self.rules)))?;
        match &self.position {
            None => Ok(G::new(&rules)),
            Some(text) => {
                let (game, remarks) = G::read_text(&rules, text)
                    .map_err(|error| Failure::usage(format!("--position '{text}': {error}")))?;
                remarks.iter().for_each(|remark| note(format_args!("--position: {remark}")));
                Ok(game)
            }
        }
    }
}
