//! The documents of archives as tables, for no database.

use std::path::PathBuf;

use nddb::archive::{self, Format, Inputs, JsonFields, Located, Options, Selected, Selection};
use nddb::ingest::{LoadError, Sketched};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::config::named;
use crate::convert::id_source;
use crate::errors::{Fault, Result};
use crate::recipe::{SketchRows, columns};
use crate::stream::Stream;
use crate::writer::usual_threads;

/// Lists the archives of paths, in the order in which they are loaded. A folder stands for all archives below it.
///
/// Raises ValueError for a single page; use `Recipe.sketch_batch` for pages.
#[pyfunction]
#[pyo3(signature = (paths, *, format="auto"))]
pub(crate) fn archives(paths: Vec<PathBuf>, format: &str) -> Result<Vec<PathBuf>> {
    let format: Format = format.parse().map_err(|_| Fault::value(format!("no format '{format}'")))?;
    let located = archive::expand(&paths, format)?.located;
    if let Some(page) = located.iter().find(|located| located.document.is_some()) {
        return Err(Fault::value(format!("{} is a single page: make a table of such", page.path.display())));
    }
    Ok(located.into_iter().map(|located| located.path).collect())
}

/// Sketches the pages of an archive in their order: a Stream with the columns of `Recipe.sketch_batch`.
///
/// The sketches are those that a load would store; with `keep_words` they include the words of pages. `archive` is the
/// number of the archive in the sketches. Entries that cannot be read are left out, and `skipped` is called with the
/// position and the reason of each. Raises ArchiveError if the archive cannot be opened or read to its end.
#[pyfunction]
#[pyo3(signature = (
    path, *, archive=0, recipe="main", format="auto", id_field="id", text_field="text", html_field="html",
    fp_field="fp", url_field="url", id_from="record", threads=None, skipped=None,
    keep_words=false
))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn sketch_archive(
    path: PathBuf,
    archive: u32,
    recipe: &str,
    format: &str,
    id_field: &str,
    text_field: &str,
    html_field: &str,
    fp_field: &str,
    url_field: &str,
    id_from: &str,
    threads: Option<usize>,
    skipped: Option<Py<PyAny>>,
    keep_words: bool,
) -> Result<Stream> {
    let recipe = named(recipe)?;
    let [id, text, html, fp, url] = [id_field, text_field, html_field, fp_field, url_field].map(str::to_owned);
    let options = Options {
        format: format.parse().map_err(|_| Fault::value(format!("no format '{format}'")))?,
        id_from: id_source(id_from)?,
        fields: JsonFields { id, text, html, fp, url },
        ..Options::default()
    };
    let threads = threads.unwrap_or_else(usual_threads).max(1);
    Ok(Stream::new(columns(), move |sink| {
        let mut rows = SketchRows::new(&recipe);
        let mut fault = None;
        let mut each = |sketched: Sketched<'_>| {
            let pushed = match sketched {
                Sketched::Document(document) => rows.push(sink, &document),
                Sketched::Skipped(entry) => tell(skipped.as_ref(), &entry),
            };
            pushed.map_err(|raised| {
                fault = Some(raised);
                nddb::Error::Cancelled
            })
        };
        let stop = || sink.stopped();
        let located = Located { path: path.clone(), document: None, ranges: None };
        let read =
            nddb::ingest::sketch_archive(&located, archive, (recipe, keep_words), &options, threads, &stop, &mut each);
        match (read, fault) {
            (_, Some(fault)) => return Err(fault),
            (Err(LoadError::Archive(error)), None) => return Err(error.into()),
            (read, None) => read.map_err(Fault::from)?,
        };
        rows.send(sink)
    }))
}

fn tell(skipped: Option<&Py<PyAny>>, entry: &nddb::ingest::Skipped<'_>) -> Result<()> {
    let Some(skipped) = skipped else { return Ok(()) };
    Python::attach(|py| skipped.call1(py, (entry.position.offset, entry.reason.as_str(), entry.detail)))?;
    Ok(())
}

/// The selection of `Writer.load`: reads the index and finds its archives among the inputs; returns them, and what a load says of the choice.
pub(crate) fn choose(index: &[PathBuf], inputs: Inputs) -> Result<(Inputs, Value)> {
    let Selected { inputs, ranges, unnamed, absent } = Selection::read(index)?.choose(inputs)?;
    if inputs.located.is_empty() {
        return Err(Fault::value(match absent.first() {
            None => "the index has no row: nothing is selected".into(),
            Some((name, _)) => format!("no archive of the index is among the inputs: {name} is not"),
        }));
    }
    let said = json!({
        "archives": inputs.located.len(),
        "records": ranges,
        "archives_absent": absent.len(),
        "records_absent": absent.iter().map(|(_, ranges)| ranges).sum::<u64>(),
        "inputs_unnamed": unnamed,
        "absent": absent.into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
    });
    Ok((inputs, said))
}
