//! Postings: the document numbers of each fingerprint of a run, reached in O(1) from the fingerprint's
//! rank in table 0 (SPEC 7).
//!
//! Numbers are stored in the order of their fingerprints, as `number - low`, in fields of as few bits as the run's
//! number range needs. One flag bit per number marks the beginning of a list, and a directory entry per 64 fingerprints
//! tells where to begin counting flags. If every fingerprint has one document, there are neither flags nor a directory.
//! The million documents of one fingerprint are one list.

mod encode;
pub mod header;

use std::ops::{Deref, Range};

pub use encode::{PostingsEncoder, PostingsSurvey};
pub use header::{
    FOOTER_FIELDS, FOOTER_SIZE, GROUP_LEN, HEADER_FIELDS, HEADER_SIZE, NUMBER_END, PostingsHeader, SPAN_MAX, SPARSE,
};

use crate::error::malformed;
use crate::fingerprint::low_mask;
use crate::paged_file::PagedFile;
use crate::{FormatError, Result};

/// Offsets of the sections of the body, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sections {
    numbers: u64,
    flags: u64,
    directory: u64,
    sparse: u64,
    end: u64,
}

impl Sections {
    /// Returns the sections of a body whose header was decoded: its counts are below 2^40, the sums below 2^50.
    fn new(header: &PostingsHeader) -> Self {
        let words = |bits: u64| 8 * bits.div_ceil(64);
        let numbers = 8 * header.blocks;
        let flags = numbers + words(header.documents * u64::from(header.width()));
        let several = header.documents != header.fingerprints;
        let directory = flags + if several { words(header.documents) } else { 0 };
        let sparse = directory + if several { 8 * header.fingerprints.div_ceil(GROUP_LEN) } else { 0 };
        let end = sparse + 8 * GROUP_LEN * header.sparse;
        Self { numbers, flags, directory, sparse, end }
    }
}

/// A postings file over any bytes.
#[derive(Clone, Debug)]
pub struct Postings<D> {
    file: PagedFile<D, HEADER_SIZE>,
    header: PostingsHeader,
    sections: Sections,
}

impl<D> Deref for Postings<D> {
    type Target = PagedFile<D, HEADER_SIZE>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.file
    }
}

