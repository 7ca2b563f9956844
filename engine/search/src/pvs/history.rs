//! Statistics of moves, by which later moves are ordered and reduced.
//!
//! A move that refutes its position gains, and the quiet moves that were tried before it lose. Each
//! statistic is pulled towards its limit, so recent results count more.

use fusion_game::{Game, MoveIndices, Tactics};

/// Limit of the magnitude of a statistic.
const LIMIT: i32 = 16_384;

/// Statistics of one game's moves.
pub(super) struct History<G: Game> {
    /// By side and path.
    paths: Vec<i16>,
    /// By the arrival before, one or two plies back, and the arrival. A last row of zeros is for no
    /// arrival before.
    pairs: [Vec<i16>; 2],
    /// Forcing moves, by side and arrival.
    forcing: Vec<i16>,
    /// Number of paths of a side.
    paths_of_side: usize,
    /// Number of arrivals.
    arrivals: usize,
    game: std::marker::PhantomData<G>,
}

/// Where a quiet move's statistics are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Indices {
    path: usize,
    pub(super) arrival: usize,
}

/// Statistics of quiet moves after certain arrivals.
pub(super) struct Quiet<'a> {
    paths: &'a [i16],
    /// By the arrival, for the arrivals one and two plies back.
    rows: [&'a [i16]; 2],
}

impl Quiet<'_> {
    /// Returns the statistic of a move.
    #[inline]
    pub(super) fn of(&self, at: Indices) -> i32 {
        let [one, two] = self.rows.map(|row| i32::from(row[at.arrival]));
        i32::from(self.paths[at.path]) + one + two
    }
}

impl<G: Tactics> History<G> {
    pub(super) fn new(indices: MoveIndices) -> Self {
        let MoveIndices { paths: paths_of_side, arrivals, .. } = indices;
        let pairs = || vec![0; (arrivals + 1) * arrivals];
        Self {
            paths: vec![0; 2 * paths_of_side],
            pairs: [pairs(), pairs()],
            forcing: vec![0; 2 * arrivals],
            paths_of_side,
            arrivals,
            game: std::marker::PhantomData,
        }
    }

    /// Returns where the statistics of a move of this position are.
    pub(super) fn indices(&self, game: &G, mv: G::Move) -> Indices {
        let side = game.side_to_move() as usize;
        Indices { path: side * self.paths_of_side + game.path(mv), arrival: game.arrival(mv) }
    }

    /// Returns the statistics of quiet moves after these arrivals.
    pub(super) fn after(&self, before: [Option<usize>; 2]) -> Quiet<'_> {
        let row = |i: usize| {
            let before: Option<usize> = before[i];
            let start = before.unwrap_or(self.arrivals) * self.arrivals;
            &self.pairs[i][start..][..self.arrivals]
        };
        Quiet { paths: &self.paths, rows: [row(0), row(1)] }
    }

    /// Returns the statistic of a forcing move.
    pub(super) fn forcing(&self, game: &G, mv: G::Move) -> i32 {
        self.forcing[self.forcing_index(game, mv)].into()
    }

    /// Changes the statistic of a quiet move.
    pub(super) fn update_quiet(&mut self, at: Indices, before: [Option<usize>; 2], bonus: i32) {
        update(&mut self.paths[at.path], bonus);
        for (table, before) in self.pairs.iter_mut().zip(before) {
            if let Some(before) = before {
                update(&mut table[before * self.arrivals + at.arrival], bonus);
            }
        }
    }

    /// Changes the statistic of a forcing move.
    pub(super) fn update_forcing(&mut self, game: &G, mv: G::Move, bonus: i32) {
        let at = self.forcing_index(game, mv);
        update(&mut self.forcing[at], bonus);
    }

    fn forcing_index(&self, game: &G, mv: G::Move) -> usize {
        game.side_to_move() as usize * self.arrivals + game.arrival(mv)
    }
}

fn update(statistic: &mut i16, bonus: i32) {
    let old = i32::from(*statistic);
    *statistic = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// Returns the change of a statistic after a search of this depth.
pub(super) fn bonus(depth: i32) -> i32 {
    (160 * depth).min(1_600)
}
