//! Inputs of the efficiently updatable network, seen from either side.
//!
//! | block | size | meaning |
//! | --- | --- | --- |
//! | components | 2 x 6 x 64 | own, then enemy component on a square |
//! | pairs | 2 x 9 x 64 | own, then enemy piece with two components on a square, beside these |
//! | castling | 4 | own towards the a-file, own towards the h-file, enemy's |
//! | rules | 64 | the bits of the rules, which are constant in a game, and of the delay of castling |
//!
//! The board is turned so that the side of the view plays up. It is mirrored left to right if the
//! side's royal piece stands on the files e to h. So the royal piece is always on the files a to d,
//! and a network has to learn only half of the positions.
//!
//! The second layer receives [`counts`] as well.

mod counts;
mod packing;

use super::tactics::Undo;
use super::{FusionGame, features};
use crate::board::{Bitboard, Color, Component, Piece, Position, Square};
use crate::rules::RuleSet;
use fusion_game::{Side, ViewChange, ViewInputs, Views, ViewsShape};

/// The pairs of components that a piece may have.
const PAIRS: [Piece; 9] = {
    use Component::{Bishop, King, Knight, Mann, Rook};
    const fn pair(a: Component, b: Component) -> Piece {
        Piece::of(a).with(b)
    }
    [
        pair(Rook, Bishop),
        pair(Rook, Knight),
        pair(Bishop, Knight),
        pair(King, Rook),
        pair(King, Bishop),
        pair(King, Knight),
        pair(Mann, Rook),
        pair(Mann, Bishop),
        pair(Mann, Knight),
    ]
};

/// Blocks of squares of one side.
const BLOCKS: usize = Component::COUNT + PAIRS.len();
/// First input of the castling rights, after all squares.
const CASTLING: usize = 2 * BLOCKS * 64;
/// First input of the rules.
const RULES: usize = CASTLING + 4;
/// Number of inputs.
const COUNT: usize = RULES + 64;

/// Pieces on the board from which a stage begins, fewest first.
const STAGES: usize = 8;

/// The blocks of a piece.
#[derive(Clone, Copy)]
struct Blocks {
    count: u8,
    list: [u8; 7],
}

/// The blocks of every piece: of its components, and of its pairs.
static BLOCKS_OF: [Blocks; Piece::SETS] = {
    let mut all = [Blocks { count: 0, list: [0; 7] }; Piece::SETS];
    let mut set = 0;
    while set < Piece::SETS {
        let mut count = 0;
        let mut component = 0;
        while component < Component::COUNT {
            if set >> component & 1 != 0 && count < 7 {
                all[set].list[count] = component as u8;
                count += 1;
            }
            component += 1;
        }
        let mut pair = 0;
        while pair < PAIRS.len() {
            let both = PAIRS[pair].index();
            if set & both == both && count < 7 {
                all[set].list[count] = (Component::COUNT + pair) as u8;
                count += 1;
            }
            pair += 1;
        }
        all[set].count = count as u8;
        set += 1;
    }
    all
};

/// The view of a side.
#[derive(Clone, Copy, PartialEq, Eq)]
struct View {
    color: Color,
    /// What turns a square's index into that of the view.
    turn: usize,
}

impl View {
    fn of(position: &Position, side: Side) -> Self {
        let color = match side {
            Side::First => Color::White,
            Side::Second => Color::Black,
        };
        Self::at(color, position.royal(color))
    }

    /// Returns the view of a side whose royal piece stands on this square.
    fn at(color: Color, royal: Square) -> Self {
        let upside = if color == Color::White { 0 } else { 56 };
        let mirror = if royal.file() >= 4 { 7 } else { 0 };
        Self { color, turn: upside ^ mirror }
    }

