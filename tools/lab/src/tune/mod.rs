//! Tuning on the user's documents: calibration of shingle sampling to a required precision, and the recall of each
//! method on known edits.
//!
//! [`calibrate`] is the calibration of adaptive sampling (Ye, Wen, Ma 2007, 6); [`sampled()`] measures the accuracy
//! of samples at each threshold. [`trial`] edits a sample of the documents and measures, for each k, choice of features
//! and method, the number of edited documents found, the number of pairs of different documents reported as
//! near-duplicates, and the cost.

mod calibrate;
mod choose;
mod drawing;
mod edits;
mod runs;
mod sampled;
#[cfg(test)]
mod tests;
mod trial;

pub use calibrate::{AdaptiveRow, Calibration, PRECISIONS, RATIOS, Run, TuneOptions, adaptive, calibrate};
pub use choose::{Chosen, GroupFigures, Measured, PAIRS_MIN, cells, choose, lower_bound};
pub use edits::{Edit, EditKind, edited};
pub use runs::PAIRS_MAX;
pub use sampled::{AtThreshold, Sampled, THRESHOLDS, sampled};
pub use trial::{Figure, Trial, sample, trial};
