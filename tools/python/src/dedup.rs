//! What `nddb.dedup` is made of: the steps that need the library.

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_array::builder::{ArrayBuilder, Int64Builder, StringBuilder};
use nddb::Reader;
use nddb::detect::{ClusterOptions, Resources, WordsFrom};

use nddb::verdict::Level;
use nddb_evaluate::report::Report;
use nddb_evaluate::show::ShownDocument;
use nddb_jobs::chain;
use nddb_jobs::fields::LossValues;
use nddb_jobs::output::{OutputError, Outputs};
use nddb_jobs::removed::{Contained, RemovalSearch};
use nddb_jobs::rows::{CellKind, Column, schema};
use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use crate::errors::{Fault, Result};
use crate::federation::PyFederation;
use crate::ids::{GivenId, id_object};
use crate::interruptible::{self, telling};
use crate::judging::Judging;
use crate::reader::kept_by;
use crate::stream::Stream;
use crate::tables;
use crate::writer::usual_threads;

/// Rows of a batch of pages.
const BATCH: usize = 1 << 10;

/// Makes a table of pages from an iterator of (text, html, url), each a str or None. The table can be read once.
/// Columns: id (from 0), text, html, url.
#[pyfunction]
#[pyo3(name = "_pages")]
pub(crate) fn pages(rows: Bound<'_, PyIterator>) -> Stream {
    let columns =
        [("id", CellKind::Number), ("text", CellKind::Text), ("html", CellKind::Text), ("url", CellKind::Text)];
    let schema = schema(&columns.map(|(name, kind)| Column::new(name, kind)));
    let rows = rows.unbind();
    Stream::new(schema.clone(), move |sink| {
        let mut ids = Int64Builder::new();
        let mut texts = [StringBuilder::new(), StringBuilder::new(), StringBuilder::new()];
        let mut next = 0;
        while !sink.stopped() {
            let is_at_end = Python::attach(|py| -> PyResult<bool> {
                let mut rows = rows.bind(py).clone();
                for row in rows.by_ref().take(BATCH) {
                    let row: [Option<String>; 3] = row?
                        .extract()
                        .map_err(|_| PyTypeError::new_err(format!("row {next}: a text is wanted, a str or None")))?;
                    ids.append_value(next);
                    texts.iter_mut().zip(row).for_each(|(column, text)| column.append_option(text));
                    next += 1;
                }
                Ok(ids.len() < BATCH)
            })?;
            let [text, html, url] = &mut texts;
            let columns: Vec<arrow_array::ArrayRef> =
                [&mut ids as &mut dyn ArrayBuilder, text, html, url].into_iter().map(ArrayBuilder::finish).collect();
            sink.send(RecordBatch::try_new(schema.clone(), columns))?;
            if is_at_end {
                break;
            }
        }
        Ok(())
    })
}

/// How documents are removed, as callers say it.
fn options(
    reader: &Reader,
    keep: &[String],
    min_probability: Option<f64>,
    level: Option<&str>,
) -> Result<ClusterOptions> {
    let judging = Judging::new(None, None, None, None, false, min_probability)?;
    tables::cluster_options(
        reader,
        &judging,
        kept_by(keep)?,
        (crate::judging::level(level)?, WordsFrom::default()),
        false,
    )
}

