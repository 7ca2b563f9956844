//! What every search does for UCI, and how one is made.
//!
//! Their memory is as large as the option `Hash` says. It is found and filled on the thread of the
//! search, so that input is answered meanwhile. If there is not so much, the search gets half of it,
//! or half of that, and so on.

use super::games::{OpenTables, UciGame};
use super::request::Request;
use super::{mate, tree};
use fusion_network::model::{Model, MoveModel};
use fusion_search::pvs::{Pvs, PvsConfig};
use fusion_search::{Search, SearchConfig};
use std::collections::TryReserveError;

/// A search with what it keeps from move to move.
pub(super) trait UciSearch<G: UciGame>: Send {
    /// Searches a game up to the limits and returns the best move. `legal` is the number of legal
    /// moves.
    fn search(&mut self, request: &Request<G>, game: &G, legal: usize) -> Option<G::Move>;

    /// Receives the moves that were played since; `None` if a position of another game follows.
    /// Returns whether what the search keeps is of use there.
    fn follow(&mut self, moves: Option<&[G::Move]>) -> bool;

    /// Returns a search of another position, if this one can search only its own.
    fn afresh(&self, game: &G) -> Option<Box<dyn UciSearch<G>>>;

    /// Returns the same search with these endgame tables.
    fn with_tables(self: Box<Self>, tables: Option<OpenTables<G>>) -> Box<dyn UciSearch<G>>;
}

/// Which search to make.
#[derive(Clone)]
pub(super) enum Kind {
    /// Tree search.
    Tree(Model),
    /// Alpha-beta search of selective depth.
    Pvs(MoveModel),
}

/// A search that is to be made.
#[derive(Clone)]
pub(super) struct Recipe {
    pub(super) kind: Kind,
    /// Size of the tree or table in megabytes.
    pub(super) hash: u32,
}

/// A search that was made, with a remark if its memory is smaller than wanted.
type Made<G> = (Box<dyn UciSearch<G>>, Option<String>);

/// Memory in bytes that is left free for everything else.
const SPARE: usize = 64 << 20;

impl Recipe {
    /// Makes the search. Also returns a remark if its memory is smaller than wanted. A table stays
    /// small if `stop` returns true meanwhile.
    ///
    /// # Errors
    /// Returns a message if there is no memory at all.
    pub(super) fn make<G: UciGame>(
        &self,
        game: &G,
        stop: &dyn Fn() -> bool,
    ) -> Result<Made<G>, String> {
        let mut hash = self.hash;
        loop {
            let remedy = format!("option Hash: there is no memory for {} MB", self.hash);
            match self.try_make(hash, game, stop) {
                Ok(search) if hash == self.hash => return Ok((search, None)),
                Ok(search) => {
                    let remark = format!("{remedy}: {hash} MB are used; set a smaller value");
                    return Ok((search, Some(remark)));
                }
                Err(_) if hash > 1 => hash /= 2,
                Err(error) => return Err(format!("{remedy}, nor for 1 MB: {error}")),
            }
        }
    }

    fn try_make<G: UciGame>(
        &self,
        hash: u32,
        game: &G,
        stop: &dyn Fn() -> bool,
    ) -> Result<Box<dyn UciSearch<G>>, TryReserveError> {
        // It is given back when the search has its memory.
        let mut spare = Vec::<u8>::new();
        spare.try_reserve_exact(if hash > 1 { SPARE } else { 0 })?;
        match &self.kind {
            Kind::Pvs(model) => {
                let config = PvsConfig { table_mib: hash, ..PvsConfig::default() };
                let evaluator = model.evaluator::<G>(0);
                let search = Pvs::try_new(config, game.rules(), evaluator, stop)?;
                Ok(Box::new(search))
            }
            Kind::Tree(model) => {
                let config =
                    SearchConfig { max_nodes: nodes::<G>(hash), ..SearchConfig::default() };
                let mut search = Search::new(config, game.clone());
                search.reserve()?;
                Ok(Box::new(tree::Tree { search, model: model.clone() }))
            }
        }
    }
}

/// Returns the number of nodes of a tree of this many megabytes.
pub(super) fn nodes<G: UciGame>(hash: u32) -> u32 {
    let nodes = (u64::from(hash) << 20) / Search::<G>::NODE_BYTES as u64;
    u32::try_from(nodes).unwrap_or(u32::MAX)
}

/// Searches a game up to the limits, for a mate first if one is asked for.
pub(super) fn search<G: UciGame>(
    searcher: &mut dyn UciSearch<G>,
    request: &Request<G>,
    game: &G,
    legal: usize,
) -> Option<G::Move> {
    let mut request = request.clone();
    if let Some(moves) = request.limits.mate {
        match mate::solve(&request, game, moves) {
            mate::Solved::Move(mv) => return Some(mv),
            mate::Solved::Refuted => {
                let elapsed = request.started.elapsed();
                request.limits = request.limits.shortened(game.side_to_move(), elapsed);
            }
            mate::Solved::Open => {}
        }
    }
    searcher.search(&request, game, legal)
}
