//! Properties of rules and notations on positions that random play reaches, from the
//! initial position and from every position of the shipped table, under random mixes of
//! toggles.

mod claim;
mod garbage;
mod long_games;
mod mailbox;
mod moves;
mod notations;
mod play;
