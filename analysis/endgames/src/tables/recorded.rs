//! The summary of endgame tables that a run's folder holds, read and checked.

use crate::summary::Row;
use fusion_chess::board::{Color, Component};
use fusion_chess::endgame::Material;
use fusion_chess::rules::RuleSet;
use std::collections::{BTreeMap, BTreeSet};

/// Upper bound of a table's positions: pairs of Kings that are not adjacent, and a square for each
/// of three components.
const MOST_POSITIONS: u64 = 3_612 << 18;

/// Numbers of Rooks, Bishops and Knights.
pub type Extras = [u8; 3];

/// Parses a summary and checks that its rows can be true. The counts add up, the pieces belong to
/// their ending, no row occurs twice, and every ending is complete.
///
/// # Errors
/// Returns what is wrong, and in which line.
pub fn parse(bytes: &[u8]) -> Result<Vec<Row>, String> {
    if !bytes.ends_with(b"\n") {
        return Err(if bytes.is_empty() { "is empty" } else { "is truncated" }.into());
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut lacking: BTreeMap<_, usize> = BTreeMap::new();
    for (record, line) in csv::Reader::from_reader(bytes).into_deserialize().zip(2..) {
        let row: Row =
            record.map_err(|error| format!("is no summary of endgame tables: {error}"))?;
        let wrong = |what: &str| format!("line {line}: {what}");
        let material = check(&row).map_err(|what| wrong(&what))?;
        let all =
            || 2 * Color::ALL.map(|color| arrangements(&material, color)).iter().product::<usize>();
        let left = lacking.entry((row.rules.clone(), row.material.clone())).or_insert_with(all);
        *left = left.checked_sub(1).ok_or_else(|| wrong("is more than its ending has"))?;
        let Row { rules, material, white, black, to_move, .. } = row.clone();
        if !seen.insert((rules, material, white, black, to_move)) {
            return Err(wrong("is in the file twice"));
        }
        rows.push(row);
    }
    if let Some(((rules, material), rows)) = lacking.iter().find(|(_, rows)| **rows > 0) {
        return Err(format!("lacks {rows} rows of {material} under {rules}: is it truncated?"));
    }
    match rows.is_empty() {
        true => Err("holds no endings".into()),
        false => Ok(rows),
    }
}

/// Returns the number of ways in which a side's components can stand single or fused in pairs.
fn arrangements(material: &Material, color: Color) -> usize {
    const KINDS: [Component; 4] =
        [Component::King, Component::Rook, Component::Bishop, Component::Knight];
    const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    fn choose(single: [usize; 4], pairs: &[[usize; 2]]) -> usize {
        let Some((&[a, b], pairs)) = pairs.split_first() else { return 1 };
        let fused = |n| {
            let mut single = single;
            single[a] -= n;
            single[b] -= n;
            choose(single, pairs)
        };
        (0..=single[a].min(single[b])).map(fused).sum()
    }
    let components = material.components();
    let count = |kind| components.iter().filter(|&&each| each == (color, kind)).count();
    choose(KINDS.map(count), &PAIRS)
}

fn check(row: &Row) -> Result<Material, String> {
    row.rules.parse::<RuleSet>().map_err(|error| format!("column rules: {error}"))?;
    let material: Material =
        row.material.parse().map_err(|error| format!("column material: {error}"))?;
    let sides = [&row.white, &row.black].map(|pieces| extras(pieces));
    let [Some(white), Some(black)] = sides else {
        return Err(format!("{} against {} are no pieces such as K+RB", row.white, row.black));
    };
    if Material::new([white, black]) != Some((material, false)) {
        return Err(format!("{} against {} is not {material}", row.white, row.black));
    }
    if !matches!(row.to_move, 'w' | 'b') {
        return Err(format!("column to_move: {:?} is neither w nor b", row.to_move));
    }
    if row.positions > MOST_POSITIONS {
        return Err(format!("{} positions are more than there are", row.positions));
    }
    let decided = row.white_wins.checked_add(row.black_wins);
    if decided.and_then(|sum| sum.checked_add(row.draws)) != Some(row.positions) {
        return Err("wins and draws do not add up to positions".into());
    }
    if row.white_over_100 > row.white_wins || row.black_over_100 > row.black_wins {
        return Err("more long wins than wins".into());
    }
    Ok(material)
}

/// Returns the pieces in `K+RB` besides the King, or `None` if the text is no side's pieces.
#[must_use]
pub fn extras(pieces: &str) -> Option<Extras> {
    let mut counts = [0; 3];
    let mut kings = 0;
    for piece in pieces.split('+') {
        if !(1..=2).contains(&piece.len()) {
            return None;
        }
        for letter in piece.chars() {
            let kinds = [Component::Rook, Component::Bishop, Component::Knight];
            match kinds.iter().position(|kind| kind.letter() == letter) {
                Some(kind) => counts[kind] = u8::checked_add(counts[kind], 1)?,
                None if letter == Component::King.letter() => kings += 1,
                None => return None,
            }
        }
    }
    (kings == 1).then_some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "rules,material,white,black,to_move,positions,white_wins,draws,black_wins,white_over_100,black_over_100,white_longest,white_longest_fen,white_longest_line,black_longest,black_longest_fen,black_longest_line\n";

    fn read(line: &str) -> Result<Vec<Row>, String> {
        parse(format!("{HEADER}{line}\n").as_bytes())
    }

    #[test]
    fn an_ending_is_read_if_it_is_whole() {
        let mut lines = Vec::new();
        for white in ["KR", "K+R"] {
            for black in ["KB", "K+B"] {
                for side in ["w", "b"] {
                    let counts = "10,4,5,1,2,0,7,fen,moves,3,fen,moves";
                    lines.push(format!("fusion-1999,KRvKB,{white},{black},{side},{counts}"));
                }
            }
        }
        let rows = read(&lines.join("\n")).unwrap();
        assert_eq!((rows[0].positions, rows[0].black_longest), (10, Some(3)));
        for lines in [&lines[1..], &lines[..6]] {
            let error = read(&lines.join("\n")).unwrap_err();
            let part = format!("lacks {} rows of KRvKB under fusion-1999", 8 - lines.len());
            assert!(error.contains(&part), "{error}");
        }
    }

    #[test]
    fn arrangements_are_counted() {
        for (material, ways) in [("KRvK", [2, 1]), ("KRRvKN", [2, 2]), ("KRBvKR", [4, 2])] {
            let material: Material = material.parse().unwrap();
            assert_eq!(Color::ALL.map(|color| arrangements(&material, color)), ways);
        }
    }

    #[test]
    fn what_cannot_be_is_rejected() {
        let rejected = |line: &str, part: &str| {
            let error = read(line).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        rejected("fusion-1999,KRvKB,KR,K+B,w,10,4,5,2,0,0,7,,,,,", "line 2: wins and draws");
        rejected("fusion-1999,KRvKB,KR,K+B,w,10,4,5,1,5,0,7,,,,,", "more long wins");
        rejected("fusion-1999,KRvKB,KR,K+B,w,9999999999,0,9999999999,0,0,0,7,,,,,", "more than");
        rejected("fusion-1999,KRvKB,KR,K+N,w,10,4,5,1,0,0,7,,,,,", "is not KRvKB");
        rejected("fusion-1999,KRvKB,KB,K+R,w,10,4,5,1,0,0,7,,,,,", "is not KRvKB");
        rejected("fusion-1999,KRvKB,R,K+B,w,10,4,5,1,0,0,7,,,,,", "are no pieces");
        rejected("fusion-1999,KRvKB,KR,K+B,x,10,4,5,1,0,0,7,,,,,", "neither w nor b");
        rejected("chess,KRvKB,KR,K+B,w,10,4,5,1,0,0,7,,,,,", "column rules: unknown rule set");
        rejected("fusion-1999,KRvKP,KR,K+B,w,10,4,5,1,0,0,7,,,,,", "column material");
        rejected("fusion-1999,KRvKB,KR,K+B,w,ten,4,5,1,0,0,7,,,,,", "no summary");
        rejected("fusion-1999,KRvKB", "no summary");
        let row = "fusion-1999,KRvKB,KR,K+B,w,10,4,5,1,0,0,7,,,,,";
        rejected(&format!("{row}\n{row}"), "line 3: is in the file twice");
        assert!(parse(b"").unwrap_err().contains("is empty"));
        assert!(parse(HEADER.as_bytes()).unwrap_err().contains("no endings"));
        assert!(parse(format!("{HEADER}{row}").as_bytes()).unwrap_err().contains("truncated"));
    }

    #[test]
    fn pieces_are_read() {
        assert_eq!(extras("K+RB+N"), Some([1, 1, 1]));
        assert_eq!(extras("KR+R"), Some([2, 0, 0]));
        assert_eq!(extras(&format!("K{}", "+R".repeat(300))), None);
        for bad in ["", "K+", "R", "K+K", "K+P", "K+RBN"] {
            assert_eq!(extras(bad), None, "{bad}");
        }
    }
}
