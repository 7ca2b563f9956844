//! The games of a study, in tables and sentences.

use super::endgames::Endgames;
use crate::format::{agent, count, counted};
use crate::text::{Text, table};
use comfy_table::Table;
use fusion_chess::FusionGame;
use fusion_statistics::evalue::PRIOR;
use fusion_study::{MeasureConfig, Measurement, OpeningsConfig, PRIMARY, StrengthConfig, Study};

/// Largest number of rule sets that are named. Of more, only the source is given.
const FEW: usize = 6;

/// Adds the measurements that will be played.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn write(text: &mut Text, study: &Study) -> anyhow::Result<()> {
    text.section("What will be measured", measurements(study)?);
    for (arms, names) in arms_in_words(study)? {
        text.push(&format!("{}: {arms}", names.join(", ")));
    }
    text.gap();
    text.push(&pool_in_words(study)?);
    text.push(&primary_in_words(study)?);
    text.push(&stop_in_words(&study.measure));
    for line in tables_in_words(study) {
        text.push(&line);
    }
    if let Some(line) = Endgames::of(study)?.in_words() {
        text.push(&line);
    }
    text.section("Other games", others(study)?);
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
pub(super) fn games(study: &Study, config: &MeasureConfig) -> anyhow::Result<u64> {
    let arms = config.arms::<FusionGame>()?.len() * config.nodes.len();
    Ok(arms as u64 * openings(study, config))
}

/// Returns the player of a measurement, as [`Model::open`](fusion_network::model::Model::open)
/// reads it.
pub(super) fn player(study: &Study, config: &MeasureConfig) -> String {
    let own = || study.network().to_string_lossy().into_owned();
    config.network.clone().unwrap_or_else(own)
}

/// Returns all matches with their names: `strength`, or `matches/NAME`.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn matches(study: &Study) -> anyhow::Result<Vec<(String, StrengthConfig)>> {
    let name = |folder: &std::path::Path| match folder.to_string_lossy() {
        name if name.is_empty() => "strength".to_owned(),
        name => name.into_owned(),
    };
    let all = study.all_matches::<FusionGame>()?.into_iter();
    Ok(all.map(|(folder, config)| (name(&folder), config)).collect())
}

fn measurements(study: &Study) -> anyhow::Result<Table> {
    let header = ["measurement", "who plays", "begins with", "arms", "nodes", "openings", "games"];
    let mut table = table(&header, 3);
    let mut total = 0;
    for Measurement { name, config, .. } in study.measurements() {
        let games = games(study, &config)?;
        total += games;
        let own = || format!("{} own plies", config.own_plies);
        table.add_row([
            name,
            agent(&player(study, &config)),
            if config.own_plies > 0 { own() } else { "the pool".into() },
            count(config.arms::<FusionGame>()?.len() as u64),
            list(&config.nodes),
            count(openings(study, &config)),
            count(games),
        ]);
    }
    let blank = String::new;
    table.add_row(["all".into(), blank(), blank(), blank(), blank(), blank(), count(total)]);
    Ok(table)
}

fn list(nodes: &[u32]) -> String {
    nodes.iter().map(|&nodes| count(nodes.into())).collect::<Vec<_>>().join("; ")
}

/// Returns the number of games of all measurements.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn all_games(study: &Study) -> anyhow::Result<u64> {
    study.measurements().iter().map(|measurement| games(study, &measurement.config)).sum()
}

/// Returns the arms with the measurements that have them, in the order of the first measurement of
/// each.
fn arms_in_words(study: &Study) -> anyhow::Result<Vec<(String, Vec<String>)>> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for Measurement { name, config, .. } in study.measurements() {
        let arms = arms_of(&config)?;
        match groups.iter_mut().find(|group| group.0 == arms) {
            Some((_, names)) => names.push(name),
            None => groups.push((arms, vec![name])),
        }
    }
    Ok(groups)
}

/// Returns the names of the arms, or their source.
fn arms_of(config: &MeasureConfig) -> anyhow::Result<String> {
    let arms = config.arms::<FusionGame>()?;
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

fn pool_in_words(study: &Study) -> anyhow::Result<String> {
    let rules = study.pool_rules::<FusionGame>()?.len() as u64;
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

fn primary_in_words(study: &Study) -> anyhow::Result<String> {
    let config = &study.measure;
    let Some([first, second]) = config.primary::<FusionGame>()? else {
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

fn others(study: &Study) -> anyhow::Result<Table> {
    let header = ["games of", "who plays", "against", "rule sets", "nodes", "games"];
    let mut table = table(&header, 3);
    for (name, config) in matches(study)? {
        let opponent = study.opponent(&config);
        let nodes = count(config.nodes.into());
        let most = if config.sprt.is_some() { "at most " } else { "" };
        table.add_row([
            name,
            agent(&study.network().to_string_lossy()),
            agent(&opponent),
            count(config.rules.len() as u64),
            match config.opponent_nodes {
                Some(other) => format!("{nodes} : {}", count(other.into())),
                None => nodes,
            },
            format!("{most}{}", count(config.games)),
        ]);
    }
    if let Some((rules, games)) = study.random_rules::<FusionGame>()? {
        let arms = rules.len() as u64;
        let who = "random movers".into();
        let row = [
            "random".into(),
            who,
            "themselves".into(),
            count(arms),
            "–".into(),
            count(arms * games),
        ];
        table.add_row(row);
    }
    Ok(table)
}
