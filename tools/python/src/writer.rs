//! The class `Writer`: a database open for writing.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nddb::archive::{self, JsonFields, Options};
use nddb::detect::{document_of_page, document_with_words};
use nddb::ingest::{Event, LoadReport, Loader};
use nddb::sketch::{Recipe, RecipeError};
use nddb::{BulkLoad, Document, Loaded, Outcome, Writer};
use pyo3::prelude::*;
use serde_json::json;

use crate::archives;
use crate::arrow::import;
use crate::config::PyConfig;
use crate::convert::{self, GivenPage};
use crate::documents;
use crate::errors::{Fault, Result};
use crate::ids::GivenId;
use crate::interruptible::{self, Watching, telling};
use crate::judging::Judging;
use crate::names::{Choice, Choices};
use crate::process::Owned;
use crate::verdict::{Verdict, name};

/// Rows of a table up to which it is staged, as single documents are.
const STAGED_MAX: usize = 1 << 16;

/// A database open for writing, exclusively by this process: `Writer(path, *, create=None, threads=None,
/// memory_limit=None)`.
///
/// `create`, a Config, creates the database. At the end of a `with` block the writer commits; after an exception it
/// drops staged changes. Raises Locked while another process writes, NotADatabase, AlreadyExists.
///
/// >>> with nddb.Writer("new.nddb", create=nddb.Config(k=3)) as writer:
/// ...     writer.add("a", text="The quick brown fox jumps over the lazy dog")
/// 'new'
/// >>> len(nddb.open("new.nddb"))
/// 1
#[pyclass(frozen, name = "Writer", module = "nddb")]
pub(crate) struct PyWriter {
    path: PathBuf,
    threads: usize,
    /// `None` once it is closed. Locked without the GIL.
    state: Owned<Mutex<Option<Held>>>,
}

struct Held {
    writer: Writer,
    /// The recipe, or the reason why no text can be added.
    recipe: Result<Recipe, RecipeError>,
}

impl PyWriter {
    fn state(&self) -> Result<&Mutex<Option<Held>>> {
        self.state.get().ok_or_else(|| Fault::value("this writer belongs to another process"))
    }

    /// Does something that takes no long time, without the GIL.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Held) -> Result<T> + Send) -> Result<T> {
        let state = self.state()?;
        py.detach(|| work(open(&mut state.lock().unwrap_or_else(PoisonError::into_inner))?))
    }

    /// Does long work; ^C ends it at a safe point.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        work: impl FnOnce(&mut Held, &Watching) -> Result<T> + Send,
    ) -> Result<T> {
        let state = self.state()?;
        interruptible::run(py, telling(&progress), |watching| {
            let mut guard = state.lock().unwrap_or_else(PoisonError::into_inner);
            let held = open(&mut guard)?;
            held.writer.watch(Box::new(watching.watch()));
            let done = work(held, watching);
            held.writer.watch(Box::new(|_| true));
            done
        })?
    }

    fn take(&self, py: Python<'_>) -> Result<Option<Held>> {
        let state = self.state()?;
        Ok(py.detach(|| state.lock().unwrap_or_else(PoisonError::into_inner).take()))
    }
}

fn open(state: &mut Option<Held>) -> Result<&mut Held> {
    state.as_mut().ok_or_else(|| Fault::value("this writer is closed"))
}

