//! Signature of how this build plays.
//!
//! Two builds with the same version number may play different games, because one changed move in
//! one search is enough. The signature is part of every shard's header, so that a run begun by one
//! build is not continued by another that plays differently.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fusion_game::evaluator::{Evaluator, MoveEvaluator};
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_network::{self, Network};
use fusion_search::pvs::{Limits, Pvs, PvsConfig};
use fusion_search::{Search, SearchConfig, TrainingConfig};
use fusion_study::Searcher;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use fusion_jobs::seeds;

/// Number of games, each under a random rule set.
const GAMES: u64 = 8;
/// Plies after which a game is abandoned.
const CAP: u32 = 160;
/// Nodes per move.
const NODES: u32 = 24;
/// Nodes per move of the alpha-beta search.
const PVS_NODES: u64 = 200;
/// Interval of training searches: one is made at every ply whose number is divisible by this.
const TRAINING_EVERY: u32 = 16;
/// Games of a player with its own evaluator, which may be slow.
const PLAYER: Extent = Extent { games: 4, plies: 80, nodes: NODES as u64 };
/// Hidden width of the network. Its weights are random.
const HIDDEN: usize = 64;

/// Number and length of games.
#[derive(Clone, Copy)]
struct Extent {
    games: u64,
    plies: u32,
    /// Nodes per move.
    nodes: u64,
}

/// Returns sixteen hexadecimal digits over the moves of a few games that this build plays. They are
/// equal for builds that play alike and different for others, as far as these games show.
///
/// The games are searched like measurement games, with a network of random weights under random
/// rule sets. They are played to their ends, since builds often differ only in how they treat
/// repetitions and other ends. Some plies also have a training search with noise. The games are
/// played once per process and take less than a second.
///
/// # Errors
/// Fails only if a network cannot be built, which cannot occur because its width is fixed.
pub fn signature<G: CompleteGame>() -> anyhow::Result<String> {
    static KNOWN: Mutex<BTreeMap<TypeId, String>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(signature) = known.get(&TypeId::of::<G>()) {
        return Ok(signature.clone());
    }
    let signature = signature_of::<G>(SearchConfig::default())?;
    known.insert(TypeId::of::<G>(), signature.clone());
    Ok(signature)
}

/// Everything about the players of a run on which its games depend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The players by name, separated by commas: see [`Searcher::name`].
    pub name: String,
    /// The schemes of their evaluators: see [`Searcher::scheme`]. One that all share stands once.
    pub scheme: String,
    /// [`signature`], and after it that of each player: of its search, and of its evaluator.
    pub behaviour: String,
}

impl Identity {
    /// Returns the identity of players of a run under these rule sets.
    ///
    /// # Errors
    /// Fails if the network of a player has not the inputs and outputs of a rule set (exit code 64).
    pub fn of<'a, G: CompleteGame>(
        players: impl IntoIterator<Item = &'a Searcher>,
        rules: &[G::Rules],
    ) -> anyhow::Result<Self> {
        let (mut names, mut schemes, mut behaviour) = (Vec::new(), Vec::new(), signature::<G>()?);
        for player in players {
            player.check_plays::<G>(rules)?;
            names.push(player.name());
            schemes.extend(rules.iter().map(|rules| player.scheme::<G>(rules)));
            if let Some(first) = rules.first() {
                behaviour = format!("{behaviour}-{}", of_player::<G>(player, first)?);
            }
        }
        // Other programs are no searchers of ours and have no scheme.
        let scheme = if names.is_empty() { scheme_of::<G>(rules) } else { joined(schemes) };
        Ok(Self { name: names.join(", "), scheme, behaviour })
    }
}

/// Returns the names of the encodings of these rule sets. One that all share stands once.
#[must_use]
pub fn scheme_of<G: CompleteGame>(rules: &[G::Rules]) -> String {
    joined(rules.iter().map(|rules| G::encoding(rules).name))
}

/// Joins names, each once, in the order in which they come first.
fn joined(names: impl IntoIterator<Item = Cow<'static, str>>) -> String {
    let mut different = Vec::new();
    for name in names {
        if !different.contains(&name) {
            different.push(name);
        }
    }
    different.join("; ")
}

