//! Tables of pages as documents, sketched on several threads.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{ArrowError, DataType};
use nddb::detect::{document_of_page, document_with_words};
use nddb::sketch::{Recipe, RecipeError};
use nddb::text::{Page, PageKind};
use nddb::{Document, Fingerprint};

use crate::arrow::{Arrays, Bytes, IdColumn, column, optional};
use crate::dates::Dates;
use crate::errors::{Fault, Result};
use crate::names::{Choices, Names};

/// Rows of one piece of work for a thread.
const PIECE: usize = 256;

/// The columns of a table.
struct Columns<'a> {
    ids: IdColumn<'a>,
    texts: Option<Bytes<'a>>,
    pages: Option<Bytes<'a>>,
    urls: Option<Bytes<'a>>,
    prints: Option<&'a ArrayRef>,
    dates: Option<Dates<'a>>,
}

impl<'a> Columns<'a> {
    fn new(table: &'a StructArray, names: &Names) -> Result<Self> {
        let bytes = |name: &Option<String>| {
            optional(table, name.as_deref())
                .map(|array| Bytes::new(name.as_deref().unwrap_or_default(), array))
                .transpose()
        };
        let dates = names.date.as_deref().map(|name| Dates::new(name, column(table, name)?)).transpose()?;
        Ok(Self {
            ids: IdColumn::new(&names.id, column(table, &names.id)?)?,
            texts: bytes(&names.text)?,
            pages: bytes(&names.html)?,
            urls: bytes(&names.url)?,
            prints: optional(table, names.fingerprint.as_deref()),
            dates,
        })
    }

    /// The document of a row: of its fingerprint, its page or its text, the first of these that it has; `None` if it
    /// has no id, or none of them.
    fn document(
        &self,
        row: usize,
        (recipe, keeps_words): (&Result<Recipe, RecipeError>, bool),
    ) -> Result<Option<Document>> {
        let made = if keeps_words { document_with_words } else { document_of_page };
        let Some(id) = self.ids.get(row) else { return Ok(None) };
        let url = self.urls.as_ref().and_then(|urls| urls.text(row));
        if let Some(print) = self.prints.map(|prints| fingerprint(prints, row)).transpose()?.flatten() {
            let document = Document::bare(&id, print)?;
            return Ok(Some(match url {
                Some(url) => document.with_url(url, recipe.as_ref().copied().unwrap_or_default().site_of(url)),
                None => document,
            }));
        }
        for (column, kind) in [(&self.pages, PageKind::Html), (&self.texts, PageKind::Text)] {
            let Some(column) = column else { continue };
            if let Some(body) = column.get(row) {
                let charset = column.is_text().then_some("utf-8");
                return Ok(Some(made(&id, &Page { kind, charset, url, body }, &recipe.clone()?)?));
            }
        }
        Ok(None)
    }
}

/// The fingerprint of a row: 64 bits as an integer, or 16 hex digits.
fn fingerprint(array: &ArrayRef, row: usize) -> Result<Option<Fingerprint>> {
    use arrow_array::types::{Int64Type, UInt64Type};
    if !array.is_valid(row) {
        return Ok(None);
    }
    Ok(Some(Fingerprint(match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).cast_unsigned(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row),
        _ => {
            let text = Bytes::new("fingerprint", array)?.text(row).unwrap_or_default();
            let bits = if text.len() == 16 { u64::from_str_radix(text, 16).ok() } else { None };
            bits.ok_or_else(|| Fault::value(format!("'{text}' is no fingerprint of 16 hexadecimal digits")))?
        }
    })))
}

/// Makes the documents of a table, in pieces and in order: of each row a document, or `None` if it is none. `recipe`
/// tells, too, whether documents have their words.
pub(crate) fn sketch(
    arrays: Arrays,
    choices: &Choices,
    recipe: (&Result<Recipe, RecipeError>, bool),
    threads: usize,
    stopped: impl Fn() -> bool + Sync,
    mut consume: impl FnMut(Vec<Option<Document>>) -> Result<()>,
) -> Result<()> {
    let mut pieces = Pieces { arrays, table: None, at: 0 };
    let work = |piece: Result<(Arc<StructArray>, usize, usize)>| -> Result<Vec<Option<Document>>> {
        let (table, from, to) = piece?;
        let columns = Columns::new(&table, &choices.of(&table)?)?;
        (from..to)
            .map(|row| match columns.document(row, recipe) {
                // As in the command: a row with an impossible id is no document.
                Err(Fault::Store(nddb::Error::Document { .. })) => Ok(None),
                document => {
                    let date = columns.dates.as_ref().and_then(|dates| dates.get(row));
                    document.map(|document| document.map(|document| document.with_date(date)))
                }
            })
            .collect()
    };
    let produce = || {
        if stopped() {
            return Some(Err(nddb::Error::Cancelled.into()));
        }
        pieces.next().map(|piece| piece.map_err(|error| Fault::value(error.to_string())))
    };
    nddb_dedup::in_order(threads, produce, work, |made| consume(made?))
}

/// Cuts tables into pieces.
struct Pieces {
    arrays: Arrays,
    table: Option<Arc<StructArray>>,
    at: usize,
}

impl Iterator for Pieces {
    type Item = Result<(Arc<StructArray>, usize, usize), ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(table) = self.table.as_ref().filter(|table| self.at < table.len()) {
                let (from, to) = (self.at, table.len().min(self.at + PIECE));
                self.at = to;
                return Some(Ok((table.clone(), from, to)));
            }
            match self.arrays.next()? {
                Ok(array) => match array.as_struct_opt() {
                    Some(table) => (self.table, self.at) = (Some(Arc::new(table.clone())), 0),
                    None => {
                        let what = format!("a table is wanted, and this is an array of {}", array.data_type());
                        return Some(Err(ArrowError::SchemaError(what)));
                    }
                },
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
