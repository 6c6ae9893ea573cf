//! The integration tests: one binary, one module for each property at stake.

mod api;
mod archives;
mod backup;
mod batch;
mod check;
mod compat;
mod damage;
mod exchanged;
mod filters;
mod foreign;
mod ingest;
mod intervals;
mod kill;
mod lifecycle;
mod model;
mod online;
mod parts;
mod probe;
mod radius;
mod readers;
mod rebuild;
mod support;
mod swapped;
mod taken_in;
mod texts;
mod upkeep;
