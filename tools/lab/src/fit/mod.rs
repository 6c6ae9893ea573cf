//! The constants of the model of the default verdict, fitted to labelled pairs.
//!
//! The model is logistic regression over the features of a pair ([`FEATURES`](nddb::verdict::FEATURES)), by maximum
//! likelihood with a penalty on the squares of the weights. All sets have the same weight; within a set, all components (groups
//! that pairs connect) have the same weight, and within a component all pairs. The direction of each feature is known
//! before (`speaks_for`): if a weight has the opposite sign, its feature is left out, the worst first, and the others
//! are fitted again.
//!
//! The model is evaluated by cross-validation over groups: each pair is predicted by a model that was fitted only to
//! pairs without its groups. The penalty of that model was chosen among [`PENALTIES`] in the same way within those
//! pairs.

mod cross;
mod weights;

pub use cross::{PENALTIES, Task};
pub use weights::{components, weights};
