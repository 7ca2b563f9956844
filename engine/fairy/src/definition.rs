//! A game as data: all that a section of a file says, with parents and defaults resolved.
//!
//! Squares are numbered from the first player's left corner along the ranks: `rank * files + file`.
//! Arrays of two have the first player's value, then the second's.

use crate::betza::Step;

/// A set of squares: bit i is square i.
pub type Squares = u128;

/// The most squares of a board.
pub const MOST_SQUARES: usize = 128;

/// The place of a kind of piece in [`Definition::pieces`].
pub type Kind = u8;

/// The most kinds of pieces: there is one for each letter.
pub const MOST_KINDS: usize = 32;

/// A set of kinds of pieces: bit i is kind i.
pub type Kinds = u64;

/// What a game is worth to the side to move when a rule ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The side to move wins.
    Win,
    /// The game is drawn.
    Draw,
    /// The side to move loses.
    Loss,
}

/// A rule that limits the length of an ending with few pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Board's honour and pieces' honour of Makruk.
    Makruk,
    /// The counting rules of Ouk Chatrang.
    Cambodian,
    /// The counting rules of ASEAN Chess.
    Asean,
}

/// How the winner is found when a game ends without another result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    /// The points of Janggi: the second side has one and a half more.
    Janggi,
    /// The side with more pieces wins.
    Unweighted,
    /// The first side wins draws.
    WhiteDrawOdds,
    /// The second side wins draws.
    BlackDrawOdds,
}

/// Pieces with rules of their own beside their moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// None.
    Common,
    /// The Pawn of chess: double and triple steps, captures in passing.
    Pawn,
    /// The royal piece: it may not be left attacked.
    King,
    /// The Soldier of Xiangqi: it moves sideways only from [`Definition::soldier_rank`] on.
    Soldier,
    /// The Cannon of Janggi: it neither leaps over nor captures a piece of its kind.
    JanggiCannon,
}

/// A kind of piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Name of its option: `archbishop`, `customPiece1`.
    pub name: String,
    /// Its letter, in upper case.
    pub letter: char,
    /// Another letter that positions may have for it, in upper case.
    pub synonym: Option<char>,
    /// Its moves in Betza's notation.
    pub betza: String,
    /// The same, parsed, as the first player sees them.
    pub steps: Vec<Step>,
    /// Its rules beside its moves.
    pub role: Role,
    /// Squares where it may go, of each side.
    pub region: [Squares; 2],
    /// What it becomes in the promotion region, as in Shogi.
    pub promotes_to: Option<Kind>,
    /// The most pieces of this kind that a side may have by promotion; 0 is no limit.
    pub promotion_limit: u8,
    /// The kinds of which it consists; none if it is no compound.
    pub components: Kinds,
    /// What it may become by a move from an attacked square to an empty one.
    pub attacked_becomes: Option<Kind>,
    /// Its value in the middle game, in hundredths of a Pawn's, if the definition says it.
    pub value: Option<i32>,
}

/// How a side castles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Castling {
    /// File where the King arrives, on the kingside and the queenside. It may lie off the board
    /// ([`Castling::has_wing`]).
    pub king_to: [u8; 2],
    /// File of the King, where a position has several such pieces on the rank. It may lie off the board.
    pub king_from: u8,
    /// File of the Rook on the kingside and the queenside, where none stands in the corner.
    pub rook_from: [u8; 2],
    /// Rank of the first player, from 0. The second player's is its mirror image.
    pub rank: u8,
    /// The piece that castles as a King.
    pub king: [Option<Kind>; 2],
    /// The pieces with which it castles.
    pub rooks: [Kinds; 2],
}

impl Castling {
    /// Returns whether a board with this number of files has the squares on which King and Rook arrive on the kingside (0)
    /// or on the queenside (1).
    #[must_use]
    pub fn has_wing(&self, wing: usize, files: u8) -> bool {
        match wing {
            0 => (1..files).contains(&self.king_to[0]),
            _ => self.king_to[1].saturating_add(1) < files,
        }
    }
}

/// Promotion of Pawns and of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promotion {
    /// The squares of promotion.
    pub region: [Squares; 2],
    /// Kinds that promote as Pawns do, to any of `to`.
    pub pawns: [Kinds; 2],
    /// The last of them: what a captured promoted Pawn becomes in the hand.
    pub pawn: [Option<Kind>; 2],
    /// What Pawns become.
    pub to: [Kinds; 2],
    /// Whether Pawns have to promote.
    pub pawns_must: bool,
    /// Whether pieces with [`Piece::promotes_to`] have to promote.
    pub pieces_must: bool,
    /// Whether pieces promote only by capturing.
    pub by_capture: bool,
    /// Whether promoted pieces may change back, under the same conditions.
    pub demotion: bool,
}

