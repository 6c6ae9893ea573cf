//! Different documents with the same id in one load, of which only the last is stored.

use nddb::ShownId;
use nddb::archive::text_of;
use nddb::ingest::LoadReport;
use nddb_jobs::json::Id;
use serde_json::{Value, json};

/// The hint.
pub(super) const HINT: &str = "documents that differ need ids that differ: load --id path (file:row, with the path as \
                               given) or --id row (name:row) makes them, --id-field names another field, and \
                               --id-prefix tells one load from another";

/// Returns one of these documents as an object: its id and file.
pub(super) fn value(report: &LoadReport) -> Option<Value> {
    let file = report.repeated_in.as_ref().map(text_of);
    report.loaded.repeat.as_ref().map(|repeat| json!({"id": Id(&repeat.id), "file": file}))
}

/// Returns one of these documents as text.
pub(super) fn named(report: &LoadReport) -> Option<String> {
    let repeat = report.loaded.repeat.as_ref()?;
    let place = report.repeated_in.as_ref().map(|path| format!(" in {}", text_of(path))).unwrap_or_default();
    Some(format!(", first {:?}{place}", ShownId(&repeat.id)))
}
