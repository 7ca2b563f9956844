//! No input makes the program panic. Unusual but valid runs make a complete page.

use fusion_endgames::tables::recorded;
use fusion_report::{csv_files, html, terminal};
use fusion_results::chess::lone_king::{LoneKing, ToMove};
use fusion_results::games;
use fusion_results::pairs::Inference;
use fusion_results::report::{Options, Report};
use fusion_results::report_game::ReportGame;
use fusion_results::run_folder::RunFolder;
use fusion_runner::measure::columns;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns a minimal row.
fn row(rules: &str, opening: usize, nodes: u64, ending: &str, plies: u32) -> String {
    let result = match ending {
        "checkmate" => ["1-0", "0-1"][opening % 2],
        "cap" | "error" => "*",
        _ => "1/2-1/2",
    };
    let drama = if ending == "checkmate" { "0.0" } else { "" };
    format!(
        "{rules},{opening},0,1,uniform,{nodes},{result},{ending},{plies},0,0,0,0,0,0,,,,,,0,0,{drama},,fen,{:016x},0,,0,,0,\n",
        opening + rules.len() * 1000
    )
}

/// Renders the page, the text and the tables of a run with these rows.
fn render(rows: &str) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("games.csv"),
        columns(ReportGame::default().description()).join(",") + "\n" + rows,
    )
    .unwrap();
    let options = Options {
        primary: None,
        inference: Inference { resamples: 100, seed: 1, ..Inference::default() },
        page_openings: None,
    };
    let report = Report::new(RunFolder::open(dir.path()).unwrap(), options).unwrap();
    for (_, bytes) in csv_files::tables(&report).unwrap() {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("NaN"), "{text}");
    }
    (html::render(&report, html::Links::default()).unwrap(), terminal::text(&report).render(80))
}

const ENDINGS: [&str; 7] =
    ["checkmate", "stalemate", "threefold", "fifty-move", "dead-position", "cap", "tables"];

#[test]
fn one_game_of_each_kind_alone() {
    for ending in ENDINGS {
        let (page, text) = render(&row("orthodox", 0, 1, ending, 0));
        assert!(!page.contains("NaN") && !page.contains("inf%"), "{ending}");
        assert!(text.contains("% drawn. Of 1 game under orthodox"), "{text}");
        // Adjudication has a column only if it happened.
        assert_eq!(text.contains(" tables"), ending == "tables", "{text}");
        assert_eq!(page.contains("adjudicated by tables"), ending == "tables");
    }
}

#[test]
fn all_openings_alike() {
    let run = |openings: usize| {
        let rows: Vec<String> = ["fusion-1999", "fusion-2020"]
            .iter()
            .flat_map(|rules| (0..openings).map(|id| row(rules, id, 8, "stalemate", 90)))
            .collect();
        render(&rows.concat()).1
    };
    // The anytime-valid interval has a width even then.
    assert!(run(29).contains("\n\nNo verdict. "));
    assert!(run(100).contains("\n\nInconclusive. "));
    assert!(run(600).contains("\n\nNo material change. "));
}

/// Checks that figures of many rule sets show those that differ most, in the order of their draw rates.
#[test]
fn the_largest_effects_are_shown_whatever_their_names() {
    let near = [
        "attacked-split=no",
        "bare-king=loses",
        "castling=yes",
        "demote-on-capture=yes",
        "fission=capture",
        "fission=no",
        "fuse-onto-king=yes",
        "fusion-needs=no-queen",
        "fusion=no",
        "king-fuses=no",
        "leapers-cross-check=no",
    ];
    let far = [
        ("max-components=3", 20),
        ("metamorph=yes", 5),
        ("sliders-cross-check=no", 10),
        ("stalemate=win", 15),
    ];
    let games = |rules: String, drawn: usize| {
        (0..100)
            .map(move |id| {
                row(&rules, id, 8, if id < drawn { "threefold" } else { "checkmate" }, 90)
            })
            .collect::<String>()
    };
    let mut rows = games("fusion-1999".into(), 60);
    let changed = |change: &str| format!("\"fusion-1999,{change}\"");
    rows.extend(near.iter().map(|change| games(changed(change), 59)));
    rows.extend(far.iter().map(|(change, drawn)| games(changed(change), *drawn)));
    let (page, text) = render(&rows);
    let (_, figure) = page.split_once("id=\"draws\"").unwrap();
    let (figure, _) = figure.split_once("class=\"marks ticks\"").unwrap();
    let names: Vec<&str> = figure
        .split("class=\"name\"")
        .skip(1)
        .map(|rest| rest.split(['>', '<']).nth(1).unwrap())
        .collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let first = ["metamorph=yes", "sliders-cross-check=no", "stalemate=win", "max-components=3"];
    assert_eq!(names.len(), 12, "{names:?}");
    assert_eq!(names[..4], first.map(|change| format!("fusion-1999,{change}")));
    assert_eq!(*names.last().unwrap(), "fusion-1999");
    // No line of the axis crosses a row of text: the marks have none.
    assert_eq!(
        (figure.matches("class=\"marks\"").count(), figure.matches("<text").count()),
        (12, 0)
    );
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "metamorph=yes lowers draws most; 4 of 15 rule changes",
        "less by max-components=3 (−40.0)",
    ] {
        assert!(words.contains(said), "{text}");
    }
    assert!(
        words.find("metamorph=yes changes") < words.find("sliders-cross-check=no changes"),
        "{text}"
    );
}

