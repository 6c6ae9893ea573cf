//! The class `Federation`: several databases that are asked as one.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::convert;
use crate::databases::Databases;
use crate::errors::{Fault, Result};
use crate::ids::GivenId;
use crate::reader::{PyReader, open};

/// Several databases, queried as one: `Federation(databases)`.
///
/// `databases` are paths or readers with the same recipe, k and width of fingerprints. Each document must be in only
/// one of them, as in the shards of `nddb.spark.shards`. Answers equal those of one database with all documents, in
/// which databases listed first have the older documents. Raises Mismatch for different settings.
///
/// >>> shards = nddb.Federation(["crawl.nddb"])
/// >>> len(shards), "fox-1" in shards, shards.k
/// (5, True, 3)
#[pyclass(frozen, extends = Databases, name = "Federation", module = "nddb")]
pub(crate) struct PyFederation {
    readers: Vec<Py<PyReader>>,
}

#[pymethods]
impl PyFederation {
    #[new]
    fn new(py: Python<'_>, databases: &Bound<'_, PyAny>) -> Result<PyClassInitializer<Self>> {
        if databases.extract::<PathBuf>().is_ok() {
            return Err(Fault::value("several databases are wanted: a list of paths or readers"));
        }
        let mut readers = Vec::new();
        for database in databases.try_iter()? {
            let database = database?;
            readers.push(match database.cast::<PyReader>() {
                Ok(reader) => reader.clone().unbind(),
                Err(_) => open(py, database.extract::<PathBuf>()?)?,
            });
        }
        let asked = Databases(readers.iter().map(|reader| reader.get().database.clone()).collect());
        asked.pinned(py)?.federation()?;
        Ok(PyClassInitializer::from(asked).add_subclass(Self { readers }))
    }

    /// The readers, in the order in which they were given.
    #[getter]
    fn readers<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyList>> {
        Ok(PyList::new(py, &self.readers)?)
    }

    /// Returns what `Reader.get` returns, with the path of the document's database as `db`.
    ///
    /// >>> nddb.Federation(["crawl.nddb"]).get("fox-1")["db"].endswith("crawl.nddb")
    /// True
    fn get<'py>(slf: &Bound<'py, Self>, id: GivenId) -> Result<Option<Bound<'py, PyAny>>> {
        let py = slf.py();
        let found = slf.as_super().get().with(py, |federation, _| {
            let recipe = federation.settings().recipe.clone();
            Ok(id.find(|id| federation.get(id))?.map(|(part, stored)| (part, stored, recipe)))
        })?;
        let Some((part, stored, recipe)) = found else { return Ok(None) };
        let stored = convert::json(py, &nddb_jobs::fields::document(&stored, &recipe))?;
        stored.set_item("db", slf.get().readers[part].get().database.path().display().to_string())?;
        Ok(Some(stored))
    }

    fn __repr__(&self) -> String {
        format!("<Federation of {} databases>", self.readers.len())
    }

    /// A federation is pickled as the paths of its readers.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let paths: Vec<&std::path::Path> = self.readers.iter().map(|reader| reader.get().database.path()).collect();
        Ok((py.import("nddb")?.getattr("Federation")?, PyTuple::new(py, [paths])?))
    }
}
