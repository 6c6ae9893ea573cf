//! `nddb segment`: looks into one file of a database, whatever it is.
//!
//! The JSON is fixed by the independent reader of the format, `tests/spec_reader.py`: both agree byte for
//! byte. It is written as it is decoded, so that the largest segment needs no memory beside its own.

mod deleted;
mod manifest;
mod postings;
mod run;

use std::path::PathBuf;

use nddb_format::deleted as deleted_format;
use nddb_format::fields::{FORMAT_VERSION, READER_MIN};
use nddb_format::{FormatError, manifest as manifest_format, postings as postings_format, segment as segment_format};
use serde_json::{Map, Value};

use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::inputs;
use crate::output::Output;

/// Print what is in one file of a database: a segment, postings, MANIFEST or deleted set
///
/// The file is checked on the way; no database is needed. Without --json the header and a summary are
/// printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb segment crawl.nddb/runs/00000007.seg
  nddb segment crawl.nddb/MANIFEST --json | jq .runs
  nddb segment 00000007.post --json | jq '.lists | map(length) | max'")]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// What a file of the format is, decoded.
trait File {
    /// The scalar fields, in the order of the format.
    fn head(&self) -> Map<String, Value>;
    /// Writes the long parts, each as `,"name":[...]`.
    fn write_long_parts(&self, output: &mut Output) -> Result<(), Part>;
    /// What is worth knowing besides, in words.
    fn summary(&self) -> Vec<(&'static str, String)>;
}

/// Why writing a part failed.
enum Part {
    Format(FormatError),
    Output(Failure),
}

impl From<FormatError> for Part {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

impl From<Failure> for Part {
    fn from(failure: Failure) -> Self {
        Self::Output(failure)
    }
}

pub(super) fn run(args: &Args, global: &Global) -> Result<Code> {
    let bytes = inputs::read(&args.file)?;
    let refuse = |error: FormatError| Failure::format(&args.file, &error);
    let file = open(&bytes).map_err(refuse)?;
    let mut output = Output::stdout();
    if global.json {
        let mut head = Value::Object(file.head()).to_string();
        head.pop();
        output.write(head.as_bytes())?;
        file.write_long_parts(&mut output).map_err(|part| match part {
            Part::Format(error) => refuse(error),
            Part::Output(failure) => failure,
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

/// Finds out by its magic what a file is, and checks every rule of it.
fn open(bytes: &[u8]) -> Result<Box<dyn File + '_>, FormatError> {
    let magic = bytes.get(..8).unwrap_or_default();
    Ok(if magic == postings_format::header::MAGIC {
        Box::new(postings::File::open(bytes)?)
    } else if magic == manifest_format::MAGIC {
        Box::new(manifest::File::open(bytes)?)
    } else if magic == deleted_format::MAGIC {
        Box::new(deleted::File::open(bytes)?)
    } else if magic == segment_format::header::MAGIC {
        Box::new(run::File::open(bytes)?)
    } else {
        let mut found = [0; 8];
        found[..magic.len()].copy_from_slice(magic);
        return Err(FormatError::Magic { what: "file of an nddb database", found });
    })
}

/// The fields that every file begins with.
fn start(kind: &str, bytes: &[u8]) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("kind".into(), kind.into());
    head.insert("format".into(), FORMAT_VERSION.get(bytes).into());
    head.insert("reader_min".into(), READER_MIN.get(bytes).into());
    head
}

/// Adds the fields of a JSON object.
fn extend(head: &mut Map<String, Value>, fields: Value) {
    if let Value::Object(fields) = fields {
        head.extend(fields);
    }
}

/// Writes `,"name":[...]`.
struct List<'a> {
    output: &'a mut Output,
    any: bool,
}

impl<'a> List<'a> {
    fn begin(output: &'a mut Output, name: &str) -> Result<Self> {
        output.write(format!(",\"{name}\":[").as_bytes())?;
        Ok(Self { output, any: false })
    }

    fn push(&mut self, value: &str) -> Result<()> {
        if std::mem::replace(&mut self.any, true) {
            self.output.write(b",")?;
        }
        self.output.write(value.as_bytes())
    }

    fn end(self) -> Result<()> {
        self.output.write(b"]")
    }
}
