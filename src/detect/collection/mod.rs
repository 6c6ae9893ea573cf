//! The documents of one state of a database, as methods read them.

mod build;
pub(crate) mod classes;
mod documents;
pub(crate) mod row;

pub use documents::Collection;
pub(crate) use documents::agreement;
