//! `uci`: the engine for chess programs.

use anyhow::{Context, anyhow};
use fusion_network::Network;
use fusion_network::model::Model;
use fusion_registry::FusionGame;

/// The default network. It is built into the program, so that a copied program has it.
static SHIPPED: &[u8] = include_bytes!("../../../data/nets/family.fnet");

/// Runs the protocol on standard input and output.
pub fn run() -> anyhow::Result<()> {
    let network = Network::from_bytes::<FusionGame>(SHIPPED).map_err(|reason| anyhow!(reason));
    let shipped = Model::of(network.context("the network that is built in is refused")?);
    crate::uci::run(std::io::stdin().lock(), std::io::stdout(), shipped)
}
