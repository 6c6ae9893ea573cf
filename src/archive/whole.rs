//! Whole records of WARC files, for tools that write records again.

use super::headers::{self, Headers};
use super::http;
use super::limits::Limits;

/// A WARC record as it is in its file, decompressed.
#[derive(Clone, Debug, Default)]
pub struct WholeRecord {
    bytes: Vec<u8>,
    /// Number of bytes of the header, with the empty line at its end.
    header: usize,
    fields: Headers,
    is_whole: bool,
}

/// The HTTP response in the block of a record, split where its header ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpParts<'a> {
    /// The status line and the fields, with the empty line at their end.
    pub head: &'a [u8],
    /// The bytes after the header, before any decoding: what WARC calls the payload.
    pub payload: &'a [u8],
    /// The status, if the first line has one.
    pub status: Option<u16>,
    /// The value of Content-Type.
    pub content_type: Option<Vec<u8>>,
}

impl WholeRecord {
    /// Takes the place of a record: its bytes, of which the first `header` are its header, and the fields of this.
    pub(super) fn fill(&mut self, bytes: &[u8], header: usize, fields: &Headers, is_whole: bool) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        (self.header, self.is_whole) = (header.min(bytes.len()), is_whole);
        self.fields.clone_from(fields);
    }

    /// Returns whether all bytes of the record are here; if not, it is longer than the limit, or cut off.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the first line: `WARC/1.0` or `WARC/1.1`.
    #[must_use]
    pub fn version(&self) -> &[u8] {
        self.fields.first_line()
    }

    /// Returns the names and values of all fields, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields.each()
    }

    /// Returns the first value of a field that is not empty; names are case-insensitive.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        self.fields.get(name)
    }

    /// Returns a field that is a URI, without the angle brackets around it.
    #[must_use]
    pub fn uri(&self, name: &str) -> Option<String> {
        self.fields.uri(name)
    }

    /// Returns whether the record has this WARC-Type.
    #[must_use]
    pub fn is(&self, kind: &str) -> bool {
        self.field("warc-type").is_some_and(|found| found.eq_ignore_ascii_case(kind.as_bytes()))
    }

    /// Returns the block: what follows the header.
    #[must_use]
    pub fn block(&self) -> &[u8] {
        &self.bytes[self.header..]
    }

    /// Returns the parts of the HTTP response in the block; `None` if there is no complete HTTP header.
    #[must_use]
    pub fn http(&self) -> Option<HttpParts<'_>> {
        let block = self.block();
        if !block.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/")) {
            return None;
        }
        let headers::Extent::Len(len) = headers::extent(block, &Limits::default(), |_| false) else { return None };
        let (head, payload) = block.split_at(len);
        let mut fields = Headers::default();
        fields.parse(head);
        let status = http::status(fields.first_line());
        Some(HttpParts { head, payload, status, content_type: fields.get("content-type").map(<[u8]>::to_vec) })
    }
}
