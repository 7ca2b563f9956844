//! Rule sets as data: presets and the toggles in which they differ.
//!
//! A rule set is written as a preset and changes to it, `fusion-2020,castling=no`, on
//! command lines, in tables and in TOML. [`RuleSet`]'s `Display` is canonical: equal
//! rule sets print the same text, whatever expression they came from.

mod denied;
mod neighbours;
mod presets;
mod random;
mod start;
#[cfg(test)]
mod tests;
mod values;
mod variant;
mod words;

pub use denied::Denied;
pub use fusion_game::RulesError;
pub use presets::PRESETS;
pub use start::Start;
pub use values::{
    BareKing, Fission, FusionNeeds, FusionSet, MaxComponents, MoveLimit, MoveNumber, PawnDouble,
    PromotionSet, Repetition, RoyalReach, Stalemate,
};

use crate::board::piece::Piece;
use fusion_game::{ToggleKind, Toggles};

/// The rules of a game: one value for every toggle.
///
/// ```
/// use fusion_chess::rules::RuleSet;
///
/// // The text is canonical: what the preset has already is left out.
/// let rules: RuleSet = "fusion-2020,castling=no,fission=yes".parse()?;
/// assert_eq!(rules.to_string(), "fusion-2020,castling=no");
/// assert_eq!(rules.get("castling").as_deref(), Some("no"));
/// assert!("fusion-2020,castles=no".parse::<RuleSet>().is_err());
/// # Ok::<(), fusion_chess::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
// In this order for `is_usual`.
#[repr(C)]
pub struct RuleSet {
    /// `fusion`: what fuses with each other.
    pub fusion: FusionSet,
    /// `king-fuses`: the King moves onto a friendly Rook, Bishop or Knight and fuses.
    pub king_fuses: bool,
    /// `fuse-onto-king`: a friendly Rook, Bishop or Knight moves onto the King and fuses.
    pub fuse_onto_king: bool,
    /// `sliders-cross-check`: King-Rook and King-Bishop may cross attacked squares.
    pub sliders_cross_check: bool,
    /// `leapers-cross-check`: King-Knight may leap between attacked gateways.
    pub leapers_cross_check: bool,
    /// `attacked-split`: an attacked compound may split.
    pub attacked_split: bool,
    /// `castling`: castling.
    pub castling: bool,
    /// `royal-reach`: the fission test for royal compounds' far attacks.
    pub royal_reach: RoyalReach,
    /// `promotion`: what a Pawn may become.
    pub promotion: PromotionSet,
    /// `fission`: how compounds split.
    pub fission: Fission,
    /// `fusion-needs`: what a player must not have on the board in order to fuse.
    pub fusion_needs: FusionNeeds,
    /// `max-components`: the most components of one piece.
    pub max_components: MaxComponents,
    /// `metamorph`: an attacked simple Knight, Rook or Bishop that moves to an empty square may
    /// become Rook-Bishop, Rook-Knight or Bishop-Knight, respectively.
    pub metamorph: bool,
    /// `demote-on-capture`: a compound that captures becomes the one component it captured as,
    /// a royal one the King.
    pub demote_on_capture: bool,
    /// `promotion-unique`: a Pawn may not become a compound that the player has already.
    pub promotion_unique: bool,
    /// `pawn-double`: the ranks from which a Pawn may step two squares.
    pub pawn_double: PawnDouble,
    /// `pawn-back`: a Pawn may also step one square straight back, without capturing.
    pub pawn_back: bool,
    /// `pawn-sideways`: a Pawn may also step one square to the left or right, without capturing.
    pub pawn_sideways: bool,
    /// `self-capture`: pieces may capture their own side's, except the royal one.
    pub self_capture: bool,
    /// `start`: the initial position, or several of them.
    pub start: Start,
    /// `castling-from`: the number of the first move at which one may castle.
    pub castling_from: MoveNumber,
    /// `stalemate`: what stalemate is for the side that gave it.
    pub stalemate: Stalemate,
    /// `repetition`: what the third occurrence of a position is for the side that completes it.
    pub repetition: Repetition,
    /// `bare-king`: whether a side that has only a simple King loses.
    pub bare_king: BareKing,
    /// `move-limit`: moves of each side without progress that end the game.
    pub move_limit: MoveLimit,
    /// `denied`: what one side may not do although the other may.
    pub denied: Denied,
}

/// The kinds of rules. Each kind has more moves to generate than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing fuses and nothing splits.
    Chess,
    /// Pieces fuse or split as in Fusion Chess.
    Fusion,
    /// Any further rules: see [`RuleSet::is_usual`].
    Family,
}

