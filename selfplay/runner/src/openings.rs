//! The pool of openings for the measurement of all rule sets.
//!
//! The number of plies of an opening is drawn uniformly from a range. Each ply is drawn uniformly
//! from the moves that are legal in every rule set of the study and that neither fuse, split nor
//! castle in any of them. A turn that has begun is played to its end. An opening is kept if three
//! conditions hold. No rule set's game is over after it. No kept opening has its position (in any
//! rule set). It favours neither side clearly, by a short search in each rule set.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use anyhow::Context;
use fusion_game::{CompleteGame, Side, hex};
use fusion_jobs::exit::Failure;
use fusion_search::{Effort, SearchConfig};
use rand::RngExt;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::play;
use fusion_jobs::atomic;
use fusion_jobs::checksums;
use fusion_jobs::plain;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_study::{MAX_OPENING_PLIES, OpeningsConfig, Searcher, Seeds, rule_sets};

/// Number of candidates that are evaluated at a time, in parallel.
const BATCH: u64 = 64;
/// Limit of candidates per opening wanted. After these the search for openings is given up.
const ATTEMPTS: u64 = 100;

/// One opening; a row of `openings.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Number in the pool, from 0.
    pub id: u32,
    /// Number of the initial position, counted round. It counts only for rule sets with several.
    pub start: u64,
    /// Number of plies.
    pub plies: u32,
    /// The moves from there, in coordinate notation, joined by spaces.
    pub moves: String,
    /// The position reached, under the first rule set of the pool.
    pub position: String,
}

/// Returns the columns of `openings.csv` in order. `start` is left out if it is 0 everywhere.
fn columns<G: CompleteGame>(starts: bool) -> Vec<&'static str> {
    let start = starts.then_some("start");
    ["id"].into_iter().chain(start).chain(["plies", "moves", G::POSITION]).collect()
}

fn parse<G: CompleteGame>(csv: &[u8]) -> Result<Vec<Opening>, String> {
    let mut reader = csv::Reader::from_reader(csv);
    let header = reader.headers().map_err(|error| error.to_string())?;
    let starts = header.get(1) == Some("start");
    if header != columns::<G>(starts).as_slice() {
        return Err(format!("the columns must be {}", columns::<G>(starts).join(",")));
    }
    if starts {
        let opening = |row: csv::Result<_>| {
            let (id, start, plies, moves, position) = row.map_err(|error| error.to_string())?;
            Ok(Opening { id, start, plies, moves, position })
        };
        return reader.into_deserialize().map(opening).collect();
    }
    let opening = |row: csv::Result<_>| {
        let (id, plies, moves, position) = row.map_err(|error| error.to_string())?;
        Ok(Opening { id, start: 0, plies, moves, position })
    };
    reader.into_deserialize().map(opening).collect()
}

/// A pool of openings with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    openings: Vec<Opening>,
    csv: Vec<u8>,
}

