//! Tables and texts of every command: for the terminal, as CSV and as JSON.
//!
//! [`table`] is the model of a table, described once. [`text`] joins paragraphs and tables.
//! [`mod@format`] writes numbers as people read them. [`axis`] places values in figures; [`chart`]
//! draws lines into SVG files. [`output`] writes files and [`progress`] says how
//! far the work is.

pub mod axis;
pub mod chart;
pub mod format;
pub mod output;
pub mod progress;
pub mod table;
pub mod text;
