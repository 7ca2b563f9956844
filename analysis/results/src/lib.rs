//! The numbers of a run. The formulas are in `fusion_statistics`; nothing here makes a page.
//!
//! [`run_folder`] reads and checks the files. [`arms`] and [`pairs`] compute the statistics.
//! [`verdict`] and [`protocol`] judge them. [`report`] holds all results of a run. [`compare`]
//! compares two runs.
//!
//! [`report_game`] is what the results need from their game, and [`part`] what a game adds to them:
//! [`chess`] has what only chess games have. [`notable`] reads the moves of every game.

pub mod ablations;
pub mod arms;
pub mod calibration;
pub mod chess;
pub mod compare;
pub mod ending_curves;
pub mod facts;
pub mod games;
pub mod means;
pub mod names;
pub mod notable;
pub mod null_checks;
pub mod pairs;
pub mod part;
pub mod pooled;
pub mod protocol;
pub mod published;
pub mod random;
pub mod record;
pub mod report;
pub mod report_game;
pub mod robustness;
pub mod run_folder;
pub mod toggles;
pub mod trends;
pub mod verdict;
pub mod white;
