//! The subcommands of `fusion`.

mod bench;
mod budget;
mod choices;
mod common;
mod compare;
mod completions;
mod divergence;
mod endgames;
mod forced;
mod games;
mod generate;
mod matches;
mod measure;
mod moves;
mod new;
mod openings;
mod output;
mod own_game;
mod page;
mod perft;
mod plan;
mod play;
mod position;
mod publish;
mod question;
mod random;
mod report;
mod rules;
mod status;
mod steps;
mod study;
mod technique;
pub(crate) mod train;
mod uci;
mod watch;

use clap::{Parser, Subcommand};
use fusion_jobs::exit::{CTRL_C, INTERRUPTED, exit_code};
use fusion_jobs::resources;
use fusion_jobs::stop::Stop;
use fusion_registry::for_game;

use crate::shipped;

/// Measures what a rule does to Fusion Chess, its relatives and orthodox chess.
///
/// Settings come from a study file, from options, or both: an option overrides the file.
///
/// Exit codes: 0 done or already done; 64 usage; 65 corrupt input; 66 no such file; 75 interrupted,
/// run again to continue; 130 Ctrl-C; 1 anything else.
#[derive(Debug, Parser)]
#[command(name = "fusion", version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a study: matches, exact endgames, openings, measurement games and the report
    Study(study::Args),
    /// List a study's steps: their commands, tasks and results, and what is missing
    Steps(steps::Args),
    /// Estimate what a study will play, how long that takes here and what it can show
    Plan(plan::Args),
    /// Check every key and value of a study file and print its folder
    Check(fusion_study::CheckArgs),
    /// Play training games into shards of records
    Generate(generate::Args),
    /// Play a match between two networks, evaluators or programs, or a study's matches
    Match(matches::Args),
    /// Make a pool of openings that are legal in all rule sets
    Openings(openings::Args),
    /// Play a study's measurements: a game for every rule set, node budget and opening
    Measure(measure::Args),
    /// Count the endings of games of random movers
    Random(random::Args),
    /// Play positions that should be won, and count how many a network wins
    Technique(technique::Args),
    /// Search initial positions for a forced win of either side
    Forced(forced::Args),
    /// Compare how a network chooses in the same positions under several rule sets
    Divergence(divergence::Args),
    /// Measure how many nodes of a move take a given time on this machine
    Budget(budget::Args),
    /// Print the numbers of a run's missing shards, such as 3,7-9
    Status(status::Args),
    /// Show a run while it works, on a page in the browser
    Watch(watch::Args),
    /// Analyse a run's games: tables here, CSV files and an HTML page in its folder
    Report(report::Args),
    /// Write the page of a run's games, to find games and to play through them
    Games(games::Args),
    /// Compare two runs: their settings, their draws and the effect of the rules in both
    Compare(compare::Args),
    /// Copy what a run's report is made from into a folder, compressed, with the report
    Publish(publish::Args),
    /// Solve small endings exactly under most rule sets, and look positions up
    #[command(subcommand)]
    Endgames(endgames::Command),
    /// Explain a rule set in plain English, or list the presets
    Rules(rules::Args),
    /// Check a file that defines games, show them, and try them in random games
    New(new::Args),
    /// Count legal move sequences, or check a table of such counts
    Perft(perft::Args),
    /// List the legal moves of a position in coordinate and algebraic notation
    Moves(moves::Args),
    /// Measure rules, inference, search and self-play, beside the machine and peers
    Bench(bench::Args),
    /// Play against the program, on a page in the browser or in the terminal
    Play(play::Args),
    /// Play by the Universal Chess Interface on standard input and output
    Uci,
    /// Print a script that completes commands and options in a shell
    Completions(completions::Args),
    /// Train networks: runs the program fusion-train, which needs libtorch
    Train(train::Args),
}

/// Runs a command.
///
/// # Errors
/// Fails if the command fails. [`exit_code`] returns the exit code.
pub fn run(args: Args) -> anyhow::Result<()> {
    shipped::hold();
    let done = match args.command {
        Command::Study(args) => stoppable(|| args.run()),
        Command::Steps(args) => args.run(),
        Command::Plan(args) => stoppable(|| args.run()),
        Command::Check(args) => args.run(),
        Command::Generate(args) => for_game!(args.game()?, G => args.run::<G>()),
        Command::Match(args) => for_game!(args.game()?, G => args.run::<G>()),
        Command::Openings(args) => for_game!(args.game()?, G => args.run::<G>()),
        Command::Measure(args) => for_game!(args.game()?, G => args.run::<G>()),
        Command::Random(args) => for_game!(args.game()?, G => args.run::<G>()),
        Command::Technique(args) => for_game!(args.game()?, G => args.run::<G>()),
        Command::Forced(args) => for_game!(args.game()?, G => args.run::<G>()),
        Command::Divergence(args) => stoppable(|| for_game!(args.game()?, G => args.run::<G>())),
        Command::Budget(args) => stoppable(|| for_game!(args.game()?, G => args.run::<G>())),
        Command::Status(args) => args.run(),
        Command::Watch(args) => resources::start_threads().and_then(|()| args.run()),
        Command::Report(args) => stoppable(|| args.run()),
        Command::Games(args) => stoppable(|| args.run()),
        Command::Compare(args) => stoppable(|| args.run()),
        Command::Publish(args) => stoppable(|| args.run()),
        Command::Endgames(command) => stoppable(|| command.run()),
        Command::Rules(args) => rules::run(&args),
        Command::New(args) => new::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Moves(args) => moves::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Uci => uci::run(),
        Command::Completions(args) => args.run(),
        Command::Train(args) => args.run(),
    };
    done.map_err(|error| {
        if is_disk_full(&error) {
            error.context("free some space and run the same command to continue")
        } else {
            error
        }
    })
}

