//! Plots as SVG elements of a page: bars, points on logarithmic axes, and shares.

mod axes;
mod shares;

pub use axes::PlotError;
pub(crate) use axes::{COLOURS, Plot, Result, escape};
pub(crate) use shares::Series;
