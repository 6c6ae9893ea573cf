//! The integration tests: one binary, one module for each thing that is at stake.

mod api;
mod archives;
mod check;
mod compat;
mod damage;
mod floors;
mod model;
mod probe;
mod lifecycle;
mod rebuild;
mod support;