#[pymethods]
impl PyWriter {
    #[new]
    #[pyo3(signature = (path, *, create=None, threads=None, memory_limit=None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        create: Option<Py<PyConfig>>,
        threads: Option<usize>,
        memory_limit: Option<u64>,
    ) -> Result<Self> {
        let path = std::path::absolute(path).map_err(PyErr::from)?;
        let threads = threads.unwrap_or_else(usual_threads).max(1);
        let held = py.detach(|| -> Result<Held> {
            let mut writer = match &create {
                Some(config) => Writer::create(&path, &config.get().config)?,
                None => Writer::open_as(&path, &format!("pid {}: Python", std::process::id()))?,
            };
            writer.set_threads(threads);
            memory_limit.into_iter().for_each(|bytes| writer.set_memory_limit(bytes));
            writer.merge_in_background(true);
            let recipe = Recipe::of_database(&writer.settings().recipe)?;
            Ok(Held { writer, recipe })
        })?;
        Ok(Self { path, threads, state: Owned::new(Mutex::new(Some(held))) })
    }

    /// The path of the database.
    #[getter]
    fn path(&self) -> &Path {
        &self.path
    }

    /// Label of the recipe.
    #[getter]
    fn recipe(&self, py: Python<'_>) -> Result<String> {
        self.with(py, |held| Ok(held.writer.settings().recipe.clone()))
    }

    /// Stages a document; returns new, replaced or unchanged.
    ///
    /// Give one of `text`, `html` (each str or bytes) and `fingerprint`; `url` is the address of the page, `charset`
    /// the encoding of bytes. An id is a str or an int: 17 and "17" are two ids. Raises InvalidDocument for an id that
    /// is empty, is longer than 4,096 bytes, contains a NUL or begins with U+0001.
    ///
    /// >>> with nddb.Writer("crawl.nddb") as writer:
    /// ...     writer.add("fox-1", text=fox, url="https://example.org/fox")
    /// 'unchanged'
    #[pyo3(signature = (id, *, text=None, html=None, fingerprint=None, url=None, charset=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add(
        &self,
        py: Python<'_>,
        id: GivenId,
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        fingerprint: Option<&Bound<'_, PyAny>>,
        url: Option<String>,
        charset: Option<String>,
    ) -> Result<&'static str> {
        let given = Given::take(text, html, fingerprint, url, charset)?;
        self.with(py, |held| {
            let document = given.document(id.of_new()?, &held.recipe, held.writer.settings().keeps_words)?;
            Ok(name(held.writer.insert(document)?))
        })
    }

    /// Stages a document unless it is a near-duplicate of a stored or staged one; returns a Verdict.
    ///
    /// Options: as `add` and `Reader.query`. The answer depends on the documents added before.
    ///
    /// >>> with nddb.Writer("crawl.nddb") as writer:
    /// ...     verdict = writer.add_if_new("fox-3", text=fox + " once more")
    /// >>> verdict.is_duplicate, verdict.of, verdict.rule
    /// (True, 'fox-1', 'model')
    #[pyo3(signature = (
        id, *, text=None, html=None, fingerprint=None, url=None, charset=None, method=None, k=None, verify=None,
        group_limit=None, complete=false, min_probability=None, level=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add_if_new(
        &self,
        py: Python<'_>,
        id: GivenId,
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        fingerprint: Option<&Bound<'_, PyAny>>,
        url: Option<String>,
        charset: Option<String>,
        method: Option<&str>,
        k: Option<u8>,
        verify: Option<&str>,
        group_limit: Option<usize>,
        complete: bool,
        min_probability: Option<f64>,
        level: Option<&str>,
    ) -> Result<Verdict> {
        let given = Given::take(text, html, fingerprint, url, charset)?;
        let judging = Judging::new(method, k, verify, group_limit, complete, min_probability)?;
        let level = crate::judging::level(level)?;
        let judgement = self.with(py, |held| {
            let mut online = judging.online(held.writer.view())?;
            online.level = level;
            let document = given.document(id.of_new()?, &held.recipe, true)?;
            Ok(match &given {
                Given::Page(page) => online.insert_page_if_new(&mut held.writer, document, &page.page())?,
                Given::Print(..) => online.insert_if_new(&mut held.writer, document)?,
            })
        })?;
        Verdict::new(py, &judgement)
    }

    /// Stages the deletion of documents, by one id or several; returns the number of documents found.
    ///
    /// A str of digits also finds the int if no such str is stored.
    ///
    /// >>> with nddb.Writer("crawl.nddb") as writer:
    /// ...     writer.rm(["nothing", "of this"])
    /// 0
    fn rm(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> Result<u64> {
        let ids: Vec<GivenId> = match ids.extract::<GivenId>() {
            Ok(id) => vec![id],
            Err(_) => ids.try_iter()?.map(|id| id?.extract()).collect::<PyResult<_>>()?,
        };
        self.with(py, |held| {
            let mut deleted = 0;
            for id in &ids {
                for id in id.candidates() {
                    if held.writer.delete(&id)? {
                        deleted += 1;
                        break;
                    }
                }
            }
            Ok(deleted)
        })
    }

    /// Loads files and folders in bulk; returns a dictionary with the keys of `nddb load --json`.
    ///
    /// Reads archives, pages, tables and fingerprints. Loaded documents are durable when the call returns, also after
    /// ^C; repeat an interrupted call to resume. `progress` is called with a dictionary of phase, done, total and unit.
    /// `select` is one or more Parquet files that list the records to read; the result then has `selected` and `absent`
    /// (listed archives that are not among the inputs). Other options: as `nddb load`. Raises ArchiveError if nothing
    /// can be read, ValueError if nothing is selected.
    ///
    /// >>> with open("one.jsonl", "w") as file:
    /// ...     _ = file.write('{"id": "j", "text": "a line of JSON"}')
    /// >>> with nddb.Writer("crawl.nddb") as writer:
    /// ...     report = writer.load("one.jsonl", progress=lambda said: None)
    /// ...     writer.rm("j")
    /// 1
    /// >>> report["documents"], report["skipped"]
    /// (1, 0)
    #[pyo3(signature = (
        paths, *, format="auto", id_field=None, text_field=None, html_field=None, fp_field=None, url_field=None,
        date_field=None, id_from="record", id_prefix="", batch=None, pending=false, again=false, select=None,
        progress=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn load<'py>(
        &self,
        py: Python<'py>,
        paths: &Bound<'py, PyAny>,
        format: &str,
        id_field: Option<String>,
        text_field: Option<String>,
        html_field: Option<String>,
        fp_field: Option<String>,
        url_field: Option<String>,
        date_field: Option<String>,
        id_from: &str,
        id_prefix: &str,
        batch: Option<&str>,
        pending: bool,
        again: bool,
        select: Option<&Bound<'py, PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let paths = several(paths)?;
        let select = select.map(several).transpose()?;
        let format: archive::Format = format.parse().map_err(|_| Fault::value(format!("no format '{format}'")))?;
        let id_from = convert::id_source(id_from)?;
        let options = Options {
            format,
            id_from,
            id_prefix: id_prefix.into(),
            fields: JsonFields {
                id: named(&id_field, "id"),
                text: named(&text_field, "text"),
                html: named(&html_field, "html"),
                fp: named(&fp_field, "fp"),
                url: named(&url_field, "url"),
            },
            // A column that is named must be there.
            date: date_field.clone(),
            required: [id_field, text_field, html_field, fp_field, url_field, date_field]
                .into_iter()
                .flatten()
                .collect(),
            ..Options::default()
        };
        let threads = self.threads;
        let (report, selected) = self.work(py, progress, |held, watching| {
            let inputs = archive::expand(&paths, format)?;
            let (inputs, selected) = match &select {
                Some(index) => archives::choose(index, inputs)?,
                None => (inputs, serde_json::Value::Null),
            };
            match batch {
                Some(batch) => held.writer.label(batch, pending)?,
                None if pending => return Err(Fault::value("pending is of a batch: name it")),
                None => {}
            }
            let mut told = watching.watch();
            let report = Loader::new(&mut held.writer)
                .options(options)
                .threads(threads)
                .again(again)
                .stop_when(|| watching.stopped())
                .on_event(|event| {
                    if let Event::Progress(progress) = event {
                        told(&reading(progress.documents));
                    }
                })
                .load_inputs(inputs);
            if batch.is_some() {
                held.writer.unlabel()?;
            }
            Ok((report?, selected))
        })?;
        if let (true, Some(_)) = (report.is_failure(), report.unreadable.first()) {
            let mut unreadable = report.unreadable;
            return Err(unreadable.swap_remove(0).into());
        }
        let mut said = said(&report);
        said["selected"] = selected;
        Ok(convert::json(py, &said)?)
    }

    /// Stages the documents of a table; returns counts of documents, replaced, unchanged, repeated, unprinted and
    /// skipped.
    ///
    /// `table` is any object with `__arrow_c_stream__` or `__arrow_c_array__`; the other arguments name its columns. By
    /// default reads the columns `text`, `html` and `url` if present. If you name a page column, only that one is read;
    /// None disables a column. Rows without an id, or without any of fingerprint, HTML and text, are skipped. `date`
    /// names the column of dates (timestamps, days, texts or numbers, as in `nddb load`); the dates decide which
    /// document of the table is older. A table of more than 65,536 rows, or one with `date` or `batch` (the name of a
    /// batch), is loaded in bulk: staged documents are committed first, and the rows are durable when the call returns.
    /// Raises ValueError if a column is missing or has another type.
    ///
    /// >>> import pyarrow
    /// >>> table = pyarrow.table({"id": [7, 8], "text": ["an apple and a pear", None]})
    /// >>> with nddb.Writer("new.nddb") as writer:
    /// ...     said = writer.add_batch(table)
    /// >>> said["documents"], said["skipped"]
    /// (1, 1)
    #[pyo3(signature = (
        table, *, id="id", text=Choice::Usual, html=Choice::Usual, url=Choice::Usual, fingerprint=None, date=None,
        batch=None, progress=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add_batch<'py>(
        &self,
        py: Python<'py>,
        table: &Bound<'py, PyAny>,
        id: &str,
        text: Choice,
        html: Choice,
        url: Choice,
        fingerprint: Option<&str>,
        date: Option<&str>,
        batch: Option<&str>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let arrays = import(table)?.ok_or_else(|| {
            Fault::value("a table of Arrow is wanted: an object with __arrow_c_stream__ or __arrow_c_array__")
        })?;
        let choices = Choices {
            id: id.into(),
            text,
            html,
            url,
            fingerprint: fingerprint.map(str::to_owned),
            date: date.map(str::to_owned),
        };
        let threads = self.threads;
        let (loaded, skipped) = self.work(py, progress, |held, watching| {
            if let Some(batch) = batch {
                held.writer.label(batch, false)?;
            }
            let keeps_words = held.writer.settings().keeps_words;
            let Held { writer, recipe } = &mut *held;
            let mut told = watching.watch();
            let (mut skipped, mut done) = (0u64, 0u64);
            let mut taking = match (date, batch) {
                (None, None) => Taking::Few(Some(writer), Vec::new()),
                (None, Some(_)) => Taking::Many(Box::new(writer.bulk_load()?)),
                (Some(_), _) => Taking::by_date(writer)?,
            };
            let read = documents::sketch(
                arrays,
                &choices,
                (recipe, keeps_words),
                threads,
                || watching.stopped(),
                |made| {
                    done += made.len() as u64;
                    skipped += made.iter().filter(|document| document.is_none()).count() as u64;
                    made.into_iter().flatten().try_for_each(|document| taking.take(document))?;
                    told(&reading(done));
                    Ok(())
                },
            );
            let loaded = read.and_then(|()| taking.finish());
            if batch.is_some() {
                held.writer.unlabel()?;
            }
            let loaded = loaded?;
            Ok((loaded, skipped))
        })?;
        let Loaded { documents, replaced, unchanged, repeated, unprinted, .. } = loaded;
        let said = json!({
            "documents": documents, "replaced": replaced, "unchanged": unchanged, "repeated": repeated,
            "no_fingerprint": unprinted, "skipped": skipped,
        });
        Ok(convert::json(py, &said)?)
    }

    /// Makes staged changes durable, and visible to every reader that refreshes.
    ///
    /// >>> writer = nddb.Writer("crawl.nddb")
    /// >>> writer.commit()
    /// >>> writer.close()
    fn commit(&self, py: Python<'_>) -> Result<()> {
        self.with(py, |held| Ok(held.writer.commit()?))
    }

    /// Commits and closes; so does the end of a `with` block.
    ///
    /// >>> nddb.Writer("crawl.nddb").close()
    fn close(&self, py: Python<'_>) -> Result<()> {
        match self.take(py)? {
            Some(held) => Ok(py.detach(|| held.writer.close())?),
            None => Ok(()),
        }
    }

    /// Drops staged changes and closes; so does an exception in a `with` block.
    ///
    /// >>> nddb.Writer("crawl.nddb").abandon()
    fn abandon(&self, py: Python<'_>) -> Result<()> {
        let held = self.take(py)?;
        py.detach(|| drop(held));
        Ok(())
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (kind, value, traceback))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> Result<bool> {
        let _ = (value, traceback);
        if kind.is_none() {
            self.close(py)?
        } else {
            self.abandon(py)?
        }
        Ok(false)
    }

    fn __repr__(&self) -> String {
        format!("nddb.Writer({:?})", self.path.display().to_string())
    }
}

