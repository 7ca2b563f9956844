//! Statistical power of the planned games.

use super::schedule::openings;
use fusion_game::CompleteGame;
use fusion_print::format::{count, counted, fixed};
use fusion_print::table::{Cell, Column, Fields, Kind, Table, Unit};
use fusion_print::text::Text;
use fusion_results::verdict::MATERIAL;
use fusion_statistics::Confidence;
use fusion_statistics::power::Power;
use fusion_study::{MeasureConfig, Measurement, Study};

/// Assumed draw rates, since the true ones are unknown before the games.
const DRAW_RATES: [f64; 3] = [0.3, 0.5, 0.7];
/// Assumed decreases of the draw rate.
const DROPS: [f64; 3] = [0.02, 0.05, 0.1];
/// Shares of the games that pairing by opening saves: none, and the smallest and the largest found
/// in simulations.
const SAVINGS: [f64; 3] = [0.0, 0.06, 0.29];

/// Adds the power tables.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn write<G: CompleteGame>(text: &mut Text, study: &Study) -> anyhow::Result<()> {
    if let Some([first, second]) = study.measure.primary::<G>()? {
        write_primary(text, openings(study, &study.measure), &first, &second)?;
    }
    if let Some(table) = all::<G>(study)?.unless_empty() {
        text.table(table);
        text.push("A dash: too few openings to show any difference. Assumed: pairing saves nothing. The games of one opening in a factorial's arms end independently of each other; where a toggle acts differently from opening to opening, more is needed.");
    }
    Ok(())
}

fn write_primary(text: &mut Text, planned: u64, first: &str, second: &str) -> anyhow::Result<()> {
    let title = format!(
        "Smallest difference between {first} and {second} that {} show, in points, where pairing saves",
        counted(planned, "opening")
    );
    let power = Power::default();
    text.table(by_draw_rate("power", &title, saving, SAVINGS, |rate, saving| {
        Ok(margin(power.detectable(planned, discordance(rate) * (1.0 - saving))?))
    })?);
    text.push("Such a difference is found in 80% of such studies, by a two-sided test at 5% (Connor 1987).");
    text.push("Assumed: the draw rate p is about the same in both arms; an opening is drawn in only one arm with the chance 2p(1 − p), less the share of games that pairing by opening saves (6 to 29% in simulations).");

    let title = "Games needed in each arm to see the draw rate fall by so much, without pairing";
    let drop = |drop| format!("by {} points", fixed(100.0 * drop, 0));
    text.table(by_draw_rate("unpaired", title, drop, DROPS, |rate, drop| {
        Ok(Cell::Count(power.games_unpaired(rate, rate - drop)?))
    })?);
    let planned = count(planned);
    text.push(format!(
        "Planned: {planned}. Assumed: as above, with openings of its own in each arm (Fleiss 4.14)."
    ));

    let title =
        "Openings needed to find no material change where there is none, where pairing saves";
    text.table(by_draw_rate("alike", title, saving, SAVINGS, |rate, saving| {
        Ok(Cell::Count(openings_alike(discordance(rate) * (1.0 - saving))?))
    })?);
    text.push(format!(
        "Planned: {planned}. Assumed: the draw rates are the same; the 90% interval then lies inside ±{} points in 80% of such studies.",
        fixed(100.0 * MATERIAL, 0)
    ));
    Ok(())
}

/// Makes a table with a row for each draw rate and a column for each of the given numbers, under a
/// heading made from the number.
fn by_draw_rate(
    id: &str,
    title: &str,
    heading: impl Fn(f64) -> String,
    across: [f64; 3],
    cell: impl Fn(f64, f64) -> anyhow::Result<Cell>,
) -> anyhow::Result<Table> {
    let column = |heading: String| Column {
        key: heading.replace(' ', "_"),
        heading: heading.as_str().into(),
        kind: Kind::Number,
    };
    let columns = std::iter::once("draw rate".to_owned()).chain(across.map(heading)).map(column);
    let mut rows = Vec::new();
    for rate in DRAW_RATES {
        let mut row = vec![Cell::Value(rate, Unit::Share)];
        for value in across {
            row.push(cell(rate, value)?);
        }
        rows.push(row);
    }
    Ok(Table::new(id, title, columns.collect(), rows))
}

