//! The games of a study, in tables and sentences.

use fusion_endgames::tables::plan::Endgames;
use fusion_game::CompleteGame;
use fusion_print::format::{count, counted, yes_or_no};
use fusion_print::table::{Fields, Table};
use fusion_print::text::{Paragraph, Text};
use fusion_results::names::agent;
use fusion_statistics::evalue::PRIOR;
use fusion_study::{
    MeasureConfig, Measurement, OpeningsConfig, PRIMARY, RANDOM, StrengthConfig, Study,
};

/// Largest number of rule sets that are named. Of more, only the source is given.
const FEW: usize = 6;

/// Adds the measurements that will be played.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn write<G: CompleteGame>(text: &mut Text, study: &Study) -> anyhow::Result<()> {
    text.table(measurements::<G>(study)?);
    for (arms, names) in arms_in_words::<G>(study)? {
        text.push(format!("{}: {arms}", names.join(", ")));
    }
    text.gap();
    text.push(pool_in_words::<G>(study)?);
    text.push(primary_in_words::<G>(study)?);
    text.push(stop_in_words(&study.measure));
    text.0.extend(tables_in_words(study).into_iter().map(Paragraph::Text));
    text.0.extend(Endgames::of(study)?.in_words().map(Paragraph::Text));
    text.table(others::<G>(study)?);
    Ok(())
}

/// Returns the number of openings that one measurement plays.
pub(super) fn openings(study: &Study, config: &MeasureConfig) -> u64 {
    config.games.unwrap_or(study.openings.count).into()
}

/// Returns the number of games of one measurement.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub fn games<G: CompleteGame>(study: &Study, config: &MeasureConfig) -> anyhow::Result<u64> {
    let arms = config.arms::<G>()?.len() * config.nodes.len();
    Ok(arms as u64 * openings(study, config))
}

/// Returns all matches with their names: `strength`, or `matches/NAME`.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub fn matches<G: CompleteGame>(study: &Study) -> anyhow::Result<Vec<(String, StrengthConfig)>> {
    let name = |folder: &std::path::Path| match folder.to_string_lossy() {
        name if name.is_empty() => "strength".to_owned(),
        name => name.into_owned(),
    };
    let all = study.all_matches::<G>()?.into_iter();
    Ok(all.map(|(folder, config)| (name(&folder), config)).collect())
}

fn measurements<G: CompleteGame>(study: &Study) -> anyhow::Result<Table> {
    let mut rows = Vec::new();
    for measurement in study.measurements() {
        let arms = measurement.config.arms::<G>()?.len() as u64;
        let games = games::<G>(study, &measurement.config)?;
        rows.push((measurement, arms, games));
    }
    let table = Fields::<(Measurement, u64, u64)>::default()
        .text("measurement", "measurement", |(of, ..)| of.name.clone())
        .text("agent", "who plays", |(of, ..)| agent(&study.player(&of.config)))
        .text("begins", "begins with", |(of, ..)| match of.config.own_plies {
            0 => "the pool".to_owned(),
            plies => format!("{plies} own plies"),
        })
        .count("arms", "arms", |(_, arms, _)| *arms)
        .counts("nodes", "nodes", |(of, ..)| of.config.nodes.iter().map(|&n| n.into()).collect())
        .count("openings", "openings", |(of, ..)| openings(study, &of.config))
        .count("games", "games", |(.., games)| *games)
        .whole_table("measurements", "What will be measured", rows);
    Ok(table.droppable("begins agent"))
}

/// Returns the number of games of all measurements.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn all_games<G: CompleteGame>(study: &Study) -> anyhow::Result<u64> {
    study.measurements().iter().map(|measurement| games::<G>(study, &measurement.config)).sum()
}

/// Returns the arms with the measurements that have them, in the order of the first measurement of
/// each.
fn arms_in_words<G: CompleteGame>(study: &Study) -> anyhow::Result<Vec<(String, Vec<String>)>> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for Measurement { name, config, .. } in study.measurements() {
        let arms = arms_of::<G>(&config)?;
        match groups.iter_mut().find(|group| group.0 == arms) {
            Some((_, names)) => names.push(name),
            None => groups.push((arms, vec![name])),
        }
    }
    Ok(groups)
}

/// Returns the names of the arms, or their source.
fn arms_of<G: CompleteGame>(config: &MeasureConfig) -> anyhow::Result<String> {
    let arms = config.arms::<G>()?;
    if arms.len() <= FEW {
        return Ok(arms.join("; "));
    }
    let mut sources = Vec::new();
    if !config.factorial.is_empty() {
        let toggles = config.factorial.join(", ");
        sources.push(format!("all mixes of {toggles}, put upon {}", config.base()));
    }
    if let Some(base) = &config.ablate {
        sources.push(format!("{base} and each that differs from it in one toggle"));
    }
    match &config.rules[..] {
        [] => {}
        few if few.len() <= FEW => sources.push(few.join("; ")),
        many => sources.push(format!("{} rule sets of its list", many.len())),
    }
    Ok(sources.join("; "))
}

