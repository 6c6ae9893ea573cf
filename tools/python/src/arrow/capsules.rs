//! Capsules of the Arrow C data interface.
#![expect(unsafe_code, reason = "the pointers of capsules that other libraries made")]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, RecordBatchReader, make_array};
use arrow_schema::{ArrowError, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::{Fault, Result};

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Arrays of one type, one after the other.
pub(crate) type Arrays = Box<dyn Iterator<Item = Result<ArrayRef, ArrowError>> + Send>;

/// Makes the capsule of a stream. What it holds is released with it, unless a consumer has taken it.
pub(crate) fn exported_stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> Result<Bound<'py, PyCapsule>> {
    Ok(PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)?)
}

/// Makes the capsule of a schema.
pub(crate) fn exported_schema<'py>(py: Python<'py>, schema: &Schema) -> Result<Bound<'py, PyCapsule>> {
    let exported = FFI_ArrowSchema::try_from(schema).map_err(|error| Fault::value(error.to_string()))?;
    Ok(PyCapsule::new_with_value(py, exported, SCHEMA)?)
}

/// Takes the arrays of any producer: an object with `__arrow_c_stream__` or `__arrow_c_array__`. `None` if it has
/// neither.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> Result<Option<Arrays>> {
    if object.hasattr("__arrow_c_stream__")? {
        return stream(&object.call_method0("__arrow_c_stream__")?).map(Some);
    }
    if object.hasattr("__arrow_c_array__")? {
        let (schema, array) = object.call_method0("__arrow_c_array__")?.extract()?;
        return one(&schema, &array).map(|array| Some(Box::new(std::iter::once(Ok(array))) as Arrays));
    }
    Ok(None)
}

fn stream(capsule: &Bound<'_, PyAny>) -> Result<Arrays> {
    let pointer = capsule.cast::<PyCapsule>().map_err(PyErr::from)?.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds a stream of the C stream interface, by its specification. It is moved out,
    // which leaves a released one after.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    let arrays = ArrayStreamReader::try_new(stream).map_err(|error| Fault::value(error.to_string()))?;
    Ok(Box::new(arrays))
}

fn one(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> Result<ArrayRef> {
    let schema = schema.cast::<PyCapsule>().map_err(PyErr::from)?.pointer_checked(Some(SCHEMA))?;
    let array = array.cast::<PyCapsule>().map_err(PyErr::from)?.pointer_checked(Some(ARRAY))?;
    // SAFETY: capsules of these names hold a schema and an array of the C data interface, by its specification, and the
    // array is of the schema. It is moved out, which leaves a released one after; the schema stays the capsule's.
    let data = unsafe {
        let array = FFI_ArrowArray::from_raw(array.as_ptr().cast());
        from_ffi(array, schema.cast::<FFI_ArrowSchema>().as_ref())
    };
    Ok(make_array(data.map_err(|error| Fault::value(error.to_string()))?))
}
