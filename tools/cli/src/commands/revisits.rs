//! `nddb revisits`: archives in which pages that repeat earlier ones are revisit records.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use nddb_jobs::revisits::{Revisits, RevisitsSummary};
use serde_json::json;

use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::quantity::{bytes, counted, duration, grouped};
use crate::{database, interrupt};

/// Copy web archives with revisit records in place of pages that repeat earlier ones
///
/// A page whose payload is identical to that of an earlier page becomes a WARC revisit record, which keeps the fields
/// of its record and the HTTP header, drops the body, and names the earlier page by address, date and record id. All
/// other records are copied byte for byte.
///
/// The inputs must have been loaded into DB. Earlier pages are those of all archives that were loaded into it, by
/// WARC-Date. Payloads are read from the archives and compared by SHA-1 and length (of the archives that are no inputs,
/// the 100 oldest pages with a text). No page refers to one that becomes a revisit record itself. Records that 'nddb
/// load' does not store, such as images, are copied.
///
/// With --near, a page that is only a near-duplicate of an earlier one by the default verdict becomes a revisit
/// record, too: replay then shows the earlier page, and the differences are lost. Its WARC-Profile is not that of the
/// standard, but https://example.org/nddb/revisit/near-duplicate.
///
/// Keep the archives of earlier pages: revisit records are of no use without them. The database still describes the
/// inputs, not the outputs. Compressed files need a member for each record.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb revisits [OPTIONS] DB WARC... -o OUT",
    after_help = "\
Examples:
  nddb load crawl.nddb crawl.warc.gz && nddb revisits crawl.nddb crawl.warc.gz -o smaller.warc.gz
  nddb revisits crawl.nddb CC-MAIN-2025-*.warc.gz -o smaller/ --near --json"
)]
pub(crate) struct Args {
    /// The database, then WARC files that were loaded into it, and folders of them
    #[arg(value_name = "DB WARC", required = true)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Write here: a file, or a folder (one that exists, a name with / at its end, or with several inputs)
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Make near-duplicates of earlier pages revisit records, too
    #[arg(long)]
    near: bool,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (db, given) = args.environment.split(args.given, "WARC")?;
    let inputs: Vec<PathBuf> = given.into_iter().map(PathBuf::from).collect();
    let reader = database::read(&db)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("revisits");
    let near = args.near.then(|| global.threads());
    let job = Revisits { database: &db, inputs: &inputs, output: ("-o", &args.output), near };
    let made = job.run(reader.view(), &global.outputs, &mut *meter.watch(true))?;
    if made.unreadable > 0 {
        let pages = counted(made.unreadable, "earlier page");
        global.messages().warn(format!("{pages} cannot be read from the archives, and nothing refers to them"));
        global.messages().hint("'nddb sources' lists the archives, and tells the database where they were moved");
    }
    if made.not_stored > 0 {
        let pages = counted(made.not_stored, "page");
        let why = "their ids are those of documents in other files, or they have no date, or were deleted";
        global.messages().warn(format!("{pages} not stored from these files, and copied: {why}"));
    }
    let RevisitsSummary { records, identical, near, unreadable, not_stored, bytes_in, bytes_out } = made;
    let bytes_saved = bytes_in.saturating_sub(bytes_out);
    global.summary(
        &meter,
        // Reference of revisits: the object of `--json`
        json!({
            "records": records,
            "identical": identical,
            "near": near,
            "unreadable": unreadable, // earlier pages that cannot be read
            // pages that are copied because the database has other documents under their ids
            "not_stored": not_stored,
            "bytes_in": bytes_in,
            "bytes_out": bytes_out,
            "bytes_saved": bytes_saved,
            "seconds": clock.seconds(),
        }),
    )?;
    let took = duration(Duration::from_secs_f64(clock.seconds()));
    let near = if near > 0 { format!(", {} of near ones", grouped(near)) } else { String::new() };
    let of = format!("{} of identical pages{near}", counted(identical, "revisit"));
    let (saved, bytes_in) = (bytes(bytes_saved), bytes(bytes_in));
    meter.finish(&format!("{}: {of}; {saved} of {bytes_in} saved in {took}", counted(records, "record")));
    Ok(Code::Done)
}
