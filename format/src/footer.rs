//! The footer of a file whose body is one paged region: postings and summaries (SPEC 7.4 and 8.7).

use crate::Result;
use crate::error::malformed;
use crate::fields::{Field, check_crc, put_crc};

/// Magic of the footer.
pub const FOOTER_START: Field = Field::first(8, "magic");
/// The identity of the header.
pub const FOOTER_IDENTITY: Field = FOOTER_START.then(8, "identity");
/// CRC-32 of the array of page checksums.
pub const PAGES_CHECKSUM: Field = FOOTER_IDENTITY.then(4, "pages_checksum");
/// CRC-32 of the bytes of the footer before this field.
pub const FOOTER_CHECKSUM: Field = PAGES_CHECKSUM.then(4, "checksum");
/// The fields of the footer.
pub const FOOTER_FIELDS: [Field; 4] = [FOOTER_START, FOOTER_IDENTITY, PAGES_CHECKSUM, FOOTER_CHECKSUM];
/// Bytes of the footer.
pub const FOOTER_SIZE: usize = FOOTER_CHECKSUM.end();

/// Returns the footer of a file with this identity and these page checksums.
pub(crate) fn encode(magic: &[u8; 8], identity: u64, checksums: &[u8]) -> [u8; FOOTER_SIZE] {
    let mut footer = [0; FOOTER_SIZE];
    footer[..FOOTER_START.end()].copy_from_slice(magic);
    FOOTER_IDENTITY.put(&mut footer, identity);
    PAGES_CHECKSUM.put(&mut footer, u64::from(crc32fast::hash(checksums)));
    put_crc(&mut footer, FOOTER_CHECKSUM);
    footer
}

/// Checks the footer of a file with this identity, except for the page checksums.
pub(crate) fn check(what: &'static str, footer: &[u8], magic: &[u8; 8], identity: u64) -> Result<()> {
    check_crc(what, footer, FOOTER_CHECKSUM)?;
    if FOOTER_START.bytes(footer) != magic {
        return malformed(what, 0, "the file ends with a footer and its magic");
    }
    if FOOTER_IDENTITY.get(footer) != identity {
        return malformed(what, FOOTER_IDENTITY.offset, "header and footer have the same identity");
    }
    Ok(())
}
