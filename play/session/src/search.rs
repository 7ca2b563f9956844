//! Searches that go on from request to request.

use super::game::replay;
use super::position::{TurnView, turns};
use super::request::{Setting, reject};
use super::{LEVELS, Reply};
use fusion_game::evaluator::Wdl;
use fusion_game::{BoardGame, Side};
use fusion_network::views::{ViewEvaluator, ViewNetwork};
use fusion_search::pvs::{Limits, MaterialCount, Pvs, PvsConfig, PvsLine, PvsResult, plies_to_end};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Size of the transposition table in MiB.
const TABLE_MIB: u32 = 32;

/// Most moves of a line in a reply.
const LONGEST_LINE: usize = 24;

/// A searcher that is kept from request to request, with what it is searching.
pub(crate) struct Engine<G: BoardGame> {
    network: Option<Arc<ViewNetwork>>,
    /// The searcher and the rules of its table.
    searcher: Option<(String, Pvs<G>)>,
    running: Option<Running<G::Move>>,
}

/// A search whose slices are requested one by one.
struct Running<M> {
    at: Setting,
    lines: usize,
    result: PvsResult<M>,
    /// Whether it ended by itself: the result is proven.
    settled: bool,
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
    pub(crate) fn new(network: Option<Arc<ViewNetwork>>) -> Self {
        Self { network, searcher: None, running: None }
    }

    /// Forgets what searches have found.
    pub(crate) fn forget(&mut self) {
        (self.searcher, self.running) = (None, None);
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
            let lines = &running.result.lines;
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
        let rules = game.rules().to_string();
        let searcher = match self.searcher.take() {
            Some((known, searcher)) if known == rules => searcher,
            _ => {
                self.running = None;
                self.new_searcher()
            }
        };
        let (_, searcher) = self.searcher.insert((rules, searcher));
        let before = self.running.take().filter(|run| run.at == *at && run.lines == lines);
        let so_far = before.as_ref().map_or(0, |run| run.result.nodes);
        if let Some(run) = before.as_ref().filter(|run| run.settled || so_far >= nodes) {
            let (at, result) = (at.clone(), run.result.clone());
            self.running = Some(Running { at, lines, result, settled: run.settled });
            return Ok(game);
        }
        let limit = (so_far + slice).min(nodes);
        let limits = Limits { lines, ..Limits::nodes(limit) };
        let never = || false;
        let found = match before {
            Some(run) => searcher.resume(&game, limits, &never, run.result),
            None => searcher.search(&game, limits, &never),
        };
        let result = found.ok_or_else(|| reject("over", "the game is over"))?;
        let settled = result.nodes < limit;
        self.running = Some(Running { at: at.clone(), lines, result, settled });
        Ok(game)
    }

    fn new_searcher(&self) -> Pvs<G> {
        let config = PvsConfig { table_mib: TABLE_MIB, ..PvsConfig::DEFAULT };
        match &self.network {
            Some(network) => Pvs::new(config, Box::new(ViewEvaluator::new(network.clone()))),
            None => Pvs::new(config, Box::new(MaterialCount)),
        }
    }

    fn reply(&self, game: &G, nodes: u64) -> Value {
        let Some(Running { result, settled, .. }) = &self.running else { return Value::Null };
        let lines: Vec<Line> =
            result.lines.iter().map(|line| view_line(game, result, line)).collect();
        json!({
            "lines": lines,
            "depth": result.depth,
            "selective_depth": result.selective_depth,
            "nodes": result.nodes,
            "wdl": per_mille(result.standing.seen_by(game.side_to_move(), Side::First)),
            "done": *settled || result.nodes >= nodes,
        })
    }
}

/// Describes a line of the result for a page.
fn view_line<G: BoardGame>(game: &G, result: &PvsResult<G::Move>, line: &PvsLine<G::Move>) -> Line {
    let mover = game.side_to_move();
    let sign = if mover == Side::First { 1 } else { -1 };
    let chances = result.chances(line.value).seen_by(mover, Side::First);
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
        wdl: per_mille(chances),
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
