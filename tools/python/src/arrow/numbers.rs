//! Arrays of 64-bit numbers, where they lie.
#![expect(unsafe_code, reason = "the memory of other libraries' arrays")]

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType};
use nddb::Fingerprint;
use pyo3::buffer::{Element, PyBuffer};
use pyo3::prelude::*;

use super::import;
use crate::errors::{Fault, Result};

/// Arrays of 64-bit numbers, one after the other.
pub(crate) struct Numbers {
    parts: Vec<Part>,
}

enum Part {
    Unsigned(PyBuffer<u64>),
    Signed(PyBuffer<i64>),
    Arrow(ArrayRef),
}

impl Numbers {
    /// Takes an array: anything with the buffer protocol, such as of numpy, or of Arrow, of signed or unsigned numbers.
    pub(crate) fn take(object: &Bound<'_, PyAny>) -> Result<Self> {
        if let Some(arrays) = import(object)? {
            let part =
                |array: Result<ArrayRef, ArrowError>| arrow(array.map_err(|error| Fault::value(error.to_string()))?);
            let parts: Result<Vec<Part>> = object.py().detach(|| arrays.map(part).collect());
            return Ok(Self { parts: parts? });
        }
        let part = match PyBuffer::<u64>::get(object) {
            Ok(buffer) => contiguous(buffer).map(Part::Unsigned)?,
            Err(_) => match PyBuffer::<i64>::get(object) {
                Ok(buffer) => contiguous(buffer).map(Part::Signed)?,
                Err(_) => return Err(Fault::value("an array of 64-bit integers is wanted: numpy, Arrow, or a buffer")),
            },
        };
        Ok(Self { parts: vec![part] })
    }

    /// All numbers, in pieces, as fingerprints.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[Fingerprint]> {
        self.parts.iter().map(|part| match part {
            Part::Unsigned(buffer) => prints(buffer),
            Part::Signed(buffer) => prints(buffer),
            Part::Arrow(array) => match array.data_type() {
                DataType::UInt64 => cast(array.as_primitive::<UInt64Type>().values()),
                _ => cast(array.as_primitive::<Int64Type>().values()),
            },
        })
    }
}

fn contiguous<T: Element>(buffer: PyBuffer<T>) -> Result<PyBuffer<T>> {
    if buffer.dimensions() == 1 && buffer.is_c_contiguous() {
        Ok(buffer)
    } else {
        Err(Fault::value("a contiguous array of one dimension is wanted"))
    }
}

fn arrow(array: ArrayRef) -> Result<Part> {
    match array.data_type() {
        DataType::UInt64 | DataType::Int64 if array.null_count() == 0 => Ok(Part::Arrow(array)),
        DataType::UInt64 | DataType::Int64 => Err(Fault::value("a fingerprint is null")),
        other => Err(Fault::value(format!("fingerprints are integers of 64 bits, and these are {other}"))),
    }
}

fn prints<T: Element>(buffer: &PyBuffer<T>) -> &[Fingerprint] {
    let Some(values) = buffer.as_slice_ptr() else { return &[] };
    // SAFETY: the exporter keeps the memory, of initialised elements, while the buffer exists. Whoever writes into it
    // meanwhile from another thread gets answers to one number or the other: any bits are a fingerprint.
    cast(unsafe { values.as_ref() })
}

/// Takes 64-bit numbers for fingerprints.
fn cast<T: Element>(values: &[T]) -> &[Fingerprint] {
    assert_eq!((size_of::<T>(), align_of::<T>()), (8, 8), "64-bit numbers");
    // SAFETY: a fingerprint is a transparent u64; `T` is u64 or i64, of the same size and alignment, and any bits are
    // valid.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}
