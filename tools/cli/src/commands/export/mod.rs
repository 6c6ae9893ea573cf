//! `nddb export`: all documents, in columns.

mod columns;
mod documents;

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;

use self::columns::StoredColumn;
use self::documents::write;
use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::columns::{RowFormat, Rows};
use crate::failure::{Code, Failure, Result};
use crate::quantity::{counted, duration};
use crate::{database, interrupt, output};

/// Export the stored documents: ids, URLs, fingerprints and other columns
///
/// Documents are written in loading order. The same database always gives the same bytes, and memory use does not
/// depend on the number of documents. In TSV, tab, line ends and backslash are written as \t, \n, \r and \\, other
/// control characters as \u001b, and missing values are empty. If a number and a text with the same digits are both
/// ids, they are written as \#17 and \"17.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb export crawl.nddb -o documents.jsonl
  nddb export crawl.nddb --format parquet -o documents.parquet
  nddb export crawl.nddb --format tsv --columns id,url --limit 20
  nddb export crawl.nddb --format tsv --columns site | sort | uniq -c | sort -rn | head
  nddb export crawl.nddb --columns id,fp,tokens,archive,offset | head")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Columns to write
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES", default_value = "id,url,fp,site,batch")]
    columns: Vec<StoredColumn>,
    /// How to write rows
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write only the first N documents
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How documents are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object per line
    #[default]
    Jsonl,
    /// Columns separated by tabs
    Tsv,
    /// A Parquet file, compressed with zstd; fingerprints are signed 64-bit integers
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
    let to = global.output("-o", args.output.as_deref())?;
    let reader = database::read(&args.database.db)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("export");
    let columns = args.columns.iter().map(|column| column.column()).collect();
    let format = args.format.into();
    let rows = Rows::chosen(format, &to, columns)?;
    let documents = write(reader.view(), &args.columns, (rows, format), args.limit, &meter)?;
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
