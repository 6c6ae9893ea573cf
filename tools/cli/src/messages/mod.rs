//! The only writer of stderr: errors, warnings, progress and the summary line.

mod lines;
mod meter;
mod steps;

pub(crate) use lines::{Messages, Style, report, usage, wipe};
pub(crate) use meter::{Meter, Tick};
