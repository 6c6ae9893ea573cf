//! The integration tests: one binary, one module for each thing that is at stake.

mod archives;
