//! Statistical power of the planned games.

use super::schedule::openings;
use fusion_game::CompleteGame;
use fusion_print::format::{counted, fixed, whole_percent};
use fusion_print::table::{Fields, Table, Unit};
use fusion_print::text::Text;
use fusion_results::verdict::MATERIAL;
use fusion_statistics::Confidence;
use fusion_statistics::evalue::Looks;
use fusion_statistics::power::Power;
use fusion_study::{MeasureConfig, Measurement, Study};

/// Assumed draw rates, since the true ones are unknown before the games.
const DRAW_RATES: [f64; 3] = [0.3, 0.5, 0.7];
/// Differences for which the needed openings are given.
const DIFFERENCES: [f64; 2] = [0.05, 0.1];

/// Adds the power tables.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub(super) fn write<G: CompleteGame>(text: &mut Text, study: &Study) -> anyhow::Result<()> {
    if let Some(primary) = study.measure.primary::<G>()? {
        write_primary(text, study, &primary)?;
    }
    if let Some(table) = all::<G>(study)?.unless_empty() {
        text.table(table);
        text.push("A dash: too few openings to show any difference. Assumed: pairing saves nothing. The games of one opening in a factorial's arms end independently of each other; where a toggle acts differently from opening to opening, more is needed.");
    }
    Ok(())
}

/// Returns the requirements for a comparison in the study.
fn power(study: &Study) -> Power {
    Power { looks: study.looks(), ..Power::default() }
}

/// What a comparison can show where this share of the games is drawn.
struct Planned {
    rate: f64,
    /// Smallest difference that the planned openings show.
    shows: Option<f64>,
    /// Openings that show [`DIFFERENCES`].
    needed: [u64; 2],
    /// Openings that show that there is no material change.
    alike: u64,
}

fn write_primary(
    text: &mut Text,
    study: &Study,
    [first, second]: &[String; 2],
) -> anyhow::Result<()> {
    let (planned, power) = (openings(study, &study.measure), power(study));
    let within = Power { confidence: Confidence::P90, ..power };
    let row = |rate| -> anyhow::Result<Planned> {
        let often = discordance(rate);
        let [few, many] = DIFFERENCES.map(|difference| power.openings(difference, often));
        let shows = power.detectable(planned, often)?;
        Ok(Planned { rate, shows, needed: [few?, many?], alike: within.alike(MATERIAL, often)? })
    };
    let rows = DRAW_RATES.into_iter().map(row).collect::<anyhow::Result<Vec<_>>>()?;
    let mut fields = Fields::<Planned>::default()
        .value("rate", "draw rate", Unit::Share, |row| row.rate)
        .value("shows", "shown now", Unit::Margin, |row| row.shows);
    for (i, difference) in DIFFERENCES.into_iter().enumerate() {
        let heading = format!("for {} points", fixed(100.0 * difference, 0));
        fields = fields.count(&format!("needed{i}"), heading.as_str(), move |row| row.needed[i]);
    }
    let fields = fields.count("alike", "for no change", |row| row.alike);
    let title = format!(
        "Smallest difference between {first} and {second} that {} show, in points, and openings needed",
        counted(planned, "opening")
    );
    text.table(fields.whole_table("power", &title, rows));
    let how = match study.looks() {
        Looks::Once => "the number of openings is fixed",
        Looks::Any => {
            "openings may be added, so that intervals are anytime-valid; with `fixed = true` under [study] fewer are needed"
        }
    };
    text.push(format!(
        "Each is found in {} of such studies: {how}. No change: the draw rates are the same, and the 90% interval lies inside ±{} points.",
        whole_percent(power.power),
        fixed(100.0 * MATERIAL, 0)
    ));
    text.push("Assumed: the draw rate p is about the same in both arms; an opening is drawn in only one arm with the chance 2p(1 − p), as if pairing by opening saved nothing.");
    Ok(())
}

/// Makes a table with a row for each comparison of each measurement.
fn all<G: CompleteGame>(study: &Study) -> anyhow::Result<Table> {
    let mut fields = Fields::<(String, String, u64, Vec<Option<f64>>)>::default()
        .text("measurement", "measurement", |(name, ..)| name.clone())
        .text("comparison", "comparison", |(_, comparison, ..)| comparison.clone())
        .count("openings", "openings", |(.., openings, _)| *openings);
    for (i, rate) in DRAW_RATES.into_iter().enumerate() {
        let rate = whole_percent(rate);
        fields = fields.value(&rate, rate.as_str(), Unit::Margin, move |(.., found)| found[i]);
    }
    let mut rows = Vec::new();
    for Measurement { name, config, .. } in study.measurements() {
        let openings = openings(study, &config);
        for (comparison, pairs) in comparisons::<G>(&config)? {
            let pairs = openings.saturating_mul(pairs);
            let find = |rate| power(study).detectable(pairs, discordance(rate));
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
    Ok(power(study).detectable(pairs, discordance(0.5))?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;

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
