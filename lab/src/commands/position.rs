//! Options that set a position.

use fusion_chess::board::{Position, fen};
use fusion_chess::rules::RuleSet;
use fusion_jobs::exit::Failure;

/// A position under a rule set, as arguments.
#[derive(Debug, clap::Args)]
pub struct Setting {
    /// A preset and changes to it, such as fusion-2020,castling=no.
    #[arg(long, value_name = "RULES", default_value = "fusion-2020")]
    pub rules: RuleSet,
    /// The position [default: the initial one].
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
}

impl Setting {
    /// Parses the position.
    pub fn position(&self) -> Result<Position, Failure> {
        let fen = self.fen.as_deref().unwrap_or_else(|| fen::start(&self.rules));
        Position::from_fen(&self.rules, fen)
            .map_err(|error| Failure::usage(format!("--fen '{fen}': {error}")))
    }
}
