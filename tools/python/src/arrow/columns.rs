//! Columns of tables that others made: text and ids of every kind that Arrow has.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use nddb::number_id;
use nddb_format::record::NUMBER_MARK;

use crate::errors::{Fault, Result};

/// Returns a column of a table.
pub(crate) fn column<'a>(table: &'a StructArray, name: &str) -> Result<&'a ArrayRef> {
    table.column_by_name(name).ok_or_else(|| {
        let names = table.column_names().join(", ");
        Fault::value(format!("there is no column '{name}'; the table has: {names}"))
    })
}

/// Returns a column that need not be there.
pub(crate) fn optional<'a>(table: &'a StructArray, name: Option<&str>) -> Option<&'a ArrayRef> {
    table.column_by_name(name?)
}

/// A column of text or bytes.
pub(crate) struct Bytes<'a>(&'a ArrayRef);

impl<'a> Bytes<'a> {
    /// Takes a column.
    pub(crate) fn new(name: &str, array: &'a ArrayRef) -> Result<Self> {
        use DataType as T;
        match array.data_type() {
            T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Binary | T::LargeBinary | T::BinaryView | T::Null => {
                Ok(Self(array))
            }
            other => Err(Fault::value(format!("column '{name}' is no text, but {other}"))),
        }
    }

    /// Whether the bytes are UTF-8 for certain.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.0.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    }

    /// The value of a row, if there is one.
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        if !self.0.is_valid(row) {
            return None;
        }
        Some(match self.0.data_type() {
            DataType::Utf8 => self.0.as_string::<i32>().value(row).as_bytes(),
            DataType::LargeUtf8 => self.0.as_string::<i64>().value(row).as_bytes(),
            DataType::Utf8View => self.0.as_string_view().value(row).as_bytes(),
            DataType::Binary => self.0.as_binary::<i32>().value(row),
            DataType::LargeBinary => self.0.as_binary::<i64>().value(row),
            DataType::BinaryView => self.0.as_binary_view().value(row),
            _ => return None,
        })
    }

    /// The value of a row as text, if there is one and it is UTF-8.
    pub(crate) fn text(&self, row: usize) -> Option<&'a str> {
        self.get(row).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

/// A column of ids: texts, or integers, which are the ids of numbers.
pub(crate) enum IdColumn<'a> {
    Text(Bytes<'a>),
    Numbers(&'a ArrayRef),
}

impl<'a> IdColumn<'a> {
    /// Takes a column.
    pub(crate) fn new(name: &str, array: &'a ArrayRef) -> Result<Self> {
        if array.data_type().is_integer() { Ok(Self::Numbers(array)) } else { Bytes::new(name, array).map(Self::Text) }
    }

    /// The id of a row, if it has one.
    pub(crate) fn get(&self, row: usize) -> Option<Cow<'a, str>> {
        let array = match self {
            // No text is the id of a number.
            Self::Text(texts) => {
                return texts.text(row).filter(|text| !text.starts_with(NUMBER_MARK)).map(Cow::Borrowed);
            }
            Self::Numbers(array) if !array.is_valid(row) => return None,
            Self::Numbers(array) => array,
        };
        Some(Cow::Owned(match array.data_type() {
            DataType::Int8 => number_id(array.as_primitive::<Int8Type>().value(row)),
            DataType::Int16 => number_id(array.as_primitive::<Int16Type>().value(row)),
            DataType::Int32 => number_id(array.as_primitive::<Int32Type>().value(row)),
            DataType::Int64 => number_id(array.as_primitive::<Int64Type>().value(row)),
            DataType::UInt8 => number_id(array.as_primitive::<UInt8Type>().value(row)),
            DataType::UInt16 => number_id(array.as_primitive::<UInt16Type>().value(row)),
            DataType::UInt32 => number_id(array.as_primitive::<UInt32Type>().value(row)),
            _ => number_id(array.as_primitive::<UInt64Type>().value(row)),
        }))
    }
}
