//! A segment: one table's order of one run's fingerprints, as one immutable file (SPEC 6).
//!
//! Header, blocks, perhaps a filter, block index, footer. The block index is the array of block keys (each block's last
//! permuted fingerprint); a probe finds its block there by interpolation.

mod encode;
pub mod header;
mod search;

pub use encode::{SegmentEncoder, Survey, encode};
pub use header::{HEADER_FIELDS, HEADER_SIZE, SegmentHeader};
pub use search::{BlockPosition, Directory, Guess, Search};

use crate::block::{self, BLOCK_SIZE, Block, Padded};
use crate::error::malformed;
use crate::fields::{check_crc, check_size, layout};
use crate::filter::{Filter, FilterBuilder};
use crate::fingerprint::low_mask;
use crate::huffman::{Code, Decoder};
use crate::pages::{self, PAGE_SIZE, Pages};
use crate::{FormatError, Permuted, Result};

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

const WHAT: &str = "segment footer";

/// Returns the bytes of a segment of `blocks` blocks and a filter of `filter` bytes, or `None` if no file can be that
/// long.
pub fn file_size(blocks: u64, filter: u64) -> Option<u64> {
    let keys = blocks.checked_mul(8)?;
    let bodies = blocks.checked_mul(BLOCK_SIZE as u64)?.checked_add(filter)?;
    let fixed = (HEADER_SIZE + FOOTER_SIZE) as u64;
    let checksums = pages::checksums_size(keys).checked_add(pages::checksums_size(filter))?;
    fixed.checked_add(bodies)?.checked_add(keys)?.checked_add(checksums)
}

/// A segment file over any bytes.
#[derive(Clone, Debug)]
pub struct Segment<D> {
    data: D,
    header: SegmentHeader,
    decoder: Box<Decoder>,
    blocks: u64,
    filter: Option<Filter>,
    /// Offset of the block index.
    index: usize,
}

