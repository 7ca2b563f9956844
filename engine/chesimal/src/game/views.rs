//! Inputs of the efficiently updatable network, seen from either side.
//!
//! | block | size | meaning |
//! | --- | --- | --- |
//! | units | 2 x 6 x 192 | own, then enemy unit of a kind on a square |
//! | turn | 2 x 3 x 192 | own, then enemy active leader, units that moved, recruits |
//! | AMPs | 2 x 2 x 192 | own, then enemy leaderless unit, unit whose AMP has a King |
//! | modes | 2 x 4 | mode of the own, then the enemy active leader |
//! | rules | 64 | the bits of the rules, which are constant in a game |
//!
//! The board is turned so that the side of the view plays up.

use super::tactics::Undo;
use super::{ChesimalGame, features};
use crate::board::{Bitboard, Kind, Mode, Position, SQUARES};
use crate::rules::RuleSet;
use features::Orientation;
use fusion_game::{Side, ViewChange, Views, ViewsShape};

/// Blocks of squares of one side.
const BLOCKS: usize = Kind::COUNT + 3 + 2;
/// First input of the modes, after all squares.
const MODES: usize = 2 * BLOCKS * SQUARES;
/// First input of the rules.
const RULES: usize = MODES + 2 * Mode::COUNT;
/// Number of inputs.
const COUNT: usize = RULES + 64;

/// Units of both sides from which a stage begins, fewest first, are multiples of this.
const UNITS_A_STAGE: usize = 8;
const STAGES: usize = 8;

/// The view of a side: its blocks of squares and its bits of modes.
struct View {
    blocks: [[Bitboard; BLOCKS]; 2],
    modes: u64,
    orientation: Orientation,
}

impl View {
    fn of(position: &Position, rules: &RuleSet, side: Side) -> Self {
        let leaderless = position.leaderless(rules);
        let royal = features::royal(position, rules);
        let active = position.active();
        let leader = active.map_or(Bitboard::EMPTY, |active| active.square.bit());
        let blocks = [side, side.other()].map(|side| {
            let own = position.units(side);
            let [king, prince, knight, warmachine, elephant, pawn] =
                Kind::ALL.map(|kind| position.kind(kind));
            [
                king,
                prince,
                knight,
                warmachine,
                elephant,
                pawn,
                leader,
                position.moved(),
                position.recruited(),
                leaderless,
                royal,
            ]
            .map(|set| set & own)
        });
        let modes = active.map_or(0, |active| {
            let other = if position.side() == side { 0 } else { Mode::COUNT };
            1 << (active.mode.index() + other)
        });
        Self { blocks, modes, orientation: Orientation::of(side, rules) }
    }

    /// Appends the inputs that this view has and another one lacks.
    fn beyond(&self, other: &Self, inputs: &mut Vec<u16>) {
        let pairs = self.blocks.iter().flatten().zip(other.blocks.iter().flatten());
        for (block, (&here, &there)) in pairs.enumerate() {
            let squares = here & !there;
            inputs.extend(
                squares.map(|square| (block * SQUARES + self.orientation.square(square)) as u16),
            );
        }
        let modes = self.modes & !other.modes;
        inputs.extend(bits(modes).map(|bit| (MODES + bit) as u16));
    }
}

fn bits(word: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| word >> bit & 1 != 0)
}

impl Views for ChesimalGame {
    fn views(_: &RuleSet) -> ViewsShape {
        ViewsShape { stages: STAGES, ..ViewsShape::new("chesimal, views 1", COUNT) }
    }

    fn view(&self, side: Side, inputs: &mut Vec<u16>) {
        inputs.clear();
        let view = View::of(&self.position, &self.rules, side);
        let orientation = view.orientation;
        let nothing = View { blocks: [[Bitboard::EMPTY; BLOCKS]; 2], modes: 0, orientation };
        view.beyond(&nothing, inputs);
        inputs.extend(bits(features::of_rules(&self.rules)).map(|bit| (RULES + bit) as u16));
    }

    fn view_change(&self, before: &Undo, side: Side, change: &mut ViewChange) -> bool {
        let old = View::of(&before.position, &self.rules, side);
        let new = View::of(&self.position, &self.rules, side);
        new.beyond(&old, &mut change.added);
        old.beyond(&new, &mut change.removed);
        true
    }

    fn stage(&self) -> usize {
        (self.position.occupied().len() / UNITS_A_STAGE).min(STAGES - 1)
    }
}