impl Pool {
    /// `starts` says whether the initial position's numbers are written.
    fn new<G: CompleteGame>(openings: Vec<Opening>, starts: bool) -> anyhow::Result<Self> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(columns::<G>(starts))?;
        for Opening { id, start, plies, moves, position } in &openings {
            let start = starts.then(|| start.to_string());
            let cells = [plies.to_string(), moves.clone(), position.clone()];
            writer.write_record([id.to_string()].into_iter().chain(start).chain(cells))?;
        }
        let csv = writer.into_inner().map_err(|error| error.into_error())?;
        Ok(Self { openings, csv })
    }

    /// Returns a pool of `count` openings without plies, for games that begin with their own plies.
    #[must_use]
    pub fn without_plies(count: u32) -> Self {
        let none = String::new;
        let opening =
            |id: u32| Opening { id, start: id.into(), plies: 0, moves: none(), position: none() };
        Self { openings: (0..count).map(opening).collect(), csv: Vec::new() }
    }

    /// Reads `openings.csv`.
    ///
    /// # Errors
    /// Fails if the file is missing (exit code 66) or is not a pool (65).
    pub fn open<G: CompleteGame>(path: &Path) -> anyhow::Result<Self> {
        let csv = plain::text(path, plain::TABLE).context("reading the openings")?.into_bytes();
        let wrong = |error| Failure::corrupt(format!("{}: {error}", path.display()));
        Ok(Self::parse::<G>(csv).map_err(wrong)?)
    }

    /// Parses the content of `openings.csv`.
    ///
    /// # Errors
    /// Returns the reason why it is no pool.
    pub fn parse<G: CompleteGame>(csv: Vec<u8>) -> Result<Self, String> {
        let openings = parse::<G>(&csv)?;
        let numbered = (0..).zip(&openings).all(|(id, opening)| opening.id == id);
        if openings.is_empty() || !numbered {
            return Err("openings must be numbered 0, 1, 2 and so on".to_owned());
        }
        let fits =
            |o: &Opening| o.plies <= MAX_OPENING_PLIES && o.plies as usize == o.texts().count();
        match openings.iter().find(|opening| !fits(opening)) {
            None => Ok(Self { openings, csv }),
            Some(opening) => Err(format!(
                "opening {} must have as many moves as plies, at most {MAX_OPENING_PLIES}",
                opening.id
            )),
        }
    }

    /// Rejects a pool with another number of openings, since a row was lost or added.
    ///
    /// # Errors
    /// Fails if the number differs (exit code 65).
    pub fn check_count(&self, count: u32, path: &Path) -> Result<(), Failure> {
        if self.openings.len() == count as usize {
            return Ok(());
        }
        Err(Failure::corrupt(format!(
            "{} has {} openings, the study's openings.count is {count}: {} with `fusion \
             openings --study`, or name it with --openings if that is what you want",
            path.display(),
            self.openings.len(),
            if self.openings.len() < count as usize {
                "add the others"
            } else {
                "delete it and make it again"
            }
        )))
    }

    /// Returns whether a pool with this hash has the first openings of this pool and no others.
    #[must_use]
    pub fn begins_with(&self, hash: &str) -> bool {
        begins_with(&self.csv, hash)
    }

    /// Writes `openings.csv`. A file with the same openings is not changed. A file with only the
    /// first of them, from an earlier smaller count in the study, gets the others.
    ///
    /// # Errors
    /// Fails on a file with other openings (exit code 64), or on an error of the file system.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        let old = plain::read_if_there(path, plain::TABLE)?;
        // An editor on another system may have changed the line ends.
        let old = old.map(|old| plain::normalised(old.clone()).map_or(old, String::into_bytes));
        match old {
            Some(old) if old == self.csv => Ok(()),
            Some(old) if self.begins_with(&checksums::of(&old)) => {
                atomic::write_bytes(path, &self.csv)
            }
            Some(_) => Err(Failure::usage(format!(
                "{} exists with other openings: delete it or choose another file",
                path.display()
            ))
            .into()),
            None => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)
                        .with_context(|| format!("creating {}", folder.display()))?;
                }
                atomic::write_bytes(path, &self.csv)
            }
        }
    }

    /// Returns the pool of the first `count` openings; all of them if there are no more.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let openings = self.openings[..count.min(self.openings.len())].to_vec();
        // The header is a line, too.
        let lines = self.csv.split_inclusive(|&byte| byte == b'\n').take(openings.len() + 1);
        Self { csv: lines.flatten().copied().collect(), openings }
    }

    /// Returns the content of `openings.csv`.
    #[must_use]
    pub fn csv(&self) -> &[u8] {
        &self.csv
    }

    /// Returns the openings, by number.
    #[must_use]
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// Returns the SHA-256 of the file, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        checksums::of(&self.csv)
    }
}

/// Returns whether a pool with this hash has the first lines of a pool's file and no others.
#[must_use]
pub fn begins_with(csv: &[u8], hash: &str) -> bool {
    let mut hasher = Sha256::new();
    csv.split_inclusive(|&byte| byte == b'\n').any(|line| {
        hasher.update(line);
        hex(&hasher.clone().finalize()) == hash
    })
}

