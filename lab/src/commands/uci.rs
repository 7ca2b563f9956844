//! `uci`: the engine for chess programs.

use super::play::shipped;
use fusion_chess::rules::RuleSet;
use fusion_registry::{FusionGame, KnownGame};

/// Runs the protocol on standard input and output.
pub fn run() -> anyhow::Result<()> {
    let rules = RuleSet::preset("orthodox")?;
    let network = shipped::<FusionGame>(KnownGame::Chess, &rules)?;
    crate::uci::run(std::io::stdin().lock(), std::io::stdout(), network)
}