impl<D: AsRef<[u8]>> Postings<D> {
    /// Opens a postings file: checks header, footer and size, and reads nothing else.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn open(data: D) -> Result<Self> {
        let header = PostingsHeader::decode(data.as_ref())?;
        let sections = Sections::new(&header);
        let file = PagedFile::open(data, &header::PARTS, header.identity, sections.end)?;
        Ok(Self { file, header, sections })
    }

    /// The header.
    pub fn header(&self) -> &PostingsHeader {
        &self.header
    }

    /// Returns the offset in the body of the rank of a block's first entry: for prefetching.
    #[inline]
    pub fn rank_offset(&self, block: u64) -> u64 {
        8 * block
    }

    /// Returns the rank of the first entry of a block of table 0. The block must exist.
    ///
    /// # Errors
    /// Errors of `touch`, which is called with each range of bytes of the body before it is read;
    /// [`FormatError::Malformed`] if the file has no fingerprint of this rank.
    #[inline]
    pub fn first_rank<E: From<FormatError>>(
        &self,
        block: u64,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let offset = self.rank_offset(block);
        touch(offset..offset + 8)?;
        let rank = self.word(offset);
        if rank >= self.header.fingerprints {
            return Ok(malformed(
                "postings",
                HEADER_SIZE + offset as usize,
                "a rank is less than the number of fingerprints",
            )?);
        }
        Ok(rank)
    }

    /// Returns the indexes, among all numbers, of the list of the fingerprint with this rank.
    ///
    /// # Errors
    /// Errors of `touch`; [`FormatError::Malformed`] if the rank or the directory are out of range.
    #[inline]
    pub fn list<E: From<FormatError>>(
        &self,
        rank: u64,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
    ) -> Result<Range<u64>, E> {
        if rank >= self.header.fingerprints {
            return Ok(malformed("postings", 0, "a rank is less than the number of fingerprints")?);
        }
        if self.header.documents == self.header.fingerprints {
            return Ok(rank..rank + 1);
        }
        let start = self.start(rank, touch)?;
        let end =
            if rank + 1 == self.header.fingerprints { self.header.documents } else { self.start(rank + 1, touch)? };
        if start >= end || end > self.header.documents {
            return Ok(malformed("postings directory", 0, "lists are not empty and end within the numbers")?);
        }
        Ok(start..end)
    }

    fn start<E: From<FormatError>>(&self, rank: u64, touch: &impl Fn(Range<u64>) -> Result<(), E>) -> Result<u64, E> {
        let entry_offset = self.sections.directory + 8 * (rank / GROUP_LEN);
        touch(entry_offset..entry_offset + 8)?;
        let entry = self.word(entry_offset);
        if entry & SPARSE != 0 {
            let group = entry & !SPARSE;
            if group >= self.header.sparse {
                return Ok(malformed("postings directory", 0, "a sparse group exists")?);
            }
            let offset = self.sections.sparse + 8 * (group * GROUP_LEN + rank % GROUP_LEN);
            touch(offset..offset + 8)?;
            return Ok(self.word(offset));
        }
        // Count flags from the group's first list on.
        let (mut skip, mut index) = (rank % GROUP_LEN, entry);
        while index < self.header.documents && index - entry <= SPAN_MAX {
            let offset = self.sections.flags + index / 64 * 8;
            touch(offset..offset + 8)?;
            let mut flags = self.word(offset) & !low_mask((index % 64) as u8);
            let ones = u64::from(flags.count_ones());
            if skip < ones {
                for _ in 0..skip {
                    flags &= flags - 1;
                }
                return Ok(index / 64 * 64 + u64::from(flags.trailing_zeros()));
            }
            skip -= ones;
            index = (index / 64 + 1) * 64;
        }
        Ok(malformed("postings directory", 0, "a list begins within 4096 numbers of its group")?)
    }

    /// Returns the likely index of the beginning of a rank's list: for prefetching what [`Postings::list`] and
    /// [`Postings::number`] read. Reads the directory entry only.
    ///
    /// # Errors
    /// Errors of `touch`.
    #[inline]
    pub fn guess<E>(&self, rank: u64, touch: &impl Fn(Range<u64>) -> Result<(), E>) -> Result<u64, E> {
        if self.header.documents == self.header.fingerprints || rank >= self.header.fingerprints {
            return Ok(rank.min(self.header.documents - 1));
        }
        let offset = self.entry_offset(rank);
        touch(offset..offset + 8)?;
        let entry = self.word(offset) & !SPARSE;
        Ok(entry.saturating_add(rank % GROUP_LEN).min(self.header.documents - 1))
    }

    /// Returns the offset in the body of the flag of the number at `index`, where there are flags: for prefetching.
    #[inline]
    pub fn flags_offset(&self, index: u64) -> Option<u64> {
        (self.header.documents != self.header.fingerprints).then(|| self.sections.flags + index / 64 * 8)
    }

    /// Returns the document number at `index`, which [`Postings::list`] gave.
    ///
    /// # Errors
    /// Errors of `touch`; [`FormatError::Malformed`] if the number is outside the run's range.
    #[inline]
    pub fn number<E: From<FormatError>>(
        &self,
        index: u64,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let width = self.header.width();
        let bit = index * u64::from(width);
        let offset = self.sections.numbers + bit / 8;
        touch(offset..(offset + 8).min(self.sections.end))?;
        let number = self.header.low + (self.word(offset) >> (bit % 8) & low_mask(width));
        if number >= self.header.high {
            return Ok(malformed(
                "postings",
                HEADER_SIZE + offset as usize,
                "a document number is in the run's range",
            )?);
        }
        Ok(number)
    }

    /// Returns the offset in the body of the number at `index`: for prefetching.
    #[inline]
    pub fn number_offset(&self, index: u64) -> u64 {
        self.sections.numbers + index * u64::from(self.header.width()) / 8
    }

    /// Returns the offset in the body of the directory entry of a rank, or of its number if there is no directory:
    /// for prefetching. A guessed rank may lie after the last one: the offset is then the last one's.
    #[inline]
    pub fn entry_offset(&self, rank: u64) -> u64 {
        let rank = rank.min(self.header.fingerprints.saturating_sub(1));
        if self.header.documents == self.header.fingerprints {
            self.number_offset(rank)
        } else {
            self.sections.directory + 8 * (rank / GROUP_LEN)
        }
    }

    /// Checks every rule that opening leaves unchecked except the pair digest, which needs the fingerprints of
    /// table 0: [`PostingsSurvey`] sums it while lists are read.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn verify(&self) -> Result<()> {
        self.check_pages()?;
        let touch = |_: Range<u64>| Ok::<_, FormatError>(());
        let mut next = 0;
        for block in 0..self.header.blocks {
            let first = self.first_rank(block, &touch)?;
            if (block == 0) != (first == 0) || block > 0 && first <= next {
                return malformed("postings", HEADER_SIZE + 8 * block as usize, "ranks of blocks ascend from 0");
            }
            next = first;
        }
        let mut end = 0;
        let (mut starts, mut sparse) = (Vec::with_capacity(GROUP_LEN as usize), 0);
        for rank in 0..self.header.fingerprints {
            let list = self.list(rank, &touch)?;
            if rank % GROUP_LEN == 0 {
                self.verify_group(rank, &starts, end, &mut sparse)?;
                starts.clear();
            }
            starts.push(list.start);
            if list.start != end {
                return malformed("postings directory", 0, "each list begins where the one before ends");
            }
            end = list.end;
            let mut previous = None;
            for index in list {
                let number = self.number(index, &touch)?;
                if previous.is_some_and(|previous| previous >= number) {
                    return malformed(
                        "postings",
                        HEADER_SIZE + self.number_offset(index) as usize,
                        "numbers of a list ascend",
                    );
                }
                previous = Some(number);
            }
        }
        // The last list ends at the end of the numbers: `list` checks that.
        self.verify_group(self.header.fingerprints, &starts, end, &mut sparse)?;
        if sparse != self.header.sparse {
            return malformed("postings header", header::SPARSE_GROUPS.offset, "each sparse group is used once");
        }
        self.verify_padding()
    }

    /// Checks the directory entry of the group before `rank`, whose lists begin at `starts` and end before `end`:
    /// its encoding is unique.
    fn verify_group(&self, rank: u64, starts: &[u64], end: u64, sparse: &mut u64) -> Result<()> {
        let Some(&first) = starts.first() else { return Ok(()) };
        if self.header.documents == self.header.fingerprints {
            return Ok(());
        }
        let flag = |index: u64| self.word(self.sections.flags + index / 64 * 8) >> (index % 64) & 1;
        let entry = self.word(self.sections.directory + 8 * ((rank - 1) / GROUP_LEN));
        let mut sound = starts.iter().all(|&start| flag(start) == 1);
        if end - first > SPAN_MAX {
            let base = self.sections.sparse + 8 * GROUP_LEN * *sparse;
            // `list` has read this entry, so the sparse group that it names exists.
            sound = sound
                && entry == SPARSE | *sparse
                && (starts.len() as u64..GROUP_LEN).all(|slot| self.word(base + 8 * slot) == 0);
            *sparse += 1;
        } else {
            sound &= entry == first;
        }
        if !sound {
            return malformed("postings directory", 0, "a group has its starts written out if it spans more than 4096");
        }
        Ok(())
    }

    /// Checks that only the beginnings of lists are flagged, and that nothing follows the last number.
    fn verify_padding(&self) -> Result<()> {
        let bits = self.header.documents * u64::from(self.header.width());
        if !bits.is_multiple_of(64) && self.word(self.sections.numbers + bits / 64 * 8) >> (bits % 64) != 0 {
            return malformed(
                "postings",
                HEADER_SIZE + self.sections.flags as usize,
                "the bits after the numbers are zero",
            );
        }
        let flags: u64 = (self.sections.flags..self.sections.directory)
            .step_by(8)
            .map(|offset| u64::from(self.word(offset).count_ones()))
            .sum();
        if flags != 0 && flags != self.header.fingerprints {
            return malformed(
                "postings",
                HEADER_SIZE + self.sections.flags as usize,
                "a flag is set where a list begins and nowhere else",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
