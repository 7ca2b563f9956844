//! `fusion match`

use std::path::{Path, PathBuf};

use fusion_game::CompleteGame;
use fusion_jobs::cluster;
use fusion_jobs::stop::Stop;
use fusion_print::table::{Fields, Unit};
use fusion_print::text::Text;
use fusion_registry::KnownGame;
use fusion_runner::matches::{self, MatchConfig, MatchReport, Player, PlayerName, Score};
use fusion_statistics::sprt::SprtConfig;
use fusion_study::{Searcher, StrengthConfig, Study, allow_programs, check_budget, rule_sets};

use super::common::{Common, Replaced, by_option, network_or, parse_plies, set, with_room};
use super::output::Output;

/// Rule set where neither a study nor an option names one.
const DEFAULT_RULES: &str = "fusion-2020";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Folder of strength.json and the games [default: the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The first player: a network file, uniform, material, rollout, pvs:NETWORK (alpha-beta of
    /// selective depth), or another program, for orthodox chess and for the games of files:
    /// uci:COMMAND[?SETTING=VALUE[&SETTING=VALUE]...] with the settings nodes, timeout (seconds)
    /// and option.NAME
    /// [default: the study's best network]
    #[arg(long, value_name = "PLAYER")]
    first: Option<String>,
    /// The second player [default: strength.opponent of the study, else the first player]
    #[arg(long, value_name = "PLAYER")]
    second: Option<String>,
    /// Nodes of each move
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
    /// Nodes of the second player's moves, if they differ
    #[arg(long, value_name = "N")]
    second_nodes: Option<u32>,
    /// Choose the second player's nodes so that both players' moves take the same time on
    /// this machine; a continued match keeps the nodes with which it began
    #[arg(long, conflicts_with = "second_nodes")]
    equal_time: bool,
    /// A rule set; pairs take the rule sets in turn; may be repeated
    #[arg(long)]
    rules: Vec<String>,
    /// Most games, an even number
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Random plies of the openings
    #[arg(long, value_name = "FROM-TO", value_parser = parse_plies)]
    plies: Option<(u32, u32)>,
    /// Turns, of both sides together, after which a game ends without a result; it counts half a
    /// point for each player
    #[arg(long, value_name = "N")]
    cap: Option<u32>,
    /// End early when a sequential test has decided between these Elo differences (5% errors)
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_sprt, allow_hyphen_values = true)]
    sprt: Option<SprtConfig>,
    /// Start the programs that the study's file names (uci:...); those of options need no leave
    #[arg(long, requires = "study")]
    allow_programs: bool,
    #[command(flatten)]
    output: Output,
}

impl Args {
    /// Returns the game to play.
    pub fn game(&self) -> anyhow::Result<KnownGame> {
        self.common.game(&self.rules)
    }

    /// Plays the study's matches, [strength] and all [matches.NAME]. Plays one match if a player or
    /// a folder is given.
    pub fn run<G: CompleteGame>(self) -> anyhow::Result<()> {
        let study = self.common.study::<G>()?;
        let stop = Stop::on_signals()?;
        let one = self.first.is_some() || self.second.is_some() || self.out.is_some();
        let mut matches = match &study {
            Some(study) => study.all_matches::<G>()?,
            None => {
                let rules = vec![DEFAULT_RULES.to_owned()];
                vec![(PathBuf::new(), StrengthConfig { rules, ..StrengthConfig::default() })]
            }
        };
        if one {
            matches.truncate(1);
        }
        if let Some(study) = study.as_ref().filter(|_| self.second.is_none()) {
            let mut programs = study.match_programs();
            programs.retain(|program| !one || program.key == "strength.opponent");
            allow_programs(&programs, self.allow_programs)?;
        }
        let mut results = Text::default();
        let replaced = one || self.replaced().iter().any(|(.., given)| *given);
        for (folder, config) in matches {
            self.common.check_results::<G>(study.as_ref(), replaced)?;
            let report = self.play::<G>(study.as_ref(), &folder, config, &stop)?;
            let result = result(&folder.to_string_lossy(), &report);
            if !self.output.json {
                self.output.print(&result);
            }
            results.0.extend(result.0);
        }
        if self.output.json {
            self.output.print(&results);
        }
        Ok(())
    }

    fn replaced(&self) -> [Replaced; 7] {
        [
            ("--games", "strength.games", self.games.is_some()),
            ("--nodes", "strength.nodes", self.nodes.is_some()),
            ("--second-nodes", "strength.opponent_nodes", self.second_nodes.is_some()),
            ("--rules", "strength.rules", !self.rules.is_empty()),
            ("--plies", "strength.plies", self.plies.is_some()),
            ("--cap", "strength.cap", self.cap.is_some()),
            ("--sprt", "strength.sprt", self.sprt.is_some()),
        ]
    }

