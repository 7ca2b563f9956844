//! Tests the library as the programs call it, in one program, since code that is generic over games is
//! compiled anew in every one.

mod alpha_beta;
mod batched;
mod games;
mod measurements;
mod pgn;
mod samples;
mod shards;
mod shipped;
mod stopping;
mod study;
mod turns;
mod uci_client;
