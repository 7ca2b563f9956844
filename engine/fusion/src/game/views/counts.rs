//! Counts of what both sides attack, and of their Pawns: inputs of the network's second layer.
//!
//! Each count is a number of squares, pieces or steps, of the side to move and then of the other. It is
//! multiplied so that usual numbers fill its range; larger ones are cut off. Attacks are geometric, as in
//! [`threats`].
//!
//! | counts of a side | meaning |
//! | --- | --- |
//! | 0 to 4 | squares to which Rooks, Bishops, Knights, Manns, compounds may move, without those attacked by enemy Pawns |
//! | 5 to 7 | squares attacked: all, in the enemy's half, twice |
//! | 8 to 13 | pieces that may be won: number, greatest worth, sum; pieces attacked by Pawns; Pawns that may be won; undefended pieces |
//! | 14 to 20 | squares about the royal piece: attacked, and not defended; attackers, their attacks; safe checks by Rooks, Bishops, Knights |
//! | 21 to 24 | on the three files of the royal piece: Pawns before it, advanced enemy Pawns, files without own Pawns, without any |
//! | 25 to 29 | passed Pawns: number, rank of the first, free to advance, steps of the enemy's and of the own royal piece to it |
//! | 30, 31 | isolated, doubled Pawns |
//! | 32 to 39 | Pawns: defended by Pawns, side by side, stopped by enemy Pawns, passed and connected, passed beyond the fourth and the fifth rank, free to advance, attacking Pawns |
//! | 40 to 43 | Rooks: on open files, on half-open ones, on the seventh rank, behind passed Pawns |
//! | 44 to 51 | outposts; minor pieces behind Pawns; Pawns on the colour of a Bishop; two Bishops; Bishops of opposite colours; compounds; pieces that may fuse; worth |
//! | 52 to 55 | central squares without attacks by enemy Pawns; squares attacked by both; safe attacks in the enemy's half; pieces attacked twice and not defended twice |
//! | 56 to 63 | the royal piece: squares to go to, own pieces pinned, enemy pieces that may discover a check, steps to the enemy's, to the edge, its rank; number of Pawns; whether it is fused |

use crate::board::{Bitboard, Color, Component, Position, Square, attacks};
use crate::game::exchange::worth;
use crate::game::threats::{self, Attacks};
use fusion_game::MOST_COUNT;

/// Counts of one side.
const SIDE: usize = 64;
/// Number of counts.
pub(super) const COUNT: usize = 2 * SIDE;

/// What one side has.
struct Force {
    color: Color,
    own: Bitboard,
    royal: Square,
    /// The royal piece and the squares next to it.
    ring: Bitboard,
    /// Pawns, with the board turned so that they move up.
    pawns: Bitboard,
    /// Pawns, with the board turned so that they move down, as the enemy sees them.
    facing: Bitboard,
}

/// What one side attacks.
struct Reach {
    attacks: Attacks,
    /// Squares that its components attack, without the King and Pawns.
    by: [Bitboard; Component::COUNT],
    /// Squares to which simple Rooks, Bishops, Knights and Manns and, last, compounds might move:
    /// neither own ones nor attacked by an enemy Pawn.
    mobility: [u32; 5],
    /// Components that attack the enemy's ring, and squares of it that they attack.
    ring: [u32; 2],
}

impl Force {
    fn of(position: &Position, color: Color) -> Self {
        let own = position.color(color);
        let royal = position.royal(color);
        let pawns = turned(position.component(Component::Pawn) & own, color);
        let facing = Bitboard(pawns.0.swap_bytes());
        Self { color, own, royal, ring: attacks::king(royal) | royal.bit(), pawns, facing }
    }

    fn reach(&self, position: &Position, enemy: &Self) -> Reach {
        let (left, right) =
            threats::pawn_attacks(position.component(Component::Pawn) & enemy.own, enemy.color);
        let (allowed, compounds) = (!(self.own | left | right), position.compounds());
        let mut by = [Bitboard::EMPTY; Component::COUNT];
        let (mut mobility, mut ring) = ([0; 5], [0; 2]);
        let attacks = Attacks::collect(position, self.color, |component, square, attacked| {
            by[component.index()] |= attacked;
            let kind = match component {
                Component::Rook => 0,
                Component::Bishop => 1,
                Component::Knight => 2,
                _ => 3,
            };
            let kind = if compounds.has(square) { 4 } else { kind };
            if component != Component::King {
                mobility[kind] += (attacked & allowed).len() as u32;
                let hits = (attacked & enemy.ring).len() as u32;
                ring[0] += u32::from(hits > 0);
                ring[1] += hits;
            }
        });
        by[Component::King.index()] = Bitboard::EMPTY;
        by[Component::Pawn.index()] = attacks.below(threats::Worth::Minor);
        Reach { attacks, by, mobility, ring }
    }
}

