//! Rule sets as a page explains and changes them.

use super::request::{MOST_LINES, MOST_NODES, MOST_SLICE, reject};
use super::{LEVELS, Reply, files, lessons};
use fusion_game::{BoardGame, PlacedPiece, RuleExample, RuleSet};
use fusion_registry::{KnownGame, for_game};
use serde::Serialize;
use serde_json::{Value, json};

/// Most examples of a toggle.
const EXAMPLES: usize = 2;

/// Returns what a page offers before a game begins.
pub(super) fn start() -> Value {
    let mut presets = Vec::new();
    for game in KnownGame::ALL {
        for_game!(game, G => presets.extend(presets_of::<G>()));
    }
    json!({
        "presets": presets,
        "levels": LEVELS,
        "limits": { "nodes": MOST_NODES, "slice": MOST_SLICE, "lines": MOST_LINES },
    })
}

fn presets_of<G: BoardGame>() -> impl Iterator<Item = Value> {
    let presets = G::Rules::presets().into_iter();
    presets.map(|(name, _)| json!({ "name": name, "about": G::Rules::about(name) }))
}

#[derive(Serialize)]
pub(super) struct Toggle {
    pub(super) name: &'static str,
    words: &'static str,
    value: String,
    /// What the value means; `None` if the toggle has no effect because of the others.
    pub(super) sentence: Option<String>,
    /// Whether it means something else than in the rules that readers know.
    pub(super) differs: bool,
    /// Whether its value is another one than in the preset.
    changed: bool,
    choices: Vec<Choice>,
    examples: Vec<Example>,
}

