//! Paged regions: 4 KB pages, followed by an array of their checksums. A reader verifies only the pages that it
//! touches, and opening a file reads none (SPEC 3.6).

use crate::digest;
use crate::fields::check_size;
use crate::{FormatError, Result};

/// Bytes of a page; the last one of a region may be shorter.
pub const PAGE_SIZE: usize = 4096;

/// Returns the number of pages of a region of `size` bytes.
pub const fn page_len(size: u64) -> u64 {
    size.div_ceil(PAGE_SIZE as u64)
}

/// Returns the bytes of the checksum array of a region of `size` bytes.
pub const fn checksums_size(size: u64) -> u64 {
    4 * page_len(size)
}

/// A region of a file and the checksums of its pages.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    what: &'static str,
    identity: u64,
    /// Number of pages in the regions of the file before this one: all regions share one numbering.
    first: u64,
    bytes: &'a [u8],
    checksums: &'a [u8],
}

impl<'a> Pages<'a> {
    /// Joins a region and its checksums. `first` is the ordinal of its first page in the file.
    ///
    /// # Errors
    /// [`FormatError::Truncated`] if there are fewer checksums than pages.
    pub fn new(what: &'static str, identity: u64, first: u64, bytes: &'a [u8], checksums: &'a [u8]) -> Result<Self> {
        check_size(what, checksums, checksums_size(bytes.len() as u64) as usize)?;
        Ok(Self { what, identity, first, bytes, checksums })
    }

    /// The bytes of the region.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Number of pages.
    pub fn len(&self) -> u64 {
        page_len(self.bytes.len() as u64)
    }

    /// Returns whether the region has no page.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Verifies the checksum of page `page` of the region.
    ///
    /// # Errors
    /// [`FormatError::Checksum`], or [`FormatError::Truncated`] for a page that does not exist.
    pub fn check(&self, page: u64) -> Result<()> {
        let start = page.saturating_mul(PAGE_SIZE as u64);
        let size = self.bytes.len() as u64;
        if start >= size {
            return Err(FormatError::Truncated { what: self.what, need: start, have: size });
        }
        let bytes = &self.bytes[start as usize..self.bytes.len().min(start as usize + PAGE_SIZE)];
        let offset = 4 * page as usize;
        let stored = crate::fields::Field { offset, size: 4, name: "" }.get(self.checksums) as u32;
        let computed = digest::checksum(self.identity, self.first + page, bytes);
        if stored != computed {
            return Err(FormatError::Checksum { what: self.what, index: page, stored, computed });
        }
        Ok(())
    }
}

/// Verifies an array of page checksums by its own checksum.
///
/// # Errors
/// [`FormatError::Checksum`] if they differ.
pub(crate) fn check_array(what: &'static str, checksums: &[u8], stored: u32) -> Result<()> {
    let computed = crc32fast::hash(checksums);
    if stored == computed { Ok(()) } else { Err(FormatError::Checksum { what, index: 0, stored, computed }) }
}

/// Appends the checksums of the pages of `bytes`, numbered from `first`, to `out`.
pub fn put_checksums(identity: u64, first: u64, bytes: &[u8], out: &mut Vec<u8>) {
    for (page, bytes) in (first..).zip(bytes.chunks(PAGE_SIZE)) {
        out.extend_from_slice(&digest::checksum(identity, page, bytes).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_is_found_in_its_page() {
        let mut bytes: Vec<u8> = (0..10_000u32).map(|i| i as u8).collect();
        let mut checksums = Vec::new();
        put_checksums(9, 5, &bytes, &mut checksums);
        assert_eq!(checksums.len() as u64, checksums_size(10_000));
        let check = |bytes: &[u8], first| {
            let pages = Pages::new("test", 9, first, bytes, &checksums).expect("enough checksums");
            (0..=pages.len()).map(|page| pages.check(page).is_ok()).collect::<Vec<_>>()
        };
        assert_eq!(check(&bytes, 5), [true, true, true, false]);
        assert_eq!(check(&bytes, 6), [false; 4]);
        bytes[9_999] ^= 4;
        assert_eq!(check(&bytes, 5), [true, true, false, false]);
        assert!(Pages::new("test", 9, 0, &bytes, &checksums[1..]).is_err());
    }
}
