//! `nddb-lab frequencies`: in how many documents the features of a simhash occur.

use std::io::Write;
use std::path::PathBuf;

use nddb::text::tokens;
use nddb_cli::frame::{Code, Failure, Global, Output, Result, interrupt};
use nddb_lab::feature_file::CountedFeatures;

use super::{FeatureOptions, each_page, note_inputs};
use nddb_jobs::quantity::counted;

/// Count in how many documents each feature occurs, for weights by inverse document frequency
///
/// A feature is a term of the visible text, or a phrase of terms (Manku et al. 2007, section 2). The first line of the
/// file has the choice of features; every other line has a feature and the number of documents that have it, the most
/// frequent first. Features of a single document are left out. All features are held in memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb-lab frequencies pages.jsonl -o features.tsv
  nddb-lab frequencies pages/ --stop-words english --stems english -o features.tsv
  nddb-lab frequencies pages.jsonl --terms 2 -o phrases.tsv")]
pub(in super::super) struct Args {
    /// Archives, pages and folders, as nddb load takes them
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// The file to write [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    features: FeatureOptions,
}

pub(in super::super) fn run(args: &Args, global: &Global) -> Result<Code> {
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    note_inputs(&args.inputs, global)?;
    let to = global.output("-o", args.output.as_deref())?;
    let mut frequencies = CountedFeatures::new(args.features.chosen()?);
    let meter = global.messages().meter("frequencies");
    let (_, code) = each_page(&args.inputs, global, &meter, &mut |page| {
        frequencies.add(&tokens(&page.page()));
        Ok(())
    })?;
    let mut table = Vec::new();
    let features = frequencies.write(&mut table as &mut dyn Write).expect("memory takes it");
    let mut output = Output::create(&to)?;
    output.write(&table)?;
    output.finish()?;
    let documents = counted(frequencies.documents(), "document");
    meter.finish(&format!("{} in two or more of {documents}", counted(features, "feature")));
    Ok(code)
}