fn pool_in_words<G: CompleteGame>(study: &Study) -> anyhow::Result<String> {
    let rules = study.pool_rules::<G>()?.len() as u64;
    if rules == 0 {
        return Ok("No pool of openings: every game begins with plies of its own.".into());
    }
    let OpeningsConfig { count: openings, plies: (from, to), max_advantage, nodes } =
        study.openings;
    let plies = if from == to { from.to_string() } else { format!("{from} to {to}") };
    Ok(format!(
        "The pool: {} of {plies} random plies, legal in {}; left out where win and loss differ by more than {max_advantage} after {}.",
        counted(openings.into(), "opening"),
        counted(rules, "rule set"),
        counted(nodes.into(), "node"),
    ))
}

fn primary_in_words<G: CompleteGame>(study: &Study) -> anyhow::Result<String> {
    let config = &study.measure;
    let Some([first, second]) = config.primary::<G>()? else {
        let effects = !config.factorial.is_empty() || config.ablate.is_some();
        return Ok(if effects && config.rules.is_empty() {
            "The verdict is on the effects of the rule changes. To have two arms judged instead, name them as primary under [measure].".into()
        } else {
            "No primary comparison: name two arms as primary under [measure] to have one judged."
                .into()
        });
    };
    let openings = counted(openings(study, config), "opening");
    let budgets = match &config.nodes[..] {
        [only] => format!("{} nodes a move", count((*only).into())),
        all => format!(
            "each budget; the verdict is at the largest, {} nodes a move",
            count(all.iter().copied().max().unwrap_or_default().into())
        ),
    };
    Ok(format!(
        "The primary comparison: draws under {first} less draws under {second}, {openings} in each (the same ones), at {budgets}."
    ))
}

fn stop_in_words(config: &MeasureConfig) -> String {
    match config.stop {
        None => "No stopping rule: all openings are played, whatever they show.".into(),
        Some(rule) => format!(
            "The stopping rule: a look at the primary comparison after every {}; {PRIMARY} ends once the evidence for a difference (e-value, a = {PRIOR}) is {:.0} or more, which happens to arms that are drawn equally often with a chance of at most {}.",
            counted(rule.every.into(), "opening"),
            1.0 / rule.alpha,
            rule.alpha
        ),
    }
}

/// Describes the use of endgame tables in each measurement that has them.
fn tables_in_words(study: &Study) -> Vec<String> {
    let words = |Measurement { name, config, .. }: Measurement| {
        let folder = config.tables()?.display();
        let judged = if config.adjudicate { "; games end where they prove the result" } else { "" };
        Some(format!("{name}: searches probe the endgame tables in {folder}{judged}."))
    };
    study.measurements().into_iter().filter_map(words).collect()
}

/// A match or the games of random movers.
struct Other {
    name: String,
    players: [String; 2],
    rules: u64,
    /// Nodes per move, then those of the second player if they differ. Empty without a search.
    nodes: Vec<u64>,
    games: u64,
    /// Whether a sequential test may end the match early.
    sprt: bool,
}

fn others<G: CompleteGame>(study: &Study) -> anyhow::Result<Table> {
    let mut rows = Vec::new();
    for (name, config) in matches::<G>(study)? {
        rows.push(Other {
            name,
            players: [agent(&study.network().to_string_lossy()), agent(&study.opponent(&config))],
            rules: config.rules.len() as u64,
            nodes: [Some(config.nodes), config.opponent_nodes]
                .into_iter()
                .flatten()
                .map(u64::from)
                .collect(),
            games: config.games,
            sprt: config.sprt.is_some(),
        });
    }
    if let Some((rules, games)) = study.random_rules::<G>()? {
        let rules = rules.len() as u64;
        rows.push(Other {
            name: RANDOM.into(),
            players: ["random movers".into(), "themselves".into()],
            rules,
            nodes: Vec::new(),
            games: rules * games,
            sprt: false,
        });
    }
    let table = Fields::<Other>::default()
        .text("name", "games of", |of| of.name.clone())
        .text("first", "who plays", |of| of.players[0].clone())
        .text("second", "against", |of| of.players[1].clone())
        .count("rules", "rule sets", |of| of.rules)
        .counts("nodes", "nodes", |of| of.nodes.clone())
        .count("games", "games", |of| of.games)
        .text("sprt", "SPRT", |of| yes_or_no(of.sprt))
        .whole_table("others", "Other games", rows);
    Ok(table.droppable("first"))
}
