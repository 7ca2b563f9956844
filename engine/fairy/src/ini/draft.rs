//! A section as its options leave it: what its children start from.

use super::pieces::{self, KING, PAWN, ROOK, TYPES, Type};
use super::problem::Place;
use super::region::{Region, Types};
use crate::definition::{Counting, Fission, Material, Value};
use std::collections::BTreeMap;

/// The letter of a piece, in upper case, and another one that positions may have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letters {
    pub own: char,
    pub synonym: Option<char>,
}

/// Values of all supported options. Regions may have squares off the board, and sets pieces that do not
/// exist: a child may add them.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub files: u8,
    pub ranks: u8,
    pub letters: [Option<Letters>; TYPES],
    /// Moves of kinds that have none of their own.
    pub betza: Vec<String>,
    pub mobility: Vec<[Region; 2]>,
    pub values: [u32; TYPES],
    pub limits: [u16; TYPES],
    pub promoted: [Option<Type>; TYPES],
    pub components: [Types; TYPES],
    pub attacked: [Option<Type>; TYPES],
    pub start: String,

    pub promotion_region: [Region; 2],
    pub pawns: [Types; 2],
    pub pawn: [Option<Type>; 2],
    pub promotions: [Types; 2],
    pub pawns_must: bool,
    pub pieces_must: bool,
    pub by_capture: bool,
    pub demotion: bool,

    pub fusion_movers: Types,
    pub fusion_targets: Types,
    pub fusion_drops: bool,
    pub fission: Fission,
    pub assimilation: bool,
    pub capture_demotion: bool,
    pub hands_of_components: bool,
    pub royal_rides_cross: bool,
    pub royal_leaps_cross: bool,
    pub dead: Types,

    pub blast: bool,
    pub blast_immune: Types,
    pub mutually_immune: Types,

    pub double_step: bool,
    pub double_region: [Region; 2],
    pub triple_region: [Region; 2],
    pub passing_region: [Region; 2],
    pub passing: [Types; 2],

    pub castling: bool,
    pub castling_dropped: bool,
    pub king_to: [u8; 2],
    pub castling_rank: u8,
    pub king_from: u8,
    pub castling_king: [Option<Type>; 2],
    pub rook_from: [u8; 2],
    pub rooks: [Types; 2],

    pub checking: bool,
    pub must_capture: bool,
    pub drops: bool,
    pub captures_to_hand: bool,
    pub keep_promoted: bool,
    pub must_drop: bool,
    pub must_drop_kind: Option<Type>,
    pub drop_checks: bool,
    pub first_rank_drops: bool,
    pub promotion_zone_drops: bool,
    pub drop_region: [Region; 2],
    pub opposite_bishops: bool,
    pub drop_promoted: bool,
    pub no_doubled: Option<Type>,
    pub doubled_count: u16,
    pub no_immobile: bool,

    pub pass: [bool; 2],
    pub pass_on_stalemate: [bool; 2],
    pub makpong: bool,
    pub flying_general: bool,
    pub soldier_rank: u8,

    pub move_rule_kinds: [Types; 2],
    pub move_rule: u16,
    pub fold: u16,
    pub fold_value: Value,
    pub fold_absolute: bool,
    pub no_perpetual_check: bool,
    pub no_back_and_forth: bool,
    pub stalemate: Value,
    pub stalemate_by_count: bool,
    pub checkmate: Value,
    pub no_pawn_mate: bool,

    pub extinction: Option<Value>,
    pub extinction_claim: bool,
    pub pseudo_royal: bool,
    pub duple_check: bool,
    pub extinct: Types,
    pub extinction_count: u16,
    pub extinction_opponent: u16,

    pub flag_kind: [Option<Type>; 2],
    pub flag_region: [Region; 2],
    pub flag_count: u16,
    pub flag_blocked: bool,
    pub flag_move: bool,
    pub flag_safe: bool,
    pub check_counting: bool,

    pub connect: u16,
    pub connect_kinds: Types,
    /// Whether files, ranks and diagonals count.
    pub connect_lines: [bool; 3],
    pub connect_value: Value,
    pub material: Option<Material>,
    pub counting: Option<Counting>,

    /// Options that are not supported and have not their default values, with these.
    pub rejected: BTreeMap<String, String>,
    /// Ignored options that would change the play, with their values.
    pub ignored: BTreeMap<String, String>,
    /// Where the options are set.
    pub places: BTreeMap<String, Place>,
}

