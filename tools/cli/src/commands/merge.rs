//! `nddb merge`: takes all documents of another database.

use std::ffi::OsString;
use std::path::PathBuf;

use nddb::FingerprintSet;
use serde_json::json;

use super::set;
use crate::args::{FromEnvironment, Global};
use crate::failure::{Code, Failure, Result};
use crate::quantity::{counted, grouped};
use crate::{database, interrupt};

/// Add all documents of another database with the same recipe
///
/// Of sets ('create --set'), all fingerprints are added; 'nddb compact' leaves one of each.
///
/// The source is not changed. If both databases have a document with the same id, the document of the source replaces
/// the other one. Batches with the same name become one batch.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb merge [OPTIONS] DB SOURCE",
    after_help = "\
Examples:
  nddb merge crawl.nddb from-the-other-machine.nddb"
)]
pub(crate) struct Args {
    /// The database to add to, then the database to read
    #[arg(value_name = "DB SOURCE", required = true, num_args = 1..=2)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    let (db, source) = args.environment.split_one(args.given, "SOURCE")?;
    let source = PathBuf::from(source);
    if FingerprintSet::is_at(&db) {
        return set::merge(&db, &source, global);
    }
    let mut writer = database::write(&db, &format!("merge {}", source.display()), global)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("cannot install the handler of ^C: {error}")))?;
    let meter = global.messages().meter("merge");
    writer.watch(meter.watch(true));
    let merged = writer.merge(&source)?;
    writer.close()?;
    let (documents, replaced, unchanged) = (merged.documents, merged.replaced, merged.unchanged);
    // Reference of merge: the object of `--json`
    let summary = json!({
        "documents": documents,
        "replaced": replaced,
        "unchanged": unchanged,
    });
    global.summary(&meter, summary)?;
    let documents = counted(documents, "document");
    meter.finish(&format!("{documents} added ({} replaced, {} unchanged)", grouped(replaced), grouped(unchanged)));
    Ok(Code::Done)
}
