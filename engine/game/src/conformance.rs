//! What every game must hold, tested by random games. Each game's tests call [`check`], and
//! [`check_board`] if people play it on a board.

mod board;

pub use board::check_board;

use crate::{
    CompleteGame, Description, EncodingShape, Ending, FeatureSet, MOST_COUNT, MoveIndices,
    OlderEncoding, Outcome, Results, RuleSet, SanityPosition, Side, Symmetry, ViewChange,
    ViewInputs, ViewsShape,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Debug;

/// How much random games have covered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Positions checked.
    pub positions: usize,
    /// Finished games, by the place of their ending in [`Describe::ENDINGS`](crate::Describe::ENDINGS).
    pub endings: Vec<usize>,
    /// Moves made, by the place of their events in [`Describe::EVENTS`](crate::Describe::EVENTS).
    pub events: Vec<usize>,
}

/// Plies after which a random game is given up.
const LONGEST_GAME: usize = 600;

/// Number of inputs or policy rows that 16 bits tell apart.
const MOST_INDICES: usize = 1 << 16;

/// Draws of each exercise under each preset.
const DRAWS: usize = 20;

/// Plies of one side in a row after which a turn counts as endless.
const LONGEST_TURN: usize = 200;

/// Checks what the traits promise: first the game's data, then every position of random games under
/// all presets and under random rule sets, `games` of each.
///
/// # Errors
/// Returns what does not hold, and in which position.
///
/// ```
/// use fusion_game::{conformance, toy::TicTacToe};
///
/// let coverage = conformance::check::<TicTacToe>(5, 1)?;
/// assert!(coverage.positions > 50);
/// # Ok::<(), String>(())
/// ```
pub fn check<G: CompleteGame>(games: usize, seed: u64) -> Result<Coverage, String> {
    check_data::<G>()?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut coverage = Coverage {
        positions: 0,
        endings: vec![0; G::ENDINGS.len()],
        events: vec![0; G::EVENTS.kinds.len()],
    };
    let presets: Vec<G::Rules> = G::Rules::presets().into_iter().map(|(_, rules)| rules).collect();
    check_exercises::<G>(&presets, &mut rng)?;
    let mut shapes = Shapes::default();
    for _ in 0..games {
        let random = G::Rules::random(&mut rng);
        for rules in presets.iter().chain([&random]) {
            check_rules(rules)?;
            shapes.check::<G>(rules).map_err(|reason| format!("{rules}: {reason}"))?;
            play::<G>(rules, &mut rng, &mut coverage)?;
        }
    }
    Ok(coverage)
}

fn holds(condition: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(what()) }
}

fn same<T: PartialEq + Debug>(what: &str, found: &T, wanted: &T) -> Result<(), String> {
    holds(found == wanted, || format!("{what}: {found:?} is not {wanted:?}"))
}

/// Returns the first item that occurs twice.
fn repeated<T: Eq + std::hash::Hash + Clone>(items: impl IntoIterator<Item = T>) -> Option<T> {
    let mut seen = HashSet::new();
    items.into_iter().find(|item| !seen.insert(item.clone()))
}

