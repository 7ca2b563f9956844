//! Golden test of the whole report on a small made-up run, byte for byte.
//!
//! After an intended change, `INSTA_UPDATE=always cargo test -p fusion-report` writes the new
//! expectation. Its difference should be read before it is committed.

use fusion_chess::game::CHECKMATE;
use fusion_report::{csv_files, html, terminal};
use fusion_results::calibration::Calibration;
use fusion_results::chess::piece_values::{Values, Worth};
use fusion_results::ending_curves::Curves;
use fusion_results::notable::{Reason, ShownGame};
use fusion_results::pairs::Inference;
use fusion_results::report::{Options, Report};
use fusion_results::robustness::AgentResult;
use fusion_results::run_folder::RunFolder;
use fusion_results::toggles::{Effect, Interaction, Toggles};
use fusion_statistics::estimate::Estimate;
use fusion_statistics::incidence::Step;
use fusion_statistics::reliability::{Forecast, Reliability};
use fusion_statistics::{Confidence, Interval, Proportion};
use std::path::Path;

fn report() -> Report {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run");
    let options = Options {
        primary: None,
        inference: Inference { resamples: 2_000, seed: 2020, ..Inference::default() },
        page_openings: None,
    };
    Report::new(RunFolder::open(&run).unwrap(), options).unwrap()
}

#[test]
fn tables() {
    for (name, bytes) in csv_files::tables(&report()).unwrap() {
        let table = name.strip_suffix(".csv").unwrap();
        assert!(csv_files::names().any(|known| known == table), "{name}");
        insta::assert_snapshot!(name, String::from_utf8(bytes).unwrap());
    }
}

