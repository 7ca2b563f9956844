//! Tests on whole studies that are played and analysed here.
//!
//! They cover what needs moves or several measurements, the published form of a run, and A/A tests.

use fusion_chess::FusionGame;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_report::Pages;
use fusion_report::publish::{Moves, publish};
use fusion_results::pairs::Inference;
use fusion_results::pooled::Level;
use fusion_results::protocol::Check;
use fusion_results::report::{Options, Report};
use fusion_results::run_folder::RunFolder;
use fusion_results::verdict::Decision;
use fusion_runner::openings::{self, Pool};
use fusion_runner::{measure, random};
use fusion_study::Study;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn pages(first: u64) -> Pages {
    Pages { first_opening: Some(first), ..Pages::default() }
}

const OPTIONS: fn() -> Options = || Options {
    primary: None,
    inference: Inference { resamples: 300, seed: 1, ..Inference::default() },
    page_openings: None,
};

/// Plays all measurements of a study with an evaluator that needs no network.
fn play(toml: &str, agent: &str, seed: u64) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let study = Study::parse(&format!("[study]\nname = 't'\n{toml}")).unwrap();
    study.check::<FusionGame>().unwrap();
    let (stop, rules) = (Stop::new(), study.pool_rules::<FusionGame>().unwrap());
    let search = study.measure.search;
    let pool =
        openings::make::<FusionGame>(&study.openings, &rules, &search, None, seed, &stop).unwrap();
    pool.save(&dir.path().join("openings.csv")).unwrap();
    let model = Model::open::<FusionGame>(agent, []).unwrap().into();
    for each in study.measurements() {
        let own = Pool::without_plies(each.config.games.unwrap_or(study.openings.count));
        let pool = if each.config.own_plies > 0 { &own } else { &pool };
        let folder = dir.path().join(each.folder);
        measure::run::<FusionGame>(&each.config, pool, &model, seed, &folder, 0..1, &stop).unwrap();
        assert!(
            measure::assemble_if_whole::<FusionGame>(&folder, &Stop::new()).unwrap().is_empty()
        );
    }
    if let Some((rules, games)) = study.random_rules::<FusionGame>().unwrap() {
        let folder = dir.path().join("random");
        let config = random::RandomGames { rules, games, shards: 1, seed };
        random::run::<FusionGame>(&config, &folder, 0..1, &stop).unwrap();
        random::merge::<FusionGame>(&config, &folder).unwrap();
    }
    dir
}

fn report(run: &Path) -> Report {
    Report::new(RunFolder::open(run).unwrap(), OPTIONS()).unwrap()
}

fn everything() -> TempDir {
    let toml = "[openings]\ncount = 30\n[measure]\nrules = ['fusion-1999', 'fusion-2020']\nnodes = [6]\n\
                [extra.strong]\nnodes = [12]\ngames = 20\n\
                [extra.mixes]\nfactorial = ['castling', 'king-fuses']\n\
                [extra.own]\nown_plies = 8\ngames = 12\n\
                [random]\ngames = 500\nrules = ['orthodox', 'fusion-1999', 'fusion-2020']";
    let dir = play(toml, "material", 3);
    fs::write(dir.path().join("deviations.txt"), "The <first>\nparagraph.\n\nThe second.\n")
        .unwrap();
    let endgames = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run/endgames.csv");
    fs::copy(endgames, dir.path().join("endgames.csv")).unwrap();
    dir
}

