//! An opened input: detects its format and iterates over its entries.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use super::arc::{self, Arc};
use super::csv::{self, Csv};
use super::document::Document;
use super::entry::{Entry, EntryContent, Links, PageEntry, Position, Reason, ResumePoint, Revisited};
use super::error::ArchiveError;
use super::format::{self, Format};
use super::gzip::{self, Gzip};
use super::ids::Ids;
use super::jsonl::{self, Jsonl};
use super::names::text_of;
use super::open::{self, Located, failed};
use super::options::{IdFrom, Options};
use super::packed;
use super::ranges::{ByteRange, Ranges};
use super::raw::{Tsv, U64le};
use super::recognise;
use super::source::{Origin, Source};
use super::stream::{Codec, Fill, Stream};
#[cfg(feature = "parquet")]
use super::table::Table;
use super::unicode::{self, Encoding};
use super::warc::{self, Warc};
use super::whole::WholeRecord;
use super::zstandard::{self, Zstd};

/// Number of decompressed bytes from which the format is detected.
const HEAD: usize = 16 << 10;
/// Bytes after a record of a plain file that are not part of it.
const LINE_ENDS: u64 = 4;

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
    body: Body,
    ids: Ids,
    /// The ranges that are read, if not the whole input is.
    selected: Option<Progress>,
    resume: ResumePoint,
    is_converted: bool,
    failed: bool,
}

/// Progress in selected ranges.
struct Progress {
    ranges: Ranges,
    /// Number of ranges that are read.
    read: usize,
    bytes: u64,
}

/// The source of entries.
enum Body {
    /// Records or lines of a stream of bytes.
    Stream(Box<Stream>, Reader),
    /// Rows of a table.
    #[cfg(feature = "parquet")]
    Table(Box<Table>),
}

/// The purpose of opening an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To read its documents, if it has any.
    Load,
    /// To read one of its documents again.
    ReadAgain,
}

enum Reader {
    Warc(Box<Warc>),
    Arc(Box<Arc>),
    Jsonl(Jsonl),
    Csv(Box<Csv>),
    Tsv(Tsv),
    U64le(U64le),
    Document(Document),
}

