//! Values between Python and Rust.

use nddb::Fingerprint;
use nddb::archive::IdFrom;
use nddb::text::{Page, PageKind};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

use crate::errors::{Fault, Result};

/// Makes what `json.loads` would.
pub(crate) fn json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => py.None().into_bound_py_any(py),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (None, Some(number)) => number.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(values) => {
            let values = values.iter().map(|value| json(py, value)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, values)?.into_any())
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, json(py, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// Takes the source of ids by its name.
pub(crate) fn id_source(name: &str) -> Result<IdFrom> {
    IdFrom::named(name).ok_or_else(|| {
        let names = IdFrom::ALL.map(IdFrom::name).join(", ");
        Fault::value(format!("no source of ids {name:?} (there are {names})"))
    })
}

/// Takes a fingerprint: an integer, signed or not, or 16 hex digits.
pub(crate) fn fingerprint(value: &Bound<'_, PyAny>) -> Result<Fingerprint> {
    if let Ok(text) = value.extract::<PyBackedStr>() {
        let bits = if text.len() == 16 { u64::from_str_radix(&text, 16).ok() } else { None };
        return bits.map(Fingerprint).ok_or_else(|| Fault::value("a fingerprint has 16 hexadecimal digits"));
    }
    match value.extract::<u64>() {
        Ok(bits) => Ok(Fingerprint(bits)),
        // Tables hold the 64 bits as signed numbers.
        Err(error) => match value.extract::<i64>() {
            Ok(bits) => Ok(Fingerprint(bits.cast_unsigned())),
            Err(_) => Err(error.into()),
        },
    }
}

/// A page as the caller gives it: its text or its HTML, a `str` or `bytes`.
pub(crate) struct GivenPage {
    body: Body,
    kind: PageKind,
    url: Option<String>,
    charset: Option<String>,
}

enum Body {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl GivenPage {
    /// Takes one of `text` and `html`; `None` if neither is given.
    pub(crate) fn take(
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        url: Option<String>,
        charset: Option<String>,
    ) -> Result<Option<Self>> {
        let (given, kind) = match (text, html) {
            (None, None) => return Ok(None),
            (Some(text), None) => (text, PageKind::Text),
            (None, Some(html)) => (html, PageKind::Html),
            (Some(_), Some(_)) => return Err(Fault::value("text and html are both given, and one is wanted")),
        };
        let body = match given.extract::<PyBackedStr>() {
            Ok(text) => Body::Text(text),
            Err(_) => Body::Bytes(given.extract::<PyBackedBytes>().map_err(PyErr::from)?),
        };
        Ok(Some(Self { body, kind, url, charset }))
    }

    /// As [`GivenPage::take`]; an error if neither is given.
    pub(crate) fn need(
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        url: Option<String>,
        charset: Option<String>,
    ) -> Result<Self> {
        Self::take(text, html, url, charset)?.ok_or_else(|| Fault::value("one of text and html is wanted"))
    }

    /// The page.
    pub(crate) fn page(&self) -> Page<'_> {
        let (body, charset) = match &self.body {
            Body::Text(text) => (text.as_bytes(), Some("utf-8")),
            Body::Bytes(bytes) => (&bytes[..], self.charset.as_deref()),
        };
        Page { kind: self.kind, charset, url: self.url.as_deref(), body }
    }
}
