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
pub use cross::{cross_validated, fit};
pub use logistic::DIRECTIONS;
pub use weights::{components, weights};

use nddb::detect::TRAITS;

/// Penalties that are chosen from: that of a weight of 1 on a trait of deviation 1, in the units of the log-likelihood of
/// as many pairs as there are.
pub const PENALTIES: [f64; 3] = [1.0, 3.0, 10.0];

/// A labelled pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// Its set.
    pub set: u32,
    /// The groups of its documents; no two sets have one in common.
    pub groups: [u32; 2],
    /// The two are near-duplicates.
    pub is_near: bool,
    /// They have one text, which every method knows without a model.
    pub is_identical: bool,
    /// The values of the traits.
    pub traits: [f64; TRAITS],
}
