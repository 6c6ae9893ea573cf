//! Summaries: the data of each document of a run that comparisons and answers need, found by the document number (SPEC
//! 8.7).
//!
//! They are stored one after the other in the order of the numbers. A bitmap with counts (the *presence* map) tells
//! which numbers have a summary, and a directory where each summary ends. A look-up costs one cache line of each, and
//! those of the summary. Numbers of documents that are gone cost little space, however many there are.

mod encode;
pub mod header;
mod summary;

use std::ops::{Deref, Range};

pub use encode::{SummariesEncoder, SummariesSurvey};
pub use header::{
    FOOTER_FIELDS, FOOTER_SIZE, GROUP_LEN, GROUP_SIZE, HEADER_FIELDS, HEADER_SIZE, PRESENCE_LEN, SummariesHeader,
};
pub use summary::{PARTS, Summary};

use crate::error::malformed;
use crate::paged_file::PagedFile;
use crate::{FormatError, Result};

/// A file of summaries over any bytes.
#[derive(Clone, Debug)]
pub struct Summaries<D> {
    file: PagedFile<D, HEADER_SIZE>,
    header: SummariesHeader,
    /// Offsets of the directory and of presence in the body.
    directory: u64,
    presence: u64,
}

impl<D> Deref for Summaries<D> {
    type Target = PagedFile<D, HEADER_SIZE>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.file
    }
}