fn check_data<G: CompleteGame>() -> Result<(), String> {
    if let Some(name) = repeated(Description::of::<G>().all_endings().map(Ending::name)) {
        return Err(format!("two endings are called {name}"));
    }
    let known = G::ENDINGS.iter().chain(&Ending::OUTSIDE);
    let recorded: Vec<Ending> = Description::of::<G>().all_endings().collect();
    let all =
        recorded.len() == known.clone().count() && known.clone().all(|e| recorded.contains(e));
    holds(all, || "records do not number every ending".to_owned())?;
    holds(G::ENDINGS.iter().all(|ending| ending.kind().results != Results::None), || {
        "an ending of the rules has no result".to_owned()
    })?;
    let columns = G::EVENTS.kinds.iter().flat_map(|kind| [Some(kind.count), kind.first]).flatten();
    if let Some(column) = repeated(columns.chain([G::START_COLUMN])) {
        return Err(format!("two columns of games.csv are called {column}"));
    }
    let counts = Description::of::<G>().drawn_endings().map(Ending::column);
    if let Some(column) = repeated(counts) {
        return Err(format!("two columns of random.csv are called {column}"));
    }
    let known = |name: &str| G::EVENTS.place(name).is_some();
    if let Some(name) =
        G::EVENTS.kinds.iter().filter_map(|kind| kind.implies).find(|name| !known(name))
    {
        return Err(format!("an event implies {name}, which is no event"));
    }
    same("places of events", &repeated(G::EVENTS.kinds.iter().map(|kind| kind.place)), &None)?;
    for known in G::sanity_positions() {
        let of = |rules: &G::Rules| G::from_text(rules, known.position).ok();
        let presets = G::Rules::presets();
        let legal = presets.iter().filter_map(|(_, rules)| of(rules));
        let mut found = legal.map(|game| game.parse_move(known.best).is_some()).peekable();
        holds(found.peek().is_some() && found.any(|found| found), || {
            format!("{}: {} is legal under no preset", known.what, known.best)
        })?;
        presets.iter().try_for_each(|(_, rules)| check_best::<G>(rules, known))?;
    }
    Ok(())
}

/// Checks that no other move wins at once if the best move does. Otherwise a player that chooses the
/// other one would be taken for weak.
fn check_best<G: CompleteGame>(rules: &G::Rules, known: &SanityPosition) -> Result<(), String> {
    let Ok(game) = G::from_text(rules, known.position) else { return Ok(()) };
    let wins = |mv| {
        let mut next = game.clone();
        next.play(mv);
        next.outcome_now().is_some_and(|outcome| outcome.winner == Some(game.side_to_move()))
    };
    let Some(best) = game.parse_move(known.best).filter(|&mv| wins(mv)) else { return Ok(()) };
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let other = moves.into_iter().find(|&mv| mv != best && wins(mv));
    holds(other.is_none(), || {
        let other = other.map(|mv| game.move_text(mv)).unwrap_or_default();
        format!("{}: {other} wins, too, not only {}", known.what, known.best)
    })
}

/// Exercises have their names, and a game drawn from one is not over. Each can be drawn under a preset
/// that has it.
fn check_exercises<G: CompleteGame>(
    presets: &[G::Rules],
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let names: BTreeSet<String> = presets.iter().flat_map(G::exercises).collect();
    for name in names {
        let exercise = G::exercise(&name)?;
        same("name of an exercise", &exercise.to_string(), &name)?;
        let mut drawn = false;
        let with = presets.iter().filter(|rules| G::exercises(rules).contains(&name));
        let with: Vec<&G::Rules> = with.collect();
        for &rules in with.iter().cycle().take(with.len() * DRAWS) {
            if let Some(game) = exercise.draw(rules, rng) {
                drawn = true;
                holds(game.rules() == rules && game.outcome_now().is_none(), || {
                    format!("{name} gives {} under {rules}", game.to_text())
                })?;
            }
        }
        holds(drawn, || format!("{name} cannot be drawn"))?;
    }
    Ok(())
}

/// The shapes of the rule sets so far, by their names.
#[derive(Default)]
struct Shapes {
    encodings: BTreeMap<String, (EncodingShape, Option<Symmetry>)>,
    views: BTreeMap<String, ViewsShape>,
}

impl Shapes {
    /// Checks the shapes of a rule set, and that earlier rule sets with the same names had the same ones.
    fn check<G: CompleteGame>(&mut self, rules: &G::Rules) -> Result<(), String> {
        let (encoding, views) = (G::encoding(rules), G::views(rules));
        let grown = |older: &OlderEncoding| {
            older.features <= encoding.features
                && older.policy <= encoding.policy
                && older.name != encoding.name
        };
        let fits = encoding.older.as_ref().is_none_or(grown);
        holds(fits, || "the older encoding is larger".to_owned())?;
        let sizes = [encoding.features, encoding.policy, views.inputs];
        holds(sizes.iter().all(|&size| size <= MOST_INDICES), || {
            format!("a size of {sizes:?} is above {MOST_INDICES}")
        })?;
        holds(views.stages > 0, || "there is no stage".to_owned())?;
        let whole = views.counts.is_multiple_of(64);
        holds(whole, || format!("{} counts are not a multiple of 64", views.counts))?;
        let symmetry = G::symmetry(rules);
        check_symmetry(&encoding, symmetry.as_ref())?;
        let encoding = (encoding, symmetry);
        let known = self.encodings.entry(encoding.0.name.to_string());
        same("encoding of an equal name", &encoding, known.or_insert_with(|| encoding.clone()))?;
        let known = self.views.entry(views.name.to_string());
        same("views of an equal name", &views, known.or_insert_with(|| views.clone()))
    }
}