fusion_game::toggles! {
    RuleSet, PRESETS, checked by checked;
    "fusion" = fusion, "pieces fuse", "Rook, Bishop and Knight (and Mann) fuse with each other";
    "fission" = fission, "compounds split", "compounds split";
    "king-fuses" = king_fuses, "King moves to fuse", "the King moves onto a Rook, Bishop or Knight and fuses";
    "fuse-onto-king" = fuse_onto_king, "pieces fuse onto King", "a Rook, Bishop or Knight moves onto the King and fuses";
    "sliders-cross-check" = sliders_cross_check, "KR, KB cross attacks", "Dragon King and Pontiff may cross attacked squares";
    "leapers-cross-check" = leapers_cross_check, "KN leaps over attacks", "Cavalier King may leap between attacked squares";
    "attacked-split" = attacked_split, "attacked pieces split", "an attacked compound may split";
    "castling" = castling, "castling allowed", "castling";
    "promotion" = promotion, "", "what a Pawn may become";
    "royal-reach" = royal_reach, "", "how a royal compound's far attacks forbid splitting";
    "fusion-needs" = fusion_needs, "", "what a player must not have in order to fuse";
    "max-components" = max_components, "", "the most components of a piece";
    "metamorph" = metamorph, "attacked pieces change", "an attacked simple piece that moves may become another";
    "demote-on-capture" = demote_on_capture, "capturing compounds shrink", "a compound that captures becomes the component it captured as";
    "start" = start, "", "the initial position";
    "promotion-unique" = promotion_unique, "no second like compound", "no promotion to a compound that the player has already";
    "pawn-double" = pawn_double, "", "the ranks from which a Pawn may step two squares";
    "pawn-back" = pawn_back, "Pawns step back", "a Pawn may also step one square back";
    "pawn-sideways" = pawn_sideways, "Pawns step sideways", "a Pawn may also step one square to the left or right";
    "self-capture" = self_capture, "pieces capture friends", "pieces may capture their own side's";
    "castling-from" = castling_from, "", "the first move at which one may castle";
    "stalemate" = stalemate, "", "what stalemate is for the side that gives it";
    "repetition" = repetition, "", "what the third occurrence of a position is for the side that completes it";
    "bare-king" = bare_king, "", "what happens to a side that has only its King";
    "move-limit" = move_limit, "", "moves of each side without progress that draw the game";
    "denied" = denied, "", "what one side may not do although the other may";
}

/// The toggles with their words, in the order in which expressions list them.
pub const TOGGLES: &[ToggleKind] = <RuleSet as Toggles>::TOGGLES;

impl RuleSet {
    /// Returns whether a Mann can come onto the board.
    #[inline]
    #[must_use]
    pub fn has_manns(&self) -> bool {
        self.start.has_manns() | self.promotion.has_mann()
    }

    /// Returns whether pieces can fuse in some way.
    #[must_use]
    pub fn fuses(&self) -> bool {
        self.fusion.any() || self.royals_fuse()
    }

    fn royals_fuse(&self) -> bool {
        self.king_fuses || self.fuse_onto_king
    }

    /// Returns whether more than two components can come together in one piece.
    fn makes_triples(&self) -> bool {
        let ordinary = self.canonical().fusion.components().len();
        (ordinary > 2 || self.royals_fuse()) && self.fusion_needs != FusionNeeds::NoCompound
    }

