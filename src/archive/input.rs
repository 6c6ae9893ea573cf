//! An opened input: iterates over its entries.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use nddb_remote::is_remote;

use super::entries::Entries;
use super::entry::{Entry, EntryContent, Links, PageEntry, Position, ResumePoint, Revisited};
use super::error::ArchiveError;
use super::formats::{Format, Opened, Opening};
use super::ids::Ids;
use super::open::{self, Located, failed};
use super::options::Options;
use super::recognise::{self, Recognised};
use super::source::{ByteOrigin, Source};
use super::whole::WholeRecord;

/// An opened input.
///
/// ```no_run
/// use std::path::Path;
/// use nddb_archive::{EntryContent, Input, Options};
///
/// let mut input = Input::open(Path::new("crawl.warc.gz"), &Options::default())?;
/// while let Some(entry) = input.next()? {
///     if let EntryContent::Page(page) = entry.content {
///         assert!(!page.id.is_empty());
///     }
/// }
/// # Ok::<(), nddb_archive::ArchiveError>(())
/// ```
pub struct Input {
    path: PathBuf,
    format: Format,
    options: Options,
    entries: Box<dyn Entries>,
    ids: Ids,
    resume: ResumePoint,
    is_converted: bool,
    failed: bool,
}

impl Located {
    /// Opens the input.
    ///
    /// # Errors
    ///
    /// Errors of [`Input::open`].
    pub fn open(&self, options: &Options) -> Result<Input, ArchiveError> {
        let file = Opening { document: self.document.as_deref(), ..Opening::new(&self.path, options) };
        let mut input = Input::new(open::source(&self.path)?, &file)?;
        if let Some(ranges) = &self.ranges
            && !input.entries.select(ranges.clone())
        {
            return Err(ArchiveError::NotSelectable { path: self.path.clone() });
        }
        Ok(input)
    }

    /// Opens the input at the resume point of an earlier run.
    ///
    /// # Errors
    ///
    /// Errors of [`Input::open`].
    pub fn open_at(&self, options: &Options, resume: ResumePoint) -> Result<Input, ArchiveError> {
        let mut input = self.open(options)?;
        if input.ids.count() {
            // Rows must be counted from the first row.
            while input.resume < resume && input.next()?.is_some() {}
        } else {
            input.go_to(resume)?;
        }
        Ok(input)
    }
}

impl Input {
    /// Opens a file, or the standard input for `-`, and detects its format.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or read, is packed in an unsupported way, lacks its dictionary, or has no known
    /// format.
    pub fn open(path: &Path, options: &Options) -> Result<Input, ArchiveError> {
        Located { path: path.to_owned(), document: None, ranges: None }.open(options)
    }

    /// Opens a file at the [`resume_point`](Input::resume_point) of an earlier run.
    ///
    /// # Errors
    ///
    /// Errors of [`Input::open`].
    pub fn open_at(path: &Path, options: &Options, resume: ResumePoint) -> Result<Input, ArchiveError> {
        Located { path: path.to_owned(), document: None, ranges: None }.open_at(options, resume)
    }

    /// Reads bytes in memory as a file of this name.
    ///
    /// # Errors
    ///
    /// Errors of [`Input::open`].
    pub fn from_bytes(bytes: Vec<u8>, name: &str, options: &Options) -> Result<Input, ArchiveError> {
        let size = bytes.len() as u64;
        let source = Source::new(ByteOrigin::Seekable(Box::new(Cursor::new(bytes)), size));
        Input::new(source, &Opening::new(Path::new(name), options))
    }

    /// Reads from a reader, forward only, as a file of this name.
    ///
    /// # Errors
    ///
    /// Errors of [`Input::open`].
    pub fn from_reader(
        reader: impl Read + Send + 'static,
        name: &str,
        options: &Options,
    ) -> Result<Input, ArchiveError> {
        Input::new(Source::new(ByteOrigin::Forward(Box::new(reader))), &Opening::new(Path::new(name), options))
    }

