//! The list of skipped records: JSON objects with file, offset and reason.

use std::path::Path;

use nddb::archive::{Position, text_of};
use nddb::ingest;
use nddb_jobs::output::Destination;
use serde_json::json;

use crate::failure::Result;
use crate::messages::Messages;
use crate::output::Output;

/// Reason for files that could not be read, or not to their end.
pub(super) const UNREADABLE: &str = "unreadable";

/// Reason for archives that an index names but that are no inputs.
const ABSENT: &str = "absent";

/// Writes the list, and with -v a message for each record.
pub(super) struct Skipped {
    output: Option<Output>,
    messages: Messages,
}

impl Skipped {
    /// Makes the file, if the user wants one.
    pub(super) fn create(to: Option<Destination>, messages: Messages) -> Result<Self> {
        Ok(Self { output: to.as_ref().map(Output::create).transpose()?, messages })
    }

    /// Adds a record of a file.
    pub(super) fn write(&mut self, what: &ingest::Skipped<'_>) -> Result<()> {
        let Position { offset, inner, length } = what.position;
        let (file, reason, detail) = (what.path.display(), what.reason.as_str(), what.detail);
        self.messages.detail(format!("{file}: skipped at byte {offset}: {reason}: {detail}"));
        let Some(output) = &mut self.output else { return Ok(()) };
        // Reference of load: a line of `--skipped`
        output.json(&json!({
            "file": text_of(what.path),
            "offset": offset,
            "inner": inner,
            "length": length,
            // `unreadable` for a file that cannot be opened or read to its end, `absent` for an archive that only the
            // index of --select has, else one of `nddb::archive::Reason`
            "reason": reason,
            "detail": detail,
        }))
    }

    /// Adds a whole file, or the rest of one.
    pub(super) fn write_unreadable(&mut self, file: &Path, error: &str) -> Result<()> {
        self.messages.warn(format!("skipped: {error}"));
        let Some(output) = &mut self.output else { return Ok(()) };
        output.json(&json!({"file": text_of(file), "offset": 0, "reason": UNREADABLE, "detail": error}))
    }

    /// Adds an archive that an index names and that is no input.
    pub(super) fn write_absent(&mut self, name: &str, ranges: u64) -> Result<()> {
        let Some(output) = &mut self.output else { return Ok(()) };
        let detail = format!("{ranges} selected, and the archive is not among the inputs");
        output.json(&json!({"file": name, "offset": 0, "reason": ABSENT, "detail": detail}))
    }

    /// Completes the list.
    pub(super) fn finish(self) -> Result<()> {
        self.output.map_or(Ok(()), Output::finish)
    }
}
