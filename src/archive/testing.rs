//! Writer of WARC files, for tests and for archives of local pages.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use xxhash_rust::xxh3::xxh3_128;

use crate::date::format_date;

/// The compression of a [`WarcWriter`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Records without compression.
    Plain,
    /// A gzip member for each record, as in crawls.
    #[default]
    Gzip,
    /// A zstd frame for each record.
    Zstd,
}

/// A response to write.
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    /// The address of the page.
    pub url: &'a str,
    /// When the page was fetched, in seconds since 1970.
    pub date: i64,
    /// The record's id, without angle brackets; derived from URL, date and body if not given.
    pub id: Option<&'a str>,
    /// The HTTP status.
    pub status: u16,
    /// HTTP header fields besides Content-Length.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body as transferred.
    pub body: &'a [u8],
}

/// Writer of WARC/1.1 records.
///
/// ```
/// use nddb_archive::{Compression, EntryContent, Input, Options, Response, WarcWriter};
///
/// let mut writer = WarcWriter::new(Vec::new(), Compression::Gzip);
/// writer.warcinfo("pages.warc.gz", 0, &[("software", "an example")])?;
/// let headers = [("Content-Type", "text/html; charset=utf-8")];
/// let (url, body) = ("https://example.org/", b"<p>one");
/// let page = Response { url, date: 0, id: None, status: 200, headers: &headers, body };
/// writer.response(&page)?;
/// let bytes = writer.finish()?;
///
/// let mut input = Input::from_bytes(bytes, "pages.warc.gz", &Options::default())?;
/// let mut pages = 0;
/// while let Some(entry) = input.next()? {
///     pages += usize::from(matches!(entry.content, EntryContent::Page(_)));
/// }
/// assert_eq!(pages, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WarcWriter<W: Write> {
    inner: W,
    compression: Compression,
    written: u64,
}

impl<W: Write> WarcWriter<W> {
    /// Returns a writer; nothing is written yet.
    pub fn new(inner: W, compression: Compression) -> WarcWriter<W> {
        WarcWriter { inner, compression, written: 0 }
    }

    /// Writes a record about the file.
    ///
    /// # Errors
    ///
    /// Errors of [`record`](WarcWriter::record).
    pub fn warcinfo(&mut self, file_name: &str, date: i64, fields: &[(&str, &str)]) -> io::Result<()> {
        let mut block = String::new();
        for (name, value) in fields {
            field(&mut block, name, value)?;
        }
        let id = record_id(&[b"warcinfo", file_name.as_bytes(), block.as_bytes()]);
        let fields = [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", &format!("<{id}>")),
            ("WARC-Filename", file_name),
            ("WARC-Date", &format_date(date)),
            ("Content-Type", "application/warc-fields"),
        ];
        self.record(&fields, block.as_bytes())
    }

    /// Writes a response; returns its id.
    ///
    /// # Errors
    ///
    /// Errors of [`record`](WarcWriter::record).
    pub fn response(&mut self, response: &Response<'_>) -> io::Result<String> {
        let mut block = format!("HTTP/1.1 {} {}\r\n", response.status, if response.status == 200 { "OK" } else { "-" });
        for (name, value) in response.headers {
            field(&mut block, name, value)?;
        }
        field(&mut block, "Content-Length", &response.body.len().to_string())?;
        block.push_str("\r\n");
        let mut block = block.into_bytes();
        block.extend_from_slice(response.body);
        let date = format_date(response.date);
        let id = match response.id {
            Some(id) => id.to_owned(),
            None => record_id(&[b"response", response.url.as_bytes(), date.as_bytes(), response.body]),
        };
        let fields = [
            ("WARC-Type", "response"),
            ("WARC-Record-ID", &format!("<{id}>")),
            ("WARC-Target-URI", response.url),
            ("WARC-Date", &date),
            ("Content-Type", "application/http; msgtype=response"),
        ];
        self.record(&fields, &block)?;
        Ok(id)
    }

    /// Writes any record; its Content-Length is added.
    ///
    /// # Errors
    ///
    /// The underlying writer fails, or a field contains a line end.
    pub fn record(&mut self, fields: &[(&str, &str)], block: &[u8]) -> io::Result<()> {
        let mut header = "WARC/1.1\r\n".to_owned();
        for (name, value) in fields {
            field(&mut header, name, value)?;
        }
        field(&mut header, "Content-Length", &block.len().to_string())?;
        header.push_str("\r\n");
        let mut record = header.into_bytes();
        record.extend_from_slice(block);
        record.extend_from_slice(b"\r\n\r\n");
        let packed = match self.compression {
            Compression::Plain => record,
            Compression::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(&record)?;
                encoder.finish()?
            }
            Compression::Zstd => zstd::bulk::compress(&record, 3)?,
        };
        self.inner.write_all(&packed)?;
        self.written += packed.len() as u64;
        Ok(())
    }

    /// Returns the number of bytes written: the offset of the next record.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.written
    }

    /// Flushes and returns the underlying writer.
    ///
    /// # Errors
    ///
    /// The underlying writer fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.inner.flush()?;
        Ok(self.inner)
    }
}

fn field(to: &mut String, name: &str, value: &str) -> io::Result<()> {
    let bad_name = name.is_empty() || name.contains([':', '\r', '\n', ' ']);
    if bad_name || value.contains(['\r', '\n']) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a header field with a line end or colon where none may be",
        ));
    }
    to.push_str(name);
    to.push_str(": ");
    to.push_str(value);
    to.push_str("\r\n");
    Ok(())
}

/// Derives a UUID of version 8 (RFC 9562: any content) from a hash, so that the same records give the same file.
fn record_id(parts: &[&[u8]]) -> String {
    let mut hash = 0;
    for part in parts {
        hash = xxh3_128(&[&u128::to_be_bytes(hash), *part].concat());
    }
    let h = (hash & !(0xf << 76) & !(0x3 << 62)) | (8 << 76) | (2 << 62);
    format!(
        "urn:uuid:{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        h >> 96,
        (h >> 80) & 0xffff,
        (h >> 64) & 0xffff,
        (h >> 48) & 0xffff,
        h & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_they_are_read() {
        for seconds in [0, 951_782_400, 1_729_544_943, 1_456_790_399, -1, 4_102_444_800, -62_135_596_800] {
            let text = format_date(seconds);
            assert_eq!(super::super::date::parse(text.as_bytes()), Some(seconds), "{text}");
        }
    }

    #[test]
    fn fields_with_line_ends_are_refused() {
        let mut writer = WarcWriter::new(Vec::new(), Compression::Plain);
        let refused = writer.record(&[("WARC-Target-URI", "http://a/\r\nX: y")], b"");
        assert_eq!(refused.map_err(|error| error.kind()), Err(io::ErrorKind::InvalidInput));
        assert_eq!(writer.offset(), 0);
    }
}
