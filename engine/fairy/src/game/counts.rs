//! Counts of what both sides attack, and of their Pawns: inputs of the network's second layer.
//!
//! They are made from a definition's movements, so that they have a meaning in every game. Each is a number of
//! squares, pieces or steps, of the side to move and then of the other. It is multiplied so that usual
//! numbers fill its range; larger ones are cut off. Kinds are of four classes by their value: Pawns and all that is
//! worth at most 1.8 of them, light pieces (less than 3.8), heavy ones (less than 7), and the rest.
//!
//! | counts of a side | meaning |
//! | --- | --- |
//! | 0 to 3 | squares to which pieces of each class may move, without those attacked by enemy Pawns |
//! | 4 to 7 | squares attacked: all, in the enemy's half, twice, there and by no enemy |
//! | 8 to 12 | pieces that may be won: number, greatest worth, sum; pieces attacked by Pawns; undefended pieces |
//! | 13 to 19 | squares about the King: attacked, and not defended; attackers, their attacks; squares to go to, Pawns beside it; steps to the enemy's King |
//! | 20 to 28 | Pawns: number, passed, rank of the first passed one, passed and free to advance, isolated, doubled, defended, stopped, in the enemy's half |
//! | 29 to 31 | central squares attacked; worth of the hand; pieces other than Pawns |

use crate::board::{Position, Tables, for_each};
use crate::definition::{Kind, MOST_KINDS, Role, Squares};
use fusion_game::MOST_COUNT;

/// Counts of one side.
const SIDE: usize = 32;
/// Number of counts.
pub(super) const COUNT: usize = 2 * SIDE;
/// Classes of kinds.
const CLASSES: usize = 4;
/// Values in hundredths of a Pawn below which a kind is of a class; the last class has no limit.
const LIMITS: [i32; CLASSES - 1] = [181, 380, 700];

/// What is computed once for a rule set.
#[derive(Debug)]
pub(crate) struct CountTables {
    /// By kind.
    classes: [u8; MOST_KINDS],
    /// By side: the half of the board where the enemy begins.
    halves: [Squares; 2],
    /// The squares in the middle: half of the files and of the ranks.
    centre: Squares,
}

impl CountTables {
    /// Makes the tables of a definition with these values of its kinds.
    pub(crate) fn new(tables: &Tables, values: &[i32]) -> Self {
        let rules = &tables.rules;
        let mut classes = [0; MOST_KINDS];
        for (kind, piece) in rules.pieces.iter().enumerate() {
            let is_pawn = matches!(piece.role, Role::Pawn | Role::Soldier)
                || rules.promotion.pawns.iter().any(|pawns| pawns >> kind & 1 == 1);
            let class = LIMITS.iter().filter(|&&limit| values[kind] >= limit).count();
            classes[kind] = if is_pawn { 0 } else { class as u8 };
        }
        let (files, height) = (usize::from(rules.files), usize::from(rules.ranks));
        let set = |inside: &dyn Fn(usize, usize) -> bool| {
            let squares = (0..rules.squares()).filter(|at| inside(at % files, at / files));
            squares.fold(0, |set, at| set | 1 << at)
        };
        let middle = |at: usize, size: usize| 4 * at + 2 >= size && 4 * at + 2 <= 3 * size;
        Self {
            classes,
            halves: [
                set(&|_, rank| 2 * rank >= height),
                set(&|_, rank| 2 * (height - 1 - rank) >= height),
            ],
            centre: set(&|file, rank| middle(file, files) && middle(rank, height)),
        }
    }
}

/// What one side has and attacks.
#[derive(Default)]
struct Force {
    side: usize,
    /// Its pieces of each class, without the royal one.
    pieces: [Squares; CLASSES],
    /// Squares attacked by pieces of each class.
    by: [Squares; CLASSES],
    /// Squares attacked, by the royal piece, too, and those attacked twice.
    all: Squares,
    twice: Squares,
    mobility: [u32; CLASSES],
    royal: Option<usize>,
    /// The royal piece and the squares next to it.
    ring: Squares,
    /// Where the royal piece may go, attacked or not.
    steps: Squares,
    /// Pieces that attack the enemy's ring, and squares of it that they attack.
    siege: [u32; 2],
}

/// A position that is counted.
struct Counter<'a> {
    position: &'a Position,
    tables: &'a Tables,
    count_tables: &'a CountTables,
    values: &'a [i32],
    occupied: Squares,
}

