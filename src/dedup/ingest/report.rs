//! Events during a load, and the report at its end.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use nddb_archive::{ArchiveError, OtherKind, Position, Reason};
use nddb_index::Loaded;

use super::documents::Unread;
use super::resume::Sources;
use super::revisits::Revisits;

/// An event during a load.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An entry was skipped.
    Skipped(Skipped<'a>),
    /// An input cannot be opened, or not read further.
    Unreadable {
        /// The input.
        path: &'a Path,
        /// The error.
        error: &'a ArchiveError,
    },
    /// An archive is resumed.
    Resumed {
        /// The archive.
        path: &'a Path,
        /// Number of documents that an earlier load has read of it.
        documents: u64,
    },
    /// An archive is passed over: an earlier load has read all of it, and it was not modified since.
    PassedOver {
        /// The archive.
        path: &'a Path,
    },
    /// More entries were stored.
    Progress(LoadProgress),
}

/// A skipped entry.
#[derive(Clone, Copy, Debug)]
pub struct Skipped<'a> {
    /// The input.
    pub path: &'a Path,
    /// The position of the entry in it.
    pub position: Position,
    /// The reason, for counting.
    pub reason: Reason,
    /// A message for the user.
    pub detail: &'a str,
}

/// The progress of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Number of documents given to the database.
    pub documents: u64,
    /// Number of entries skipped and of inputs that cannot be read.
    pub skipped: u64,
    /// Bytes of the inputs read; archives that are passed over count as read.
    pub bytes_in: u64,
    /// Bytes of all inputs, as far as known.
    pub size: u64,
}

/// The result of a load.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LoadReport {
    /// Number of entries read. Each entry is a document (stored, unchanged or repeated), a skipped entry, or no
    /// document. An input that cannot be read to its end counts as one skipped entry.
    pub entries: u64,
    /// The documents stored.
    pub loaded: Loaded,
    /// The input with the document of `loaded.repeat`, which repeats an earlier id.
    pub repeated_in: Option<PathBuf>,
    /// Number of inputs.
    pub inputs: u64,
    /// Number of archives that are passed over because an earlier load has read them.
    pub passed_over: u64,
    /// Number of files in folders that are no inputs, judged by their names.
    pub files_passed_over: u64,
    /// The progress at the end.
    pub progress: LoadProgress,
    /// Number of decompressed bytes read.
    pub payload_bytes: u64,
    /// Number of documents given to the database whose pages are known to be incomplete in the input: the page was
    /// truncated by the end of the file, by a wrong length, or when it was fetched.
    pub truncated: u64,
    /// Number of documents given to the database of which only the beginning was read, because they are longer than the
    /// size limit or than the memory limit allows.
    pub cut: u64,
    /// Number of documents given to the database whose dates were not understood.
    pub unread_dates: u64,
    /// The first of these dates, or its beginning, and the input that has it.
    pub unread_date: Option<(String, PathBuf)>,
    /// Number of documents given to the database whose parts are kept, and that have too few words for one.
    pub without_parts: u64,
    /// Number of skipped entries by reason, without inputs that cannot be read.
    pub skipped_by_reason: BTreeMap<Reason, u64>,
    /// The errors of inputs that cannot be opened, or not read to their end.
    pub unreadable: Vec<ArchiveError>,
    /// Number of sound records that are not documents, by kind.
    pub other: BTreeMap<OtherKind, u64>,
    /// The revisit records among these.
    pub revisits: Revisits,
    /// The load ended because the caller stopped it.
    pub stopped: bool,
}

impl LoadReport {
    /// Returns the number of entries skipped and of inputs that cannot be read.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.progress.skipped
    }

    /// Returns whether there were inputs and none of them could be read.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.inputs > 0 && self.unreadable.len() as u64 == self.inputs && self.progress.documents == 0
    }
}

/// Counters of a load.
pub(super) struct Tally {
    report: LoadReport,
    /// Bytes read of each input.
    read: HashMap<usize, u64>,
}

impl Tally {
    /// Returns the counters of a load that has read nothing.
    pub(super) fn new(sources: &Sources, files_passed_over: u64) -> Self {
        let progress = LoadProgress { size: sources.size(), ..LoadProgress::default() };
        let (inputs, passed_over) = (sources.all.len() as u64, sources.passed_over());
        let report = LoadReport { inputs, passed_over, files_passed_over, progress, ..LoadReport::default() };
        Self { report, read: HashMap::new() }
    }

    /// Counts a document of an input.
    pub(super) fn take(&mut self, is_truncated: bool, unread: Unread, input: &Path) {
        let report = &mut self.report;
        report.entries += 1;
        report.progress.documents += 1;
        report.cut += u64::from(unread.is_cut);
        report.without_parts += u64::from(unread.has_no_part);
        report.truncated += u64::from(is_truncated && !unread.is_cut);
        if let Some(date) = unread.date {
            report.unread_dates += 1;
            report.unread_date.get_or_insert_with(|| (date, input.to_owned()));
        }
    }

    /// Counts a skipped entry.
    pub(super) fn skip(&mut self, reason: Reason) {
        self.report.entries += 1;
        *self.report.skipped_by_reason.entry(reason).or_default() += 1;
        self.report.progress.skipped += 1;
    }

    /// Counts an input that cannot be read.
    pub(super) fn unreadable(&mut self, error: ArchiveError) {
        self.report.entries += 1;
        self.report.unreadable.push(error);
        self.report.progress.skipped += 1;
    }

    /// Counts a record that is not a document.
    pub(super) fn other(&mut self, kind: OtherKind) {
        self.report.entries += 1;
        *self.report.other.entry(kind).or_default() += 1;
    }

    /// Takes the revisit records of a piece.
    pub(super) fn revisits(&mut self, revisits: Revisits) {
        self.report.revisits.append(revisits);
    }

    /// Records the bytes read of an input so far, and the decompressed bytes of a part of it.
    pub(super) fn read(&mut self, source: usize, bytes: u64, payload: u64) {
        let before = self.read.entry(source).or_default();
        self.report.progress.bytes_in += bytes.saturating_sub(*before);
        *before = bytes.max(*before);
        self.report.payload_bytes += payload;
    }

    /// Returns the progress of the load.
    pub(super) fn progress(&self) -> LoadProgress {
        self.report.progress
    }

    /// Returns the report of a load that has ended.
    pub(super) fn report(self, loaded: Loaded, stopped: bool) -> LoadReport {
        LoadReport { loaded, stopped, ..self.report }
    }
}
