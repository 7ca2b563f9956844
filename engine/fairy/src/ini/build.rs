//! From the values of options to a definition, and back.

use super::draft::{Draft, Letters};
use super::pieces::{self, KING, TYPES, Type};
use super::region::{MOST, Region, Types};
use super::start;
use crate::definition::{
    Castling, Connect, Definition, Drops, Extinction, Flag, Fusion, Kind, Kinds, Piece, Promotion,
    Repetition, Role, Squares, Value,
};

impl Draft {
    /// Returns the definition. What does not matter is left out: castling without a square or a piece,
    /// regions off the board, pieces that do not exist.
    pub(super) fn definition(&self, name: &str) -> Definition {
        Definition {
            name: name.into(),
            files: self.files,
            ranks: self.ranks,
            pieces: self.types().map(|kind| self.piece(kind)).collect(),
            start: self.start.clone(),
            promotion: Promotion {
                region: self.on(self.promotion_region),
                pawns: self.pawns.map(|pawns| self.kinds(pawns)),
                pawn: [0, 1].map(|side| self.last_pawn(side)),
                to: self.promotions.map(|kinds| self.kinds(kinds)),
                pawns_must: self.pawns_must,
                pieces_must: self.pieces_must,
                by_capture: self.by_capture,
                demotion: self.demotion,
            },
            double_step: self.on(self.double_region),
            triple_step: self.on(self.triple_region),
            en_passant: self.on(self.passing_region),
            en_passant_kinds: self.passing.map(|kinds| self.kinds(kinds)),
            castling: self.castles(),
            drops: self.dropping(),
            fusion: self.fusing(),
            checking: self.checking,
            must_capture: self.must_capture,
            no_immobile: self.no_immobile,
            pass: self.pass,
            pass_on_stalemate: self.pass_on_stalemate,
            flying_general: self.flying_general,
            king_stays_in_check: self.makpong,
            soldier_rank: self.soldier_rank,
            blast: self.blast,
            blast_immune: self.kinds(self.blast_immune),
            mutually_immune: self.kinds(self.mutually_immune),
            stalemate: self.stalemate,
            stalemate_by_count: self.stalemate_by_count,
            checkmate: self.checkmate,
            extinction: self.extinct(),
            pseudo_royal: self.pseudo_royal && self.extinct().is_some(),
            duple_check: self.duple_check && self.pseudo_royal && self.extinct().is_some(),
            flag: self.flag(),
            check_counting: self.check_counting,
            connect: self.row(),
            dead: self.kinds(self.dead),
            move_rule: self.move_rule,
            move_rule_kinds: self.move_rule_kinds.map(|kinds| self.kinds(kinds)),
            repetition: Repetition {
                fold: byte(self.fold),
                value: self.fold_value,
                absolute: self.fold_absolute,
                no_perpetual_check: self.no_perpetual_check,
                no_back_and_forth: self.no_back_and_forth,
            },
            counting: self.counting,
            material: self.material,
        }
    }

    /// Returns the last of the kinds that promote as Pawns do. A kind that has lost its letter to another
    /// does not count.
    fn last_pawn(&self, side: usize) -> Option<Kind> {
        let others = || self.types().filter(|kind| self.pawns[side].has(*kind)).last();
        self.place(self.pawn[side]).or_else(|| self.place(others()))
    }

    fn piece(&self, kind: Type) -> Piece {
        let letters = self.letters[kind].unwrap_or(Letters { own: '?', synonym: None });
        let region = self.mobility[kind];
        let everywhere = |region: Region| if region.is_empty() { Region::ALL } else { region };
        Piece {
            name: pieces::name(kind).into(),
            letter: letters.own,
            synonym: letters.synonym,
            betza: self.moves(kind).into(),
            steps: self.steps(kind),
            role: if self.components[kind].has(KING) { Role::King } else { pieces::role(kind) },
            region: self.on(region.map(everywhere)),
            promotes_to: self.place(self.promoted[kind]),
            promotion_limit: byte(self.limits[kind]),
            components: self.kinds(self.components[kind]),
            attacked_becomes: self.place(self.attacked[kind]),
            value: Some(self.values[kind]).filter(|value| *value > 0).map(|value| value as i32),
        }
    }

