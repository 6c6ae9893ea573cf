//! The only writer of stderr: errors, warnings, progress and the summary line.

mod lines;
mod meter;
mod steps;

pub use lines::{Messages, Style};
pub(crate) use lines::{report, usage, wipe};
pub use meter::{Meter, Tick};
