//! All documents of a database in columns.

use std::path::Path;

use nddb_index::{Error, Progress, Result, Stored, View};

use crate::error::{Advice, JobError};
use crate::fields::{DocumentField, Names};
use crate::packed::PackedFile;
use crate::removed::copies_of_folder;
use crate::rows::{RowFormat, Rows};

/// Documents between two reports of progress.
const REPORT: u64 = 1 << 12;

/// Writes these fields of all live documents, or of the first ones, in the order of loading. `clusters` is the folder
/// that `nddb cluster` wrote, for the fields of copies. Returns the number of documents.
///
/// # Errors
/// The fields of copies, without that folder; its list cannot be read; the output cannot be written; damage of the
/// database; [`Error::Cancelled`] if `watch` returns `false`.
pub fn export(
    view: View<'_>,
    fields: &[DocumentField],
    (output, format): (PackedFile, RowFormat),
    (clusters, limit): (Option<&Path>, Option<u64>),
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<u64, JobError> {
    let of_copies = |field: &&DocumentField| matches!(field, DocumentField::Copies | DocumentField::CopiesByBatch);
    let copies = match (fields.iter().find(of_copies), clusters) {
        (Some(field), None) => {
            let why = format!("the column {} is of a clustering: name its folder", field.column().name);
            return Err(JobError::options(why).advise(Advice::NameClusters));
        }
        (Some(_), Some(folder)) => Some(copies_of_folder(folder, view)?),
        (None, _) => None,
    };
    let mut rows = Rows::new(format, output, fields.iter().map(|field| field.column()).collect())?;
    let mut names = Names::new(view, format, copies)?;
    let mut documents = 0;
    let outcome = view.each(&mut |stored: Stored| {
        if limit == Some(documents) {
            return Ok(false);
        }
        let named = names.of_record(view, &stored)?;
        let cells = fields.iter().map(|field| field.cell(&stored, &named)).collect::<Result<Vec<_>>>()?;
        rows.row(&cells)?;
        documents += 1;
        // Documents that were deleted, or are not yet in a run, make little difference.
        let total = Some(limit.unwrap_or(u64::MAX).min(view.complete_to()).max(documents));
        let progress = Progress { phase: "writing", done: documents, total, unit: "documents" };
        if documents % REPORT == 0 && !watch(&progress) {
            return Err(Error::Cancelled);
        }
        Ok(true)
    });
    rows.finish(outcome.map_err(JobError::from))?;
    Ok(documents)
}
