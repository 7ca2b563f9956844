//! From the games of a measurement run to an answer: statistics, tables, plots and the
//! report.

pub mod statistics;
