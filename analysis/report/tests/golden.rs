//! The whole report on a small made-up run, byte for byte.
//!
//! After a wanted change, `INSTA_UPDATE=always cargo test -p fusion-report` writes the
//! new expectation: read its difference before committing it.

use fusion_report::html::{
    AgentDifference, Effect, Extras, IncidenceCurve, IncidenceStep, PieceValue, ReliabilityBin,
    SampledGame,
};
use fusion_report::pairs::Resampling;
use fusion_report::report::{Options, Report};
use fusion_report::run_folder::RunFolder;
use fusion_report::{csv_files, html, terminal};
use std::path::Path;

fn report() -> Report {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run");
    let options =
        Options { primary: None, resampling: Resampling { resamples: 2_000, seed: 2020 } };
    Report::new(RunFolder::open(&run).unwrap(), options).unwrap()
}

#[test]
fn tables() {
    for (name, bytes) in csv_files::tables(&report()).unwrap() {
        insta::assert_snapshot!(name, String::from_utf8(bytes).unwrap());
    }
}

#[test]
fn terminal_text() {
    let text = terminal::render(&report(), 80);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn page() {
    let version = concat!("fusion report ", env!("CARGO_PKG_VERSION"));
    let page = html::render(&report()).unwrap();
    insta::assert_snapshot!(page.replace(version, "fusion report VERSION"));
}

/// The numbers a reader can recompute by hand, straight from the rows.
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

/// A page with every part, and markup in all the text that it is given.
#[test]
fn parts_beyond_the_games() {
    let hostile = || String::from("<u>&\"</script>");
    let value = |piece: &str| PieceValue {
        rules: hostile(),
        piece: piece.to_owned(),
        value: 1.0,
        low: 0.5,
        high: 1.5,
    };
    let step = IncidenceStep { ply: 40, share: 0.3, low: 0.2, high: 0.4 };
    let ending = fusion_chess::game::CHECKMATE;
    let mut extras = Extras {
        effects: vec![Effect {
            label: hostile(),
            against: hostile(),
            estimate: -0.1,
            low: -0.12,
            high: -0.08,
            p: None,
        }],
        agents: vec![AgentDifference {
            agent: hostile(),
            detail: hostile(),
            openings: 100,
            first: 0.4,
            second: 0.5,
            difference: -0.1,
            low: -0.2,
            high: 0.0,
        }],
        incidence: vec![IncidenceCurve { rules: hostile(), ending, steps: vec![step] }],
        piece_values: vec![value("R"), value(&hostile())],
        synergies: vec![value("RB − R − B")],
        reliability: vec![ReliabilityBin {
            outcome: hostile(),
            predicted: 0.5,
            observed: 0.4,
            low: 0.3,
            high: 0.5,
            positions: 100,
        }],
        games: vec![SampledGame {
            rules: "fusion-2020".into(),
            result: hostile(),
            ending: hostile(),
            moves: vec![("e2e4".into(), Some([400, 300, 300])), ("e7e5".into(), None)],
            ..SampledGame::default()
        }],
        deviations: vec![hostile()],
        all_games: true,
    };
    let page = html::render_with(&report(), &extras).unwrap();
    let anchors =
        ["effects", "agents", "incidence", "pieces", "reliability", "games", "deviations"];
    for anchor in anchors {
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
    }
    for forbidden in ["<u>", "</script></", "NaN", "inf%", "http:", "https:"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());

    extras.games[0].moves[1].0 = "e7e4".into();
    let error = html::render_with(&report(), &extras).unwrap_err().to_string();
    assert!(error.contains("sampled game 1 (fusion-2020), ply 2: e7e4"), "{error}");
}

/// Text from files must not become markup.
#[test]
fn page_is_escaped_and_self_contained() {
    let page = html::render(&report()).unwrap();
    assert!(page.contains("&lt;made up&gt; &amp; so on"));
    for forbidden in ["<made up>", "http:", "https:", "url(", "@import", " src=", "eval("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    for claim in ["the game is drawn", "better", "NaN", "inf%", "No difference in White"] {
        assert!(!page.contains(claim), "{claim}");
    }
}
