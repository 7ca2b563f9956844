//! Counts of sequences of moves.

use super::position::Position;
use super::tables::Tables;

impl Position {
    /// Returns the number of sequences of `depth` legal moves. The moves of the last ply are counted, not
    /// made.
    #[must_use]
    pub fn perft(&self, tables: &Tables, depth: u32) -> u64 {
        let mut lists = vec![Vec::new(); depth as usize];
        self.clone().sequences(tables, depth, &mut lists)
    }

    fn sequences(&mut self, tables: &Tables, depth: u32, lists: &mut [Vec<super::Move>]) -> u64 {
        match depth {
            0 => 1,
            1 => self.count_moves(tables),
            _ => {
                let Some((moves, lists)) = lists.split_first_mut() else { return 0 };
                moves.clear();
                self.legal_moves(tables, moves);
                let mut count = 0;
                for &mv in moves.iter() {
                    let undo = self.make(tables, mv);
                    count += self.sequences(tables, depth - 1, lists);
                    self.unmake(tables, &undo);
                }
                count
            }
        }
    }
}
