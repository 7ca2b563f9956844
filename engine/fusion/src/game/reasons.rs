//! Why a move is illegal, in plain English.

use super::FusionGame;
use super::board::{components, could_split, listed, name};
use crate::board::position::Castle;
use crate::board::{Bitboard, Color, Component, Piece, Position, Square, attacks};
use crate::rules::{Fission, FusionNeeds, PawnDouble, RuleSet};
use fusion_game::prelude::*;

/// Returns why no legal move leads from one square to another; `None` if one does.
pub(super) fn why(game: &FusionGame, from: Square, to: Square) -> Option<String> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    if moves.iter().any(|mv| (mv.from(), mv.to()) == (from, to)) {
        return None;
    }
    let case = Case::new(game, from, to);
    Some(case.of_squares().unwrap_or_else(|| case.of_movement()))
}

/// Returns what keeps a piece of the side to move from splitting, or from moving at all.
pub(super) fn restriction(game: &FusionGame, square: Square) -> Option<String> {
    let position = &game.position;
    let case = Case::new(game, square, square);
    let rules = &case.rules;
    if position.color_on(square) != Some(case.us) {
        return None;
    }
    let splits = case.mover.len() > 1 && rules.fission != Fission::None;
    if splits && !position.may_split(rules, square) {
        let attackers = position.attackers(square, !case.us, position.occupied());
        let by = case.pieces(attackers);
        return Some(format!("The {} is attacked by {by}, so it may not split.", name(case.mover)));
    }
    case.pin().filter(|_| case.mover.len() == 1)
}

/// A pair of squares in a position.
struct Case<'a> {
    position: &'a Position,
    /// The rules of both sides.
    common: &'a RuleSet,
    /// The rules by which the side to move moves.
    rules: RuleSet,
    us: Color,
    from: Square,
    to: Square,
    mover: Piece,
    target: Piece,
}

fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

impl<'a> Case<'a> {
    fn new(game: &'a FusionGame, from: Square, to: Square) -> Self {
        let position = &game.position;
        let (mover, target) = (position.piece_on(from), position.piece_on(to));
        let us = position.side_to_move();
        let (common, rules) = (&game.rules, game.rules.of_side(us));
        Self { position, common, rules, us, from, to, mover, target }
    }

    /// Names pieces with their squares: `the Rook on d8 and the Queen on a4`.
    fn pieces(&self, squares: Bitboard) -> String {
        let piece = |square| format!("the {} on {square}", name(self.position.piece_on(square)));
        listed(&squares.map(piece).collect::<Vec<_>>(), "and")
    }

    /// Returns what a toggle's value means, as a sentence.
    fn rule(&self, toggle: &str) -> String {
        let sentence = self.rules.sentence(toggle).unwrap_or_default();
        if self.common.get(toggle) == self.rules.get(toggle) {
            return sentence;
        }
        // The other side may.
        self.common.sentence("denied").unwrap_or_default()
    }

    /// Returns the squares that a component attacks from the origin, given the squares that block.
    fn reach(&self, component: Component, occupied: Bitboard) -> Bitboard {
        match component {
            Component::Rook => attacks::rook(self.from, occupied),
            Component::Bishop => attacks::bishop(self.from, occupied),
            Component::Knight => attacks::knight(self.from),
            Component::King | Component::Mann => attacks::king(self.from),
            Component::Pawn => attacks::pawn(self.us, self.from),
        }
    }

    /// Returns the reason if the squares themselves are wrong.
    fn of_squares(&self) -> Option<String> {
        if self.mover.is_empty() {
            return Some(format!("There is no piece on {}.", self.from));
        }
        if self.position.color_on(self.from) != Some(self.us) {
            let (owner, mover) = (side(!self.us), side(self.us));
            let piece = name(self.mover);
            return Some(format!(
                "The {piece} on {} is {owner}’s, and {mover} is to move.",
                self.from
            ));
        }
        (self.from == self.to).then(|| "A move needs two squares.".into())
    }

    fn of_movement(&self) -> String {
        if self.mover.has(Component::Pawn) {
            return self.of_pawn();
        }
        if let Some(castle) = self.castle() {
            return self.of_castling(castle);
        }
        let occupied = self.position.occupied();
        let reaches = |component: &Component| self.reach(*component, occupied).has(self.to);
        if !self.mover.components().any(|component| reaches(&component)) {
            return self.of_geometry();
        }
        if self.position.color_on(self.to) == Some(self.us)
            && let Some(reason) = self.of_friend()
        {
            return reason;
        }
        if self.mover.is_royal() { self.of_royal() } else { self.of_check_and_pin() }
    }