impl Opening {
    /// Iterates over the moves.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.moves.split_ascii_whitespace()
    }

    /// Plays the opening under a rule set.
    ///
    /// # Errors
    /// Fails if a move is not legal there, or if the game is over after it (exit code 65).
    pub fn play<G: CompleteGame>(&self, rules: &G::Rules) -> Result<G, Failure> {
        let mut game = G::start(rules, self.start);
        for text in self.texts() {
            let mv = game.parse_move(text).ok_or_else(|| {
                let id = self.id;
                Failure::corrupt(format!(
                    "opening {id}: {text} is not legal under {rules}: make a pool for these rule sets"
                ))
            })?;
            game.play(mv);
        }
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        match game.outcome(&moves) {
            None => Ok(game),
            Some(_) => Err(Failure::corrupt(format!(
                "opening {}: the game is over under {rules}",
                self.id
            ))),
        }
    }
}

/// Counts of rejected candidates, by reason.
#[derive(Debug, Default)]
struct Rejected {
    dead_end: u64,
    duplicate: u64,
    unbalanced: u64,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dead_end, duplicate, unbalanced } = self;
        write!(
            f,
            "{duplicate} repeated a position, {unbalanced} favoured one side, \
             {dead_end} ended a game or had no common move"
        )
    }
}

/// A random opening to accept or reject.
struct Candidate {
    /// Number of the initial position.
    start: u64,
    line: Vec<String>,
    position: String,
    /// The position's hash in every rule set.
    hashes: Vec<u64>,
    /// Absolute difference of win and loss, in the rule set where it is largest.
    advantage: f32,
}

/// Makes a pool for these rule sets, on the current thread pool. Its bytes depend only on the
/// arguments.
///
/// # Errors
/// Fails on a bad configuration or rule set (exit code 64), a pool that cannot be filled, or a
/// request to stop.
pub fn make<G: CompleteGame>(
    config: &OpeningsConfig,
    rules: &[String],
    search: &SearchConfig,
    player: Option<&Searcher>,
    seed: u64,
    stop: &Stop,
) -> anyhow::Result<Pool> {
    let mut maker = Maker::<G>::new(config, rules, search, player, seed)?;
    loop {
        if let Some(pool) = maker.try_more(stop)? {
            return Ok(pool);
        }
    }
}

/// A pool of openings that is being made.
pub struct Maker<G: CompleteGame> {
    config: OpeningsConfig,
    rules: Vec<G::Rules>,
    /// The player that evaluates candidates, and its search.
    judge: Option<(Searcher, SearchConfig)>,
    seed: u64,
    filter: PoolFilter,
    /// Number of the next candidate.
    next: u64,
}

impl<G: CompleteGame> Maker<G> {
    /// Begins a pool, for the arguments of [`make`].
    ///
    /// # Errors
    /// Fails on a bad configuration or rule set (exit code 64).
    pub fn new(
        config: &OpeningsConfig,
        rules: &[String],
        search: &SearchConfig,
        player: Option<&Searcher>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        config.check()?;
        let rules = rule_sets::<G>(rules)?;
        anyhow::ensure!(!rules.is_empty(), Failure::usage("openings need at least one rule set"));
        player.map_or(Ok(()), |player| player.check_plays::<G>(&rules))?;
        let judge = player.map(|player| (player.clone(), *search));
        let filter = PoolFilter::new(config.clone(), rules.len());
        Ok(Self { config: config.clone(), rules, judge, seed, filter, next: 0 })
    }

    /// Returns the number of openings found so far.
    #[must_use]
    pub fn found(&self) -> usize {
        self.filter.openings.len()
    }

    /// Tries 64 more candidates. Returns the pool once it is full.
    ///
    /// # Errors
    /// Fails if the pool cannot be filled, or on a request to stop.
    pub fn try_more(&mut self, stop: &Stop) -> anyhow::Result<Option<Pool>> {
        if self.filter.is_full() {
            return self.pool().map(Some);
        }
        let limit = u64::from(self.config.count) * ATTEMPTS;
        if self.next >= limit {
            return Err(self.filter.cannot_be_filled(limit).into());
        }
        stop.check_unsaved()?;
        let judge = self.judge.as_ref().map(|(player, search)| (player, search, self.config.nodes));
        let candidates: Vec<_> = (self.next..self.next + BATCH)
            .into_par_iter()
            .map(|number| {
                let numbers = [self.seed, number];
                let made = || candidate::<G>(&self.config, &self.rules, judge, numbers, stop);
                if stop.requested() { None } else { made() }
            })
            .collect();
        // Evaluations that a stop has cut short are incomplete and must not be used.
        stop.check_unsaved()?;
        self.next += BATCH;
        for candidate in candidates {
            if self.filter.consider(candidate) {
                return self.pool().map(Some);
            }
        }
        Ok(None)
    }

