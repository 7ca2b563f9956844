//! Properties of random games, and a slow second implementation of the rules.

mod games;
mod invariants;
mod lines;
mod reference;
mod symmetries;
mod texts;
mod two_rules;