/// Runs work that a signal stops. An error after the signal is reported as the stop.
fn stoppable(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    let stop = Stop::on_signals()?;
    resources::start_threads()?;
    fusion_statistics::interrupt::ask(|| Stop::of_process().requested());
    work().map_err(|error| match stop.check_unsaved() {
        Err(stopped) if ![INTERRUPTED, CTRL_C].contains(&exit_code(&error)) => stopped.into(),
        _ => error,
    })
}

fn is_disk_full(error: &anyhow::Error) -> bool {
    let full = |io: &std::io::Error| io.kind() == std::io::ErrorKind::StorageFull;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(full))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction, CommandFactory};

    /// Every name of an option's value. A new name is needed only for a new kind of value.
    const VALUES: [&str; 20] = [
        "A",
        "B",
        "DIR",
        "ELO0,ELO1",
        "ENDING",
        "FILE",
        "FILE[#GAME]",
        "FROM-TO",
        "MILLISECONDS",
        "N",
        "N|auto",
        "NAME",
        "NETWORK",
        "PLAYER",
        "PLIES",
        "RULES",
        "RULES[:WEIGHT]",
        "SECONDS",
        "SHARE",
        "TEXT",
    ];

    /// Returns what is wrong with the help of a built command and of its subcommands.
    fn faults(command: &clap::Command) -> Vec<String> {
        let about = command.get_about().map(ToString::to_string);
        let mut faults = fault_of_sentence(&about.unwrap_or_default());
        for arg in command.get_arguments() {
            faults.extend(faults_of_option(arg));
        }
        let faults = faults.into_iter().map(|fault| format!("{}: {fault}", command.get_name()));
        faults.chain(command.get_subcommands().flat_map(self::faults)).collect()
    }

    fn fault_of_sentence(text: &str) -> Vec<String> {
        let begins = text.chars().next().is_some_and(char::is_uppercase);
        let ends = text.ends_with(['.', '!']);
        let fault = if begins && !ends { None } else { Some(format!("sentence: {text:?}")) };
        fault.into_iter().collect()
    }

    fn faults_of_option(arg: &Arg) -> Vec<String> {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let mut faults = fault_of_sentence(&help);
        if help.contains("by default") {
            faults.push("the default belongs into brackets".into());
        }
        let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        let is_list = arg.get_value_delimiter().is_some() || arg.get_num_args() != Some(1.into());
        let is_repeated = matches!(arg.get_action(), ArgAction::Append) && !is_list;
        if is_repeated && !help.contains("may be repeated") {
            faults.push("does not say that it may be repeated".into());
        }
        for name in arg.get_value_names().unwrap_or_default() {
            let is_known = VALUES.contains(&name.as_str()) || arg.is_positional();
            if takes_value && !is_known && arg.get_possible_values().is_empty() {
                faults.push(format!("<{name}> is not among the names of values"));
            }
        }
        let name = |fault| format!("{}: {fault}", arg.get_id());
        faults.into_iter().map(name).collect()
    }

    /// Returns the lines of the help of a command and of its subcommands that are too long.
    fn long_lines(command: &mut clap::Command) -> Vec<String> {
        let texts =
            [command.render_help(), command.render_long_help()].map(|text| text.to_string());
        let lines = texts.iter().flat_map(|text| text.lines());
        let mut long: Vec<_> =
            lines.filter(|line| line.chars().count() > 100).map(str::to_owned).collect();
        command.get_subcommands_mut().for_each(|command| long.extend(long_lines(command)));
        long
    }

    #[test]
    fn help_fits_a_hundred_columns() {
        let mut command = Args::command();
        command.build();
        assert_eq!(long_lines(&mut command), [""; 0]);
        let about = "A long line of help. ".repeat(8);
        assert!(long_lines(&mut clap::Command::new("x").about(about).term_width(160)).len() > 1);
    }

    #[test]
    fn help_has_one_style() {
        let mut command = Args::command();
        command.build();
        let faults = faults(&command);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn faults_of_help_are_found() {
        let option = |name: &'static str| Arg::new(name).long(name).help("Some value");
        let mut command = clap::Command::new("x").about("Does it.").args([
            option("a").value_name("FOO"),
            option("b").value_name("N").action(ArgAction::Append),
            option("c").value_name("N").help("Number; by default 1"),
            option("d").value_name("N"),
        ]);
        command.build();
        assert_eq!(faults(&command).len(), 4, "{:?}", faults(&command));
    }
}
