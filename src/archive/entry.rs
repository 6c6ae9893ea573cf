//! What an input hands out: entries and where they stand.

use crate::text::{Page, PageKind};

/// Where a record stands: enough to read it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The first byte, in the file, of the gzip member or zstd frame the record begins in; of the record itself
    /// when the file is plain.
    pub offset: u64,
    /// Bytes of what that member decompresses to that stand before the record; 0 when the record begins it.
    pub inner: u64,
    /// Bytes of the record: compressed, when it has its members or frames to itself; else uncompressed.
    pub length: u64,
}

/// Where reading goes on, in a later run, after an entry: give it to [`Input::open_at`](super::Input::open_at).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResumePoint {
    /// As [`Position::offset`].
    pub offset: u64,
    /// As [`Position::inner`].
    pub inner: u64,
}

/// One thing found in an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it stands.
    pub position: Position,
    /// What it is.
    pub content: EntryContent,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryContent {
    /// A document: HTML or plain text.
    Page(PageEntry),
    /// A document of which only the fingerprint is known.
    Fingerprint {
        /// The document's id.
        id: String,
        /// Its fingerprint.
        fingerprint: u64,
        /// Its URL, where the input has one.
        url: Option<String>,
    },
    /// Something that should have been a document, or was unreadable.
    Skipped {
        /// The kind of trouble, for counting.
        reason: Reason,
        /// The trouble, for reading.
        detail: String,
    },
    /// A sound record that is no document.
    Other(OtherKind),
}

/// A document with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// The document's id: 1 to 4,096 bytes of UTF-8 without NUL.
    pub id: String,
    /// Its URL, where the input has one.
    pub url: Option<String>,
    /// When it was fetched, in seconds since 1970, where the input says so understandably.
    pub date: Option<i64>,
    /// Whether the body is HTML or plain text.
    pub kind: PageKind,
    /// The character encoding that the input names.
    pub charset: Option<String>,
    /// The page, after transfer and content encodings are undone.
    pub body: Vec<u8>,
    /// Whether the body is known to be cut short: at the size limit, by the end of a cut file, by a wrong length,
    /// by damage in its encoding, or by the crawler (WARC-Truncated).
    pub truncated: bool,
}

impl PageEntry {
    /// Returns the page, as recipes read it.
    #[must_use]
    pub fn page(&self) -> Page<'_> {
        Page { kind: self.kind, charset: self.charset.as_deref(), url: self.url.as_deref(), body: &self.body }
    }
}

macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every kind, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The fixed snake_case name.
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
    /// Why something was skipped.
    Reason {
        /// A gzip member or zstd frame does not decompress.
        DamagedMember = "damaged_member",
        /// The file ends inside a record or member.
        CutOff = "cut_off",
        /// More decompressed bytes than the ratio limit allows.
        RatioLimit = "ratio_limit",
        /// Bytes between records that belong to none.
        Garbage = "garbage",
        /// A record header that is no header.
        BadHeader = "bad_header",
        /// A record or HTTP header beyond the limits of size or lines.
        HeaderTooLong = "header_too_long",
        /// A record without a usable length.
        BadLength = "bad_length",
        /// No id, or one that is empty, longer than 4,096 bytes or has a NUL in it.
        BadId = "bad_id",
        /// An HTTP response whose status line says nothing.
        BadHttp = "bad_http",
        /// A content encoding that nddb does not know.
        BadEncoding = "bad_encoding",
        /// A line that is not a JSON object.
        BadJson = "bad_json",
        /// A JSON object without a field that it needs.
        MissingField = "missing_field",
        /// A JSON field of the wrong type.
        WrongType = "wrong_type",
        /// A fingerprint that is not 16 hex digits.
        BadFingerprint = "bad_fingerprint",
        /// A line that is not id, tab, fingerprint.
        BadLine = "bad_line",
        /// A line beyond the size limit.
        LineTooLong = "line_too_long",
        /// Fewer than eight bytes at the end of a file of raw fingerprints.
        TrailingBytes = "trailing_bytes",
    }
}

named! {
    /// What a sound record is that is no document.
    OtherKind {
        /// WARC: about the file.
        Warcinfo = "warcinfo",
        /// WARC: what the crawler asked.
        Request = "request",
        /// WARC: about another record.
        Metadata = "metadata",
        /// WARC: a page met again; its text is in another record.
        Revisit = "revisit",
        /// WARC: something that was not fetched by a protocol with responses, such as a crawler's log, whatever
        /// its type: such records are the crawler's own far more often than they are pages.
        Resource = "resource",
        /// WARC: another part of a record that was cut into segments.
        Continuation = "continuation",
        /// WARC: another form of a record, not plain text.
        Conversion = "conversion",
        /// WARC: a record of a type that the standard does not know.
        Unknown = "unknown",
        /// ARC: the block about the file.
        ArcHeader = "arc_header",
        /// A response with a status other than 200.
        Status = "status",
        /// A response that is neither HTML nor plain text.
        ContentType = "content_type",
        /// A response without an HTTP header, such as a DNS answer.
        NotHttp = "not_http",
    }
}

/// The rule for ids.
pub(super) fn valid_id(id: &str) -> bool {
    (1..=4096).contains(&id.len()) && !id.as_bytes().contains(&0)
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
        } else {
            format!("document id of {} bytes, or with a NUL in it", id.len())
        };
        EntryContent::Skipped { reason: Reason::BadId, detail }
    }
}
