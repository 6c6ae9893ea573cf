//! Columns and their values.

use nddb_format::Fingerprint;
use serde_json::{Value, json};

use crate::json::Id;

/// A column of a table. Every column may have nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The type of its values.
    pub kind: CellKind,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// UTF-8.
    Text,
    /// Signed, 64 bits.
    Number,
    /// A fingerprint: 16 hex digits, but in Parquet its bits as a signed number, because engines without unsigned
    /// numbers read unsigned numbers of 64 bits as decimals.
    Print,
    /// A floating-point number of 64 bits.
    Share,
    /// A truth value.
    Flag,
}

/// A value; its kind is the kind of the column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// A value of a column of text.
    Text(&'a str),
    /// The id of a document, in a column of text: an id that is a number is a number in JSON, and its digits elsewhere.
    Id {
        /// The id.
        id: &'a str,
        /// Whether the database also has the namesake: the id of the other kind (number or text) with the same digits.
        /// For TSV.
        has_namesake: bool,
    },
    /// JSON: a value in JSON, and a text elsewhere.
    Json(&'a str),
    /// A value of a column of numbers.
    Number(i64),
    /// A value of a column of fingerprints.
    Print(Fingerprint),
    /// A value of a column of floating-point numbers.
    Share(f64),
    /// A value of a column of truth values.
    Flag(bool),
}

impl Column {
    /// A column of this name and type.
    pub const fn new(name: &'static str, kind: CellKind) -> Self {
        Self { name, kind }
    }
}

impl Cell<'_> {
    /// Returns the value as JSON.
    pub fn value(&self) -> Value {
        match *self {
            Cell::Null => Value::Null,
            Cell::Text(text) => text.into(),
            Cell::Json(json) => serde_json::from_str(json).unwrap_or_else(|_| json.into()),
            Cell::Id { id, .. } => json!(Id(id)),
            Cell::Number(number) => number.into(),
            Cell::Print(fingerprint) => fingerprint.to_string().into(),
            Cell::Share(share) => share.into(),
            Cell::Flag(flag) => flag.into(),
        }
    }
}

impl<'a> Cell<'a> {
    /// An id, for tables that write every number as its digits.
    pub const fn id(id: &'a str) -> Self {
        Cell::Id { id, has_namesake: false }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text)
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Cell::Flag(flag)
    }
}

impl From<f64> for Cell<'_> {
    fn from(share: f64) -> Self {
        Cell::Share(share)
    }
}

impl From<u32> for Cell<'_> {
    fn from(number: u32) -> Self {
        Cell::Number(number.into())
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Cell::Number(number)
    }
}

/// Numbers of documents, bytes and tokens are below 2^63.
impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        Cell::Number(number.cast_signed())
    }
}

impl From<Fingerprint> for Cell<'_> {
    fn from(fingerprint: Fingerprint) -> Self {
        Cell::Print(fingerprint)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Null, Into::into)
    }
}
