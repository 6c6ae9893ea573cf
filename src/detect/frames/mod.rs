//! Frame of sites: blocks of content that stand on many pages of a site, and pairs judged without them (SPEC 8.8).
//!
//! [`find_frames`] reads the pages of a database again and makes a [`FrameTable`](super::FrameTable) of it. With the
//! table pairs that the model finds are judged once more, by sketches of the two pages without the frame of their
//! sites ([`FramelessSketches`]). Nothing of it is stored, and without a table no verdict knows of frames.

mod find;
mod sketches;
#[cfg(test)]
mod tests;

pub use find::{FrameSummary, find_frames};
pub(crate) use sketches::{Frameless, FramelessSketches};
