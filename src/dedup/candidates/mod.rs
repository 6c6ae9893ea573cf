//! Candidate pairs: pairs of documents that share a key, and the comparison of their texts.

pub(crate) mod bands;
pub(crate) mod buckets;
pub(crate) mod comparison;
pub(crate) mod contents;
pub(crate) mod context;
pub(crate) mod keyed;
pub(crate) mod lookup;
pub(crate) mod posting_list;
mod repeats;
pub(crate) mod resemblance;
pub(crate) mod similar;
pub(crate) mod source;
