//! The endgame tables that a study solves.

use super::files::Files;
use fusion_chess::FusionGame;
use fusion_chess::endgame::{Material, equivalent_rules};
use fusion_jobs::exit::Failure;
use fusion_print::format::{counted, duration};
use fusion_study::Study;
use std::collections::HashMap;
use std::path::PathBuf;

/// Number of cores on which [`seconds`] were measured.
const CORES: f64 = 2.0;

/// Returns the approximate seconds for a table with this number of components.
///
/// It is about two seconds with four components, and about two minutes with five. Endings differ by
/// more than a factor of two.
fn seconds(components: usize) -> f64 {
    match components {
        0..=3 => 0.0,
        4 => 2.0,
        _ => 120.0,
    }
}

/// The tables to solve.
#[derive(Debug, Default)]
pub struct Endgames {
    /// Number of components of each table, smaller tables first, and whether the table exists.
    tables: Vec<(usize, bool)>,
}

impl Endgames {
    /// Lists the tables of `[endgames]` and all smaller tables that they need. Rule sets may share
    /// tables.
    ///
    /// # Errors
    /// Fails with exit code 64 if the game does not have a rule set or an ending.
    pub fn of(study: &Study) -> Result<Self, Failure> {
        let Some(endgames) = &study.endgames else { return Ok(Self::default()) };
        let mut materials =
            Material::list(endgames.components, &endgames.endings).map_err(Failure::usage)?;
        let below: Vec<Material> = materials.iter().flat_map(Material::descendants).collect();
        materials.extend(below.into_iter().filter(|material| material.len() > 2));
        materials.sort_unstable();
        materials.dedup();
        let folder = study.out().join("endgames");
        let mut files: HashMap<PathBuf, usize> = HashMap::new();
        for rules in study.endgame_rules::<FusionGame>()? {
            for material in &materials {
                let rules = equivalent_rules(&rules, material);
                files.insert(Files::new(&folder, material, &rules).summary, material.len());
            }
        }
        let mut tables: Vec<(usize, bool)> = files
            .into_iter()
            .map(|(summary, components)| (components, summary.is_file()))
            .collect();
        tables.sort_unstable();
        Ok(Self { tables })
    }

    /// Returns the approximate seconds for all tables, and for those that do not exist, on the
    /// given number of threads.
    pub fn time(&self, threads: f64) -> (f64, f64) {
        let of = |tables: &mut dyn Iterator<Item = &(usize, bool)>| -> f64 {
            tables.map(|&(components, _)| seconds(components)).sum::<f64>() * CORES / threads
        };
        (of(&mut self.tables.iter()), of(&mut self.tables.iter().filter(|(_, there)| !there)))
    }

    /// Returns the share of the tables that exist. Returns `None` if there are none to solve.
    pub fn finished(&self) -> Option<f64> {
        let there = self.tables.iter().filter(|(_, there)| *there).count();
        (!self.tables.is_empty()).then(|| there as f64 / self.tables.len() as f64)
    }

    /// Describes the tables to solve and the time for them.
    pub fn in_words(&self) -> Option<String> {
        let of = |components: usize| {
            let tables = self.tables.iter().filter(|table| table.0 == components).count() as u64;
            (tables > 0).then(|| format!("{} of {components} components", counted(tables, "table")))
        };
        let parts: Vec<String> = (3..=5).filter_map(of).collect();
        (!parts.is_empty()).then(|| {
            format!(
                "Endgame tables to solve, with the smaller ones that they need: {}. On two cores this takes roughly {}: next to nothing for a table of 3 components, about 2 s for one of 4, about 2 minutes for one of 5.",
                parts.join(", "),
                duration(self.time(CORES).0)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endgames(text: &str) -> Endgames {
        let study =
            Study::parse(&format!("[study]\nname = 'x'\nout = '/none'\n[endgames]\n{text}"));
        Endgames::of(&study.unwrap()).unwrap()
    }

    #[test]
    fn tables_count_once_with_what_they_need() {
        // Castling does not change an ending.
        let rules = "components = 2\nrules = ['orthodox', 'orthodox,castling=no', 'fusion-1999']\n";
        let found = endgames(&format!("{rules}endings = ['KRvKB']\n"));
        let of = |components| found.tables.iter().filter(|table| table.0 == components).count();
        // KRvK, KBvK and KRvKB under two kinds of rules.
        assert_eq!((of(3), of(4), found.tables.len()), (4, 2, 6));
        assert_eq!(found.time(1.0), (8.0, 8.0));
        assert_eq!(found.finished(), Some(0.0));
    }

    #[test]
    fn nothing_is_nothing() {
        let found = endgames("components = 2\n");
        assert_eq!((found.finished(), found.in_words()), (None, None));
        assert_eq!(found.time(2.0), (0.0, 0.0));
    }
}
