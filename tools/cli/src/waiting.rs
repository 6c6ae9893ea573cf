//! Lines that are completed with optional columns of their documents.
//!
//! The documents are known only after the last line. So the lines and their documents are first written to a temporary
//! file. Then the optional columns of the documents are read, titles in archive order, and added to the lines.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use nddb::detect::{Collection, Line};
use nddb_jobs::fields::{LineFormat, PairLines};
use nddb_jobs::json;

use crate::described::{Described, Wanted};
use crate::failure::{Failure, Result};
use crate::output::Output;

/// Lines that wait for the optional columns of their documents.
pub(crate) struct Waiting {
    spool: Spool,
    pub(crate) wanted: Wanted,
}

/// The kinds of lines.
const PAIR: u8 = 0;
const GROUP: u8 = 1;

impl Waiting {
    pub(crate) fn new(collection: &Collection) -> Result<Self> {
        Ok(Self { spool: Spool::new()?, wanted: Wanted::none(collection) })
    }

    /// Stores a line of a result.
    pub(crate) fn hold(&mut self, lines: &PairLines<'_>, out: &mut Vec<u8>, line: &Line) -> nddb::Result<()> {
        out.clear();
        lines.write(out, line);
        match line {
            Line::Pair(pair) => self.push(true, &[pair.a, pair.b], out),
            Line::Group(group) => self.push(false, &group.members, out),
        }
    }

    /// Stores a line with its documents: the two documents of a pair, or the members of a group.
    fn push(&mut self, is_pair: bool, ordinals: &[u32], line: &[u8]) -> nddb::Result<()> {
        ordinals.iter().for_each(|&ordinal| self.wanted.add(ordinal));
        let mut head = vec![if is_pair { PAIR } else { GROUP }];
        head.extend_from_slice(&(ordinals.len() as u64).to_le_bytes());
        ordinals.iter().for_each(|ordinal| head.extend_from_slice(&ordinal.to_le_bytes()));
        head.extend_from_slice(&(line.len() as u64).to_le_bytes());
        self.spool.write(&head)?;
        self.spool.write(line)
    }

    /// Writes all lines with their optional columns.
    pub(crate) fn finish(self, described: &Described<'_>, format: LineFormat, output: &mut Output) -> Result<()> {
        let mut spooled = self.spool.read()?;
        let failed = |error| Failure::failed(format!("a temporary file cannot be read: {error}"));
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
            output.write(&line)?;
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

    fn failed(error: io::Error) -> nddb::Error {
        nddb::Error::Io { action: "write a temporary file in", path: tempfile::env::temp_dir(), source: error }
    }

    fn write(&mut self, bytes: &[u8]) -> nddb::Result<()> {
        self.0.write_all(bytes).map_err(Self::failed)
    }

    /// Completes the file, and returns a reader from its beginning.
    fn read(self) -> Result<impl Read> {
        let mut file = self.0.into_inner().map_err(|error| Self::failed(error.into_error()))?;
        file.rewind().map_err(Self::failed)?;
        Ok(BufReader::new(file))
    }
}

/// Adds the optional columns of its documents to a line.
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
