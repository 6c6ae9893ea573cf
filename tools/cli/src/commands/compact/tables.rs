//! `nddb compact --tables`: changes the tables of future and existing runs.

use serde_json::json;

use crate::args::Global;
use crate::commands::create::Tables;
use crate::failure::{Code, Failure, Result};
use crate::quantity::{bytes, counted};
use crate::{database, interrupt};

/// Rewrites all runs of the database `db` with these tables.
pub(super) fn run(db: &std::path::Path, tables: &Tables, global: &Global) -> Result<Code> {
    let mut writer = database::write(db, "compact", global)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("compact");
    writer.watch(meter.watch(true));
    let levels = tables.levels(writer.settings().bits, writer.settings().k);
    let rewritten = writer.reshape(levels.as_deref())?;
    writer.close()?;
    let before: u64 = rewritten.iter().map(|run| run.bytes_before).sum();
    let after: u64 = rewritten.iter().map(|run| run.bytes_after).sum();
    global.summary(
        &meter,
        json!({
            "levels": levels, "runs": rewritten.len(), "bytes_before": before, "bytes_after": after,
        }),
    )?;
    let tables = levels.map_or("tables chosen by size".into(), |levels| format!("levels {levels:?}"));
    let runs = counted(rewritten.len() as u64, "run");
    meter.finish(&format!("{tables}; {runs} rewritten, {} before, {} now", bytes(before), bytes(after)));
    Ok(Code::Done)
}