#[derive(Serialize)]
struct Choice {
    value: String,
    /// The rule set with this value.
    rules: Option<String>,
    /// What it would mean.
    sentence: Option<String>,
    /// Why the value contradicts the others.
    refused: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Example {
    start: Option<&'static str>,
    moves: Vec<&'static str>,
    pieces: Vec<PlacedPiece>,
    #[serde(rename = "move")]
    mv: &'static str,
    from: Option<String>,
    to: Option<String>,
    /// What the move does; `None` if it is not legal.
    pub(super) label: Option<String>,
    words: Option<String>,
    /// How it ends the game.
    ending: Option<&'static str>,
    /// Why it is not legal.
    why: Option<String>,
    /// Whether a game can go on from the position.
    playable: bool,
}

/// Describes a rule set.
pub(super) fn describe<G: BoardGame>(text: &str) -> Reply {
    let rules = G::parse_rules(text).map_err(|message| reject("rules", message))?;
    let known = G::parse_rules(G::KNOWN_RULES).map_err(|message| reject("rules", message))?;
    let name = rules.to_string();
    let preset = name.split(',').next().unwrap_or_default();
    let base = G::parse_rules(preset).map_err(|message| reject("rules", message))?;
    let describe = |toggle: &fusion_game::ToggleKind| {
        let mut described = describe_toggle::<G>(&rules, &known, toggle);
        described.changed = rules.value(toggle.name) != base.value(toggle.name);
        described
    };
    let toggles: Vec<Toggle> = G::Rules::TOGGLES.iter().map(describe).collect();
    let definition =
        rules.definition_text().map(|(name, text)| json!({ "name": name, "text": text }));
    Ok(json!({
        "name": name,
        "preset": preset,
        "about": G::Rules::about(preset),
        "definition": definition,
        "sentences": files::sentences_of(&name),
        "known": G::KNOWN_RULES,
        "known_name": G::KNOWN_NAME,
        "position": G::POSITION,
        "games_file": G::GAMES_FILE,
        "players": G::PLAYERS,
        "board": G::shape(&rules),
        "figures": G::FIGURES,
        "lessons": lessons::describe::<G>(&rules, &toggles),
        "toggles": toggles,
    }))
}

fn describe_toggle<G: BoardGame>(
    rules: &G::Rules,
    known: &G::Rules,
    toggle: &fusion_game::ToggleKind,
) -> Toggle {
    let value = rules.value(toggle.name).unwrap_or_default();
    let sentence = rules.sentence(toggle.name);
    let differs = sentence.is_some() && sentence != known.sentence(toggle.name);
    let mut values: Vec<String> =
        G::Rules::choices(toggle.name).iter().map(|&value| value.to_owned()).collect();
    if !values.contains(&value) {
        values.push(value.clone());
    }
    let choices: Vec<Choice> =
        values.into_iter().map(|value| choice::<G>(rules, toggle.name, value)).collect();
    let others = choices.iter().filter_map(|choice| G::parse_rules(choice.rules.as_ref()?).ok());
    let others: Vec<G::Rules> =
        others.filter(|other| other != rules).chain([known.clone()]).collect();
    let examples = if differs { examples::<G>(rules, toggle.name, &others) } else { Vec::new() };
    let (name, words, changed) = (toggle.name, toggle.words, false);
    Toggle { name, words, value, sentence, differs, changed, choices, examples }
}

/// Returns examples of a toggle: first those that are other moves under some of the other rules.
fn examples<G: BoardGame>(rules: &G::Rules, toggle: &str, others: &[G::Rules]) -> Vec<Example> {
    let all = G::rule_examples().into_iter().filter(|example| example.toggle == toggle);
    let told = all.filter_map(|example| {
        let here = describe_example::<G>(&example, rules)?;
        let result = |shown: &Example| (shown.label.clone(), shown.ending);
        let mut there = others.iter().filter_map(|other| describe_example::<G>(&example, other));
        Some((there.any(|there| result(&there) != result(&here)), here))
    });
    let (telling, plain): (Vec<_>, Vec<_>) = told.partition(|(differs, _)| *differs);
    let plain = plain.into_iter().take(if telling.is_empty() { 1 } else { 0 });
    telling.into_iter().take(EXAMPLES).chain(plain).map(|(_, example)| example).collect()
}

/// Describes what a toggle's value would make of the rules.
fn choice<G: BoardGame>(rules: &G::Rules, toggle: &str, value: String) -> Choice {
    let text = rules.to_string();
    let is_other = |change: &&str| change.split('=').next() != Some(toggle);
    let mut parts: Vec<&str> = text.split(',').filter(is_other).collect();
    let change = format!("{toggle}={value}");
    parts.push(&change);
    match G::parse_rules(&parts.join(",")) {
        Ok(changed) => Choice {
            value,
            sentence: changed.sentence(toggle),
            rules: Some(changed.to_string()),
            refused: None,
        },
        Err(reason) => Choice { value, rules: None, sentence: None, refused: Some(reason) },
    }
}

pub(super) fn describe_example<G: BoardGame>(
    example: &RuleExample,
    rules: &G::Rules,
) -> Option<Example> {
    let mut game = example.game::<G>(rules)?;
    let pieces = game.pieces();
    let mut described = Example {
        start: example.position,
        moves: example.line.split_whitespace().collect(),
        pieces,
        mv: example.mv,
        from: None,
        to: None,
        label: None,
        words: None,
        ending: None,
        why: None,
        playable: game.outcome_now().is_none(),
    };
    match game.parse_move(example.mv) {
        Some(mv) => {
            let shown = game.board_move(mv);
            described.words = Some(game.move_words(mv));
            (described.from, described.to) = (shown.from, shown.to);
            described.label = Some(shown.label);
            game.play(mv);
            let outcome = game.outcome_now().filter(|_| described.playable);
            described.ending = outcome.map(|outcome| outcome.ending.kind().words);
        }
        None => {
            // Engine notation begins with the spaces where moves have them.
            let spaces = G::shape(rules).spaces;
            let named = |text: &str| {
                let fits = spaces.iter().filter(|space| text.starts_with(&space.name));
                fits.map(|space| space.name.clone()).max_by_key(String::len)
            };
            described.from = named(example.mv);
            let rest = &example.mv[described.from.as_ref().map_or(0, String::len)..];
            described.to = named(rest);
            // Another move may lead there.
            let reason = || {
                let (from, to) = (described.from.as_deref()?, described.to.as_deref()?);
                game.why_illegal(from, to).or_else(|| game.restriction(from))
            };
            described.why = reason().or_else(|| rules.sentence(example.toggle));
        }
    }
    Some(described)
}
