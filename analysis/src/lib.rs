//! From the games of a measurement run to an answer: statistics, tables, plots and the
//! report.

pub mod arms;
pub mod checks;
pub mod csv_files;
pub mod format;
pub mod games;
pub mod output;
pub mod pairs;
pub mod report;
pub mod run_folder;
pub mod statistics;
pub mod terminal;
pub mod verdict;