/// What callers give of one document.
enum Given {
    Page(GivenPage),
    Print(nddb::Fingerprint, Option<String>),
}

impl Given {
    fn take(
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        fingerprint: Option<&Bound<'_, PyAny>>,
        url: Option<String>,
        charset: Option<String>,
    ) -> Result<Self> {
        match fingerprint {
            None => GivenPage::need(text, html, url, charset).map(Self::Page),
            Some(_) if text.is_some() || html.is_some() => {
                Err(Fault::value("one of text, html and fingerprint is wanted, and more are given"))
            }
            Some(print) => Ok(Self::Print(convert::fingerprint(print)?, url)),
        }
    }

    fn document(&self, id: &str, recipe: &Result<Recipe, RecipeError>, keeps_words: bool) -> Result<Document> {
        let made = if keeps_words { document_with_words } else { document_of_page };
        Ok(match self {
            Self::Page(page) => made(id, &page.page(), &recipe.clone()?)?,
            Self::Print(print, None) => Document::bare(id, *print)?,
            Self::Print(print, Some(url)) => {
                Document::bare(id, *print)?.with_url(url, recipe.as_ref().copied().unwrap_or_default().site_of(url))
            }
        })
    }
}

/// Where the documents of a table go: staged, or from a number on loaded in bulk.
enum Taking<'a> {
    Few(Option<&'a mut Writer>, Vec<Document>),
    Many(Box<BulkLoad<'a>>),
}

impl<'a> Taking<'a> {
    /// Takes documents whose age is their date, not their place in the table.
    fn by_date(writer: &'a mut Writer) -> Result<Self> {
        let mut load = Box::new(writer.bulk_load()?);
        load.unordered();
        Ok(Self::Many(load))
    }

    fn take(&mut self, document: Document) -> Result<()> {
        match self {
            Self::Few(_, documents) if documents.len() < STAGED_MAX => documents.push(document),
            Self::Few(writer, documents) => {
                let documents = std::mem::take(documents);
                if let Some(writer) = writer.take() {
                    let mut load = Box::new(writer.bulk_load()?);
                    documents.into_iter().chain([document]).try_for_each(|document| load.push(document))?;
                    *self = Self::Many(load);
                }
            }
            Self::Many(load) => load.push(document)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<Loaded> {
        let (writer, documents) = match self {
            Self::Many(load) => return Ok(load.finish()?),
            Self::Few(writer, documents) => (writer, documents),
        };
        let mut loaded = Loaded::default();
        let Some(writer) = writer else { return Ok(loaded) };
        for document in documents {
            let is_unprinted = document.is_unprinted();
            match writer.insert(document)? {
                Outcome::Unchanged => loaded.unchanged += 1,
                outcome => {
                    loaded.documents += 1;
                    loaded.replaced += u64::from(outcome == Outcome::Replaced);
                    loaded.unprinted += u64::from(is_unprinted);
                }
            }
        }
        Ok(loaded)
    }
}

/// One path or any number of them.
fn several(paths: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    match paths.extract::<PathBuf>() {
        Ok(path) => Ok(vec![path]),
        Err(_) => paths.try_iter()?.map(|path| path?.extract()).collect(),
    }
}

/// The threads of a writer, unless the caller says otherwise.
pub(crate) fn usual_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The name of a field.
fn named(given: &Option<String>, usual: &str) -> String {
    given.clone().unwrap_or_else(|| usual.into())
}

fn reading(done: u64) -> nddb::Progress {
    nddb::Progress { phase: "reading", done, total: None, unit: "documents" }
}

/// What a load did, as the command says it.
fn said(report: &LoadReport) -> serde_json::Value {
    let Loaded { documents, replaced, unchanged, repeated, unprinted, .. } = report.loaded;
    let reasons: serde_json::Map<_, _> =
        report.skipped_by_reason.iter().map(|(reason, &count)| (reason.as_str().to_owned(), count.into())).collect();
    json!({
        "entries": report.entries,
        "documents": documents, "replaced": replaced, "unchanged": unchanged, "repeated": repeated,
        "no_fingerprint": unprinted, "truncated": report.truncated, "cut": report.cut,
        "dates_not_understood": report.unread_dates,
        "skipped": report.skipped(), "skipped_by_reason": reasons,
        "archives_passed_over": report.passed_over, "files_passed_over": report.files_passed_over,
        "bytes_in": report.progress.bytes_in, "payload_bytes": report.payload_bytes,
    })
}