    /// Adds the inputs of a piece.
    #[inline]
    fn piece(self, color: Color, piece: Piece, square: Square, inputs: &mut Vec<u16>) {
        let side = if color == self.color { 0 } else { BLOCKS };
        let square = square.index() ^ self.turn;
        let Blocks { count, list } = &BLOCKS_OF[piece.index()];
        for &block in &list[..usize::from(*count)] {
            inputs.push(((side + usize::from(block)) * 64 + square) as u16);
        }
    }

    /// Adds the inputs of castling rights.
    fn castling(self, rights: u8, inputs: &mut Vec<u16>) {
        // FEN's order is K, Q, k, q.
        let own = if self.color == Color::White { rights } else { rights >> 2 | (rights & 3) << 2 };
        let mirrored = self.turn & 7 != 0;
        for right in 0..4 {
            if own >> right & 1 != 0 {
                let right = if mirrored { right ^ 1 } else { right };
                inputs.push((CASTLING + right) as u16);
            }
        }
    }
}

/// Returns the inputs of these bits of the rules.
fn rules(bits: u64) -> impl Iterator<Item = u16> {
    Bitboard(bits).into_iter().map(|bit| (RULES + bit.index()) as u16)
}

impl FusionGame {
    /// Returns the bits of the rules, and of the delay of castling.
    fn rule_bits(&self) -> u64 {
        self.rule_features | features::delay(&self.position, &self.rules)
    }
}

impl Views for FusionGame {
    fn views(_: &RuleSet) -> ViewsShape {
        ViewsShape {
            counts: counts::COUNT,
            stages: STAGES,
            without_counts: Some("fusion chess, views 2".into()),
            ..ViewsShape::new("fusion chess, views 3", COUNT)
        }
    }

    fn view(&self, side: Side, inputs: &mut Vec<u16>) {
        inputs.clear();
        let view = View::of(&self.position, side);
        for color in Color::ALL {
            for square in self.position.color(color) {
                view.piece(color, self.position.piece_on(square), square, inputs);
            }
        }
        view.castling(self.position.castling_rights(), inputs);
        inputs.extend(rules(self.rule_bits()));
    }

    fn view_counts(&self, counts: &mut [u8]) {
        counts::count(&self.position, counts);
    }

    fn pack(&self, bytes: &mut Vec<u8>) {
        packing::pack(&self.position, self.rule_bits(), bytes);
    }

    fn unpack(_: &ViewsShape, bytes: &[u8], inputs: &mut ViewInputs) {
        packing::unpack(bytes, inputs);
    }

    fn view_change(&self, before: &Undo, side: Side, change: &mut ViewChange) -> bool {
        let (old, new) = (&before.position, &self.position);
        let view = View::of(new, side);
        if view != View::of(old, side) {
            return false;
        }
        for square in old.difference(new) {
            for (position, inputs) in [(old, &mut change.removed), (new, &mut change.added)] {
                if let Some(color) = position.color_on(square) {
                    view.piece(color, position.piece_on(square), square, inputs);
                }
            }
        }
        if old.castling_rights() != new.castling_rights() {
            view.castling(old.castling_rights(), &mut change.removed);
            view.castling(new.castling_rights(), &mut change.added);
        }
        let [earlier, later] = [old, new].map(|position| features::delay(position, &self.rules));
        change.removed.extend(rules(earlier & !later));
        change.added.extend(rules(later & !earlier));
        true
    }

    fn stage(&self) -> usize {
        let pieces = self.position.occupied().len();
        (pieces.saturating_sub(2) / 4).min(STAGES - 1)
    }

