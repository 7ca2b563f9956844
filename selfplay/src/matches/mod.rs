//! Matches between two players, in pairs of games with colours changed.
//!
//! Both players search with PUCT, without noise. Each pair has its own random opening,
//! and the pairs take the rule sets in turn. A game that reaches the cap counts half a
//! point for each: a match asks who is stronger, not how often games are drawn. The result
//! does not depend on the number of threads: a sequential test is looked at after every
//! [`BATCH`] pairs, when all of them are finished.

use std::path::Path;

use anyhow::Context;
use fusion_engine::cli::Failure;
use fusion_engine::evaluator::Evaluator;
use fusion_engine::game::{Ending, Game, Outcome, Side};
use fusion_engine::search::{Search, SearchConfig};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::atomic;
use crate::elo::{Estimate, Pentanomial};
use crate::play;
use crate::progress::Progress;
use crate::runner::{self, Played, Run};
use crate::seeds;
use crate::shard::{Opened, ShardReader, ShardWriter};
use crate::sprt::{Decision, Sprt, SprtConfig};
use crate::stop::Stop;
use fusion_engine::model::Model;
use rand::RngExt;

/// Kind of the shard.
pub const KIND: &str = "match";
/// Name of the file with the result.
pub const RESULT: &str = "strength.json";
/// Pairs between two looks at a sequential test.
pub const BATCH: u64 = 16;
/// Random openings that end a game are drawn anew so many times.
const OPENING_ATTEMPTS: u32 = 100;

/// A match to be played.
#[derive(Clone)]
pub struct MatchConfig {
    /// The player whose score is reported.
    pub first: Player,
    /// The other player.
    pub second: Player,
    /// Rule sets that the pairs take in turn.
    pub rules: Vec<String>,
    /// Most games, an even number.
    pub games: u64,
    /// Random plies of an opening, from and to.
    pub plies: (u32, u32),
    /// Plies after which a game counts as drawn.
    pub cap: u32,
    /// Settings of both players' searches.
    pub search: SearchConfig,
    /// A test that may end the match early.
    pub sprt: Option<SprtConfig>,
    /// Seed of openings and tie-breaks.
    pub seed: u64,
}

/// One side of a match.
#[derive(Clone)]
pub struct Player {
    /// What judges positions.
    pub model: Model,
    /// Nodes of each move.
    pub nodes: u32,
}

/// A player as files name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerName {
    /// The network's hash, or the evaluator's name.
    pub network: String,
    /// Nodes of each move.
    pub nodes: u32,
}

/// Settings in the shard's header.
#[derive(Clone, Debug, Serialize)]
struct Parameters {
    scheme: &'static str,
    first: PlayerName,
    second: PlayerName,
    rules: Vec<String>,
    plies: (u32, u32),
    cap: u32,
    search: SearchConfig,
    sprt: Option<SprtConfig>,
}

/// The result of a match: `strength.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// The player whose score this is.
    pub first: PlayerName,
    /// The other player.
    pub second: PlayerName,
    /// Rule sets.
    pub rules: Vec<String>,
    /// Everything about all games together.
    #[serde(flatten)]
    pub total: Score,
    /// The sequential test, if one was asked for.
    pub sprt: Option<Sprt>,
    /// The same figures for each rule set.
    pub per_rules: Vec<RulesScore>,
}

/// Score under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesScore {
    /// The rule set.
    pub rules: String,
    /// The figures.
    #[serde(flatten)]
    pub score: Score,
}

/// Counts of games from the first player's view, and what they say about strength.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Games played.
    pub games: u64,
    /// Games that the first player won.
    pub wins: u64,
    /// Drawn games, capped ones included.
    pub draws: u64,
    /// Games that the first player lost.
    pub losses: u64,
    /// Games that reached the cap.
    pub capped: u64,
    /// Pairs by the first player's points: 0, 1/2, 1, 3/2, 2.
    pub pentanomial: Pentanomial,
    /// Mean score, Elo with its 95% interval, likelihood of superiority; absent without games.
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
}

