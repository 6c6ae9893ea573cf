//! Header and footer of a file of summaries, and the limits that the header is checked against (SPEC 8.7).

use crate::Result;
use crate::digest::Digest;
use crate::error::malformed;
use crate::fields::{self, Seal, layout};
use crate::paged_file::PagedFileNames;
pub use crate::paged_file::{
    FOOTER_CHECKSUM, FOOTER_FIELDS, FOOTER_IDENTITY, FOOTER_SIZE, FOOTER_START, PAGES_CHECKSUM,
};
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
/// Names of the parts of a file of summaries.
pub(super) const PARTS: PagedFileNames = PagedFileNames {
    magic: FOOTER_MAGIC,
    file: "summaries",
    footer: "footer of summaries",
    checksums: "page checksums of summaries",
    page: "page of summaries",
};
/// Maximum number of bytes of all summaries of a file.
pub const SIZE_MAX: u64 = 1 << 50;

layout! {
    /// The fields of the header.
    HEADER_FIELDS of a file;
    /// Zero.
    RESERVED: 4, "reserved";
    /// Least document number of the run's range.
    LOW: 8, "low";
    /// One more than the greatest document number of the range.
    HIGH: 8, "high";
    /// Number of summaries.
    DOCUMENTS: 8, "documents";
    /// Bytes of all summaries.
    SIZE: 8, "size";
    /// Digest of the summaries with their numbers.
    DIGEST: 16, "digest";
    /// Identity: hash of all bytes before this field.
    IDENTITY: 8, "identity";
    /// Zero.
    PADDING: HEADER_SIZE - 4 - IDENTITY.end(), "padding";
    /// CRC-32 of the bytes of the header before this field.
    CHECKSUM: 4, "checksum";
}

const SEAL: Seal<'_> = Seal { identity: IDENTITY, zero: &[RESERVED, PADDING], checksum: CHECKSUM };
pub(super) const WHAT: &str = "header of summaries";

/// The contents of a file of summaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummariesHeader {
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

impl SummariesHeader {
    /// Encodes the header; the identity is always computed from the other fields.
    pub fn encode(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        fields::put_start(&mut bytes, MAGIC);
        LOW.put(&mut bytes, self.low);
        HIGH.put(&mut bytes, self.high);
        DOCUMENTS.put(&mut bytes, self.documents);
        SIZE.put(&mut bytes, self.size);
        DIGEST.put_wide(&mut bytes, self.digest.0);
        SEAL.put(&mut bytes);
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
        let bytes = SEAL.check(("file of summaries", WHAT), bytes, MAGIC)?;
        let header = Self {
            low: LOW.get(bytes),
            high: HIGH.get(bytes),
            documents: DOCUMENTS.get(bytes),
            size: SIZE.get(bytes),
            digest: Digest(DIGEST.get_wide(bytes)),
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
