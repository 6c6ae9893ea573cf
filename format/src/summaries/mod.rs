//! Summaries: what comparisons and answers need of each document of a run, reached by its number (SPEC 8.7).
//!
//! They stand one behind the other in the order of the numbers. A directory says where each ends: an entry of 64 bytes
//! for 14 numbers, so that a look-up costs a cache line of the directory and those of the summary.

mod encode;
pub mod header;
mod summary;

use std::ops::Range;

pub use encode::{SummariesEncoder, SummariesSurvey};
pub use header::{FOOTER_FIELDS, FOOTER_SIZE, GROUP_LEN, GROUP_SIZE, HEADER_FIELDS, HEADER_SIZE, Header};
pub use summary::{PARTS, Summary, min_byte};

use crate::error::malformed;
use crate::fields::{check_crc, check_size};
use crate::pages::{self, Pages};
use crate::{FormatError, Result};

/// A file of summaries over any bytes.
#[derive(Clone, Debug)]
pub struct Summaries<D> {
    data: D,
    header: Header,
    /// Offset of the directory in the body.
    directory: u64,
    /// Bytes of the body.
    end: u64,
}

impl<D: AsRef<[u8]>> Summaries<D> {
    /// Opens a file of summaries: checks header, footer and size, and reads nothing else.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn open(data: D) -> Result<Self> {
        let bytes = data.as_ref();
        let header = Header::decode(bytes)?;
        // Both are below 2^51.
        let directory = header.size.next_multiple_of(GROUP_SIZE as u64);
        let end = directory + (header.high - header.low).div_ceil(GROUP_LEN) * GROUP_SIZE as u64;
        let size = (HEADER_SIZE + FOOTER_SIZE) as u64 + end + pages::checksums_size(end);
        check_size("summaries", bytes, usize::try_from(size).unwrap_or(usize::MAX))?;
        if size != bytes.len() as u64 {
            return malformed("summaries", size as usize, "the file is as long as its header says");
        }
        let footer = &bytes[bytes.len() - FOOTER_SIZE..];
        check_crc("footer of summaries", footer, header::FOOTER_CHECKSUM)?;
        if header::FOOTER_START.bytes(footer) != header::FOOTER_MAGIC {
            return malformed("footer of summaries", 0, "the file ends with a footer and its magic");
        }
        if header::FOOTER_IDENTITY.get(footer) != header.identity {
            let offset = header::FOOTER_IDENTITY.offset;
            return malformed("footer of summaries", offset, "header and footer have the same identity");
        }
        Ok(Self { data, header, directory, end })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the owner of the bytes of the file.
    #[inline]
    pub fn source(&self) -> &D {
        &self.data
    }

    /// Returns the offset in the file of the checksum of a page of the body.
    #[inline]
    pub fn checksum_offset(&self, page: u64) -> usize {
        HEADER_SIZE + self.end as usize + 4 * page as usize
    }

    fn checksums(&self) -> &[u8] {
        let bytes = self.data.as_ref();
        &bytes[self.checksum_offset(0)..bytes.len() - FOOTER_SIZE]
    }

    /// Verifies the array of page checksums. A damaged one is found by the page whose checksum it is, too.
    ///
    /// # Errors
    /// [`FormatError::Checksum`] if its checksum differs.
    pub fn check_page_checksums(&self) -> Result<()> {
        let bytes = self.data.as_ref();
        let stored = header::PAGES_CHECKSUM.get(&bytes[bytes.len() - FOOTER_SIZE..]) as u32;
        pages::check_array("page checksums of summaries", self.checksums(), stored)
    }

