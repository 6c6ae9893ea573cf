//! `nddb-lab segment`: shows the contents of one file of a database, of any kind.
//!
//! The independent reader of the format, `tests/spec_reader.py`, defines the JSON: both write equal bytes. The JSON is
//! written while the file is decoded, so that even the largest segment needs no memory besides its own bytes.

mod deleted;
mod file;
mod manifest;
mod postings;
mod run;
mod summaries;

use std::path::PathBuf;

use nddb_cli::frame::{Code, Failure, Global, Output, Result, inputs};
use nddb_format::deleted as deleted_format;
use nddb_format::{
    FormatError, manifest as manifest_format, postings as postings_format, segment as segment_format,
    summaries as summaries_format,
};
use serde_json::Value;

use self::file::{DecodedFile, WriteError};

/// Print the contents of a file of a database: segment, postings, summaries, MANIFEST or deleted set
///
/// The file is checked as it is read; no database is needed. Without --json the header and a summary are printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb-lab segment crawl.nddb/runs/00000007.seg
  nddb-lab segment crawl.nddb/MANIFEST --json | jq .runs
  nddb-lab segment 00000007.post --json | jq '.lists | map(length) | max'")]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let bytes = inputs::read(&args.file)?;
    let refuse = |error: FormatError| Failure::format(&args.file, &error);
    let file = open(&bytes).map_err(refuse)?;
    let mut output = Output::stdout();
    if global.json {
        let mut head = Value::Object(file.head()).to_string();
        head.pop();
        output.write(head.as_bytes())?;
        file.write_long_parts(&mut output).map_err(|part| match part {
            WriteError::Format(error) => refuse(error),
            WriteError::Output(failure) => failure,
        })?;
        output.write(b"}\n")?;
    } else {
        let scalar = file.head().into_iter().map(|(name, value)| match value {
            Value::String(text) => (name, text),
            other => (name, other.to_string()),
        });
        let summary = file.summary().into_iter().map(|(name, text)| (name.to_owned(), text));
        for (name, text) in scalar.chain(summary) {
            output.line(&format!("{name:<16} {text}"))?;
        }
    }
    output.flush()?;
    Ok(Code::Done)
}

/// Recognizes the kind of a file by its magic, and checks every rule of the kind.
fn open(bytes: &[u8]) -> Result<Box<dyn DecodedFile + '_>, FormatError> {
    let magic = bytes.get(..8).unwrap_or_default();
    Ok(if magic == postings_format::header::MAGIC {
        Box::new(postings::DecodedPostings::open(bytes)?)
    } else if magic == summaries_format::header::MAGIC {
        Box::new(summaries::DecodedSummaries::open(bytes)?)
    } else if magic == manifest_format::MAGIC {
        Box::new(manifest::DecodedManifest::open(bytes)?)
    } else if magic == deleted_format::MAGIC {
        Box::new(deleted::DecodedDeleted::open(bytes)?)
    } else if magic == segment_format::header::MAGIC {
        Box::new(run::DecodedRun::open(bytes)?)
    } else {
        let mut found = [0; 8];
        found[..magic.len()].copy_from_slice(magic);
        return Err(FormatError::Magic { what: "file of an nddb database", found });
    })
}
