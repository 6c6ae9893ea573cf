//! Detection of the compression and the format of a file.

use std::io;
use std::path::Path;

use super::error::ArchiveError;
use super::formats::{Format, Layout, Opened, Opening};
use super::gzip::{self, Gzip};
use super::packed;
use super::source::Source;
use super::stream::{Codec, Fill, Stream};
use super::unicode::{self, Encoding};
use super::zstandard::{self, Zstd};

/// Number of decompressed bytes from which the format is detected.
const HEAD: usize = 16 << 10;

/// A file whose format is known.
pub(super) struct Recognised {
    pub(super) opened: Opened,
    pub(super) format: Format,
    /// Whether it is UTF-16, and is read as the UTF-8 of its text.
    pub(super) is_converted: bool,
}

/// Detects how a file is compressed and what it is, and opens it.
pub(super) fn open(mut source: Source, file: &Opening<'_>) -> Result<Recognised, ArchiveError> {
    let reading = |source| file.reading(source);
    let named = Format::of_name(file.path);
    let requested = match (file.options.format, file.document) {
        (_, Some(_)) => Some(Format::Html),
        (Format::Auto, None) => None,
        (format, None) => Some(format),
    };
    let likely = requested.or(named);
    let unmarked = likely.filter(|format| matches!(format.rules().layout, Layout::Numbers));
    source.fill(HEAD).map_err(reading)?;
    let by_content = || if unmarked.is_some() { None } else { Format::of_content(source.available()) };
    let is_table = |format: &Format| matches!(format.rules().layout, Layout::Table(_));
    if let Some(format) = requested.or_else(|| by_content().filter(is_table)).or(named)
        && let Layout::Table(open) = format.rules().layout
    {
        return Ok(Recognised { opened: open(source, file)?, format, is_converted: false });
    }
    if let Some(packing) = packed::packing(source.available()).filter(|_| unmarked.is_none() || is_packed(file.path)) {
        source = packed::unpacked(source, packing, &file.options.limits);
        source.fill(HEAD).map_err(reading)?;
    }
    let is_lines = |format: Format| matches!(format.rules().layout, Layout::Lines);
    let is_converted = likely.is_none_or(is_lines) && !Encoding::of(source.available()).is_bytes();
    if is_converted {
        source = unicode::utf8_source(source).map_err(reading)?;
        source.fill(HEAD).map_err(reading)?;
    }
    let (codec, dictionary) = codec(&mut source, file, unmarked.is_some())?;
    let accept = |format| Box::new(move |bytes: &[u8]| Format::continues_at(format, bytes));
    let mut stream = Stream::new(source, codec, &file.options.limits, accept(likely));
    while stream.window().len() < HEAD && stream.fill().map_err(reading)? == Fill::More {}
    // A damaged frame may seem to need a dictionary. If the dictionary is really missing, no frame can be decoded.
    if let Some(dictionary) = dictionary
        && stream.tear().is_some_and(|tear| !tear.followed)
    {
        return Err(ArchiveError::MissingDictionary { path: file.path.to_owned(), dictionary });
    }
    let empty = stream.window().is_empty().then_some(Format::Warc);
    let format = requested
        .or(unmarked)
        .or_else(|| Format::of_content(stream.window()))
        .or(named)
        .or(empty)
        .ok_or_else(|| ArchiveError::UnknownFormat { path: file.path.to_owned() })?;
    let format = (format.rules().read_as)(stream.window(), file.options).unwrap_or(format);
    stream.set_accept(accept(Some(format)));
    if is_lines(format) && !Encoding::of(stream.window()).is_bytes() {
        return Err(file.unusable(
            "it is UTF-16 inside of a compressed file: convert it, for example with zcat FILE | iconv -f UTF-16 -t UTF-8",
        ));
    }
    Ok(Recognised { opened: (format.rules().open)(stream, file)?, format, is_converted })
}

/// Returns whether a file's name says that it is compressed by bzip2, xz or lz4.
fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["bz2", "xz", "lz4"].iter().any(|name| ending.eq_ignore_ascii_case(name)))
}

/// Detects the compression of a file, and the id of the dictionary that its first frame needs and the file lacks.
fn codec(source: &mut Source, file: &Opening<'_>, is_unmarked: bool) -> Result<(Codec, Option<u32>), ArchiveError> {
    let reading = |source: io::Error| file.reading(source);
    let path = file.path;
    let limits = &file.options.limits;
    let head = source.available();
    let name = path.to_string_lossy().to_ascii_lowercase();
    if is_unmarked && ![".gz", ".zst", ".zstd"].iter().any(|ending| name.ends_with(ending)) {
        return Ok((Codec::Plain, None));
    }
    if head.starts_with(&gzip::MAGIC) {
        return Ok((Codec::Gzip(Box::new(Gzip::new())), None));
    }
    if head.starts_with(&zstandard::MAGIC) || zstandard::is_skippable(head) {
        let mut zstd = Zstd::new(limits);
        let read = zstd.read_dictionary(source).map_err(reading)?;
        read.map_err(|rule| ArchiveError::BadDictionary { path: path.to_owned(), rule })?;
        let dictionary = zstd.missing_dictionary(source).map_err(reading)?;
        return Ok((Codec::Zstd(Box::new(zstd)), dictionary));
    }
    if head.starts_with(b"ORC") && name.ends_with(".orc") {
        return Err(file.unusable(
            "ORC is not read: write it as Parquet, in Python with \
             pyarrow.parquet.write_table(pyarrow.orc.read_table('FILE'), 'FILE.parquet')",
        ));
    }
    const UNSUPPORTED: [(&[u8], &str); 3] =
        [(b"PK\x03\x04", "zip"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"\x1f\x9d", "compress")];
    if let Some((_, container)) = UNSUPPORTED.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(ArchiveError::UnsupportedContainer { path: path.to_owned(), container });
    }
    // The name says that the file is compressed, but its bytes do not: a plain file with a wrong name, or a file
    // damaged at its start.
    let readable = head.is_empty() || Format::of_content(head).is_some();
    let codec = if !readable && name.ends_with(".gz") {
        Codec::Gzip(Box::new(Gzip::new()))
    } else if !readable && (name.ends_with(".zst") || name.ends_with(".zstd")) {
        Codec::Zstd(Box::new(Zstd::new(limits)))
    } else {
        Codec::Plain
    };
    Ok((codec, None))
}
