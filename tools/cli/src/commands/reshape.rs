//! `nddb reshape`: changes the tables of future and existing runs.

use serde_json::json;

use super::create::Tables;
use crate::args::{Database, Global};
use crate::failure::{Code, Failure, Result};
use crate::quantity::{bytes, counted};
use crate::{database, interrupt, output};

/// Change the tables of a database: more are faster and larger
///
/// All runs are made again with the new tables, one after the other; readers go on meanwhile. What
/// `nddb plan` says about a design tells what it will weigh.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb plan --docs 100M
  nddb reshape crawl.nddb --tables 20
  nddb reshape crawl.nddb --tables auto")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Most tables of a run; `auto` chooses for each run by its size
    #[arg(long, value_name = "auto|N", value_parser = Tables::parse)]
    tables: Tables,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let mut writer = database::write(&args.database.db, "reshape", global)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("reshape");
    writer.watch(meter.watch(true));
    let levels = args.tables.levels(writer.settings().bits, writer.settings().k);
    let reshaped = writer.reshape(levels.as_deref())?;
    writer.close()?;
    let before: u64 = reshaped.iter().map(|run| run.bytes_before).sum();
    let after: u64 = reshaped.iter().map(|run| run.bytes_after).sum();
    if global.json {
        output::print_json(&json!({
            "levels": levels, "runs": reshaped.len(), "bytes_before": before, "bytes_after": after,
        }))?;
    }
    let tables = levels.map_or("tables by the planner".into(), |levels| format!("levels {levels:?}"));
    let runs = counted(reshaped.len() as u64, "run");
    meter.finish(&format!("{tables}; {runs} made again, {} became {}", bytes(before), bytes(after)));
    Ok(Code::Done)
}