impl Counter<'_> {
    /// Returns where a piece may go, and which squares it attacks.
    #[inline]
    fn reach(&self, side: usize, kind: Kind, from: usize) -> (Squares, Squares) {
        let movement = &self.tables.movements.of[side][usize::from(kind)];
        let cannons = self.position.cannons(self.tables);
        let lines = &self.tables.movements.lines;
        let (quiet, capture) = movement.usual.moves(lines, from, self.occupied, cannons);
        let ends = (quiet & !self.occupied) | (capture & self.position.sides[side ^ 1]);
        (ends & movement.region, capture & movement.region)
    }

    /// Returns a side's force with the attacks of its Pawns only.
    fn pawns(&self, side: usize) -> Force {
        let mut force = Force { side, ..Force::default() };
        force.royal = self.position.king(self.tables, side);
        if let Some(royal) = force.royal {
            force.ring = self.tables.around[royal] | 1 << royal;
        }
        for kind in 0..self.tables.rules.pieces.len() {
            let pieces =
                self.position.of(side, kind as Kind) & !force.royal.map_or(0, |at| 1 << at);
            let class = usize::from(self.count_tables.classes[kind]);
            force.pieces[class] |= pieces;
            if class == 0 {
                for_each(pieces, |at| {
                    let (_, attacked) = self.reach(side, kind as Kind, at);
                    force.twice |= force.all & attacked;
                    force.all |= attacked;
                });
            }
        }
        force.by[0] = force.all;
        force
    }

    /// Adds the attacks of all other pieces.
    fn attacks(&self, force: &mut Force, feared: Squares, ring: Squares) {
        self.position.for_each_piece(force.side, |at, kind| {
            let (ends, attacked) = self.reach(force.side, kind, at);
            let class = usize::from(self.count_tables.classes[usize::from(kind)]);
            if force.royal == Some(at) {
                force.steps = ends;
            } else {
                force.mobility[class] += (ends & !feared).count_ones();
                force.by[class] |= attacked;
                let hits = (attacked & ring).count_ones();
                force.siege[0] += u32::from(hits > 0);
                force.siege[1] += hits;
            }
            if class > 0 || force.royal == Some(at) {
                force.twice |= force.all & attacked;
                force.all |= attacked;
            }
        });
    }

    fn count(&self, own: &Force, enemy: &Force, list: &mut List) {
        for (mobility, factor) in own.mobility.into_iter().zip([6, 5, 5, 4]) {
            list.push(mobility, factor);
        }
        let half = own.all & self.count_tables.halves[own.side];
        list.push(len(own.all), 2);
        list.push(len(half), 4);
        list.push(len(own.twice), 4);
        list.push(len(half & !enemy.all), 6);
        self.losses(own, enemy, list);
        self.safety(own, enemy, list);
        self.structure(own, enemy, list);
        list.push(len(own.all & self.count_tables.centre), 6);
        let held = |kind: usize| {
            let count = u32::from(self.position.in_hand(own.side, kind as Kind));
            count.saturating_mul(self.values[kind].max(0) as u32)
        };
        // A file may give many pieces of great value.
        let hand = (0..self.values.len()).fold(0, |sum: u32, kind| sum.saturating_add(held(kind)));
        list.push(hand / 16, 1);
        list.push(len(own.pieces[1] | own.pieces[2] | own.pieces[3]), 10);
    }

    /// What the enemy may win: 5 counts.
    fn losses(&self, own: &Force, enemy: &Force, list: &mut List) {
        let [pawns, light, heavy, major] = own.pieces;
        let officers = light | heavy | major;
        let cheaper = light & enemy.by[0]
            | heavy & (enemy.by[0] | enemy.by[1])
            | major & (enemy.by[0] | enemy.by[1] | enemy.by[2]);
        let lost = (pawns | officers) & enemy.all & !own.all | cheaper;
        let (mut most, mut total) = (0, 0);
        for_each(lost, |at| {
            let kind = self.position.piece(at).map_or(0, |(_, kind)| usize::from(kind));
            let worth = self.values[kind].max(0) as u32;
            (most, total) = (worth.max(most), worth.saturating_add(total));
        });
        list.push(len(lost), 25);
        list.push(most / 8, 1);
        list.push(total / 16, 1);
        list.push(len(officers & enemy.by[0]), 40);
        list.push(len(officers & !own.all), 15);
    }

    /// How the enemy attacks the King: 7 counts.
    fn safety(&self, own: &Force, enemy: &Force, list: &mut List) {
        let attacked = own.ring & enemy.all;
        let guarded = own.by.iter().fold(0, |set, by| set | by);
        list.push(len(attacked), 14);
        list.push(len(attacked & !guarded), 14);
        list.push(enemy.siege[0], 20);
        list.push(enemy.siege[1], 8);
        list.push(len(own.steps & !enemy.all), 14);
        list.push(len(own.ring & own.pieces[0]), 25);
        let apart = own.royal.zip(enemy.royal).map_or(0, |(one, other)| self.steps(one, other));
        list.push(apart, 12);
    }

    /// Returns the steps of a King between two squares.
    fn steps(&self, one: usize, other: usize) -> u32 {
        let files = usize::from(self.tables.rules.files);
        (one % files).abs_diff(other % files).max((one / files).abs_diff(other / files)) as u32
    }

    /// The Pawns: 9 counts.
    fn structure(&self, own: &Force, enemy: &Force, list: &mut List) {
        let (tables, side, pawns) = (self.tables, own.side, own.pieces[0]);
        let behind = |set: Squares| self.fill(tables.ahead(set, side ^ 1), side ^ 1);
        let ahead = |set: Squares| tables.ahead(set, side);
        let passed = pawns & !tables.beside(behind(enemy.pieces[0]));
        list.push(len(pawns), 10);
        list.push(len(passed), 30);
        list.push(self.first_rank(passed, side), 15);
        list.push(len(ahead(passed) & !(self.occupied | enemy.all)), 40);
        let rear = behind(pawns);
        let [left, right] = tables.aside(self.fill(pawns, side) | rear);
        list.push(len(pawns & !(left | right)), 20);
        list.push(len(pawns & rear), 30);
        list.push(len(pawns & own.by[0]), 15);
        list.push(len(ahead(pawns) & self.occupied), 15);
        list.push(len(pawns & self.count_tables.halves[side]), 25);
    }

    /// Returns these squares and all that are ahead of them, as a side sees it.
    fn fill(&self, set: Squares, side: usize) -> Squares {
        (1..self.tables.rules.ranks).fold(set, |set, _| set | self.tables.ahead(set, side))
    }

    /// Returns the rank of the square that is most advanced, from 0; 0 for no squares.
    fn first_rank(&self, set: Squares, side: usize) -> u32 {
        if set == 0 {
            return 0;
        }
        let files = u32::from(self.tables.rules.files);
        let last = u32::from(self.tables.rules.ranks) - 1;
        let square = if side == 0 { 127 - set.leading_zeros() } else { set.trailing_zeros() };
        if side == 0 { square / files } else { last - square / files }
    }
}