/// Pieces that come from the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drops {
    /// Whether pieces may be dropped.
    pub allowed: bool,
    /// Whether a captured piece goes to the capturer's hand.
    pub captures: bool,
    /// Whether a captured promoted piece keeps its kind in the hand.
    pub keep_promoted: bool,
    /// The squares of drops.
    pub region: [Squares; 2],
    /// Whether Pawns may be dropped on the first rank.
    pub pawns_on_first_rank: bool,
    /// Whether Pawns may be dropped in the promotion region.
    pub pawns_in_promotion: bool,
    /// The kind that may not be dropped on a file that has `doubled_count` of it.
    pub no_doubled: Option<Kind>,
    /// See `no_doubled`.
    pub doubled_count: u8,
    /// Whether a drop may give check.
    pub checks: bool,
    /// Whether a side has to drop if it can.
    pub must: bool,
    /// The kind to which `must` refers; `None` for all.
    pub must_kind: Option<Kind>,
    /// Whether pieces may be dropped in promoted state.
    pub promoted: bool,
    /// Whether Bishops have to be dropped on squares of opposite colours.
    pub opposite_bishops: bool,
    /// Whether a mate by a dropped Pawn loses.
    pub no_pawn_mate: bool,
    /// Whether a dropped King and Rook may castle.
    pub castling: bool,
}

/// When one component of a compound may move away from the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fission {
    /// Always.
    Always,
    /// While no enemy piece attacks the compound.
    Unattacked,
    /// Never.
    #[default]
    Never,
}

/// Pieces that merge and split: the family of Fusion Chess. What merges has to have a compound of exactly its
/// components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fusion {
    /// Kinds that may merge with a piece of their side by moving onto it.
    pub movers: Kinds,
    /// Kinds onto which they may move.
    pub targets: Kinds,
    /// Whether a dropped piece may merge with one of `targets` on its square.
    pub drops: bool,
    /// Whether compounds split. One component moves away, by its own moves to an empty square.
    pub fission: Fission,
    /// Whether a piece merges with the enemy piece that it captures, if there is such a compound.
    pub assimilation: bool,
    /// Whether a compound that captures becomes the component whose move it was, or the royal one if it has
    /// one. Where both rules hold, assimilation comes first.
    pub demotion: bool,
    /// Whether a captured compound goes to the capturer's hand as its components.
    pub hands_of_components: bool,
    /// Whether royal pieces may ride over attacked squares.
    pub royal_rides_cross: bool,
    /// Whether royal pieces may leap if all squares beside both ends of the leap are attacked.
    pub royal_leaps_cross: bool,
}

impl Fusion {
    /// Nothing merges or splits.
    pub const NONE: Self = Self {
        movers: 0,
        targets: 0,
        drops: false,
        fission: Fission::Never,
        assimilation: false,
        demotion: false,
        hands_of_components: false,
        royal_rides_cross: true,
        royal_leaps_cross: true,
    };
}

/// The side that has too few of some kinds of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extinction {
    /// Its result, if it is to move.
    pub value: Value,
    /// The kinds; each is counted by itself.
    pub kinds: Kinds,
    /// Whether all pieces together are counted too: `*`.
    pub all: bool,
    /// Number of pieces at which the game ends.
    pub count: u8,
    /// The least number of pieces of that kind that the other side needs for it.
    pub opponent_count: u8,
    /// Whether only the side to move can claim it against the other.
    pub claim: bool,
}

/// Pieces that win by reaching a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The kind of piece of each side; `None` for any.
    pub kind: [Option<Kind>; 2],
    /// The regions.
    pub region: [Squares; 2],
    /// How many pieces have to be there.
    pub count: u8,
    /// With a count above 1: whether one is enough if all other squares of the region are occupied.
    pub blocked_wins: bool,
    /// Whether the second player gets one more move, to draw.
    pub last_move: bool,
    /// Whether the piece may not be attacked there.
    pub safe: bool,
}

/// Pieces in a row that win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connect {
    /// How many in a row.
    pub count: u8,
    /// The kinds that count.
    pub kinds: Kinds,
    /// Whether files, ranks and diagonals count.
    pub lines: [bool; 3],
    /// The result of the side that has the row.
    pub value: Value,
}

/// What a repeated position means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The occurrence that ends the game; 0 for none.
    pub fold: u8,
    /// The result of the side to move.
    pub value: Value,
    /// Whether `value` is the first player's instead.
    pub absolute: bool,
    /// Whether perpetual check loses.
    pub no_perpetual_check: bool,
    /// Whether a side loses that moves a piece back and forth twice in a row.
    pub no_back_and_forth: bool,
}