    /// Returns how pieces castle; `None` if no side has a piece for it or the board lacks the squares. Where it has those
    /// of one side only, there is castling if the initial position has a right to it.
    pub(super) fn castles(&self) -> Option<Castling> {
        let last = self.files.saturating_sub(1);
        let king = self.castling_king.map(|kind| self.place(kind));
        let rooks = self.rooks.map(|kinds| self.kinds(kinds));
        let possible = (0..2).any(|side| king[side].is_some() && rooks[side] != 0);
        let castling = Castling {
            king_to: self.king_to,
            king_from: self.king_from,
            rook_from: self.rook_from.map(|file| file.min(last)),
            rank: self.castling_rank,
            king,
            rooks,
        };
        let wings = [0, 1].map(|wing| castling.has_wing(wing, self.files));
        let fits = self.castling_rank < self.ranks
            && (wings == [true; 2] && self.king_from <= last
                || wings != [false; 2] && start::has_rights(self));
        (self.castling && possible && fits).then_some(castling)
    }

    fn dropping(&self) -> Drops {
        Drops {
            allowed: self.drops,
            captures: self.captures_to_hand,
            keep_promoted: self.keep_promoted,
            region: self.on(self.drop_region),
            pawns_on_first_rank: self.first_rank_drops,
            pawns_in_promotion: self.promotion_zone_drops,
            no_doubled: self.place(self.no_doubled),
            doubled_count: byte(self.doubled_count),
            checks: self.drop_checks,
            must: self.must_drop,
            must_kind: self.place(self.must_drop_kind),
            promoted: self.drop_promoted,
            opposite_bishops: self.opposite_bishops,
            no_pawn_mate: self.no_pawn_mate,
            castling: self.castling_dropped,
        }
    }

    fn fusing(&self) -> Fusion {
        Fusion {
            movers: self.kinds(self.fusion_movers),
            targets: self.kinds(self.fusion_targets),
            drops: self.fusion_drops,
            fission: self.fission,
            assimilation: self.assimilation,
            demotion: self.capture_demotion,
            hands_of_components: self.hands_of_components,
            royal_rides_cross: self.royal_rides_cross,
            royal_leaps_cross: self.royal_leaps_cross,
        }
    }

    fn take_fusion(&mut self, fusion: &Fusion, names: &Names) {
        self.fusion_movers = names.types(fusion.movers);
        self.fusion_targets = names.types(fusion.targets);
        self.fusion_drops = fusion.drops;
        self.fission = fusion.fission;
        self.assimilation = fusion.assimilation;
        self.capture_demotion = fusion.demotion;
        self.hands_of_components = fusion.hands_of_components;
        self.royal_rides_cross = fusion.royal_rides_cross;
        self.royal_leaps_cross = fusion.royal_leaps_cross;
    }

    /// Returns the rule of extinction. Pieces that are royal by it need no result: they are never captured.
    fn extinct(&self) -> Option<Extinction> {
        let value = self.extinction.or(self.pseudo_royal.then_some(Value::Loss))?;
        let (kinds, all) = (self.kinds(self.extinct), self.extinct.star());
        (kinds != 0 || all).then(|| Extinction {
            value,
            kinds,
            all,
            count: byte(self.extinction_count),
            opponent_count: byte(self.extinction_opponent),
            claim: self.extinction_claim,
        })
    }

    fn flag(&self) -> Option<Flag> {
        let region = self.on(self.flag_region);
        (region != [0; 2]).then(|| Flag {
            kind: self.flag_kind.map(|kind| self.place(kind)),
            region,
            count: byte(self.flag_count),
            blocked_wins: self.flag_blocked,
            last_move: self.flag_move,
            safe: self.flag_safe,
        })
    }

    fn row(&self) -> Option<Connect> {
        (self.connect > 0).then(|| Connect {
            count: byte(self.connect),
            kinds: self.kinds(self.connect_kinds),
            lines: self.connect_lines,
            value: self.connect_value,
        })
    }

