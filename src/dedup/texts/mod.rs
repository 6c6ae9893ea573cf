//! The texts of documents. The database does not store them, so they are read again from their sources.
//!
//! There are two access paths: a pass over all requested documents in archive order, which reads each archive once from
//! its beginning ([`TextSources::each`]), and single look-ups ([`TextSources::page`]). A pass writes the texts to a
//! temporary file ([`Kept`]), so that texts can be compared in any order without being held in memory.
//!
//! A text that cannot be read again is no error: the archive may have been moved or rewritten, or was not a file. Such
//! documents are counted by reason ([`UnreadTexts`]), and marked in the output.

mod described;
mod kept;
mod pages;
mod sources;
#[cfg(test)]
mod tests;

pub use described::Descriptions;
pub(crate) use kept::KeptWriter;
pub use kept::{Kept, keep};
pub use pages::Pages;
pub use sources::TextSources;
