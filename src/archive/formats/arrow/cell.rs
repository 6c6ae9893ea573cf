//! Values of columns of Arrow, as JSON.

use std::str::Utf8Error;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

/// The column of this name has bytes that are not UTF-8.
pub(super) struct NotUtf8(pub(super) String);

/// Appends a value as JSON: times as seconds since 1970, bytes as text. A value of another type is null.
fn write(out: &mut Vec<u8>, column: &dyn Array, row: usize) -> Result<(), Utf8Error> {
    macro_rules! number {
        ($type:ty) => {
            out.extend_from_slice(column.as_primitive::<$type>().value(row).to_string().as_bytes())
        };
    }
    macro_rules! seconds {
        ($type:ty, $parts:expr) => {{
            let time = i64::from(column.as_primitive::<$type>().value(row));
            out.extend_from_slice(time.div_euclid($parts).to_string().as_bytes());
        }};
    }
    let data_type = column.data_type();
    if *data_type == DataType::Null || column.is_null(row) {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    match data_type {
        DataType::Utf8 => text(out, column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => text(out, column.as_string::<i64>().value(row)),
        DataType::Utf8View => text(out, column.as_string_view().value(row)),
        DataType::Binary => return bytes(out, column.as_binary::<i32>().value(row)),
        DataType::LargeBinary => return bytes(out, column.as_binary::<i64>().value(row)),
        DataType::BinaryView => return bytes(out, column.as_binary_view().value(row)),
        DataType::Boolean => out.extend_from_slice(column.as_boolean().value(row).to_string().as_bytes()),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 => fraction(out, column.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => fraction(out, column.as_primitive::<Float64Type>().value(row)),
        DataType::Date32 => {
            let days = i64::from(column.as_primitive::<Date32Type>().value(row));
            out.extend_from_slice((days * 86_400).to_string().as_bytes());
        }
        DataType::Date64 => seconds!(Date64Type, 1_000),
        DataType::Timestamp(TimeUnit::Second, _) => seconds!(TimestampSecondType, 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => seconds!(TimestampMillisecondType, 1_000),
        DataType::Timestamp(TimeUnit::Microsecond, _) => seconds!(TimestampMicrosecondType, 1_000_000),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => seconds!(TimestampNanosecondType, 1_000_000_000),
        DataType::List(_) => return list(out, &column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => return list(out, &column.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => return list(out, &column.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(column.as_struct().columns());
            for (index, (field, column)) in columns.enumerate() {
                out.push(if index == 0 { b'{' } else { b',' });
                text(out, field.name());
                out.push(b':');
                write(out, column, row)?;
            }
            out.extend_from_slice(if fields.is_empty() { b"{}" } else { b"}" });
        }
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let mut key = Vec::new();
            write(&mut key, dictionary.keys(), row)?;
            let key = std::str::from_utf8(&key).ok().and_then(|key| key.parse().ok());
            match key.filter(|&key: &usize| key < dictionary.values().len()) {
                Some(key) => return write(out, dictionary.values(), key),
                None => out.extend_from_slice(b"null"),
            }
        }
        _ => out.extend_from_slice(b"null"),
    }
    Ok(())
}

/// Appends the values of a row of columns as an object; a number in the column `fp` as a fingerprint.
pub(super) fn object<'a>(
    out: &mut Vec<u8>,
    columns: impl Iterator<Item = (&'a str, &'a ArrayRef)>,
    row: usize,
    fp: &str,
) -> Result<(), NotUtf8> {
    out.push(b'{');
    for (index, (name, column)) in columns.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        text(out, name);
        out.push(b':');
        match column.data_type() {
            DataType::Int64 if name == fp && !column.is_null(row) => {
                print(out, column.as_primitive::<Int64Type>().value(row).cast_unsigned());
            }
            DataType::UInt64 if name == fp && !column.is_null(row) => {
                print(out, column.as_primitive::<UInt64Type>().value(row));
            }
            _ => write(out, column, row).map_err(|_| NotUtf8(name.to_owned()))?,
        }
    }
    out.push(b'}');
    Ok(())
}

fn print(out: &mut Vec<u8>, fingerprint: u64) {
    out.extend_from_slice(format!("\"{fingerprint:016x}\"").as_bytes());
}

fn list(out: &mut Vec<u8>, values: &ArrayRef) -> Result<(), Utf8Error> {
    out.push(b'[');
    for row in 0..values.len() {
        if row > 0 {
            out.push(b',');
        }
        write(out, values, row)?;
    }
    out.push(b']');
    Ok(())
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Utf8Error> {
    text(out, std::str::from_utf8(bytes)?);
    Ok(())
}

fn text(out: &mut Vec<u8>, text: &str) {
    // Memory is writable.
    let _ = serde_json::to_writer(out, text);
}

fn fraction(out: &mut Vec<u8>, number: f64) {
    let _ = serde_json::to_writer(out, &number);
}
