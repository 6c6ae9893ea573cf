//! The summary of a load: the outcome of each entry that was read, and the inputs that were not read.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use nddb::ShownId;
use nddb::archive::text_of;
use nddb::ingest::LoadReport;
use nddb_jobs::json::Id;
use serde_json::{Value, json};

use super::skipped::UNREADABLE;
use crate::quantity::{counted, grouped};

/// Maximum number of names of archives in a message.
const NAMED: usize = 3;

/// Returns the number of skipped records by the name of the reason.
pub(super) fn reasons(report: &LoadReport) -> BTreeMap<&'static str, u64> {
    let mut reasons: BTreeMap<_, _> =
        report.skipped_by_reason.iter().map(|(reason, &count)| (reason.as_str(), count)).collect();
    if !report.unreadable.is_empty() {
        reasons.insert(UNREADABLE, report.unreadable.len() as u64);
    }
    reasons
}

/// Returns the outcomes of all entries that were read. The counts add up: each entry is stored, unchanged, repeated,
/// skipped or no document.
pub(super) fn account(report: &LoadReport) -> String {
    let loaded = &report.loaded;
    let mut text = format!(
        "{} stored ({} replaced), {} unchanged, ",
        counted(loaded.documents, "document"),
        grouped(loaded.replaced),
        grouped(loaded.unchanged),
    );
    if loaded.repeated > 0 {
        let (count, named) = (grouped(loaded.repeated), repeated_named(report).unwrap_or_default());
        text += &format!("{count} repeated (their id came again{named}: the last one is stored), ");
    }
    match report.skipped() {
        0 => text += "nothing skipped",
        skipped => text += &format!("{} skipped ({})", grouped(skipped), list(reasons(report))),
    }
    let other: u64 = report.other.values().sum();
    if other > 0 {
        let kinds = report.other.iter().map(|(kind, &count)| (kind.as_str(), count));
        text += &format!(", {} no documents ({})", grouped(other), list(kinds));
    }
    let entries = if report.entries == 1 { "entry" } else { "entries" };
    format!("{text}, of {} {entries} read", grouped(report.entries))
}

fn list<K: Display>(counts: impl IntoIterator<Item = (K, u64)>) -> String {
    let each = counts.into_iter().map(|(name, count)| format!("{name}: {}", grouped(count)));
    each.collect::<Vec<_>>().join(", ")
}

/// The archives that are not read because they were already loaded: their number, and the first names.
#[derive(Default)]
pub(super) struct PassedOver {
    archives: u64,
    named: Vec<String>,
}

impl PassedOver {
    /// Counts an archive.
    pub(super) fn take(&mut self, archive: &Path) {
        self.archives += 1;
        if self.named.len() < NAMED {
            self.named.push(text_of(archive));
        }
    }

    /// Returns the end of the summary: these archives, and how to read them anyway.
    pub(super) fn summary(&self) -> String {
        if self.archives == 0 {
            return String::new();
        }
        let more = if self.archives > NAMED as u64 { ", ..." } else { "" };
        let (count, names) = (counted(self.archives, "archive"), self.named.join(", "));
        format!("; {count} passed over, loaded before: {names}{more} (--again reads all)")
    }
}

/// The hint about different documents with the same id in one load, of which only the last is stored.
pub(super) const REPEATED_HINT: &str = "\
documents that differ need ids that differ: load --id path (file:row, with the path as given) or --id row (name:row) \
makes them, --id-field names another field, and --id-prefix tells one load from another";

/// Returns one of these documents as an object: its id and file.
pub(super) fn repeated(report: &LoadReport) -> Option<Value> {
    let file = report.repeated_in.as_ref().map(text_of);
    report.loaded.repeat.as_ref().map(|repeat| json!({"id": Id(&repeat.id), "file": file}))
}

/// Returns one of these documents as text.
fn repeated_named(report: &LoadReport) -> Option<String> {
    let repeat = report.loaded.repeat.as_ref()?;
    let place = report.repeated_in.as_ref().map(|path| format!(" in {}", text_of(path))).unwrap_or_default();
    Some(format!(", first {:?}{place}", ShownId(&repeat.id)))
}
