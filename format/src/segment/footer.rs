//! Footer of a segment (SPEC 6.4).

use crate::fields::layout;

/// Magic of the footer.
pub const FOOTER_MAGIC: &[u8; 8] = b"\x89nddbE\r\n";

layout! {
    /// The fields of the footer.
    FOOTER_FIELDS;
    /// Magic of the footer.
    FOOTER_START: 8, "magic";
    /// Number of blocks.
    BLOCKS: 8, "blocks";
    /// The identity of the header.
    FOOTER_IDENTITY: 8, "identity";
    /// CRC-32 of the array of page checksums.
    INDEX_CHECKSUM: 4, "index_checksum";
    /// CRC-32 of the bytes of the footer before this field.
    FOOTER_CHECKSUM: 4, "checksum";
}
/// Bytes of the footer.
pub const FOOTER_SIZE: usize = FOOTER_CHECKSUM.end();
