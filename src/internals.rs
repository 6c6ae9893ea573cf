//! Internals for nddb-lab beyond the public interface. They are no part of that interface, and change with the lab.
//!
//! Three kinds: files and progress of long work (`spill`); a collection's classes, texts and shingles; the
//! candidates and decisions of a run over pairs.

pub use crate::detect::candidates::context::Context;
pub use crate::detect::candidates::resemblance::{Overlaps, Resembling, Sharing, ShingleSets};
pub use crate::detect::candidates::similar::{Sets, Signed};
pub use crate::detect::candidates::source::{Verifier, share_key};
pub use crate::detect::collection::classes::{Classes, Members};
pub use crate::detect::pairs::collector::{CLASSES, TEXT, pairs_of};
pub use crate::detect::pairs::judge::{Judge, Judged};
pub use crate::detect::pairs::{PairJob, Reach};
pub use crate::detect::texts::{Kept, TextSources, keep};
#[cfg(any(test, feature = "testing"))]
pub use crate::detect::{candidates::similar::plain::plain as perhaps_similar_sets, support};
pub use crate::spill::mapped_rows::MappedRowsWriter;
pub use crate::spill::sort::Sorter;
pub use crate::spill::ticker::Ticker;
pub use fixedbitset::FixedBitSet;
