//! Differences in draws between rule sets, paired by opening.

use super::*;
use fusion_results::pairs::Pair;
use fusion_statistics::evalue::Looks;

/// Maximum number of rows in the terminal. The page and the CSV file have all rows.
const ROWS: usize = 24;

fn fields(report: &Report) -> Fields<'_, Pair> {
    Fields::<Pair>::default()
        .count("nodes", ("Nodes", "nodes"), |pair| pair.nodes)
        .text("first", "First", |pair| pair.first.clone())
        .text("second", "Second", |pair| pair.second.clone())
        .text("pair", "First − second", |pair| format!("{} − {}", pair.first, pair.second))
        .text("starred", "first − second", |pair| {
            let star = if report.is_primary(pair) { " *" } else { "" };
            format!("{} − {}{star}", pair.first, pair.second)
        })
        .count("openings", ("Openings", "openings"), |pair| pair.openings)
        .count("unmatched_openings", "Unmatched openings", |pair| pair.unmatched)
        .count("first_draws", "Draws of the first", |pair| pair.first_share.successes())
        .count("second_draws", "Draws of the second", |pair| pair.second_share.successes())
        .count("first_only", "Drawn in the first only", |pair| pair.first_only)
        .count("second_only", "Drawn in the second only", |pair| pair.second_only)
        .text("one_only", "Drawn in one only", |pair| {
            format!("{} : {}", pair.first_only, pair.second_only)
        })
        .points("difference", ("Difference", "points"), |pair| pair.difference)
        .points("standard_deviation", "Standard deviation", |pair| pair.deviation)
        .share("first_share", "Share of the first", |pair| pair.first_share.share())
        .share("second_share", "Share of the second", |pair| pair.second_share.share())
        .interval("interval95", "95% interval", Points, |pair| pair.interval95)
        .interval("interval90", "90% interval", Points, |pair| pair.interval90)
        .interval("bootstrap95", "95%, one look", Points, |pair| pair.bootstrap95)
        .interval("anytime95", "95%, any time", Points, |pair| pair.anytime95)
        .interval("tango95", "Tango’s 95%", Points, |pair| pair.tango95)
        .interval("difference_capped", "If capped", Points, |pair| pair.cap_bounds)
        .p("mcnemar_p", "McNemar p", |pair| pair.mcnemar_p)
        .p("holm_p", "Holm p", |pair| pair.holm_p)
        .value("e_value_a20", "E-value", Magnitude, |pair| pair.e_value)
        .share("saved_by_pairing", "Saved by pairing", |pair| pair.saved_by_pairing())
        .value("decisive_ratio", "Ratio", Decimals(2), |pair| pair.decisive_ratio.map(|of| of.0))
        .interval("decisive_ratio95", "95% interval", Decimals(2), |pair| {
            pair.decisive_ratio.map(|of| of.1)
        })
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "nodes first second openings unmatched_openings first_draws second_draws \
        first_only second_only difference standard_deviation interval95 interval90 bootstrap95 \
        anytime95 tango95 difference_capped mcnemar_p holm_p e_value_a20 first_share second_share \
        decisive_ratio decisive_ratio95 saved_by_pairing";
    fields(report).table("pairs", "Differences in draws", keys, &report.pairs)
}

/// Returns how the judged intervals are made.
fn intervals(report: &Report) -> String {
    match report.inference.looks {
        Looks::Once => format!(
            "by {} resamples of the openings, seed {}",
            count(report.inference.resamples.into()),
            report.inference.seed
        ),
        Looks::Any => "anytime-valid".to_owned(),
    }
}

/// Returns a table of the pairs on the page, with the primary one stressed.
fn of_pairs(report: &Report, id: &str, title: &str, keys: &str) -> Table {
    let pairs = many::pairs(report);
    let strong = pairs.iter().position(|pair| report.is_primary(pair));
    Table { strong, ..fields(report).table(id, title, keys, pairs) }
}