    /// No component of the piece gets there.
    fn of_geometry(&self) -> String {
        let open = |component: Component| self.reach(component, Bitboard::EMPTY).has(self.to);
        if self.mover.components().any(open) {
            let between = attacks::between(self.from, self.to) & self.position.occupied();
            return format!(
                "The way from {} to {} is blocked by {}.",
                self.from,
                self.to,
                self.pieces(between)
            );
        }
        let piece = name(self.mover);
        let parts = components(self.mover);
        let as_parts = if could_split(&self.rules, self.mover) {
            let parts: Vec<String> = parts.into_iter().map(str::to_owned).collect();
            format!(", neither as a whole nor by its {}", listed(&parts, "or"))
        } else {
            String::new()
        };
        format!("A {piece} does not move from {} to {}{as_parts}.", self.from, self.to)
    }

    /// The destination has a friendly piece: reasons why the two do not fuse. `None` if only the
    /// King's safety is in the way.
    fn of_friend(&self) -> Option<String> {
        let rules = self.rules;
        let (mover, target) = (name(self.mover), name(self.target));
        let own = format!("Your own {target} is on {}", self.to);
        let pawn = self.target.has(Component::Pawn);
        if rules.self_capture && (self.target.is_royal() || !rules.fuses()) {
            return self.target.is_royal().then(|| "The royal piece cannot be captured.".into());
        }
        Some(match () {
            () if rules.self_capture && pawn => return None,
            () if !rules.fuses() && self.common.fuses() => {
                format!("{own}. {}", self.rule("denied"))
            }
            () if !rules.fuses() => format!("{own}, and pieces do not fuse under these rules."),
            () if pawn => format!("{own}, and Pawns do not fuse."),
            () if self.mover.is_royal() && !rules.king_fuses => self.rule("king-fuses"),
            () if self.target.is_royal() && !rules.fuse_onto_king => self.rule("fuse-onto-king"),
            () if !self.mover.intersection(self.target).is_empty() => {
                let shared = listed(&names(self.mover.intersection(self.target)), "and");
                format!("{own}. A piece has no two components alike, and both have a {shared}.")
            }
            () if self.mover.union(self.target).len() > rules.max_components.number() => {
                let most = rules.max_components.number();
                format!(
                    "{own}. The {mover} and the {target} would make a piece of more than {most} components."
                )
            }
            () if !self.needs_are_met() => format!("{own}. {}", self.rule("fusion-needs")),
            () if !self.kinds_fuse() => format!("{own}. {}", self.rule("fusion")),
            () => return None,
        })
    }

    fn needs_are_met(&self) -> bool {
        let own = self.position.color(self.us);
        match self.rules.fusion_needs {
            FusionNeeds::Nothing => true,
            FusionNeeds::NoCompound => (self.position.compounds() & own).is_empty(),
            FusionNeeds::NoQueen => {
                let mut pieces = own.into_iter();
                pieces.all(|square| self.position.piece_on(square) != Piece::QUEEN)
            }
        }
    }

    /// Returns whether the kinds of the two pieces fuse under the rules.
    fn kinds_fuse(&self) -> bool {
        let fusible = self.rules.fusion.components();
        let (mover, target) = (self.mover, self.target);
        if mover.is_royal() || target.is_royal() {
            let both = mover.union(target);
            return !both.has(Component::Mann);
        }
        mover.union(target).components().all(|component| fusible.has(component))
    }

    /// The move is right but for checks and pins.
    fn of_check_and_pin(&self) -> String {
        let checkers = self.position.checkers();
        let royal = name(self.position.piece_on(self.position.royal(self.us)));
        if checkers.many() {
            return format!(
                "{} give check together: only the {royal} can answer.",
                capitalised(&self.pieces(checkers))
            );
        }
        if checkers.any() {
            let by = self.pieces(checkers);
            return if self.position.color_on(self.to) == Some(self.us) {
                format!("The {royal} is in check by {by}, and a fusion cannot answer that.")
            } else {
                format!("The {royal} is in check by {by}, and this move does not answer that.")
            };
        }
        self.pin().unwrap_or_else(|| format!("A {} does not move there now.", name(self.mover)))
    }

    /// Returns why the piece on the origin is pinned.
    fn pin(&self) -> Option<String> {
        let royal = self.position.royal(self.us);
        if royal == self.from {
            return None;
        }
        let without = self.position.occupied() ^ self.from.bit();
        let attackers = self.position.attackers(royal, !self.us, without);
        let line = attacks::line(royal, self.from);
        let pinning = attackers & line & !self.position.checkers();
        pinning.any().then(|| {
            format!(
                "The {} on {} is pinned: without it, {} would give check.",
                name(self.mover),
                self.from,
                self.pieces(pinning)
            )
        })
    }

