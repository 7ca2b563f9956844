//! Searches that go on from request to request.

mod alpha_beta;
mod tree;

use super::position::{TurnView, turns};
use super::replay::replay;
use super::request::{Setting, reject};
use super::{LEVELS, Reply};
use alpha_beta::AlphaBeta;
use fusion_game::evaluator::Wdl;
use fusion_game::{BoardGame, Side};
use fusion_network::Network;
use fusion_network::views::ViewNetwork;
use fusion_search::pvs::plies_to_end;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tree::Tree;

/// Most moves of a line in a reply.
const LONGEST_LINE: usize = 24;

/// A line of best play, for the side to move.
#[derive(Clone)]
pub(crate) struct FoundLine<M> {
    /// The moves, of which the first is to be played.
    pub(crate) moves: Vec<M>,
    /// Value in hundredths of the cheapest piece; [`plies_to_end`] reads proven ones.
    pub(crate) value: i32,
    chances: Wdl,
}

/// What a search has found so far.
#[derive(Clone)]
struct Found<M> {
    /// The best lines, best first. There is at least one.
    lines: Vec<FoundLine<M>>,
    depth: usize,
    selective_depth: usize,
    /// Work that was done, in positions of the alpha-beta search.
    nodes: u64,
    /// Chances of the side to move.
    standing: Wdl,
    /// Whether the search ended by itself: the result is proven.
    settled: bool,
}

/// A search that is kept from request to request.
trait Searcher<G: BoardGame>: Send {
    /// Searches a position of a game that is not over until it has visited `limit` positions in all. A search
    /// that `goes_on` is of the same position and number of lines as the one before.
    fn advance(
        &mut self,
        game: &G,
        limit: u64,
        lines: usize,
        goes_on: bool,
    ) -> Option<Found<G::Move>>;

    /// Forgets what was found.
    fn forget(&mut self);

    /// What searches, in words, and how it counts its work.
    fn describe(&self) -> Searching;
}

/// What searches, as a page says it.
#[derive(Serialize)]
pub(crate) struct Searching {
    /// In the middle of a sentence: `the tree search with a network`.
    words: &'static str,
    /// Whether it has no network and counts material.
    material: bool,
    /// What it counts: `positions`.
    unit: &'static str,
    /// Positions of a request that are one of these.
    share: u64,
}

/// A searcher with what it is searching.
pub(crate) struct Engine<G: BoardGame> {
    networks: Networks,
    choice: Choice,
    searcher: Box<dyn Searcher<G>>,
    running: Option<Running<G::Move>>,
}

/// The networks of a game. Each fits some of its rule sets.
#[derive(Default)]
pub(crate) struct Networks {
    /// Those of the alpha-beta search.
    pub(crate) moves: Vec<Arc<ViewNetwork>>,
    /// Those of the tree search.
    pub(crate) tree: Vec<Arc<Network>>,
}

/// What plays under a rule set: a network, given by its place, or the count of material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Moves(usize),
    Tree(usize),
    Material,
}

impl Networks {
    /// Chooses the alpha-beta search if there is a network for it that fits a rule set, else the tree search
    /// if there is one for that, else the alpha-beta search by material.
    fn choose<G: BoardGame>(&self, rules: &G::Rules) -> Choice {
        let moves = self.moves.iter().position(|network| network.plays::<G>(rules));
        let tree = || self.tree.iter().position(|network| network.plays::<G>(rules));
        moves.map(Choice::Moves).or_else(|| tree().map(Choice::Tree)).unwrap_or(Choice::Material)
    }

    fn searcher<G: BoardGame>(&self, choice: Choice) -> Box<dyn Searcher<G>> {
        match choice {
            Choice::Moves(place) => Box::new(AlphaBeta::new(Some(self.moves[place].clone()))),
            Choice::Tree(place) => Box::new(Tree::new(self.tree[place].clone())),
            Choice::Material => Box::new(AlphaBeta::new(None)),
        }
    }
}

/// A search whose slices are requested one by one.
struct Running<M> {
    at: Setting,
    lines: usize,
    found: Found<M>,
}

#[derive(Serialize)]
struct Line {
    /// Moves in engine notation.
    moves: Vec<String>,
    /// The same in people's notation.
    words: Vec<String>,
    /// The turns that they are.
    turns: Vec<TurnView>,
    /// Chances of the first player, per mille: win, draw, loss.
    wdl: [u16; 3],
    /// Value for the first player in hundredths of the cheapest piece.
    value: i32,
    /// Plies to the end of the game if the result is proven; negative if the first player loses.
    plies_to_end: Option<i32>,
}

impl<G: BoardGame> Engine<G> {
    /// Creates the engine of a game with the networks that fit its rule sets.
    pub(crate) fn new(networks: Networks) -> Self {
        let choice = Choice::Material;
        Self { searcher: networks.searcher(choice), choice, networks, running: None }
    }

    /// Forgets what searches have found.
    pub(crate) fn forget(&mut self) {
        self.running = None;
        self.searcher.forget();
    }

