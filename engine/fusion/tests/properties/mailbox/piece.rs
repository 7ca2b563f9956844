//! What stands on the squares of the slow generator's board.

/// A colour and a set of components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub white: bool,
    /// Its place in [`PIECES`]: boards are copied for every move, so they should be small.
    pub(super) kind: u8,
}

/// Every piece: its components, in FEN's order, K R B N O, and a black one's FEN. O is the Mann:
/// M is the Marshall in FEN. King and Mann never meet.
const PIECES: [(&str, &str); 22] = [
    ("P", "p"),
    ("K", "k"),
    ("R", "r"),
    ("B", "b"),
    ("N", "n"),
    ("O", "o"),
    ("RB", "q"),
    ("RN", "m"),
    ("BN", "d"),
    ("KR", "g"),
    ("KB", "f"),
    ("KN", "c"),
    ("RO", "{ro}"),
    ("BO", "{bo}"),
    ("NO", "{no}"),
    ("KRB", "{krb}"),
    ("KRN", "{krn}"),
    ("KBN", "{kbn}"),
    ("RBN", "{rbn}"),
    ("RBO", "{rbo}"),
    ("RNO", "{rno}"),
    ("BNO", "{bno}"),
];

impl Piece {
    /// The piece with exactly these components, in whatever order.
    pub fn new(white: bool, wanted: &str) -> Self {
        let same = |&&(has, _): &&(&str, &str)| {
            has.len() == wanted.len() && wanted.chars().all(|c| has.contains(c))
        };
        let kind = PIECES.iter().position(|piece| same(&piece));
        Self { white, kind: kind.unwrap_or_else(|| panic!("no piece {wanted}")) as u8 }
    }

    /// The piece with this FEN, capitals for White.
    pub fn from_fen(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        let kind = PIECES.iter().position(|(_, fen)| *fen == lower);
        let kind = kind.unwrap_or_else(|| panic!("no piece {text}")) as u8;
        Self { white: text != lower, kind }
    }

    pub fn components(self) -> &'static str {
        PIECES[usize::from(self.kind)].0
    }

    pub fn fen(self) -> String {
        let (_, fen) = PIECES[usize::from(self.kind)];
        if self.white { fen.to_ascii_uppercase() } else { fen.to_string() }
    }

    pub fn has(self, component: char) -> bool {
        self.components().contains(component)
    }

    pub fn is_royal(self) -> bool {
        self.has('K')
    }

    pub fn is_compound(self) -> bool {
        self.components().len() > 1
    }

    /// What is left when a component leaves.
    pub fn without(self, component: char) -> Self {
        Self::new(self.white, &self.components().replace(component, ""))
    }
}