/// Mirroring twice must change nothing.
fn check_symmetry(shape: &EncodingShape, symmetry: Option<&Symmetry>) -> Result<(), String> {
    let Some(symmetry) = symmetry else { return Ok(()) };
    for (what, table, size) in [
        ("features", &symmetry.features, shape.features),
        ("policy rows", &symmetry.rows, shape.policy),
    ] {
        same(what, &table.len(), &size)?;
        let twice = |i: usize| table.get(usize::from(table[i])).map(|&j| usize::from(j));
        if let Some(i) = (0..size).find(|&i| twice(i) != Some(i)) {
            return Err(format!("{what}: the mirror image of {i} has another mirror image"));
        }
    }
    let inputs = symmetry.forbidden.iter().all(|&input| usize::from(input) < shape.features);
    holds(inputs, || "a forbidden input is none".to_owned())
}

fn check_rules<R: RuleSet>(rules: &R) -> Result<(), String> {
    let text = rules.to_string();
    same("rules from their text", &R::parse(&text)?, rules)?;
    for toggle in R::TOGGLES {
        holds(rules.value(toggle.name).is_some(), || format!("{text}: no {}", toggle.name))?;
    }
    let values = |rules: &R| -> Vec<Option<String>> {
        R::TOGGLES.iter().map(|toggle| rules.value(toggle.name)).collect()
    };
    let own = values(rules);
    for near in rules.neighbours() {
        let differ = values(&near).iter().zip(&own).filter(|(a, b)| a != b).count();
        holds(differ >= 1, || format!("{near} does not differ from {text}"))?;
    }
    Ok(())
}

fn play<G: CompleteGame>(
    rules: &G::Rules,
    rng: &mut ChaCha8Rng,
    coverage: &mut Coverage,
) -> Result<(), String> {
    let mut game = G::new(rules);
    let (mut mover, mut in_turn) = (game.side_to_move(), 0);
    let mut seen = BTreeMap::new();
    for _ in 0..LONGEST_GAME {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let in_position = |reason| format!("{rules}, {}: {reason}", game.to_text());
        coverage.positions += 1;
        check_position(&game, &moves).map_err(in_position)?;
        if let Some(outcome) = game.outcome(&moves) {
            let place = check_outcome::<G>(game.rules(), outcome).map_err(in_position)?;
            coverage.endings[place] += 1;
            return Ok(());
        }
        check_moves(&game, &moves).map_err(in_position)?;
        check_tactics(&game, &moves).map_err(in_position)?;
        check_views(&game, &moves, &mut seen).map_err(in_position)?;
        let mv = moves[rng.next_u64() as usize % moves.len()];
        count_events(&game, mv, coverage).map_err(in_position)?;
        game.play(mv);
        in_turn = if game.side_to_move() == mover { in_turn + 1 } else { 0 };
        mover = game.side_to_move();
        holds(in_turn < LONGEST_TURN, || {
            format!("{rules}, {}: the turn does not end", game.to_text())
        })?;
    }
    Ok(())
}

