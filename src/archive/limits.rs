//! Limits for hostile files.

/// Limits on the size of a record, a header and a compressed member.
///
/// They also bound the memory of an [`Input`](super::Input): it holds at most one record, its decoded form and one
/// intermediate form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a record, and of a page after decoding; longer ones are truncated and flagged.
    pub record: usize,
    /// Bytes of a record's header, and of an HTTP header.
    pub header: usize,
    /// Lines of a record's header, and of an HTTP header.
    pub header_lines: usize,
    /// Maximum number of wasted bytes per compressed byte of the file. Wasted are the bytes of an entry beyond
    /// `record`, which are decompressed only to find the beginning of the next entry. Bytes that are used are not
    /// limited: data that compresses a thousandfold is read like any other.
    pub ratio: u64,
    /// Number of bytes of a file that may be wasted whatever the ratio.
    pub ratio_free: u64,
    /// The largest zstd window of a file, in bytes: the memory that its decoder takes. 128 MiB is the greatest window that
    /// zstd uses by default; data sets at the highest compression levels need it. A frame with a larger window is read
    /// as long as its content is within this limit.
    pub zstd_window: u64,
    /// The largest zstd window of a response's body: RFC 8878 (3.1.1.1.2) advises 8 MiB.
    pub zstd_body_window: u64,
    /// Bytes of a zstd dictionary.
    pub dictionary: usize,
    /// Bytes of the metadata of a Parquet file.
    pub table_footer: u64,
    /// Bytes of a page of a column in a Parquet file, compressed or decompressed. One page of each column is held in
    /// memory. Writers end a page after 1,024 texts, however long these are.
    pub table_page: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            record: 64 << 20,
            header: 64 << 10,
            header_lines: 256,
            ratio: 1000,
            ratio_free: 256 << 20,
            zstd_window: 128 << 20,
            zstd_body_window: 8 << 20,
            dictionary: 16 << 20,
            table_footer: 64 << 20,
            table_page: 1 << 30,
        }
    }
}

impl Limits {
    /// The largest window that zstd can decode.
    pub const WINDOW_MAX: u64 = 2 << 30;

    /// Returns the zstd window limit of a body as a base-2 logarithm.
    pub(super) fn zstd_body_window_log(&self) -> u32 {
        self.zstd_body_window.max(1).ilog2().clamp(10, 27)
    }

    /// Returns whether too many decompressed bytes were wasted, given the number of compressed bytes read.
    pub(super) fn is_bomb(&self, input: u64, wasted: u64) -> bool {
        wasted > self.ratio_free && wasted > input.saturating_mul(self.ratio)
    }

    /// Returns whether a table claims more rows than its compressed size allows. (Rows of equal values take hardly any
    /// space, but are returned one by one.)
    #[cfg(feature = "parquet")]
    pub(super) fn are_too_many_rows(&self, compressed: u64, rows: u64) -> bool {
        rows > TABLE_ROWS_FREE && rows > compressed.saturating_mul(self.ratio)
    }
}

/// Number of rows that a row group may have whatever its size. Writers make groups of a million, by default.
#[cfg(feature = "parquet")]
const TABLE_ROWS_FREE: u64 = 64 << 20;
