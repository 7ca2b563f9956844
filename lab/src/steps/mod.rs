//! Ways to do the steps of a study: on this machine, or by jobs of a scheduler.
//!
//! All of them work from one list, [`fusion_study::Study::steps`].

mod jobs;
pub mod local;
pub mod site;
pub mod slurm;
