//! Ids between Python and Rust: an `int` is a number, a `str` a text.

use nddb::{ShownId, digits_of, number_id};
use nddb_format::record::{NUMBER_MARK, other_kind};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::errors::Result;

/// An id as a caller gives it.
#[derive(Clone, Debug)]
pub(crate) enum GivenId {
    /// The id of a number.
    Number(String),
    Text(String),
}

impl<'a, 'py> FromPyObject<'a, 'py> for GivenId {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if !object.is_instance_of::<PyInt>() {
            return object.extract().map(Self::Text);
        }
        let number = object.extract::<u64>().map(number_id);
        number.or_else(|error| object.extract::<i64>().map(number_id).map_err(|_| error)).map(Self::Number)
    }
}

impl GivenId {
    /// Returns the id of a new document.
    pub(crate) fn of_new(&self) -> Result<&str> {
        match self {
            Self::Text(text) if text.starts_with(NUMBER_MARK) => {
                let why = "it begins with U+0001, the mark of numbers".to_owned();
                Err(nddb::Error::Document { id: text[1..].to_owned(), why }.into())
            }
            Self::Text(id) | Self::Number(id) => Ok(id),
        }
    }

    /// Returns the ids that may be meant, the best one first: of a text also the number with these digits.
    pub(crate) fn candidates(&self) -> Vec<String> {
        match self {
            Self::Number(id) => vec![id.clone()],
            Self::Text(text) if text.starts_with(NUMBER_MARK) => Vec::new(),
            Self::Text(text) => [Some(text.clone()), other_kind(text)].into_iter().flatten().collect(),
        }
    }

    /// Returns what is found under the id.
    pub(crate) fn find<T>(&self, get: impl Fn(&str) -> nddb::Result<Option<T>>) -> nddb::Result<Option<T>> {
        for id in self.candidates() {
            if let Some(found) = get(&id)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns the id as a stored document has it, for a copy of what this package returned.
    pub(crate) fn into_stored(self) -> String {
        let (Self::Number(id) | Self::Text(id)) = self;
        id
    }

    /// Returns the characters of the id, for messages.
    pub(crate) fn shown(&self) -> &str {
        let (Self::Number(id) | Self::Text(id)) = self;
        ShownId(id).as_str()
    }
}

/// Makes an `int` of a number, and a `str` of a text.
pub(crate) fn id_object<'py>(py: Python<'py>, id: &str) -> PyResult<Bound<'py, PyAny>> {
    let Some(digits) = digits_of(id) else { return id.into_bound_py_any(py) };
    match (digits.parse::<u64>(), digits.parse::<i64>()) {
        (Ok(number), _) => number.into_bound_py_any(py),
        (_, Ok(number)) => number.into_bound_py_any(py),
        _ => digits.into_bound_py_any(py),
    }
}
