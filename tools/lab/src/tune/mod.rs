//! Tuning on the user's documents: calibration of shingle sampling to a required precision, and the recall of each
//! method on known edits.
//!
//! [`calibrate`] is the calibration of adaptive sampling (Ye, Wen, Ma 2007, 4.4); [`sampled()`] measures what samples find
//! at each threshold. [`trial`] makes edits in a sample of the documents, and says of each k, choice of features and method
//! how many edited documents it finds again, how many pairs of different documents it says to be near, and what it costs.

mod calibrate;
mod drawing;
mod edits;
mod runs;
mod sampled;
#[cfg(test)]
mod tests;
mod trial;

pub use calibrate::{Calibration, GroupFigures, RATIOS, Run, TuneOptions, calibrate, lower_bound};
pub use edits::{Edit, EditKind, edited};
pub use runs::PAIRS_MAX;
pub use sampled::{AtThreshold, Sampled, THRESHOLDS, sampled};
pub use trial::{Figure, Trial, sample, trial};
