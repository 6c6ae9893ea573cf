//! The first 1,024 bytes of a segment (SPEC 6.1): all that is needed to decode any range of its blocks.

use crate::block::BLOCK_SIZE;
use crate::digest::Digest;
use crate::error::malformed;
use crate::fields::{self, Seal, layout};
use crate::filter::Filter;
use crate::huffman::{Code, Lengths, SYMBOLS_MAX};
use crate::permutation::{BitGroup, Table};
use crate::scheme::{K_MAX, RESTART_MAX, Scheme, TABLES_MAX};
use crate::{FormatError, Result};

/// Bytes of a header.
pub const HEADER_SIZE: usize = BLOCK_SIZE;
/// Magic of a segment.
pub const MAGIC: &[u8; 8] = b"\x89nddbS\r\n";

layout! {
    /// The fields of the header.
    HEADER_FIELDS of a file;
    /// Width of a fingerprint, in bits.
    BITS: 1, "bits";
    /// Greatest distance that the scheme answers.
    K: 1, "k";
    /// Ordinal of the table in its scheme.
    TABLE: 2, "table";
    /// Top bits that a probe matches.
    PREFIX: 1, "prefix";
    /// Number of bit groups.
    GROUPS: 1, "groups";
    /// Bytes of a block.
    BLOCK: 2, "block_size";
    /// Restart interval.
    RESTART: 2, "restart";
    /// Zero.
    RESERVED: 2, "reserved";
    /// Number of fingerprints.
    COUNT: 8, "count";
    /// Digest of the fingerprints.
    DIGEST: 16, "digest";
    /// Bit groups, most significant first: low and width, one byte each.
    GROUP_LIST: 128, "group_list";
    /// Code length of each position h.
    LENGTHS: 64, "code_lengths";
    /// Identity: hash of all bytes before this field.
    IDENTITY: 8, "identity";
    /// Number of different prefixes in the filter; 0 without one.
    PREFIXES: 8, "prefixes";
    /// Zero.
    PADDING: HEADER_SIZE - 4 - PREFIXES.end(), "padding";
    /// CRC-32 of the bytes of the header before this field.
    CHECKSUM: 4, "checksum";
}

const SEAL: Seal<'_> = Seal { identity: IDENTITY, zero: &[RESERVED, PADDING], checksum: CHECKSUM };
const WHAT: &str = "segment header";

/// The identity of a segment: its table, its parameters and the set of fingerprints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentHeader {
    /// Greatest distance that the scheme answers.
    pub k: u8,
    /// Ordinal of the table in its scheme.
    pub ordinal: u16,
    /// The table.
    pub table: Table,
    /// Restart interval R; 0 for the plain layout.
    pub restart: u16,
    /// Number of fingerprints.
    pub count: u64,
    /// Digest of the fingerprints, unpermuted.
    pub digest: Digest,
    /// Huffman code lengths.
    pub lengths: Lengths,
    /// Number of different prefixes in the filter; 0 without one.
    pub prefixes: u64,
    /// Hash of the fields above except `prefixes`: seeds the checksums of blocks and pages.
    pub identity: u64,
}

impl SegmentHeader {
    /// Returns the header of table `ordinal` of a scheme, with its identity computed. The segment will have a filter if
    /// this number of different prefixes requires one ([`Filter::of`]).
    ///
    /// # Errors
    /// [`FormatError::Scheme`] if the scheme has no such table.
    pub fn new(
        scheme: &Scheme,
        ordinal: usize,
        (count, prefixes): (u64, u64),
        digest: Digest,
        lengths: Lengths,
    ) -> Result<Self> {
        let table = scheme.tables().get(ordinal).ok_or(FormatError::Scheme { rule: "a table of the scheme" })?;
        let has_filter = Filter::of(table.bits(), scheme.k(), table.prefix(), prefixes).is_some();
        let mut header = Self {
            k: scheme.k(),
            ordinal: ordinal as u16,
            table: table.clone(),
            restart: scheme.restart(),
            count,
            digest,
            lengths,
            prefixes: if has_filter { prefixes } else { 0 },
            identity: 0,
        };
        header.identity = IDENTITY.get(&header.encode());
        Ok(header)
    }