/// Returns the signature of a player, which is computed once per process. Where its network cannot play
/// a random rule set, it plays `rules`.
fn of_player<G: CompleteGame>(player: &Searcher, rules: &G::Rules) -> anyhow::Result<String> {
    /// The game, the player's name and the rule sets.
    type Key = (TypeId, String, Vec<String>);
    static KNOWN: Mutex<BTreeMap<Key, String>> = Mutex::new(BTreeMap::new());
    let mut sets = random_rules::<G>(PLAYER.games);
    for set in sets.iter_mut().filter(|set| !player.plays::<G>(set)) {
        set.clone_from(rules);
    }
    let texts = sets.iter().map(ToString::to_string).collect();
    let key = (TypeId::of::<G>(), player.name(), texts);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(signature) = known.get(&key) {
        return Ok(signature.clone());
    }
    let signature = match player {
        Searcher::Tree(settings, model) => {
            let config = settings.over(SearchConfig::default());
            tree_player::<G>(config, &sets, |seed| model.evaluator(seed))
        }
        Searcher::Pvs(config, model) => {
            let own = pvs_player::<G>(*config, PLAYER, &sets, |seed| model.evaluator(seed));
            format!("{}-{own}", pvs_signature::<G>(*config)?)
        }
    };
    known.insert(key, signature.clone());
    Ok(signature)
}

/// Returns the signature of a tree search with a player's own evaluator under these rule sets.
fn tree_player<G: CompleteGame>(
    config: SearchConfig,
    sets: &[G::Rules],
    evaluator: impl Fn(u64) -> Box<dyn Evaluator<G>>,
) -> String {
    play_games::<G>(sets, |start, number, hasher| {
        let mut ties = seeds::stream("behaviour", &[number]);
        let mut evaluator = evaluator(number);
        let mut search = Search::new(config, start);
        for _ in 0..PLAYER.plies {
            if search.game().outcome_now().is_some() {
                break;
            }
            search.think(evaluator.as_mut(), NODES, &|| false);
            for child in search.children() {
                hasher.update(child.visits.to_le_bytes());
            }
            let Some(mv) = search.best_move(&mut ties) else { break };
            hasher.update(format!(" {}", search.game().move_text(mv)));
            search.advance(mv);
        }
    })
}

/// Returns the same as [`signature`] for alpha-beta search of selective depth with these settings.
///
/// # Errors
/// Fails only if a network cannot be built, which cannot occur because its width is fixed.
pub fn pvs_signature<G: CompleteGame>(config: PvsConfig) -> anyhow::Result<String> {
    let sets = random_rules::<G>(GAMES);
    let models = models::<G>(&sets)?;
    let extent = Extent { games: GAMES, plies: CAP, nodes: PVS_NODES };
    let evaluator = |number| models[number as usize].evaluator::<G>(number);
    Ok(pvs_player::<G>(config, extent, &sets, |number| Box::new(evaluator(number))))
}

/// Returns the signature of an alpha-beta search of selective depth with an evaluator under these rule
/// sets.
fn pvs_player<G: CompleteGame>(
    config: PvsConfig,
    extent: Extent,
    sets: &[G::Rules],
    evaluator: impl Fn(u64) -> Box<dyn MoveEvaluator<G>>,
) -> String {
    play_games::<G>(sets, |mut game, number, hasher| {
        let config = PvsConfig { table_mib: 1, ..config };
        let mut search = Pvs::new(config, game.rules(), evaluator(number));
        for _ in 0..extent.plies {
            let limits = Limits::nodes(extent.nodes);
            let Some(found) = search.search(&game, limits, &|| false) else { break };
            let line = &found.lines[0];
            hasher.update(format!(" {} {}", game.move_text(line.moves[0]), line.value));
            game.play(line.moves[0]);
        }
    })
}

/// Plays a game under each of these rule sets by `play`, which receives a game's start and number, and
/// returns the hash of what it plays.
fn play_games<G: CompleteGame>(sets: &[G::Rules], play: impl Fn(G, u64, &mut Sha256)) -> String {
    let mut hasher = Sha256::new();
    for (number, rules) in (0..).zip(sets) {
        play(G::new(rules), number, &mut hasher);
    }
    text(hasher)
}

/// Returns random rule sets, always the same.
fn random_rules<G: CompleteGame>(count: u64) -> Vec<G::Rules> {
    let mut rng = seeds::stream("behaviour", &[]);
    (0..count).map(|_| G::Rules::random(&mut rng)).collect()
}