    /// The pages of the body; byte 0 of the body is byte [`HEADER_SIZE`] of the file.
    pub fn pages(&self) -> Pages<'_> {
        Pages::new("page of summaries", self.header.identity, 0, self.body(), self.checksums())
            .expect("open() has compared the size")
    }

    /// The body: the summaries, and their directory.
    #[inline]
    pub fn body(&self) -> &[u8] {
        &self.data.as_ref()[HEADER_SIZE..HEADER_SIZE + self.end as usize]
    }

    /// Returns where the directory entry of a number of the range is in the body.
    #[inline]
    pub fn entry(&self, number: u64) -> Range<u64> {
        let start = self.directory + (number - self.header.low) / GROUP_LEN * GROUP_SIZE as u64;
        start..start + GROUP_SIZE as u64
    }

    /// Returns where the summary of a number is in the body; `None` if it has none. `touch` is called with each range
    /// of bytes of the body before it is read.
    ///
    /// # Errors
    /// Errors of `touch`; [`FormatError::Malformed`] if the directory is out of range.
    #[inline]
    pub fn find<E: From<FormatError>>(
        &self,
        number: u64,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
    ) -> Result<Option<Range<u64>>, E> {
        if !(self.header.low..self.header.high).contains(&number) {
            return Ok(None);
        }
        let range = self.place(number, touch)?;
        Ok((!range.is_empty()).then_some(range))
    }

    /// Returns what lies between the end before a number and its own, for each number that has an entry: those of the
    /// range, and those behind it that the last entry is filled up with.
    #[inline]
    fn place<E: From<FormatError>>(
        &self,
        number: u64,
        touch: &impl Fn(Range<u64>) -> Result<(), E>,
    ) -> Result<Range<u64>, E> {
        let entry = self.entry(number);
        touch(entry.clone())?;
        let bytes = &self.body()[entry.start as usize..entry.end as usize];
        let index = ((number - self.header.low) % GROUP_LEN) as usize;
        let end_at = |index: usize| {
            let mut end = [0; 4];
            end.copy_from_slice(&bytes[8 + 4 * index..][..4]);
            u64::from(u32::from_le_bytes(end))
        };
        let mut base = [0; 8];
        base.copy_from_slice(&bytes[..8]);
        let base = u64::from_le_bytes(base);
        let start = base.saturating_add(if index == 0 { 0 } else { end_at(index - 1) });
        let end = base.saturating_add(end_at(index));
        if start > end || end > self.header.size {
            let offset = HEADER_SIZE + entry.start as usize;
            return Ok(malformed("directory of summaries", offset, "summaries end in the order of their numbers")?);
        }
        Ok(start..end)
    }

    /// Returns the summary of a number; `None` if it has none. `touch` is called as by [`Summaries::find`].
    ///
    /// # Errors
    /// As [`Summaries::find`]; [`FormatError::Malformed`] if the summary breaks a rule.
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
        self.check_page_checksums()?;
        let pages = self.pages();
        (0..pages.len()).try_for_each(|page| pages.check(page))?;
        let Header { low, high, documents, size, digest, .. } = self.header;
        let (mut survey, mut end) = (SummariesSurvey::default(), 0);
        for number in low..low + (high - low).next_multiple_of(GROUP_LEN) {
            let range = self.place(number, &|_| Ok::<_, FormatError>(()))?;
            let offset = HEADER_SIZE + self.entry(number).start as usize;
            if range.start != end {
                return malformed(WHAT, offset, "each summary begins where the one before ends");
            }
            end = range.end;
            if !range.is_empty() {
                if number >= high {
                    return malformed(WHAT, offset, "a number with a summary is in the run's range");
                }
                let summary = &self.body()[range.start as usize..range.end as usize];
                Summary::decode(summary)?;
                survey.push(number, summary);
            }
        }
        if end != size {
            return malformed(header::WHAT, header::SIZE.offset, "size is that of all summaries");
        }
        if survey.documents() != documents {
            return malformed(header::WHAT, header::DOCUMENTS.offset, "documents is the number of summaries");
        }
        if survey.digest() != digest {
            return malformed(header::WHAT, header::DIGEST.offset, "digest is that of the summaries");
        }
        if self.body()[size as usize..self.directory as usize].iter().any(|&byte| byte != 0) {
            return malformed("summaries", HEADER_SIZE + size as usize, "the bytes behind the summaries are zero");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
