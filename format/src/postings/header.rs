//! Header and footer of a postings file, and the limits that the header is checked against (SPEC 7.1 and 7.4).

use crate::Result;
use crate::block::BLOCK_SIZE;
use crate::digest::Digest;
use crate::error::malformed;
use crate::fields::{self, Seal, layout};
use crate::paged_file::PagedFileNames;
pub use crate::paged_file::{
    FOOTER_CHECKSUM, FOOTER_FIELDS, FOOTER_IDENTITY, FOOTER_SIZE, FOOTER_START, PAGES_CHECKSUM,
};
use crate::scheme::RESTART_MAX;

/// Fingerprints of a directory entry.
pub const GROUP_LEN: u64 = 64;
/// Maximum number of flags that are counted to find a list; a group with more numbers stores its starts explicitly.
pub const SPAN_MAX: u64 = 4096;
/// Flag of a directory entry whose group stores its starts explicitly.
pub const SPARSE: u64 = 1 << 63;
/// One more than the greatest document number of a run.
pub const NUMBER_END: u64 = 1 << 40;

/// Bytes of a header.
pub const HEADER_SIZE: usize = 256;
/// Magic of a postings file.
pub const MAGIC: &[u8; 8] = b"\x89nddbP\r\n";
/// Magic of the footer.
pub const FOOTER_MAGIC: &[u8; 8] = b"\x89nddbQ\r\n";
/// Names of the parts of a postings file.
pub(super) const PARTS: PagedFileNames = PagedFileNames {
    magic: FOOTER_MAGIC,
    file: "postings",
    footer: "postings footer",
    checksums: "postings page checksums",
    page: "postings page",
};

layout! {
    /// The fields of the header.
    HEADER_FIELDS of a file;
    /// Block size of the table 0 that the ranks are for.
    BLOCK: 2, "block_size";
    /// Restart interval of that table 0.
    RESTART: 2, "restart";
    /// Least document number of the run's range.
    LOW: 8, "low";
    /// One more than the greatest document number of the range.
    HIGH: 8, "high";
    /// Number of fingerprints.
    FINGERPRINTS: 8, "fingerprints";
    /// Number of document numbers.
    DOCUMENTS: 8, "documents";
    /// Number of blocks of table 0.
    BLOCKS: 8, "blocks";
    /// Number of groups that store their starts explicitly.
    SPARSE_GROUPS: 8, "sparse_groups";
    /// Digest of the fingerprints.
    SET_DIGEST: 16, "set_digest";
    /// Digest of the pairs (fingerprint, document number).
    PAIR_DIGEST: 16, "pair_digest";
    /// Identity: hash of all bytes before this field.
    IDENTITY: 8, "identity";
    /// Zero.
    PADDING: HEADER_SIZE - 4 - IDENTITY.end(), "padding";
    /// CRC-32 of the bytes of the header before this field.
    CHECKSUM: 4, "checksum";
}

/// Maximum number of document numbers of a file.
const DOCUMENTS_MAX: u64 = 1 << 48;

const SEAL: Seal<'_> = Seal { identity: IDENTITY, zero: &[PADDING], checksum: CHECKSUM };
const WHAT: &str = "postings header";

/// The contents of a postings file, and the table 0 that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingsHeader {
    /// Restart interval of the table 0 whose blocks the ranks are for.
    pub restart: u16,
    /// Least document number of the run's range.
    pub low: u64,
    /// One more than the greatest document number of the range.
    pub high: u64,
    /// Number of fingerprints.
    pub fingerprints: u64,
    /// Number of document numbers, at least one per fingerprint; one number may belong to several fingerprints.
    pub documents: u64,
    /// Number of blocks of table 0.
    pub blocks: u64,
    /// Number of groups that store their starts explicitly.
    pub sparse: u64,
    /// Digest of the fingerprints.
    pub set_digest: Digest,
    /// Digest of the pairs.
    pub pair_digest: Digest,
    /// Hash of the fields above.
    pub identity: u64,
}

impl PostingsHeader {
    /// Returns the width of a number in the file: as many bits as the greatest number of the range needs.
    #[inline]
    pub fn width(&self) -> u8 {
        (64 - (self.high - self.low - 1).leading_zeros()) as u8
    }

    /// Returns the header with its identity computed.
    pub(super) fn stamped(mut self) -> Self {
        self.identity = IDENTITY.get(&self.encode());
        self
    }

    /// Encodes the header; the identity is always computed from the other fields.
    pub fn encode(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        fields::put_start(&mut bytes, MAGIC);
        BLOCK.put(&mut bytes, BLOCK_SIZE as u64);
        RESTART.put(&mut bytes, u64::from(self.restart));
        LOW.put(&mut bytes, self.low);
        HIGH.put(&mut bytes, self.high);
        FINGERPRINTS.put(&mut bytes, self.fingerprints);
        DOCUMENTS.put(&mut bytes, self.documents);
        BLOCKS.put(&mut bytes, self.blocks);
        SPARSE_GROUPS.put(&mut bytes, self.sparse);
        SET_DIGEST.put_wide(&mut bytes, self.set_digest.0);
        PAIR_DIGEST.put_wide(&mut bytes, self.pair_digest.0);
        SEAL.put(&mut bytes);
        bytes
    }

    /// Decodes a header from the start of `bytes`.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let bytes = SEAL.check(("postings file", WHAT), bytes, MAGIC)?;
        if BLOCK.get(bytes) != BLOCK_SIZE as u64 {
            return malformed(WHAT, BLOCK.offset, "a block has 1024 bytes");
        }
        let header = Self {
            restart: RESTART.get(bytes) as u16,
            low: LOW.get(bytes),
            high: HIGH.get(bytes),
            fingerprints: FINGERPRINTS.get(bytes),
            documents: DOCUMENTS.get(bytes),
            blocks: BLOCKS.get(bytes),
            sparse: SPARSE_GROUPS.get(bytes),
            set_digest: Digest(SET_DIGEST.get_wide(bytes)),
            pair_digest: Digest(PAIR_DIGEST.get_wide(bytes)),
            identity: IDENTITY.get(bytes),
        };
        if header.restart == 1 || header.restart > RESTART_MAX {
            return malformed(WHAT, RESTART.offset, "the restart interval is 0 or 2 to 4096");
        }
        if header.low >= header.high || header.high > NUMBER_END {
            return malformed(WHAT, LOW.offset, "the number range is not empty and ends at 2^40 at most");
        }
        if header.fingerprints == 0
            || header.documents < header.fingerprints
            || header.documents > (header.high - header.low).saturating_mul(header.fingerprints).min(DOCUMENTS_MAX)
        {
            return malformed(
                WHAT,
                DOCUMENTS.offset,
                "each fingerprint has a document, and each number of the range at most once",
            );
        }
        if header.blocks == 0 || header.blocks > header.fingerprints {
            return malformed(WHAT, BLOCKS.offset, "each block holds at least one fingerprint");
        }
        // A sparse group has more than 4,096 numbers for at most 64 fingerprints.
        if header.sparse > (header.documents - header.fingerprints) / (SPAN_MAX + 1 - GROUP_LEN) {
            return malformed(WHAT, SPARSE_GROUPS.offset, "a sparse group spans more than 4096 numbers");
        }
        Ok(header)
    }
}
