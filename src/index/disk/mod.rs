//! The database folder: names of files, the lock, memory maps and their guard, copies of files, and in `system` what
//! differs between operating systems. Within the engine the only user of `std::fs`, memory maps and `unsafe`.
#![expect(clippy::disallowed_methods, reason = "the files of a database")]

pub(crate) mod bugs;
pub(crate) mod checked;
#[cfg(feature = "catalog")]
pub(crate) mod copy;
pub(crate) mod dir;
mod files;
#[cfg(feature = "catalog")]
mod kept;
mod lock;
mod manifest;
pub(crate) mod map;
mod mark;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod of_folder;
#[cfg(feature = "catalog")]
mod origin;
mod place;
pub(crate) mod regular;
pub(crate) mod staging;
pub(crate) mod steps;
mod system;
