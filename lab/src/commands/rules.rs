//! `rules`: a rule set in plain English.

use super::output::Output;
use fusion_game::{BoardGame, CompleteGame, Game, RuleExample, RuleSet};
use fusion_print::table::Fields;
use fusion_print::text::{Paragraph, Text};
use fusion_registry::{KnownGame, for_game};
use fusion_study::rule_set;

/// Arguments of `rules`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A preset and changes to it, such as fusion-1999,castling=yes [default: list the presets]
    #[arg(value_name = "RULES")]
    rules: Option<String>,
    #[command(flatten)]
    output: Output,
}

/// Prints a rule set, or the list of presets.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match &args.rules {
        Some(rules) => {
            for_game!(KnownGame::of_rules(rules), G => explain::<G>(rules, args.output))
        }
        None => {
            list(args.output);
            Ok(())
        }
    }
}

/// Prints the presets of all games with what they are.
fn list(output: Output) {
    let mut presets: Vec<(&str, &str)> = Vec::new();
    for game in KnownGame::ALL {
        for_game!(game, G => {
            let names = <G as Game>::Rules::presets().into_iter().map(|(name, _)| name);
            presets.extend(names.map(|name| (name, <G as Game>::Rules::about(name))));
        });
    }
    let fields = Fields::<(&str, &str)>::default()
        .text("rules", "rules", |(name, _)| (*name).to_owned())
        .text("about", "what they are", |(_, about)| (*about).to_owned());
    output.print_table(fields.whole_table("presets", "Presets", presets));
    output.remark("fusion rules NAME explains one; any mix is possible: NAME,toggle=value");
}

/// A toggle of a rule set.
struct Row {
    toggle: &'static str,
    value: String,
    preset: String,
    known: String,
    sentence: Option<String>,
    /// Whether the toggle has the same effect in the rules that readers know.
    is_known: bool,
}

fn explain<G: BoardGame>(text: &str, output: Output) -> anyhow::Result<()> {
    let rules = rule_set::<G>(text)?;
    let name = rules.to_string();
    let preset = name.split(',').next().unwrap_or_default();
    let [of_preset, known] = [rule_set::<G>(preset)?, rule_set::<G>(G::KNOWN_RULES)?];
    let row = |toggle: &'static str| {
        let value = |rules: &G::Rules| rules.value(toggle).unwrap_or_default();
        Row {
            toggle,
            value: value(&rules),
            preset: value(&of_preset),
            known: value(&known),
            sentence: rules.sentence(toggle),
            is_known: rules.sentence(toggle) == known.sentence(toggle),
        }
    };
    let rows: Vec<Row> = G::Rules::TOGGLES.iter().map(|toggle| row(toggle.name)).collect();
    if output.json {
        let fields = Fields::<Row>::default()
            .text("toggle", "toggle", |row| row.toggle.to_owned())
            .text("value", "value", |row| row.value.clone())
            .text("preset", preset, |row| row.preset.clone())
            .text("known", G::KNOWN_RULES, |row| row.known.clone())
            .text("sentence", "meaning", |row| row.sentence.clone().unwrap_or_default());
        output.print_table(fields.whole_table("rules", &name, rows));
        return Ok(());
    }
    let mut out = Text::default();
    out.line(name.clone());
    let about = G::Rules::about(preset);
    if !about.is_empty() {
        out.push(format!("{preset}: {about}."));
    }
    let wanted = |wanted: fn(&Row) -> bool| rows.iter().filter(move |row| wanted(row));
    section(
        &mut out,
        &format!("Changed in {preset}"),
        items(wanted(|row| row.value != row.preset)),
    );
    let others = items(wanted(|row| !row.is_known)).chain(details::<G>(&rules, &known));
    section(&mut out, &format!("Other than in {}", G::KNOWN_NAME), others);
    section(&mut out, &format!("As in {}", G::KNOWN_NAME), items(wanted(|row| row.is_known)));
    out.gap();
    out.push("Initial position");
    board(&mut out, &G::new(&rules).diagram());
    for row in rows.iter().filter(|row| !row.is_known && row.sentence.is_some()) {
        let of_toggle =
            G::rule_examples().into_iter().filter(|example| example.toggle == row.toggle);
        let differ = |example: &RuleExample| {
            let [here, there] = [&rules, &known].map(|rules| result::<G>(example, rules));
            here != there && here.is_some()
        };
        if let Some(example) = of_toggle.into_iter().find(differ) {
            show_example::<G>(&mut out, &example, &rules, &known);
        }
    }
    output.print(&out);
    Ok(())
}

/// Returns what toggles mean, where they have a meaning.
fn items<'a>(rows: impl Iterator<Item = &'a Row>) -> impl Iterator<Item = String> {
    rows.filter_map(|row| {
        Some(format!("{} ({}={})", row.sentence.as_ref()?, row.toggle, row.value))
    })
}

/// Returns what else rule sets differ in.
fn details<G: BoardGame>(rules: &G::Rules, known: &G::Rules) -> impl Iterator<Item = String> {
    let known = known.details();
    let differ = rules.details().into_iter().filter(move |detail| !known.contains(detail));
    differ.map(|(what, value)| format!("{what}: {value}"))
}

/// Adds a list with its title; nothing if it is empty.
fn section(out: &mut Text, title: &str, items: impl Iterator<Item = String>) {
    let mut items = items.peekable();
    if items.peek().is_some() {
        out.gap();
        out.push(title);
        out.0.extend(items.map(|item| Paragraph::Item("  - ".into(), item)));
    }
}

fn board(out: &mut Text, diagram: &str) {
    diagram.lines().for_each(|line| out.line(format!("    {line}").trim_end()));
}

/// Adds the board of an example, and what its move is under both rule sets.
fn show_example<G: BoardGame>(
    out: &mut Text,
    example: &RuleExample,
    rules: &G::Rules,
    known: &G::Rules,
) {
    let Some(game) = example.game::<G>(rules) else { return };
    out.gap();
    let sentence = rules.sentence(example.toggle).unwrap_or_default();
    out.push(format!("{}: {sentence}", example.toggle));
    board(out, &game.diagram());
    let here = result::<G>(example, rules).unwrap_or_default();
    let there = known.sentence(example.toggle).and_then(|_| result::<G>(example, known));
    let there = there.map_or_else(String::new, |there| format!(" In {}: {there}.", G::KNOWN_NAME));
    out.push(format!("    {}: {here}.{there}", example.mv));
}

/// Returns what the move of an example is under a rule set; `None` if its position is impossible.
fn result<G: CompleteGame>(example: &RuleExample, rules: &G::Rules) -> Option<String> {
    let mut game = example.game::<G>(rules)?;
    let Some(mv) = game.parse_move(example.mv) else { return Some("not legal".into()) };
    let words = game.move_words(mv);
    game.play(mv);
    Some(match game.outcome_now() {
        None => format!("legal, {words}"),
        Some(outcome) => {
            let ending = outcome.ending.kind().words;
            format!("legal, {words}, {} by {ending}", outcome.result())
        }
    })
}