/// A removed document: id, id of the kept one, index of the database of that one among the earlier ones, whether their
/// texts are the same, rule, probability, loss, whether the document stays.
type RemovedRow = (String, Option<String>, Option<usize>, bool, String, Option<f64>, Loss, bool);
/// The columns of a loss, and of the least level that allows it.
type Loss = (Option<f64>, Option<String>, Option<u64>, Option<u64>, Option<&'static str>);

/// Finds the documents to remove from a temporary database, and deletes those near to earlier documents: a list of
/// tuples.
#[pyfunction]
#[pyo3(name = "_find_removed")]
#[pyo3(signature = (path, keep, *, against=None, contained=None, min_probability=None, level=None, threads=None,
    progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn find_removed<'py>(
    py: Python<'py>,
    path: PathBuf,
    keep: Vec<String>,
    against: Option<Py<PyFederation>>,
    contained: Option<String>,
    min_probability: Option<f64>,
    level: Option<String>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Bound<'py, PyList>> {
    let contained = match contained.as_deref() {
        None => None,
        Some("keep") => Some(Contained::Keep),
        Some("remove") => Some(Contained::Remove),
        Some(other) => return Err(Fault::value(format!("contained '{other}': it is keep or remove"))),
    };
    let parts = against.map(|against| against.bind(py).as_super().get().pinned(py)).transpose()?;
    let threads = threads.unwrap_or_else(usual_threads).max(1);
    let rows = interruptible::run(py, telling(&progress), |watching| -> Result<Vec<RemovedRow>> {
        let earlier = parts.as_ref().map(|parts| parts.federation()).transpose()?;
        let reader = Reader::open(&path)?;
        let options = options(&reader, &keep, min_probability, level.as_deref())?;
        let search = RemovalSearch {
            path: &path,
            view: reader.view(),
            earlier: earlier.as_ref(),
            options,
            contained,
            threads,
            has_origins: false,
        };
        let mut rows = Vec::new();
        search.each(&mut watching.watch(), &mut |removed| {
            let (id, kept) = (removed.id.to_owned(), removed.kept.map(str::to_owned));
            let rule = removed.rule.clone().into_owned();
            let LossValues { share, words, passage, lost, level } =
                LossValues::of(removed.loss.as_ref(), removed.level);
            let loss = (share, lost.map(Cow::into_owned), words, passage, level.map(Level::name));
            rows.push((id, kept, removed.part, removed.identical, rule, removed.probability, loss, removed.stays));
            Ok(())
        })?;
        Ok(rows)
    })??;
    let list = PyList::empty(py);
    for (id, kept, part, identical, rule, probability, loss, stays) in rows {
        let id = id_object(py, &id)?;
        let kept = kept.map(|kept| id_object(py, &kept)).transpose()?;
        list.append((id, kept, part, identical, rule, probability, loss, stays))?;
    }
    Ok(list)
}

/// Returns the texts of documents as they were compared; None if there is no id, or the text is gone.
#[pyfunction]
#[pyo3(name = "_texts")]
pub(crate) fn texts(py: Python<'_>, path: PathBuf, ids: Vec<Option<GivenId>>) -> Result<Vec<Option<String>>> {
    py.detach(|| {
        let reader = Reader::open(&path)?;
        let view = reader.view();
        let read = |id: &GivenId| -> Result<Option<String>> {
            let Some(stored) = id.find(|id| view.get(id))? else { return Ok(None) };
            Ok(ShownDocument::read(view, &stored, false)?.ok().map(|document| document.text))
        };
        ids.iter().map(|id| id.as_ref().map_or(Ok(None), read)).collect()
    })
}

/// Writes the page of `nddb report` for a database; the page names it `name`.
#[pyfunction]
#[pyo3(name = "_write_report")]
#[pyo3(signature = (path, output, name, keep, *, min_probability=None, level=None, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn write_report(
    py: Python<'_>,
    path: PathBuf,
    output: PathBuf,
    name: String,
    keep: Vec<String>,
    min_probability: Option<f64>,
    level: Option<String>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<()> {
    // One of the options of all steps; this one takes no threads.
    let _ = threads;
    let page = interruptible::run(py, telling(&progress), |watching| -> Result<String> {
        let reader = Reader::open(&path)?;
        let options = options(&reader, &keep, min_probability, level.as_deref())?;
        let (view, resources, watch) = (reader.view(), Resources::default(), &mut watching.watch());
        let report = Report::measure(name, view, Some(&options), &resources, watch)?;
        report.page("nddb.dedup", &[]).map_err(|error| Fault::value(chain(&error)))
    })??;
    let outputs = Outputs::default();
    outputs.hold_as(format!("pid {}: nddb.dedup", std::process::id()));
    let write = || -> Result<(), OutputError> {
        let mut file = outputs.file("report", &output)?.create()?;
        file.write_all(page.as_bytes()).map_err(|error| file.failed(error))?;
        file.finish().map(|_| ())
    };
    write().map_err(|error| Fault::Python(PyOSError::new_err(error.to_string())))
}