    /// Returns what searches under a rule set.
    pub(crate) fn describe(&self, rules: &G::Rules) -> Searching {
        self.networks.searcher::<G>(self.networks.choose::<G>(rules)).describe()
    }

    /// Searches a position for at most `slice` positions more, and at most `nodes` in all.
    pub(crate) fn search(&mut self, at: &Setting, nodes: u64, slice: u64, lines: usize) -> Reply {
        let game = self.advance(at, nodes, slice, lines)?;
        Ok(self.reply(&game, nodes))
    }

    /// Searches for a move at a level, and returns it when the search is done.
    pub(crate) fn play(&mut self, at: &Setting, level: usize, slice: u64, seed: u64) -> Reply {
        let level = &LEVELS[level];
        let game = self.advance(at, level.nodes, slice, level.lines)?;
        let mut reply = self.reply(&game, level.nodes);
        if reply["done"] == true
            && let Some(running) = &self.running
        {
            let lines = &running.found.lines;
            let chosen = lines.get(level.draw(lines, seed ^ game.hash()));
            let mv = chosen.and_then(|line| line.moves.first());
            reply["move"] = json!(mv.map(|&mv| game.move_text(mv)));
        }
        Ok(reply)
    }

    fn advance(
        &mut self,
        at: &Setting,
        nodes: u64,
        slice: u64,
        lines: usize,
    ) -> Result<G, super::Rejection> {
        let (game, _) = replay::<G, _>(at, |_, _| ())?;
        if let Some(outcome) = game.outcome_now() {
            return Err(reject(
                "over",
                format!("the game is over: {}", outcome.ending.kind().words),
            ));
        }
        let choice = self.networks.choose::<G>(game.rules());
        if choice != self.choice {
            (self.choice, self.searcher) = (choice, self.networks.searcher(choice));
            self.running = None;
        }
        let before = self.running.take().filter(|run| run.at == *at && run.lines == lines);
        let so_far = before.as_ref().map_or(0, |run| run.found.nodes);
        if before.as_ref().is_some_and(|run| run.found.settled || so_far >= nodes) {
            self.running = before;
            return Ok(game);
        }
        let limit = (so_far + slice).min(nodes);
        let found = self.searcher.advance(&game, limit, lines, before.is_some());
        let found = found.ok_or_else(|| reject("over", "the game is over"))?;
        self.running = Some(Running { at: at.clone(), lines, found });
        Ok(game)
    }

    fn reply(&self, game: &G, nodes: u64) -> Value {
        let Some(Running { found, .. }) = &self.running else { return Value::Null };
        let lines: Vec<Line> = found.lines.iter().map(|line| view_line(game, line)).collect();
        let Searching { unit, share, .. } = self.searcher.describe();
        json!({
            "lines": lines,
            "depth": found.depth,
            "selective_depth": found.selective_depth,
            "nodes": found.nodes,
            "visited": { "count": found.nodes / share, "unit": unit },
            "wdl": per_mille(found.standing.seen_by(game.side_to_move(), Side::First)),
            "done": found.settled || found.nodes >= nodes,
        })
    }
}

/// Describes a line of the result for a page.
fn view_line<G: BoardGame>(game: &G, line: &FoundLine<G::Move>) -> Line {
    let mover = game.side_to_move();
    let sign = if mover == Side::First { 1 } else { -1 };
    let (mut moves, mut words) = (Vec::new(), Vec::new());
    let mut next = game.clone();
    let shown = &line.moves[..line.moves.len().min(LONGEST_LINE)];
    for &mv in shown {
        moves.push(next.move_text(mv));
        words.push(next.move_words(mv));
        next.play(mv);
    }
    Line {
        moves,
        words,
        turns: turns(game, shown),
        wdl: per_mille(line.chances.seen_by(mover, Side::First)),
        value: sign * line.value,
        plies_to_end: plies_to_end(line.value).map(|plies| sign * plies),
    }
}

/// Rounds chances to thousandths that sum to 1,000.
fn per_mille(wdl: Wdl) -> [u16; 3] {
    let share = |chance: f32| (1000.0 * chance).round().clamp(0.0, 1000.0) as u16;
    let (win, loss) = (share(wdl.win), share(wdl.loss));
    [win, 1000u16.saturating_sub(win + loss), loss.min(1000 - win)]
}

#[cfg(test)]
impl<M> FoundLine<M> {
    /// A line of a value, for tests.
    pub(crate) fn of(value: i32, mv: M) -> Self {
        Self { moves: vec![mv], value, chances: Wdl::NEUTRAL }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_add_up() {
        for (win, draw) in [(0.3333, 0.3333), (0.0, 1.0), (1.0, 0.0), (0.0005, 0.999)] {
            let shares = per_mille(Wdl { win, draw, loss: 1.0 - win - draw });
            assert_eq!(shares.iter().sum::<u16>(), 1000, "{shares:?}");
        }
    }
}