/// Checks texts, hashes, copies and features of a position.
fn check_position<G: CompleteGame>(game: &G, moves: &[G::Move]) -> Result<(), String> {
    same("outcome_now", &game.outcome_now(), &game.outcome(moves))?;
    let mut again = Vec::new();
    game.legal_moves(&mut again);
    holds(again == moves, || "the order of moves changes".to_owned())?;
    let read = G::from_text(game.rules(), &game.to_text())?;
    same("text of the position", &read.to_text(), &game.to_text())?;
    same("hash of the position read", &read.hash(), &game.hash())?;
    same("side of the position read", &read.side_to_move(), &game.side_to_move())?;
    let mut others = Vec::new();
    read.legal_moves(&mut others);
    holds(others == moves, || "the position read has other moves".to_owned())?;
    let mut copy = G::new(game.rules());
    copy.clone_from(game);
    same("outcome of a copy", &copy.outcome(moves), &game.outcome(moves))?;
    let features = FeatureSet::of(game);
    same("features of a copy", &FeatureSet::of(&copy), &features)?;
    let count = G::encoding(game.rules()).features;
    holds(features.iter().all(|input| usize::from(input) < count), || {
        "a feature is out of range".to_owned()
    })?;
    holds(game.material().is_finite(), || "the material is no number".to_owned())
}

/// What a hash of views stands for: both views, the counts, the stage and the side to move.
type Seen = (ViewInputs, usize, Side);

/// Checks the views of a position that is not over, how its moves change them, and that earlier
/// positions of the game with the same hash of views had the same ones.
fn check_views<G: CompleteGame>(
    game: &G,
    moves: &[G::Move],
    seen: &mut BTreeMap<u64, Seen>,
) -> Result<(), String> {
    let shape = G::views(game.rules());
    holds(game.stage() < shape.stages, || "the stage is out of range".to_owned())?;
    let view = |game: &G, side| {
        let mut inputs = Vec::new();
        game.view(side, &mut inputs);
        inputs.sort_unstable();
        inputs
    };
    let inputs = game.view_inputs();
    let (mut bytes, mut unpacked) = (Vec::new(), ViewInputs::default());
    game.pack(&mut bytes);
    G::unpack(&shape, &bytes, &mut unpacked);
    same("packed inputs", &unpacked, &inputs)?;
    let in_range = inputs.counts.iter().all(|&count| count <= MOST_COUNT);
    holds(in_range, || "a count is out of range".to_owned())?;
    let mut now = (inputs, game.stage(), game.side_to_move());
    now.0.views.iter_mut().for_each(|view| view.sort_unstable());
    let known = seen.entry(game.view_hash()).or_insert_with(|| now.clone());
    same("inputs of an equal hash of views", known, &now)?;
    for side in [Side::First, Side::Second] {
        let before = view(game, side);
        same("repeated input of a view", &repeated(before.iter().copied()), &None)?;
        let in_range = before.iter().all(|&input| usize::from(input) < shape.inputs);
        holds(in_range, || "an input of a view is out of range".to_owned())?;
        for &mv in moves {
            let (mut after, mut change) = (game.clone(), ViewChange::default());
            let undo = after.make(mv);
            if !after.view_change(&undo, side, &mut change) {
                continue;
            }
            let mut inputs = before.clone();
            for removed in &change.removed {
                let place = inputs.iter().position(|input| input == removed);
                let place = place.ok_or_else(|| format!("input {removed} is removed in vain"))?;
                inputs.swap_remove(place);
            }
            inputs.extend(&change.added);
            inputs.sort_unstable();
            same("view after a move", &inputs, &view(&after, side))?;
        }
    }
    Ok(())
}

