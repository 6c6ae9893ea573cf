//! How pairs are written, and optional columns for the documents in pair lines and cluster lines: `--with
//! url,title,tokens`.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nddb::View;
use nddb::detect::outcome::Descriptions;
use nddb::detect::{Collection, Resources};
use nddb_jobs::fields::LineFormat;
use nddb_jobs::tsv;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::failure::{Failure, Result};
use crate::messages::{Messages, Meter};
use crate::text_options;

/// Reads one of the fields of a list of the library; `of` returns its name and its help.
pub(crate) fn listed<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    of: fn(T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(|&field| PossibleValue::new(of(field).0).help(of(field).1));
    PossibleValuesParser::new(values)
        .try_map(move |name| all.iter().copied().find(|&field| of(field).0 == name).ok_or("no such field"))
}

/// How pairs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairFormat {
    /// One JSON object per line
    #[default]
    Jsonl,
    /// Columns separated by tabs, the first line with their names; groups are lines that begin with #
    Tsv,
    /// A Parquet file, compressed with zstd; a group has a row for each member except its founder
    Parquet,
}

impl PairFormat {
    /// Returns the format of lines; `None` for a Parquet table, which has no optional columns.
    pub(crate) fn lines(self, with: &[With]) -> Result<Option<LineFormat>> {
        match self {
            Self::Jsonl => Ok(Some(LineFormat::Jsonl)),
            Self::Tsv => Ok(Some(LineFormat::Tsv)),
            Self::Parquet if with.is_empty() => Ok(None),
            Self::Parquet => Err(Failure::usage(
                "--with is of lines: join the table with that of nddb export --columns id,url,tokens --format parquet",
            )),
        }
    }
}

/// An optional column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum With {
    /// Its URL
    Url,
    /// Its title, read again from its archive
    Title,
    /// Number of its tokens
    Tokens,
}

impl With {
    fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Title => "title",
            Self::Tokens => "tokens",
        }
    }
}

/// The option `--with`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WithArgs {
    /// Add columns for each document: url, title, tokens; titles are read again from the archives
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT", hide_possible_values = true)]
    with: Vec<With>,
}

impl WithArgs {
    /// Returns the wanted columns, each once.
    pub(crate) fn wanted(&self) -> Vec<With> {
        let mut with = self.with.clone();
        with.sort_unstable();
        with.dedup();
        with
    }
}

/// The documents whose columns are wanted, by ordinal.
pub(crate) struct Wanted(Vec<bool>);

impl Wanted {
    /// Makes an empty set of documents of a collection.
    pub(crate) fn none(collection: &Collection) -> Self {
        Self(vec![false; collection.len() as usize])
    }

    pub(crate) fn add(&mut self, ordinal: u32) {
        self.0[ordinal as usize] = true;
    }
}

/// The values of the columns.
pub(crate) struct Described<'a> {
    collection: &'a Collection,
    with: &'a [With],
    descriptions: Descriptions,
}

/// The sources from which columns are read.
pub(crate) struct Reading<'a> {
    pub(crate) view: View<'a>,
    pub(crate) collection: &'a Collection,
    pub(crate) resources: &'a Resources,
    pub(crate) meter: &'a Meter,
}

impl<'a> Reading<'a> {
    /// Reads the wanted columns. Prints a warning about titles that could not be read.
    pub(crate) fn read(&self, with: &'a [With], wanted: &Wanted, messages: &Messages) -> Result<Described<'a>> {
        let titles = with.contains(&With::Title);
        let is_wanted = |ordinal: u32| wanted.0.get(ordinal as usize).is_some_and(|wanted| *wanted);
        let (collection, watch) = (self.collection, &mut *self.meter.watch(true));
        let descriptions = Descriptions::read(self.view, collection, &is_wanted, titles, self.resources, watch)?;
        if let Some(warning) = text_options::unread_warning(&descriptions.unread) {
            messages.warn(warning);
        }
        Ok(Described { collection, with, descriptions })
    }
}

impl Described<'_> {
    fn value(&self, ordinal: u32, with: With) -> serde_json::Value {
        match with {
            With::Url => json!(self.descriptions.url(ordinal)),
            With::Title => json!(self.descriptions.title(ordinal)),
            With::Tokens => json!(self.collection.row(ordinal).tokens),
        }
    }

    /// Appends a cell for each wanted column; unknown values are empty.
    pub(crate) fn columns(&self, out: &mut Vec<u8>, ordinal: u32) {
        for &with in self.with {
            out.push(b'\t');
            match self.value(ordinal, with) {
                serde_json::Value::String(text) => tsv::write_text(out, &text),
                serde_json::Value::Null => (),
                other => out.extend_from_slice(other.to_string().as_bytes()),
            }
        }
    }

    /// Returns what pair lines begin with: the names of the columns of TSV, with those of either document.
    pub(crate) fn pair_header(format: LineFormat, with: &[With], losses: bool) -> Vec<u8> {
        let mut header = format.header(losses).into_bytes();
        if format == LineFormat::Tsv {
            ["a_", "b_"].into_iter().for_each(|prefix| Self::header(with, &mut header, prefix));
            header.push(b'\n');
        }
        header
    }

    /// Appends the names of the columns.
    pub(crate) fn header(with: &[With], out: &mut Vec<u8>, prefix: &str) {
        with.iter().for_each(|with| out.extend_from_slice(format!("\t{prefix}{}", with.name()).as_bytes()));
    }

    /// Returns the documents of a line, for JSON.
    pub(crate) fn documents<'b>(&'b self, ordinals: &'b [u32]) -> impl Serialize + 'b {
        Documents { described: self, ordinals }
    }
}

/// Documents, written as the list of their values.
struct Documents<'a> {
    described: &'a Described<'a>,
    ordinals: &'a [u32],
}

impl Serialize for Documents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.ordinals.iter().map(|&ordinal| {
            let with = self.described.with.iter();
            let fields = with.map(|&with| (with.name().to_owned(), self.described.value(ordinal, with)));
            serde_json::Value::Object(fields.collect())
        }))
    }
}
