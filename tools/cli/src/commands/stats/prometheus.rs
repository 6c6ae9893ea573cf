//! Statistics in Prometheus's text format.

use std::path::Path;

use nddb::Stats;
use nddb_jobs::fields::seconds;

/// Appends the statistics. Every sample has the path of the database as the label `db`.
pub(super) fn write(stats: &Stats, db: &Path, out: &mut Vec<u8>) {
    let db = escaped(&db.display().to_string());
    let mut metric = |name: &str, kind: &str, help: &str, samples: &[(&str, f64)]| {
        let mut text = format!("# HELP nddb_{name} {help}\n# TYPE nddb_{name} {kind}\n");
        for (labels, value) in samples {
            text += &format!("nddb_{name}{{db=\"{db}\"{labels}}} {value}\n");
        }
        out.extend_from_slice(text.as_bytes());
    };
    let mut gauge = |name, help, value: u64| metric(name, "gauge", help, &[("", value as f64)]);
    gauge("documents", "Documents that are visible.", stats.documents);
    gauge("pending_documents", "Documents of pending batches.", stats.pending);
    gauge("deleted_documents", "Deleted documents that still take space.", stats.deleted);
    gauge("fingerprints", "Distinct fingerprints of each run and of the memtable, summed.", stats.fingerprints);
    gauge("memtable_documents", "Documents that are in no run yet.", stats.memtable_documents);
    gauge("runs", "Runs, each of which a query reads.", stats.runs.len() as u64);
    metric("commits_total", "counter", "Commits.", &[("", stats.commits as f64)]);
    let bytes = &stats.bytes;
    let kinds = [
        (",kind=\"segments\"", bytes.segments),
        (",kind=\"postings\"", bytes.postings),
        (",kind=\"keys\"", bytes.keys),
        (",kind=\"summaries\"", bytes.summaries),
        (",kind=\"deleted\"", bytes.deleted),
        (",kind=\"catalog\"", bytes.catalog),
        (",kind=\"manifest\"", bytes.manifest),
    ];
    metric("bytes", "gauge", "Bytes on disk.", &kinds.map(|(labels, bytes)| (labels, bytes as f64)));
    for (name, help, time) in [
        ("committed_timestamp_seconds", "When the catalog was written last.", stats.committed),
        ("published_timestamp_seconds", "When a run was added or replaced last.", stats.published),
        ("checked_timestamp_seconds", "When the database was checked last.", stats.checked.map(|check| check.time)),
    ] {
        if let Some(time) = time.and_then(seconds) {
            metric(name, "gauge", help, &[("", time as f64)]);
        }
    }
    if let Some(check) = stats.checked {
        metric("checked_faults", "gauge", "Faults that the last check found.", &[("", check.faults as f64)]);
    }
}

/// A label value: backslashes, quotes and line ends are escaped.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