fn len(set: Squares) -> u32 {
    set.count_ones()
}

/// The counts of one side that are written.
struct List<'a> {
    counts: &'a mut [u8],
    next: usize,
}

impl List<'_> {
    #[inline(always)]
    fn push(&mut self, number: u32, factor: u32) {
        self.counts[self.next] = number.saturating_mul(factor).min(MOST_COUNT.into()) as u8;
        self.next += 1;
    }
}

/// Replaces the counts by those of a position under rules with these tables and values of kinds.
pub(super) fn count(
    position: &Position,
    tables: &Tables,
    count_tables: &CountTables,
    values: &[i32],
    counts: &mut [u8],
) {
    let counter = Counter { position, tables, count_tables, values, occupied: position.occupied() };
    let us = position.side_to_move();
    let mut forces = [us, us ^ 1].map(|side| counter.pawns(side));
    for side in 0..2 {
        let (feared, ring) = (forces[1 - side].by[0], forces[1 - side].ring);
        counter.attacks(&mut forces[side], feared, ring);
    }
    for (side, counts) in counts.chunks_exact_mut(SIDE).enumerate() {
        let mut list = List { counts, next: 0 };
        counter.count(&forces[side], &forces[1 - side], &mut list);
        debug_assert_eq!(list.next, SIDE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FairyGame;
    use crate::rules::FairyRules;
    use fusion_game::{Game, Notation, RuleSet, Views};
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    fn counts(rules: &str, fen: &str) -> Vec<u8> {
        let game = FairyGame::from_text(&FairyRules::read(rules).unwrap(), fen).unwrap();
        game.view_inputs().counts
    }

    #[test]
    fn counts_are_those_of_the_table() {
        let all = counts("variants#chess", "4k3/8/8/3p4/4P3/8/8/R3K3 w - - 0 1");
        let (own, enemy) = all.split_at(SIDE);
        // The Rook: ten squares to go to. The Pawns: a step and a capture each.
        assert_eq!((own[0], own[2], enemy[0], enemy[2]), (12, 50, 12, 0));
        // The first player's Pawn may be won, and the other one, too: neither is defended.
        assert_eq!((own[8], own[9], enemy[8], enemy[9]), (25, 12, 25, 12));
        assert_eq!((own[17], own[19], enemy[19]), (5 * 14, 7 * 12, 7 * 12));
        // Neither is passed; each is isolated.
        assert_eq!(own[20..25], [10, 0, 0, 0, 20]);
        assert_eq!((own[31], enemy[31]), (10, 0));
        let passed = counts("variants#chess", "4k3/8/3P4/8/8/2p5/8/4K3 b - - 0 1");
        assert_eq!((passed[21], passed[22], passed[SIDE + 22]), (30, 5 * 15, 5 * 15));
        // The hands of Crazyhouse.
        let hand = counts("variants#crazyhouse", "4k3/8/8/8/8/8/8/4K3[Rp] w - - 0 1");
        assert!(hand[30] > 25 && hand[SIDE + 30] < 10, "{hand:?}");
    }

    /// Sides see the same of positions with the sides exchanged, whatever the game.
    #[test]
    fn both_sides_count_alike() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (_, rules) in FairyRules::presets() {
            let mut game = FairyGame::new(&rules);
            for _ in 0..60 {
                let mut moves = Vec::new();
                game.legal_moves(&mut moves);
                if game.outcome(&moves).is_some() {
                    break;
                }
                let now = game.view_inputs().counts;
                let mut passed = game.clone();
                passed.position.switch(game.tables());
                let other = passed.view_inputs().counts;
                assert_eq!(now[..SIDE], other[SIDE..], "{}", game.to_text());
                assert_eq!(now[SIDE..], other[..SIDE], "{}", game.to_text());
                game.play(*moves.choose(&mut rng).unwrap());
            }
        }
    }
}
