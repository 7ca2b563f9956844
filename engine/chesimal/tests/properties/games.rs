//! Random rule sets and random games.

use fusion_chesimal::ChesimalGame;
use fusion_chesimal::board::Action;
use fusion_chesimal::rules::{PRESETS, RuleSet};
use fusion_game::RuleSet as _;
use fusion_game::Tactics;
use fusion_game::prelude::*;
use proptest::prelude::*;
use proptest::sample::Index;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::sync::LazyLock;

/// The positions of the table of counts.
static TABLE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft/chesimal.csv");
    let rows = csv::Reader::from_path(path).unwrap().into_records();
    let mut texts: Vec<String> = rows.map(|row| row.unwrap()[2].to_string()).collect();
    texts.dedup();
    texts
});

/// A preset, or any mix of toggles.
pub fn rules() -> impl Strategy<Value = RuleSet> {
    let preset = prop::sample::select(PRESETS.map(|(_, rules)| rules).to_vec());
    let any = any::<u64>().prop_map(|seed| RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed)));
    prop_oneof![1 => preset, 3 => any]
}

/// A choice among actions, and whether it must be a capture or a recruit if there is one.
type Choice = (Index, bool);

/// A game: its rules, its first position and the choices that made its actions.
#[derive(Clone, Debug)]
pub struct Line {
    pub rules: RuleSet,
    start: Option<Index>,
    choices: Vec<Choice>,
}

/// Games of at most `actions` actions. Half of them begin with a position of the table, if the rules
/// accept one.
pub fn line(actions: usize) -> impl Strategy<Value = Line> {
    let choices = prop::collection::vec((any::<Index>(), prop::bool::weighted(0.4)), 1..actions);
    (rules(), prop::option::of(any::<Index>()), choices).prop_map(|(rules, start, choices)| Line {
        rules,
        start,
        choices,
    })
}

impl Line {
    /// The same choices under other rules.
    pub fn under(self, rules: RuleSet) -> Self {
        Self { rules, ..self }
    }

    pub fn start(&self) -> ChesimalGame {
        let read = |text: &String| ChesimalGame::from_text(&self.rules, text).ok();
        let accepted: Vec<ChesimalGame> = match self.start {
            Some(_) => TABLE.iter().filter_map(read).collect(),
            None => Vec::new(),
        };
        match self.start {
            Some(index) if !accepted.is_empty() => index.get(&accepted).clone(),
            _ => ChesimalGame::new(&self.rules),
        }
    }

    /// Calls a function with each position and the action that is made there.
    pub fn each(&self, mut visit: impl FnMut(&ChesimalGame, &[Action], Option<Action>)) {
        let mut game = self.start();
        for (choice, lively) in &self.choices {
            let mut actions = Vec::new();
            game.legal_moves(&mut actions);
            if game.outcome(&actions).is_some() {
                visit(&game, &actions, None);
                return;
            }
            let is_lively =
                |&action: &Action| game.is_forcing(action) || matches!(action, Action::Recruit(_));
            let picked: Vec<Action> =
                actions.iter().copied().filter(|action| *lively && is_lively(action)).collect();
            let action = *choice.get(if picked.is_empty() { &actions } else { &picked });
            visit(&game, &actions, Some(action));
            game.play(action);
        }
    }
}
