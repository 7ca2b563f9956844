//! Games from openings that the agents chose themselves, and games of random movers.

use super::*;

fn own_openings(report: &Report) -> Table {
    let keys = "rules nodes games opening_entropy_with_interval draw_share draw_wilson95 \
        distinct_games";
    let title = "Openings that each rule set’s agent chose itself, by the visits of its search";
    arms::fields().table("own-openings", title, keys, &report.own_openings)
}

const ENTROPY: &str = "Entropy: how many bits of choice these openings hold, the sum of the entropies of what each ply was drawn from.";

/// Returns the section. Its tables stand below those of the agents, without a heading.
pub(super) fn page(report: &Report) -> Option<Section> {
    let own = own_openings(report).unless_empty();
    let own = own.map(|table| [Block::Table(table), Block::Fine(ENTROPY.into())]);
    let section = Section::unlisted("", "").with(own.into_iter().flatten()).with(
        random::table(report.run.game.description(), &report.run.random)
            .unless_empty()
            .map(Block::Table),
    );
    (!section.blocks.is_empty()).then_some(section)
}
