//! The columns of the tables that engines give.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{ArrowError, DataType};

use crate::arrow::column;
use crate::errors::{Fault, Result};

/// Takes an array for a table.
pub(super) fn table(array: Result<ArrayRef, ArrowError>) -> Result<StructArray> {
    let array = array.map_err(|error| Fault::value(error.to_string()))?;
    let table = array.as_struct_opt().ok_or_else(|| Fault::value("a table is wanted, and this is an array"))?;
    Ok(table.clone())
}

/// A column of numbers of 64 bits.
pub(super) struct Numbers<'a> {
    name: &'static str,
    array: &'a ArrayRef,
}

impl<'a> Numbers<'a> {
    /// Takes a column.
    pub(super) fn new(table: &'a StructArray, name: &'static str) -> Result<Self> {
        let array = column(table, name)?;
        match array.data_type() {
            DataType::Int64 => Ok(Self { name, array }),
            other => Err(Fault::value(format!("column '{name}' has no numbers of 64 bits, but {other}"))),
        }
    }

    /// The number of a row.
    pub(super) fn get(&self, row: usize) -> Result<u64> {
        self.optional(row).ok_or_else(|| Fault::value(format!("column '{}' is null in row {row}", self.name)))
    }

    /// The number of a row, if it has one.
    pub(super) fn optional(&self, row: usize) -> Option<u64> {
        self.array.is_valid(row).then(|| self.array.as_primitive::<Int64Type>().value(row).cast_unsigned())
    }
}

/// A column of truth values; a null is false.
pub(super) struct Flags<'a>(&'a ArrayRef);

impl<'a> Flags<'a> {
    /// Takes a column.
    pub(super) fn new(name: &str, array: &'a ArrayRef) -> Result<Self> {
        match array.data_type() {
            DataType::Boolean => Ok(Self(array)),
            other => Err(Fault::value(format!("column '{name}' has no truth values, but {other}"))),
        }
    }

    /// The value of a row.
    pub(super) fn get(&self, row: usize) -> bool {
        self.0.is_valid(row) && self.0.as_boolean().value(row)
    }
}

/// A column of lists of numbers of 64 bits.
pub(super) struct Lists<'a> {
    name: &'static str,
    array: &'a ArrayRef,
}

impl<'a> Lists<'a> {
    /// Takes a column.
    pub(super) fn new(table: &'a StructArray, name: &'static str) -> Result<Self> {
        let array = column(table, name)?;
        match array.data_type() {
            DataType::List(field) | DataType::LargeList(field) if *field.data_type() == DataType::Int64 => {
                Ok(Self { name, array })
            }
            other => Err(Fault::value(format!("column '{name}' has no lists of numbers of 64 bits, but {other}"))),
        }
    }

    /// The numbers of a row.
    pub(super) fn get(&self, row: usize) -> Result<Vec<u64>> {
        if !self.array.is_valid(row) {
            return Err(Fault::value(format!("column '{}' is null in row {row}", self.name)));
        }
        let list = match self.array.data_type() {
            DataType::List(_) => self.array.as_list::<i32>().value(row),
            _ => self.array.as_list::<i64>().value(row),
        };
        Ok(list.as_primitive::<Int64Type>().values().iter().map(|number| number.cast_unsigned()).collect())
    }
}
