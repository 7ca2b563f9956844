//! Players of a match, opened by their names on command lines and in files.

use std::fmt::{self, Display};
use std::path::Path;
use std::sync::Arc;

use fusion_game::tablebase::Tablebase;
use fusion_game::{CompleteGame, RuleSet};
use fusion_jobs::exit::{Failure, NO_INPUT, USAGE, nearest};
use fusion_network::model::Model;
use fusion_search::{Choices, SearchConfig};
use fusion_study::{PROGRAM, Searcher, Seeds};
use serde::{Deserialize, Serialize};

use super::agreement::differing_count;
use super::program::Program;
use super::seat::{Seat, Start};
use fusion_jobs::seeds;

/// One side of a match. Clones share their network or program.
#[derive(Clone, Debug)]
pub struct Player(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// A search with `nodes` nodes per move.
    Searcher { search: Searcher, nodes: u32, equal_time: bool },
    /// Another program with `nodes` nodes per move.
    Program { program: Arc<Program>, nodes: u32, equal_time: bool },
}

impl From<Searcher> for Player {
    /// A measurement sets the nodes.
    fn from(search: Searcher) -> Self {
        Self::searching(search, 0)
    }
}

impl From<Model> for Player {
    /// A tree search, of which a measurement sets the nodes.
    fn from(model: Model) -> Self {
        Searcher::from(model).into()
    }
}

/// Name of a player in files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerName {
    /// The network's hash, the evaluator's name, or a program's own name with its options.
    pub network: String,
    /// Nodes per move, for players that count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// Whether the nodes were chosen so that both players take the same time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub equal_time: bool,
}

impl Display for PlayerName {
    /// Formats the name with its nodes. A hash is shortened.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A hash may stand between the name of a search and its settings.
        let parts = self.network.split_inclusive([':', '?']);
        for part in parts {
            let hash = part.trim_end_matches('?');
            let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            let short = if is_hash { &hash[..12] } else { hash };
            f.write_str(short)?;
            f.write_str(&part[hash.len()..])?;
        }
        self.nodes.map_or(Ok(()), |nodes| write!(f, " at {nodes} nodes"))
    }
}

impl Player {
    /// Returns a tree search with this model and `nodes` nodes per move.
    #[must_use]
    pub fn of(model: Model, nodes: u32) -> Self {
        Self::searching(model.into(), nodes)
    }

    /// Returns a player that searches `nodes` nodes per move.
    #[must_use]
    pub fn searching(search: Searcher, nodes: u32) -> Self {
        Self(Kind::Searcher { search, nodes, equal_time: false })
    }

