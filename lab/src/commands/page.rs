//! `fusion play` in a browser: serves the page and the engine on this machine.

use super::play::say_no_network;
use anyhow::Context;
use fusion_game::{CompleteGame, Notation};
use fusion_jobs::exit::{Failure, say};
use fusion_jobs::plain;
use fusion_network::Network;
use fusion_network::views::ViewNetwork;
use fusion_registry::KnownGame;
use fusion_server::Options;
use std::path::Path;

/// Serves the page until Ctrl-C. Its address opens the game at this position.
pub(super) fn serve<G: CompleteGame>(
    game: &G,
    known: KnownGame,
    side: &str,
    port: u16,
    network: Option<&str>,
) -> anyhow::Result<()> {
    let own = match network {
        Some(name) => Some(read::<G>(game.rules(), name)?),
        None => known.page_network().map(<[u8]>::to_vec),
    };
    if own.is_none() {
        say_no_network("alpha-beta");
    }
    // The page can begin any other game, too.
    let others = KnownGame::ALL.into_iter().filter(|&game| game != known);
    let others = others.filter_map(KnownGame::page_network).map(<[u8]>::to_vec);
    let networks = own.into_iter().chain(others).collect();
    let address = fragment(game, side);
    let options = Options { port, networks, ..Options::default() };
    fusion_server::serve(options, |at| {
        say(format_args!("Open http://{at}/{address} in a browser. Ctrl-C ends the server."));
    })
}

/// Reads the file of a network of either search for a rule set.
fn read<G: CompleteGame>(rules: &G::Rules, name: &str) -> anyhow::Result<Vec<u8>> {
    let path = Path::new(name);
    let bytes = plain::read(path, plain::TABLE).context("--network")?;
    let checked = if Network::is_file(&bytes) {
        Network::from_bytes::<G>(rules, &bytes).map(|_| ())
    } else {
        ViewNetwork::from_bytes::<G>(rules, &bytes).map(|_| ())
    };
    let refused = |reason| {
        let example = "such as data/nets/family-pvs.fnet";
        Failure::usage(format!(
            "--network {name}: {reason}; the page needs a network file for this game, {example}"
        ))
    };
    checked.map_err(refused)?;
    Ok(bytes)
}

/// Returns the end of the address, which names the game: `#rules=fusion-2020&side=second`.
fn fragment<G: Notation>(game: &G, side: &str) -> String {
    let mut fragment = format!("#rules={}", encoded(&game.rules().to_string()));
    let start = game.to_text();
    if start != G::new(game.rules()).to_text() {
        fragment += &format!("&start={}", encoded(&start));
    }
    fragment + "&side=" + side
}

/// Encodes a text for an address.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~,=".contains(&byte);
    let encode = |byte: u8| {
        if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::RuleSet;
    use fusion_game::toy::{TicTacToe, Variant};

    #[test]
    fn the_address_names_the_game() {
        let rules = Variant::parse("double").unwrap();
        let game = TicTacToe::from_text(&rules, "x........").unwrap();
        assert_eq!(fragment(&game, "second"), "#rules=double&start=x........&side=second");
        assert_eq!(encoded("a b/c,d=e"), "a%20b%2Fc,d=e");
    }
}
