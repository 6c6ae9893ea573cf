//! All documents of a database in columns.

use nddb_index::{Error, Progress, Result, Stored, View};

use crate::error::JobError;
use crate::fields::{DocumentField, Names};
use crate::packed::PackedFile;
use crate::rows::{RowFormat, Rows};

/// Documents between two reports of progress.
const REPORT: u64 = 1 << 12;

/// Writes these fields of all live documents, or of the first ones, in the order of loading. Returns the number of
/// documents.
///
/// # Errors
/// The output cannot be written; damage of the database; [`Error::Cancelled`] if `watch` returns `false`.
pub fn export(
    view: View<'_>,
    fields: &[DocumentField],
    (output, format): (PackedFile, RowFormat),
    limit: Option<u64>,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<u64, JobError> {
    let mut rows = Rows::new(format, output, fields.iter().map(|field| field.column()).collect())?;
    let mut names = Names::new(view, format)?;
    let mut documents = 0;
    let outcome = view.each(&mut |stored: Stored| {
        if limit == Some(documents) {
            return Ok(false);
        }
        let named = names.of_record(view, &stored)?;
        let cells = fields.iter().map(|field| field.cell(&stored, &named)).collect::<Result<Vec<_>>>()?;
        rows.row(&cells)?;
        documents += 1;
        let progress = Progress { phase: "writing", done: documents, total: None, unit: "documents" };
        if documents % REPORT == 0 && !watch(&progress) {
            return Err(Error::Cancelled);
        }
        Ok(true)
    });
    rows.finish(outcome.map_err(JobError::from))?;
    Ok(documents)
}
