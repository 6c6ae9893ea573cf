//! Arrays of 64-bit numbers: those of Arrow where they lie, others as a copy.
#![expect(unsafe_code, reason = "the memory of other libraries' arrays")]

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowNativeTypeOp};
use arrow_schema::{ArrowError, DataType};
use nddb::Fingerprint;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use super::import;
use crate::errors::{Fault, Result};

/// Arrays of 64-bit numbers, one after the other.
pub(crate) struct Numbers {
    parts: Vec<Part>,
}

enum Part {
    /// A copy of a buffer: CPython 3.10 cannot share one with an extension that later versions load, too.
    Copied(Vec<Fingerprint>),
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
        let wanted = || Fault::value("an array of 64-bit integers is wanted: numpy, Arrow, or a buffer");
        let view = PyMemoryView::from(object).map_err(|_| wanted())?;
        if view.getattr("ndim")?.extract::<usize>()? != 1 {
            return Err(Fault::value("an array of one dimension is wanted"));
        }
        let format: String = view.getattr("format")?.extract()?;
        let is_whole = matches!(format.trim_start_matches(['@', '=', '<']), "q" | "Q" | "l" | "L" | "n" | "N");
        if !is_whole || view.getattr("itemsize")?.extract::<usize>()? != 8 {
            return Err(wanted());
        }
        let bytes = view.call_method0("tobytes")?;
        let (numbers, _) = bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes().as_chunks::<8>();
        let prints = numbers.iter().map(|number| Fingerprint(u64::from_le_bytes(*number)));
        Ok(Self { parts: vec![Part::Copied(prints.collect())] })
    }

    /// All numbers, in pieces, as fingerprints.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[Fingerprint]> {
        self.parts.iter().map(|part| match part {
            Part::Copied(prints) => prints,
            Part::Arrow(array) => match array.data_type() {
                DataType::UInt64 => cast(array.as_primitive::<UInt64Type>().values()),
                _ => cast(array.as_primitive::<Int64Type>().values()),
            },
        })
    }
}

fn arrow(array: ArrayRef) -> Result<Part> {
    match array.data_type() {
        DataType::UInt64 | DataType::Int64 if array.null_count() == 0 => Ok(Part::Arrow(array)),
        DataType::UInt64 | DataType::Int64 => Err(Fault::value("a fingerprint is null")),
        other => Err(Fault::value(format!("fingerprints are integers of 64 bits, and these are {other}"))),
    }
}

/// Takes 64-bit numbers for fingerprints.
fn cast<T: ArrowNativeTypeOp>(values: &[T]) -> &[Fingerprint] {
    assert_eq!((size_of::<T>(), align_of::<T>()), (8, 8), "64-bit numbers");
    // SAFETY: a fingerprint is a transparent u64; `T` is u64 or i64, of the same size and alignment, and any bits are
    // valid.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}
