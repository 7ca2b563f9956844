//! The whole report on a small made-up run, byte for byte.
//!
//! After a wanted change, `INSTA_UPDATE=always cargo test -p fusion-analysis` writes the
//! new expectation: read its difference before committing it.

use fusion_analysis::pairs::Resampling;
use fusion_analysis::report::{Options, Report};
use fusion_analysis::run_folder::RunFolder;
use fusion_analysis::{csv_files, html, terminal};
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
    insta::assert_snapshot!(terminal::render(&report()));
}

#[test]
fn page() {
    let version = concat!("fusion-analysis ", env!("CARGO_PKG_VERSION"));
    let page = html::render(&report()).unwrap();
    insta::assert_snapshot!(page.replace(version, "fusion-analysis VERSION"));
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

/// Text from files must not become markup.
#[test]
fn page_is_escaped_and_self_contained() {
    let page = html::render(&report()).unwrap();
    assert!(page.contains("&lt;made up&gt; &amp; so on"));
    for forbidden in ["<made up>", "http:", "https:", "url(", "@import", " src=", "eval("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    for claim in ["the game is drawn", "better", "NaN", "inf%"] {
        assert!(!page.contains(claim), "{claim}");
    }
}
