//! The class `Recipe`: pages -> fingerprints and sketches, without a database; and what is decided by sketches alone.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use nddb::detect::document_of_page;
use nddb::sketch::Recipe;
use nddb::{Document, ShownId, digits_of};
use pyo3::prelude::*;

use crate::arrow::{Arrays, import};
use crate::config::named;
use crate::convert::{self, GivenPage};
use crate::documents;
use crate::errors::{Fault, Result};
use crate::names::{Choice, Choices};
use crate::stream::{Sink, Stream};
use crate::writer::usual_threads;

/// Rows of a batch of sketches.
const BATCH: usize = 1 << 12;

/// Computes fingerprints and sketches of pages: `Recipe(label="main")`. Its methods are pure functions. Raises
/// RecipeError.
///
/// >>> nddb.Recipe("main")
/// Recipe("main/1")
#[pyclass(frozen, name = "Recipe", module = "nddb")]
pub(crate) struct PyRecipe {
    pub(crate) recipe: Recipe,
}

#[pymethods]
impl PyRecipe {
    #[new]
    #[pyo3(signature = (label="main"))]
    fn new(label: &str) -> Result<Self> {
        Ok(Self { recipe: named(label)? })
    }

    /// The label: base, flags and version.
    #[getter]
    fn label(&self) -> String {
        self.recipe.label()
    }

    /// Returns the fingerprint of a page (`text` or `html`, str or bytes) as an integer.
    ///
    /// >>> hex(nddb.Recipe("main").fingerprint(text=fox)) == "0x" + nddb.open("crawl.nddb").get("fox-1")["fp"]
    /// True
    #[pyo3(signature = (*, text=None, html=None, url=None, charset=None))]
    fn fingerprint(
        &self,
        py: Python<'_>,
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        url: Option<String>,
        charset: Option<String>,
    ) -> Result<u64> {
        let page = GivenPage::need(text, html, url, charset)?;
        Ok(py.detach(|| self.recipe.sketch(&page.page()).fingerprint))
    }

    /// Returns everything that is stored of a page, as a dictionary.
    ///
    /// >>> nddb.Recipe("main").sketch(text="one two three", url="https://www.example.co.uk/")["site"]
    /// 'example.co.uk'
    #[pyo3(signature = (*, text=None, html=None, url=None, charset=None))]
    fn sketch<'py>(
        &self,
        py: Python<'py>,
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        url: Option<String>,
        charset: Option<String>,
    ) -> Result<Bound<'py, PyAny>> {
        let page = GivenPage::need(text, html, url, charset)?;
        let document = py.detach(|| document_of_page("page", &page.page(), &self.recipe))?;
        let mut value = nddb_jobs::fields::document(&stored(&document), &self.recipe.label());
        // What only a database knows.
        for name in ["id", "number", "source", "batch", "truncated", "date"] {
            value.as_object_mut().and_then(|object| object.shift_remove(name));
        }
        Ok(convert::json(py, &value)?)
    }

    /// Sketches the pages of a table: a Stream with the columns id, is_number, url, site, fp, tokens, sketch, recipe.
    ///
    /// `id` is text (the digits of an int); `is_number` distinguishes the int 17 from the text "17". `sketch` has
    /// everything that is stored of a document, as bytes for `candidate_keys` and `decide`. `fp` is the fingerprint as
    /// a signed integer, or None for fewer than two tokens. Rows without an id or a page are left out. Columns are
    /// named as in `Writer.add_batch`. With `keep_words`, `sketch` also has the words of the page, from which `members`
    /// computes the loss of a removal. `Writer.load` loads this table from a Parquet file, without the pages.
    ///
    /// >>> import pyarrow
    /// >>> table = pyarrow.table({"id": ["a"], "text": [fox]})
    /// >>> [(row["id"], row["tokens"]) for row in nddb.Recipe("main").sketch_batch(table)]
    /// [('a', 280)]
    #[pyo3(signature = (table, *, id="id", text=Choice::Usual, html=Choice::Usual, url=Choice::Usual, threads=None,
        keep_words=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn sketch_batch(
        &self,
        table: &Bound<'_, PyAny>,
        id: &str,
        text: Choice,
        html: Choice,
        url: Choice,
        threads: Option<usize>,
        keep_words: bool,
    ) -> Result<Stream> {
        let choices = Choices { id: id.into(), text, html, url, fingerprint: None, date: None };
        let tables = Tables::new(table)?;
        let (recipe, threads) = (self.recipe, threads.unwrap_or_else(usual_threads).max(1));
        Ok(Stream::new(columns(), move |sink| {
            let mut rows = SketchRows::new(&recipe);
            documents::sketch(
                tables.take()?,
                &choices,
                (&Ok(recipe), keep_words),
                threads,
                || sink.stopped(),
                |made| made.iter().flatten().try_for_each(|document| rows.push(sink, document)),
            )?;
            rows.send(sink)
        }))
    }

    fn __repr__(&self) -> String {
        format!("Recipe({:?})", self.recipe.label())
    }

    /// A recipe is pickled as its label.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, (String,))> {
        Ok((py.import("nddb")?.getattr("Recipe")?, (self.recipe.label(),)))
    }
}

