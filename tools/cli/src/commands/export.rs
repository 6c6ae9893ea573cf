//! `nddb export`: all documents, in columns.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use nddb_jobs::export;
use nddb_jobs::fields::DocumentField;
use nddb_jobs::packed::PackedFile;
use nddb_jobs::rows::RowFormat;
use serde_json::json;

use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::matches::table_format;
use crate::quantity::{counted, duration};
use crate::{database, described, interrupt, output};

/// Export the stored documents: ids, URLs, fingerprints and other columns
///
/// Documents are written in loading order. The same database always gives the same bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb export crawl.nddb -o documents.jsonl
  nddb export crawl.nddb --clusters clusters --columns id,url,copies,copies_by_batch -o copies.jsonl
  nddb export crawl.nddb --columns id,fp,tokens,archive,offset | head")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Columns to write
    #[arg(
        long,
        value_parser = fields(),
        value_delimiter = ',',
        value_name = "NAMES",
        default_value = "id,url,fp,site,batch"
    )]
    columns: Vec<DocumentField>,
    /// The folder that `nddb cluster -o` wrote, for the columns copies and copies_by_batch
    #[arg(long, value_name = "DIR")]
    clusters: Option<PathBuf>,
    /// How to write rows [default: as the name of --output ends, else jsonl]
    #[arg(long, value_parser = table_format(), value_name = "FORMAT")]
    format: Option<RowFormat>,
    /// Write only the first N documents
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let format = RowFormat::of(args.output.as_deref(), args.format, RowFormat::Jsonl)?;
    let to = global.output("-o", args.output.as_deref())?;
    let reader = database::read(&args.database.db)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("export");
    output::refuse_terminal(format, &to)?;
    let rows = (PackedFile::named(&to)?, format);
    let of = (args.clusters.as_deref(), args.limit);
    let documents = export(reader.view(), &args.columns, rows, of, &mut *meter.watch(true))?;
    // Reference of export: the object of `--json`
    let summary = json!({
        "documents": documents,
        "seconds": clock.seconds(),
        "cpu_seconds": clock.cpu_seconds(),
    });
    global.summary(&meter, summary)?;
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    meter.finish(&format!("{} in {took}", counted(documents, "document")));
    Ok(Code::Done)
}

/// Reads the names of `--columns`.
fn fields() -> impl TypedValueParser<Value = DocumentField> {
    described::listed(DocumentField::ALL, |field| (field.column().name, field.help()))
}