fn table(report: &Report) -> Table {
    let other = match report.inference.looks {
        Looks::Once => "anytime95",
        Looks::Any => "bootstrap95",
    };
    let keys = format!(
        "pair nodes openings difference interval95 interval90 {other} one_only holm_p e_value_a20"
    );
    let title = "Differences in draws, paired by opening, percentage points";
    of_pairs(report, "differences", title, &keys)
}

fn ratios(report: &Report) -> Table {
    let title = "Games that were not drawn: their share in the first divided by that in the second";
    of_pairs(report, "ratios", title, "pair nodes decisive_ratio decisive_ratio95 saved_by_pairing")
}

/// Returns the table for the terminal. The primary comparison comes first and has a star.
pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    if report.pairs.is_empty() {
        return Vec::new();
    }
    let title = format!(
        "Differences in draws in percentage points, paired by opening (* primary; {})",
        intervals(report)
    );
    let mut pairs: Vec<&Pair> = report.pairs.iter().collect();
    pairs.sort_by_key(|pair| !report.is_primary(pair));
    let more = pairs.len().saturating_sub(ROWS) as u64;
    let pairs = many::largest(&pairs, 1, ROWS);
    let keys = "starred nodes openings difference interval95 holm_p";
    let table = fields(report).table("differences", &title, keys, pairs);
    let mut paragraphs = vec![Paragraph::Table(table.droppable("openings"))];
    if more > 0 {
        paragraphs.push(Paragraph::Text(format!("{} more are in report/pairs.csv.", count(more))));
    }
    paragraphs
}

/// Returns the data of a figure of some pairs.
pub(super) fn data(report: &Report, id: &str, pairs: &[&Pair]) -> Data {
    let keys = "first second nodes openings difference interval95 interval90";
    let table = fields(report).table(id, "", keys, many::figure_pairs(pairs));
    let header = "first second nodes openings difference low95 high95 low90 high90";
    Data::of(&table, header)
}

const ABOUT: &str = "Every rule set is played from the same openings, so that each opening gives one difference: +1 if only the first rule set drew it, −1 if only the second, else 0. The estimate is their mean.";
const TESTS: &str = "One look: by resampling openings, valid if their number was fixed before the games. Any time: all differences whose e-value is below 20, valid for all looks together. Drawn in one only: openings drawn only in the first rule set, and only in the second. E-value: evidence against equal draw rates (a = 20); for one pair of equal rates it ever reaches 20 in at most 5% of all runs. p is McNemar’s for one look, otherwise 1 over the e-value; Holm’s accounts for all pairs at one budget. Saved by pairing: share of the games that one would need more without pairing by opening.";

/// Returns the remark that shares of pairs may not be those of all games.
fn unmatched(report: &Report) -> Option<String> {
    let most = report.pairs.iter().map(|pair| pair.unmatched).max().filter(|&most| most > 0)?;
    Some(format!(
        "Up to {} openings of a pair have a game without an error under one of the rule sets only. They are left out here, so that draw rates may differ from those of all games.",
        count(most)
    ))
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let figure = |pairs: &[&Pair]| {
        let data = data(report, "differences", pairs);
        let caption = format!(
            "Percentage points at {} nodes a move. Light bar: 95% interval, dark bar: 90%, both {}. Grey zone: ±3 points.",
            count(report.main_nodes),
            intervals(report)
        );
        Block::Figure(Figure::new(
            "forest",
            forest::differences(pairs, "differences"),
            caption,
            data,
        ))
    };
    let pairs = report.main_pairs();
    let section = Section::new("differences", "Differences", "Differences between rule sets")
        .folded()
        .with([Block::Paragraph(ABOUT.into())])
        .with((pairs.len() > 1).then(|| figure(&pairs)))
        .with([
            Block::Table(table(report)),
            Block::Table(ratios(report)),
            Block::Fine(TESTS.into()),
        ])
        .with(unmatched(report).map(Block::Fine));
    (!report.pairs.is_empty()).then_some(section)
}
