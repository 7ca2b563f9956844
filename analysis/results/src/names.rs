//! Names of players, for use in a sentence.

use fusion_network::model::Model;
use fusion_print::format::count;
use fusion_study::{PROGRAM, Searcher};

/// Returns the first eight digits of a hash, or the full name of an evaluator. A hash in the name of
/// an alpha-beta search, or before settings, is shortened too.
#[must_use]
pub fn short_hash(hash: &str) -> String {
    let (is_pvs, network, _) = parts(hash);
    if !is_hash(network) {
        return hash.to_owned();
    }
    let start = if is_pvs { Searcher::PVS.len() } else { 0 };
    format!("{}{}", &hash[..start + 8], &hash[start + network.len()..])
}

/// Splits the name of a player into whether it searches by alpha-beta, its network or evaluator, and
/// its settings.
#[must_use]
pub fn parts(name: &str) -> (bool, &str, &str) {
    let rest = name.strip_prefix(Searcher::PVS);
    let player = rest.unwrap_or(name);
    let (network, settings) = player.split_once('?').unwrap_or((player, ""));
    (rest.is_some(), network, settings)
}

/// Returns whether the text is a SHA-256 hash in hexadecimal.
#[must_use]
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Returns the name of an agent for use in a sentence.
#[must_use]
pub fn agent(network: &str) -> String {
    if let Some(program) = network.strip_prefix(PROGRAM) {
        return program.to_owned();
    }
    let (is_pvs, model, settings) = parts(network);
    let model = match () {
        () if is_hash(model) => format!("network {}", short_hash(model)),
        () if Model::BUILT_IN.contains(&model) => format!("the {model} evaluator"),
        () if is_pvs => model.to_owned(),
        () => return network.to_owned(),
    };
    let search = if is_pvs { "alpha-beta search with " } else { "" };
    let settings = match settings {
        "" => String::new(),
        settings => format!(" ({})", settings.replace('&', ", ")),
    };
    format!("{search}{model}{settings}")
}

/// What tells the agents of a study apart.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'a> {
    /// A network hash, an evaluator's name, or `random movers`.
    pub agent: &'a str,
    /// Nodes per move. `None` for players that do not search.
    pub nodes: Option<u64>,
    /// Whether each game began with plies of its own.
    pub own_openings: bool,
}

impl Agent<'_> {
    /// Returns a short name of the agent and further details. The name distinguishes the agents,
    /// because narrow screens show only the name.
    #[must_use]
    pub fn name(&self, main_network: &str) -> [String; 2] {
        let agent = match self.agent {
            same if same == main_network && !Searcher::is_pvs(same) => "network".to_owned(),
            "rollout" => "rollouts".to_owned(),
            other => agent(other),
        };
        let nodes = self.nodes.map(|nodes| format!("{} nodes", count(nodes)));
        match nodes {
            Some(nodes) if self.own_openings => [format!("{agent}, own openings"), nodes],
            Some(nodes) => [format!("{agent}, {nodes}"), String::new()],
            None => [agent, String::new()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes() {
        assert_eq!(short_hash("uniform"), "uniform");
        assert_eq!(short_hash(&"ab".repeat(32)), "abababab");
        assert_eq!(agent("rollout"), "the rollout evaluator");
        let plain = format!("pvs:{}", "ab".repeat(32));
        assert_eq!(short_hash(&plain), "pvs:abababab");
        assert_eq!(agent(&plain), "alpha-beta search with network abababab");
        let changed = plain + "?null_move=false&table_mib=4";
        assert_eq!(short_hash(&changed), "pvs:abababab?null_move=false&table_mib=4");
        assert!(agent(&changed).ends_with("network abababab (null_move=false, table_mib=4)"));
        let tree = format!("{}?lcb=0.5", "ab".repeat(32));
        assert_eq!(short_hash(&tree), "abababab?lcb=0.5");
        assert_eq!(agent(&tree), "network abababab (lcb=0.5)");
        assert_eq!(agent("uci:Pikafish 1.0"), "Pikafish 1.0");
        assert_eq!(agent("pvs:material"), "alpha-beta search with the material evaluator");
    }
}
