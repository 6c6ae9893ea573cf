//! Encoding a segment, in two passes over its sorted fingerprints: survey, then blocks (SPEC 6.2).

use crate::block::BlockEncoder;
use crate::digest::Digest;
use crate::fields::put_crc;
use crate::filter::{self, FilterBuilder};
use crate::fingerprint::low_mask;
use crate::huffman::{self, Code, SYMBOLS_MAX};
use crate::pages;
use crate::permutation::Table;
use crate::scheme::Scheme;
use crate::{FormatError, Permuted, Result};

use super::{
    BLOCKS, FOOTER_CHECKSUM, FOOTER_IDENTITY, FOOTER_MAGIC, FOOTER_SIZE, FOOTER_START, INDEX_CHECKSUM, SegmentHeader,
};

/// The first pass: counts the fingerprints and their leading differing bits, and sums their digest.
#[derive(Clone, Debug)]
pub struct Survey {
    table: Table,
    counts: [u64; SYMBOLS_MAX],
    count: u64,
    /// Number of different prefixes, and the bits of a value after its prefix.
    prefixes: u64,
    shift: u32,
    digest: Digest,
    last: u64,
}

impl Survey {
    /// Starts the survey of one table's order.
    pub fn new(table: &Table) -> Self {
        // A scheme without levels has a filter only for k = 0.
        let width = filter::width(table.bits(), 0, table.prefix()).unwrap_or(table.bits());
        let shift = u32::from(table.bits() - width);
        let (counts, digest) = ([0; SYMBOLS_MAX], Digest::default());
        Self { table: table.clone(), counts, count: 0, prefixes: 0, shift, digest, last: 0 }
    }

    /// Adds the next permuted fingerprint.
    ///
    /// # Errors
    /// [`FormatError::OutOfOrder`] unless it is greater than the last one.
    #[inline]
    pub fn push(&mut self, value: u64) -> Result<()> {
        if self.count > 0 {
            if value <= self.last {
                return Err(FormatError::OutOfOrder { previous: self.last, found: value });
            }
            self.counts[63 - (value ^ self.last).leading_zeros() as usize] += 1;
        }
        self.prefixes += u64::from(self.count == 0 || (value ^ self.last) >> self.shift != 0);
        self.digest.add_fingerprint(self.table.unpermute(Permuted(value)).0);
        self.last = value;
        self.count += 1;
        Ok(())
    }

    /// Number of fingerprints so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of different prefixes so far; for a table without a prefix, of different fingerprints.
    pub fn prefixes(&self) -> u64 {
        self.prefixes
    }

    /// Digest of the fingerprints so far.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Histogram of the leading differing bit of neighbours, by position (Manku 2007, Figure 2a).
    pub fn leading_bits(&self) -> &[u64; SYMBOLS_MAX] {
        &self.counts
    }

    /// Ends the first pass and returns the header of table `ordinal` of the scheme.
    ///
    /// # Errors
    /// [`FormatError::Scheme`] if this is not that table; [`FormatError::Malformed`] if there is no fingerprint, or one
    /// is too wide.
    pub fn header(&self, scheme: &Scheme, ordinal: usize) -> Result<SegmentHeader> {
        if self.count == 0 {
            return crate::error::malformed("segment", 0, "a segment holds at least one fingerprint");
        }
        if scheme.tables().get(ordinal) != Some(&self.table) {
            return Err(FormatError::Scheme { rule: "the survey is of this table" });
        }
        // They ascend: if one is too wide, the last one is.
        if self.last & !low_mask(scheme.bits()) != 0 {
            return crate::error::malformed("segment", 0, "a fingerprint has no bit above its width");
        }
        let lengths = huffman::lengths(&self.counts[..usize::from(scheme.bits())]);
        SegmentHeader::new(scheme, ordinal, (self.count, self.prefixes), self.digest, lengths)
    }
}