/// Makes a table with a row for each comparison of each measurement.
fn all<G: CompleteGame>(study: &Study) -> anyhow::Result<Table> {
    let mut fields = Fields::<(String, String, u64, Vec<Option<f64>>)>::default()
        .text("measurement", "measurement", |(name, ..)| name.clone())
        .text("comparison", "comparison", |(_, comparison, ..)| comparison.clone())
        .count("openings", "openings", |(.., openings, _)| *openings);
    for (i, rate) in DRAW_RATES.into_iter().enumerate() {
        let rate = percentage(rate);
        fields = fields.value(&rate, rate.as_str(), Unit::Margin, move |(.., found)| found[i]);
    }
    let mut rows = Vec::new();
    for Measurement { name, config, .. } in study.measurements() {
        let openings = openings(study, &config);
        for (comparison, pairs) in comparisons::<G>(&config)? {
            let pairs = openings.saturating_mul(pairs);
            let find = |rate| Power::default().detectable(pairs, discordance(rate));
            let found = DRAW_RATES.into_iter().map(find).collect::<Result<_, _>>()?;
            rows.push((name.clone(), comparison, openings, found));
        }
    }
    let title =
        "Smallest difference that each measurement shows, in points, at each budget, by draw rate";
    Ok(fields.whole_table("detectable", title, rows).droppable("openings"))
}

/// Returns the smallest difference that the main measurement shows with 80% power.
///
/// Half of the games are assumed to be drawn, and pairing to save nothing. The difference is that
/// of the primary comparison, of a toggle's two halves of a factorial, or else of two arms. Returns
/// `None` with one arm or too few games.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn detectable_difference<G: CompleteGame>(study: &Study) -> anyhow::Result<Option<f64>> {
    let config = &study.measure;
    let compared = comparisons::<G>(config)?;
    let judged = match config.primary::<G>()? {
        Some(_) => compared.first(),
        None => compared.last(),
    };
    let Some((_, pairs)) = judged else { return Ok(None) };
    let pairs = openings(study, config).saturating_mul(*pairs);
    Ok(Power::default().detectable(pairs, discordance(0.5))?)
}

/// Returns the comparisons of a measurement, each with its number of pairs of games per opening.
fn comparisons<G: CompleteGame>(config: &MeasureConfig) -> anyhow::Result<Vec<(String, u64)>> {
    let mut comparisons = Vec::new();
    if config.arms::<G>()?.len() > 1 {
        comparisons.push(("one arm against another".to_owned(), 1));
    }
    if config.factorial.len() > 1 {
        // With and without a toggle: every mix of the other toggles makes a pair.
        let pairs = 1 << (config.factorial.len() - 1);
        let halves =
            format!("{pairs} arms against {pairs}: one toggle of {}", config.factorial.len());
        comparisons.push((halves, pairs));
    }
    Ok(comparisons)
}

/// Returns the chance that independent games of one opening are drawn in only one of two arms.
fn discordance(rate: f64) -> f64 {
    2.0 * rate * (1.0 - rate)
}

/// Returns the number of openings for two one-sided tests at 5% with 80% power.
///
/// With these openings the 90% interval of a true difference of 0 lies within the margin of
/// materiality. Both tests must succeed.
///
/// Source: D. J. Schuirmann, *A comparison of the two one-sided tests procedure and the power
/// approach*, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987), in the normal
/// approximation.
fn openings_alike(discordance: f64) -> anyhow::Result<u64> {
    // Each test fails with half of the remaining chance, as outside of an 80% interval.
    let both = Confidence::new(Power::default().power)?;
    let errors = (Confidence::P90.z() + both.z()) / MATERIAL;
    Ok((errors.powi(2) * discordance).ceil() as u64)
}

fn percentage(share: f64) -> String {
    format!("{}%", fixed(100.0 * share, 0))
}

/// Returns the heading of a share of games that pairing saves.
fn saving(share: f64) -> String {
    if share == 0.0 { "nothing".to_owned() } else { percentage(share) }
}

fn margin(difference: Option<f64>) -> Cell {
    difference.map(|difference| Cell::Value(difference, Unit::Margin)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;

    /// Checks that the half width of the interval at the returned number of openings is what two
    /// one-sided tests require: 4,758 openings for arms that are drawn in half of their games.
    #[test]
    fn openings_that_show_that_arms_are_alike() {
        let needed = openings_alike(0.5).unwrap();
        assert_eq!(needed, 4_758);
        let error = (0.5 / needed as f64).sqrt();
        // The estimate must be 1.645 standard errors from ±3 points, and is in 80% of studies.
        let room = (MATERIAL - 1.644_854 * error) / error;
        assert!((room - 1.281_552).abs() < 1e-3, "{room}");
    }

    #[test]
    fn a_factorial_pairs_half_of_its_arms_with_the_others() {
        let names = ["castling", "king-fuses", "attacked-split"];
        let config = MeasureConfig {
            factorial: names.map(str::to_owned).to_vec(),
            ..MeasureConfig::default()
        };
        let found = comparisons::<FusionGame>(&config).unwrap();
        assert_eq!(found.iter().map(|(_, pairs)| *pairs).collect::<Vec<_>>(), [1, 4]);
    }
}