/// Replaces the counts by those of a position.
pub(super) fn count(position: &Position, counts: &mut [u8]) {
    let us = position.side_to_move();
    let forces = [us, !us].map(|color| Force::of(position, color));
    let reaches = [0, 1].map(|side| forces[side].reach(position, &forces[1 - side]));
    for (side, counts) in counts.chunks_exact_mut(SIDE).enumerate() {
        let (own, enemy) = (&forces[side], &forces[1 - side]);
        let (reach, against) = (&reaches[side], &reaches[1 - side]);
        let mut list = List { counts, next: 0 };
        activity(reach, own.color, &mut list);
        losses(position, own, reach, against, &mut list);
        safety(position, own, reach, against, &mut list);
        shelter(own, enemy, &mut list);
        let passed = pawns(position, own, enemy, &reaches[1 - side], &mut list);
        structure(position, own, enemy, passed, &mut list);
        files(position, own, enemy, passed, &mut list);
        pieces(position, own, enemy, reach, &mut list);
        space(own, reach, against, &mut list);
        royals(position, own, enemy, against, &mut list);
        debug_assert_eq!(list.next, SIDE);
    }
}

/// The counts of one side that are written.
struct List<'a> {
    counts: &'a mut [u8],
    next: usize,
}

impl List<'_> {
    #[inline(always)]
    fn push(&mut self, number: u32, factor: u32) {
        self.counts[self.next] = (number * factor).min(MOST_COUNT.into()) as u8;
        self.next += 1;
    }
}

fn len(set: Bitboard) -> u32 {
    set.len() as u32
}

/// Turns the board so that the Pawns of this colour move up.
fn turned(set: Bitboard, color: Color) -> Bitboard {
    if color == Color::White { set } else { Bitboard(set.0.swap_bytes()) }
}

/// What the side attacks: 8 counts.
fn activity(reach: &Reach, color: Color, list: &mut List) {
    let [rook, bishop, knight, mann, compound] = reach.mobility;
    for (mobility, factor) in [(rook, 5), (bishop, 6), (knight, 8), (mann, 8), (compound, 3)] {
        list.push(mobility, factor);
    }
    let Attacks { all, twice, .. } = &reach.attacks;
    list.push(len(*all), 2);
    list.push(len(turned(*all, color) & Bitboard(!0 << 32)), 4);
    list.push(len(*twice), 4);
}

/// What the enemy may win of the side: 6 counts.
fn losses(position: &Position, own: &Force, reach: &Reach, against: &Reach, list: &mut List) {
    let pawns = position.component(Component::Pawn);
    let pieces = own.own & !pawns & !position.component(Component::King);
    let attack = &against.attacks;
    let lost = threats::en_prise(position, own.color, &reach.attacks, attack);
    let (mut most, mut total) = (0, 0);
    for square in lost {
        let worth = worth(position.piece_on(square)) as u32;
        (most, total) = (worth.max(most), total + worth);
    }
    list.push(len(lost & pieces), 30);
    list.push(most / 10, 1);
    list.push(total / 20, 1);
    list.push(len(pieces & attack.below(threats::Worth::Minor)), 40);
    list.push(len(lost & pawns), 25);
    list.push(len(pieces & !reach.attacks.all), 20);
}

/// How the enemy attacks the royal piece of the side: 7 counts.
fn safety(position: &Position, own: &Force, reach: &Reach, against: &Reach, list: &mut List) {
    let attacked = own.ring & against.attacks.all;
    let guarded = Component::ALL
        .iter()
        .fold(Bitboard::EMPTY, |set, component| set | reach.by[component.index()]);
    let [attackers, hits] = against.ring;
    list.push(len(attacked), 14);
    list.push(len(attacked & !guarded), 14);
    list.push(attackers, 20);
    list.push(hits, 8);
    let occupied = position.occupied();
    let safe = !reach.attacks.all & !position.color(!own.color);
    let checks = [
        (Component::Rook, attacks::rook(own.royal, occupied)),
        (Component::Bishop, attacks::bishop(own.royal, occupied)),
        (Component::Knight, attacks::knight(own.royal)),
    ];
    for (component, from) in checks {
        list.push(len(from & safe & against.by[component.index()]), 30);
    }
}

