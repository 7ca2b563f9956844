//! Move counts by `cozy-chess`, with the same interface as this engine's.

pub use cozy_chess::Board;
use std::hint::black_box;

/// Returns the board at a FEN, if `cozy-chess` can parse it.
#[must_use]
pub fn board(fen: &str) -> Option<Board> {
    Board::from_fen(fen, false).ok()
}

/// Returns the number of legal move sequences of length `depth`. The last ply is counted, not made.
#[must_use]
pub fn perft(board: &Board, depth: u32) -> u64 {
    let mut nodes = 0;
    match depth {
        0 => return 1,
        1 => board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        }),
        _ => board.generate_moves(|moves| {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                nodes += perft(&next, depth - 1);
            }
            false
        }),
    };
    nodes
}

/// Returns the same count as [`perft`], but makes every move, including those of the last ply.
#[must_use]
pub fn perft_making_every_move(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|moves| {
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            nodes += if depth == 1 {
                black_box(&next);
                1
            } else {
                perft_making_every_move(&next, depth - 1)
            };
        }
        false
    });
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_count_the_published_numbers() {
        for (fen, depth, nodes) in [
            (fusion_chess::board::fen::START, 4, 197_281),
            (fusion_chess::positions::KIWIPETE, 3, 97_862),
        ] {
            let board = board(fen).unwrap();
            assert_eq!(perft(&board, depth), nodes);
            assert_eq!(perft_making_every_move(&board, depth), nodes);
        }
        assert!(board("no position").is_none());
    }
}
