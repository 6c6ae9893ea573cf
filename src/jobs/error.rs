//! Why a job ends early, and what to do about it.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use nddb_archive::ArchiveError;
use nddb_dedup::ingest::LoadError;

use crate::output::OutputError;

/// A `Result` of a job.
pub type Result<T, E = JobError> = std::result::Result<T, E>;

/// Why a job ends early. Outputs are as they were before, except those that were complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// An error of a database, or the job was cancelled ([`nddb_index::Error::Cancelled`]).
    #[error(transparent)]
    Store(#[from] nddb_index::Error),
    /// An error of a database, about an id of this list.
    #[error("{}: {source}", list.display())]
    Listed {
        /// The list.
        list: PathBuf,
        /// The error.
        source: nddb_index::Error,
    },
    /// An input cannot be read as pages.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Inputs cannot be loaded.
    #[error(transparent)]
    Load(LoadError),
    /// An output is refused, or cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The options fit neither each other nor the inputs.
    #[error("{message}")]
    Options {
        /// What does not fit.
        message: String,
        /// What to do.
        advice: Option<Advice>,
    },
    /// A database is none that the job works with.
    #[error("{message}")]
    Mismatch {
        /// The database, and what it is.
        message: String,
        /// What to do.
        advice: Advice,
    },
    /// A file cannot be read, or is not what it should be.
    #[error("{message}")]
    Input {
        /// The file, and what is wrong.
        message: String,
        /// What to do.
        advice: Option<Advice>,
    },
}

/// What to do about an error. Who shows it has the words: those of a command, or of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Write the lists of the clusters again.
    WriteLists,
    /// Write the lists of the clusters again: some are of one run, some of another.
    ListsOfTwoRuns,
    /// Write the lists of the clusters again, or move the list to another folder if it was shortened on purpose.
    WriteListsOrMove,
    /// Convert the list to UTF-8.
    ConvertList,
    /// Write a backslash of an id as two.
    DoubleBackslash,
    /// Compare how ids are stored with how those of an input are made.
    CompareIds,
    /// Convert the input from UTF-16 to UTF-8, and load that.
    ConvertInput,
    /// Recompress the input with gzip or zstd.
    Recompress,
    /// Unpack the WACZ file, load the archives in it, and give these.
    Unpack,
    /// Give the output a name that ends as that of the input.
    NameAs(PathBuf),
    /// Fix or omit the input: nothing was read.
    OmitInput,
    /// Add no fields; list what is removed, and why.
    ListInstead,
    /// Leave the field out of those that are added.
    LeaveOut,
    /// Load the input into the database first.
    Load {
        /// The database.
        database: PathBuf,
        /// The input.
        input: PathBuf,
    },
    /// Compress each record by itself, and load that into another database.
    RecompressRecords,
    /// Write the table as Parquet.
    WriteParquet,
    /// Name the folder that the clustering wrote.
    NameClusters,
    /// Make a database with parts, and load the archives into that one.
    CreateWithParts,
    /// Give the files from which the database was loaded instead.
    GiveFiles,
}

impl JobError {
    /// Options that do not fit.
    pub(crate) fn options(message: impl Into<String>) -> Self {
        Self::Options { message: message.into(), advice: None }
    }

    /// An input that is not what it should be.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Input { message: message.into(), advice: None }
    }

    /// A file that cannot be read.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        Self::input(format!("{}: cannot be read: {error}", path.display()))
    }

    /// An error while bytes of a file were passed on: of the output if it is one of [`PackedFile`], else of the file.
    ///
    /// [`PackedFile`]: crate::packed::PackedFile
    pub(crate) fn passing(path: &Path, error: io::Error) -> Self {
        error.downcast::<OutputError>().map_or_else(|error| Self::reading(path, &error), Self::Output)
    }

    /// Adds what to do.
    pub(crate) fn advise(mut self, what: Advice) -> Self {
        if let Self::Options { advice, .. } | Self::Input { advice, .. } = &mut self {
            *advice = Some(what);
        }
        self
    }

    /// Returns what to do; of an error of a database or of an output, its own `hint` says it.
    #[must_use]
    pub fn advice(&self) -> Option<&Advice> {
        match self {
            Self::Options { advice, .. } | Self::Input { advice, .. } => advice.as_ref(),
            Self::Mismatch { advice, .. } => Some(advice),
            _ => None,
        }
    }
}

/// Returns an error with all of its causes: `what: why: why`.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        // Some libraries repeat the message of the cause in their own.
        if !text.ends_with(&said) {
            text += &format!(": {said}");
        }
        cause = error.source();
    }
    text
}
