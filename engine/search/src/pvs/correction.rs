//! Corrections of the static evaluation by what searches of alike positions found.
//!
//! Positions that agree in a part, such as the pieces of one side, are misjudged alike. The
//! difference between the value of a search and the static evaluation is remembered for each such
//! part of the position and added to later evaluations. Chess programs call it correction history.

use fusion_game::Tactics;

/// Entries of a part and side to move.
const SIZE: usize = 1 << 14;

/// Limit of the magnitude of an entry.
const LIMIT: i32 = 1_024;

/// Most that an entry changes the static evaluation.
const WEIGHT: i32 = 40;

/// Corrections of one game.
pub(super) struct Corrections<G> {
    /// By part, side to move, and hash of the part.
    entries: Vec<i16>,
    parts: usize,
    game: std::marker::PhantomData<G>,
}

impl<G: Tactics> Corrections<G> {
    /// Makes the corrections for positions of `parts` parts.
    pub(super) fn new(parts: usize) -> Self {
        Self { entries: vec![0; parts * 2 * SIZE], parts, game: std::marker::PhantomData }
    }

    /// Returns what to add to the static evaluation of a position.
    pub(super) fn of(&self, game: &G) -> i32 {
        let sum: i32 = indices(self.parts, game).map(|at| i32::from(self.entries[at])).sum();
        sum * WEIGHT / LIMIT
    }

    /// Notes that a search of this depth found a value that differs this much from the evaluation.
    pub(super) fn update(&mut self, game: &G, depth: i32, difference: i32) {
        let change = (difference * depth / 4).clamp(-LIMIT / 4, LIMIT / 4);
        for at in indices(self.parts, game) {
            let old = i32::from(self.entries[at]);
            self.entries[at] = (old + change - old * change.abs() / LIMIT) as i16;
        }
    }
}

fn indices<G: Tactics>(parts: usize, game: &G) -> impl Iterator<Item = usize> {
    let side = game.side_to_move() as usize;
    (0..parts).map(move |part| (2 * part + side) * SIZE + game.part(part) as usize % SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use fusion_game::{Game, Notation};

    #[test]
    fn corrections_pass_to_alike_positions() {
        let game = |fen: &str| FusionGame::from_text(&"orthodox".parse().unwrap(), fen).unwrap();
        let here = game("4k3/pp6/8/8/8/8/PP6/RN2K3 w - - 0 1");
        let mut corrections = Corrections::new(FusionGame::indices(here.rules()).parts);
        assert_eq!(corrections.of(&here), 0);
        for _ in 0..100 {
            corrections.update(&here, 8, 300);
        }
        let all = corrections.of(&here);
        assert!((115..=120).contains(&all), "{all}");
        // A Black Rook more, a White Knight elsewhere, both, and other Pawns too.
        for (fen, parts) in [
            ("r3k3/pp6/8/8/8/8/PP6/RN2K3 w - - 0 1", 2),
            ("4k3/pp6/8/8/8/2N5/PP6/R3K3 w - - 5 9", 2),
            ("r3k3/pp6/8/8/8/2N5/PP6/R3K3 w - - 5 9", 1),
            ("r3k3/pp6/8/8/8/PPN5/8/R3K3 w - - 5 9", 0),
            ("4k3/pp6/8/8/8/8/PP6/RN2K3 b - - 0 1", 0),
        ] {
            let found = corrections.of(&game(fen));
            assert!((found - all * parts / 3).abs() <= 1, "{fen}: {found} of {all}");
        }
        // Searches that agree with the corrected evaluation do not change it; others undo it.
        corrections.update(&here, 8, 0);
        assert_eq!(corrections.of(&here), all);
        corrections.update(&here, 8, -300);
        assert!(corrections.of(&here) < all);
    }
}