impl Draft {
    /// Returns the values of a section without parent and options: the rules of chess without pieces.
    pub(super) fn new() -> Self {
        let pawns = [Types::one(PAWN); 2];
        let mut betza = vec![String::new(); TYPES];
        betza[KING] = pieces::KING_MOVES.into();
        Self {
            files: 8,
            ranks: 8,
            letters: [None; TYPES],
            betza,
            mobility: vec![[Region::NONE; 2]; TYPES],
            values: [0; TYPES],
            limits: [0; TYPES],
            promoted: [None; TYPES],
            components: [Types::NONE; TYPES],
            attacked: [None; TYPES],
            start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
            promotion_region: [Region::rank(7), Region::rank(0)],
            pawns,
            pawn: [Some(PAWN); 2],
            promotions: [Types::NONE; 2],
            pawns_must: true,
            pieces_must: false,
            by_capture: false,
            demotion: false,
            fusion_movers: Types::NONE,
            fusion_targets: Types::NONE,
            fusion_drops: false,
            fission: Fission::Never,
            assimilation: false,
            capture_demotion: false,
            hands_of_components: false,
            royal_rides_cross: true,
            royal_leaps_cross: true,
            dead: Types::NONE,
            blast: false,
            blast_immune: Types::NONE,
            mutually_immune: Types::NONE,
            double_step: true,
            double_region: [Region::rank(1), Region::rank(6)],
            triple_region: [Region::NONE; 2],
            passing_region: [Region::ALL; 2],
            passing: pawns,
            castling: true,
            castling_dropped: false,
            king_to: [6, 2],
            castling_rank: 0,
            king_from: 4,
            castling_king: [Some(KING); 2],
            rook_from: [15, 0],
            rooks: [Types::one(ROOK); 2],
            checking: true,
            must_capture: false,
            drops: false,
            captures_to_hand: false,
            keep_promoted: false,
            must_drop: false,
            must_drop_kind: None,
            drop_checks: true,
            first_rank_drops: false,
            promotion_zone_drops: false,
            drop_region: [Region::ALL; 2],
            opposite_bishops: false,
            drop_promoted: false,
            no_doubled: None,
            doubled_count: 1,
            no_immobile: false,
            pass: [false; 2],
            pass_on_stalemate: [false; 2],
            makpong: false,
            flying_general: false,
            soldier_rank: 0,
            move_rule_kinds: pawns,
            move_rule: 50,
            fold: 3,
            fold_value: Value::Draw,
            fold_absolute: false,
            no_perpetual_check: false,
            no_back_and_forth: false,
            stalemate: Value::Draw,
            stalemate_by_count: false,
            checkmate: Value::Loss,
            no_pawn_mate: false,
            extinction: None,
            extinction_claim: false,
            pseudo_royal: false,
            duple_check: false,
            extinct: Types::NONE,
            extinction_count: 0,
            extinction_opponent: 0,
            flag_kind: [None; 2],
            flag_region: [Region::NONE; 2],
            flag_count: 1,
            flag_blocked: false,
            flag_move: false,
            flag_safe: false,
            check_counting: false,
            connect: 0,
            connect_kinds: Types::ALL,
            connect_lines: [true; 3],
            connect_value: Value::Win,
            material: None,
            counting: None,
            rejected: BTreeMap::new(),
            ignored: BTreeMap::new(),
            places: BTreeMap::new(),
        }
    }

    /// Returns the kind with this letter.
    pub(super) fn kind(&self, letter: char) -> Option<Type> {
        let letter = letter.to_ascii_uppercase();
        self.letters.iter().position(|letters| letters.is_some_and(|letters| letters.own == letter))
    }

    /// Adds a piece. It takes its letter from another one, which leaves the game. A piece that has the
    /// letter already is no longer promoted to, as in Fairy-Stockfish.
    pub(super) fn add(&mut self, kind: Type, letters: Letters) {
        if let Some(other) = self.kind(letters.own) {
            self.remove(other);
        }
        self.letters[kind] = Some(letters);
    }

    /// Removes a piece; Pawns can no longer become it.
    pub(super) fn remove(&mut self, kind: Type) {
        self.letters[kind] = None;
        for promotions in &mut self.promotions {
            promotions.remove(kind);
        }
    }

    /// Returns the moves of a kind in Betza's notation.
    pub(super) fn moves(&self, kind: Type) -> &str {
        pieces::moves(kind).unwrap_or(&self.betza[kind])
    }

    /// Makes the options on double steps agree, before a child inherits them.
    pub(super) fn conclude(&mut self) {
        if !self.double_step {
            self.double_region = [Region::NONE; 2];
        }
        self.double_step = !self.double_region.iter().all(|region| region.is_empty());
    }
}
