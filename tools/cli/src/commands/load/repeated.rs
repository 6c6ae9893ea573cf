//! Documents of one load under one id, of which only the last is stored.

use nddb::ingest::LoadReport;

use crate::quantity::counted;

/// The ways out.
pub(super) const HINT: &str = "documents that differ need ids that differ: load --id path (file:row, with the path as \
                               given) or --id row (name:row) makes them, --id-field names another field, and \
                               --id-prefix tells one load from another";

/// The end of the summary, if ids came again.
pub(super) fn summary(report: &LoadReport) -> Option<String> {
    let repeat = report.loaded.repeat.as_ref()?;
    let place = report.repeated_in.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default();
    let count = counted(report.loaded.repeated, "id");
    Some(format!("; {count} came again, first {:?}{place}: the last document of an id is stored", repeat.id))
}