    fn pool(&self) -> anyhow::Result<Pool> {
        let starts = self.rules.iter().any(|rules| G::starts(rules) > 1);
        Pool::new::<G>(self.filter.openings.clone(), starts)
    }
}

/// Filter that keeps the candidates fit for a pool, in the order in which they come.
struct PoolFilter {
    config: OpeningsConfig,
    openings: Vec<Opening>,
    /// Hashes of the kept positions in each rule set.
    seen: Vec<HashSet<u64>>,
    rejected: Rejected,
}

impl PoolFilter {
    fn new(config: OpeningsConfig, arms: usize) -> Self {
        Self {
            config,
            openings: Vec::new(),
            seen: vec![HashSet::new(); arms],
            rejected: Rejected::default(),
        }
    }

    /// Keeps or rejects a candidate. Returns whether the pool is full.
    fn consider(&mut self, candidate: Option<Candidate>) -> bool {
        let Some(candidate) = candidate else {
            self.rejected.dead_end += 1;
            return false;
        };
        let seen = self.seen.iter().zip(&candidate.hashes);
        if seen.into_iter().any(|(seen, hash)| seen.contains(hash)) {
            self.rejected.duplicate += 1;
        } else if candidate.advantage > self.config.max_advantage {
            self.rejected.unbalanced += 1;
        } else {
            for (seen, hash) in self.seen.iter_mut().zip(candidate.hashes) {
                seen.insert(hash);
            }
            self.openings.push(Opening {
                id: self.openings.len() as u32,
                start: candidate.start,
                plies: candidate.line.len() as u32,
                moves: candidate.line.join(" "),
                position: candidate.position,
            });
        }
        self.is_full()
    }

    fn is_full(&self) -> bool {
        self.openings.len() == self.config.count as usize
    }

    fn cannot_be_filled(&self, tried: u64) -> Failure {
        Failure::usage(format!(
            "need {} openings, found {} among {tried} candidates ({}): \
             raise openings.plies or openings.max_advantage, or lower openings.count",
            self.config.count,
            self.openings.len(),
            self.rejected
        ))
    }
}

fn candidate<G: CompleteGame>(
    config: &OpeningsConfig,
    rules: &[G::Rules],
    judge: Option<(&Searcher, &SearchConfig, u32)>,
    numbers: [u64; 2],
    stop: &Stop,
) -> Option<Candidate> {
    let mut rng = seeds::stream("opening", &numbers);
    let plies = rng.random_range(config.plies.0..=config.plies.1);
    // Without several initial positions the number does not count.
    let several = rules.iter().any(|rules| G::starts(rules) > 1);
    let start = if several { numbers[1] } else { 0 };
    let mut games: Vec<G> = rules.iter().map(|rules| G::start(rules, start)).collect();
    let line = play::random_plies(&mut games, plies, &mut rng)?;
    let advantage = match judge {
        Some((player, search, nodes)) => {
            let values = games.iter().map(|game| {
                let seed = seeds::number("opening evaluator", &numbers);
                advantage(game, player, search, nodes, seed, stop)
            });
            // A clear advantage in one rule set is enough to reject the opening.
            values.map(|value| value.map(f32::abs)).try_fold(0.0, |a, b| Some(f32::max(a, b?)))?
        }
        None => 0.0,
    };
    Some(Candidate {
        start,
        line,
        position: games[0].to_text(),
        hashes: games.iter().map(fusion_game::Game::hash).collect(),
        advantage,
    })
}

/// Returns win minus loss of the first player after a short search; `None` if stopped.
fn advantage<G: CompleteGame>(
    game: &G,
    player: &Searcher,
    config: &SearchConfig,
    nodes: u32,
    seed: u64,
    stop: &Stop,
) -> Option<f32> {
    let mut player = player.for_short_searches().player(config, game, None, Seeds::of(seed));
    let thought = player.think(game, Effort::nodes(nodes), &|| stop.requested()).ok()??;
    let wdl = thought.wdl?;
    let wdl = wdl.seen_by(game.side_to_move(), Side::First);
    Some(wdl.win - wdl.loss)
}