impl<D: AsRef<[u8]>> Segment<D> {
    /// Opens a segment: checks header, footer and size, and reads nothing else.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn open(data: D) -> Result<Self> {
        let bytes = data.as_ref();
        let header = SegmentHeader::decode(bytes)?;
        check_size("segment", bytes, HEADER_SIZE + FOOTER_SIZE)?;
        let footer = &bytes[bytes.len() - FOOTER_SIZE..];
        if FOOTER_START.bytes(footer) != FOOTER_MAGIC {
            return malformed(WHAT, 0, "the file ends with a footer and its magic");
        }
        check_crc(WHAT, footer, FOOTER_CHECKSUM)?;
        if FOOTER_IDENTITY.get(footer) != header.identity {
            return malformed(WHAT, FOOTER_IDENTITY.offset, "header and footer have the same identity");
        }
        let blocks = BLOCKS.get(footer);
        let filter = header.filter();
        let filter_size = filter.map_or(0, |filter| filter.size());
        if file_size(blocks, filter_size) != Some(bytes.len() as u64) {
            return malformed(WHAT, BLOCKS.offset, "the file is as long as its blocks and its filter are");
        }
        if blocks == 0 || blocks > header.count || header.count > blocks.saturating_mul(block::ENTRIES_MAX as u64) {
            return malformed(WHAT, BLOCKS.offset, "each block holds 1 to 8065 of the fingerprints");
        }
        let decoder = Box::new(header.decoder()?);
        let index = HEADER_SIZE + blocks as usize * BLOCK_SIZE + filter_size as usize;
        Ok(Self { data, header, decoder, blocks, filter, index })
    }

    /// The header.
    pub fn header(&self) -> &SegmentHeader {
        &self.header
    }

    /// Number of blocks.
    #[inline]
    pub fn block_len(&self) -> u64 {
        self.blocks
    }

    /// Returns the owner of the bytes of the file.
    #[inline]
    pub fn source(&self) -> &D {
        &self.data
    }

    /// The bytes of the file.
    #[inline]
    pub fn data(&self) -> &[u8] {
        self.data.as_ref()
    }

    fn footer(&self) -> &[u8] {
        let bytes = self.data();
        &bytes[bytes.len() - FOOTER_SIZE..]
    }

    /// Returns the offset of the block index in the file, in bytes.
    #[inline]
    pub fn index_offset(&self) -> usize {
        self.index
    }

    /// The bytes of the block keys, 8 each.
    #[inline]
    pub fn index(&self) -> &[u8] {
        &self.data()[self.index..self.index + 8 * self.blocks as usize]
    }

    /// Returns the offset in the file of the checksum of a page; pages of the block index come first, then those of the
    /// filter.
    #[inline]
    pub fn checksum_offset(&self, page: u64) -> usize {
        self.index + 8 * self.blocks as usize + 4 * page as usize
    }

    fn page_checksums(&self) -> &[u8] {
        &self.data()[self.checksum_offset(0)..self.data().len() - FOOTER_SIZE]
    }

    /// Verifies the array of page checksums. Verifying a page also finds damage in that page's entry of the array.
    ///
    /// # Errors
    /// [`FormatError::Checksum`] if its checksum differs.
    pub fn check_page_checksums(&self) -> Result<()> {
        let stored = INDEX_CHECKSUM.get(self.footer()) as u32;
        pages::check_array("page checksums", self.page_checksums(), stored)
    }

    /// The pages of the block index.
    pub fn index_pages(&self) -> Pages<'_> {
        Pages::new("block index page", self.header.identity, 0, self.index(), self.page_checksums())
            .expect("open() has compared the size")
    }

    /// The filter, if the segment has one.
    #[inline]
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Returns the offset of the filter in the file, in bytes.
    #[inline]
    pub fn filter_offset(&self) -> usize {
        Self::block_offset(self.blocks)
    }

    /// The bytes of the filter; none without one.
    #[inline]
    pub fn filter_bytes(&self) -> &[u8] {
        &self.data()[self.filter_offset()..self.index]
    }

    /// Returns whether the filter matches the fingerprints, all of which have been surveyed and added to `made`.
    pub fn has_filter_of(&self, survey: &Survey, made: &FilterBuilder) -> bool {
        self.filter.is_none() || self.header.prefixes == survey.prefixes() && self.filter_bytes() == made.bytes()
    }

    /// Returns the number of pages of the block index.
    #[inline]
    pub fn index_page_len(&self) -> u64 {
        pages::page_len(8 * self.blocks)
    }

    /// The pages of the filter, whose numbering continues that of the block index.
    pub fn filter_pages(&self) -> Pages<'_> {
        let first = self.index_page_len();
        let checksums = &self.page_checksums()[4 * first as usize..];
        Pages::new("filter page", self.header.identity, first, self.filter_bytes(), checksums)
            .expect("open() has compared the size")
    }

    /// Returns the page of the block index that holds the key of `block`.
    #[inline]
    pub fn index_page(block: u64) -> u64 {
        block / (PAGE_SIZE as u64 / 8)
    }

    /// Returns the key of a block: its last permuted fingerprint. The block must exist.
    #[inline]
    pub fn key(&self, block: u64) -> Permuted {
        let start = 8 * block as usize;
        let mut word = [0; 8];
        word.copy_from_slice(&self.index()[start..start + 8]);
        Permuted(u64::from_le_bytes(word))
    }

    /// Returns the offset of a block in the file, in bytes.
    #[inline]
    pub fn block_offset(block: u64) -> usize {
        HEADER_SIZE + block as usize * BLOCK_SIZE
    }

    /// Returns the bytes of a block and the eight after it. The block must exist.
    #[inline]
    pub fn block_bytes(&self, block: u64) -> &Padded {
        let start = Self::block_offset(block);
        // Block index and footer come after the last block.
        self.data()[start..].first_chunk().expect("a block that exists")
    }

    /// Verifies the checksum of a block.
    ///
    /// # Errors
    /// [`FormatError::Checksum`] if it differs.
    pub fn check_block(&self, block: u64) -> Result<()> {
        block::check(self.block_bytes(block), self.header.identity, block)
    }

    /// Returns a block ready to be decoded; its checksum is left to [`Segment::check_block`].
    ///
    /// # Errors
    /// [`FormatError::Malformed`] if its head breaks a rule.
    #[inline]
    pub fn block(&self, block: u64) -> Result<Block<'_>> {
        let opened = Block::new(self.block_bytes(block), &self.decoder, self.header.restart)?;
        if opened.first() & !low_mask(self.header.table.bits()) != 0 {
            return malformed("block", block::FIRST.offset, "a fingerprint has no bit above its width");
        }
        Ok(opened)
    }

    /// Returns a search of the block index for the first block whose key is not below `target`.
    #[inline]
    pub fn search(&self, target: Permuted) -> Search {
        Search::new(target, self.blocks, self.header.table.bits())
    }

    /// Returns the number of blocks that an interval of this length would have if the values were uniform.
    pub fn blocks_in(&self, length: u64) -> u64 {
        self.search(Permuted(0)).blocks_in(length)
    }

    /// Builds the directory of the block index from all its keys, whose pages must be verified first.
    pub fn directory(&self) -> Option<Directory> {
        Directory::new((0..self.blocks).map(|block| self.key(block)), self.blocks, self.header.table.bits())
    }

    /// Returns the first block whose key is not below `target`, or `None` if all are below it.
    pub fn find(&self, target: Permuted) -> Option<u64> {
        let mut search = self.search(target);
        while let Guess::Look(block) = search.next() {
            search.feed(block, self.key(block));
        }
        search.found()
    }

    /// Decodes blocks `first .. first + len` (at most to the last one) and hands up to four blocks' permuted
    /// fingerprints at a time to `sink`: see [`decode_blocks`].
    ///
    /// # Errors
    /// Errors of [`decode_blocks`].
    pub fn scan<E: From<FormatError>>(
        &self,
        first: u64,
        len: u64,
        sink: &mut impl FnMut(&[u64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let last = first.saturating_add(len).min(self.blocks);
        if first >= last {
            return Ok(());
        }
        let bytes = &self.data()[Self::block_offset(first)..Self::block_offset(last)];
        decode_blocks(&self.header, &self.decoder, first, bytes, sink)
    }

    /// Checks every rule that opening leaves unchecked: all checksums, order, keys, count and digest.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn verify(&self) -> Result<()> {
        self.check_page_checksums()?;
        for pages in [self.index_pages(), self.filter_pages()] {
            (0..pages.len()).try_for_each(|page| pages.check(page))?;
        }
        let (mut survey, mut filter) = (Survey::new(&self.header.table), FilterBuilder::new(self.filter));
        let mut values = Vec::new();
        for number in 0..self.blocks {
            self.check_block(number)?;
            values.clear();
            self.block(number)?.decode(&mut values)?;
            if values.last() != Some(&self.key(number).0) {
                return malformed(
                    "block index",
                    8 * number as usize,
                    "a block key is the last fingerprint of its block",
                );
            }
            values.iter().try_for_each(|&value| survey.push(value))?;
            values.iter().for_each(|&value| filter.push(value));
        }
        if !self.has_filter_of(&survey, &filter) {
            return malformed("filter", 0, "a filter is that of the fingerprints");
        }
        if survey.count() != self.header.count {
            return malformed("segment header", header::COUNT.offset, "count is the number of fingerprints");
        }
        if survey.digest() != self.header.digest {
            return malformed("segment header", header::DIGEST.offset, "digest is that of the fingerprints");
        }
        Ok(())
    }
}

