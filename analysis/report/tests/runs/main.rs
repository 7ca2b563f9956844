//! Tests reports on whole runs: published ones, ones that are still going on, and ones played here.

mod documents;
mod published;
mod study;
mod watch;
