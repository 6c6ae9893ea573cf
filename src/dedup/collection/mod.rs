//! The documents of one view of a database, in the form that methods read.

mod build;
pub(crate) mod classes;
mod documents;
mod given;
mod order;
pub(crate) mod row;

pub use documents::Collection;
pub(crate) use documents::Sketched;
pub use given::Numbered;
pub(crate) use order::Places;
