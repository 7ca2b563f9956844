//! Ways to do the steps of a study: on this machine, or by jobs of a scheduler.
//!
//! All of them work from one list, [`fusion_study::Study::steps`].

pub(crate) mod command;
pub mod hq;
mod jobs;
pub mod kubernetes;
pub mod local;
mod ready;
pub mod site;
pub mod slurm;
pub mod submission;
