//! Errors of the library as exceptions of the package: a class for each kind, in `nddb/_errors.py`.

use std::path::Path;

use nddb::NextStep;
use nddb::archive::ArchiveError;
use nddb::ingest::LoadError;
use nddb::sketch::RecipeError;
use nddb_jobs::{Advice, JobError, chain};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;

use crate::ids::GivenId;

/// A `Result` of this crate.
pub(crate) type Result<T, E = Fault> = std::result::Result<T, E>;

/// Why a call fails: becomes an exception where it leaves the extension.
#[derive(Debug)]
pub(crate) enum Fault {
    /// An error of the library.
    Store(nddb::Error),
    /// An input cannot be read.
    Archive(ArchiveError),
    /// A recipe is not known.
    Recipe(RecipeError),
    /// Databases, or a database and sketches, differ in their settings; with a hint.
    Mismatch(String, Option<String>),
    /// An exception of Python.
    Python(PyErr),
    /// An argument makes no sense.
    Value(String),
    /// Nothing is stored under an id.
    Key(String),
}

impl Fault {
    /// An argument makes no sense.
    pub(crate) fn value(message: impl Into<String>) -> Self {
        Self::Value(message.into())
    }

    /// Nothing is stored under an id.
    pub(crate) fn key(id: &GivenId) -> Self {
        Self::Key(id.shown().into())
    }
}

impl From<nddb::Error> for Fault {
    fn from(error: nddb::Error) -> Self {
        Self::Store(error)
    }
}

impl From<ArchiveError> for Fault {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

impl From<RecipeError> for Fault {
    fn from(error: RecipeError) -> Self {
        Self::Recipe(error)
    }
}

impl From<LoadError> for Fault {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Archive(error) => Self::Archive(error),
            LoadError::Recipe(error) => Self::Recipe(error),
            LoadError::Store(error) => Self::Store(error),
            error @ LoadError::OtherRecipe { .. } => Self::Mismatch(chain(&error), None),
            error => Self::Value(chain(&error)),
        }
    }
}

impl From<JobError> for Fault {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Store(error) => Self::Store(error),
            JobError::Archive(error) => Self::Archive(error),
            JobError::Load(error) => error.into(),
            JobError::Mismatch { message, advice: Advice::CreateWithParts } => {
                let hint = "make a database with Config(recipe=\"main-parts\"), and load its archives into that one";
                Self::Mismatch(message, Some(hint.to_owned()))
            }
            error => Self::Value(chain(&error)),
        }
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Python(error) => error,
            Fault::Value(message) => PyValueError::new_err(message),
            Fault::Key(id) => PyKeyError::new_err(id),
            Fault::Archive(error) => exception("ArchiveError", &chain(&error), None, None),
            Fault::Mismatch(message, hint) => exception("Mismatch", &message, hint, None),
            Fault::Recipe(error) => exception("RecipeError", &chain(&error), None, None),
            Fault::Store(error) => {
                let system = match &error {
                    nddb::Error::Io { source, .. } => source.raw_os_error(),
                    _ => None,
                };
                exception(class(&error), &chain(&error), error.next_step().map(|step| words(&step)), system)
            }
        }
    }
}

/// The class of an error.
fn class(error: &nddb::Error) -> &'static str {
    use nddb::Error as E;
    match error {
        E::Io { .. } => "IoError",
        E::Corrupt { .. } => "Corrupt",
        E::Missing { .. } => "Missing",
        E::BeyondRepair { .. } => "BeyondRepair",
        E::Inconsistent { .. } => "Inconsistent",
        E::Newer { .. } => "Newer",
        E::Locked { .. } => "Locked",
        E::Moved { .. } => "Moved",
        E::NotADatabase { .. } => "NotADatabase",
        E::NotABackup { .. } => "NotABackup",
        E::DamagedBackup { .. } => "DamagedBackup",
        E::AlreadyExists { .. } | E::InTheWay { .. } | E::Inside { .. } => "AlreadyExists",
        E::Mismatch { .. } => "Mismatch",
        E::SameDatabase { .. } => "SameDatabase",
        E::Method { .. } => "UnusableMethod",
        E::OutOfRange { .. } => "OutOfRange",
        E::Document { .. } => "InvalidDocument",
        E::StalePlan { .. } => "Busy",
        E::Batch { .. } => "WrongBatch",
        E::OverLimit { .. } | E::OutOfNumbers { .. } => "OverLimit",
        E::Catalog { .. } => "CatalogError",
        E::Poisoned | E::LoadFailed { .. } => "Poisoned",
        E::Cancelled => "Cancelled",
        E::Busy { .. } => "Busy",
        _ => "Error",
    }
}

/// Says what to do, in calls of the package.
pub(crate) fn words(step: &NextStep) -> String {
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\\', "\\\\").replace('\'', "\\'"));
    match step {
        NextStep::Check(path) => {
            format!("nddb.commands.check({}) lists all damage, and what repairs it", quoted(path))
        }
        NextStep::Repair(path) => format!("nddb.commands.rebuild({}) repairs it", quoted(path)),
        NextStep::Rebuild(path) => format!(
            "nddb.commands.rebuild({0}) rebuilds it from the catalog; nddb.commands.check({0}) lists all damage",
            quoted(path)
        ),
        NextStep::RebuildManifest(path) => format!(
            "a database without MANIFEST exists: nddb.commands.rebuild({}) restores it, or says that there is nothing \
             to restore; or choose another path",
            quoted(path)
        ),
        NextStep::RebuildOrLoad(path) => {
            format!("nddb.commands.rebuild({}) or the next load restores it", quoted(path))
        }
        NextStep::Create(path) => {
            format!("if the path is right, nddb.Writer({}, create=nddb.Config()) creates a database", quoted(path))
        }
        NextStep::CreateAgain(path) => format!("nddb.Writer({}, create=nddb.Config()) starts again", quoted(path)),
        NextStep::Restore => "nddb.commands.restore_backup makes a database from it".into(),
        NextStep::DatabaseThere(path) => {
            format!("a database exists there (nddb.open({}).stats() describes it); choose another path", quoted(path))
        }
        NextStep::NextBackup(folder) => format!(
            "a backup exists there: nddb.commands.backup(db, {}) makes the next one beside it",
            quoted(&folder.join(""))
        ),
        NextStep::OtherBackup => "use another backup; nddb.commands.verify_backup lists all damage of this one".into(),
        NextStep::CreateOfK => "nddb.Config(k=...) makes a database of that k: load the documents again".into(),
        other => other.to_string(),
    }
}

/// Makes an exception; the exception is that of what goes wrong with it, if anything does.
fn exception(class: &str, message: &str, hint: Option<String>, system: Option<i32>) -> PyErr {
    Python::attach(|py| {
        let made = || {
            let exception = py.import("nddb._errors")?.getattr(class)?.call1((message,))?;
            if let Some(hint) = &hint {
                exception.setattr("hint", hint)?;
                // What add_note does, which Python has from 3.11 on.
                exception.setattr("__notes__", vec![format!("hint: {hint}")])?;
            }
            if let Some(system) = system {
                exception.setattr("errno", system)?;
            }
            Ok(PyErr::from_value(exception))
        };
        made().unwrap_or_else(|error| error)
    })
}
