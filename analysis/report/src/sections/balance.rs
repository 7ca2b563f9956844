//! First-move advantage, drama and narrow escapes.

use super::*;
use fusion_results::chess::escapes;

/// The event of a narrow escape.
const ESCAPES: &str = "escapes";

/// Returns the table of the quantities that may change with draws: advantage, drama,
/// escapes, diversity.
pub(super) fn file(report: &Report) -> Table {
    let escapes =
        if report.run.game.counts(ESCAPES) { "escapes_from_mate escapes_and_mates" } else { "" };
    let keys = format!(
        "rules nodes own_openings games white_score white_score95 \
         lead_changes_per_game lead_changes95 games_with_lead_change drama drama95 \
         {escapes} opening_entropy_bits opening_entropy95"
    );
    let items = report.arms.iter().chain(&report.own_openings);
    arms::fields().table("balance", "Balance", &keys, items)
}

fn drama(report: &Report) -> Table {
    let (escapes, title) = if report.run.game.counts(ESCAPES) {
        let title = "Changes of the lead, drama and escapes, with 95% intervals";
        ("escapes_with_interval escapes", title)
    } else {
        ("", "Changes of the lead and drama, with 95% intervals")
    };
    let keys =
        format!("rules lead_changes_with_interval lead_change_share drama_with_interval {escapes}");
    arms::fields().table("drama", title, &keys, many::main_arms(report))
}

const ABOUT: &str = "<p>Fewer draws can have two causes: the game leaves less room for a draw, or one side starts with a larger advantage. White’s score shows the second.</p>";
const INTERVALS: &str = "Intervals of White’s score: Tango’s, each arm by itself; two that overlap may still differ. Of differences: by resampling openings.";

const WITHOUT_RESULT: &str = "White’s scores are of the games with a result, draw rates of all games, in which those that met the cap are not drawn. A comparison of two scores leaves out each opening of which either game has no result, so its scores may differ from those of the table.";

pub(super) fn page(report: &Report) -> Section {
    let has_escapes = report.run.game.counts(ESCAPES);
    let drama_note = format!(
        "At {} nodes a move, by the searches’ own evaluations. A lead changes when the side that was at least 0.1 behind (chance to win less chance to lose) is at least as much ahead. Drama (Browne 2008): the mean, over the plies at which the later winner was behind, of the square root of the deficit.{}",
        count(report.main_nodes),
        if has_escapes {
            format!(" {}", escapes::in_words(report.main_arms()))
        } else {
            String::new()
        }
    );
    let drama = drama(report).unless_empty().map(|table| {
        let words = if has_escapes { "Drama and narrow escapes" } else { "Drama" };
        let heading = Block::Subheading("drama", words.into());
        [heading, Block::Table(table), Block::Fine(drama_note)]
    });
    let [_, with_result] = results::denominators(report);
    let keys = format!("rules nodes {with_result} white_score white_score95");
    let title = "White’s score";
    let table = arms::fields().table("balance", title, &keys, many::arms(report));
    Section::new("balance", "Balance", "First-move advantage")
        .folded()
        .with([Block::Markup(ABOUT)])
        .with(report.white_in_words().map(Block::Paragraph))
        .with([Block::Table(table), Block::Fine(INTERVALS.into())])
        .with((!with_result.is_empty()).then(|| Block::Fine(WITHOUT_RESULT.into())))
        .with(drama.into_iter().flatten())
}
