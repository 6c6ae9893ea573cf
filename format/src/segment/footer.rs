//! Footer of a segment (SPEC 6.4).

use crate::fields::Field;

/// Magic of the footer.
pub const FOOTER_MAGIC: &[u8; 8] = b"\x89nddbE\r\n";

/// Magic of the footer.
pub const FOOTER_START: Field = Field::first(8, "magic");
/// Number of blocks.
pub const BLOCKS: Field = FOOTER_START.then(8, "blocks");
/// The identity of the header.
pub const FOOTER_IDENTITY: Field = BLOCKS.then(8, "identity");
/// CRC-32 of the array of page checksums.
pub const INDEX_CHECKSUM: Field = FOOTER_IDENTITY.then(4, "index_checksum");
/// CRC-32 of the bytes of the footer before this field.
pub const FOOTER_CHECKSUM: Field = INDEX_CHECKSUM.then(4, "checksum");
/// The fields of the footer.
pub const FOOTER_FIELDS: [Field; 5] = [FOOTER_START, BLOCKS, FOOTER_IDENTITY, INDEX_CHECKSUM, FOOTER_CHECKSUM];
/// Bytes of the footer.
pub const FOOTER_SIZE: usize = FOOTER_CHECKSUM.end();
