//! Whether the alpha-beta search finds forced mates.
//!
//! ```text
//! mates [POSITIONS] [NODES] [NETWORK] [RULES]...   default 1000, 100000, the shipped one, all presets
//! ```
//!
//! Games are played by the search itself at a few nodes, from random openings. From the end of every
//! game that was won, positions with the winner to move are taken: one, two, three and four moves
//! before the end. A solver without any pruning decides whether there is a forced win in at most four
//! moves, and in how many. Positions that it does not decide within its own limit of nodes are left
//! out, and counted. The search begins each position with an empty table.

use fusion_chess::FusionGame;
use fusion_chess::board::Move;
use fusion_game::Tactics;
use fusion_game::prelude::*;
use fusion_network::model::MoveModel;
use fusion_search::pvs::{Limits, Pvs, PvsConfig, plies_to_end};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/nets/family-pvs.fnet");

/// Most moves of a forced win.
const MOVES: usize = 4;
/// Nodes of a move in the games.
const GAME_NODES: u64 = 200;
/// Longest game in plies.
const LONGEST: usize = 300;
/// Random plies of an opening.
const OPENING: usize = 8;
/// Most positions that the solver visits.
const SOLVER_NODES: u64 = 3_000_000;

/// A solver of forced wins without any pruning.
struct Solver {
    nodes: u64,
}

impl Solver {
    /// Returns the moves of the shortest forced win, if there is one in at most [`MOVES`]. Returns
    /// `Err` if the position is too large.
    fn shortest(game: &FusionGame) -> Result<Option<usize>, ()> {
        let mut solver = Self { nodes: 0 };
        let mut game = game.clone();
        for moves in 1..=MOVES {
            if solver.wins(&mut game, moves)? {
                return Ok(Some(moves));
            }
        }
        Ok(None)
    }

    /// Returns whether the side to move has a forced win in this number of moves.
    fn wins(&mut self, game: &mut FusionGame, moves: usize) -> Result<bool, ()> {
        let (side, mut legal) = (game.side_to_move(), Vec::new());
        game.legal_moves(&mut legal);
        // Threats come first, because they leave few replies.
        let mut quiet = Vec::new();
        for mv in legal {
            let undo = game.make(mv);
            let (threatens, over) = (game.is_threatened(), outcome(game));
            let wins = match over {
                Some(winner) => winner == Some(side),
                None => moves > 1 && threatens && self.all_lose(game, moves - 1)?,
            };
            game.unmake(&undo);
            if wins {
                return Ok(true);
            }
            if over.is_none() && !threatens && moves > 1 {
                quiet.push(mv);
            }
        }
        for mv in quiet {
            let undo = game.make(mv);
            let wins = self.all_lose(game, moves - 1);
            game.unmake(&undo);
            if wins? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the other side wins in this number of moves whatever the side to move does.
    fn all_lose(&mut self, game: &mut FusionGame, moves: usize) -> Result<bool, ()> {
        self.nodes += 1;
        if self.nodes > SOLVER_NODES {
            return Err(());
        }
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        for mv in legal {
            let undo = game.make(mv);
            let loses = match outcome(game) {
                Some(winner) => Ok(winner == Some(game.side_to_move())),
                None => self.wins(game, moves),
            };
            game.unmake(&undo);
            if !loses? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the winner, if there is one, of a game that is over.
fn outcome(game: &FusionGame) -> Option<Option<fusion_game::Side>> {
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    game.outcome(&legal).map(|outcome| outcome.winner)
}

/// Plays a game and returns its positions before each ply, and the winner.
fn play(
    rules: &<FusionGame as Game>::Rules,
    model: &MoveModel,
    rng: &mut ChaCha8Rng,
) -> (Vec<FusionGame>, Option<fusion_game::Side>) {
    let mut game = FusionGame::new(rules);
    let config = PvsConfig { table_mib: 1, ..PvsConfig::default() };
    let mut search = Pvs::new(config, game.rules(), model.evaluator(1));
    let mut positions: Vec<FusionGame> = Vec::new();
    while positions.len() < LONGEST {
        if let Some(winner) = outcome(&game) {
            return (positions, winner);
        }
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let mv = if positions.len() < OPENING {
            legal[rng.random_range(0..legal.len())]
        } else {
            best(&mut search, &game, GAME_NODES).1
        };
        positions.push(game.clone());
        game.play(mv);
    }
    (positions, None)
}

/// Returns the plies to a proven end, and the best move.
fn best(search: &mut Pvs<FusionGame>, game: &FusionGame, nodes: u64) -> (Option<i32>, Move) {
    let found = search.search(game, Limits::nodes(nodes), &|| false).expect("a legal move");
    (plies_to_end(found.lines[0].value), found.lines[0].moves[0])
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().map_or(1_000, |text| text.parse().expect("a number"));
    let nodes = arguments.next().map_or(100_000, |text| text.parse().expect("a number"));
    let path = arguments.next().unwrap_or_else(|| SHIPPED.into());
    println!("preset: positions (of 1, 2, 3, 4 moves), found, found the shortest; undecided");
    let named: Vec<String> = arguments.collect();
    let presets =
        || <FusionGame as Game>::Rules::presets().into_iter().map(|(name, _)| name.into());
    let names = if named.is_empty() { presets().collect() } else { named };
    let rules: Vec<_> = names.iter().map(|name| name.parse().expect("a rule set")).collect();
    let model = MoveModel::open::<FusionGame>(&path, &rules).expect("a network");
    for (name, rules) in names.iter().zip(&rules) {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let (mut of_moves, mut found, mut shortest, mut undecided) = ([0; MOVES], 0, 0, 0);
        let mut known = HashSet::new();
        while of_moves.iter().sum::<usize>() < wanted {
            let (positions, Some(winner)) = play(rules, &model, &mut rng) else { continue };
            let before = |game: &&FusionGame| game.side_to_move() == winner;
            for game in positions.iter().rev().filter(before).take(MOVES) {
                if of_moves.iter().sum::<usize>() == wanted || !known.insert(game.hash()) {
                    continue;
                }
                match Solver::shortest(game) {
                    Err(()) => undecided += 1,
                    Ok(None) => {}
                    Ok(Some(moves)) => {
                        of_moves[moves - 1] += 1;
                        let mut search =
                            Pvs::new(PvsConfig::default(), game.rules(), model.evaluator(1));
                        let (plies, _) = best(&mut search, game, nodes);
                        if plies.is_none_or(|plies| plies < 0) {
                            println!("missed {name} {moves}: {}", game.to_text());
                        }
                        found += usize::from(plies.is_some_and(|plies| plies > 0));
                        shortest += usize::from(plies == Some(2 * moves as i32 - 1));
                    }
                }
            }
        }
        println!("{name}: {wanted} {of_moves:?}, {found}, {shortest}; {undecided}");
    }
}
