//! What is said while files are filtered.

use std::path::PathBuf;

use nddb_index::Progress;

use crate::lists::ListDoubt;

/// Called from time to time; returning `false` cancels the work.
pub(super) type Watching<'a> = dyn FnMut(&Progress) -> bool + Send + 'a;

/// Called with what is noticed.
pub(crate) type Tell<'a> = dyn FnMut(FilterNote) + 'a;

/// Something that is noticed while files are filtered, and stops nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterNote {
    /// This number of files in folders is passed over: hidden, or of no format that is asked for.
    PassedOver(u64),
    /// A list is used, but there is a doubt about it.
    List {
        /// The list.
        path: PathBuf,
        /// The doubt.
        doubt: ListDoubt,
    },
    /// This folder of clusters has no summary, so that it is not known whether its lists are whole.
    NoSummary(PathBuf),
    /// This input was changed since it was loaded: its rows are found by id alone.
    Changed(PathBuf),
    /// This number of documents has the id of an earlier one: all are named by file and row instead.
    NamedByPlace(u64),
    /// Compressed members of this input hold several records: each record was compressed anew.
    Repacked(PathBuf),
}
