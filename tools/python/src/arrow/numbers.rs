//! Arrays of 64-bit numbers: those of numpy and Arrow where they lie, others as a copy.
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
    parts: Vec<NumberBuffer>,
}

enum NumberBuffer {
    /// The memory of an array of numpy, which is held.
    Held {
        _array: Py<PyAny>,
        address: usize,
        len: usize,
    },
    /// A copy of another buffer: CPython 3.10 does not share buffers with an extension that later versions load, too.
    Copied(Vec<Fingerprint>),
    Arrow(ArrayRef),
}

impl Numbers {
    /// Takes an array of signed or unsigned numbers: of numpy or Arrow where it lies, of anything else with the buffer
    /// protocol as a copy.
    pub(crate) fn take(object: &Bound<'_, PyAny>) -> Result<Self> {
        if let Some(arrays) = import(object)? {
            let part =
                |array: Result<ArrayRef, ArrowError>| arrow(array.map_err(|error| Fault::value(error.to_string()))?);
            let parts: Result<Vec<NumberBuffer>> = object.py().detach(|| arrays.map(part).collect());
            return Ok(Self { parts: parts? });
        }
        let part = match held(object)? {
            Some(part) => part,
            None => copied(object)?,
        };
        Ok(Self { parts: vec![part] })
    }

    /// All numbers, in pieces, as fingerprints.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[Fingerprint]> {
        self.parts.iter().map(|part| match part {
            // SAFETY: the array keeps its memory, of initialised and aligned elements, while it is held. Whoever writes
            // into it meanwhile from another thread gets answers to one number or the other: any bits are a
            // fingerprint.
            NumberBuffer::Held { address, len, .. } => unsafe {
                std::slice::from_raw_parts(*address as *const Fingerprint, *len)
            },
            NumberBuffer::Copied(prints) => prints,
            NumberBuffer::Arrow(array) => match array.data_type() {
                DataType::UInt64 => cast(array.as_primitive::<UInt64Type>().values()),
                _ => cast(array.as_primitive::<Int64Type>().values()),
            },
        })
    }
}

/// Holds an array of numpy, by its array interface, if it is contiguous, aligned and of 64-bit integers.
fn held(object: &Bound<'_, PyAny>) -> Result<Option<NumberBuffer>> {
    let Ok(interface) = object.getattr("__array_interface__") else { return Ok(None) };
    let shape: Vec<usize> = interface.get_item("shape")?.extract()?;
    let kind: String = interface.get_item("typestr")?.extract()?;
    let (address, _): (usize, bool) = interface.get_item("data")?.extract()?;
    let is_contiguous = interface.get_item("strides").is_ok_and(|strides| strides.is_none());
    let [len] = shape[..] else { return Err(Fault::value("an array of one dimension is wanted")) };
    if !is_contiguous || !matches!(&*kind, "<u8" | "<i8") || !address.is_multiple_of(align_of::<Fingerprint>()) {
        return Ok(None);
    }
    Ok(Some(if len == 0 {
        NumberBuffer::Copied(Vec::new())
    } else {
        NumberBuffer::Held { _array: object.clone().unbind(), address, len }
    }))
}

/// Copies the numbers of a buffer.
fn copied(object: &Bound<'_, PyAny>) -> Result<NumberBuffer> {
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
    Ok(NumberBuffer::Copied(numbers.iter().map(|number| Fingerprint(u64::from_le_bytes(*number))).collect()))
}

fn arrow(array: ArrayRef) -> Result<NumberBuffer> {
    match array.data_type() {
        DataType::UInt64 | DataType::Int64 if array.null_count() == 0 => Ok(NumberBuffer::Arrow(array)),
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
