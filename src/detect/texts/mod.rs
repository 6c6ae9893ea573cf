//! The texts of documents, which the database does not keep: read again where each was loaded from.
//!
//! Two ways: a whole pass over all documents that are wanted, in the order in which they stand in their archives,
//! each archive once and from its beginning ([`TextSources::each`]); and single look-ups ([`TextSources::page`]). What a
//! pass reads is written to a temporary file ([`Kept`]), so that texts are compared in any order without being
//! held in memory.
//!
//! A text that cannot be read again is no error: the archive may have been moved, or written anew, or it was no
//! file. Such documents are counted by the reason ([`UnreadTexts`]), and what is said of them says so.

mod kept;
mod sources;
#[cfg(test)]
mod tests;

pub use kept::{Kept, keep};
pub use sources::TextSources;
