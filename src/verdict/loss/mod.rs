//! What is lost if one text is removed and the other kept: the words of two texts are aligned, and each word of the
//! removed text that has no counterpart is lost. [`Level`] says how much may be lost.
//!
//! Everything here is a pure function of two compared texts ([`nddb_page::text::compared_text`]), wherever these come
//! from.

mod alignment;
mod comparison;
mod estimate;
mod hashed;
mod kinds;
mod level;
mod words;

pub use comparison::{Comparison, Kinds, Loss, PartLoss};
pub use estimate::{Estimate, Overlap};
pub use level::{Level, Reason, UnknownLevel};
pub use words::{DistinctWords, Words};