#[test]
fn every_part_of_a_study_is_in_the_report() {
    let run = everything();
    let report = report(run.path());
    assert_eq!(report.main_nodes, 6, "the verdict is from [measure], not from more nodes");
    let budgets: Vec<u64> = report.arms.iter().map(|arm| arm.nodes).collect();
    assert_eq!(budgets, [6, 12, 6, 12], "the ladder continues [measure]");
    assert_eq!(report.trends.as_ref().unwrap().whole.len(), 3);
    let toggles = &report.toggles[0];
    assert_eq!((toggles.measurement.as_str(), toggles.games, toggles.openings), ("mixes", 120, 30));
    let agents: Vec<(Option<u64>, bool)> =
        report.agents.iter().map(|row| (row.nodes, row.own_openings)).collect();
    assert_eq!(agents, [(Some(6), false), (Some(12), false), (Some(6), true), (None, true)]);
    assert!(report.own_openings.iter().all(|arm| arm.opening_entropy.is_some()));
    // One forecast per finished game.
    let finished = report.run.games.iter().filter(|row| !row.capped()).count() as u64;
    let forecasts: u64 =
        report.calibration[0].draws.bins.iter().map(|bin| bin.happened.trials()).sum();
    assert_eq!(forecasts, finished);
    // Each of the most notable games is shown once, with the numbers of its choice.
    let shown: BTreeSet<usize> = report.shown.iter().map(|game| game.row).collect();
    assert!(shown.len() == report.shown.len() && (2..10).contains(&shown.len()), "{shown:?}");
    let drama = |row: usize| report.run.games[row].drama.unwrap_or_default();
    let most = (0..report.run.games.len()).map(drama).fold(0.0, f64::max);
    assert_eq!(drama(report.shown[0].row), most);
    assert!(report.shown[0].reason.title.starts_with("Most dramatic"));
    assert!(report.shown[0].reason.why.contains(&format!("Drama {most:.3}, the most of the")));
    let page = fusion_report::html::render(&report, fusion_report::html::Links::default()).unwrap();
    for part in ["The &lt;first&gt; paragraph.", "king-fuses", "random movers", "own openings"] {
        assert!(page.contains(part), "{part}");
    }
}

/// The pooled difference follows from the games: an opening counts once for all players, each player's own
/// games decide its row, and the file of the study may name players at any time.
#[test]
fn players_are_pooled() {
    let toml = "[openings]\ncount = 30\n[measure]\nrules = ['fusion-1999', 'fusion-2020']\nnodes = [6]\n\
                [extra.strong]\nnodes = [8, 12, 16, 24]\ngames = 20\n\
                [extra.choice]\nnetwork = 'material?lcb=0'\nnodes = [6]\n";
    let run = play(toml, "material", 3);
    assert!(report(run.path()).pooled.is_none());
    let pooled = "[pooled]\nplayers = ['measure', 'strong']\nvariants = ['choice']\n";
    let study = format!("[study]\nname = 't'\n{toml}{pooled}");
    fs::write(run.path().join("study.toml"), &study).unwrap();
    let report = report(run.path());
    let pooled = report.pooled.as_ref().unwrap();
    let rows: Vec<_> =
        pooled.players.iter().map(|p| (p.measurement.as_str(), p.result.nodes)).collect();
    let expected = [("measure", 6), ("strong", 8), ("strong", 12), ("strong", 16), ("strong", 24)]
        .map(|(name, nodes)| (name, Some(nodes)));
    assert_eq!(rows, expected);
    // One network by one search: only the budgets differ.
    assert_eq!(pooled.levels, [(Level::Budget, 5)]);
    assert_eq!((pooled.openings, pooled.variants.len()), (30, 1));
    let main = report.agents.iter().find(|row| row.nodes == Some(6)).unwrap();
    assert_eq!(pooled.players[0].result.difference, main.difference);
    let estimate = pooled.estimate.as_ref().unwrap();
    assert!(pooled.range().contains(estimate.pooled.mean));
    // A wider prior makes a wider interval.
    let width = |(_, interval): &(f64, fusion_statistics::Interval)| interval.high - interval.low;
    assert!(width(&estimate.by_prior[0]) < width(&estimate.by_prior[1]), "{estimate:?}");
    let players = "each of the 5 players that the study names (1 kind of search, 1 network)";
    assert!(report.verdict.remarks.iter().any(|remark| remark.contains(players)));
    let tables: Vec<String> = fusion_report::csv_files::tables(&report)
        .unwrap()
        .into_iter()
        .filter(|(name, _)| ["players.csv", "uncertainty.csv"].contains(&name.as_str()))
        .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
        .collect();
    assert_eq!(tables[0].lines().count(), 1 + 5 + 2 + 1);
    assert_eq!(tables[1].lines().count(), 1 + 2);
    let page = fusion_report::html::render(&report, fusion_report::html::Links::default()).unwrap();
    // The draw rates stand below the verdict, beside the players.
    let draws = "<section class=\"below\" id=\"draws\">";
    for part in [draws, "all 5 players", "one more player", "With one setting changed"] {
        assert!(page.contains(part), "{part}");
    }
}

