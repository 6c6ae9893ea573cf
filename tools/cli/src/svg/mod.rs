//! Plots as SVG, to stand within a page: bars, points on logarithmic axes, and shares.

mod marked;
mod plot;
mod shares;

pub(crate) use plot::{COLOURS, Plot, escape};
pub(crate) use shares::Series;
