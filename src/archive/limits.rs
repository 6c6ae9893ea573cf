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
    /// Greatest ratio of decompressed to compressed bytes of a member or body that exceeds `ratio_free` bytes.
    pub ratio: u64,
    /// Decompressed bytes of a member or a body that are allowed whatever the ratio.
    pub ratio_free: u64,
    /// The largest zstd window of a file, in bytes; rounded down to a power of two. 128 MiB is the most that zstd
    /// uses by default, and data sets at the highest compression levels have it.
    pub zstd_window: u64,
    /// The largest zstd window of a response's body: RFC 8878 (3.1.1.1.2) advises 8 MiB.
    pub zstd_body_window: u64,
    /// Bytes of a zstd dictionary.
    pub dictionary: usize,
    /// Bytes of the metadata of a Parquet file.
    pub table_footer: u64,
    /// Bytes of a page of a column in a Parquet file, compressed or decompressed; one for each column that is read is
    /// held in memory. Writers close a page behind 1,024 texts, however long these are.
    pub table_page: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            record: 64 << 20,
            header: 64 << 10,
            header_lines: 256,
            ratio: 200,
            ratio_free: 1 << 20,
            zstd_window: 128 << 20,
            zstd_body_window: 8 << 20,
            dictionary: 16 << 20,
            table_footer: 64 << 20,
            table_page: 1 << 30,
        }
    }
}

impl Limits {
    /// Returns the zstd window limit of a file as a base-2 logarithm.
    pub(super) fn zstd_window_log(&self) -> u32 {
        window_log(self.zstd_window)
    }

    /// Returns the zstd window limit of a body as a base-2 logarithm.
    pub(super) fn zstd_body_window_log(&self) -> u32 {
        window_log(self.zstd_body_window)
    }

    /// Returns whether `output` bytes from `input` bytes exceed the ratio.
    pub(super) fn is_bomb(&self, input: u64, output: u64) -> bool {
        output > self.ratio_free && output > input.saturating_mul(self.ratio)
    }
}

fn window_log(window: u64) -> u32 {
    window.max(1).ilog2().clamp(10, 27)
}
