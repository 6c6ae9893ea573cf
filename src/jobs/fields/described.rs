//! What is said of documents in lines of pairs and clusters besides their ids.
//!
//! Of a pair the documents are known only when the last line is. So lines and their documents are first written into a
//! temporary file ([`WaitingLines`]). Then the fields of the documents are read, titles in the order of archives, and
//! added to the lines.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use nddb_dedup::{Collection, Descriptions, Line, Resources, UnreadTexts};
use nddb_index::{Error, Progress, Result, View};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::pair_lines::{LineFormat, PairLines};
use crate::error::JobError;
use crate::{json, tsv};

nddb_format::named! {
    /// A field of the documents in lines.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum DescribedField {
        /// Its address.
        Url = "url",
        /// Its title, read again from its archive.
        Title = "title",
        /// Number of its tokens.
        Tokens = "tokens",
    }
}

impl DescribedField {
    /// Describes the field in a line.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Url => "Its URL",
            Self::Title => "Its title, read again from its archive",
            Self::Tokens => "Number of its tokens",
        }
    }
}

/// The documents whose fields are wanted, by ordinal.
pub struct WantedDocuments(Vec<bool>);

impl WantedDocuments {
    /// Makes an empty set of documents of a collection.
    #[must_use]
    pub fn none(collection: &Collection) -> Self {
        Self(vec![false; collection.len() as usize])
    }

    /// Adds documents.
    pub fn add(&mut self, ordinals: &[u32]) {
        ordinals.iter().for_each(|&ordinal| self.0[ordinal as usize] = true);
    }
}

/// The fields of documents.
pub struct Described<'a> {
    collection: &'a Collection,
    with: &'a [DescribedField],
    descriptions: Descriptions,
}

impl<'a> Described<'a> {
    /// Reads these fields of the wanted documents.
    ///
    /// # Errors
    /// Damage of the database; [`Error::Cancelled`] if `watch` returns `false`.
    pub fn read(
        view: View<'_>,
        collection: &'a Collection,
        resources: &Resources,
        (with, wanted): (&'a [DescribedField], &WantedDocuments),
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let titles = with.contains(&DescribedField::Title);
        let is_wanted = |ordinal: u32| wanted.0.get(ordinal as usize).is_some_and(|wanted| *wanted);
        let descriptions = Descriptions::read(view, collection, &is_wanted, titles, resources, watch)?;
        Ok(Self { collection, with, descriptions })
    }

    /// Returns the numbers of documents whose titles could not be read.
    #[must_use]
    pub fn unread(&self) -> &UnreadTexts {
        &self.descriptions.unread
    }

    fn value(&self, ordinal: u32, field: DescribedField) -> Value {
        match field {
            DescribedField::Url => json!(self.descriptions.url(ordinal)),
            DescribedField::Title => json!(self.descriptions.title(ordinal)),
            DescribedField::Tokens => json!(self.collection.row(ordinal).tokens),
        }
    }

    /// Appends a cell of TSV for each field; unknown values are empty.
    pub(crate) fn columns(&self, out: &mut Vec<u8>, ordinal: u32) {
        for &field in self.with {
            out.push(b'\t');
            match self.value(ordinal, field) {
                Value::String(text) => tsv::write_text(out, &text),
                Value::Null => (),
                other => out.extend_from_slice(other.to_string().as_bytes()),
            }
        }
    }

    /// Returns the documents of a line, for JSON.
    pub(crate) fn documents<'b>(&'b self, ordinals: &'b [u32]) -> impl Serialize + 'b {
        Documents { described: self, ordinals }
    }
}

/// Returns what pair lines begin with: the names of the columns of TSV, with those of either document.
#[must_use]
pub fn pair_header(format: LineFormat, with: &[DescribedField], losses: bool) -> Vec<u8> {
    let mut header = format.header(losses).into_bytes();
    if format == LineFormat::Tsv {
        ["a_", "b_"].into_iter().for_each(|prefix| write_header(with, &mut header, prefix));
        header.push(b'\n');
    }
    header
}

/// Appends the names of the columns.
pub(crate) fn write_header(with: &[DescribedField], out: &mut Vec<u8>, prefix: &str) {
    with.iter().for_each(|field| out.extend_from_slice(format!("\t{prefix}{}", field.name()).as_bytes()));
}

/// Documents, written as the list of their values.
struct Documents<'a> {
    described: &'a Described<'a>,
    ordinals: &'a [u32],
}