/// Returns a network of random weights for each rule set. Rule sets that one network can play have the
/// same one.
fn models<G: CompleteGame>(sets: &[G::Rules]) -> anyhow::Result<Vec<Model>> {
    let mut models: Vec<Model> = Vec::with_capacity(sets.len());
    for rules in sets {
        models.push(match models.iter().find(|model| model.plays::<G>(rules)) {
            Some(model) => model.clone(),
            None => model::<G>(rules)?,
        });
    }
    Ok(models)
}

fn model<G: CompleteGame>(rules: &G::Rules) -> anyhow::Result<Model> {
    let network = fusion_network::FloatNetwork::random::<G>(rules, HIDDEN, 1)
        .and_then(|net| Network::quantise::<G>(rules, &net));
    Ok(Model::of(network.map_err(anyhow::Error::msg)?))
}

fn text(hasher: Sha256) -> String {
    fusion_game::hex(&hasher.finalize()[..8])
}

fn signature_of<G: CompleteGame>(config: SearchConfig) -> anyhow::Result<String> {
    let sets = random_rules::<G>(GAMES);
    let mut hasher = Sha256::new();
    for ((number, rules), model) in (0..).zip(&sets).zip(models::<G>(&sets)?) {
        hasher.update(format!("\n{rules}"));
        play_game(G::new(rules), config, &model, number, &mut hasher);
    }
    Ok(text(hasher))
}

/// Plays a game and hashes its moves.
fn play_game<G: CompleteGame>(
    start: G,
    config: SearchConfig,
    model: &Model,
    number: u64,
    hasher: &mut Sha256,
) {
    let mut ties = seeds::stream("behaviour", &[number]);
    let mut evaluator = model.evaluator::<G>(number);
    let mut search = Search::new(config, start);
    for ply in 0..CAP {
        if search.game().outcome_now().is_some() {
            break;
        }
        if ply % TRAINING_EVERY == 0 {
            training_search(&search, evaluator.as_mut(), &mut ties, hasher);
        }
        search.think(evaluator.as_mut(), NODES, &|| false);
        let Some(mv) = search.best_move(&mut ties) else { break };
        hasher.update(format!(" {}", search.game().move_text(mv)));
        search.advance(mv);
    }
}