/// A study's list of players is checked before anything is played.
#[test]
fn unknown_players_are_rejected() {
    for (pooled, words) in [
        ("players = ['measure', 'weak']", "pooled.players: the study has no measurement `weak`"),
        ("players = ['measure', 'measure']", "pooled.players: `measure` is listed twice"),
        ("players = ['measure']", "pooled.players must list at least two measurements"),
        ("players = ['measure', 'own']", "pooled.players: `own` has openings of its own"),
    ] {
        let toml = format!(
            "[study]\nname = 't'\n[extra.strong]\nnodes = [12]\n[extra.own]\nown_plies = 8\n[pooled]\n{pooled}"
        );
        let study = Study::parse(&toml).unwrap();
        let error = study.check::<FusionGame>().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Checks events that only some games have, which are reported only for these.
#[test]
fn rare_events_are_counted() {
    let toml = "[openings]\ncount = 12\n[measure]\n\
                rules = ['metamorphin', 'fusion-1999', 'az-self-capture']\nnodes = [3]";
    let report = report(play(toml, "material", 3).path());
    for arm in &report.arms {
        let count = |name: &str| arm.usage.iter().find(|u| u.name == name).map(|u| u.total);
        let counts = ["metamorphoses", "demotions", "self-captures"].map(count);
        match (arm.rules.as_str(), counts) {
            ("metamorphin", [Some(1..), Some(1..), None])
            | ("az-self-capture", [None, None, Some(1..)])
            | ("fusion-1999", [None, None, None]) => {}
            (rules, counts) => panic!("{rules}: {counts:?}"),
        }
    }
}

/// Checks a rule set with each toggle changed on its own, and a measurement that a stopping rule
/// ended.
///
/// The verdict of the first is on effects, since there is no single comparison. The report of the
/// second mentions the rule.
#[test]
fn ablations_and_stopped_measurements() {
    let toml = "[openings]\ncount = 30\n[measure]\nablate = 'fusion-2020'\nnodes = [3]";
    let ablated = report(play(toml, "material", 3).path());
    assert_eq!(ablated.ablations[0].changes.len(), 30);
    let verdict = &ablated.verdict;
    assert!(
        verdict.judged
            && verdict
                .sentence
                .contains("each changed by itself in fusion-2020 (anytime-valid intervals):")
    );
    assert!(!verdict.sentence.contains("fusion-1999"), "{}", verdict.sentence);
    let page =
        fusion_report::html::render(&ablated, fusion_report::html::Links::default()).unwrap();
    assert!(page.contains("castling=no") && page.contains("What each rule change does"));
    assert!(page.contains("<h1>What does each change of fusion-2020 do to draws?</h1>"));
    assert!(!page.contains("and what it costs"), "one rule set has the figure beside the verdict");

    let toml = "[openings]\ncount = 60\n[measure]\nrules = ['fusion-2020', 'orthodox']\nnodes = [4]\n\
                stop = { alpha = 0.99, every = 2 }";
    let stopped = report(play(toml, "uniform", 3).path());
    assert!(stopped.run.games.len() < 120, "{} games", stopped.run.games.len());
    let said = |check: &Check| check.detail.contains("stopping rule ended");
    assert!(stopped.checks.iter().any(said), "{:?}", stopped.checks);
}

/// Checks that single changes of several rule sets stand beside each other in one figure, in a table
/// each, and in one file.
#[test]
fn changes_of_several_rule_sets_share_a_figure() {
    let toml = "[openings]\ncount = 30\n[measure]\nablate = 'no-fusion'\nnodes = [3]\n\
                [extra.chess]\nablate = 'orthodox'";
    let ablated = report(play(toml, "material", 3).path());
    let bases: Vec<&str> = ablated.ablations.iter().map(|of| of.base.as_str()).collect();
    assert_eq!(bases, ["no-fusion", "orthodox"]);
    let page =
        fusion_report::html::render(&ablated, fusion_report::html::Links::default()).unwrap();
    assert_eq!(page.matches("<svg class=\"changes\"").count(), 2);
    let changes: usize = ablated.ablations.iter().map(|of| of.changes.len()).sum();
    let file = fusion_report::csv_files::tables(&ablated).unwrap();
    let (_, csv) = file.iter().find(|(name, _)| name.ends_with("changes.csv")).unwrap();
    assert_eq!(String::from_utf8_lossy(csv).lines().count(), 1 + changes);
}

/// Checks that the verdict on a study of all mixes of some toggles, as suggested in the README, is
/// on their effects.
#[test]
fn the_verdict_of_a_factorial_is_its_effects() {
    let toml =
        "[openings]\ncount = 40\n[measure]\nfactorial = ['castling', 'king-fuses']\nnodes = [4]";
    let run = play(toml, "material", 3);
    let report = report(run.path());
    assert_eq!(report.primary, None);
    let verdict = &report.verdict;
    assert!(verdict.judged && verdict.pair.is_none());
    let under = "4 nodes a move and this pool of 40 openings";
    assert!(verdict.sentence.contains(under), "{}", verdict.sentence);
    for part in [
        "on average over all mixes of the other rules (anytime-valid intervals):",
        "castling",
        "king-fuses",
    ] {
        assert!(verdict.sentence.contains(part), "{}", verdict.sentence);
    }
    let page = fusion_report::html::render(&report, fusion_report::html::Links::default()).unwrap();
    let text = fusion_report::terminal::text(&report).render(80);
    assert!(page.contains("<h1>Which of these rules change how often the game is drawn?</h1>"));
    assert!(page.contains("The change in the probability of a draw with each rule change"));
    for absent in ["names no two", "There is no verdict", "2020 rules make", "fusion-1999"] {
        assert!(!page.contains(absent) && !text.contains(absent), "{absent}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let last = text.rsplit("\n\n").next().unwrap();
    assert!(last.starts_with(&format!("{}. Under this agent", verdict.headline)), "{last}");
}

/// Checks would-be mates that fusion or fission answered. The inventor claims that there are none
/// under the 2020 rules.
#[test]
fn nobody_escapes_mate_under_the_2020_rules() {
    let report = report(everything().path());
    for arm in report.arms.iter().filter(|arm| arm.rules == "fusion-2020") {
        assert_eq!(arm.escapes.map(|share| share.successes()), Some(0), "{:?}", arm.escapes);
    }
}

#[test]
fn a_published_run_gives_the_same_report() {
    let (run, out) = (everything(), tempfile::tempdir().unwrap());
    let at = out.path().join("published");
    publish(run.path(), &at, &Moves::All, OPTIONS()).unwrap();
    let small = |name: &str| fs::metadata(at.join(name)).unwrap().len();
    let large = |name: &str| fs::metadata(run.path().join(name)).unwrap().len();
    assert!(3 * small("measure/games.pgn.zst") < large("measure/games.pgn"));
    let tables = |run: &Path| -> BTreeMap<String, Vec<u8>> {
        fusion_report::csv_files::tables(&report(run)).unwrap().into_iter().collect()
    };
    let wanted = tables(run.path());
    assert!(wanted.len() > 10 && wanted == tables(&at));
    assert!(wanted.contains_key("lone-king.csv") && at.join("endgames.csv.zst").is_file());
    for (name, bytes) in &wanted {
        assert!(fs::read(at.join("report").join(name)).unwrap() == *bytes, "{name}");
    }
    // A publication can be published again, also over itself.
    let again = out.path().join("again");
    for _ in 0..2 {
        publish(&at, &again, &Moves::All, OPTIONS()).unwrap();
        assert!(wanted == tables(&again));
    }
    // Without moves the tables are the same, but for those that are made from moves.
    publish(&at, &again, &Moves::NONE, OPTIONS()).unwrap();
    assert!(!again.join("measure/games.pgn.zst").exists());
    let found = tables(&again);
    assert!(found.iter().all(|(name, bytes)| wanted.get(name) == Some(bytes)));
    let lacks: Vec<&String> = wanted.keys().filter(|name| !found.contains_key(*name)).collect();
    assert_eq!(lacks, ["leads.csv", "reliability.csv"]);
    // Or with those of one measurement.
    let one = |name: &str| Moves::Of(vec![name.into()]);
    publish(&at, &again, &one("measure"), OPTIONS()).unwrap();
    assert!(again.join("measure/games.pgn.zst").exists() && !again.join("games.pgn.zst").exists());
    let nothing = publish(&at, &again, &one("mesure"), OPTIONS()).unwrap_err().to_string();
    assert!(nothing.contains("no moves of \"mesure\"") && nothing.contains("measure"), "{nothing}");
    fs::write(again.join("measure/deviations.txt"), "of another run").unwrap();
    let stranger = publish(&at, &again, &Moves::All, OPTIONS()).unwrap_err();
    assert!(stranger.to_string().contains("deviations.txt is not of this run"), "{stranger}");
    fs::remove_file(again.join("measure/deviations.txt")).unwrap();
    fs::create_dir_all(again.join("extra/other")).unwrap();
    let stranger = publish(&at, &again, &Moves::All, OPTIONS()).unwrap_err();
    assert!(stranger.to_string().contains("extra/other is not of this run"), "{stranger}");
    let overlap = publish(&at, &at.join("inside"), &Moves::All, OPTIONS()).unwrap_err();
    assert!(overlap.to_string().contains("overlap"), "{overlap}");
    assert!(!at.join("inside").exists());
    // A copy that is truncated or damaged.
    let path = at.join("measure/games.csv.zst");
    let bytes = fs::read(&path).unwrap();
    let mut rotten = bytes.clone();
    rotten[bytes.len() - 2] ^= 1;
    let list = at.join("SHA256SUMS");
    let sums = fs::read(&list).unwrap();
    for damaged in [&bytes[..bytes.len() / 2], &rotten] {
        fs::write(&path, damaged).unwrap();
        fs::write(&list, &sums).unwrap();
        let damaged = RunFolder::open(&at).unwrap_err();
        assert!(damaged.to_string().contains("games.csv.zst, which"), "{damaged}");
        // Damage is found without the list of checksums as well.
        fs::remove_file(&list).unwrap();
        let damaged = RunFolder::open(&at).unwrap_err();
        assert!(damaged.to_string().contains("games.csv.zst: is damaged"), "{damaged}");
    }
}

#[test]
fn moves_of_other_games_are_rejected() {
    let (run, other) =
        (everything(), play("[openings]\ncount = 30\n[measure]\nnodes = [3]", "uniform", 4));
    fs::copy(other.path().join("measure/games.pgn"), run.path().join("measure/games.pgn")).unwrap();
    fs::remove_file(run.path().join("measure/SHA256SUMS")).unwrap();
    let error = Report::new(RunFolder::open(run.path()).unwrap(), OPTIONS()).unwrap_err();
    assert!(error.to_string().contains("of games.csv"), "{error}");
}

/// Checks the whole pipeline from games to verdict on one arm that is played twice.
///
/// The search evaluates leaves by random games, so that another seed plays other games from the
/// same openings.
#[test]
fn an_arm_against_itself_shows_no_difference() {
    let toml = "[openings]\ncount = 60\n[measure]\nrules = ['fusion-2020']\nnodes = [2]";
    let [one, two] = [1, 2].map(|seed| {
        let dir = play(toml, "rollout", 9);
        // Same pool, another seed of the games.
        let pool = Pool::open::<FusionGame>(&dir.path().join("openings.csv")).unwrap();
        let study = Study::parse(&format!("[study]\nname = 't'\n{toml}")).unwrap();
        let model = Model::open::<FusionGame>("rollout", []).unwrap().into();
        let folder = dir.path().join("again");
        let config = &study.measure;
        measure::run::<FusionGame>(config, &pool, &model, seed, &folder, 0..1, &Stop::new())
            .unwrap();
        measure::assemble_if_whole::<FusionGame>(&folder, &Stop::new()).unwrap();
        fs::read_to_string(folder.join("games.csv")).unwrap()
    });
    assert!(one != two, "another seed plays other games");
    let dir = tempfile::tempdir().unwrap();
    // The second copy has a name of its own.
    let renamed: Vec<String> =
        two.lines().skip(1).map(|row| row.replacen("fusion-2020", "fusion-1999", 1)).collect();
    fs::write(dir.path().join("games.csv"), one + &renamed.join("\n") + "\n").unwrap();
    let report = report(dir.path());
    let pair = report.verdict.pair.as_ref().unwrap();
    assert_eq!(pair.openings, 60);
    assert!(pair.mcnemar_p > 0.05 && pair.e_value < 20.0, "{pair:?}");
    assert!(pair.bootstrap95.contains(0.0), "{pair:?}");
    let claims = [Some(Decision::LessDrawish), Some(Decision::MoreDrawish)];
    assert!(!claims.contains(&report.verdict.decision));
}

/// Checks that the page of all games is written beside a run's report and not into a publication.
///
/// It can be made from a publication. It is then the same except for what publications leave out.
#[test]
fn the_page_of_all_games() {
    let run = play("[openings]\ncount = 12\n[measure]\nnodes = [3]", "material", 3);
    let write = |run: &Path, out: &Path, from: u64| {
        let (_, links) = fusion_report::run(run, out, OPTIONS(), &pages(from)).unwrap();
        assert!(links[0].starts_with("All games: ") && links.len() == 2, "{links:?}");
        let page = |name: &str| fs::read_to_string(out.join(name)).unwrap();
        (page("games.html"), page("report.html"))
    };
    let games = report(run.path()).run.games.len();
    let (all, beside) = write(run.path(), run.path(), 0);
    assert!(all.contains(&format!("All {games} games of this run")));
    assert!(beside.contains("href=\"games.html\""));
    for forbidden in ["http:", "https:", "url(", "@import", " src=", "eval("] {
        assert!(!all.contains(forbidden), "{forbidden}");
    }
    let (some, _) = write(run.path(), run.path(), 9);
    assert!(some.contains(&format!("{} of the {games} games of this run", games / 4)));
    assert!(some.contains("from openings below 9 are left out, as asked for"));

    let published = tempfile::tempdir().unwrap();
    publish(run.path(), published.path(), &Moves::All, OPTIONS()).unwrap();
    assert!(!published.path().join("games.html").exists());
    let alone = fs::read_to_string(published.path().join("report.html")).unwrap();
    assert!(!alone.contains("href=\"games.html\"") && alone.contains("writes the page"));
    let name = |dir: &Path| dir.file_name().unwrap().to_str().unwrap().to_owned();
    let (again, _) = write(published.path(), published.path(), 0);
    assert_eq!(again.replace(&name(published.path()), ""), all.replace(&name(run.path()), ""));

    // Moves of other games are rejected, and no partial file is left.
    let pgn = run.path().join("measure/games.pgn");
    let text = fs::read_to_string(&pgn).unwrap();
    fs::write(&pgn, text.replacen("[Round \"0\"]", "[Round \"1\"]", 1)).unwrap();
    let list = run.path().join("measure/SHA256SUMS");
    let _ = fs::remove_file(list);
    let error = fusion_report::run(run.path(), run.path(), OPTIONS(), &pages(0));
    let error = format!("{:#}", error.unwrap_err());
    assert!(error.contains("games.pgn") && error.contains("another opening"), "{error}");
}
