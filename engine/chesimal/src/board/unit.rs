//! Units, the modes of leaders, and what a mode activates.

use fusion_game::Side;

/// A kind of unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A leader that activates every kind.
    King,
    /// A leader that activates leaders, Pawns, and Warmachines or Elephants.
    Prince,
    /// Leaps as a Knight of chess.
    Knight,
    /// One step or a leap of two squares, orthogonally.
    Warmachine,
    /// One step or a leap of two squares, diagonally.
    Elephant,
    /// One step, in directions that depend on the leader.
    Pawn,
}

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = 6;
    /// All kinds, in the order of [`Kind::index`].
    pub const ALL: [Self; Self::COUNT] = {
        use Kind::{Elephant, King, Knight, Pawn, Prince, Warmachine};
        [King, Prince, Knight, Warmachine, Elephant, Pawn]
    };

    /// Returns the index, below [`Kind::COUNT`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns whether the kind leads an AMP.
    #[inline]
    #[must_use]
    pub const fn is_leader(self) -> bool {
        matches!(self, Kind::King | Kind::Prince)
    }

    /// Returns the letter in position texts, a capital for White's units.
    ///
    /// ```
    /// use fusion_chesimal::board::Kind;
    /// use fusion_game::Side;
    ///
    /// assert_eq!(Kind::Warmachine.letter(Side::First), 'W');
    /// assert_eq!(Kind::of_letter('w'), Some((Side::Second, Kind::Warmachine)));
    /// ```
    #[must_use]
    pub const fn letter(self, side: Side) -> char {
        let letter = [b'k', b's', b'n', b'w', b'e', b'p'][self.index()];
        match side {
            Side::First => letter.to_ascii_uppercase() as char,
            Side::Second => letter as char,
        }
    }

    /// Returns the unit with this letter in position texts.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<(Side, Self)> {
        let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
        Self::ALL.into_iter().find(|kind| kind.letter(side) == letter).map(|kind| (side, kind))
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["King", "Prince", "Knight", "Warmachine", "Elephant", "Pawn"][self.index()]
    }
}

/// How a leader activates in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// As a King.
    King,
    /// As an ortho Prince.
    Ortho,
    /// As a dia Prince.
    Dia,
    /// As a Prince that is ortho and dia at once, under `prince-mode=both`.
    Both,
}

impl Mode {
    /// Number of modes.
    pub const COUNT: usize = 4;
    /// All modes, in the order of [`Mode::index`].
    pub const ALL: [Self; Self::COUNT] = [Mode::King, Mode::Ortho, Mode::Dia, Mode::Both];

    /// Returns the index, below [`Mode::COUNT`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the letter in texts of actions and positions.
    #[must_use]
    pub const fn letter(self) -> char {
        ['k', 'o', 'd', 'b'][self.index()]
    }

    /// Returns the mode with this letter.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.letter() == letter)
    }

    /// Returns whether a leader in this mode activates units of a kind.
    #[inline]
    #[must_use]
    pub const fn activates(self, kind: Kind) -> bool {
        match kind {
            Kind::King | Kind::Prince | Kind::Pawn => true,
            Kind::Knight => matches!(self, Mode::King),
            Kind::Warmachine => !matches!(self, Mode::Dia),
            Kind::Elephant => !matches!(self, Mode::Ortho),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_activate_what_the_rules_say() {
        let activated = |mode: Mode| -> String {
            let kinds = Kind::ALL.into_iter().filter(|&kind| mode.activates(kind));
            kinds.map(|kind| kind.letter(Side::Second)).collect()
        };
        assert_eq!(Mode::ALL.map(activated), ["ksnwep", "kswp", "ksep", "kswep"]);
    }

    #[test]
    fn letters_come_back() {
        for kind in Kind::ALL {
            for side in [Side::First, Side::Second] {
                assert_eq!(Kind::of_letter(kind.letter(side)), Some((side, kind)));
            }
        }
        assert_eq!(Kind::of_letter('q'), None);
        assert_eq!(Kind::of_letter('é'), None);
        for mode in Mode::ALL {
            assert_eq!(Mode::of_letter(mode.letter()), Some(mode));
        }
    }
}