#[test]
fn terminal_text() {
    let text = terminal::text(&report()).render(80);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn page() {
    let version = concat!("fusion report ", env!("CARGO_PKG_VERSION"));
    let page = html::render(&report(), html::Links::default()).unwrap();
    insta::assert_snapshot!(page.replace(version, "fusion report VERSION"));
}

/// The link to the page on which people play asks the report's own question there.
#[test]
fn the_question_can_be_measured_in_a_browser() {
    let links = html::Links { play_page: Some("play.html"), ..html::Links::default() };
    let mut report = report();
    let link = |report: &Report| {
        let page = html::render(report, links).unwrap();
        let (_, rest) = page.split_once("<a href=\"play.html#measure=")?;
        Some(rest.split_once('"').unwrap().0.replace("&amp;", "&"))
    };
    let asked = link(&report).unwrap();
    assert!(asked.starts_with("fusion-2020;fusion-1999"), "{asked}");
    assert!(asked.ends_with(&format!("&openings=100&nodes={}", report.main_nodes)), "{asked}");
    let ask = |one: &str, other: &str| Some((one.to_owned(), other.to_owned()));
    report.primary = ask("variants#thunder-2020", "variants#thunder");
    let asked = link(&report).unwrap();
    assert!(asked.starts_with("variants%23thunder-2020;variants%23thunder;"), "{asked}");
    report.primary = ask("mine#one@7ff019c0", "mine#other@7ff019c1");
    assert_eq!(link(&report), None, "the page does not have the file");
}

/// Checks numbers that can be recomputed by hand from the rows.
#[test]
fn shares_follow_from_the_rows() {
    let report = report();
    let drawn = |rules: &str, opening: u64| {
        let mut rows = report.run.games.iter();
        rows.any(|row| row.rules == rules && row.opening == opening && row.drawn())
    };
    for arm in &report.arms {
        let draws = (0..40).filter(|&id| drawn(&arm.rules, id)).count() as u64;
        assert_eq!((arm.draws, arm.games), (draws, 40), "{}", arm.rules);
        assert_eq!(arm.white_wins + arm.draws + arm.black_wins + arm.capped, arm.games);
        assert_eq!(arm.endings.iter().sum::<u64>(), arm.games + arm.errors);
    }
    let pair = report.verdict.pair.as_ref().unwrap();
    let only =
        |a: &str, b: &str| (0..40).filter(|&id| drawn(a, id) && !drawn(b, id)).count() as u64;
    assert_eq!(pair.first_only, only("fusion-2020", "fusion-1999"));
    assert_eq!(pair.second_only, only("fusion-1999", "fusion-2020"));
}

const HOSTILE: &str = "<u>&\"</script>";

/// Adds every part that does not follow from the games, with markup in all texts.
fn add_parts(report: &mut Report) {
    let interval = Interval { low: -0.12, high: -0.08 };
    let estimate = Estimate { value: -0.1, error: 0.01 };
    let shares = [0, 1].map(|draws| Proportion::new(40 + draws, 100).unwrap());
    let effect =
        Effect { toggle: HOSTILE, estimate, interval, holm_p: 0.5, share_off: 0.5, share_on: 0.4 };
    report.toggles = vec![Toggles {
        game: report.run.game,
        measurement: HOSTILE.into(),
        nodes: 64,
        games: 100,
        openings: 50,
        common: vec![(HOSTILE, HOSTILE.into())],
        effects: vec![effect],
        interactions: Vec::new(),
        agent: HOSTILE.into(),
    }];
    // Another measurement of mixes, with rules that matter together.
    let cells = [10, 11, 12, 60].map(|draws| Proportion::new(draws, 100).unwrap());
    let pair = Interaction { toggles: [HOSTILE; 2], estimate, interval, bh_p: 0.0, cells };
    let mut further = report.toggles[0].clone();
    (further.measurement, further.interactions) = ("further".into(), vec![pair]);
    report.toggles.push(further);
    let agent = AgentResult {
        agent: HOSTILE.into(),
        nodes: None,
        own_openings: true,
        shares,
        difference: -0.01,
        interval,
    };
    report.agents = vec![agent.clone(), agent];
    report.arms[0].rules = HOSTILE.into();
    let step = Step { time: 40, share: 0.3, error: 0.05 };
    let by_ending = vec![(CHECKMATE, vec![step])];
    report.curves = vec![Curves { rules: HOSTILE.into(), by_ending }];
    let worth = |name: &str| Worth { name: name.into(), value: 1.0, interval };
    report.chess.values = vec![Values {
        rules: HOSTILE.into(),
        games: 100,
        pieces: vec![worth("R"), worth(HOSTILE)],
        synergies: vec![worth("RB − R − B")],
    }];
    let forecasts = [Forecast { predicted: 0.4, happened: true }];
    let reliability = Reliability::of(&forecasts, Confidence::P95).unwrap();
    report.calibration = vec![Calibration {
        rules: Some(HOSTILE.into()),
        draws: reliability.clone(),
        wins: reliability,
        corrected_draws: None,
        corrected_wins: None,
    }];
    report.run.games[0].rules = "fusion-2020".into();
    report.run.games[0].opening_plies = 0;
    report.shown = vec![ShownGame {
        row: 0,
        reason: Reason { title: HOSTILE.into(), why: HOSTILE.into() },
        start: None,
        moves: vec![("e2e4".into(), Some([400, 300, 300])), ("e7e5".into(), None)],
    }];
    report.run.deviations = Some(HOSTILE.into());
}

#[test]
fn parts_beyond_the_games() {
    let mut report = report();
    add_parts(&mut report);
    let page =
        html::render(&report, html::Links { all_games: true, ..html::Links::default() }).unwrap();
    for anchor in ["effects", "together", "agents", "pieces", "reliability", "games", "deviations"]
    {
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
    }
    for part in ["When they end", "Share of games drawn in “further”"] {
        assert!(page.contains(part), "{part}");
    }
    for forbidden in ["<u>", "</script></", "NaN", "inf%", "http:", "https:"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());

    report.shown[0].moves[1].0 = "e7e4".into();
    let error = format!("{:#}", html::render(&report, html::Links::default()).unwrap_err());
    assert!(error.contains("sampled game 1 (fusion-2020): ply 2: e7e4"), "{error}");
}

/// Checks that text from files does not become markup.
#[test]
fn page_is_escaped_and_self_contained() {
    let page = html::render(&report(), html::Links::default()).unwrap();
    assert!(page.contains("&lt;made up&gt; &amp; so on"));
    for forbidden in ["<made up>", "http:", "https:", "url(", "@import", " src=", "eval("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    for claim in ["the game is drawn", "better", "NaN", "inf%", "No difference in White"] {
        assert!(!page.contains(claim), "{claim}");
    }
}

#[test]
fn a_study_names_its_rule_sets_and_what_was_published() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run");
    let mut run = RunFolder::open(&folder).unwrap();
    run.study = Some(
        "[study]\nname = 'x'\ntitle = 'What <new> did'\n\
         [labels]\nfusion-2020 = 'New & improved'\n\
         [published]\nsource = 'an almanac'\n\
         [published.draws]\nfusion-1999 = 0.6\nfusion-2020 = 0.2\northodox = 0.3\nempire = 0.1\n"
            .into(),
    );
    let options = Options {
        primary: None,
        inference: Inference { resamples: 2_000, seed: 2020, ..Inference::default() },
        page_openings: None,
    };
    let report = Report::new(run, options).unwrap();
    let page = html::render(&report, html::Links::default()).unwrap();
    for part in [
        "<h1>What &lt;new&gt; did</h1>",
        "New &amp; improved is drawn",
        "New &amp; improved: fusion-2020",
        "Published were draw rates from 20.0% to 60.0%: an almanac.",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let text = terminal::text(&report).render(80);
    assert!(text.contains("New & improved") && !text.contains("fusion-2020 "), "{text}");
    // Files keep the rule sets.
    let tables = csv_files::tables(&report).unwrap();
    let file = |name: &str| {
        let found = tables.iter().find(|(known, _)| known == name).unwrap();
        String::from_utf8(found.1.clone()).unwrap()
    };
    assert!(file("summary.csv").contains("fusion-2020,") && !file("pairs.csv").contains("New"));
    insta::assert_snapshot!(file("published.csv"));
    insta::assert_snapshot!(file("published-draws.csv"));
    // White's score was not published.
    assert!(tables.iter().all(|(name, _)| name != "published-white.csv"));
}
