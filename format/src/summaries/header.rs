//! Header and footer of a file of summaries, and the limits that the header is checked against (SPEC 8.7).

use crate::Result;
use crate::digest::{self, Digest};
use crate::error::malformed;
use crate::fields::{self, Field, READER_MIN, check_crc};
pub use crate::footer::{FOOTER_CHECKSUM, FOOTER_FIELDS, FOOTER_IDENTITY, FOOTER_SIZE, FOOTER_START, PAGES_CHECKSUM};
use crate::postings::NUMBER_END;

/// Number of summaries of an entry of the directory.
pub const GROUP_LEN: u64 = 14;
/// Bytes of an entry of the directory (the offset of the first summary, and the end of each), and of an entry of the
/// presence map.
pub const GROUP_SIZE: usize = 8 + 4 * GROUP_LEN as usize;
/// Numbers of an entry of the presence map: as many as there are bits after its count.
pub const PRESENCE_LEN: u64 = 8 * (GROUP_SIZE as u64 - 8);

/// Bytes of a header.
pub const HEADER_SIZE: usize = 128;
/// Magic of a file of summaries.
pub const MAGIC: &[u8; 8] = b"\x89nddbU\r\n";
/// Magic of the footer.
pub const FOOTER_MAGIC: &[u8; 8] = b"\x89nddbV\r\n";
/// Maximum number of bytes of all summaries of a file.
pub const SIZE_MAX: u64 = 1 << 50;

/// Zero.
pub const RESERVED: Field = READER_MIN.then(4, "reserved");
/// Least document number of the run's range.
pub const LOW: Field = RESERVED.then(8, "low");
/// One more than the greatest document number of the range.
pub const HIGH: Field = LOW.then(8, "high");
/// Number of summaries.
pub const DOCUMENTS: Field = HIGH.then(8, "documents");
/// Bytes of all summaries.
pub const SIZE: Field = DOCUMENTS.then(8, "size");
/// Digest of the summaries with their numbers.
pub const DIGEST: Field = SIZE.then(16, "digest");
/// Identity: hash of all bytes before this field.
pub const IDENTITY: Field = DIGEST.then(8, "identity");
/// Zero.
pub const PADDING: Field = IDENTITY.then(HEADER_SIZE - 4 - IDENTITY.end(), "padding");
/// CRC-32 of the bytes of the header before this field.
pub const CHECKSUM: Field = PADDING.then(4, "checksum");
/// The fields of the header.
pub const HEADER_FIELDS: [Field; 12] = [
    fields::MAGIC,
    fields::FORMAT_VERSION,
    READER_MIN,
    RESERVED,
    LOW,
    HIGH,
    DOCUMENTS,
    SIZE,
    DIGEST,
    IDENTITY,
    PADDING,
    CHECKSUM,
];

pub(super) const WHAT: &str = "header of summaries";

/// The contents of a file of summaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Least document number of the run's range.
    pub low: u64,
    /// One more than the greatest document number of the range.
    pub high: u64,
    /// Number of summaries.
    pub documents: u64,
    /// Bytes of all summaries.
    pub size: u64,
    /// Digest of the pairs of a summary's CRC-32 and its document number.
    pub digest: Digest,
    /// Hash of the fields above.
    pub identity: u64,
}

impl Header {
    /// Encodes the header; the identity is always computed from the other fields.
    pub fn encode(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        fields::put_start(&mut bytes, MAGIC);
        LOW.put(&mut bytes, self.low);
        HIGH.put(&mut bytes, self.high);
        DOCUMENTS.put(&mut bytes, self.documents);
        SIZE.put(&mut bytes, self.size);
        bytes[DIGEST.offset..DIGEST.end()].copy_from_slice(&self.digest.0.to_le_bytes());
        let identity = digest::identity(&bytes[..IDENTITY.offset]);
        IDENTITY.put(&mut bytes, identity);
        fields::put_crc(&mut bytes, CHECKSUM);
        bytes
    }

    /// Returns the header with its identity computed.
    pub(super) fn stamped(mut self) -> Self {
        self.identity = IDENTITY.get(&self.encode());
        self
    }

    /// Decodes a header from the start of `bytes`.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        fields::check_start("file of summaries", bytes, MAGIC, HEADER_SIZE)?;
        let bytes = &bytes[..HEADER_SIZE];
        check_crc(WHAT, bytes, CHECKSUM)?;
        RESERVED.expect_zero(WHAT, bytes)?;
        PADDING.expect_zero(WHAT, bytes)?;
        if IDENTITY.get(bytes) != digest::identity(&bytes[..IDENTITY.offset]) {
            return malformed(WHAT, IDENTITY.offset, "identity is the hash of the bytes before it");
        }
        let mut sum = [0; 16];
        sum.copy_from_slice(DIGEST.bytes(bytes));
        let header = Self {
            low: LOW.get(bytes),
            high: HIGH.get(bytes),
            documents: DOCUMENTS.get(bytes),
            size: SIZE.get(bytes),
            digest: Digest(u128::from_le_bytes(sum)),
            identity: IDENTITY.get(bytes),
        };
        if header.low >= header.high || header.high > NUMBER_END {
            return malformed(WHAT, LOW.offset, "the number range is not empty and ends at 2^40 at most");
        }
        if header.documents == 0 || header.documents > header.high - header.low {
            return malformed(
                WHAT,
                DOCUMENTS.offset,
                "there is a summary, and of each number of the range at most one",
            );
        }
        if header.size < header.documents || header.size > SIZE_MAX {
            return malformed(WHAT, SIZE.offset, "no summary is empty, and all have at most 2^50 bytes");
        }
        Ok(header)
    }
}
