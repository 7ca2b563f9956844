//! The kinds of pieces that the format has names for.

use crate::definition::Role;

/// The place of a kind of piece in [`names`]: the format's order of them.
pub(super) type Type = usize;

/// The kinds with moves of their own, in the format's order, with their moves in Betza's notation.
const OWN: [(&str, &str); 36] = [
    ("pawn", "fmWfceF"),
    ("knight", "N"),
    ("bishop", "B"),
    ("rook", "R"),
    ("queen", "Q"),
    ("fers", "F"),
    ("alfil", "A"),
    ("fersAlfil", "FA"),
    ("silver", "FfW"),
    ("aiwok", "RNF"),
    ("bers", "RF"),
    ("archbishop", "BN"),
    ("chancellor", "RN"),
    ("amazon", "QN"),
    ("knibis", "mNcB"),
    ("biskni", "mBcN"),
    ("kniroo", "mNcR"),
    ("rookni", "mRcN"),
    ("shogiPawn", "fW"),
    ("lance", "fR"),
    ("shogiKnight", "fN"),
    ("gold", "WfF"),
    ("dragonHorse", "BW"),
    ("clobber", "cW"),
    ("breakthrough", "fmWfF"),
    ("immobile", ""),
    ("cannon", "mRcpR"),
    ("janggiCannon", "pR"),
    ("soldier", "fsW"),
    ("horse", "nN"),
    ("elephant", "nA"),
    ("janggiElephant", "nZ"),
    ("banner", "RcpRnN"),
    ("wazir", "W"),
    ("commoner", "K"),
    ("centaur", "KN"),
];

/// The names of kinds whose moves a section gives.
const CUSTOM: [&str; 25] = [
    "customPiece1",
    "customPiece2",
    "customPiece3",
    "customPiece4",
    "customPiece5",
    "customPiece6",
    "customPiece7",
    "customPiece8",
    "customPiece9",
    "customPiece10",
    "customPiece11",
    "customPiece12",
    "customPiece13",
    "customPiece14",
    "customPiece15",
    "customPiece16",
    "customPiece17",
    "customPiece18",
    "customPiece19",
    "customPiece20",
    "customPiece21",
    "customPiece22",
    "customPiece23",
    "customPiece24",
    "customPiece25",
];

/// The number of kinds.
pub(super) const TYPES: usize = OWN.len() + CUSTOM.len() + 1;

/// The Pawn.
pub(super) const PAWN: Type = 0;

/// The Rook.
pub(super) const ROOK: Type = 3;

/// The King, which is the last.
pub(super) const KING: Type = TYPES - 1;

/// The moves of a King that a section does not change.
pub(super) const KING_MOVES: &str = "K";

/// Returns the name of a kind's option.
pub(super) fn name(kind: Type) -> &'static str {
    let own = OWN.get(kind).map(|(name, _)| *name);
    let custom = || CUSTOM.get(kind.wrapping_sub(OWN.len())).copied();
    own.or_else(custom).unwrap_or("king")
}

/// Returns the kind with this name.
pub(super) fn kind(name: &str) -> Option<Type> {
    (0..TYPES).find(|&kind| self::name(kind) == name)
}

/// Returns the moves of a kind; `None` if sections give them.
pub(super) fn moves(kind: Type) -> Option<&'static str> {
    OWN.get(kind).map(|(_, betza)| *betza)
}

/// Returns the rules of a kind beside its moves.
pub(super) fn role(kind: Type) -> Role {
    match name(kind) {
        "pawn" => Role::Pawn,
        "king" => Role::King,
        "soldier" => Role::Soldier,
        "janggiCannon" => Role::JanggiCannon,
        _ => Role::Common,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_moves_parse() {
        for kind in 0..TYPES {
            assert_eq!(super::kind(name(kind)), Some(kind));
            crate::betza::parse(moves(kind).unwrap_or(KING_MOVES)).unwrap();
        }
        assert_eq!((name(PAWN), name(ROOK), name(KING)), ("pawn", "rook", "king"));
    }
}
