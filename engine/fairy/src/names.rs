//! Names and figures of pieces.

use crate::board::Tables;
use crate::definition::{Definition, Kind};

/// The figures of pieces that players of chess know, by the option's name.
const KNOWN: [(&str, &str); 12] = [
    ("pawn", "P"),
    ("knight", "N"),
    ("bishop", "B"),
    ("rook", "R"),
    ("queen", "Q"),
    ("king", "K"),
    ("commoner", "K"),
    ("archbishop", "BN"),
    ("chancellor", "RN"),
    ("amazon", "QN"),
    ("centaur", "KN"),
    ("shogiPawn", "P"),
];

/// The names that Fusion Chess gives to compounds.
const COMPOUNDS: [(&str, &str); 6] = [
    ("RB", "Queen"),
    ("RN", "Marshall"),
    ("BN", "Paladin"),
    ("KR", "Dragon King"),
    ("KB", "Pontiff"),
    ("KN", "Cavalier King"),
];

/// Returns the words of an option that names a piece, or its letter.
fn words(option: &str, letter: char) -> String {
    if option.starts_with("customPiece") {
        return format!("piece {letter}");
    }
    let mut words = String::new();
    for letter in option.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
            words.push(letter.to_ascii_lowercase());
        } else {
            words.push(letter);
        }
    }
    words[..1].to_ascii_uppercase() + &words[1..]
}

/// Returns the figure of a kind that players of chess know, or of a compound of such kinds: its components.
pub(crate) fn figure(rules: &Definition, kind: Kind) -> Option<String> {
    let known = |kind: Kind| {
        let name = &rules.pieces[usize::from(kind)].name;
        KNOWN.iter().find(|(known, _)| known == name).map(|(_, figure)| *figure)
    };
    let components = rules.pieces[usize::from(kind)].components;
    if components == 0 {
        return known(kind).map(Into::into);
    }
    let figures: Vec<&str> = Tables::kinds(components).map(known).collect::<Option<_>>()?;
    let ordered = ["K", "R", "B", "N"].into_iter().filter(|figure| figures.contains(figure));
    let ordered: String = ordered.collect();
    (ordered.len() == figures.len()).then_some(ordered)
}

/// Returns the name of a kind.
#[must_use]
pub fn name(rules: &Definition, kind: Kind) -> String {
    let piece = &rules.pieces[usize::from(kind)];
    let known = figure(rules, kind).filter(|_| piece.components != 0);
    let compound = known.and_then(|figure| {
        COMPOUNDS.iter().find(|(known, _)| *known == figure).map(|(_, name)| (*name).into())
    });
    compound.unwrap_or_else(|| words(&piece.name, piece.letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_names() {
        assert_eq!(words("dragonHorse", 'H'), "Dragon horse");
        assert_eq!(words("customPiece3", 'X'), "piece X");
        let rules = crate::ini::builtin("fusion-2020", &[]).unwrap().definition;
        let of = |letter: char| name(&rules, rules.kind(letter).unwrap());
        assert_eq!(['g', 'q', 'r'].map(of), ["Dragon King", "Queen", "Rook"]);
    }
}