/// The second pass: turns the same fingerprints into the bytes of the file.
#[derive(Debug)]
pub struct SegmentEncoder {
    header: SegmentHeader,
    blocks: BlockEncoder,
    keys: Vec<u8>,
    filter: FilterBuilder,
    /// Rank of the first entry of each block.
    ranks: Vec<u64>,
    count: u64,
    last: u64,
}

impl SegmentEncoder {
    /// Appends the header to `out` and prepares for the fingerprints.
    ///
    /// # Errors
    /// [`FormatError::Malformed`] if the header's code lengths do not make a complete code.
    pub fn new(header: SegmentHeader, out: &mut Vec<u8>) -> Result<Self> {
        let code = Code::new(&header.lengths, header.table.bits())?;
        out.extend_from_slice(&header.encode());
        let blocks = BlockEncoder::new(code, header.identity, header.restart);
        let filter = FilterBuilder::new(header.filter());
        Ok(Self { header, blocks, keys: Vec::new(), filter, ranks: vec![0], count: 0, last: 0 })
    }

    /// Adds the next permuted fingerprint; whole blocks are appended to `out`, which the caller may write and clear
    /// at any time.
    ///
    /// # Errors
    /// [`FormatError::OutOfOrder`] unless it is greater than the last one.
    #[inline]
    pub fn push(&mut self, value: u64, out: &mut Vec<u8>) -> Result<()> {
        if value <= self.last && self.count > 0 {
            return Err(FormatError::OutOfOrder { previous: self.last, found: value });
        }
        if let Some(key) = self.blocks.push(value, out) {
            self.keys.extend_from_slice(&key.to_le_bytes());
            self.ranks.push(self.count);
        }
        self.filter.push(value);
        self.last = value;
        self.count += 1;
        Ok(())
    }

    /// Appends the last block, the filter, the block index and the footer to `out`.
    ///
    /// # Errors
    /// [`FormatError::Malformed`] if the number of fingerprints is not the one surveyed.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.count != self.header.count {
            return crate::error::malformed("segment", 0, "both passes see the same fingerprints");
        }
        if let Some(key) = self.blocks.flush(out) {
            self.keys.extend_from_slice(&key.to_le_bytes());
        }
        let mut checksums = Vec::new();
        pages::put_checksums(self.header.identity, 0, &self.keys, &mut checksums);
        let first = pages::page_len(self.keys.len() as u64);
        pages::put_checksums(self.header.identity, first, self.filter.bytes(), &mut checksums);
        out.extend_from_slice(self.filter.bytes());
        let mut footer = [0; FOOTER_SIZE];
        footer[..FOOTER_START.end()].copy_from_slice(FOOTER_MAGIC);
        BLOCKS.put(&mut footer, self.keys.len() as u64 / 8);
        FOOTER_IDENTITY.put(&mut footer, self.header.identity);
        INDEX_CHECKSUM.put(&mut footer, u64::from(crc32fast::hash(&checksums)));
        put_crc(&mut footer, FOOTER_CHECKSUM);
        out.extend_from_slice(&self.keys);
        out.extend_from_slice(&checksums);
        out.extend_from_slice(&footer);
        Ok(())
    }

    /// Returns the rank of the first entry of each block so far, which the postings of table 0 store.
    pub fn ranks(&self) -> &[u64] {
        &self.ranks
    }
}

/// Encodes ascending permuted fingerprints as a whole segment, in memory.
///
/// # Errors
/// Errors of [`Survey::push`] and [`Survey::header`].
pub fn encode(scheme: &Scheme, ordinal: usize, sorted: &[u64]) -> Result<Vec<u8>> {
    let table = scheme.tables().get(ordinal).ok_or(FormatError::Scheme { rule: "a table of the scheme" })?;
    let mut survey = Survey::new(table);
    sorted.iter().try_for_each(|&value| survey.push(value))?;
    let mut out = Vec::new();
    let mut encoder = SegmentEncoder::new(survey.header(scheme, ordinal)?, &mut out)?;
    sorted.iter().try_for_each(|&value| encoder.push(value, &mut out))?;
    encoder.finish(&mut out)?;
    Ok(out)
}