/// A game as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Name of the section.
    pub name: String,
    /// Number of files, from 1 to 16.
    pub files: u8,
    /// Number of ranks, from 1 to 16.
    pub ranks: u8,
    /// The kinds of pieces, in the order of the format's list of them.
    pub pieces: Vec<Piece>,
    /// The initial position. Missing squares are written `*`.
    pub start: String,

    /// Promotion.
    pub promotion: Promotion,
    /// Squares from which a Pawn may step two squares, and from which pieces have their initial moves.
    pub double_step: [Squares; 2],
    /// Squares from which a Pawn may step three squares.
    pub triple_step: [Squares; 2],
    /// Squares on which a side may capture in passing.
    pub en_passant: [Squares; 2],
    /// Kinds that capture, and are captured, in passing.
    pub en_passant_kinds: [Kinds; 2],
    /// Castling; `None` if there is none.
    pub castling: Option<Castling>,
    /// Drops.
    pub drops: Drops,
    /// Pieces that merge and split.
    pub fusion: Fusion,

    /// Whether checks are allowed.
    pub checking: bool,
    /// Whether a side that can capture has to.
    pub must_capture: bool,
    /// Whether a piece may not go where it could never move again.
    pub no_immobile: bool,
    /// Whether a side may pass.
    pub pass: [bool; 2],
    /// Whether a side passes if it has no other move.
    pub pass_on_stalemate: [bool; 2],
    /// Whether the Kings may not face each other on an open file or rank, as in Xiangqi.
    pub flying_general: bool,
    /// Whether a King may not leave an attacked square except by capturing.
    pub king_stays_in_check: bool,
    /// The rank, from 0 as its side sees it, from which a Soldier moves sideways.
    pub soldier_rank: u8,
    /// Whether a capture destroys the capturing piece and all pieces around, except Pawns.
    pub blast: bool,
    /// Kinds that a blast does not destroy.
    pub blast_immune: Kinds,
    /// Kinds of which no piece may capture one of the same kind.
    pub mutually_immune: Kinds,

    /// The result of a side that has no move and is not in check.
    pub stalemate: Value,
    /// Whether the sign of `stalemate` follows the number of pieces instead.
    pub stalemate_by_count: bool,
    /// The result of a side that is mated.
    pub checkmate: Value,
    /// Extinction; `None` if there is none.
    pub extinction: Option<Extinction>,
    /// Whether the last pieces of the kinds of `extinction` are royal.
    pub pseudo_royal: bool,
    /// Whether a check means that all pseudo-royal pieces are attacked.
    pub duple_check: bool,
    /// Flags; `None` if there are none.
    pub flag: Option<Flag>,
    /// Whether checks are counted and enough of them win.
    pub check_counting: bool,
    /// Rows; `None` if they do not matter.
    pub connect: Option<Connect>,
    /// Kinds of which one piece beside the royal ones draws, as nothing does; none if material never draws.
    pub dead: Kinds,
    /// Moves of each side without a capture or a move of `move_rule_kinds` that draw; 0 for no limit.
    pub move_rule: u16,
    /// See `move_rule`.
    pub move_rule_kinds: [Kinds; 2],
    /// Repetition.
    pub repetition: Repetition,
    /// Counting of moves in endings; `None` if there is none.
    pub counting: Option<Counting>,
    /// Counting of material; `None` if there is none.
    pub material: Option<Material>,
}

impl Definition {
    /// Returns the number of squares.
    #[must_use]
    pub fn squares(&self) -> usize {
        usize::from(self.files) * usize::from(self.ranks)
    }

    /// Returns the kind with this letter, in upper or lower case, or this synonym.
    #[must_use]
    pub fn kind(&self, letter: char) -> Option<Kind> {
        let letter = letter.to_ascii_uppercase();
        let own = self.pieces.iter().position(|piece| piece.letter == letter);
        let other = || self.pieces.iter().position(|piece| piece.synonym == Some(letter));
        own.or_else(other).map(|kind| kind as Kind)
    }

    /// Returns the kind of the King; `None` if no piece is royal.
    #[must_use]
    pub fn king(&self) -> Option<Kind> {
        let place = self.pieces.iter().rposition(|piece| piece.role == Role::King);
        place.map(|kind| kind as Kind)
    }

    /// Returns the royal kinds: the King and the compounds with it.
    #[must_use]
    pub fn royals(&self) -> Kinds {
        let pieces = self.pieces.iter().enumerate();
        let royal = pieces.filter(|(_, piece)| piece.role == Role::King);
        royal.fold(0, |set, (kind, _)| set | 1 << kind)
    }

    /// Returns whether pieces merge, split or change, or royal pieces may not cross attacked squares.
    #[must_use]
    pub fn merges(&self) -> bool {
        let own = |piece: &Piece| piece.components != 0 || piece.attacked_becomes.is_some();
        self.fusion != Fusion::NONE || self.pieces.iter().any(own)
    }

    /// Returns the compound that consists of exactly these components.
    #[must_use]
    pub fn compound(&self, components: Kinds) -> Option<Kind> {
        let known = |piece: &Piece| piece.components != 0 && piece.components == components;
        self.pieces.iter().position(known).map(|kind| kind as Kind)
    }

    /// Returns what a kind consists of: its components, or itself.
    #[must_use]
    pub fn components(&self, kind: Kind) -> Kinds {
        match self.pieces[usize::from(kind)].components {
            0 => 1 << kind,
            components => components,
        }
    }

    /// Returns what two kinds become if they merge.
    #[must_use]
    pub fn merged(&self, one: Kind, other: Kind) -> Option<Kind> {
        let (one, other) = (self.components(one), self.components(other));
        self.compound(one | other).filter(|_| one & other == 0)
    }
}