    /// Opens a player of games under these rule sets by its text:
    ///
    /// - a text that [`Searcher::open`] reads: a search with `nodes` per move;
    /// - `uci:COMMAND[?SETTING=VALUE[&SETTING=VALUE]...]`: another program, for orthodox chess and for
    ///   the games of files. The command is split into words as a shell splits it, as in `uci:'/My Engines/engine' -x`.
    ///   Settings are `nodes` (per move; default: the argument
    ///   `nodes`), `timeout` (seconds per move, default 60) and `option.NAME` for the program's own
    ///   options, as in
    ///   `uci:stockfish?nodes=2000&option.Skill Level=3`.
    ///
    /// # Errors
    /// Fails on a text that cannot be parsed or resembles a player's name, or rule sets that one network
    /// cannot play (exit code 64), a missing file or program (66), a rejected file (65), or a program
    /// that does not speak UCI.
    pub fn open<'a, G: CompleteGame>(
        text: &str,
        nodes: u32,
        rules: impl IntoIterator<Item = &'a G::Rules>,
    ) -> anyhow::Result<Self> {
        match text.strip_prefix(PROGRAM) {
            Some(rest) => {
                let program = Arc::new(Program::open(rest, nodes)?);
                let nodes = program.nodes();
                Ok(Self(Kind::Program { program, nodes, equal_time: false }))
            }
            None => {
                reject_unknown(text)?;
                Ok(Self::searching(Searcher::open::<G>(text, rules)?, nodes))
            }
        }
    }

    /// Opens the player of a measurement, which sets the nodes of each move, by a text that
    /// [`Player::open`] reads.
    ///
    /// # Errors
    /// Fails as [`Player::open`] does, and on a program with a number of nodes (exit code 64).
    pub fn of_measurement<'a, G: CompleteGame>(
        text: &str,
        rules: impl IntoIterator<Item = &'a G::Rules>,
    ) -> anyhow::Result<Self> {
        if !text.starts_with(PROGRAM) {
            return Ok(Searcher::open::<G>(text, rules)?.into());
        }
        let player = Self::open::<G>(text, 0, rules)?;
        if player.name().nodes == Some(0) {
            return Ok(player);
        }
        let message = format!("{text}: measure.nodes sets the nodes of each move: leave out nodes");
        Err(Failure::usage(message).into())
    }

    /// Returns the identity in results: [`Searcher::name`], or `uci:` and a program's own name with
    /// its options.
    #[must_use]
    pub fn identity(&self) -> String {
        match &self.0 {
            Kind::Searcher { search, .. } => search.name(),
            Kind::Program { program, .. } => format!("{PROGRAM}{}", program.name()),
        }
    }

    /// Returns the name of the player in files.
    #[must_use]
    pub fn name(&self) -> PlayerName {
        let (network, &nodes, &equal_time) = match &self.0 {
            Kind::Searcher { search, nodes, equal_time } => (search.name(), nodes, equal_time),
            Kind::Program { program, nodes, equal_time } => {
                (program.name().to_owned(), nodes, equal_time)
            }
        };
        PlayerName { network, nodes: Some(nodes), equal_time }
    }

    /// Returns the same player with a number of nodes that takes as much time as the other
    /// player's.
    #[must_use]
    pub fn at_equal_time(&self, nodes: u32) -> Self {
        self.changed(nodes, true)
    }

    /// Returns the same player with `nodes` nodes per move.
    #[must_use]
    pub fn with_nodes(&self, nodes: u32) -> Self {
        self.changed(nodes, false)
    }

    fn changed(&self, new: u32, equal: bool) -> Self {
        let mut player = self.clone();
        match &mut player.0 {
            Kind::Searcher { nodes, equal_time, .. } | Kind::Program { nodes, equal_time, .. } => {
                (*nodes, *equal_time) = (new, equal);
            }
        }
        player
    }

    /// Returns the search and its evaluator, for players that have them.
    pub(crate) fn searcher(&self) -> Option<&Searcher> {
        match &self.0 {
            Kind::Searcher { search, .. } => Some(search),
            _ => None,
        }
    }

    /// # Errors
    /// Fails on zero nodes, or on rules that the player does not support (exit code 64).
    pub(super) fn check<R: RuleSet>(&self, rules: &[R]) -> Result<(), Failure> {
        if self.name().nodes == Some(0) {
            return Err(Failure::usage("both players of a match need at least 1 node"));
        }
        self.check_rules(rules)
    }

    /// # Errors
    /// Fails on rules that the player does not support (exit code 64).
    pub(crate) fn check_rules<R: RuleSet>(&self, rules: &[R]) -> Result<(), Failure> {
        let foreign = rules.iter().find(|rules| !Program::can_play(*rules));
        match (&self.0, foreign) {
            (Kind::Program { program, .. }, Some(rules)) => Err(Failure::usage(format!(
                "{} cannot be told the rules {rules}: a program can be told only {} and rules that a \
                 variants.ini describes",
                program.name(),
                Program::RULES
            ))),
            _ => Ok(()),
        }
    }

    /// Checks that a program understands the definitions that it receives, by its move counts after `go perft`:
    /// a program may ignore options that it does not know.
    ///
    /// # Errors
    /// Fails if a count differs or there is none (exit code 64), or if the program does not answer.
    pub(crate) fn check_counts<G: CompleteGame>(&self, arms: &[G::Rules]) -> anyhow::Result<()> {
        let Kind::Program { program, .. } = &self.0 else { return Ok(()) };
        let is_told = |rules: &&G::Rules| rules.variant().is_some_and(|it| it.definition.is_some());
        for rules in arms.iter().filter(is_told) {
            if let Some(difference) = differing_count::<G>(&mut program.start()?, rules)? {
                let message = format!(
                    "{difference}: the program does not understand the definition of {rules}"
                );
                return Err(Failure::usage(message).into());
            }
        }
        Ok(())
    }

    /// Creates the player's seat at the start of a game. Purpose and numbers seed its choices.
    ///
    /// # Errors
    /// Fails if a program cannot be started again.
    pub(crate) fn sit<G: CompleteGame>(
        &self,
        start: &Start<G>,
        search: SearchConfig,
        purpose: &str,
        numbers: &[u64],
    ) -> anyhow::Result<Seat<G>> {
        let numbers = Seeds {
            evaluator: seeds::number(purpose, numbers),
            choices: Choices {
                ties: seeds::stream(purpose, numbers),
                draws: seeds::stream("own opening", numbers),
            },
        };
        self.sit_with(start, &search, None, numbers)
    }

    /// Creates the player's seat at the start of a game. A search probes the endgame tables.
    ///
    /// # Errors
    /// Fails if a program cannot be started again.
    pub(crate) fn sit_with<G: CompleteGame>(
        &self,
        start: &Start<G>,
        search: &SearchConfig,
        tables: Option<Arc<dyn Tablebase<G>>>,
        numbers: Seeds,
    ) -> anyhow::Result<Seat<G>> {
        Ok(match &self.0 {
            Kind::Searcher { search: searcher, nodes, .. } => {
                let player = searcher.player(search, &start.game, tables, numbers);
                Seat { player, nodes: *nodes }
            }
            Kind::Program { program, nodes, .. } => {
                Seat { player: Box::new(program.sit(start, *nodes)?), nodes: *nodes }
            }
        })
    }
}

/// Rejects text that is not a player's name and does not look like a file, unless that file exists.
fn reject_unknown(text: &str) -> Result<(), Failure> {
    if Searcher::is_pvs(text) || text.starts_with(Searcher::DEPTHS) {
        return Ok(());
    }
    let text = text.split_once('?').map_or(text, |(model, _)| model);
    let is_file = text.contains('/') || text.ends_with(".fnet") || Path::new(text).exists();
    if is_file || Model::BUILT_IN.contains(&text) {
        return Ok(());
    }
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let program = PROGRAM.trim_end_matches(':');
    let or = |default| if rest.is_empty() { default } else { rest };
    let pvs = Searcher::PVS.trim_end_matches(':');
    let names = Model::BUILT_IN.into_iter().chain([pvs, program]);
    let nearest = match nearest(name, names) {
        Some(name) if name == pvs => Some(format!("{name}:{}", or("NETWORK"))),
        Some(name) if name == program => Some(format!("{name}:{}", or("COMMAND"))),
        other => other.map(str::to_owned),
    };
    let hint = nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean {name}?"));
    let message = format!(
        "'{text}' is no player and no file: players are {}, {pvs}:NETWORK, {program}:COMMAND \
         and network files, and in a study's opponent also start and self{hint}",
        Model::BUILT_IN.join(", ")
    );
    Err(Failure::new(if nearest.is_some() { USAGE } else { NO_INPUT }, message))
}