    fn play<G: CompleteGame>(
        &self,
        study: Option<&Study>,
        folder: &Path,
        mut config: StrengthConfig,
        stop: &Stop,
    ) -> anyhow::Result<MatchReport> {
        set(&mut config.nodes, self.nodes);
        set(&mut config.games, self.games);
        set(&mut config.plies, self.plies);
        set(&mut config.cap, self.cap);
        config.sprt = self.sprt.or(config.sprt);
        if !self.rules.is_empty() {
            config.rules.clone_from(&self.rules);
        }
        by_option(config.check::<G>(), study, &self.replaced())?;
        let out =
            super::common::path_or(self.out.clone(), study, &folder.to_string_lossy(), "--out")?;
        let first = network_or(self.first.clone(), study, "--first")?;
        let opponent = study.map(|study| study.opponent(&config));
        let second = self.second.clone().or(opponent).unwrap_or_else(|| first.clone());
        let second_nodes = self.second_nodes.or(config.opponent_nodes).unwrap_or(config.nodes);
        let search = study.map(|study| study.measure.search).unwrap_or_default();
        // The alpha-beta search and programs have no tree.
        let trees: Vec<(&str, u32)> = [
            (&first, "strength.nodes", config.nodes),
            (&second, "strength.opponent_nodes", second_nodes),
        ]
        .into_iter()
        .filter(|(player, ..)| Searcher::has_tree(player))
        .map(|(_, key, nodes)| (key, nodes))
        .collect();
        let most = trees.iter().map(|&(_, nodes)| nodes).max().unwrap_or_default();
        let search = with_room(search, study, most);
        let checked = trees
            .into_iter()
            .try_for_each(|(key, nodes)| check_budget("measure.search", &search, key, nodes));
        by_option(checked, study, &self.replaced())?;
        let sets = rule_sets::<G>(&config.rules)?;
        let equal_time = config.equal_time && self.second_nodes.is_none();
        let mut config = MatchConfig {
            first: Player::open::<G>(&first, config.nodes, &sets)?,
            second: Player::open::<G>(&second, second_nodes, &sets)?,
            rules: config.rules,
            games: config.games,
            plies: config.plies,
            cap: config.cap,
            search,
            sprt: config.sprt,
            seed: self.common.seed(study),
        };
        let pool = cluster::pool(self.common.threads)?;
        if self.equal_time || equal_time {
            config.second = self.equalise::<G>(&config, &out, stop)?;
            let nodes = config.second.name().nodes.unwrap_or_default();
            if Searcher::has_tree(&second) {
                config.search = with_room(config.search, study, nodes);
                check_budget("measure.search", &config.search, "the second player's nodes", nodes)?;
            }
        }
        let play = || matches::run_with_games::<G>(&config, &out, stop);
        pool.install(play)
    }

    /// Returns the second player with the number of nodes that takes the first player's time. The
    /// number comes from the match in the folder if there is one, else it is measured.
    fn equalise<G: CompleteGame>(
        &self,
        config: &MatchConfig,
        out: &Path,
        stop: &Stop,
    ) -> anyhow::Result<Player> {
        let recorded = matches::recorded(out)?;
        if let Some([_, PlayerName { nodes: Some(nodes), equal_time: true, .. }]) = recorded {
            return Ok(config.second.at_equal_time(nodes));
        }
        let MatchConfig { first, second, rules, search, seed, .. } = config;
        let (player, measured) =
            matches::equal_time::<G>(first, second, rules, *search, *seed, stop)?;
        self.output.remark(measured);
        Ok(player)
    }
}

/// Returns the scores of a match by rule set and of all games. The main match has no name.
fn result(name: &str, report: &MatchReport) -> Text {
    let id = if name.is_empty() { "match" } else { name };
    let title = format!("{} against {}", report.first, report.second);
    let per_rules = report.per_rules.iter().map(|arm| (arm.rules.as_str(), &arm.score));
    let table = Fields::<(&str, &Score)>::default()
        .text("rules", "rules", |(rules, _)| *rules)
        .count("games", "games", |(_, score)| score.games)
        .count("won", "won", |(_, score)| score.wins)
        .count("drawn", "drawn", |(_, score)| score.draws)
        .count("lost", "lost", |(_, score)| score.losses)
        .count("capped", "capped", |(_, score)| score.capped)
        .share("score", "score", |(_, score)| score.estimate.map(|estimate| estimate.score))
        .estimate("elo", "Elo (95% interval)", Unit::Elo, |(_, score)| {
            let estimate = score.estimate?;
            Some((estimate.elo_or_infinite(), estimate.interval()))
        })
        .share("los", "LOS", |(_, score)| score.estimate.map(|estimate| estimate.los))
        .whole_table(id, &title, per_rules.chain([("all", &report.total)]))
        .droppable("los capped lost drawn won");
    let mut text = Text::default();
    text.table(table);
    if report.total.capped > 0 {
        text.push(format!(
            "{} of {} games reached the cap: they have no result, and in the score and the Elo \
             each is half a point for both",
            report.total.capped, report.total.games
        ));
    }
    if let Some(test) = &report.sprt {
        text.push(format!(
            "SPRT of Elo {} against {}: LLR {:.2} in ({:.2}, {:.2}), {:?}",
            test.config.elo0, test.config.elo1, test.llr, test.lower, test.upper, test.decision
        ));
    }
    text
}

/// Parses `ELO0,ELO1`.
fn parse_sprt(text: &str) -> Result<SprtConfig, String> {
    let wrong = || format!("`{text}` is not of the form ELO0,ELO1");
    let (elo0, elo1) = text.split_once(',').ok_or_else(wrong)?;
    Ok(SprtConfig {
        elo0: elo0.trim().parse().map_err(|_| wrong())?,
        elo1: elo1.trim().parse().map_err(|_| wrong())?,
        ..SprtConfig::default()
    })
}