    /// Returns the filter of the segment, if it has one.
    pub fn filter(&self) -> Option<Filter> {
        Filter::of(self.table.bits(), self.k, self.table.prefix(), self.prefixes)
    }

    /// Encodes the header; the identity is always computed from the other fields.
    pub fn encode(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        fields::put_start(&mut bytes, MAGIC);
        BITS.put(&mut bytes, u64::from(self.table.bits()));
        K.put(&mut bytes, u64::from(self.k));
        TABLE.put(&mut bytes, u64::from(self.ordinal));
        PREFIX.put(&mut bytes, u64::from(self.table.prefix()));
        GROUPS.put(&mut bytes, self.table.groups().len() as u64);
        BLOCK.put(&mut bytes, BLOCK_SIZE as u64);
        RESTART.put(&mut bytes, u64::from(self.restart));
        COUNT.put(&mut bytes, self.count);
        DIGEST.put_wide(&mut bytes, self.digest.0);
        for (pair, group) in bytes[GROUP_LIST.offset..].chunks_exact_mut(2).zip(self.table.groups()) {
            pair.copy_from_slice(&[group.low, group.width]);
        }
        bytes[LENGTHS.offset..LENGTHS.end()].copy_from_slice(&self.lengths);
        PREFIXES.put(&mut bytes, self.prefixes);
        SEAL.put(&mut bytes);
        bytes
    }

    /// Decodes a header from the start of `bytes`.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let bytes = SEAL.check(("segment", WHAT), bytes, MAGIC)?;
        if BLOCK.get(bytes) != BLOCK_SIZE as u64 {
            return malformed(WHAT, BLOCK.offset, "a block has 1024 bytes");
        }
        let restart = RESTART.get(bytes) as u16;
        if restart == 1 || restart > RESTART_MAX {
            return malformed(WHAT, RESTART.offset, "the restart interval is 0 or 2 to 4096");
        }
        let (bits, k) = (BITS.get(bytes) as u8, K.get(bytes) as u8);
        if k > K_MAX || k >= bits {
            return malformed(WHAT, K.offset, "k is at most 7 and less than bits");
        }
        let ordinal = TABLE.get(bytes) as u16;
        if usize::from(ordinal) >= TABLES_MAX {
            return malformed(WHAT, TABLE.offset, "a scheme has at most 512 tables");
        }
        let used = GROUPS.get(bytes) as usize;
        if used == 0 || used > 64 {
            return malformed(WHAT, GROUPS.offset, "a table has 1 to 64 bit groups");
        }
        let pairs = GROUP_LIST.bytes(bytes);
        if pairs[2 * used..].iter().any(|&byte| byte != 0) {
            return malformed(WHAT, GROUP_LIST.offset, "bytes after the last bit group are zero");
        }
        let groups: Vec<BitGroup> =
            pairs[..2 * used].chunks_exact(2).map(|pair| BitGroup { low: pair[0], width: pair[1] }).collect();
        let table = Table::new(bits, PREFIX.get(bytes) as u8, &groups)?;
        if table.groups().len() != used {
            return malformed(WHAT, GROUP_LIST.offset, "neighbouring bit groups are joined");
        }
        let mut lengths = [0; SYMBOLS_MAX];
        lengths.copy_from_slice(LENGTHS.bytes(bytes));
        Code::new(&lengths, bits)?;
        let count = COUNT.get(bytes);
        if count == 0 {
            return malformed(WHAT, COUNT.offset, "a segment holds at least one fingerprint");
        }
        let header = Self {
            k,
            ordinal,
            table,
            restart,
            count,
            digest: Digest(DIGEST.get_wide(bytes)),
            lengths,
            prefixes: PREFIXES.get(bytes),
            identity: IDENTITY.get(bytes),
        };
        if header.prefixes > count || header.prefixes > 0 && header.filter().is_none() {
            return malformed(WHAT, PREFIXES.offset, "prefixes are at most count, and so many have a filter");
        }
        Ok(header)
    }
}