    fn new(source: Source, file: &Opening<'_>) -> Result<Input, ArchiveError> {
        let Recognised { opened: Opened { entries, ids }, format, is_converted } = recognise::open(source, file)?;
        let (path, options, resume) = (file.path.to_owned(), file.options.clone(), entries.point());
        Ok(Input { path, format, options, entries, ids, resume, is_converted, failed: false })
    }

    /// Returns whether parts of the input can be read alone, each by an input of its own: from one
    /// [start](Input::find_start) to the next. Remote objects are not: each part would cost requests.
    #[must_use]
    pub fn splits(&self) -> bool {
        let is_apt = !self.is_converted && !self.ids.count() && self.options.batch_column.is_none();
        is_apt && self.entries.splits() && !is_remote(&self.path)
    }

    /// Returns where the first entry at this offset or later seems to begin, in an input that
    /// [`splits`](Input::splits): there may be no entry if the file is damaged, or if an entry contains what looks like
    /// one. Call [`Input::go_to`] before reading on.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn find_start(&mut self, from: u64) -> Result<Option<u64>, ArchiveError> {
        self.entries.find_start(from).map_err(|source| failed("reading", &self.path, source))
    }

    /// Returns whether the entries read since the last call might be others where larger records are allowed, or more
    /// of the file was read before.
    pub fn take_doubt(&mut self) -> bool {
        self.entries.take_doubt()
    }

    /// Goes to a resume point.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn go_to(&mut self, resume: ResumePoint) -> Result<(), ArchiveError> {
        self.entries.go_to(resume).map_err(|source| failed("reading", &self.path, source))?;
        self.resume = resume;
        Ok(())
    }

    /// Returns whether [`Input::skip_to`] can skip entries without reading them.
    pub fn skips(&self) -> bool {
        self.entries.skips()
    }

    /// Skips the entries before a position, if the input [`skips`](Input::skips); never goes back.
    pub fn skip_to(&mut self, point: ResumePoint) -> Result<(), ArchiveError> {
        if self.skips() && point > self.resume { self.go_to(point) } else { Ok(()) }
    }

    /// Returns the next entry, or `None` at the end.
    ///
    /// # Errors
    ///
    /// The file cannot be read further. Damage in it is not an error but a skipped entry.
    #[expect(clippy::should_implement_trait, reason = "an iterator of results would hide that an error ends the input")]
    pub fn next(&mut self) -> Result<Option<Entry>, ArchiveError> {
        if self.failed {
            return Ok(None);
        }
        let entry = self.entries.next(&self.options);
        self.resume = self.entries.point();
        let entry = entry.map(|entry| {
            entry.map(|mut entry| {
                self.ids.give(&mut entry);
                entry
            })
        });
        entry.map_err(|source| {
            self.failed = true;
            failed("reading", &self.path, source)
        })
    }

    /// Returns the identifying headers of the last entry, if it is a sound record of a WARC file.
    #[must_use]
    pub fn links(&self) -> Links {
        self.entries.reader().map(|reader| reader.links()).unwrap_or_default()
    }

    /// Returns the page to which the last entry refers, if that is a revisit record.
    #[must_use]
    pub fn revisited(&self) -> Revisited {
        self.entries.reader().map(|reader| reader.revisited()).unwrap_or_default()
    }

    /// Returns the bytes of the last row of a CSV file, decompressed, if records are kept. Before the first entry these
    /// are the header, after the last one what remains.
    #[must_use]
    pub fn row(&self) -> Option<&[u8]> {
        self.entries.reader()?.row()
    }

    /// Keeps each record of a WARC file for [`Input::whole_record`], and each row of a CSV file for [`Input::row`],
    /// which costs a copy.
    pub fn keep_records(&mut self) {
        self.entries.keep_records();
    }

    /// Returns the record of the last entry as it is in the file, if records are kept and the entry was a record with a
    /// sound header.
    #[must_use]
    pub fn whole_record(&self) -> Option<&WholeRecord> {
        self.entries.reader()?.whole_record()
    }

    /// Returns the batch of the last entry, if a column is to name batches; empty for none.
    pub fn batch(&self) -> Option<&str> {
        self.entries.batch(&self.options)
    }

    /// Returns the point where a later run resumes after the last entry that [`next`](Input::next) returned.
    #[must_use]
    pub fn resume_point(&self) -> ResumePoint {
        self.resume
    }

    /// Returns whether the documents have no ids of their own, so that ids are those of
    /// [`IdFrom::Path`](crate::IdFrom::Path).
    #[must_use]
    pub fn has_row_ids(&self) -> bool {
        self.ids.count()
    }

    /// Returns whether the input is UTF-16, which is read as the UTF-8 of its text: positions are those in UTF-8.
    #[must_use]
    pub fn is_converted(&self) -> bool {
        self.is_converted
    }

    /// Returns the format of the input.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the number of bytes of the file read so far, out of [`size`](Input::size), for progress.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.entries.bytes_read().0
    }

    /// Returns the number of decompressed bytes read so far.
    #[must_use]
    pub fn payload_bytes(&self) -> u64 {
        self.entries.bytes_read().1
    }

    /// Returns the file's size in bytes, or 0 if it is not known.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.entries.size()
    }
}

