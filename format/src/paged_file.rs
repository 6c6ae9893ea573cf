//! A file whose body is one paged region, between a header and a footer (SPEC 7.4 and 8.7): postings and summaries.

use crate::Result;
use crate::digest;
use crate::error::malformed;
use crate::fields::{check_crc, check_size, layout, put_crc};
use crate::pages::{self, PAGE_SIZE, Pages};

layout! {
    /// The fields of the footer.
    FOOTER_FIELDS;
    /// Magic of the footer.
    FOOTER_START: 8, "magic";
    /// The identity of the header.
    FOOTER_IDENTITY: 8, "identity";
    /// CRC-32 of the array of page checksums.
    PAGES_CHECKSUM: 4, "pages_checksum";
    /// CRC-32 of the bytes of the footer before this field.
    FOOTER_CHECKSUM: 4, "checksum";
}
/// Bytes of the footer.
pub const FOOTER_SIZE: usize = FOOTER_CHECKSUM.end();

/// The magic of the footer, and what errors call the parts of the file.
#[derive(Debug)]
pub(crate) struct PagedFileNames {
    pub(crate) magic: &'static [u8; 8],
    pub(crate) file: &'static str,
    pub(crate) footer: &'static str,
    pub(crate) checksums: &'static str,
    pub(crate) page: &'static str,
}

impl PagedFileNames {
    /// Returns the footer of a file with this identity and these page checksums.
    pub(crate) fn footer(&self, identity: u64, checksums: &[u8]) -> [u8; FOOTER_SIZE] {
        let mut footer = [0; FOOTER_SIZE];
        footer[..FOOTER_START.end()].copy_from_slice(self.magic);
        FOOTER_IDENTITY.put(&mut footer, identity);
        PAGES_CHECKSUM.put(&mut footer, u64::from(crc32fast::hash(checksums)));
        put_crc(&mut footer, FOOTER_CHECKSUM);
        footer
    }
}

/// A file with a header of `HEADER` bytes, a paged body, the checksums of its pages and a footer, over any bytes.
#[derive(Clone, Debug)]
pub struct PagedFile<D, const HEADER: usize> {
    data: D,
    parts: &'static PagedFileNames,
    identity: u64,
    /// Bytes of the body.
    end: usize,
}

impl<D: AsRef<[u8]>, const HEADER: usize> PagedFile<D, HEADER> {
    /// Opens a file with this identity and a body of `end` bytes: checks its size and its footer, and reads nothing
    /// else.
    pub(crate) fn open(data: D, parts: &'static PagedFileNames, identity: u64, end: u64) -> Result<Self> {
        let bytes = data.as_ref();
        let size = (HEADER + FOOTER_SIZE) as u64 + end + pages::checksums_size(end);
        check_size(parts.file, bytes, usize::try_from(size).unwrap_or(usize::MAX))?;
        if size != bytes.len() as u64 {
            return malformed(parts.file, size as usize, "the file is as long as its header says");
        }
        let footer = &bytes[bytes.len() - FOOTER_SIZE..];
        check_crc(parts.footer, footer, FOOTER_CHECKSUM)?;
        if FOOTER_START.bytes(footer) != parts.magic {
            return malformed(parts.footer, 0, "the file ends with a footer and its magic");
        }
        if FOOTER_IDENTITY.get(footer) != identity {
            return malformed(parts.footer, FOOTER_IDENTITY.offset, "header and footer have the same identity");
        }
        Ok(Self { data, parts, identity, end: end as usize })
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

    /// The body: byte 0 of it is the first after the header.
    #[inline]
    pub fn body(&self) -> &[u8] {
        &self.data()[HEADER..HEADER + self.end]
    }

    /// Returns the offset in the file of the checksum of a page of the body.
    #[inline]
    pub fn checksum_offset(&self, page: u64) -> usize {
        HEADER + self.end + 4 * page as usize
    }

    fn checksums(&self) -> &[u8] {
        &self.data()[self.checksum_offset(0)..self.data().len() - FOOTER_SIZE]
    }

    /// Verifies the array of page checksums. Verifying a page also finds damage in that page's entry of the array.
    ///
    /// # Errors
    /// [`crate::FormatError::Checksum`] if its checksum differs.
    pub fn check_page_checksums(&self) -> Result<()> {
        let stored = PAGES_CHECKSUM.get(&self.data()[self.data().len() - FOOTER_SIZE..]) as u32;
        pages::check_array(self.parts.checksums, self.checksums(), stored)
    }

    /// The pages of the body.
    pub fn pages(&self) -> Pages<'_> {
        Pages::new(self.parts.page, self.identity, 0, self.body(), self.checksums())
            .expect("open() has compared the size")
    }

    /// Verifies all pages and the array of their checksums.
    pub(crate) fn check_pages(&self) -> Result<()> {
        self.check_page_checksums()?;
        let pages = self.pages();
        (0..pages.len()).try_for_each(|page| pages.check(page))
    }

    /// Reads 8 bytes of the body. Checksums and footer follow the body, so that its end can be read as well.
    #[inline]
    pub(crate) fn word(&self, offset: u64) -> u64 {
        let start = HEADER + offset as usize;
        let mut word = [0; 8];
        word.copy_from_slice(&self.data()[start..start + 8]);
        u64::from_le_bytes(word)
    }
}

/// The body of a file, one paged region, that is written from front to back, with the checksums of its pages.
#[derive(Debug)]
pub(crate) struct PagedBody {
    identity: u64,
    page: Vec<u8>,
    checksums: Vec<u8>,
}

impl PagedBody {
    pub(crate) fn new(identity: u64) -> Self {
        Self { identity, page: Vec::with_capacity(PAGE_SIZE), checksums: Vec::new() }
    }

    /// Adds bytes; whole pages are appended to `out`.
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let (head, tail) = bytes.split_at(bytes.len().min(PAGE_SIZE - self.page.len()));
            self.page.extend_from_slice(head);
            bytes = tail;
            if self.page.len() == PAGE_SIZE {
                self.end_page(out);
            }
        }
    }

    fn end_page(&mut self, out: &mut Vec<u8>) {
        let page = self.checksums.len() as u64 / 4;
        self.checksums.extend_from_slice(&digest::checksum(self.identity, page, &self.page).to_le_bytes());
        out.append(&mut self.page);
    }

    /// Appends the rest of the file to `out`: the last page, the checksums, and the footer.
    pub(crate) fn finish(mut self, parts: &PagedFileNames, out: &mut Vec<u8>) {
        if !self.page.is_empty() {
            self.end_page(out);
        }
        out.extend_from_slice(&self.checksums);
        out.extend_from_slice(&parts.footer(self.identity, &self.checksums));
    }
}