impl Located {
    /// Opens the input.
    ///
    /// # Errors
    ///
    /// Errors of [`Input::open`].
    pub fn open(&self, options: &Options) -> Result<Input, ArchiveError> {
        let source = open::source(&self.path)?;
        let mut input = Input::new(source, &self.path, self.document.as_deref(), options, Purpose::Load)?;
        if let Some(ranges) = &self.ranges {
            input.select(ranges.clone())?;
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
        let source = Source::new(Origin::Seekable(Box::new(Cursor::new(bytes)), size));
        Input::new(source, Path::new(name), None, options, Purpose::Load)
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
        Input::new(Source::new(Origin::Forward(Box::new(reader))), Path::new(name), None, options, Purpose::Load)
    }

    fn new(
        mut source: Source,
        path: &Path,
        document: Option<&str>,
        options: &Options,
        purpose: Purpose,
    ) -> Result<Input, ArchiveError> {
        let reading = |source| failed("reading", path, source);
        let named = format::by_name(path);
        let requested = match (options.format, document) {
            (_, Some(_)) => Some(Format::Html),
            (Format::Auto, None) => None,
            (format, None) => Some(format),
        };
        // Raw numbers have no magic number, and may begin with any bytes.
        let raw = requested.or(named) == Some(Format::U64le);
        source.fill(HEAD).map_err(reading)?;
        let head = source.available();
        let is_table = match requested {
            Some(requested) => requested == Format::Parquet,
            None => !raw && (recognise::is_table(head) || named == Some(Format::Parquet)),
        };
        if is_table {
            return Input::of_table(source, path, options);
        }
        if let Some(packing) = packed::packing(head).filter(|_| !raw || is_packed_name(path)) {
            source = packed::unpacked(source, packing, &options.limits);
            source.fill(HEAD).map_err(reading)?;
        }
        let likely = requested.or(named);
        let is_text = matches!(likely, None | Some(Format::Jsonl | Format::Csv | Format::Tsv));
        let is_converted = is_text && !Encoding::of(source.available()).is_bytes();
        if is_converted {
            source = unicode::utf8_source(source).map_err(reading)?;
            source.fill(HEAD).map_err(reading)?;
        }
        let (codec, dictionary) = codec(&mut source, path, raw, options)?;
        let mut stream = Stream::new(source, codec, &options.limits, accept(likely));
        while stream.window().len() < HEAD && stream.fill().map_err(reading)? == Fill::More {}
        // A damaged frame may seem to need a dictionary. If the dictionary is really missing, no frame can be decoded.
        if let Some(dictionary) = dictionary
            && stream.tear().is_some_and(|tear| !tear.followed)
        {
            return Err(ArchiveError::MissingDictionary { path: path.to_owned(), dictionary });
        }
        let by_content = || recognise::by_content(stream.window());
        let unseen = stream.window().is_empty().then_some(Format::Warc);
        let format = requested
            .or(named.filter(|_| raw))
            .or_else(by_content)
            .or(named)
            .or(unseen)
            .ok_or_else(|| ArchiveError::UnknownFormat { path: path.to_owned() })?;
        stream.set_accept(accept(Some(format)));
        let format = match format {
            Format::Tsv if csv::is_tab_header(stream.window(), options) => Format::Csv,
            format => format,
        };
        let unusable_lines = |why| ArchiveError::Unusable { path: path.to_owned(), why };
        if matches!(format, Format::Jsonl | Format::Csv | Format::Tsv) && !Encoding::of(stream.window()).is_bytes() {
            let why = "it is UTF-16 inside of a compressed file: convert it, for example with zcat FILE | iconv -f UTF-16 \
                       -t UTF-8";
            return Err(unusable_lines(why.to_owned()));
        }
        let mut ids = match format {
            Format::Jsonl if purpose == Purpose::ReadAgain => jsonl::Ids::Known,
            Format::Jsonl => {
                let found = jsonl::survey(&mut stream, options).map_err(reading)?;
                found.map_err(unusable_lines)?
            }
            _ => jsonl::Ids::Needed,
        };
        let reader = match format {
            Format::Auto | Format::Warc | Format::Wet => Reader::Warc(Box::default()),
            Format::Arc => Reader::Arc(Box::default()),
            Format::Jsonl => Reader::Jsonl(Jsonl::new(ids)),
            Format::Csv => {
                let rows = Csv::open(&mut stream, options).map_err(reading)?.map_err(unusable_lines)?;
                if !rows.has_ids() {
                    ids = jsonl::Ids::Places;
                }
                Reader::Csv(Box::new(rows))
            }
            // Inside of another container.
            Format::Parquet => return Err(unusable(path, "it is compressed as a whole; unpack it")),
            Format::Tsv => Reader::Tsv(Tsv::default()),
            Format::U64le => {
                stream.count_from_the_start();
                Reader::U64le(U64le)
            }
            Format::Html => {
                let document = document.filter(|_| options.id_from != IdFrom::Path);
                let id = document.map_or_else(|| text_of(path), str::to_owned);
                Reader::Document(Document::new(id))
            }
        };
        let ids = match format {
            Format::Html => Ids::made(options),
            _ => Ids::of_rows(path, options, ids == jsonl::Ids::Places),
        };
        let resume = stream.point();
        let body = Body::Stream(Box::new(stream), reader);
        Ok(Input {
            path: path.to_owned(),
            format,
            options: options.clone(),
            body,
            ids,
            selected: None,
            resume,
            is_converted,
            failed: false,
        })
    }

    #[cfg(feature = "parquet")]
    fn of_table(source: Source, path: &Path, options: &Options) -> Result<Input, ArchiveError> {
        let reading = |source| failed("reading", path, source);
        let (origin, size) = open::seekable(source).map_err(reading)?;
        let table = Table::open(origin, size, super::ids::name(path, options.id_from), options).map_err(reading)?;
        let body = Body::Table(Box::new(table.map_err(|why| unusable(path, &why))?));
        let (path, format, resume) = (path.to_owned(), Format::Parquet, ResumePoint::default());
        let (ids, options) = (Ids::made(options), options.clone());
        Ok(Input { path, format, options, body, ids, selected: None, resume, is_converted: false, failed: false })
    }

    #[cfg(not(feature = "parquet"))]
    fn of_table(_: Source, path: &Path, _: &Options) -> Result<Input, ArchiveError> {
        Err(unusable(path, "this nddb was compiled without the feature `parquet`"))
    }

    /// Restricts the input to these ranges.
    fn select(&mut self, ranges: Ranges) -> Result<(), ArchiveError> {
        match &self.body {
            Body::Stream(_, Reader::Warc(_) | Reader::Arc(_)) => {}
            _ => return Err(ArchiveError::NotSelectable { path: self.path.clone() }),
        }
        self.selected = Some(Progress { ranges, read: 0, bytes: 0 });
        Ok(())
    }

    fn go_to(&mut self, resume: ResumePoint) -> Result<(), ArchiveError> {
        if let Some(selected) = &mut self.selected {
            selected.read = selected.ranges.before(resume.offset);
            self.resume = resume;
            return Ok(());
        }
        match &mut self.body {
            Body::Stream(stream, reader) => {
                stream.go_to(resume).map_err(|source| failed("reading", &self.path, source))?;
                if let (Reader::Document(document), true) = (reader, resume != ResumePoint::default()) {
                    document.finish();
                }
            }
            #[cfg(feature = "parquet")]
            Body::Table(table) => table.go_to(resume.offset),
        }
        self.resume = resume;
        Ok(())
    }

    /// Returns whether [`Input::skip_to`] can skip entries without reading them.
    pub fn skips(&self) -> bool {
        match self.body {
            Body::Stream(..) => false,
            #[cfg(feature = "parquet")]
            Body::Table(_) => true,
        }
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
        let options = &self.options;
        let (entry, resume) = match &mut self.body {
            Body::Stream(stream, reader) if self.selected.is_some() => {
                let Some(selected) = &mut self.selected else { return Ok(None) };
                (selected.next(stream, reader, options), selected.point())
            }
            Body::Stream(stream, reader) => {
                stream.begin_entry();
                (reader.next(stream, options), stream.point())
            }
            #[cfg(feature = "parquet")]
            Body::Table(table) => (table.next(), ResumePoint { offset: table.row(), inner: 0 }),
        };
        self.resume = resume;
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
        match &self.body {
            Body::Stream(_, Reader::Warc(reader)) => reader.links(),
            _ => Links::default(),
        }
    }

    /// Returns the page to which the last entry refers, if that is a revisit record.
    #[must_use]
    pub fn revisited(&self) -> Revisited {
        match &self.body {
            Body::Stream(_, Reader::Warc(reader)) => reader.revisited(),
            _ => Revisited::default(),
        }
    }

    /// Keeps each record of a WARC file for [`Input::whole_record`], which costs a copy.
    pub fn keep_records(&mut self) {
        if let Body::Stream(_, Reader::Warc(reader)) = &mut self.body {
            reader.keep_records();
        }
    }

    /// Returns the record of the last entry as it is in the file, if records are kept and the entry was a record with a
    /// sound header.
    #[must_use]
    pub fn whole_record(&self) -> Option<&WholeRecord> {
        match &self.body {
            Body::Stream(_, Reader::Warc(reader)) => reader.whole_record(),
            _ => None,
        }
    }

    /// Returns the batch of the last entry, if a column is to name batches; empty for none.
    pub fn batch(&self) -> Option<&str> {
        match &self.body {
            Body::Stream(..) => self.options.batch_column.as_ref().map(|_| ""),
            #[cfg(feature = "parquet")]
            Body::Table(table) => table.batch(),
        }
    }

    /// Returns the point where a later run resumes after the last entry that [`next`](Input::next) returned.
    #[must_use]
    pub fn resume_point(&self) -> ResumePoint {
        self.resume
    }

    /// Returns whether the documents have no ids of their own, so that ids are those of [`IdFrom::Path`].
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
        match &self.body {
            _ if self.selected.is_some() => self.selected.as_ref().map_or(0, |selected| selected.bytes),
            Body::Stream(stream, _) => stream.bytes_read(),
            #[cfg(feature = "parquet")]
            Body::Table(table) => table.bytes_read(),
        }
    }