/// Decodes `bytes`, whole blocks beginning with block `first` of the segment with this header, and hands the permuted
/// fingerprints of up to four blocks at a time to `sink`. Only the header is needed, so any range of blocks can be a
/// separate task (Manku 2007, 3.3).
///
/// # Errors
/// [`FormatError`] for a checksum, a head or a stream that breaks a rule, or values that do not ascend from one
/// block to the next; any error of `sink`.
pub fn decode_blocks<E: From<FormatError>>(
    header: &SegmentHeader,
    decoder: &Decoder,
    first: u64,
    bytes: &[u8],
    sink: &mut impl FnMut(&[u64]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    if !bytes.len().is_multiple_of(BLOCK_SIZE) {
        let need = (bytes.len().div_ceil(BLOCK_SIZE) * BLOCK_SIZE) as u64;
        return Err(FormatError::Truncated { what: "block", need, have: bytes.len() as u64 }.into());
    }
    let len = bytes.len() / BLOCK_SIZE;
    // The last block has no bytes after it: it is read from a copy.
    let mut tail = [0; block::PADDED_SIZE];
    if let Some(last) = bytes.last_chunk::<BLOCK_SIZE>() {
        tail[..BLOCK_SIZE].copy_from_slice(last);
    }
    let padded = |number: usize| bytes[number * BLOCK_SIZE..].first_chunk::<{ block::PADDED_SIZE }>().unwrap_or(&tail);
    let open = |number: usize| -> Result<Block<'_>> {
        let bytes = padded(number);
        block::check(bytes, header.identity, first + number as u64)?;
        let opened = Block::new(bytes, decoder, header.restart)?;
        if opened.first() & !low_mask(header.table.bits()) != 0 {
            return malformed("block", block::FIRST.offset, "a fingerprint has no bit above its width");
        }
        Ok(opened)
    };
    let mut values = Vec::with_capacity(4 * 256);
    let mut previous = None;
    let mut number = 0;
    while number < len {
        values.clear();
        let step = if number + 4 <= len { 4 } else { 1 };
        let mut starts = [0; 4];
        if step == 4 {
            let four = [open(number)?, open(number + 1)?, open(number + 2)?, open(number + 3)?];
            block::decode_four(&four, &mut values)?;
            for lane in 1..4 {
                starts[lane] = starts[lane - 1] + four[lane - 1].len();
            }
        } else {
            open(number)?.decode(&mut values)?;
        }
        for &start in &starts[..step] {
            let before = if start == 0 { previous } else { Some(values[start - 1]) };
            if let Some(previous) = before.filter(|&previous| previous >= values[start]) {
                return Err(FormatError::OutOfOrder { previous, found: values[start] }.into());
            }
        }
        previous = values.last().copied();
        sink(&values)?;
        number += step;
    }
    Ok(())
}

impl SegmentHeader {
    /// Builds the decoder of the segment's Huffman code.
    ///
    /// # Errors
    /// [`FormatError::Malformed`] if the code lengths do not make a complete code.
    pub fn decoder(&self) -> Result<Decoder> {
        let code = Code::new(&self.lengths, self.table.bits())?;
        Ok(Decoder::new(&code, self.table.bits()))
    }
}

#[cfg(test)]
mod tests;