    /// Returns the kinds that have letters, in the format's order.
    pub(super) fn types(&self) -> impl Iterator<Item = Type> {
        (0..TYPES).filter(|&kind| self.letters[kind].is_some())
    }

    fn place(&self, kind: Option<Type>) -> Option<Kind> {
        let kind = kind?;
        self.types().position(|other| other == kind).map(|place| place as Kind)
    }

    fn kinds(&self, kinds: Types) -> Kinds {
        let held = self.types().enumerate().filter(|(_, kind)| kinds.has(*kind));
        held.fold(0, |set, (place, _)| set | 1 << place)
    }

    fn on(&self, regions: [Region; 2]) -> [Squares; 2] {
        regions.map(|region| region.on(self.files, self.ranks))
    }

    /// Returns the values that give this definition.
    pub(super) fn of(definition: &Definition) -> Self {
        let mut draft = Self::new();
        (draft.files, draft.ranks) =
            (definition.files.clamp(1, MOST), definition.ranks.clamp(1, MOST));
        let names = Names(definition);
        draft.take_pieces(definition, &names);
        draft.take_promotion(definition, &names);
        draft.take_drops(&definition.drops, &names);
        draft.take_fusion(&definition.fusion, &names);
        draft.take_ends(definition, &names);
        if let Some(castling) = &definition.castling {
            draft.king_to = castling.king_to;
            draft.king_from = castling.king_from;
            draft.rook_from = castling.rook_from;
            draft.castling_rank = castling.rank;
            draft.castling_king = castling.king.map(|king| names.kind(king));
            draft.rooks = castling.rooks.map(|rooks| names.types(rooks));
        }
        draft.castling = definition.castling.is_some();
        draft.checking = definition.checking;
        draft.must_capture = definition.must_capture;
        draft.no_immobile = definition.no_immobile;
        draft.pass = definition.pass;
        draft.pass_on_stalemate = definition.pass_on_stalemate;
        draft.flying_general = definition.flying_general;
        draft.makpong = definition.king_stays_in_check;
        draft.soldier_rank = definition.soldier_rank;
        draft.blast = definition.blast;
        draft.blast_immune = names.types(definition.blast_immune);
        draft.mutually_immune = names.types(definition.mutually_immune);
        draft
    }

    fn take_pieces(&mut self, definition: &Definition, names: &Names) {
        for piece in &definition.pieces {
            let Some(kind) = pieces::kind(&piece.name) else { continue };
            self.letters[kind] = Some(Letters { own: piece.letter, synonym: piece.synonym });
            if pieces::moves(kind).is_none() {
                self.betza[kind] = piece.betza.clone();
            }
            let all = Region::ALL.on(self.files, self.ranks);
            let (files, ranks) = (self.files, self.ranks);
            let limited = |region| {
                if region == all { Region::NONE } else { Region::of(region, files, ranks) }
            };
            self.mobility[kind] = piece.region.map(limited);
            self.values[kind] = piece.value.and_then(|value| value.try_into().ok()).unwrap_or(0);
            self.limits[kind] = piece.promotion_limit.into();
            self.promoted[kind] = names.kind(piece.promotes_to);
            self.components[kind] = names.types(piece.components);
            self.attacked[kind] = names.kind(piece.attacked_becomes);
        }
        self.start.clone_from(&definition.start);
    }

    fn take_promotion(&mut self, definition: &Definition, names: &Names) {
        let regions = |squares: [Squares; 2]| {
            squares.map(|squares| Region::of(squares, definition.files, definition.ranks))
        };
        let promotion = &definition.promotion;
        self.promotion_region = regions(promotion.region);
        self.pawns = promotion.pawns.map(|kinds| names.types(kinds));
        self.pawn = promotion.pawn.map(|kind| names.kind(kind));
        self.promotions = promotion.to.map(|kinds| names.types(kinds));
        self.pawns_must = promotion.pawns_must;
        self.pieces_must = promotion.pieces_must;
        self.by_capture = promotion.by_capture;
        self.demotion = promotion.demotion;
        self.double_region = regions(definition.double_step);
        self.double_step = definition.double_step != [0; 2];
        self.triple_region = regions(definition.triple_step);
        self.passing_region = regions(definition.en_passant);
        self.passing = definition.en_passant_kinds.map(|kinds| names.types(kinds));
    }

