//! Random positions and games under random rules: beside a slow generator, and by themselves.

mod beside;
mod play;
mod slow;
mod start;
