//! `nddb export`: all documents, in columns.

mod columns;
mod documents;

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;

pub(super) use self::columns::StoredColumn;
pub(super) use self::documents::write;
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::columns::{RowFormat, Rows};
use crate::failure::{Code, Failure, Result};
use crate::quantity::{counted, duration};
use crate::{database, interrupt, output};

/// Write what is stored of all documents, in columns
///
/// Documents come in the order of their numbers, that is of loading. The same database gives the same bytes. Memory
/// does not grow with the number of documents.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb export crawl.nddb -o documents.jsonl
  nddb export crawl.nddb --format parquet -o documents.parquet
  nddb export crawl.nddb --columns id,fp,tokens,archive,offset | head")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// What to write of each document
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES", default_value = "id,url,fp,site,batch")]
    columns: Vec<StoredColumn>,
    /// How rows are written
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How documents are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A JSON object a line
    #[default]
    Jsonl,
    /// Columns between tabs
    Tsv,
    /// A Parquet file, compressed with zstd; fingerprints are signed numbers of 64 bits
    Parquet,
}

impl From<Format> for RowFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Jsonl => RowFormat::Jsonl,
            Format::Tsv => RowFormat::Tsv,
            Format::Parquet => RowFormat::Parquet,
        }
    }
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let reader = database::read(&args.database.db)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("export");
    let columns = args.columns.iter().map(|column| column.column()).collect();
    let rows = Rows::chosen(args.format.into(), args.output.as_deref(), columns)?;
    let documents = write(reader.view(), &args.columns, rows, None, &meter)?;
    if global.json && args.output.is_some() {
        output::print_json(&json!({
            "documents": documents,
            "seconds": clock.seconds(),
            "cpu_seconds": clock.cpu_seconds(),
        }))?;
    }
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    meter.finish(&format!("{} in {took}", counted(documents, "document")));
    Ok(Code::Done)
}