    /// The royal piece gets there, but may not go.
    fn of_royal(&self) -> String {
        let lifted = self.position.occupied() ^ self.from.bit();
        let attackers = |square| self.position.attackers(square, !self.us, lifted);
        let piece = name(self.mover);
        let guards = attackers(self.to);
        if guards.any() {
            return format!(
                "{} is attacked by {}, so the {piece} would be in check there.",
                self.to,
                self.pieces(guards)
            );
        }
        let leaps = attacks::knight(self.from).has(self.to);
        let way = if leaps {
            attacks::gateways(self.from, self.to)
        } else {
            attacks::between(self.from, self.to)
        };
        let attacked: Vec<String> = way
            .filter(|square| attackers(*square).any())
            .map(|square| format!("{square} (by {})", self.pieces(attackers(square))))
            .collect();
        let toggle = if leaps { "leapers-cross-check" } else { "sliders-cross-check" };
        let way = listed(&attacked, "and");
        format!("The way leads over attacked squares: {way}. {}", self.rule(toggle))
            .trim_end()
            .into()
    }

    /// Returns the castling that the move looks like.
    fn castle(&self) -> Option<&'static Castle> {
        let is_it = |castle: &&Castle| (castle.king_from, castle.king_to) == (self.from, self.to);
        let castle = Castle::of(self.us).iter().find(is_it)?;
        (self.mover == Piece::of(Component::King)).then_some(castle)
    }

    fn of_castling(&self, castle: &Castle) -> String {
        let position = self.position;
        if !self.rules.castling {
            return self.rule("castling");
        }
        if position.castling_rights() & castle.bit == 0 {
            return "The right to castle there is lost: the King or the Rook has moved, fused or split, or the Rook is gone.".into();
        }
        if position.fullmove() < self.rules.castling_from.number() {
            return self.rule("castling-from");
        }
        let blockers = attacks::between(castle.king_from, castle.rook_from) & position.occupied();
        if blockers.any() {
            return format!("Castling is blocked by {}.", self.pieces(blockers));
        }
        if position.in_check() {
            return format!(
                "The King is in check by {}, so it may not castle.",
                self.pieces(position.checkers())
            );
        }
        let mut way = attacks::between(castle.king_from, castle.king_to) | castle.king_to.bit();
        let attackers = |square| position.attackers(square, !self.us, position.occupied());
        match way.find(|square| attackers(*square).any()) {
            Some(square) => format!(
                "The King would castle over {square}, which is attacked by {}.",
                self.pieces(attackers(square))
            ),
            None => "Castling is not possible now.".into(),
        }
    }

    fn of_pawn(&self) -> String {
        let (from, to, us) = (self.from, self.to, self.us);
        let ahead = us.rank(to.rank()) as i32 - us.rank(from.rank()) as i32;
        let aside = to.file().abs_diff(from.file());
        let occupied = !self.target.is_empty();
        let own = self.position.color_on(to) == Some(us);
        match (ahead, aside) {
            (1, 1) if own && !self.rules.self_capture => {
                format!("Your own {} is on {to}, and Pawns do not fuse.", name(self.target))
            }
            (1, 1) if own && self.target.is_royal() => "The royal piece cannot be captured.".into(),
            (1, 1) if !occupied => {
                format!("A Pawn moves diagonally only to capture, and {to} is empty.")
            }
            (1 | 2, 0) if occupied => format!("The Pawn is blocked by {}.", self.pieces(to.bit())),
            (2, 0) if self.doubles_from(us.rank(from.rank())) => {
                let between = attacks::between(from, to) & self.position.occupied();
                if between.any() {
                    format!("The Pawn is blocked by {}.", self.pieces(between))
                } else {
                    self.of_check_and_pin()
                }
            }
            (2, 0) => self.rule("pawn-double"),
            (-1, 0) if !self.rules.pawn_back => self.rule("pawn-back"),
            (0, 1) if !self.rules.pawn_sideways => self.rule("pawn-sideways"),
            (-1, 0) | (0, 1) if occupied => {
                format!("A Pawn does not capture that way, and {} is there.", self.pieces(to.bit()))
            }
            (1, 0 | 1) | (-1, 0) | (0, 1) => self.of_check_and_pin(),
            _ => format!("A Pawn does not move from {from} to {to}."),
        }
    }

    fn doubles_from(&self, rank: usize) -> bool {
        self.rules.pawn_double != PawnDouble::Never
            && self.rules.pawn_double.ranks().contains(&rank)
    }
}