    /// Returns the kind of rules, which selects the move generator.
    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        let splits = self.fission != Fission::None;
        match () {
            () if !self.is_usual() => Kind::Family,
            () if self.fusion.any() | self.king_fuses | self.fuse_onto_king | splits => {
                Kind::Fusion
            }
            () => Kind::Chess,
        }
    }

    /// Returns whether every move is one of orthodox chess. Nothing fuses, splits or changes, Pawns
    /// move as in orthodox chess, and they promote only to Queens, Rooks, Bishops or Knights, or to
    /// some of these. Castling may be denied to one side: the castling rights show it. Ordinary chess
    /// programs can follow such games.
    #[must_use]
    pub fn is_chess(&self) -> bool {
        let orthodox = self.promotion.pieces().all(Piece::is_orthodox) && self.start.is_orthodox();
        orthodox && self.kind() == Kind::Chess
    }

    /// Returns whether every piece is one of orthodox chess, however it moves. The Queen is then
    /// written as Q.
    #[must_use]
    pub fn has_chess_pieces(&self) -> bool {
        Self {
            pawn_double: PawnDouble::First,
            pawn_back: false,
            pawn_sideways: false,
            self_capture: false,
            ..*self
        }
        .is_chess()
    }

    /// Returns whether a Queen is one piece, and not a Rook and a Bishop: nothing merges, splits or
    /// changes.
    ///
    /// ```
    /// use fusion_chess::rules::RuleSet;
    ///
    /// assert!(RuleSet::preset("no-fusion")?.queen_is_whole());
    /// assert!(!RuleSet::preset("coronation")?.queen_is_whole());
    /// # Ok::<(), fusion_chess::rules::RulesError>(())
    /// ```
    #[must_use]
    pub fn queen_is_whole(&self) -> bool {
        let changes = self.metamorph || self.demote_on_capture;
        !self.fuses() && self.fission == Fission::None && !changes
    }

    /// Returns whether all toggles that the family's other games add have the values of Fusion
    /// Chess.
    #[inline]
    #[must_use]
    pub fn is_usual(&self) -> bool {
        // Hot path, called in every position: two comparisons of neighbouring bytes. The values of
        // Fusion Chess are 0, those of fission 0 and 1, and one bit of promotion is the Mann.
        let toggles = u64::from_ne_bytes([
            self.promotion.bits(),
            self.fission as u8,
            self.fusion_needs as u8,
            self.max_components as u8,
            self.metamorph.into(),
            self.demote_on_capture.into(),
            self.promotion_unique.into(),
            self.pawn_double as u8,
        ]);
        const FAMILY: u64 =
            u64::from_ne_bytes([PromotionSet::MANN.bits(), !1, !0, !0, !0, !0, !0, !0]);
        let others = u32::from_ne_bytes([
            self.pawn_back.into(),
            self.pawn_sideways.into(),
            self.self_capture.into(),
            self.start.has_manns().into(),
        ]);
        let fusion = (self.fusion == FusionSet::ALL) | (self.fusion == FusionSet::NONE);
        fusion & (toggles & FAMILY == 0) & (others == 0)
    }

    /// Rejects toggles that contradict each other.
    ///
    /// # Errors
    /// Returns [`RulesError::Contradiction`] with the reason, or [`RulesError::Start`] if a position
    /// is impossible or the game is over there.
    pub fn check(&self) -> Result<(), RulesError> {
        if let Some(reason) = self.contradiction() {
            return Err(RulesError::Contradiction(self.to_string(), reason));
        }
        self.start.check(self).map_err(|reason| RulesError::Start(self.to_string(), reason))
    }

    fn checked(self) -> Result<Self, RulesError> {
        self.check()?;
        Ok(self.canonical())
    }

    fn contradiction(&self) -> Option<&'static str> {
        let simple = |piece: Piece| piece.len() == 1;
        match () {
            () if self.demote_on_capture && self.has_manns() => Some(
                "with demote-on-capture=yes a compound becomes the component it captured as, but \
                 a Mann's step is also one of a Rook or a Bishop (Manns at the start, or promotion to o)",
            ),
            () if self.fusion.names_mann() && !self.has_manns() => {
                Some("fusion names the Mann (o), but there are none (start=mann, promotion to o)")
            }
            () if self.max_components == MaxComponents::Three && !self.makes_triples() => Some(
                "with max-components=3 nothing makes a piece of three components: fusion must be \
                 of three kinds, or the King fuse, and fusion-needs not be no-compound",
            ),
            () if !self.castling && self.castling_from != MoveNumber::FIRST => {
                Some("castling-from delays castling, but castling is no")
            }
            () if self.fusion_needs != FusionNeeds::Nothing && !self.fuses() => Some(
                "fusion-needs is a condition on fusion, but fusion, king-fuses and \
                 fuse-onto-king are all no",
            ),
            () if self.promotion_unique && !self.promotion.pieces().any(simple) => Some(
                "with promotion-unique=yes and no simple piece to promote to, a Pawn might have \
                 nothing to become",
            ),
            () if !self.denies_what_it_permits() => Some(
                "denied takes from one side what the rules permit, but they do not permit all of it, or it has no effect",
            ),
            () if self.denied != Denied::NOTHING && self.royal_reach == RoyalReach::Path => Some(
                "with royal-reach=path the limits of one side decide what the other may split, so \
                 nothing can be denied to one side only",
            ),
            () => None,
        }
    }

    /// Returns the canonical form of the same rules: without Manns, fusion of R, B and N is fusion
    /// of all.
    #[must_use]
    pub fn canonical(self) -> Self {
        let fusion = if self.has_manns() { self.fusion } else { self.fusion.without_manns() };
        Self { fusion, ..self }
    }
}
