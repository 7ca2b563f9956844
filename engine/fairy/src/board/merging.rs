//! Which kinds merge to which, as tables made once for a definition.

use crate::definition::{Definition, Fission, Kind, Kinds, MOST_KINDS};

/// What pieces may become, by kind.
#[derive(Debug)]
pub(crate) struct Merging {
    /// Whether pieces merge, split or change by these rules.
    pub any: bool,
    /// Whether royal pieces may not cross attacked squares.
    pub careful: bool,
    /// Whether captures change what captures.
    pub by_capture: bool,
    /// By mover and target: the compound, plus 1; 0 if there is none.
    merged: Vec<u8>,
    /// By kind: the kinds of its side onto which it may move.
    pub partners: Vec<Kinds>,
}

impl Merging {
    pub fn of(rules: &Definition) -> Self {
        let kinds = 0..rules.pieces.len() as Kind;
        let mut merged = vec![0; MOST_KINDS * MOST_KINDS];
        let mut partners = vec![0; rules.pieces.len()];
        let fusion = &rules.fusion;
        for one in kinds.clone() {
            for other in kinds.clone() {
                if let Some(compound) = rules.merged(one, other) {
                    merged[usize::from(one) * MOST_KINDS + usize::from(other)] = compound + 1;
                    if fusion.movers >> one & fusion.targets >> other & 1 == 1 {
                        partners[usize::from(one)] |= 1 << other;
                    }
                }
            }
        }
        let by_capture = fusion.assimilation || fusion.demotion;
        let by_attack = rules.pieces.iter().any(|piece| piece.attacked_becomes.is_some());
        Self {
            any: partners.iter().any(|&kinds| kinds != 0)
                || by_capture
                || by_attack
                || fusion.fission != Fission::Never,
            careful: !(fusion.royal_rides_cross && fusion.royal_leaps_cross),
            by_capture,
            merged,
            partners,
        }
    }

    /// Returns what two kinds become.
    pub fn merged(&self, one: Kind, other: Kind) -> Option<Kind> {
        self.merged[usize::from(one) * MOST_KINDS + usize::from(other)].checked_sub(1)
    }
}

impl Definition {
    /// Returns what stays of a compound if a component leaves it.
    pub(crate) fn rest(&self, kind: Kind, leaving: Kind) -> Option<Kind> {
        let rest = self.pieces[usize::from(kind)].components & !(1 << leaving);
        if rest.count_ones() == 1 {
            Some(rest.trailing_zeros() as Kind)
        } else {
            self.compound(rest)
        }
    }
}