/// The files of the royal piece and those beside it: 4 counts.
fn shelter(own: &Force, enemy: &Force, list: &mut List) {
    let royal = turned(own.royal.bit(), own.color);
    let front = Bitboard(wide(royal).0 << 8 | wide(royal).0 << 16);
    list.push(len(own.pawns & front), 30);
    let files = wide(down(up(royal)));
    list.push(len(enemy.facing & files & Bitboard(!0 >> 24)), 30);
    let first_rank = |set: Bitboard| Bitboard(down(set).0 & 0xff);
    let without = first_rank(files) & !first_rank(own.pawns);
    list.push(len(without), 40);
    list.push(len(without & !first_rank(enemy.facing)), 40);
}

/// The Pawns: 7 counts. Returns the passed ones, turned.
fn pawns(
    position: &Position,
    own: &Force,
    enemy: &Force,
    against: &Reach,
    list: &mut List,
) -> Bitboard {
    let stopped = wide(down(Bitboard(enemy.facing.0 >> 8))) | down(Bitboard(own.pawns.0 >> 8));
    let passed = own.pawns & !stopped;
    list.push(len(passed), 30);
    let first = (63 - passed.0.leading_zeros() as i32).max(0) as usize;
    list.push(first as u32 / 8, 18);
    let barred = turned(position.occupied() | against.attacks.all, own.color);
    list.push(len(Bitboard(passed.0 << 8) & !barred), 40);
    for force in [enemy, own] {
        let royal = turned(force.royal.bit(), own.color).0.trailing_zeros() as usize;
        let ahead = (first + 8).min(63);
        let files = (royal % 8).abs_diff(ahead % 8);
        let ranks = (royal / 8).abs_diff(ahead / 8);
        list.push(if passed.any() { files.max(ranks) as u32 } else { 0 }, 18);
    }
    let files = down(up(own.pawns));
    list.push(len(own.pawns & !beside(files)), 20);
    list.push(len(own.pawns & down(Bitboard(own.pawns.0 >> 8))), 30);
    passed
}

/// How the Pawns stand to one another: 8 counts.
fn structure(position: &Position, own: &Force, enemy: &Force, passed: Bitboard, list: &mut List) {
    let guards = beside(Bitboard(own.pawns.0 << 8));
    let threats = beside(Bitboard(enemy.facing.0 >> 8));
    let steps = Bitboard(own.pawns.0 << 8);
    list.push(len(own.pawns & guards), 15);
    list.push(len(own.pawns & beside(own.pawns)), 15);
    list.push(len(steps & threats & !guards), 25);
    list.push(len(passed & (guards | beside(own.pawns))), 40);
    list.push(len(passed & Bitboard(!0 << 32)), 40);
    list.push(len(passed & Bitboard(!0 << 40)), 60);
    list.push(len(steps & !turned(position.occupied(), own.color) & !threats), 15);
    list.push(len(enemy.facing & guards), 30);
}

/// Rooks on files: 4 counts.
fn files(position: &Position, own: &Force, enemy: &Force, passed: Bitboard, list: &mut List) {
    let rooks = turned(position.component(Component::Rook) & own.own, own.color);
    let half_open = rooks & !down(up(own.pawns));
    list.push(len(half_open & !down(up(enemy.facing))), 40);
    list.push(len(half_open), 40);
    list.push(len(rooks & Bitboard(0xff << 48)), 40);
    list.push(len(down(passed) & rooks), 60);
}

/// Other pieces: 8 counts.
fn pieces(position: &Position, own: &Force, enemy: &Force, reach: &Reach, list: &mut List) {
    let set = |component| turned(position.component(component) & own.own, own.color);
    let minors = set(Component::Knight) | set(Component::Bishop);
    let guards = beside(Bitboard(own.pawns.0 << 8));
    let safe = !beside(down(Bitboard(enemy.facing.0 >> 8))) & Bitboard(0xffff_ff00_0000);
    list.push(len(minors & guards & safe), 40);
    list.push(len(minors & Bitboard(own.pawns.0 >> 8)), 30);
    let bishops = |force: &Force| {
        let bishops = position.component(Component::Bishop) & force.own;
        [LIGHT, !LIGHT].map(|shade| bishops.0 & shade != 0)
    };
    let [light, dark] = bishops(own);
    let pawns = position.component(Component::Pawn) & own.own;
    let on = |shade: u64, any: bool| if any { len(pawns & Bitboard(shade)) } else { 0 };
    list.push(on(LIGHT, light) + on(!LIGHT, dark), 12);
    list.push(u32::from(light && dark), MOST_COUNT.into());
    let opposite = light != dark && bishops(enemy) == [dark, light];
    list.push(u32::from(opposite), MOST_COUNT.into());
    let compounds = position.compounds() & own.own;
    list.push(len(compounds), 40);
    let simple = own.own & !compounds;
    let partners = [Component::Rook, Component::Bishop, Component::Knight].map(|component| {
        let others = simple & !position.component(component) & !pawns;
        reach.by[component.index()] & others
    });
    list.push(len(partners[0] | partners[1] | partners[2]), 15);
    let worth: i32 =
        (own.own & !pawns).into_iter().map(|square| worth(position.piece_on(square))).sum();
    list.push(worth as u32 / 50, 1);
}

