//! Candidates: the pairs that a method looks at, by keys that both share, and comparisons of their texts.

pub(crate) mod bands;
pub(crate) mod buckets;
pub(crate) mod comparison;
pub(crate) mod context;
pub(crate) mod keyed;
pub(crate) mod lookup;
mod repeats;
pub(crate) mod resemblance;
pub(crate) mod similar;
pub(crate) mod source;
