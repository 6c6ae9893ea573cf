//! Encoding a postings file, in two passes over the lists in order of their fingerprints: survey, then bytes (SPEC
//! 7.3).

use crate::bits::BitWriter;
use crate::digest::Digest;
use crate::error::malformed;
use crate::paged_file::PagedBody;
use crate::pages::PAGE_SIZE;
use crate::{FormatError, Result};

use super::header::{GROUP_LEN, PARTS, PostingsHeader, SPAN_MAX, SPARSE};

/// The first pass: counts fingerprints, documents and groups, and sums the digests.
#[derive(Clone, Debug, Default)]
pub struct PostingsSurvey {
    fingerprints: u64,
    documents: u64,
    sparse: u64,
    /// Number of documents before the current group of fingerprints.
    group_start: u64,
    set: Digest,
    pairs: Digest,
    last: u64,
}

impl PostingsSurvey {
    /// Begins the list of the next fingerprint, greater than the last one.
    ///
    /// # Errors
    /// [`FormatError::OutOfOrder`].
    #[inline]
    pub fn begin(&mut self, fingerprint: u64) -> Result<()> {
        if self.fingerprints > 0 && fingerprint <= self.last {
            return Err(FormatError::OutOfOrder { previous: self.last, found: fingerprint });
        }
        if self.fingerprints.is_multiple_of(GROUP_LEN) {
            self.end_group();
        }
        self.fingerprints += 1;
        self.set.add_fingerprint(fingerprint);
        self.last = fingerprint;
        Ok(())
    }

    fn end_group(&mut self) {
        self.sparse += u64::from(self.documents - self.group_start > SPAN_MAX);
        self.group_start = self.documents;
    }

    /// Adds a document number to the list that has begun.
    #[inline]
    pub fn number(&mut self, number: u64) {
        self.documents += 1;
        self.pairs.add_pair(self.last, number);
    }

    /// Number of documents so far.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Number of fingerprints so far.
    pub fn fingerprints(&self) -> u64 {
        self.fingerprints
    }

    /// Digest of the pairs so far.
    pub fn pair_digest(&self) -> Digest {
        self.pairs
    }

    /// Digest of the fingerprints so far.
    pub fn set_digest(&self) -> Digest {
        self.set
    }

    /// Ends the first pass and returns the header of the postings of a run with the number range `low..high` whose
    /// table 0 has `blocks` blocks of restart interval `restart`.
    pub fn header(mut self, low: u64, high: u64, blocks: u64, restart: u16) -> PostingsHeader {
        self.end_group();
        // If every fingerprint has one document, there is no directory, and so no sparse group.
        let sparse = if self.documents == self.fingerprints { 0 } else { self.sparse };
        PostingsHeader {
            restart,
            low,
            high,
            fingerprints: self.fingerprints,
            documents: self.documents,
            blocks,
            sparse,
            set_digest: self.set,
            pair_digest: self.pairs,
            identity: 0,
        }
        .stamped()
    }
}

/// The second pass: turns the same lists into the bytes of the file.
///
/// The directory and the flags, about two bits per document, are held in memory until the end.
#[derive(Debug)]
pub struct PostingsEncoder {
    header: PostingsHeader,
    body: PagedBody,
    numbers: BitWriter,
    flags: BitWriter,
    /// Start of each list of the current group.
    starts: Vec<u64>,
    directory: Vec<u64>,
    sparse: Vec<u64>,
    fingerprints: u64,
    documents: u64,
    list_len: u64,
    last: u64,
}

impl PostingsEncoder {
    /// Appends the header and the ranks of the first entries of table 0's blocks to `out`, and prepares for the
    /// lists.
    ///
    /// # Errors
    /// [`FormatError::Malformed`] unless there is a rank for each block and the header is one that a
    /// reader accepts.
    pub fn new(header: PostingsHeader, ranks: &[u64], out: &mut Vec<u8>) -> Result<Self> {
        let bytes = header.encode();
        let header = PostingsHeader::decode(&bytes)?;
        if ranks.len() as u64 != header.blocks {
            return malformed("postings", 0, "there is a rank for each block");
        }
        out.extend_from_slice(&bytes);
        let mut body = PagedBody::new(header.identity);
        for rank in ranks {
            body.push(&rank.to_le_bytes(), out);
        }
        Ok(Self {
            header,
            body,
            numbers: BitWriter::default(),
            flags: BitWriter::default(),
            starts: Vec::new(),
            directory: Vec::new(),
            sparse: Vec::new(),
            fingerprints: 0,
            documents: 0,
            list_len: 0,
            last: 0,
        })
    }

    fn several(&self) -> bool {
        self.header.documents != self.header.fingerprints
    }

    /// Begins the list of the next fingerprint.
    ///
    /// # Errors
    /// [`FormatError::Malformed`] if the list before has no number.
    #[inline]
    pub fn begin(&mut self) -> Result<()> {
        if self.fingerprints > 0 && self.list_len == 0 {
            return malformed("postings", 0, "each fingerprint has a document");
        }
        if self.several() {
            if self.starts.len() as u64 == GROUP_LEN {
                self.end_group();
            }
            self.starts.push(self.documents);
        }
        self.fingerprints += 1;
        self.list_len = 0;
        Ok(())
    }

    fn end_group(&mut self) {
        let Some(&first) = self.starts.first() else { return };
        if self.documents - first > SPAN_MAX {
            self.directory.push(SPARSE | (self.sparse.len() as u64 / GROUP_LEN));
            self.sparse.append(&mut self.starts);
            let filled = self.sparse.len().next_multiple_of(GROUP_LEN as usize);
            self.sparse.resize(filled, 0);
        } else {
            self.directory.push(first);
            self.starts.clear();
        }
    }

    /// Adds a number, greater than the last one, to the current list; whole pages are appended to `out`, which the
    /// caller may write and clear at any time.
    ///
    /// # Errors
    /// [`FormatError::Malformed`] if the number is not in the range or does not ascend.
    #[inline]
    pub fn number(&mut self, number: u64, out: &mut Vec<u8>) -> Result<()> {
        if !(self.header.low..self.header.high).contains(&number) || self.list_len > 0 && number <= self.last {
            return malformed("postings", 0, "numbers of a list ascend and are in the run's range");
        }
        self.numbers.write(number - self.header.low, u32::from(self.header.width()));
        if self.several() {
            self.flags.write(u64::from(self.list_len == 0), 1);
        }
        self.documents += 1;
        self.list_len += 1;
        self.last = number;
        if self.numbers.len() >= 8 * PAGE_SIZE {
            let mut whole = Vec::with_capacity(PAGE_SIZE + 8);
            self.numbers.flush_whole(&mut whole);
            self.body.push(&whole, out);
        }
        Ok(())
    }

    /// Appends the rest of the file to `out`.
    ///
    /// # Errors
    /// [`FormatError::Malformed`] if the lists are not the ones surveyed.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        self.end_group();
        if self.list_len == 0
            || self.fingerprints != self.header.fingerprints
            || self.documents != self.header.documents
            || self.sparse.len() as u64 != self.header.sparse * GROUP_LEN
        {
            return malformed("postings", 0, "both passes see the same lists");
        }
        for stream in [std::mem::take(&mut self.numbers), std::mem::take(&mut self.flags)] {
            let mut bytes = stream.finish();
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            self.body.push(&bytes, out);
        }
        for word in self.directory.iter().chain(&self.sparse) {
            self.body.push(&word.to_le_bytes(), out);
        }
        self.body.finish(&PARTS, out);
        Ok(())
    }
}