    /// Returns the number of decompressed bytes read so far.
    #[must_use]
    pub fn payload_bytes(&self) -> u64 {
        match &self.body {
            Body::Stream(stream, _) => stream.payload_bytes(),
            #[cfg(feature = "parquet")]
            Body::Table(table) => table.payload_bytes(),
        }
    }

    /// Returns the file's size in bytes, or 0 if it is not known.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.body {
            Body::Stream(stream, _) => stream.size(),
            #[cfg(feature = "parquet")]
            Body::Table(table) => table.size(),
        }
    }
}

impl Progress {
    /// Reads the record of the next range.
    fn next(&mut self, stream: &mut Stream, reader: &mut Reader, options: &Options) -> io::Result<Option<Entry>> {
        let Some(range @ ByteRange { offset, length }) = self.ranges.get(self.read) else { return Ok(None) };
        stream.go_to(ResumePoint { offset, inner: 0 })?;
        let entry = reader.next(stream, options)?;
        let next = stream.point();
        self.read += 1;
        self.bytes = self.bytes.saturating_add(length);
        // The size of a record in a plain file may or may not include the line ends after it.
        let is_whole = next.inner == 0 && next.offset.abs_diff(offset.saturating_add(length)) <= LINE_ENDS;
        let is_no_record = |reason| matches!(reason, Reason::Garbage | Reason::BadHeader | Reason::BadLength);
        Ok(Some(match entry {
            Some(Entry { position, content: EntryContent::Skipped { reason, detail } }) if !is_no_record(reason) => {
                Entry { position, content: EntryContent::Skipped { reason, detail } }
            }
            Some(entry) if is_whole && !matches!(entry.content, EntryContent::Skipped { .. }) => entry,
            _ => no_record(range),
        }))
    }

