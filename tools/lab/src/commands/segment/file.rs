//! The common view of every kind of file, and the writer of its JSON.

use nddb_cli::frame::{Failure, Output, Result};
use nddb_format::FormatError;
use nddb_format::fields::{FORMAT_VERSION, READER_MIN};
use serde_json::{Map, Value};

/// A decoded file of the format.
pub(super) trait DecodedFile {
    /// The scalar fields, in the order of the format.
    fn head(&self) -> Map<String, Value>;
    /// Writes the long parts, each as `,"name":[...]`.
    fn write_long_parts(&self, output: &mut Output) -> Result<(), WriteError>;
    /// Returns derived figures, each as a name and a text.
    fn summary(&self) -> Vec<(&'static str, String)>;
}

/// Why writing a part failed.
pub(super) enum WriteError {
    Format(FormatError),
    Output(Failure),
}

impl From<FormatError> for WriteError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

impl From<Failure> for WriteError {
    fn from(failure: Failure) -> Self {
        Self::Output(failure)
    }
}

/// The fields that every file begins with.
pub(super) fn start(kind: &str, bytes: &[u8]) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("kind".into(), kind.into());
    head.insert("format".into(), FORMAT_VERSION.get(bytes).into());
    head.insert("reader_min".into(), READER_MIN.get(bytes).into());
    head
}

/// Adds the fields of a JSON object.
pub(super) fn extend(head: &mut Map<String, Value>, fields: Value) {
    if let Value::Object(fields) = fields {
        head.extend(fields);
    }
}

/// Writes `,"name":[...]`.
pub(super) struct List<'a> {
    output: &'a mut Output,
    any: bool,
}

impl<'a> List<'a> {
    pub(super) fn begin(output: &'a mut Output, name: &str) -> Result<Self> {
        output.write(format!(",\"{name}\":[").as_bytes())?;
        Ok(Self { output, any: false })
    }

    pub(super) fn push(&mut self, value: &str) -> Result<()> {
        if std::mem::replace(&mut self.any, true) {
            self.output.write(b",")?;
        }
        self.output.write(value.as_bytes())
    }

    pub(super) fn end(self) -> Result<()> {
        self.output.write(b"]")
    }
}
