//! A new game runs early: what docs/adding-a-game.md promises after each trait works with that trait
//! and those before it.
//!
//! The game is a heap of stones. A turn takes one, two or three; who takes the last one wins. Each
//! step has a type of its own, so that nothing of a later step can help.

use fusion_game::evaluator::{Material, MoveEvaluator, Rollout};
use fusion_game::prelude::*;
use fusion_game::toy::{LINE, Variant};
use fusion_game::{
    EncodingShape, FeatureSet, OpenErrorKind, Outcome, Side, Symmetry, Tactics, Views, ViewsShape,
};
use fusion_network::model::Model;
use fusion_network::views::{self, ViewEvaluator, ViewNetwork};
use fusion_network::{self, Network, NetworkEvaluator};
use fusion_search::pvs::{Limits, MaterialCount, Pvs, PvsConfig, plies_to_end};
use fusion_search::{Effort, Player, Search, SearchConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Returns the stones at the start. A heap of four times anything is lost for the side to move.
fn stones(rules: &Variant) -> u8 {
    if *rules == variant("double") { 30 } else { 15 }
}

/// Step 3, `Game`, on the toy's rule sets.
macro_rules! heap {
    ($name:ident) => {
        #[derive(Clone, Debug, PartialEq)]
        struct $name {
            left: u8,
            side: Side,
            rules: Variant,
        }

        impl Game for $name {
            type Rules = Variant;
            type Move = u8;

            fn new(rules: &Variant) -> Self {
                Self { left: stones(rules), side: Side::First, rules: *rules }
            }

            fn rules(&self) -> &Variant {
                &self.rules
            }

            fn side_to_move(&self) -> Side {
                self.side
            }

            fn legal_moves(&self, moves: &mut Vec<u8>) {
                moves.extend(1..=self.left.min(3));
            }

            fn play(&mut self, mv: u8) {
                (self.left, self.side) = (self.left - mv, self.side.other());
            }

            fn outcome(&self, moves: &[u8]) -> Option<Outcome> {
                let last = Some(self.side.other());
                moves.is_empty().then_some(Outcome { winner: last, ending: LINE })
            }

            fn hash(&self) -> u64 {
                2 * u64::from(self.left) + u64::from(self.side == Side::First)
            }

            fn material(&self) -> f32 {
                0.0
            }
        }
    };
}

/// Step 4, `Notation`: the position and the moves as text.
macro_rules! written {
    ($name:ident) => {
        impl Notation for $name {
            fn from_text(rules: &Variant, text: &str) -> Result<Self, String> {
                let left = text.parse().map_err(|_| format!("'{text}' is no number"))?;
                Ok(Self { left, ..Self::new(rules) })
            }

            fn to_text(&self) -> String {
                self.left.to_string()
            }

            fn move_text(&self, mv: u8) -> String {
                format!("take{mv}")
            }
        }
    };
}

/// Step 5, `Tactics`: moves that are taken back.
macro_rules! tactical {
    ($name:ident) => {
        impl Tactics for $name {
            type Undo = u8;

            fn make(&mut self, mv: u8) -> u8 {
                self.play(mv);
                mv
            }

            fn unmake(&mut self, mv: &u8) {
                (self.left, self.side) = (self.left + mv, self.side.other());
            }
        }
    };
}

fn variant(name: &str) -> Variant {
    Variant::parse(name).unwrap()
}

fn rules() -> Variant {
    variant("normal")
}

mod game {
    use super::*;

    heap!(Heap);

    #[test]
    fn tree_search_finds_the_winning_move_by_playouts() {
        let evaluators: [Box<dyn fusion_game::evaluator::Evaluator<Heap>>; 2] =
            [Box::new(Rollout::new(1)), Box::new(Material { seed: 1 })];
        for mut evaluator in evaluators {
            let mut search = Search::new(SearchConfig::default(), Heap::new(&rules()));
            search.run(&mut *evaluator, 3_000);
            let best = search.best_move(&mut ChaCha8Rng::seed_from_u64(1));
            assert_eq!(best, Some(3), "it leaves twelve");
        }
    }
}

mod notation {
    use super::*;

    heap!(Heap);
    written!(Heap);

    #[test]
    fn positions_moves_and_turns_have_texts_and_codes() {
        let game = Heap::from_text(&rules(), "2").unwrap();
        assert_eq!(game.to_text(), "2");
        assert!(Heap::from_text(&rules(), "many").is_err());
        assert_eq!((game.parse_move("take2"), game.parse_move("take3")), (Some(2), None));
        assert_eq!(game.move_words(1), "take1");
        assert_eq!(game.turn_words(&[1, 1]), "take1 take1");
        for mv in [1, 2] {
            assert_eq!(game.decode_move(game.encode_move(mv)), Some(mv));
        }
        assert_eq!(game.decode_move(2), None);
    }
}

mod encoding {
    use super::*;

    heap!(Heap);
    written!(Heap);

    impl Encoding for Heap {
        const POLICY_FACTORS: usize = 1;

        fn encoding(rules: &Variant) -> EncodingShape {
            let stones = stones(rules);
            EncodingShape::new(format!("heap 1, {stones} stones"), usize::from(stones) + 1, 3)
        }

        fn features(&self, features: &mut FeatureSet) {
            features.clear();
            features.insert(self.left.into());
        }

        fn policy_factors(&self, moves: &[u8], rows: &mut Vec<u16>) {
            rows.extend(moves.iter().map(|&mv| u16::from(mv - 1)));
        }

        fn symmetry(_: &Variant) -> Option<Symmetry> {
            None
        }
    }

    #[test]
    fn tree_search_runs_with_a_network() {
        let floats = fusion_network::FloatNetwork::random::<Heap>(&rules(), 64, 1).unwrap();
        let network = Arc::new(Network::quantise::<Heap>(&rules(), &floats).unwrap());
        let mut search = Search::new(SearchConfig::default(), Heap::new(&rules()));
        search.run(&mut NetworkEvaluator::new(network), 2_000);
        assert_eq!(search.best_move(&mut ChaCha8Rng::seed_from_u64(1)), Some(3));
    }

    /// The larger heap has more inputs, and an encoding of another name.
    #[test]
    fn a_network_is_accepted_for_rule_sets_of_its_shape_only() {
        let [normal, misere, double] = ["normal", "misere", "double"].map(variant);
        let floats = fusion_network::FloatNetwork::random::<Heap>(&normal, 64, 1).unwrap();
        let network = Network::quantise::<Heap>(&normal, &floats).unwrap();
        let read = |rules| Network::from_bytes::<Heap>(rules, network.bytes());
        assert_eq!(read(&misere).unwrap().hash(), network.hash());
        let reason = read(&double).unwrap_err();
        assert_eq!(reason, "its sizes are [64, 32, 16, 3], expected [64, 32, 31, 3]");
        assert!(Network::quantise::<Heap>(&double, &floats).is_err());

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.fnet");
        std::fs::write(&path, network.bytes()).unwrap();
        let open = |name: &str, rules: &[Variant]| Model::open::<Heap>(name, rules);
        let path = path.to_str().unwrap();
        assert_eq!(open(path, &[normal, misere]).unwrap().hash(), network.hash());
        let error = open(path, &[normal, misere, double]).unwrap_err();
        assert_eq!(error.kind(), OpenErrorKind::Unsupported);
        assert!(error.to_string().contains("cannot play both normal and double"), "{error}");
        assert_eq!(open(path, &[double]).unwrap_err().kind(), OpenErrorKind::Rejected);
        assert!(open(path, &[]).is_err());
        assert!(open("material", &[normal, double]).is_ok(), "it has no inputs");
    }
}

mod tactics {
    use super::*;

    heap!(Heap);
    tactical!(Heap);

    #[test]
    fn alpha_beta_search_proves_the_win() {
        let game = Heap { left: 7, ..Heap::new(&rules()) };
        let mut search = Pvs::new(PvsConfig::default(), &rules(), Box::new(MaterialCount));
        let found = search.search(&game, Limits::depth(8), &|| false).unwrap();
        assert_eq!(found.lines[0].moves[0], 3);
        assert_eq!(plies_to_end(found.lines[0].value), Some(3));
        let thought = search.think(&game, Effort::nodes(1_000), &|| false).unwrap().unwrap();
        assert_eq!(thought.mv, 3);
    }
}

mod seen {
    use super::*;

    heap!(Heap);
    tactical!(Heap);

    impl Views for Heap {
        fn views(rules: &Variant) -> ViewsShape {
            let stones = stones(rules);
            ViewsShape::new(format!("heap, views 1, {stones} stones"), usize::from(stones) + 1)
        }

        fn view(&self, _: Side, inputs: &mut Vec<u16>) {
            inputs.clear();
            inputs.push(self.left.into());
        }
    }

    #[test]
    fn alpha_beta_search_runs_with_a_network() {
        let floats = views::ViewFloats::random::<Heap>(&rules(), 64, 1).unwrap();
        let network = Arc::new(ViewNetwork::quantise::<Heap>(&rules(), &floats).unwrap());
        let evaluator: Box<dyn MoveEvaluator<Heap>> = Box::new(ViewEvaluator::new(network));
        let game = Heap { left: 7, ..Heap::new(&rules()) };
        let mut search = Pvs::new(PvsConfig::default(), &rules(), evaluator);
        let found = search.search(&game, Limits::depth(8), &|| false).unwrap();
        assert_eq!(found.lines[0].moves[0], 3);
    }
}
