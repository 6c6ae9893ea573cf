//! Tuning on the user's documents: calibration of shingle sampling to a required precision.
//!
//! [`calibrate`] is the calibration of adaptive sampling (Ye, Wen, Ma 2007, 6); [`sampled()`] measures the accuracy
//! of samples at each threshold.

mod calibrate;
mod choose;
mod drawing;
mod runs;
mod sampled;
#[cfg(test)]
mod tests;

pub use calibrate::{AdaptiveRow, Calibration, PRECISIONS, Run, TuneOptions, adaptive, calibrate};
pub use choose::{Chosen, GroupFigures, Measured, PAIRS_MIN, RATIOS, cells, choose, lower_bound};
pub use runs::PAIRS_MAX;
pub use sampled::{AtThreshold, Sampled, THRESHOLDS, sampled};
