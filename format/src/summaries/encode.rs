//! Encoding a file of summaries, in two passes over them in the order of their numbers: survey, then bytes.

use super::header::{GROUP_LEN, GROUP_SIZE, PARTS, PRESENCE_LEN, SummariesHeader};
use crate::Result;
use crate::digest::Digest;
use crate::error::malformed;
use crate::paged_file::PagedBody;

/// The first pass: counts summaries and bytes, and sums the digest.
#[derive(Clone, Debug, Default)]
pub struct SummariesSurvey {
    documents: u64,
    size: u64,
    digest: Digest,
}

impl SummariesSurvey {
    /// Adds the encoded summary of a document.
    pub fn push(&mut self, number: u64, summary: &[u8]) {
        self.documents += 1;
        self.size += summary.len() as u64;
        self.digest.add_pair(crc32fast::hash(summary).into(), number);
    }

    /// Number of summaries.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Digest of the pairs of a summary's CRC-32 and its document number.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the header of the file for a run of the numbers `low..high`.
    pub fn header(&self, low: u64, high: u64) -> SummariesHeader {
        let Self { documents, size, digest } = *self;
        SummariesHeader { low, high, documents, size, digest, identity: 0 }.stamped()
    }
}

/// The second pass: turns the same summaries into the bytes of the file.
///
/// The directory (less than five bytes per summary) and the presence map (a seventh of a byte per number) are held in
/// memory until the end.
#[derive(Debug)]
pub struct SummariesEncoder {
    header: SummariesHeader,
    body: PagedBody,
    directory: Vec<u8>,
    presence: Vec<u8>,
    /// The least number that can follow.
    next: u64,
    documents: u64,
    /// Bytes of the summaries so far, and of those before the current group.
    size: u64,
    base: u64,
}

impl SummariesEncoder {
    /// Appends the header to `out`, and prepares for the summaries.
    ///
    /// # Errors
    /// [`crate::FormatError::Malformed`] unless the header is one that a reader accepts.
    pub fn new(header: SummariesHeader, out: &mut Vec<u8>) -> Result<Self> {
        let bytes = header.encode();
        let header = SummariesHeader::decode(&bytes)?;
        out.extend_from_slice(&bytes);
        let (body, next) = (PagedBody::new(header.identity), header.low);
        Ok(Self { header, body, directory: Vec::new(), presence: Vec::new(), next, documents: 0, size: 0, base: 0 })
    }

    /// Adds the encoded summary of a number greater than the last one; whole pages are appended to `out`, which the
    /// caller may write and clear at any time.
    ///
    /// # Errors
    /// [`crate::FormatError::Malformed`] if the number is not in the range or does not ascend, or if the summaries of
    /// a group are too large.
    pub fn push(&mut self, number: u64, summary: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if !(self.next..self.header.high).contains(&number) || summary.is_empty() {
            return malformed("summaries", 0, "numbers ascend and are in the run's range, and no summary is empty");
        }
        let begins = self.documents.is_multiple_of(GROUP_LEN);
        let base = if begins { self.size } else { self.base };
        let Ok(end) = u32::try_from(self.size + summary.len() as u64 - base) else {
            return malformed("summaries", 0, "14 in a row have less than 4 GiB together");
        };
        if begins {
            self.base = base;
            self.directory.extend_from_slice(&base.to_le_bytes());
        }
        self.begin_presence(number);
        let bit = ((number - self.header.low) % PRESENCE_LEN) as usize;
        let entry = self.presence.len() - GROUP_SIZE;
        self.presence[entry + 8 + bit / 8] |= 1 << (bit % 8);
        self.directory.extend_from_slice(&end.to_le_bytes());
        self.body.push(summary, out);
        self.size += summary.len() as u64;
        self.documents += 1;
        self.next = number + 1;
        Ok(())
    }

    /// Begins the entries of the presence map up to that of a number.
    fn begin_presence(&mut self, number: u64) {
        let entries = ((number - self.header.low) / PRESENCE_LEN + 1) as usize;
        while self.presence.len() < entries * GROUP_SIZE {
            self.presence.extend_from_slice(&self.documents.to_le_bytes());
            self.presence.extend_from_slice(&[0; GROUP_SIZE - 8]);
        }
    }

    /// Appends the rest of the file to `out`.
    ///
    /// # Errors
    /// [`crate::FormatError::Malformed`] if the summaries are not the ones surveyed.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.documents != self.header.documents || self.size != self.header.size {
            return malformed("summaries", 0, "both passes see the same summaries");
        }
        let end = (self.size - self.base) as u32;
        while !self.directory.len().is_multiple_of(GROUP_SIZE) {
            self.directory.extend_from_slice(&end.to_le_bytes());
        }
        self.begin_presence(self.header.high - 1);
        let padding = self.size.next_multiple_of(GROUP_SIZE as u64) - self.size;
        self.body.push(&[0; GROUP_SIZE][..padding as usize], out);
        self.body.push(&self.directory, out);
        self.body.push(&self.presence, out);
        self.body.finish(&PARTS, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FormatError;

    /// No test writes 4 GiB; this one pretends that so much has been written.
    #[test]
    fn fourteen_summaries_that_are_too_large_are_refused() {
        let mut survey = SummariesSurvey::default();
        (0..GROUP_LEN + 1).for_each(|number| survey.push(number, b"summary"));
        let (header, mut out) = (survey.header(0, 20), Vec::new());
        let encoder = || SummariesEncoder::new(header.clone(), &mut Vec::new()).expect("a sound header");
        for (before, fits) in [(u64::from(u32::MAX) - 7, true), (u64::from(u32::MAX) - 6, false)] {
            let mut encoder = encoder();
            encoder.push(0, b"summary", &mut out).expect("the first");
            encoder.size = before;
            // Its number is the last, and it is the second summary.
            let pushed = encoder.push(19, b"summary", &mut out);
            let refused = |error: FormatError| match error {
                FormatError::Malformed { rule, .. } => rule,
                other => panic!("{other}"),
            };
            let rule = "14 in a row have less than 4 GiB together";
            assert_eq!(pushed.map_err(refused), if fits { Ok(()) } else { Err(rule) }, "{before} bytes before");
        }
        // The next 14 count from 0.
        let mut encoder = encoder();
        (0..GROUP_LEN).for_each(|number| encoder.push(number, b"summary", &mut out).expect("they are small"));
        encoder.size = u64::from(u32::MAX);
        encoder.push(GROUP_LEN, b"summary", &mut out).expect("it is small");
        assert_eq!(encoder.base, u64::from(u32::MAX));
    }
}
