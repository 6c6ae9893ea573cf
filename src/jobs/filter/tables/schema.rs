//! The schema of the outputs: that of the input, and the columns that are added.

use std::sync::Arc;

use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use arrow_schema::Schema;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parquet::errors::Result;
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::schema::types::{Type, TypePtr};

use crate::rows::{self, Column, leaf};

/// The metadata in which Arrow keeps its own schema, which tells types apart that are one in Parquet.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// Returns the first of these columns that the input has already.
pub(super) fn taken(metadata: &ParquetMetaData, columns: &[Column]) -> Option<&'static str> {
    let fields = metadata.file_metadata().schema_descr().root_schema().get_fields();
    columns.iter().map(|column| column.name).find(|name| fields.iter().any(|field| field.name() == *name))
}

/// Returns the schema of the outputs, of columns that the input has not.
pub(super) fn with_columns(metadata: &ParquetMetaData, columns: &[Column]) -> Result<TypePtr> {
    let root = metadata.file_metadata().schema_descr().root_schema_ptr();
    if columns.is_empty() {
        return Ok(root);
    }
    let mut fields = root.get_fields().to_vec();
    for column in columns {
        fields.push(Arc::new(leaf(column)?));
    }
    Type::group_type_builder(root.name()).with_fields(fields).build().map(Arc::new)
}

/// Returns the metadata of the outputs: that of the input, with the added columns in Arrow's schema if there is one.
pub(super) fn pairs(metadata: &ParquetMetaData, columns: &[Column]) -> Vec<KeyValue> {
    let pairs = metadata.file_metadata().key_value_metadata().cloned().unwrap_or_default();
    let extended = pairs.into_iter().filter_map(|pair| match pair.key.as_str() {
        // A schema with too few columns leads some readers astray; without it the columns have the types of Parquet.
        ARROW_SCHEMA if !columns.is_empty() => {
            let value = pair.value.as_deref().and_then(|value| with_arrow_columns(value, columns));
            value.map(|value| KeyValue::new(pair.key, value))
        }
        _ => Some(pair),
    });
    extended.collect()
}

/// Adds columns to a schema of Arrow; `None` if it cannot be read.
fn with_arrow_columns(encoded: &str, columns: &[Column]) -> Option<String> {
    let schema = try_schema_from_ipc_buffer(&BASE64_STANDARD.decode(encoded).ok()?).ok()?;
    let mut fields = schema.fields().to_vec();
    fields.extend(rows::schema(columns).fields().iter().cloned());
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let mut tracker = DictionaryTracker::new(true);
    let options = IpcWriteOptions::default();
    let message = IpcDataGenerator::default()
        .schema_to_bytes_with_dictionary_tracker(&schema, &mut tracker, &options)
        .ipc_message;
    // The mark of a message, its length, the message.
    let mut bytes = vec![0xff; 4];
    bytes.extend_from_slice(&u32::try_from(message.len()).ok()?.to_le_bytes());
    bytes.extend_from_slice(&message);
    Some(BASE64_STANDARD.encode(bytes))
}
