//! What documents are joined by.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int64Builder, ListBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use nddb::Document;
use nddb::detect::Collection;
use nddb::detect::steps::{NearTables, Numbered, Properties};
use nddb::verdict::default_of;
use pyo3::prelude::*;

use super::columns::{Numbers, table};
use crate::config::named;
use crate::errors::{Fault, Result};
use crate::judging::pair_options;
use crate::recipe::Tables;
use crate::sketches::documents;
use crate::stream::Stream;

fn columns() -> SchemaRef {
    let item = Arc::new(Field::new_list_field(DataType::Int64, true));
    Arc::new(Schema::new(vec![
        Field::new("number", DataType::Int64, false),
        Field::new("text", DataType::Binary, true),
        Field::new("class", DataType::Binary, true),
        Field::new("keys", DataType::List(item), false),
        Field::new("fp", DataType::Int64, true),
        Field::new("lacks", DataType::Boolean, false),
        Field::new("empty", DataType::Boolean, false),
    ]))
}

/// Returns the values that documents are joined by, from a table with the columns number and sketch.
///
/// `text` is the digest of the text, None for an empty one. `class` is equal for documents that the method cannot
/// distinguish. `keys` find candidate pairs: keys of the method, or with `groups` keys of fingerprints that are divided
/// into that many bit groups. `lacks` is True if hamming decides for the document. The default method is that of the
/// recipe. The Stream has a row for each document, in the order of numbers.
#[pyfunction]
#[pyo3(signature = (sketches, method=None, *, k=3, recipe="main", complete=false, groups=None))]
pub(crate) fn properties(
    sketches: &Bound<'_, PyAny>,
    method: Option<&str>,
    k: u8,
    recipe: &str,
    complete: bool,
    groups: Option<u8>,
) -> Result<Stream> {
    let (recipe, tables) = (named(recipe)?, Tables::new(sketches)?);
    let options = pair_options(&recipe, method, k, None, complete, None)?;
    let near = groups.map(|groups| NearTables::new(k, groups)).transpose()?;
    Ok(Stream::new(columns(), move |sink| {
        for array in tables.take()? {
            let given = table(array)?;
            let numbers = Numbers::new(&given, "number")?;
            let rows = rows_of(&given);
            let mut numbered = Vec::with_capacity(given.len());
            for (row, document) in rows.enumerate() {
                numbered.push(Numbered { number: numbers.get(row)?, deleted: false, document: document? });
            }
            let collection = Collection::of(&mut numbered, Some(&recipe), &options.resources)?;
            let mut rows = PropertyRows::default();
            for ordinal in 0..collection.len() {
                let properties = nddb::detect::steps::properties(&collection, &options, near.as_ref(), ordinal);
                rows.push(collection.row(ordinal).number, &properties);
            }
            if !collection.is_empty() {
                sink.send(Ok(rows.batch()?))?;
            }
        }
        Ok(())
    }))
}

/// Returns the name of the default method of a recipe.
#[pyfunction]
#[pyo3(signature = (recipe="main"))]
pub(crate) fn default_method(recipe: &str) -> Result<&'static str> {
    Ok(default_of(Some(&named(recipe)?)).name())
}

/// Returns digests that recognise unchanged documents, row by row, from a table with the columns number and sketch.
/// `content` is equal for documents without a difference that users see.
#[pyfunction]
pub(crate) fn contents(sketches: &Bound<'_, PyAny>) -> Result<Stream> {
    let tables = Tables::new(sketches)?;
    let fields = vec![Field::new("number", DataType::Int64, false), Field::new("content", DataType::Binary, false)];
    let columns = Arc::new(Schema::new(fields));
    Ok(Stream::new(columns.clone(), move |sink| {
        for array in tables.take()? {
            let given = table(array)?;
            let numbers = Numbers::new(&given, "number")?;
            let (mut of, mut contents) = (Int64Builder::new(), BinaryBuilder::new());
            for (row, document) in rows_of(&given).enumerate() {
                of.append_value(numbers.get(row)?.cast_signed());
                contents.append_value(nddb::detect::steps::content_hash(&document?).to_le_bytes());
            }
            let arrays: Vec<ArrayRef> = vec![Arc::new(of.finish()), Arc::new(contents.finish())];
            sink.send(RecordBatch::try_new(columns.clone(), arrays))?;
        }
        Ok(())
    }))
}

/// The documents of a table, row by row.
fn rows_of(table: &StructArray) -> impl Iterator<Item = Result<Document>> {
    documents(Box::new(std::iter::once(Ok(Arc::new(table.clone()) as ArrayRef))))
}

#[derive(Default)]
struct PropertyRows {
    numbers: Int64Builder,
    texts: BinaryBuilder,
    classes: BinaryBuilder,
    keys: ListBuilder<Int64Builder>,
    prints: Int64Builder,
    lacking: BooleanBuilder,
    empty: BooleanBuilder,
}

impl PropertyRows {
    fn push(&mut self, number: u64, properties: &Properties) {
        self.numbers.append_value(number.cast_signed());
        let text = |[high, low]: [u64; 2]| u128::from(high) << 64 | u128::from(low);
        self.texts.append_option(properties.text.map(text).map(u128::to_le_bytes));
        self.classes.append_option(properties.class.map(u128::to_le_bytes));
        properties.keys.iter().for_each(|key| self.keys.values().append_value(key.cast_signed()));
        self.keys.append(true);
        self.prints.append_option(properties.fingerprint.map(u64::cast_signed));
        self.lacking.append_value(properties.lacks);
        self.empty.append_value(properties.is_empty);
    }

    fn batch(&mut self) -> Result<RecordBatch> {
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(self.numbers.finish()),
            Arc::new(self.texts.finish()),
            Arc::new(self.classes.finish()),
            Arc::new(self.keys.finish()),
            Arc::new(self.prints.finish()),
            Arc::new(self.lacking.finish()),
            Arc::new(self.empty.finish()),
        ];
        RecordBatch::try_new(columns(), arrays).map_err(|error| Fault::value(error.to_string()))
    }
}
