//! The names of the columns of a table of pages.

use arrow_array::StructArray;
use pyo3::prelude::*;

use crate::arrow::{column, optional};
use crate::errors::{Fault, Result};

/// What a caller says of the column of a page.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// Nothing, or `...`: the column of the usual name, if there is one.
    Usual,
    /// `None`: no column.
    Nothing,
    /// The column of this name, which must be there.
    Named(String),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Choice {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is(object.py().Ellipsis()) {
            Ok(Choice::Usual)
        } else if object.is_none() {
            Ok(Choice::Nothing)
        } else {
            object.extract().map(Choice::Named)
        }
    }
}

impl Choice {
    fn is_named(&self) -> bool {
        matches!(self, Choice::Named(_))
    }

    /// The column of this choice, where the usual one is read only if that is wanted.
    fn of(&self, table: &StructArray, usual: &str, with_usual: bool) -> Result<Option<String>> {
        match self {
            Choice::Named(name) => column(table, name).map(|_| Some(name.clone())),
            Choice::Usual if with_usual => Ok(optional(table, Some(usual)).map(|_| usual.to_owned())),
            Choice::Usual | Choice::Nothing => Ok(None),
        }
    }
}

/// The columns that a caller wants to be read.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) id: String,
    pub(crate) text: Choice,
    pub(crate) html: Choice,
    pub(crate) url: Choice,
    pub(crate) fingerprint: Option<String>,
    pub(crate) date: Option<String>,
}

/// The names of the columns that are read of a table.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) id: String,
    pub(crate) text: Option<String>,
    pub(crate) html: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) fingerprint: Option<String>,
    pub(crate) date: Option<String>,
}

impl Choices {
    /// Returns the names for a table: with a column that is named for a page, the usual ones of pages are not read.
    /// Fails where a column that was named is missing, or nothing says what a document is.
    pub(crate) fn of(&self, table: &StructArray) -> Result<Names> {
        column(table, &self.id)?;
        for name in self.fingerprint.iter().chain(&self.date) {
            column(table, name)?;
        }
        let is_usual = !self.text.is_named() && !self.html.is_named();
        let names = Names {
            id: self.id.clone(),
            text: self.text.of(table, "text", is_usual)?,
            html: self.html.of(table, "html", is_usual)?,
            url: self.url.of(table, "url", true)?,
            fingerprint: self.fingerprint.clone(),
            date: self.date.clone(),
        };
        if names.text.is_none() && names.html.is_none() && names.fingerprint.is_none() {
            let found = table.column_names().join(", ");
            return Err(Fault::value(format!(
                "the table has no column text or html: name the column of the pages; it has {found}"
            )));
        }
        Ok(names)
    }
}
