//! What a load has counted.

use std::collections::{BTreeMap, HashMap};

use nddb::archive::OtherKind;

use super::skipped::UNREADABLE;
use crate::quantity::grouped;

/// Counts of everything that was met.
pub(super) struct Tally {
    /// Documents handed to the database.
    pub(super) documents: u64,
    /// What was skipped, by reason.
    pub(super) skipped: BTreeMap<&'static str, u64>,
    /// Sound records that are no documents, by kind.
    pub(super) other: BTreeMap<&'static str, u64>,
    /// Why files could not be read.
    pub(super) unreadable: Vec<String>,
    /// Archives that an earlier load has read.
    pub(super) passed_over: u64,
    size: u64,
    /// Bytes read of each input, and what they decompressed to.
    read: HashMap<usize, (u64, u64)>,
    bytes_in: u64,
    payload: u64,
}

impl Tally {
    /// Starts; `size` is that of all inputs, as far as it is known.
    pub(super) fn new(size: u64, passed_over: u64) -> Self {
        Self {
            documents: 0,
            skipped: BTreeMap::new(),
            other: BTreeMap::new(),
            unreadable: Vec::new(),
            passed_over,
            size,
            read: HashMap::new(),
            bytes_in: 0,
            payload: 0,
        }
    }

    /// Counts something skipped.
    pub(super) fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    /// Counts a file that cannot be read.
    pub(super) fn unreadable(&mut self, error: String) {
        self.skip(UNREADABLE);
        self.unreadable.push(error);
    }

    /// Counts a record that is no document.
    pub(super) fn other(&mut self, kind: OtherKind) {
        *self.other.entry(kind.as_str()).or_default() += 1;
    }

    /// Notes how far an input has been read.
    pub(super) fn read(&mut self, source: usize, bytes: u64, payload: u64) {
        let before = self.read.insert(source, (bytes, payload)).unwrap_or_default();
        self.bytes_in += bytes.saturating_sub(before.0);
        self.payload += payload.saturating_sub(before.1);
    }

    /// Bytes of files read.
    pub(super) fn bytes_in(&self) -> u64 {
        self.bytes_in
    }

    /// What they decompressed to.
    pub(super) fn payload(&self) -> u64 {
        self.payload
    }

    /// Which part of all bytes that is.
    pub(super) fn share(&self) -> Option<f64> {
        (self.size > 0).then(|| self.bytes_in as f64 / self.size as f64)
    }

    /// Number of things skipped.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped.values().sum()
    }

    /// What was skipped, in words.
    pub(super) fn reasons(&self) -> String {
        let each = self.skipped.iter().map(|(reason, count)| format!("{reason}: {}", grouped(*count)));
        format!("{} skipped ({})", grouped(self.skipped()), each.collect::<Vec<_>>().join(", "))
    }

    /// Whether nothing could be read at all.
    pub(super) fn is_failure(&self, inputs: usize) -> bool {
        inputs > 0 && self.unreadable.len() == inputs && self.documents == 0
    }
}
