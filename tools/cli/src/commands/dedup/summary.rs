//! The summary of `nddb dedup`: numbers of documents read, kept and removed, as text and as JSON.

use nddb_jobs::dedup::Deduped;
use nddb_jobs::output::Destination;
use serde_json::json;

use super::Args;
use crate::args::Global;
use crate::clock::Clock;
use crate::failure::Result;
use crate::loading::incomplete;
use crate::messages::Meter;
use crate::quantity::{bytes, counted, duration, grouped};

/// Says what was done.
pub(super) fn tell(
    done: &Deduped,
    outputs: &[Destination],
    args: &Args,
    clock: &Clock,
    global: &Global,
    meter: &Meter,
) -> Result<()> {
    let (summary, report) = (&done.summary, done.report());
    let counts = &summary.counts;
    let skipped = report.skipped();
    let kept = counts.rows - counts.removed;
    global.summary(
        meter,
        // Reference of dedup: the object of `--json`
        json!({
            "documents": counts.rows,
            "kept": kept,
            "removed": counts.removed,
            "same_text": summary.identical, // removed with the text of a kept document
            "near": summary.near, // removed as near a kept document
            "earlier": summary.earlier, // removed as near a document of --against
            "contained": summary.contained, // removed as text within a kept document, by --contained
            "contained_kept": summary.contained_kept, // text within a kept document that stays
            "keep": args.level.order(),
            "level": args.level.name(),
            "words": summary.clusters.words.name(), // where the words came from by which the loss is known
            "unverified": summary.clusters.unverified, // removals whose loss was estimated
            "removed_words": summary.words, // words of the removed documents
            "removed_bytes": summary.bytes, // in the inputs, where known
            "records_removed": counts.related, // requests and metadata of removed pages
            "without_id": counts.without_id,
            "skipped": skipped,
            "bytes": counts.bytes,
            "outputs": outputs.iter().map(|to| nddb::archive::text_of(to.path())).collect::<Vec<_>>(),
            "seconds": clock.seconds(),
            "cpu_seconds": clock.cpu_seconds(),
            "busiest_thread": clock.busiest_thread(),
        }),
    )?;
    let mut text = format!(
        "{} read, {} kept, {} removed ({:.1}%)",
        counted(counts.rows, "document"),
        grouped(kept),
        grouped(counts.removed),
        100.0 * counts.removed as f64 / counts.rows.max(1) as f64,
    );
    let kinds: Vec<String> = [
        (summary.identical, "with the text of a kept document"),
        (summary.near, "near to a kept document"),
        (summary.earlier, "near to a document of an earlier database"),
        (summary.contained, "within a kept document"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{} {what}", grouped(count)))
    .collect();
    if !kinds.is_empty() {
        text += &format!(": {}", kinds.join(", "));
    }
    if summary.contained_kept > 0 {
        text += &format!("; {} of the kept within another one", grouped(summary.contained_kept));
    }
    if skipped > 0 {
        text += &format!("; {} unreadable", grouped(skipped));
    }
    text += &incomplete(report);
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    meter.finish(&format!("{text}; in {took}"));
    let messages = global.messages();
    if counts.removed > 0 {
        let size = if summary.bytes > 0 {
            format!(", {} of {}", bytes(summary.bytes), bytes(counts.bytes))
        } else {
            String::new()
        };
        messages.note(format!("{} removed{size}", counted(summary.words, "word")));
    }
    if args.dry_run {
        messages.note("nothing was written (--dry-run)");
        return Ok(());
    }
    let files =
        [("kept", args.output.as_ref()), ("list of removed", args.removed.as_ref()), ("report", args.report.as_ref())];
    let files = files.iter().filter_map(|(what, path)| Some(format!("{what}: {}", path.as_ref()?.display())));
    messages.note(files.collect::<Vec<_>>().join("; "));
    Ok(())
}