/// What a database would store of a document.
fn stored(document: &Document) -> nddb::Stored {
    nddb::Stored {
        number: 0,
        fingerprint: document.fingerprint(),
        unprinted: document.is_unprinted(),
        record: document.record().clone(),
    }
}

/// A table that callers give: it may be read more than once, where its producer can be.
pub(crate) struct Tables {
    object: Py<PyAny>,
    first: Mutex<Option<Arrays>>,
}

impl Tables {
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> Result<Self> {
        let wrong = "a table of Arrow is wanted: an object with __arrow_c_stream__ or __arrow_c_array__";
        let first = import(object)?.ok_or_else(|| Fault::value(wrong))?;
        Ok(Self { object: object.clone().unbind(), first: Mutex::new(Some(first)) })
    }

    /// The arrays of the table.
    pub(crate) fn take(&self) -> Result<Arrays> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        match first {
            Some(arrays) => Ok(arrays),
            None => Python::attach(|py| import(self.object.bind(py)))?
                .ok_or_else(|| Fault::value("the table cannot be read a second time")),
        }
    }
}

/// The columns of sketches.
pub(crate) fn columns() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("is_number", DataType::Boolean, false),
        Field::new("url", DataType::Utf8, true),
        Field::new("site", DataType::Utf8, true),
        Field::new("fp", DataType::Int64, true),
        Field::new("tokens", DataType::Int64, true),
        Field::new("sketch", DataType::Binary, false),
        Field::new("recipe", DataType::Utf8, false),
    ]))
}

/// Sketches on their way to the reader of the table.
pub(crate) struct SketchRows {
    recipe: String,
    ids: StringBuilder,
    numbers: BooleanBuilder,
    urls: StringBuilder,
    sites: StringBuilder,
    prints: Int64Builder,
    tokens: Int64Builder,
    sketches: BinaryBuilder,
    len: usize,
}

impl SketchRows {
    pub(crate) fn new(recipe: &Recipe) -> Self {
        Self {
            recipe: recipe.label(),
            ids: StringBuilder::new(),
            numbers: BooleanBuilder::new(),
            urls: StringBuilder::new(),
            sites: StringBuilder::new(),
            prints: Int64Builder::new(),
            tokens: Int64Builder::new(),
            sketches: BinaryBuilder::new(),
            len: 0,
        }
    }

    pub(crate) fn push(&mut self, sink: &Sink, document: &Document) -> Result<()> {
        let record = document.record();
        self.ids.append_value(ShownId(&record.id).as_str());
        self.numbers.append_value(digits_of(&record.id).is_some());
        self.urls.append_option(record.url.as_deref());
        self.sites.append_option(record.site.as_deref());
        let print = (!document.is_unprinted()).then(|| document.fingerprint().0.cast_signed());
        self.prints.append_option(print);
        self.tokens.append_option(record.tokens.map(u64::cast_signed));
        self.sketches.append_value(document.to_bytes());
        self.len += 1;
        if self.len < BATCH { Ok(()) } else { self.send(sink) }
    }

    pub(crate) fn send(&mut self, sink: &Sink) -> Result<()> {
        if self.len == 0 {
            return Ok(());
        }
        let batch = self.batch();
        self.len = 0;
        Ok(sink.send(batch)?)
    }

    fn batch(&mut self) -> Result<RecordBatch, ArrowError> {
        let recipes = StringArray::from_iter_values(std::iter::repeat_n(&self.recipe, self.len));
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(self.ids.finish()),
            Arc::new(self.numbers.finish()),
            Arc::new(self.urls.finish()),
            Arc::new(self.sites.finish()),
            Arc::new(self.prints.finish()),
            Arc::new(self.tokens.finish()),
            Arc::new(self.sketches.finish()),
            Arc::new(recipes),
        ];
        RecordBatch::try_new(columns(), arrays)
    }
}