#[test]
fn an_arm_of_failures_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let rows = row("orthodox", 0, 1, "error", 3);
    std::fs::write(
        dir.path().join("games.csv"),
        columns(ReportGame::default().description()).join(",") + "\n" + &rows,
    )
    .unwrap();
    let options = Options {
        primary: None,
        inference: Inference { resamples: 100, seed: 1, ..Inference::default() },
        page_openings: None,
    };
    let error = Report::new(RunFolder::open(dir.path()).unwrap(), options).unwrap_err();
    assert!(error.to_string().contains("orthodox at 1 nodes"), "{error}");
}

/// Checks that any subset of a summary's endings, with rule sets of its own, has a page.
#[test]
fn parts_of_a_summary() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run/endgames.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let ending = |row: &str| {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(row.as_bytes());
        let record = reader.records().next().unwrap().unwrap();
        [record[0].to_owned(), record[1].to_owned()]
    };
    let mut endings: BTreeMap<[String; 2], Vec<&str>> = BTreeMap::new();
    rows.iter().for_each(|row| endings.entry(ending(row)).or_default().push(row));
    for (skip, step) in [(0, 1), (0, 2), (3, 7), (5, 24), (0, 30)] {
        let dir = tempfile::tempdir().unwrap();
        let games = columns(ReportGame::default().description()).join(",")
            + "\n"
            + &row("orthodox", 0, 1, "stalemate", 9);
        std::fs::write(dir.path().join("games.csv"), games).unwrap();
        let part = endings.values().skip(skip).step_by(step).flatten().copied();
        let part: Vec<&str> = part.collect();
        let summary = format!("{header}\n{}\n", part.join("\n"));
        std::fs::write(dir.path().join("endgames.csv"), summary).unwrap();
        let options = Options {
            primary: None,
            inference: Inference { resamples: 100, seed: 1, ..Inference::default() },
            page_openings: None,
        };
        let report = Report::new(RunFolder::open(dir.path()).unwrap(), options).unwrap();
        let page = html::render(&report, html::Links::default()).unwrap();
        assert!(!page.contains("NaN") && !page.contains("inf%"), "{skip} {step}");
        let linked = page.contains("href=\"#lone-king\"");
        assert_eq!(page.contains("id=\"lone-king\""), linked, "{skip} {step}");
        assert!(!terminal::text(&report).render(80).contains("NaN"), "{skip} {step}");
        csv_files::tables(&report).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_small_run_has_a_page(
        games in prop::collection::btree_map((0usize..3, 0usize..6, 1u64..4), (0usize..ENDINGS.len(), 0u32..900), 1..40)
    ) {
        let names = ["fusion-1999", "fusion-2020", "\"fusion-2020,castling=no,attacked-split=yes\""];
        let rows: Vec<String> = games
            .into_iter()
            .map(|((rules, opening, nodes), (ending, plies))| row(names[rules], opening, nodes, ENDINGS[ending], plies))
            .collect();
        let (page, text) = render(&rows.concat());
        prop_assert!(!page.contains("NaN") && !page.contains("inf%"));
        prop_assert!(!text.contains("NaN"));
    }

    #[test]
    fn damaged_bytes_are_rejected_or_read(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run/measure/games.csv");
        let mut bytes = std::fs::read(&path).unwrap();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        match games::parse(&path, &bytes) {
            Ok(rows) => prop_assert_eq!(rows.len(), 160),
            Err(error) => prop_assert!(error.to_string().contains("games.csv")),
        }
    }

    #[test]
    fn damaged_endings_are_rejected_or_make_a_page(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run/endgames.csv");
        let mut bytes = std::fs::read(&path).unwrap();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if let Ok(rows) = recorded::parse(&bytes) {
            // No share may be greater than one, for any subset.
            let all = LoneKing::of(&rows);
            for start in all.iter().flat_map(LoneKing::all_starts) {
                for rules in all.iter().flat_map(LoneKing::rules) {
                    let tally = all.as_ref().and_then(|all| all.tally(&rules, start, ToMove::Either));
                    prop_assert!(tally.is_none_or(|tally| (0.0..=1.0).contains(&tally.share())));
                }
            }
        }
    }
}
