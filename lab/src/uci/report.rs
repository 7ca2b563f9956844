//! `info` lines: the results of a search so far.

use fusion_chess::board::Move;
use fusion_game::evaluator::Wdl;
use fusion_search::{Line, Proof};

/// Formats number, score, chances and moves of one line. The first line has number 1.
pub(super) fn line(number: usize, line: &Line<Move>, show_wdl: bool) -> [String; 2] {
    let chances = if show_wdl { wdl_text(line.wdl) } else { String::new() };
    let moves: Vec<String> = line.moves.iter().map(Move::to_string).collect();
    [
        format!("depth {} multipv {number} score {}{chances}", moves.len(), score(line)),
        format!("pv {}", moves.join(" ")),
    ]
}

/// Formats `mate N` if the mate is proven, negative for the side that is mated, else `cp N`.
fn score(line: &Line<Move>) -> String {
    match line.plies {
        Some(plies) => {
            let sign = if line.wdl == Wdl::WIN { "" } else { "-" };
            format!("mate {sign}{}", plies.div_ceil(2))
        }
        None if line.proof == Proof::Draw => "cp 0".into(),
        None => format!("cp {}", centipawns(line.wdl)),
    }
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
    fn chances_become_scores() {
        assert_eq!(centipawns(Wdl::NEUTRAL), 0);
        assert_eq!(centipawns(Wdl { win: 0.61, draw: 0.0, loss: 0.39 }), 99);
        assert_eq!(centipawns(Wdl::WIN), -centipawns(Wdl::LOSS));
        assert!(centipawns(Wdl::WIN) > 2000);
        assert_eq!(wdl_text(Wdl { win: 0.2504, draw: 0.2496, loss: 0.5 }), " wdl 250 250 500");
        assert_eq!(wdl_text(Wdl { win: 0.5005, draw: 0.0, loss: 0.4995 }), " wdl 501 0 499");
    }
}
