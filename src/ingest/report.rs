//! What a load tells: events while it goes on, and a report at its end.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::sources::Sources;
use crate::archive::{ArchiveError, OtherKind, Position, Reason};
use crate::store::Loaded;

/// Something that a load tells its caller.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something in an input was skipped.
    Skipped(Skipped<'a>),
    /// An input cannot be read, or no further.
    Unreadable {
        /// The input.
        path: &'a Path,
        /// Why.
        error: &'a ArchiveError,
    },
    /// An archive is read from where an earlier load has left it.
    Resumed {
        /// The archive.
        path: &'a Path,
        /// Documents that the earlier load has read of it.
        documents: u64,
    },
    /// Some entries were read and taken.
    Progress(LoadProgress),
}

/// Something that was skipped.
#[derive(Clone, Copy, Debug)]
pub struct Skipped<'a> {
    /// The input.
    pub path: &'a Path,
    /// Where in it.
    pub position: Position,
    /// The kind of trouble, for counting.
    pub reason: Reason,
    /// The trouble, for reading.
    pub detail: &'a str,
}

/// How far a load is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Documents handed to the database.
    pub documents: u64,
    /// Things skipped, inputs that cannot be read among them.
    pub skipped: u64,
    /// Bytes of the inputs read; those of archives that are passed over count as read.
    pub bytes_in: u64,
    /// Bytes of all inputs, as far as that is known.
    pub size: u64,
}

/// What a load did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LoadReport {
    /// Documents stored.
    pub loaded: Loaded,
    /// Number of inputs.
    pub inputs: u64,
    /// Archives that an earlier load has read, and this one has not.
    pub passed_over: u64,
    /// Files in folders that are no input, by their names.
    pub files_passed_over: u64,
    /// How far it came.
    pub progress: LoadProgress,
    /// What the bytes read have decompressed to.
    pub payload_bytes: u64,
    /// What was skipped, by reason; inputs that cannot be read are apart.
    pub skipped_by_reason: BTreeMap<Reason, u64>,
    /// Inputs that cannot be read, or not to their end.
    pub unreadable: Vec<ArchiveError>,
    /// Sound records that are no documents, by kind.
    pub other: BTreeMap<OtherKind, u64>,
    /// Whether the load ended because the caller wanted it to.
    pub stopped: bool,
}

impl LoadReport {
    /// Returns how many things were skipped, inputs that cannot be read among them.
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

/// Counts what a load meets.
pub(super) struct Tally {
    report: LoadReport,
    /// Bytes read of each input, and what they decompressed to.
    read: HashMap<usize, (u64, u64)>,
}

impl Tally {
    /// Returns the counts of a load that has read nothing.
    pub(super) fn new(sources: &Sources, files_passed_over: u64) -> Self {
        let progress = LoadProgress { size: sources.size(), ..LoadProgress::default() };
        let (inputs, passed_over) = (sources.all.len() as u64, sources.passed_over());
        let report = LoadReport { inputs, passed_over, files_passed_over, progress, ..LoadReport::default() };
        Self { report, read: HashMap::new() }
    }

    /// Counts a document.
    pub(super) fn take(&mut self) {
        self.report.progress.documents += 1;
    }

    /// Counts something skipped.
    pub(super) fn skip(&mut self, reason: Reason) {
        *self.report.skipped_by_reason.entry(reason).or_default() += 1;
        self.report.progress.skipped += 1;
    }

    /// Counts an input that cannot be read.
    pub(super) fn unreadable(&mut self, error: ArchiveError) {
        self.report.unreadable.push(error);
        self.report.progress.skipped += 1;
    }

    /// Counts a record that is no document.
    pub(super) fn other(&mut self, kind: OtherKind) {
        *self.report.other.entry(kind).or_default() += 1;
    }

    /// Notes how far an input has been read.
    pub(super) fn read(&mut self, source: usize, bytes: u64, payload: u64) {
        let before = self.read.insert(source, (bytes, payload)).unwrap_or_default();
        self.report.progress.bytes_in += bytes.saturating_sub(before.0);
        self.report.payload_bytes += payload.saturating_sub(before.1);
    }

    /// Returns how far the load is.
    pub(super) fn progress(&self) -> LoadProgress {
        self.report.progress
    }

    /// Returns the report of a load that has ended.
    pub(super) fn report(self, loaded: Loaded, stopped: bool) -> LoadReport {
        LoadReport { loaded, stopped, ..self.report }
    }
}
