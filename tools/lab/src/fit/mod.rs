//! The constants of the model of the default verdict, fitted to labelled pairs.
//!
//! The model is logistic regression over the traits of a pair ([`Traits`](nddb::detect::Traits)), by maximum likelihood
//! with a penalty on the squares of the weights. Every set counts alike, in a set every component of groups that
//! pairs connect, and in a component every pair. What evidence means is known before: a weight whose sign says the
//! opposite ([`DIRECTIONS`]) is left out, the worst first, and the rest is fitted again.
//!
//! How well it does is told by cross-validation over groups: each pair is predicted by a model that was fitted to pairs
//! which touch neither of its groups, and whose penalty was chosen among [`PENALTIES`] in the same way within these.

mod calibration;
mod cross;
mod logistic;
mod weights;

pub use calibration::{Bin, Calibration, calibration, slope_interval};
pub use cross::{PENALTIES, Task};
pub use logistic::{DIRECTIONS, Example};
pub use weights::{components, weights};