impl<D: AsRef<[u8]>> Summaries<D> {
    /// Opens a file of summaries: checks header, footer and size, and reads nothing else.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn open(data: D) -> Result<Self> {
        let header = SummariesHeader::decode(data.as_ref())?;
        // Both are below 2^51.
        let directory = header.size.next_multiple_of(GROUP_SIZE as u64);
        let presence = directory + header.documents.div_ceil(GROUP_LEN) * GROUP_SIZE as u64;
        let end = presence + (header.high - header.low).div_ceil(PRESENCE_LEN) * GROUP_SIZE as u64;
        let file = PagedFile::open(data, &header::PARTS, header.identity, end)?;
        Ok(Self { file, header, directory, presence })
    }

    /// The header.
    pub fn header(&self) -> &SummariesHeader {
        &self.header
    }

    /// Returns the place in the body of the presence entry of a number of the range.
    #[inline]
    pub fn presence(&self, number: u64) -> Range<u64> {
        let start = self.presence + (number - self.header.low) / PRESENCE_LEN * GROUP_SIZE as u64;
        start..start + GROUP_SIZE as u64
    }

    /// Returns the place in the body of the directory entry of a summary, given the number of summaries before it.
    #[inline]
    pub fn entry(&self, ordinal: u64) -> Range<u64> {
        let start = self.directory + ordinal / GROUP_LEN * GROUP_SIZE as u64;
        start..start + GROUP_SIZE as u64
    }

    /// Returns the number of summaries before that of a number; `None` if it has none. `touch` is called with each
    /// range of bytes of the body before it is read.
    ///
    /// # Errors
    /// Errors of `touch`; [`FormatError::Malformed`] if presence is out of range.
    #[inline]
    pub fn ordinal<E: From<FormatError>>(
        &self,
        number: u64,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
    ) -> Result<Option<u64>, E> {
        if !(self.header.low..self.header.high).contains(&number) {
            return Ok(None);
        }
        let Range { start, end } = self.presence(number);
        touch(start..end)?;
        let bit = (number - self.header.low) % PRESENCE_LEN;
        let last = self.word(start + 8 + bit / 64 * 8);
        if last >> (bit % 64) & 1 == 0 {
            return Ok(None);
        }
        let whole: u32 = (0..bit / 64).map(|word| self.word(start + 8 + 8 * word).count_ones()).sum();
        let before = whole + (last & !(u64::MAX << (bit % 64))).count_ones();
        let ordinal = self.word(start).saturating_add(before.into());
        if ordinal >= self.header.documents {
            let offset = HEADER_SIZE + start as usize;
            return Ok(malformed("presence of summaries", offset, "a summary is one of as many as there are")?);
        }
        Ok(Some(ordinal))
    }

    /// Returns the place in the body of the summary of a number; `None` if it has none. `touch` is called as in
    /// [`Summaries::ordinal`].
    ///
    /// # Errors
    /// Errors of [`Summaries::ordinal`]; [`FormatError::Malformed`] if the directory is out of range.
    #[inline]
    pub fn find<E: From<FormatError>>(
        &self,
        number: u64,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
    ) -> Result<Option<Range<u64>>, E> {
        let Some(ordinal) = self.ordinal(number, touch)? else { return Ok(None) };
        touch(self.entry(ordinal))?;
        let range = self.place(ordinal)?;
        if range.is_empty() {
            let offset = HEADER_SIZE + self.entry(ordinal).start as usize;
            return Ok(malformed("directory of summaries", offset, "a number that is present has a summary")?);
        }
        Ok(Some(range))
    }

    /// Returns the range from the end of the preceding summary to the end of this one, given its ordinal. The last
    /// entry is padded, so ordinals after the last summary exist, too.
    #[inline]
    fn place(&self, ordinal: u64) -> Result<Range<u64>> {
        let entry = self.entry(ordinal).start;
        let index = ordinal % GROUP_LEN;
        let end_at = |index: u64| {
            let mut end = [0; 4];
            end.copy_from_slice(&self.body()[(entry + 8 + 4 * index) as usize..][..4]);
            u64::from(u32::from_le_bytes(end))
        };
        let base = self.word(entry);
        let start = base.saturating_add(if index == 0 { 0 } else { end_at(index - 1) });
        let end = base.saturating_add(end_at(index));
        if start > end || end > self.header.size {
            let offset = HEADER_SIZE + entry as usize;
            return malformed("directory of summaries", offset, "summaries end in the order of their numbers");
        }
        Ok(start..end)
    }

    /// Calls `visit` with each number that has a summary, according to the presence map. `touch` is called as in
    /// [`Summaries::ordinal`].
    ///
    /// # Errors
    /// Errors of `touch` and `visit`.
    pub fn numbers<E>(
        &self,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
        visit: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let SummariesHeader { low, high, .. } = self.header;
        for first in (low..high).step_by(PRESENCE_LEN as usize) {
            let Range { start, end } = self.presence(first);
            touch(start..end)?;
            for word in 0..PRESENCE_LEN / 64 {
                let mut bits = self.word(start + 8 + 8 * word);
                while bits != 0 {
                    let number = first + 64 * word + u64::from(bits.trailing_zeros());
                    if number < high {
                        visit(number)?;
                    }
                    bits &= bits - 1;
                }
            }
        }
        Ok(())
    }

    /// Returns the summary of a number; `None` if it has none. `touch` is called as in [`Summaries::find`].
    ///
    /// # Errors
    /// Errors of [`Summaries::find`]; [`FormatError::Malformed`] if the summary breaks a rule.
    #[inline]
    pub fn get<E: From<FormatError>>(
        &self,
        number: u64,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
    ) -> Result<Option<Summary<'_>>, E> {
        let Some(range) = self.find(number, touch)? else { return Ok(None) };
        touch(range.clone())?;
        Ok(Some(Summary::decode(&self.body()[range.start as usize..range.end as usize])?))
    }

    /// Checks every rule that opening leaves unchecked.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn verify(&self) -> Result<()> {
        const WHAT: &str = "directory of summaries";
        self.check_pages()?;
        let SummariesHeader { low, high, documents, size, digest, .. } = self.header;
        let mut numbers = Vec::new();
        let mut survey = SummariesSurvey::default();
        let (mut counted, mut end) = (0, 0);
        for first in (low..high).step_by(PRESENCE_LEN as usize) {
            let presence = self.presence(first).start;
            let offset = HEADER_SIZE + presence as usize;
            if self.word(presence) != counted {
                return malformed("presence of summaries", offset, "presence counts the summaries before");
            }
            numbers.clear();
            for bit in 0..PRESENCE_LEN {
                if self.word(presence + 8 + bit / 64 * 8) >> (bit % 64) & 1 == 1 {
                    numbers.push(first + bit);
                }
            }
            for &number in &numbers {
                if number >= high {
                    return malformed("presence of summaries", offset, "a number with a summary is in the run's range");
                }
                if counted == documents {
                    return malformed(header::WHAT, header::DOCUMENTS.offset, "documents is the number of summaries");
                }
                let range = self.place(counted)?;
                let offset = HEADER_SIZE + self.entry(counted).start as usize;
                if range.start != end {
                    return malformed(WHAT, offset, "each summary begins where the one before ends");
                }
                if range.is_empty() {
                    return malformed(WHAT, offset, "a number that is present has a summary");
                }
                (counted, end) = (counted + 1, range.end);
                let summary = &self.body()[range.start as usize..range.end as usize];
                Summary::decode(summary)?;
                survey.push(number, summary);
            }
        }
        if counted != documents {
            return malformed(header::WHAT, header::DOCUMENTS.offset, "documents is the number of summaries");
        }
        for ordinal in documents..documents.next_multiple_of(GROUP_LEN) {
            if self.place(ordinal)? != (end..end) {
                let offset = HEADER_SIZE + self.entry(ordinal).start as usize;
                return malformed(WHAT, offset, "nothing stands after the last summary");
            }
        }
        if end != size {
            return malformed(header::WHAT, header::SIZE.offset, "size is that of all summaries");
        }
        if survey.digest() != digest {
            return malformed(header::WHAT, header::DIGEST.offset, "digest is that of the summaries");
        }
        if self.body()[size as usize..self.directory as usize].iter().any(|&byte| byte != 0) {
            return malformed("summaries", HEADER_SIZE + size as usize, "the bytes after the summaries are zero");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
