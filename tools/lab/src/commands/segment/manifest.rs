//! MANIFEST: the list of files that make up the database.

use nddb_cli::frame::Output;
use nddb_format::FormatError;
use nddb_format::manifest::{FileEntry, Manifest, RunEntry};
use serde_json::{Map, Value, json};

use super::file::{self, List, WriteError, extend, start};
use nddb_jobs::quantity::counted;

/// A decoded manifest, and its bytes.
pub(super) struct DecodedManifest<'a> {
    bytes: &'a [u8],
    manifest: Manifest,
}

impl<'a> DecodedManifest<'a> {
    /// Decodes it, which checks every rule.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, FormatError> {
        Ok(Self { bytes, manifest: Manifest::decode(bytes)? })
    }
}

fn file(file: &FileEntry) -> Value {
    json!({
        "number": file.number,
        "length": file.length,
        "identity": format!("{:016x}", file.identity),
        "checksum": format!("{:08x}", file.checksum),
    })
}

fn run(run: &RunEntry) -> Value {
    json!({
        "low": run.low,
        "high": run.high,
        "fingerprints": run.fingerprints,
        "documents": run.documents,
        "set_digest": format!("{:032x}", run.set_digest.0),
        "restart": run.scheme.restart(),
        "levels": run.scheme.levels(),
        "rewrites": run.rewrites,
        "postings": run.has_postings().then(|| file(&run.postings)),
        "keys": run.keys.as_ref().map(|table| json!({
            "keys": table.keys,
            "pairs": table.pairs,
            "set_digest": format!("{:032x}", table.set_digest.0),
            "postings": file(&table.postings),
            "segment": file(&table.segment),
        })),
        "summaries": run.summaries.as_ref().map(file),
        "segments": run.segments.iter().map(file).collect::<Vec<_>>(),
    })
}

impl file::DecodedFile for DecodedManifest<'_> {
    fn head(&self) -> Map<String, Value> {
        let manifest = &self.manifest;
        let mut head = start("manifest", self.bytes);
        let fields = json!({
            "bits": manifest.bits,
            "k": manifest.k,
            "generation": manifest.generation,
            "complete": manifest.complete,
            "commits": manifest.commits,
            "next_file": manifest.next_file,
            "catalog": format!("{:032x}", manifest.catalog),
            "deleted": manifest.deleted.as_ref().map(file),
            "folded": manifest.folded,
            "purged": manifest.purged,
        });
        extend(&mut head, fields);
        if let Some(scheme) = &manifest.set {
            let set = json!({"restart": scheme.restart(), "levels": scheme.levels()});
            extend(&mut head, json!({"set": set}));
        }
        head
    }

    fn write_long_parts(&self, output: &mut Output) -> Result<(), WriteError> {
        let mut runs = List::begin(output, "runs")?;
        for entry in &self.manifest.runs {
            runs.push(&run(entry).to_string())?;
        }
        runs.end()?;
        Ok(())
    }

    fn summary(&self) -> Vec<(&'static str, String)> {
        let one = |entry: &RunEntry| {
            let (low, high, tables) = (entry.low, entry.high, entry.segments.len() as u64);
            let (prints, tables) = (counted(entry.fingerprints, "fingerprint"), counted(tables, "table"));
            ("run", format!("documents {low} to {high}: {prints} in {tables}, levels {:?}", entry.scheme.levels()))
        };
        self.manifest.runs.iter().map(one).collect()
    }
}