/// Reads the page at a position, with the options it was first read with.
///
/// The id of the page is the same as then, with two exceptions: ids that are places or have a prefix, and files that
/// were found in a folder, which are read as [`Format::Html`] with their path as id.
///
/// # Errors
///
/// Errors of [`Input::open`]; an error if there is no page at the position.
pub fn read_page(path: &Path, position: &Position, options: &Options) -> Result<PageEntry, ArchiveError> {
    page_at(&mut open_again(path, options)?, position)
}

/// Reads the page at a position of a WARC file as [`read_page`] does, with its record.
///
/// # Errors
///
/// Errors of [`read_page`]; an error if the file is no WARC file.
pub fn read_record(
    path: &Path,
    position: &Position,
    options: &Options,
) -> Result<(PageEntry, WholeRecord), ArchiveError> {
    let mut input = open_again(path, options)?;
    input.keep_records();
    let page = page_at(&mut input, position)?;
    let record = input.whole_record().ok_or_else(|| not_a_page(path, position, "a page that is no WARC record"))?;
    Ok((page, record.clone()))
}

/// Opens an input to read one of its documents again.
fn open_again(path: &Path, options: &Options) -> Result<Input, ArchiveError> {
    Input::new(open::source(path)?, &Opening { is_read_again: true, ..Opening::new(path, options) })
}

/// Reads the page at a position of an input that was just opened.
fn page_at(input: &mut Input, position: &Position) -> Result<PageEntry, ArchiveError> {
    let point = ResumePoint { offset: position.offset, inner: position.inner };
    if point != ResumePoint::default() {
        input.go_to(point)?;
    }
    let found = match input.next()? {
        Some(Entry { content: EntryContent::Page(page), .. }) => return Ok(page),
        Some(Entry { content: EntryContent::Fingerprint { .. }, .. }) => "a bare fingerprint",
        Some(Entry { content: EntryContent::Sketch(_), .. }) => "a sketch",
        Some(Entry { content: EntryContent::Skipped { reason, .. }, .. }) => reason.as_str(),
        Some(Entry { content: EntryContent::Other(kind), .. }) => kind.as_str(),
        None => "the end of the file",
    };
    Err(not_a_page(&input.path, position, found))
}

fn not_a_page(path: &Path, position: &Position, found: &'static str) -> ArchiveError {
    ArchiveError::NotAPage { path: path.to_owned(), offset: position.offset, inner: position.inner, found }
}