impl Serialize for Documents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.ordinals.iter().map(|&ordinal| {
            let with = self.described.with.iter();
            let fields = with.map(|&field| (field.name().to_owned(), self.described.value(ordinal, field)));
            Value::Object(fields.collect())
        }))
    }
}

/// Lines that wait for the fields of their documents.
pub struct WaitingLines {
    spool: Spool,
    /// The documents of the lines.
    pub wanted: WantedDocuments,
}

/// The kinds of lines.
const PAIR: u8 = 0;
const GROUP: u8 = 1;

impl WaitingLines {
    /// Begins, with a temporary file.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn new(collection: &Collection) -> Result<Self> {
        Ok(Self { spool: Spool::new()?, wanted: WantedDocuments::none(collection) })
    }

    /// Stores a line of a result.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn hold(&mut self, lines: &PairLines<'_>, out: &mut Vec<u8>, line: &Line) -> Result<()> {
        out.clear();
        lines.write(out, line);
        match line {
            Line::Pair(pair) => self.push(PAIR, &[pair.a, pair.b], out),
            Line::Group(group) => self.push(GROUP, &group.members, out),
        }
    }

    /// Stores a line with its documents: the two documents of a pair, or the members of a group.
    fn push(&mut self, kind: u8, ordinals: &[u32], line: &[u8]) -> Result<()> {
        self.wanted.add(ordinals);
        let mut head = vec![kind];
        head.extend_from_slice(&(ordinals.len() as u64).to_le_bytes());
        ordinals.iter().for_each(|ordinal| head.extend_from_slice(&ordinal.to_le_bytes()));
        head.extend_from_slice(&(line.len() as u64).to_le_bytes());
        self.spool.write(&head)?;
        self.spool.write(line)
    }

    /// Passes all lines on with the fields of their documents.
    ///
    /// # Errors
    /// The temporary file cannot be read; errors of `write`.
    pub fn finish<E: From<JobError>>(
        self,
        described: &Described<'_>,
        format: LineFormat,
        write: &mut dyn FnMut(&[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut spooled = self.spool.read().map_err(JobError::from)?;
        let failed = |error| JobError::input(format!("a temporary file cannot be read: {error}"));
        let mut kind = [0];
        while spooled.read(&mut kind).map_err(failed)? == 1 {
            let mut number = || {
                let mut bytes = [0; 8];
                spooled.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
            };
            let mut bytes = vec![0; 4 * number().map_err(failed)? as usize];
            spooled.read_exact(&mut bytes).map_err(failed)?;
            let (words, _) = bytes.as_chunks::<4>();
            let ordinals: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
            let mut size = [0; 8];
            spooled.read_exact(&mut size).map_err(failed)?;
            let mut line = vec![0; u64::from_le_bytes(size) as usize];
            spooled.read_exact(&mut line).map_err(failed)?;
            complete(&mut line, kind[0], &ordinals, described, format);
            write(&line)?;
        }
        Ok(())
    }
}

/// Bytes in a temporary file without a name, written first and then read.
struct Spool(BufWriter<File>);

impl Spool {
    fn new() -> Result<Self> {
        Ok(Self(BufWriter::new(tempfile::tempfile().map_err(Self::failed)?)))
    }

    fn failed(error: io::Error) -> Error {
        Error::Io { action: "write a temporary file in", path: tempfile::env::temp_dir(), source: error }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(Self::failed)
    }

    /// Completes the file, and returns a reader from its beginning.
    fn read(self) -> Result<impl Read> {
        let mut file = self.0.into_inner().map_err(|error| Self::failed(error.into_error()))?;
        file.rewind().map_err(Self::failed)?;
        Ok(BufReader::new(file))
    }
}

/// Adds the fields of its documents to a line.
fn complete(line: &mut Vec<u8>, kind: u8, ordinals: &[u32], described: &Described<'_>, format: LineFormat) {
    match format {
        LineFormat::Jsonl => {
            // The line ends with the closing brace of its object.
            line.truncate(line.len().saturating_sub(2));
            line.extend_from_slice(b",\"documents\":");
            json::line(line, &described.documents(ordinals));
            line.pop();
            line.extend_from_slice(b"}\n");
        }
        LineFormat::Tsv if kind == PAIR => {
            line.pop();
            ordinals.iter().for_each(|&ordinal| described.columns(line, ordinal));
            line.push(b'\n');
        }
        LineFormat::Tsv => (),
    }
}
