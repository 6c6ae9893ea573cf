//! How much of a hostile file is held at once.

/// Bounds on what a record, a header and a compressed member may take.
///
/// They bound the memory of an [`Input`](super::Input) too: it holds at most one record, its decoded form and one
/// step in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a record, and of a page after its encodings are undone; what is longer is cut there and flagged.
    pub record: usize,
    /// Bytes of a record's header, and of an HTTP header.
    pub header: usize,
    /// Lines of a record's header, and of an HTTP header.
    pub header_lines: usize,
    /// How many bytes a compressed byte may become, once a member or body has become more than `ratio_free` bytes.
    pub ratio: u64,
    /// Bytes that a member or a body may become whatever the ratio.
    pub ratio_free: u64,
    /// The largest zstd window of a file, in bytes; rounded down to a power of two. 128 MiB is the most that zstd
    /// makes without being asked twice, and what data sets packed as tightly as it can have.
    pub zstd_window: u64,
    /// The largest zstd window of a response's body: RFC 8878 (3.1.1.1.2) advises 8 MiB.
    pub zstd_body_window: u64,
    /// Bytes of a zstd dictionary.
    pub dictionary: usize,
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
        }
    }
}

impl Limits {
    /// The zstd window limit of a file as the base-2 logarithm zstd asks for.
    pub(super) fn zstd_window_log(&self) -> u32 {
        window_log(self.zstd_window)
    }

    /// The same of a body.
    pub(super) fn zstd_body_window_log(&self) -> u32 {
        window_log(self.zstd_body_window)
    }

    /// Whether `output` bytes from `input` bytes are more than the ratio allows.
    pub(super) fn is_bomb(&self, input: u64, output: u64) -> bool {
        output > self.ratio_free && output > input.saturating_mul(self.ratio)
    }
}

fn window_log(window: u64) -> u32 {
    window.max(1).ilog2().clamp(10, 27)
}
