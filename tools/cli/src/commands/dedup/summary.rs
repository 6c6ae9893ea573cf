//! The summary of `nddb dedup`: numbers of documents read, kept and removed, as text and as JSON.

use nddb::detect::ClusterSummary;
use nddb_jobs::output::Destination;
use nddb_jobs::removed::Removed;
use serde_json::json;

use super::Args;
use crate::args::Global;
use crate::clock::Clock;
use crate::commands::filter::Counts;
use crate::commands::load::incomplete;
use crate::commands::query::outside::Outside;
use crate::failure::Result;
use crate::messages::Meter;
use crate::quantity::{bytes, counted, duration, grouped};

/// The documents that are removed, by kind.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Near to a document of an earlier database.
    earlier: u64,
    /// With the text of a kept document.
    identical: u64,
    /// Other near-duplicates of a kept document.
    near: u64,
    /// Words of all of these.
    words: u64,
    /// Bytes of all of these in the inputs, compressed as they are, where that is known.
    bytes: u64,
    /// What became of the documents that are not near to earlier ones.
    pub(super) clusters: ClusterSummary,
}

impl Summary {
    /// Counts a document.
    pub(super) fn add(&mut self, removed: &Removed<'_>) {
        *match removed {
            Removed { part: Some(_), .. } => &mut self.earlier,
            Removed { identical: true, .. } => &mut self.identical,
            _ => &mut self.near,
        } += 1;
        self.words += removed.origin.words;
        self.bytes += removed.origin.bytes;
    }

    /// Says what was done.
    pub(super) fn tell(
        &self,
        args: &Args,
        outside: &Outside,
        (counts, outputs): (&Counts, &[Destination]),
        clock: &Clock,
        global: &Global,
        meter: &Meter,
    ) -> Result<()> {
        let skipped = outside.loaded().map_or(0, |(report, _)| report.skipped());
        let kept = counts.rows - counts.removed;
        global.summary(
            meter,
            json!({
                "documents": counts.rows,
                "kept": kept,
                "removed": counts.removed,
                "same_text": self.identical,
                "near": self.near,
                "earlier": self.earlier,
                "keep": args.level.order(),
                "level": args.level.name(),
                "words": self.clusters.words.name(),
                "unverified": self.clusters.unverified,
                "removed_words": self.words,
                "removed_bytes": self.bytes,
                "records_removed": counts.related,
                "without_id": counts.without_id,
                "skipped": skipped,
                "bytes": counts.bytes,
                "outputs": outputs.iter().map(|to| nddb::archive::text_of(to.path())).collect::<Vec<_>>(),
                "seconds": clock.seconds(),
                "cpu_seconds": clock.cpu_seconds(),
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
            (self.identical, "with the text of a kept document"),
            (self.near, "near to a kept document"),
            (self.earlier, "near to a document of an earlier database"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", grouped(count)))
        .collect();
        if !kinds.is_empty() {
            text += &format!(": {}", kinds.join(", "));
        }
        if skipped > 0 {
            text += &format!("; {} unreadable", grouped(skipped));
        }
        text += &outside.loaded().map(|(report, _)| incomplete(report)).unwrap_or_default();
        let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
        meter.finish(&format!("{text}; in {took}"));
        let messages = global.messages();
        if counts.removed > 0 {
            let size = if self.bytes > 0 {
                format!(", {} of {}", bytes(self.bytes), bytes(counts.bytes))
            } else {
                String::new()
            };
            messages.note(format!("{} removed{size}", counted(self.words, "word")));
        }
        if args.dry_run {
            messages.note("nothing was written (--dry-run)");
            return Ok(());
        }
        let files = [
            ("kept", args.output.as_ref()),
            ("list of removed", args.removed.as_ref()),
            ("report", args.report.as_ref()),
        ];
        let files = files.iter().filter_map(|(what, path)| Some(format!("{what}: {}", path.as_ref()?.display())));
        messages.note(files.collect::<Vec<_>>().join("; "));
        Ok(())
    }
}
