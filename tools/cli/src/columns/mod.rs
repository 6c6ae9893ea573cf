//! Tables of rows and typed columns, written as lines or as Parquet.

#[cfg(not(feature = "parquet"))]
mod absent;
#[cfg(feature = "parquet")]
mod batch;
mod cell;
#[cfg(feature = "parquet")]
mod file;
#[cfg(feature = "parquet")]
mod leaves;
mod rows;

#[cfg(not(feature = "parquet"))]
pub(crate) use self::absent::TableFile;
#[cfg(feature = "parquet")]
pub use self::batch::{RowBatch, schema};
pub use self::cell::{Cell, Column, Kind};
#[cfg(feature = "parquet")]
pub(crate) use self::file::TableFile;
#[cfg(feature = "parquet")]
pub(crate) use self::leaves::{leaf, write_values};
pub(crate) use self::rows::{RowFormat, Rows, json_value};