/// One pair as the shard holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    rules: String,
    /// Moves of the opening in coordinate notation.
    opening: String,
    /// The games with the first player to begin and with the second.
    games: [PairGame; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairGame {
    /// Half points of the first player.
    halves: u8,
    ending: String,
    plies: u32,
}

impl Score {
    fn add(&mut self, pair: &Pair) {
        for game in &pair.games {
            self.games += 1;
            match game.halves {
                0 => self.losses += 1,
                1 => self.draws += 1,
                _ => self.wins += 1,
            }
            self.capped += u64::from(game.ending == Ending::Cap.name());
        }
        self.pentanomial.add(pair.games.iter().map(|game| usize::from(game.halves)).sum());
        self.estimate = self.pentanomial.estimate();
    }
}

impl MatchConfig {
    /// # Errors
    /// The first bad value (exit code 64).
    fn check(&self) -> Result<(), Failure> {
        if self.games == 0 || !self.games.is_multiple_of(2) {
            return Err(Failure::usage("a match needs an even number of games"));
        }
        if self.plies.0 > self.plies.1 || self.plies.1 >= self.cap {
            return Err(Failure::usage(
                "a match's openings must have from <= to plies, fewer than the cap",
            ));
        }
        if self.rules.is_empty() {
            return Err(Failure::usage("a match needs at least one rule set"));
        }
        if self.first.nodes == 0 || self.second.nodes == 0 {
            return Err(Failure::usage("both players of a match need at least 1 node"));
        }
        self.sprt.map_or(Ok(()), |sprt| sprt.check("sprt"))
    }

    fn name(player: &Player) -> PlayerName {
        PlayerName { network: player.model.hash().to_owned(), nodes: player.nodes }
    }

    fn run<G: Game>(&self, folder: &Path, arms: &[G::Rules]) -> Run<Parameters> {
        Run {
            kind: KIND,
            folder: folder.to_owned(),
            seed: self.seed,
            shards: 1,
            games: self.games / 2,
            parameters: Parameters {
                scheme: G::SCHEME,
                first: Self::name(&self.first),
                second: Self::name(&self.second),
                rules: arms.iter().map(ToString::to_string).collect(),
                plies: self.plies,
                cap: self.cap,
                search: self.search,
                sprt: self.sprt,
            },
        }
    }
}

/// Plays a match on the current thread pool, or continues one, and writes
/// `strength.json` into the folder. A finished match is only read.
///
/// # Errors
/// A bad configuration or a folder with another match (exit code 64), a damaged shard (65),
/// a request to stop (75 or 130), or an error of the file system.
pub fn run<G: Game>(
    config: &MatchConfig,
    folder: &Path,
    stop: &Stop,
) -> anyhow::Result<MatchReport> {
    config.check()?;
    let arms: Result<Vec<G::Rules>, _> =
        config.rules.iter().map(|text| G::parse_rules(text)).collect();
    let arms = arms.map_err(Failure::usage)?;
    let run = config.run::<G>(folder, &arms);
    let pairs = match run.open(0)? {
        Opened::Complete => read_pairs(&run.path(0))?,
        Opened::Unfinished(mut writer) => {
            let pairs = play_batches::<G>(config, &run, &arms, &mut writer, stop)?;
            writer.finish()?;
            pairs
        }
    };
    let report = report(config, &run.parameters, &pairs);
    let mut json = serde_json::to_vec_pretty(&report)?;
    json.push(b'\n');
    atomic::write_bytes(&folder.join(RESULT), &json)?;
    Ok(report)
}

/// Plays batches until the games are used up or the test has decided.
fn play_batches<G: Game>(
    config: &MatchConfig,
    run: &Run<Parameters>,
    arms: &[G::Rules],
    writer: &mut ShardWriter,
    stop: &Stop,
) -> anyhow::Result<Vec<Pair>> {
    let progress = Progress::new("pairs of the match", run.games, writer.games().count() as u64);
    let mut pairs = Vec::new();
    let mut counts = Pentanomial::default();
    while (pairs.len() as u64) < run.games {
        let start = pairs.len() as u64;
        let batch = start..(start + BATCH).min(run.games);
        let played =
            runner::play_missing(writer, batch.clone(), &progress, stop, |number, progress| {
                play_pair::<G>(config, arms, number, stop, progress)
            });
        if played.is_err() {
            progress.finish();
        }
        played?;
        for number in batch {
            let payload = writer.payload(number)?.context("a pair was not written")?;
            let pair: Pair = serde_json::from_slice(&payload).map_err(Failure::corrupt)?;
            counts.add(pair.games.iter().map(|game| usize::from(game.halves)).sum());
            pairs.push(pair);
        }
        let decided = |sprt: SprtConfig| sprt.test(&counts).decision != Decision::Undecided;
        if config.sprt.is_some_and(decided) {
            break;
        }
    }
    progress.finish();
    Ok(pairs)
}

fn read_pairs(path: &Path) -> anyhow::Result<Vec<Pair>> {
    let pair = |frame: Result<(u64, Vec<u8>), _>| {
        let (_, payload) = frame?;
        let pair = serde_json::from_slice(&payload).map_err(Failure::corrupt);
        pair.with_context(|| path.display().to_string())
    };
    ShardReader::open(path)?.map(pair).collect()
}

fn report(config: &MatchConfig, parameters: &Parameters, pairs: &[Pair]) -> MatchReport {
    let mut total = Score::default();
    let by_rules = |rules: &String| RulesScore { rules: rules.clone(), score: Score::default() };
    let mut per_rules: Vec<RulesScore> = parameters.rules.iter().map(by_rules).collect();
    for pair in pairs {
        total.add(pair);
        if let Some(arm) = per_rules.iter_mut().find(|arm| arm.rules == pair.rules) {
            arm.score.add(pair);
        }
    }
    MatchReport {
        first: parameters.first.clone(),
        second: parameters.second.clone(),
        rules: parameters.rules.clone(),
        sprt: config.sprt.map(|sprt| sprt.test(&total.pentanomial)),
        total,
        per_rules,
    }
}

/// Plays both games of a pair; `None` if stopped.
fn play_pair<G: Game>(
    config: &MatchConfig,
    arms: &[G::Rules],
    number: u64,
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<Played>> {
    let rules = &arms[(number % arms.len() as u64) as usize];
    let numbers = [config.seed, number];
    let (start, line) = opening::<G>(config, rules, &numbers);
    let mut games = Vec::with_capacity(2);
    for first_plays in [Side::First, Side::Second] {
        let Some(game) =
            play_game(config, &start, line.len(), first_plays, &numbers, stop, progress)
        else {
            return Ok(None);
        };
        games.push(game);
    }
    let drawn = games.iter().all(|game| game.halves == 1);
    let games = <[PairGame; 2]>::try_from(games).ok().context("a pair has two games")?;
    let pair = Pair { rules: rules.to_string(), opening: line.join(" "), games };
    Ok(Some(Played { payload: serde_json::to_vec(&pair)?, drawn }))
}

/// A random opening that does not end the game: after too many that do, the initial position.
fn opening<G: Game>(config: &MatchConfig, rules: &G::Rules, numbers: &[u64]) -> (G, Vec<String>) {
    let mut rng = seeds::stream("match opening", numbers);
    for _ in 0..OPENING_ATTEMPTS {
        let plies = rng.random_range(config.plies.0..=config.plies.1);
        let mut game = [G::new(rules)];
        if let Some(line) = play::random_plies(&mut game, plies, &mut rng) {
            let [game] = game;
            return (game, line);
        }
    }
    (G::new(rules), Vec::new())
}

/// A player at the board.
struct Seat<G: Game> {
    search: Search<G>,
    evaluator: Box<dyn Evaluator<G>>,
    ties: ChaCha8Rng,
    nodes: u32,
}

impl<G: Game> Seat<G> {
    fn new(
        player: &Player,
        config: &MatchConfig,
        start: &G,
        purpose: &str,
        numbers: &[u64],
    ) -> Self {
        Self {
            search: Search::new(config.search, start.clone()),
            evaluator: player.model.evaluator(seeds::number(purpose, numbers)),
            ties: seeds::stream(purpose, numbers),
            nodes: player.nodes,
        }
    }

    /// The player's move; `None` if stopped.
    fn choose(&mut self, stop: &Stop) -> Option<G::Move> {
        play::think(&mut self.search, self.evaluator.as_mut(), self.nodes, stop)
            .then(|| self.search.best_move(&mut self.ties))
            .flatten()
    }
}

/// Plays one game; `None` if stopped.
fn play_game<G: Game>(
    config: &MatchConfig,
    start: &G,
    opening_plies: usize,
    first_plays: Side,
    numbers: &[u64],
    stop: &Stop,
    progress: &Progress,
) -> Option<PairGame> {
    let mut first = Seat::new(&config.first, config, start, "match first player", numbers);
    let mut second = Seat::new(&config.second, config, start, "match second player", numbers);
    let mut game = start.clone();
    let mut legal = Vec::new();
    let mut plies = opening_plies as u32;
    loop {
        legal.clear();
        game.legal_moves(&mut legal);
        if let Some(outcome) = play::outcome(&game, &legal, plies, config.cap) {
            return Some(PairGame {
                halves: halves(outcome, first_plays),
                ending: outcome.ending.to_string(),
                plies,
            });
        }
        let seat = if game.side_to_move() == first_plays { &mut first } else { &mut second };
        let mv = seat.choose(stop)?;
        first.search.advance(mv);
        second.search.advance(mv);
        game.play(mv);
        plies += 1;
        progress.count_move();
    }
}

/// Half points of the player who plays `side`.
fn halves(outcome: Outcome, side: Side) -> u8 {
    match outcome.winner {
        Some(winner) if winner == side => 2,
        Some(_) => 0,
        None => 1,
    }
}