/// Squares that a side holds: 4 counts.
fn space(own: &Force, reach: &Reach, against: &Reach, list: &mut List) {
    let (all, theirs) = (reach.attacks.all, against.attacks.all);
    let centre = Bitboard(0x3c3c_3c00);
    let pawns = turned(against.by[Component::Pawn.index()], own.color);
    list.push(len(centre & !own.pawns & !pawns), 9);
    list.push(len(all & theirs), 4);
    list.push(len(turned(all & !theirs, own.color) & Bitboard(!0 << 32)), 6);
    list.push(len(own.own & against.attacks.twice & !reach.attacks.twice), 25);
}

/// The royal pieces: 8 counts.
fn royals(position: &Position, own: &Force, enemy: &Force, against: &Reach, list: &mut List) {
    let around = attacks::king(own.royal);
    list.push(len(around & !own.own & !against.attacks.all), 15);
    let occupied = position.occupied();
    for screens in [own.own, enemy.own] {
        // The enemy's sliders that such a piece, if it is the only one between, keeps from giving check.
        let others = occupied & !screens;
        let rooks = attacks::rook(own.royal, others) & position.component(Component::Rook);
        let bishops = attacks::bishop(own.royal, others) & position.component(Component::Bishop);
        let sliders = ((rooks | bishops) & enemy.own).into_iter();
        let alone = |slider: &Square| len(attacks::between(own.royal, *slider) & occupied) == 1;
        list.push(sliders.filter(alone).count() as u32, 40);
    }
    let [x, y] = [own.royal.file(), own.royal.rank()];
    let apart = x.abs_diff(enemy.royal.file()).max(y.abs_diff(enemy.royal.rank()));
    list.push(apart as u32, 18);
    list.push(x.min(7 - x).min(y).min(7 - y) as u32, 40);
    list.push(own.color.rank(y) as u32, 18);
    list.push(len(position.component(Component::Pawn) & own.own), 15);
    let fused = position.piece_on(own.royal).len() > 1;
    list.push(u32::from(fused), MOST_COUNT.into());
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;

/// Adds all squares above.
fn up(set: Bitboard) -> Bitboard {
    let mut set = set.0;
    for by in [8, 16, 32] {
        set |= set << by;
    }
    Bitboard(set)
}

/// Adds all squares below.
fn down(set: Bitboard) -> Bitboard {
    let mut set = set.0;
    for by in [8, 16, 32] {
        set |= set >> by;
    }
    Bitboard(set)
}

/// Returns the squares to the left and to the right.
fn beside(set: Bitboard) -> Bitboard {
    Bitboard((set.0 & !FILE_H) << 1 | (set.0 & !FILE_A) >> 1)
}

/// Adds the squares to the left and to the right.
fn wide(set: Bitboard) -> Bitboard {
    set | beside(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_known_position() {
        let rules = "orthodox".parse().unwrap();
        let fen = "6k1/5ppp/1n6/3P4/8/8/5PPP/R5K1 w - - 0 1";
        let mut counts = [0; COUNT];
        count(&Position::from_fen(&rules, fen).unwrap(), &mut counts);
        let (own, enemy) = counts.split_at(SIDE);
        // The Rook has seven squares ahead and five beside it, the Knight six.
        assert_eq!((own[0], own[2], enemy[0], enemy[2]), (60, 0, 0, 48));
        // The Knight attacks the passed Pawn, which nothing defends.
        assert_eq!(own[8..13], [0, 10, 5, 0, 25]);
        assert_eq!(enemy[8..13], [0; 5]);
        // It is isolated, on the fifth rank, free to advance, three steps from the King of Black, five from its own.
        assert_eq!(own[25..32], [30, 72, 40, 54, 90, 20, 0]);
        assert_eq!((own[21], enemy[21], own[23], own[24]), (90, 90, 0, 0));
        assert_eq!((own[40], own[41]), (40, 40));
    }
}
