//! `nddb-lab simhash`: the simhash of documents by features and weights of one's own.

use std::path::PathBuf;

use nddb::Fingerprint;
use nddb::sketch::simhash_of;
use nddb::text::tokens;
use nddb_cli::frame::{Code, Failure, Global, Output, Result, interrupt};
use nddb_jobs::json::{Hex, Id, Object};

use super::{FeatureOptions, each_page, note_inputs, read};
use nddb_jobs::quantity::counted;

/// Print the simhash of documents by features and weights of your own
///
/// Prints JSON lines with the fields id, url and fp, which nddb load reads. A database of such fingerprints is queried
/// with the fingerprint of a page by the same features (nddb query --fp). Without options the features are those of the
/// recipe web: terms in lower case, weighted by the number of their occurrences.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb-lab simhash page.html --stop-words english --stems english
  nddb-lab frequencies pages.jsonl -o features.tsv
  nddb-lab simhash pages.jsonl --frequencies features.tsv -o weighted.jsonl
  nddb create weighted.nddb && nddb load weighted.nddb weighted.jsonl")]
pub(in super::super) struct Args {
    /// Archives, pages and folders, as nddb load takes them
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// The file to write [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A file of nddb-lab frequencies: its features, weighted by occurrences times inverse document frequency
    #[arg(long, value_name = "FILE", conflicts_with_all = ["terms", "keep_case", "stop_words", "stems"])]
    frequencies: Option<PathBuf>,
    #[command(flatten)]
    features: FeatureOptions,
}

pub(in super::super) fn run(args: &Args, global: &Global) -> Result<Code> {
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    note_inputs(&args.inputs, global)?;
    let to = global.output("-o", args.output.as_deref())?;
    let chosen = match &args.frequencies {
        Some(path) => read(path)?,
        None => args.features.chosen()?,
    };
    let features = chosen.features();
    let mut output = Output::create(&to)?;
    let meter = global.messages().meter("simhash");
    let mut line = Vec::new();
    let (pages, code) = each_page(&args.inputs, global, &meter, &mut |page| {
        let fingerprint = Fingerprint(simhash_of(&tokens(&page.page()), &features));
        line.clear();
        Object::append(&mut line, |object| {
            object.field("id", Id(&page.id));
            object.field("url", page.url.as_deref());
            object.field("fp", Hex(fingerprint));
        });
        line.push(b'\n');
        output.write(&line)
    })?;
    output.finish()?;
    meter.finish(&counted(pages, "page"));
    Ok(code)
}