/// Checks codes, texts, policy rows and wins of the moves of a game that is not over.
fn check_moves<G: CompleteGame>(game: &G, moves: &[G::Move]) -> Result<(), String> {
    holds(!moves.is_empty(), || "no move, and the game is not over".to_owned())?;
    for &mv in moves {
        let text = game.move_text(mv);
        same("code of a move", &game.decode_move(game.encode_move(mv)), &Some(mv))?;
        same("text of a move", &game.parse_move(&text), &Some(mv))?;
        holds(!game.move_words(mv).is_empty(), || format!("{text} has no words"))?;
    }
    if let Some(words) = repeated(moves.iter().map(|&mv| game.move_words(mv))) {
        return Err(format!("two moves are written {words}"));
    }
    let mut rows = Vec::new();
    game.policy_factors(moves, &mut rows);
    same("policy rows", &rows.len(), &(moves.len() * G::POLICY_FACTORS))?;
    let count = G::encoding(game.rules()).policy;
    holds(rows.iter().all(|&row| usize::from(row) < count), || {
        "a policy row is out of range".to_owned()
    })?;
    if let Some(rows) = repeated(rows.chunks(G::POLICY_FACTORS)) {
        return Err(format!("two moves have the policy rows {rows:?}"));
    }
    let winner = Some(game.side_to_move());
    let wins = |mv: G::Move| {
        let mut next = game.clone();
        next.play(mv);
        next.outcome_now().is_some_and(|outcome| outcome.winner == winner)
    };
    match game.winning_move(moves) {
        Some(found) => holds(wins(moves[found]), || {
            format!("{} does not win at once", game.move_text(moves[found]))
        }),
        None => match moves.iter().find(|&&mv| wins(mv)) {
            Some(&missed) => Err(format!("{} wins at once", game.move_text(missed))),
            None => Ok(()),
        },
    }
}

/// Checks the hooks of the alpha-beta search: moves that are taken back, forcing moves, exchanges.
fn check_tactics<G: CompleteGame>(game: &G, moves: &[G::Move]) -> Result<(), String> {
    let state = |game: &G| (game.hash(), game.side_to_move(), game.outcome_now());
    let mut other = game.clone();
    let MoveIndices { paths, arrivals, .. } = G::indices(game.rules());
    for &mv in moves {
        let text = game.move_text(mv);
        let mut next = game.clone();
        next.play(mv);
        let undo = other.make(mv);
        same(&format!("state after {text}"), &state(&other), &state(&next))?;
        other.unmake(&undo);
        holds(game.path(mv) < paths, || format!("the path of {text} is out of range"))?;
        holds(game.arrival(mv) < arrivals, || format!("the arrival of {text} is out of range"))?;
        let gains = [-10_000, -1, 0, 1, 10_000].map(|least| game.exchange_gains(mv, least));
        holds(gains.is_sorted_by(|more, less| more >= less), || {
            format!("{text} gains much and does not gain less: {gains:?}")
        })?;
    }
    let mut forcing = Vec::new();
    game.forcing_moves(&mut forcing);
    let wanted: Vec<G::Move> = moves.iter().copied().filter(|&mv| game.is_forcing(mv)).collect();
    same("forcing moves", &forcing, &wanted)?;
    if let Some(undo) = other.pass() {
        same("side after a pass", &other.side_to_move(), &game.side_to_move().other())?;
        other.unmake(&undo);
    }
    same("position after moves taken back", &other.to_text(), &game.to_text())?;
    same("features after moves taken back", &FeatureSet::of(&other), &FeatureSet::of(game))?;
    same("state after moves taken back", &state(&other), &state(game))
}

/// Checks an outcome by the rules and returns the place of its ending.
fn check_outcome<G: CompleteGame>(rules: &G::Rules, outcome: Outcome) -> Result<usize, String> {
    let ending = outcome.ending;
    let place = G::ENDINGS.iter().position(|&known| known == ending);
    let place = place.ok_or_else(|| format!("{ending} is no ending of the game"))?;
    let decided = outcome.winner.is_some();
    let fits = ending.kind().results.include(decided) && G::can_end(rules, ending, decided);
    holds(fits, || format!("{ending} with the winner {:?}", outcome.winner))?;
    Ok(place)
}

fn count_events<G: CompleteGame>(
    game: &G,
    mv: G::Move,
    coverage: &mut Coverage,
) -> Result<(), String> {
    let events = game.events(mv);
    for kind in events.iter() {
        let known =
            G::EVENTS.kinds.get(kind).ok_or_else(|| format!("{kind} is no kind of event"))?;
        coverage.events[kind] += 1;
        if let Some(implied) = known.implies {
            let place = G::EVENTS.place(implied);
            holds(place.is_some_and(|place| events.has(place)), || {
                format!("{} without {implied}", known.count)
            })?;
        }
    }
    Ok(())
}
