//! One input on its way to the outputs.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use nddb_index::Progress;

use super::csv;
use super::opened::{FilterInput, FilterOptions, InputKind};
use super::outs::Outs;
use super::pages;
use super::records::Records;
use super::rows::{JsonRows, Positions};
use super::selection::{FilterCounts, Selection, Watching};
#[cfg(feature = "parquet")]
use super::tables::ParquetFile;
use crate::error::{Advice, JobError, Result};
use crate::input;
use crate::output::Destination;
use crate::packed::{PackedFile, Packing};

/// Bytes that are read of lines at once.
const BUFFER: usize = 256 << 10;

/// One input on its way.
pub(super) struct Pass<'a> {
    pub(super) how: &'a FilterOptions,
    pub(super) input: &'a Path,
    pub(super) opened: &'a FilterInput,
    /// The bytes of the inputs before this one, and of all.
    pub(super) sizes: (u64, u64),
    /// How many bytes of a file of lines were read, compressed as they are.
    pub(super) read: AtomicU64,
}

impl Pass<'_> {
    /// FilterCounts the rows that have each id of the list.
    pub(super) fn count(&self, selection: &mut Selection, watch: &mut Watching<'_>) -> Result<()> {
        let (path, options) = (self.opened.path(), &self.opened.options);
        let packing = input::packing(path)?;
        let mut progress = |counts: &FilterCounts| self.tick("counting ids", counts, watch);
        match self.opened.kind {
            InputKind::Rows => {
                let rows = JsonRows { name: self.input, options, positions: Positions::Unknown, fields: &[] };
                rows.filter(self.lines(packing)?, selection, &mut Outs::counting(&mut io::sink()), &mut progress)?;
            }
            InputKind::Records => {
                let records = Records { path, options, packing };
                records.filter(selection, &mut Outs::counting(&mut io::sink()), &mut progress)?;
            }
            InputKind::Csv => {
                let rows = csv::CsvRows { located: &self.opened.located, options };
                rows.filter(selection, &mut Outs::counting(&mut io::sink()), &mut progress)?;
            }
            InputKind::Page => drop(pages::decide(&self.opened.located, options, selection)?),
            #[cfg(feature = "parquet")]
            InputKind::Table => ParquetFile { path, options, fields: &[] }.count(selection, &mut progress)?,
        }
        Ok(())
    }

    /// Reads the texts of the documents that are kept, of which some is cut when they are passed on.
    pub(super) fn read_texts(&self, selection: &mut Selection, watch: &mut Watching<'_>) -> Result<()> {
        let (path, options) = (self.opened.path(), &self.opened.options);
        let packing = input::packing(path)?;
        let mut progress = |counts: &FilterCounts| self.tick("reading texts", counts, watch);
        match self.opened.kind {
            InputKind::Rows => {
                let rows = JsonRows { name: self.input, options, positions: self.positions(packing)?, fields: &[] };
                rows.filter(self.lines(packing)?, selection, &mut Outs::counting(&mut io::sink()), &mut progress)?;
                Ok(())
            }
            #[cfg(feature = "parquet")]
            InputKind::Table => ParquetFile { path, options, fields: &[] }.read_texts(selection, &mut progress),
            InputKind::Csv | InputKind::Records | InputKind::Page => {
                let name = self.input.display();
                let message = format!("{name}: texts are cut in lines of JSON and Parquet, and it is neither");
                Err(JobError::options(message))
            }
        }
    }

    /// Where the rows of lines stand.
    fn positions(&self, packing: Packing) -> Result<Positions> {
        Ok(match packing {
            _ if self.opened.here.is_empty() => Positions::Unknown,
            Packing::Plain => Positions::Offsets,
            Packing::Gzip | Packing::Zstd => {
                Positions::Packed(Box::new(self.opened.located.open(&self.opened.options)?))
            }
        })
    }

    /// Passes the documents on.
    pub(super) fn run(
        &self,
        kept: &Destination,
        removed: Option<&Destination>,
        selection: &mut Selection,
        watch: &mut Watching<'_>,
    ) -> Result<FilterCounts> {
        let (path, options) = (self.opened.path(), &self.opened.options);
        let packing = input::packing(path)?;
        let kind = self.opened.kind;
        let mut progress = |counts: &FilterCounts| self.tick("filtering", counts, watch);
        let unnoted = match kind {
            InputKind::Records => Some("records"),
            InputKind::Page => Some("pages"),
            InputKind::Csv => Some("CSV"),
            _ => None,
        };
        if let Some(what) = unnoted.filter(|_| !self.how.with.is_empty()) {
            let name = self.input.display();
            let message = format!("{name}: fields are added to lines of JSON and Parquet, not to {what}");
            return Err(JobError::options(message).advise(Advice::ListInstead));
        }
        if kind == InputKind::Page {
            let counts = pages::filter(&self.opened.located, options, selection, kept, removed)?;
            progress(&counts)?;
            return Ok(counts);
        }
        let create = |to: &Destination| -> Result<PackedFile> {
            Ok(PackedFile::create(to, kind.packing(packing, to.path(), self.input)?)?.on(self.how.threads))
        };
        let mut kept = create(kept)?;
        let mut removed = removed.map(create).transpose()?;
        let counts = match kind {
            InputKind::Rows => {
                let positions = self.positions(packing)?;
                let rows = JsonRows { name: self.input, options, positions, fields: &self.how.with };
                let removed = removed.as_mut().map(|removed| removed as &mut dyn Write);
                let outs = &mut Outs { kept: &mut kept, removed };
                rows.filter(self.lines(packing)?, selection, outs, &mut progress)?
            }
            InputKind::Csv => {
                let rows = csv::CsvRows { located: &self.opened.located, options };
                let removed = removed.as_mut().map(|removed| removed as &mut dyn Write);
                rows.filter(selection, &mut Outs { kept: &mut kept, removed }, &mut progress)?
            }
            InputKind::Records => {
                let records = Records { path, options, packing };
                let removed = removed.as_mut().map(|removed| removed as &mut dyn Write);
                records.filter(selection, &mut Outs { kept: &mut kept, removed }, &mut progress)?
            }
            // It was passed on above.
            InputKind::Page => FilterCounts::default(),
            #[cfg(feature = "parquet")]
            InputKind::Table => {
                let table = ParquetFile { path, options, fields: &self.how.with };
                table.filter(selection, &mut kept, removed.as_mut(), &mut progress)?
            }
        };
        kept.finish()?;
        removed.map(PackedFile::finish).transpose()?;
        Ok(counts)
    }

    /// The lines of the input, unpacked.
    fn lines(&self, packing: Packing) -> Result<BufReader<Box<dyn Read + Send + '_>>> {
        let path = self.opened.path();
        self.read.store(0, Ordering::Relaxed);
        let counted = Counted { file: input::open(path)?, read: &self.read };
        let unpacked = packing.unpack(Box::new(counted)).map_err(|error| JobError::reading(path, &error))?;
        Ok(BufReader::with_capacity(BUFFER, unpacked))
    }

    fn tick(&self, phase: &'static str, counts: &FilterCounts, watch: &mut Watching<'_>) -> Result<()> {
        let (before, all) = self.sizes;
        let read = if self.opened.kind == InputKind::Rows { self.read.load(Ordering::Relaxed) } else { counts.bytes };
        match watch(&Progress { phase, done: before + read, total: (all > 0).then_some(all), unit: "bytes" }) {
            true => Ok(()),
            false => Err(nddb_index::Error::Cancelled.into()),
        }
    }
}

/// Counts the bytes of a file that are read.
struct Counted<'a> {
    file: Box<dyn Read + Send>,
    read: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(out)?;
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}