    fn take_drops(&mut self, drops: &Drops, names: &Names) {
        self.drops = drops.allowed;
        self.captures_to_hand = drops.captures;
        self.keep_promoted = drops.keep_promoted;
        self.drop_region = drops.region.map(|region| Region::of(region, self.files, self.ranks));
        self.first_rank_drops = drops.pawns_on_first_rank;
        self.promotion_zone_drops = drops.pawns_in_promotion;
        self.no_doubled = names.kind(drops.no_doubled);
        self.doubled_count = drops.doubled_count.into();
        self.drop_checks = drops.checks;
        self.must_drop = drops.must;
        self.must_drop_kind = names.kind(drops.must_kind);
        self.drop_promoted = drops.promoted;
        self.opposite_bishops = drops.opposite_bishops;
        self.no_pawn_mate = drops.no_pawn_mate;
        self.castling_dropped = drops.castling;
    }

    fn take_ends(&mut self, definition: &Definition, names: &Names) {
        self.stalemate = definition.stalemate;
        self.stalemate_by_count = definition.stalemate_by_count;
        self.checkmate = definition.checkmate;
        if let Some(extinction) = &definition.extinction {
            self.extinction = Some(extinction.value);
            self.extinct = names.types(extinction.kinds);
            self.extinct.add(if extinction.all { Types::STAR } else { Types::NONE });
            self.extinction_count = extinction.count.into();
            self.extinction_opponent = extinction.opponent_count.into();
            self.extinction_claim = extinction.claim;
        }
        self.pseudo_royal = definition.pseudo_royal;
        self.duple_check = definition.duple_check;
        if let Some(flag) = &definition.flag {
            self.flag_kind = flag.kind.map(|kind| names.kind(kind));
            self.flag_region = flag.region.map(|region| Region::of(region, self.files, self.ranks));
            self.flag_count = flag.count.into();
            self.flag_blocked = flag.blocked_wins;
            self.flag_move = flag.last_move;
            self.flag_safe = flag.safe;
        }
        self.check_counting = definition.check_counting;
        if let Some(connect) = &definition.connect {
            self.connect = connect.count.into();
            self.connect_kinds = names.types_or_all(connect.kinds);
            self.connect_lines = connect.lines;
            self.connect_value = connect.value;
        }
        self.dead = names.types(definition.dead);
        self.move_rule = definition.move_rule;
        self.move_rule_kinds = definition.move_rule_kinds.map(|kinds| names.types(kinds));
        self.fold = definition.repetition.fold.into();
        self.fold_value = definition.repetition.value;
        self.fold_absolute = definition.repetition.absolute;
        self.no_perpetual_check = definition.repetition.no_perpetual_check;
        self.no_back_and_forth = definition.repetition.no_back_and_forth;
        self.counting = definition.counting;
        self.material = definition.material;
    }
}

/// A definition's pieces by their names.
struct Names<'a>(&'a Definition);

impl Names<'_> {
    fn kind(&self, kind: Option<Kind>) -> Option<Type> {
        let piece = self.0.pieces.get(usize::from(kind?))?;
        pieces::kind(&piece.name)
    }

    fn types(&self, kinds: Kinds) -> Types {
        let mut types = Types::NONE;
        for place in (0..64u8).filter(|place| kinds >> place & 1 == 1) {
            types.add(self.kind(Some(place)).map_or(Types::NONE, Types::one));
        }
        types
    }

    /// Returns the kinds, or all if they are all of the definition's.
    fn types_or_all(&self, kinds: Kinds) -> Types {
        if kinds.count_ones() as usize == self.0.pieces.len() {
            Types::ALL
        } else {
            self.types(kinds)
        }
    }
}

fn byte(number: u16) -> u8 {
    number.try_into().unwrap_or(u8::MAX)
}
