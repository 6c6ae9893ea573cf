//! Entries of an input, and their positions.

use nddb_format::record::{NUMBER_MARK, check_id};
use nddb_page::text::{Page, PageKind};

/// The position of a record in a file, sufficient to read it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Offset in the file, in bytes, of the gzip member or zstd frame in which the record begins, or of the record
    /// itself if the file is not compressed. In a Parquet file, the number of the row, from 0. In a WACZ file, the
    /// bytes of the archives in it are counted, in their order.
    pub offset: u64,
    /// Offset of the record in the decompressed member, in bytes; 0 if the record begins it.
    pub inner: u64,
    /// Size of the record in bytes: the compressed size if its members or frames contain nothing else, else the
    /// uncompressed size. In a Parquet file, the size of the page or text.
    pub length: u64,
}

/// The point where a later run resumes after an entry, for [`Input::open_at`](super::Input::open_at).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResumePoint {
    /// See [`Position::offset`].
    pub offset: u64,
    /// See [`Position::inner`].
    pub inner: u64,
}

/// An entry of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Position of the entry.
    pub position: Position,
    /// Content of the entry.
    pub content: EntryContent,
}

/// The content of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryContent {
    /// A document: HTML or plain text.
    Page(PageEntry),
    /// A document given by its fingerprint only.
    Fingerprint {
        /// The document's id.
        id: String,
        /// Its fingerprint.
        fingerprint: u64,
        /// Its URL, if the input has one.
        url: Option<String>,
    },
    /// A document that was sketched earlier.
    Sketch(SketchEntry),
    /// A document that could not be read, or unreadable bytes.
    Skipped {
        /// The reason, for counting.
        reason: Reason,
        /// A message for the user.
        detail: String,
    },
    /// A sound record that is not a document.
    Other(OtherKind),
}

/// A document with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// The document's id: a text of 1 to 4,096 bytes of UTF-8 without NUL, or the
    /// [id of a number](nddb_format::record::number_id).
    pub id: String,
    /// Its URL, if the input has one.
    pub url: Option<String>,
    /// When it was fetched, in seconds since 1970, if the input has a valid date.
    pub date: Option<i64>,
    /// The beginning of the date that the input has, if there is one and it was not understood.
    pub unread_date: Option<String>,
    /// HTML or plain text.
    pub kind: PageKind,
    /// The character encoding that the input declares.
    pub charset: Option<String>,
    /// The page, after transfer and content decoding.
    pub body: Vec<u8>,
    /// Whether the body is known to be incomplete: truncated at the size limit, by the end of the file, by a wrong
    /// length, by damage in its encoding, or by the crawler (WARC-Truncated).
    pub truncated: bool,
    /// Whether it is incomplete because it is longer than the size limit.
    pub is_cut: bool,
}

impl PageEntry {
    /// Returns the page, for recipes.
    #[must_use]
    pub fn page(&self) -> Page<'_> {
        Page { kind: self.kind, charset: self.charset.as_deref(), url: self.url.as_deref(), body: &self.body }
    }
}

/// A document that was sketched earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchEntry {
    /// The stored form of the document, including its id, in the encoding of the catalog. The bytes have not been
    /// checked.
    pub sketch: Vec<u8>,
    /// The label of the recipe that made it.
    pub recipe: String,
    /// The archive from which its page was read, if the input has it.
    pub archive: Option<String>,
}

/// The headers of a WARC record that identify it and refer to other records; all without angle brackets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Its WARC-Record-ID.
    pub id: Option<String>,
    /// Its WARC-Target-URI.
    pub url: Option<String>,
    /// The ids of the records to which it belongs: those in every WARC-Concurrent-To and in WARC-Refers-To.
    pub of: Vec<String>,
}

/// The page to which a revisit record refers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revisited {
    /// The id of its record: WARC-Refers-To.
    pub id: Option<String>,
    /// Its address: WARC-Refers-To-Target-URI, else that of the revisit record itself.
    pub url: Option<String>,
    /// When it was fetched, in seconds since 1970: WARC-Refers-To-Date.
    pub date: Option<i64>,
}

macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every variant, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Returns the fixed snake_case name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

