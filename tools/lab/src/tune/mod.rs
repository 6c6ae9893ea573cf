//! Tuning on the user's documents: calibration of shingle sampling to a required precision.
//!
//! [`calibrate`] is the calibration of adaptive sampling (Ye, Wen, Ma 2007, 6).

mod calibrate;
mod choose;
#[cfg(test)]
mod tests;

pub use calibrate::{AdaptiveRow, Calibration, PRECISIONS, Run, TuneOptions, adaptive, calibrate};
pub use choose::{Chosen, GroupFigures, Measured, PAIRS_MIN, cells, choose, lower_bound};
