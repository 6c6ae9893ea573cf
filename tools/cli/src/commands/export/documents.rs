//! The rows of all documents.

use nddb::{Stored, View};

use super::columns::{Known, StoredColumn};
use crate::columns::{RowFormat, Rows};
use crate::failure::{Failure, Result};
use crate::interrupt;
use crate::messages::{Meter, Tick};

/// Documents between two reports of progress.
const REPORT: u64 = 1 << 12;

/// Writes all live documents, or the first ones. Returns their number.
pub(in crate::commands) fn write(
    view: View<'_>,
    columns: &[StoredColumn],
    (mut rows, format): (Rows, RowFormat),
    limit: Option<u64>,
    meter: &Meter,
) -> Result<u64> {
    let mut known = Known::new(view, format)?;
    let mut documents = 0;
    let outcome = view.each(&mut |stored: Stored| {
        if limit == Some(documents) {
            return Ok(false);
        }
        let source = known.source(view, &stored)?;
        let cells = columns.iter().map(|column| column.cell(&stored, &source)).collect::<nddb::Result<Vec<_>>>()?;
        rows.row(&cells)?;
        documents += 1;
        if documents % REPORT == 0 {
            meter.tick(Tick {
                phase: "writing",
                done: documents,
                unit: "documents",
                share: None,
                bytes: 0,
                skipped: 0,
            });
            if interrupt::asked() {
                return Err(nddb::Error::Cancelled);
            }
        }
        Ok(true)
    });
    rows.finish(outcome.map_err(Failure::from))?;
    Ok(documents)
}