    /// Returns where the next range begins, or the last one ends.
    fn point(&self) -> ResumePoint {
        let end = |range: ByteRange| range.offset.saturating_add(range.length);
        let next = self.ranges.get(self.read).map(|range| range.offset);
        let last = || self.read.checked_sub(1).and_then(|last| self.ranges.get(last)).map_or(0, end);
        ResumePoint { offset: next.unwrap_or_else(last), inner: 0 }
    }
}

fn no_record(ByteRange { offset, length }: ByteRange) -> Entry {
    let position = Position { offset, inner: 0, length };
    let detail = format!("the index names {length} bytes that are no record of their own here: is it another archive?");
    Entry::skipped(position, Reason::NoRecord, detail)
}

impl Reader {
    fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>> {
        match self {
            Reader::Warc(reader) => reader.next(stream, options),
            Reader::Arc(reader) => reader.next(stream, options),
            Reader::Jsonl(reader) => reader.next(stream, options),
            Reader::Csv(reader) => reader.next(stream, options),
            Reader::Tsv(reader) => reader.next(stream),
            Reader::U64le(reader) => reader.next(stream, options),
            Reader::Document(reader) => reader.next(stream, options),
        }
    }
}

/// Returns whether a file's name says that it is compressed by bzip2, xz or lz4.
fn is_packed_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["bz2", "xz", "lz4"].iter().any(|name| ending.eq_ignore_ascii_case(name)))
}

fn unusable(path: &Path, why: &str) -> ArchiveError {
    ArchiveError::UnusableTable { path: path.to_owned(), why: why.to_owned() }
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
    page_at(&mut Input::new(open::source(path)?, path, None, options, Purpose::ReadAgain)?, position)
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
    let mut input = Input::new(open::source(path)?, path, None, options, Purpose::ReadAgain)?;
    input.keep_records();
    let page = page_at(&mut input, position)?;
    let record = input.whole_record().ok_or_else(|| not_a_page(path, position, "a page that is no WARC record"))?;
    Ok((page, record.clone()))
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

/// Detects the compression of a file, and the id of the dictionary that its first frame needs and the file lacks.
fn codec(source: &mut Source, path: &Path, raw: bool, options: &Options) -> Result<(Codec, Option<u32>), ArchiveError> {
    let reading = |source: io::Error| failed("reading", path, source);
    let head = source.available();
    let name = path.to_string_lossy().to_ascii_lowercase();
    if raw && ![".gz", ".zst", ".zstd"].iter().any(|ending| name.ends_with(ending)) {
        return Ok((Codec::Plain, None));
    }
    if head.starts_with(&gzip::MAGIC) {
        return Ok((Codec::Gzip(Box::new(Gzip::new())), None));
    }
    if head.starts_with(&zstandard::MAGIC) || zstandard::is_skippable(head) {
        let mut zstd = Zstd::new(&options.limits);
        let read = zstd.read_dictionary(source).map_err(reading)?;
        read.map_err(|rule| ArchiveError::BadDictionary { path: path.to_owned(), rule })?;
        let dictionary = zstd.missing_dictionary(source).map_err(reading)?;
        return Ok((Codec::Zstd(Box::new(zstd)), dictionary));
    }
    const UNSUPPORTED: [(&[u8], &str); 3] =
        [(b"PK\x03\x04", "zip"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"\x1f\x9d", "compress")];
    if let Some((_, container)) = UNSUPPORTED.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(ArchiveError::UnsupportedContainer { path: path.to_owned(), container });
    }
    // The name says that the file is compressed, but its bytes do not: a plain file with a wrong name, or a file
    // damaged at its start.
    let readable = head.is_empty() || recognise::by_content(head).is_some();
    let codec = if !readable && name.ends_with(".gz") {
        Codec::Gzip(Box::new(Gzip::new()))
    } else if !readable && (name.ends_with(".zst") || name.ends_with(".zstd")) {
        Codec::Zstd(Box::new(Zstd::new(&options.limits)))
    } else {
        Codec::Plain
    };
    Ok((codec, None))
}

/// Returns the test for the start of a member after damage.
fn accept(format: Option<Format>) -> fn(&[u8]) -> bool {
    match format {
        Some(Format::Arc) => |bytes| arc::starts(bytes.trim_ascii_start()) == Some(true),
        Some(Format::Jsonl | Format::Csv | Format::Tsv) => |bytes| !bytes.is_empty(),
        Some(Format::Html | Format::Parquet | Format::U64le) => |_| false,
        Some(Format::Auto | Format::Warc | Format::Wet) => |bytes| warc::starts(bytes.trim_ascii_start()) == Some(true),
        None => |bytes| {
            let bytes = bytes.trim_ascii_start();
            warc::starts(bytes) == Some(true) || arc::starts(bytes) == Some(true)
        },
    }
}