    /// The views show a delay of castling even if nobody can castle any more, which the hash of the
    /// game leaves out.
    #[inline]
    fn view_hash(&self) -> u64 {
        self.position.hash() ^ features::delay(&self.position, &self.rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::rules::{PRESETS, RuleSet};
    use fusion_game::{Game, Notation, Tactics};
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn view(game: &FusionGame, side: Side) -> Vec<u16> {
        let mut inputs = Vec::new();
        game.view(side, &mut inputs);
        inputs.sort_unstable();
        inputs
    }

    proptest! {
        #[test]
        fn changes_lead_from_view_to_view(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 1..200),
            preset in prop::option::of(0..PRESETS.len()),
            seed: u64,
        ) {
            let random = || RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
            let rules = preset.map_or_else(random, |preset| PRESETS[preset].1);
            let mut game = FusionGame::new(&rules);
            for choice in choices {
                let mut moves: Vec<Move> = Vec::new();
                game.legal_moves(&mut moves);
                if game.outcome(&moves).is_some() {
                    break;
                }
                let before = [Side::First, Side::Second].map(|side| view(&game, side));
                let undo = game.make(*choice.get(&moves));
                for (side, mut inputs) in [Side::First, Side::Second].into_iter().zip(before) {
                    let mut change = ViewChange::default();
                    let now = view(&game, side);
                    prop_assert!(now.windows(2).all(|pair| pair[0] < pair[1]));
                    prop_assert!(now.iter().all(|&input| usize::from(input) < COUNT));
                    if !game.view_change(&undo, side, &mut change) {
                        continue;
                    }
                    prop_assert!(change.added.len() + change.removed.len() <= 24);
                    // An input may be removed and added again.
                    for removed in &change.removed {
                        let place = inputs.iter().position(|input| input == removed);
                        prop_assert!(place.is_some());
                        inputs.remove(place.unwrap());
                    }
                    inputs.extend(&change.added);
                    inputs.sort_unstable();
                    prop_assert_eq!(inputs, now);
                }
                prop_assert!(game.stage() < STAGES);
                let (mut bytes, mut unpacked) = (Vec::new(), ViewInputs::default());
                game.pack(&mut bytes);
                FusionGame::unpack(&FusionGame::views(game.rules()), &bytes, &mut unpacked);
                prop_assert_eq!(unpacked, game.view_inputs());
            }
        }

        /// Both sides see the same where the colours are exchanged.
        #[test]
        fn the_views_do_not_depend_on_the_colours(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 1..80),
            preset in 0..PRESETS.len(),
        ) {
            let mut game = FusionGame::new(&PRESETS[preset].1);
            for choice in choices {
                let mut moves: Vec<Move> = Vec::new();
                game.legal_moves(&mut moves);
                if game.outcome(&moves).is_some() {
                    break;
                }
                game.play(*choice.get(&moves));
            }
            let turned = FusionGame::at(*game.rules(), game.position().flipped());
            prop_assert_eq!(view(&game, Side::First), view(&turned, Side::Second));
            prop_assert_eq!(view(&game, Side::Second), view(&turned, Side::First));
            prop_assert_eq!(game.view_inputs().counts, turned.view_inputs().counts);
        }
    }

    #[test]
    fn a_mirrored_board_looks_the_same() {
        let of = |fen: &str| {
            let game = FusionGame::from_text(&"orthodox".parse().unwrap(), fen).unwrap();
            ([Side::First, Side::Second].map(|side| view(&game, side)), game.view_inputs().counts)
        };
        assert_eq!(
            of("4k3/p7/8/8/8/2N5/1P6/4K3 w - - 0 1"),
            of("3k4/7p/8/8/8/5N2/6P1/3K4 w - - 0 1")
        );
    }

    #[test]
    fn the_hash_of_views_has_the_delay_of_castling() {
        let rules = "az-no-castling-10".parse().unwrap();
        let at = |fen: &str| FusionGame::from_text(&rules, fen).unwrap();
        let early = at("4k3/8/8/8/8/8/8/4K2R w - - 0 5");
        let late = at("4k3/8/8/8/8/8/8/4K2R w - - 0 30");
        assert_eq!(early.hash(), late.hash());
        assert_ne!(view(&early, Side::First), view(&late, Side::First));
        assert_ne!(early.view_hash(), late.view_hash());
        let later = at("4k3/8/8/8/8/8/8/4K2R w - - 9 40");
        assert_eq!(later.view_hash(), late.view_hash());
    }
}
