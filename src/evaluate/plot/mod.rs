//! Plots as SVG elements of a page: bars, points on logarithmic axes, and shares.

mod axes;
mod shares;

pub use axes::PlotError;
pub use axes::{COLOURS, Plot, Result, escape};
pub use shares::Series;
