//! Columns of dates.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use nddb::archive::{date_of_number, date_of_text};

use crate::arrow::Bytes;
use crate::errors::{Fault, Result};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// A column of dates: timestamps, days, whole numbers or texts, read as `nddb load` reads them.
pub(crate) enum Dates<'a> {
    Array(&'a ArrayRef),
    Text(Bytes<'a>),
}

impl<'a> Dates<'a> {
    pub(crate) fn new(name: &str, array: &'a ArrayRef) -> Result<Self> {
        match array.data_type() {
            DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 | DataType::Int64 => Ok(Self::Array(array)),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Bytes::new(name, array).map(Self::Text),
            other => Err(Fault::value(format!(
                "column '{name}' is {other}, and dates are timestamps, days, texts or 64-bit integers"
            ))),
        }
    }

    /// Returns the seconds since 1970 of a row; `None` if there is no valid date.
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        let array = match self {
            Self::Array(array) => *array,
            Self::Text(texts) => return texts.text(row).and_then(|text| date_of_text(text.as_bytes())),
        };
        if !array.is_valid(row) {
            return None;
        }
        Some(match array.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => array.as_primitive::<TimestampSecondType>().value(row),
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                array.as_primitive::<TimestampMillisecondType>().value(row).div_euclid(1_000)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                array.as_primitive::<TimestampMicrosecondType>().value(row).div_euclid(1_000_000)
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                array.as_primitive::<TimestampNanosecondType>().value(row).div_euclid(1_000_000_000)
            }
            DataType::Date32 => i64::from(array.as_primitive::<Date32Type>().value(row)) * DAY,
            DataType::Date64 => array.as_primitive::<Date64Type>().value(row).div_euclid(1_000),
            _ => return date_of_number(array.as_primitive::<Int64Type>().value(row)),
        })
    }
}