/// Makes a training search of the position and hashes its policy target.
fn training_search<G: CompleteGame>(
    search: &Search<G>,
    evaluator: &mut dyn Evaluator<G>,
    rng: &mut ChaCha8Rng,
    hasher: &mut Sha256,
) {
    let config = TrainingConfig { simulations: NODES, noise: TrainingConfig::NOISE };
    let mut search = search.afresh(search.game().clone());
    if let Some(found) = search.training(evaluator, rng, &config) {
        for (mv, _) in found.policy.iter().filter(|(_, share)| *share > 0.0) {
            hasher.update(search.game().encode_move(*mv).to_le_bytes());
        }
    }
    for child in search.children() {
        hasher.update(child.visits.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use fusion_game::Views;
    use fusion_game::evaluator::{Evaluation, Wdl};
    use fusion_game::toy::{TicTacToe, Variant};
    use fusion_jobs::exit::{USAGE, exit_code};
    use std::collections::BTreeSet;

    #[test]
    fn a_signature_is_the_same_each_time_and_tells_searches_apart() {
        let of = |config| signature_of::<FusionGame>(config).unwrap();
        let ours = of(SearchConfig::default());
        assert_eq!(ours, of(SearchConfig::default()));
        assert_eq!(ours, signature::<FusionGame>().unwrap());
        assert_eq!(ours.len(), 16);
        for changed in [
            SearchConfig { c_puct: 0.51, ..SearchConfig::default() },
            SearchConfig { lcb: 0.9, ..SearchConfig::default() },
            SearchConfig { policy_temperature: 1.31, ..SearchConfig::default() },
        ] {
            assert_ne!(of(changed), ours, "{changed:?}");
        }
    }

    #[test]
    fn settings_of_the_alpha_beta_search_change_its_signature() {
        let of = |config| pvs_signature::<FusionGame>(config).unwrap();
        let ours = of(PvsConfig::default());
        assert_eq!(ours, of(PvsConfig::default()));
        assert_ne!(ours, of(PvsConfig { null_move: false, ..PvsConfig::default() }));
    }

    /// The built-in evaluator with one constant changed: its values are a little nearer to zero.
    struct Changed(Box<dyn Evaluator<FusionGame>>);

    impl Evaluator<FusionGame> for Changed {
        fn value(&mut self, game: &FusionGame) -> Evaluation {
            let found = Evaluator::value(&mut *self.0, game);
            let wdl = found.wdl;
            let less = 0.02 * (wdl.win - wdl.loss);
            let wdl = Wdl { win: wdl.win - less, loss: wdl.loss + less, ..wdl };
            Evaluation { wdl, ..found }
        }

        fn policy(
            &mut self,
            game: &FusionGame,
            moves: &[<FusionGame as Game>::Move],
            logits: &mut Vec<f32>,
        ) {
            self.0.policy(game, moves, logits);
        }
    }

    #[test]
    fn a_changed_evaluator_changes_the_signature_of_its_players() {
        let material = Model::open::<FusionGame>("material", []).unwrap();
        let own = |seed| material.evaluator::<FusionGame>(seed);
        let config = SearchConfig::default();
        let sets = random_rules::<FusionGame>(PLAYER.games);
        let ours = tree_player::<FusionGame>(config, &sets, own);
        assert_eq!(ours, tree_player::<FusionGame>(config, &sets, own));
        let changed = |seed| Box::new(Changed(own(seed))) as Box<dyn Evaluator<FusionGame>>;
        assert_ne!(ours, tree_player::<FusionGame>(config, &sets, changed));

        let pvs = |evaluator: &dyn Fn(u64) -> Box<dyn MoveEvaluator<FusionGame>>| {
            pvs_player::<FusionGame>(PvsConfig::default(), PLAYER, &sets, evaluator)
        };
        let ours = pvs(&|seed| Box::new(own(seed)));
        assert_ne!(ours, pvs(&|seed| Box::new(changed(seed))));
    }

    #[test]
    fn an_identity_has_the_scheme_of_each_player() {
        let nets = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/nets/");
        let rules = ["fusion-2020", "orthodox"].map(|name| name.parse().unwrap());
        let scheme = |texts: &[&str]| {
            let open = |text: &&str| {
                Searcher::open::<FusionGame>(&text.replace("nets/", nets), &rules).unwrap()
            };
            let players: Vec<Searcher> = texts.iter().map(open).collect();
            Identity::of::<FusionGame>(&players, &rules).unwrap().scheme
        };
        let (encoding, views) =
            (FusionGame::encoding(&rules[0]).name, FusionGame::views(&rules[0]).name);
        assert_eq!(scheme(&["nets/family.fnet"]), encoding);
        assert_eq!(scheme(&["pvs:nets/family.fnet", "material"]), encoding);
        assert_eq!(scheme(&["pvs:nets/family-pvs.fnet"]), views);
        let both = format!("{views}; {encoding}");
        assert_eq!(scheme(&["pvs:nets/family-pvs.fnet", "uniform"]), both);
    }

    /// Double turns have an input more. Random rule sets with them are replaced.
    #[test]
    fn a_network_is_judged_by_games_that_it_can_play() {
        let [normal, misere, double] =
            ["normal", "misere", "double"].map(|name| Variant::parse(name).unwrap());
        let player = Searcher::from(model::<TicTacToe>(&normal).unwrap());
        assert!(player.plays::<TicTacToe>(&misere) && !player.plays::<TicTacToe>(&double));
        let of = |rules: &[Variant]| Identity::of::<TicTacToe>([&player], rules);
        let scheme = of(&[normal, misere]).unwrap().scheme;
        assert_eq!(scheme, TicTacToe::encoding(&normal).name);
        let error = of(&[normal, double]).unwrap_err();
        assert!(error.to_string().contains("cannot play double"), "{error}");
        assert_eq!(exit_code(&error), USAGE);
        let material = Searcher::open::<TicTacToe>("material", [&normal, &double]).unwrap();
        let scheme = Identity::of::<TicTacToe>([&material], &[normal, double]).unwrap().scheme;
        assert_eq!(scheme, "tic-tac-toe-1; double tic-tac-toe-1");
    }

    #[test]
    fn each_player_has_its_signature() {
        let rules = ["fusion-2020".parse().unwrap()];
        let of = |text: &str| {
            let player = Searcher::open::<FusionGame>(text, []).unwrap();
            Identity::of::<FusionGame>([&player], &rules).unwrap().behaviour
        };
        let texts = ["material", "uniform", "rollout", "pvs:material", "pvs:uniform"];
        let all: BTreeSet<String> = texts.into_iter().map(of).collect();
        assert_eq!(all.len(), texts.len());
        let base = signature::<FusionGame>().unwrap();
        assert!(all.iter().all(|whole| whole.starts_with(&base) && *whole != base));
    }
}
