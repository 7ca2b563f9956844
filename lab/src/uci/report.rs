//! `info` lines: the results of a search so far.

use fusion_game::Notation;
use fusion_game::evaluator::Wdl;
use fusion_search::pvs::{PvsLine, PvsResult, plies_to_end};
use fusion_search::{Line, Proof};

/// Formats number, score, chances and moves of a line of the tree search. The first line has
/// number 1. The depth is the length of the line.
pub(super) fn of_tree<G: Notation>(
    game: &G,
    number: usize,
    line: &Line<G::Move>,
    show_wdl: bool,
) -> [String; 2] {
    let score = match line.plies {
        Some(plies) if line.wdl == Wdl::WIN => mate(i64::from(plies)),
        Some(plies) => mate(-i64::from(plies)),
        None if line.proof == Proof::Draw => "cp 0".into(),
        None => format!("cp {}", centipawns(line.wdl)),
    };
    let chances = show_wdl.then_some(line.wdl);
    texts(game, number, &line.moves.len().to_string(), &score, chances, &line.moves)
}

/// Formats the same of a line of the alpha-beta search.
pub(super) fn of_pvs<G: Notation>(
    game: &G,
    number: usize,
    found: &PvsResult<G::Move>,
    line: &PvsLine<G::Move>,
    show_wdl: bool,
) -> [String; 2] {
    let score = match plies_to_end(line.value) {
        Some(plies) => mate(plies.into()),
        None => format!("cp {}", line.value),
    };
    let chances = show_wdl.then(|| found.chances(line.value));
    let depth = format!("{} seldepth {}", found.depth, found.selective_depth);
    texts(game, number, &depth, &score, chances, &line.moves)
}

/// Formats a mate that a search of all moves found.
pub(super) fn of_mate<G: Notation>(game: &G, line: &PvsLine<G::Move>, show_wdl: bool) -> String {
    let score = mate(plies_to_end(line.value).unwrap_or_default().into());
    let depth = line.moves.len().to_string();
    texts(game, 1, &depth, &score, show_wdl.then_some(Wdl::WIN), &line.moves).join(" ")
}

fn texts<G: Notation>(
    game: &G,
    number: usize,
    depth: &str,
    score: &str,
    chances: Option<Wdl>,
    moves: &[G::Move],
) -> [String; 2] {
    let chances = chances.map_or_else(String::new, wdl_text);
    let mut game = game.clone();
    let text = |&mv: &G::Move| {
        let text = game.move_text(mv);
        game.play(mv);
        text
    };
    let moves: Vec<String> = moves.iter().map(text).collect();
    [
        format!("depth {depth} multipv {number} score {score}{chances}"),
        format!("pv {}", moves.join(" ")),
    ]
}

/// Formats a mate that is proven, in moves. The plies to it are negative for the side that is
/// mated.
fn mate(plies: i64) -> String {
    let sign = if plies < 0 { "-" } else { "" };
    format!("mate {sign}{}", plies.unsigned_abs().div_ceil(2))
}

/// Converts the expected score to hundredths of a Pawn. On this scale, one Pawn is an expected
/// score of 61%.
fn centipawns(wdl: Wdl) -> i32 {
    let score = wdl.score().clamp(1e-5, 1.0 - 1e-5);
    ((score / (1.0 - score)).ln() / 0.45 * 100.0).round() as i32
}

fn wdl_text(wdl: Wdl) -> String {
    let mille = |chance: f32| (chance * 1000.0).round().clamp(0.0, 1000.0) as i32;
    let (win, loss) = (mille(wdl.win), mille(wdl.loss));
    let (win, loss) = (win, loss.min(1000 - win));
    format!(" wdl {win} {} {loss}", 1000 - win - loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!([1, 3, 4, -2].map(mate), ["mate 1", "mate 2", "mate 2", "mate -1"]);
    }

    #[test]
    fn chances_become_scores() {
        assert_eq!(centipawns(Wdl::NEUTRAL), 0);
        assert_eq!(centipawns(Wdl { win: 0.61, draw: 0.0, loss: 0.39 }), 99);
        assert_eq!(centipawns(Wdl::WIN), -centipawns(Wdl::LOSS));
        assert!(centipawns(Wdl::WIN) > 2000);
        assert_eq!(wdl_text(Wdl { win: 0.2504, draw: 0.2496, loss: 0.5 }), " wdl 250 250 500");
        assert_eq!(wdl_text(Wdl { win: 0.5005, draw: 0.0, loss: 0.4995 }), " wdl 501 0 499");
    }
}
