//! `nddb ls`: a list of the documents.

use super::export::{self, StoredColumn};
use crate::args::{Database, Global};
use crate::columns::{RowFormat, Rows};
use crate::failure::{Code, Failure, Result};
use crate::{database, interrupt};

/// List the documents, one a line
///
/// Columns are separated by tabs; of their values tab, line ends and backslash are written as \t, \n, \r and \\, and
/// what is not known is empty.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb ls crawl.nddb --limit 20
  nddb ls crawl.nddb --columns site | sort | uniq -c | sort -rn | head
  nddb ls crawl.nddb --columns id | wc -l")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// What to list of each document
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES", default_value = "id,url")]
    columns: Vec<StoredColumn>,
    /// List the first N documents only
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let reader = database::read(&args.database.db)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let columns = args.columns.iter().map(|column| column.column()).collect();
    let rows = Rows::chosen(RowFormat::Tsv, None, columns)?;
    export::write(reader.view(), &args.columns, rows, args.limit, &global.messages().meter("ls"))?;
    Ok(Code::Done)
}
