//! Endgame tables of three components, solved in the plainest way.

use fusion_chess::board::{Color, Position};
use fusion_chess::endgame::{Layout, Material, Squares, Value, compress, path, write};
use fusion_chess::rules::RuleSet;
use std::collections::BTreeMap;
use std::path::Path;

/// Solves King and this piece (R, B or N) against King and writes the table where it belongs.
pub fn build(folder: &Path, piece: char, rules: &RuleSet) {
    let layout = Layout::new(format!("K{piece}vK").parse().unwrap());
    let codes = solve(&layout, rules);
    let blocks: Vec<Vec<u8>> =
        codes.chunks(layout.block()).map(|block| compress(block).unwrap()).collect();
    let path = path(folder, &layout.material(), rules);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = std::fs::File::create(path).unwrap();
    write(&mut file, &layout.material(), rules, true, &blocks).unwrap();
}

/// The code of every entry. Captures leave bare Kings, and so a draw.
fn solve(layout: &Layout, rules: &RuleSet) -> Vec<u16> {
    let mut codes = vec![Value::NO_POSITION; layout.entries()];
    let mut open = BTreeMap::new();
    for (index, code) in codes.iter_mut().enumerate() {
        let Some((squares, side)) = layout.squares(index) else { continue };
        let Some(position) = possible(layout, &squares, side) else { continue };
        let next = successors(layout, rules, &position);
        let mated = next.is_empty() && position.in_check();
        *code = if mated { Value::MATED } else { Value::DRAW };
        if !next.is_empty() {
            open.insert(index, next);
        }
    }
    let mut plies = 0;
    let mut idle = 0;
    // After two rounds without anything new, nothing can be: wins and losses take turns.
    while idle < 2 {
        plies += 1;
        let value = |next: &Option<usize>| next.and_then(|index| Value::of_code(codes[index]));
        let found: Vec<(usize, Value)> = open
            .iter()
            .filter_map(|(&index, next)| {
                let wins = next.iter().any(|next| value(next) == Some(Value::Loss(plies - 1)));
                let loses = next.iter().all(|next| matches!(value(next), Some(Value::Win(_))));
                match (wins, loses) {
                    (true, _) => Some((index, Value::Win(plies))),
                    (_, true) => Some((index, Value::Loss(plies))),
                    _ => None,
                }
            })
            .collect();
        idle = if found.is_empty() { idle + 1 } else { 0 };
        for (index, value) in found {
            codes[index] = value.code();
            open.remove(&index);
        }
    }
    codes
}

/// The position of an arrangement, if there is one.
fn possible(layout: &Layout, squares: &Squares, side: Color) -> Option<Position> {
    let (white, black, other) = (squares[0], squares[1], squares[2]);
    if other == black || white == black {
        return None;
    }
    let position = layout.position(squares, side);
    let king = position.royal(!side);
    position.attackers(king, side, position.occupied()).is_empty().then_some(position)
}

/// The entries that moves lead to; `None` for bare Kings.
fn successors(layout: &Layout, rules: &RuleSet, position: &Position) -> Vec<Option<usize>> {
    let mut moves = Vec::new();
    position.legal_moves(rules, &mut moves);
    let entry = |mv| {
        let mut next = *position;
        next.play(mv);
        let (material, swapped) = Material::of(&next).unwrap();
        let (squares, side) = layout.arrangement(&next, swapped);
        let same = material == layout.material();
        same.then(|| layout.index(&squares, side).unwrap())
    };
    moves.into_iter().map(entry).collect()
}