named! {
    /// The reason why an entry was skipped.
    Reason {
        /// A gzip member or zstd frame does not decompress, or a row group of a Parquet file is damaged.
        DamagedMember = "damaged_member",
        /// The file ends inside a record or member.
        CutOff = "cut_off",
        /// The ratio limit was exceeded, by decompressed bytes that were not used or by rows of a table.
        RatioLimit = "ratio_limit",
        /// A zstd frame needs a window beyond the limit.
        WindowLimit = "window_limit",
        /// Bytes between records that belong to no record.
        Garbage = "garbage",
        /// A malformed record header.
        BadHeader = "bad_header",
        /// A record or HTTP header beyond the limits of size or lines.
        HeaderTooLong = "header_too_long",
        /// A record without a valid length.
        BadLength = "bad_length",
        /// No id, or an id that is empty, longer than 4,096 bytes, contains a NUL or begins with U+0001.
        BadId = "bad_id",
        /// An HTTP response without a status in its status line.
        BadHttp = "bad_http",
        /// A content encoding that nddb does not know.
        BadEncoding = "bad_encoding",
        /// A line that is not a JSON object.
        BadJson = "bad_json",
        /// A JSON object without a required field, or a null in a required column.
        MissingField = "missing_field",
        /// A JSON field of the wrong type, or a column that should be text and is not.
        WrongType = "wrong_type",
        /// A fingerprint that is not 16 hex digits.
        BadFingerprint = "bad_fingerprint",
        /// Bytes that are not a sketch.
        BadSketch = "bad_sketch",
        /// A line that is not id, tab, fingerprint.
        BadLine = "bad_line",
        /// A line beyond the size limit.
        LineTooLong = "line_too_long",
        /// A range of an index that is not exactly one record.
        NoRecord = "no_record",
        /// Fewer than eight bytes at the end of a file of raw fingerprints.
        TrailingBytes = "trailing_bytes",
    }
}

named! {
    /// The kind of a sound record that is not a document.
    OtherKind {
        /// WARC: metadata of the file.
        Warcinfo = "warcinfo",
        /// WARC: the crawler's request.
        Request = "request",
        /// WARC: metadata of another record.
        Metadata = "metadata",
        /// WARC: a revisited page; its text is in another record.
        Revisit = "revisit",
        /// WARC: a resource that is not a page by its type, or that is a file of the crawler by its address, such as a
        /// log.
        Resource = "resource",
        /// WARC: a later segment of a record.
        Continuation = "continuation",
        /// WARC: a converted form of a record that is not a page, such as an image.
        Conversion = "conversion",
        /// WARC: a record of a type that is not in the standard.
        Unknown = "unknown",
        /// ARC: the header block of the file.
        ArcHeader = "arc_header",
        /// A response with a status other than 200.
        Status = "status",
        /// A response that is neither HTML nor plain text.
        ContentType = "content_type",
        /// A picture, a font, a PDF or another binary file, by its first bytes, whatever its type says.
        Binary = "binary",
        /// A response without an HTTP header, such as a DNS answer.
        NotHttp = "not_http",
    }
}

/// Returns whether a text can be an id: it has 1 to 4,096 bytes without NUL, and does not have the form of the id of a
/// number.
pub(super) fn is_text_id(text: &str) -> bool {
    !text.starts_with(NUMBER_MARK) && check_id(text).is_ok()
}

/// Returns a text as an id, if it can be one.
pub(super) fn text_id(text: String) -> Result<String, EntryContent> {
    if is_text_id(&text) { Ok(text) } else { Err(EntryContent::bad_id(&text)) }
}

impl Entry {
    pub(super) fn skipped(position: Position, reason: Reason, detail: impl Into<String>) -> Entry {
        Entry { position, content: EntryContent::Skipped { reason, detail: detail.into() } }
    }
}

impl EntryContent {
    pub(super) fn bad_id(id: &str) -> EntryContent {
        let detail = if id.is_empty() {
            "no document id".to_owned()
        } else if id.starts_with(NUMBER_MARK) {
            "document id that begins with U+0001, the mark of numbers".to_owned()
        } else {
            format!("document id of {} bytes, or with a NUL in it", id.len())
        };
        EntryContent::Skipped { reason: Reason::BadId, detail }
    }
}
