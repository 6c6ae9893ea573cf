//! Tables between Python and Rust by the Arrow C data interface: capsules (PyCapsule interface), and arrays of numbers
//! by the buffer protocol. Nothing is copied.

mod capsules;
mod columns;
mod numbers;
mod rows;

pub(crate) use self::capsules::{Arrays, exported_schema, exported_stream, import};
pub(crate) use self::columns::{Bytes, IdColumn, column, optional};
pub(crate) use self::numbers::Numbers;
pub(crate) use self::rows::dictionary;