fn names(piece: Piece) -> Vec<String> {
    components(piece).into_iter().map(str::to_owned).collect()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_the_rule_and_the_pieces() {
        for (rules, fen, squares, expected) in [
            ("orthodox", "start", "e4e5", "There is no piece on e4."),
            ("orthodox", "start", "e7e5", "The Pawn on e7 is Black’s, and White is to move."),
            ("orthodox", "start", "e2e5", "A Pawn does not move from e2 to e5."),
            ("orthodox", "start", "d1e3", "A Queen does not move from d1 to e3."),
            ("orthodox", "start", "a1a3", "The way from a1 to a3 is blocked by the Pawn on a2."),
            (
                "fusion-2020",
                "start",
                "d1e3",
                "A Queen does not move from d1 to e3, neither as a whole nor by its Rook or Bishop.",
            ),
            (
                "orthodox",
                "start",
                "g1e2",
                "Your own Pawn is on e2, and pieces do not fuse under these rules.",
            ),
            ("fusion-2020", "start", "g1e2", "Your own Pawn is on e2, and Pawns do not fuse."),
            (
                "fusion-2020",
                "k7/8/8/8/8/5N2/4K3/8 w - - 0 1",
                "e2f3",
                "The King does not move onto another piece to fuse.",
            ),
            (
                "fusion-2020",
                "k7/8/8/8/3R4/8/3R4/6K1 w - - 0 1",
                "d2d4",
                "Your own Rook is on d4. A piece has no two components alike, and both have a Rook.",
            ),
            (
                "fusion-2020",
                "8/7k/8/8/3D4/8/3R4/6K1 w - - 0 1",
                "d2d4",
                "Your own Paladin is on d4. The Rook and the Paladin would make a piece of more than 2 components.",
            ),
            (
                "coronation",
                "8/7k/8/8/3B4/8/3R4/Q5K1 w - - 0 1",
                "d2d4",
                "Your own Bishop is on d4. A side may fuse only while it has no Queen.",
            ),
            (
                "fusion-2020,fission=no",
                "8/3g4/8/7R/6R1/8/8/6K1 b - - 0 1",
                "d7d3",
                "The way leads over attacked squares: d4 (by the Rook on g4) and d5 (by the Rook on h5). King-Rook and King-Bishop may not slide across attacked squares.",
            ),
            (
                "fusion-2020,fission=no",
                "k7/8/8/8/8/8/r7/3C4 w - - 0 1",
                "d1e3",
                "The way leads over attacked squares: d2 (by the Rook on a2) and e2 (by the Rook on a2). King-Knight may not leap if both squares between are attacked.",
            ),
            (
                "orthodox",
                "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1",
                "e2c3",
                "The Knight on e2 is pinned: without it, the Rook on e8 would give check.",
            ),
            (
                "orthodox",
                "4r1k1/8/8/8/8/8/3N4/4K3 w - - 0 1",
                "d2b3",
                "The King is in check by the Rook on e8, and this move does not answer that.",
            ),
            (
                "orthodox",
                "4r1k1/8/8/8/8/8/8/3K4 w - - 0 1",
                "d1e1",
                "e1 is attacked by the Rook on e8, so the King would be in check there.",
            ),
            (
                "orthodox",
                "k4r2/8/8/8/8/8/8/4K2R w K - 0 1",
                "e1g1",
                "The King would castle over f1, which is attacked by the Rook on f8.",
            ),
            ("fusion-1999", "k7/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "There is no castling."),
            (
                "fusion-2020,denied=white:castling",
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                "e1g1",
                "White may not castle.",
            ),
            (
                "union,denied=white:fusion",
                "start",
                "a1b1",
                "Your own Knight is on b1. White may not fuse pieces other than the King.",
            ),
        ] {
            let rules: RuleSet = rules.parse().unwrap();
            let game = match fen {
                "start" => FusionGame::new(&rules),
                fen => FusionGame::from_text(&rules, fen).unwrap(),
            };
            let [from, to] = [0, 2].map(|at| squares[at..at + 2].parse().unwrap());
            assert_eq!(why(&game, from, to).as_deref(), Some(expected), "{squares} in {fen}");
        }
    }

    #[test]
    fn an_attacked_compound_may_not_split() {
        let fen = "k2r4/8/8/8/3Q4/8/8/6K1 w - - 0 1";
        let text = |rules: &str| {
            let game = FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap();
            restriction(&game, "d4".parse().unwrap())
        };
        let expected = "The Queen is attacked by the Rook on d8, so it may not split.";
        assert_eq!(text("fusion-2020").as_deref(), Some(expected));
        assert_eq!(text("fusion-2020,attacked-split=yes"), None);
    }
}
