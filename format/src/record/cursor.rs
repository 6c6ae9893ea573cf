//! Shared by the codecs of all values: the version, a reader from front to back, texts.

use crate::error::malformed;
use crate::fields::check_size;
use crate::{FormatError, Result};

/// Version of the layout of a value, unless its type has another.
pub const VERSION: u8 = 1;

/// Reads a value from front to back.
pub(crate) struct Cursor<'a> {
    what: &'static str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Starts after the version byte.
    pub(crate) fn new(what: &'static str, bytes: &'a [u8]) -> Result<Self> {
        Self::up_to(VERSION, what, bytes)
    }

    /// Starts after the version byte of a layout that has versions up to `newest`.
    pub(crate) fn up_to(newest: u8, what: &'static str, bytes: &'a [u8]) -> Result<Self> {
        check_size(what, bytes, 1)?;
        if !(VERSION..=newest).contains(&bytes[0]) {
            return Err(FormatError::Version { what, found: u16::from(bytes[0]), newest: u16::from(newest) });
        }
        Ok(Self { what, bytes, at: 1 })
    }

    /// Starts at the first byte of a value that has no version.
    pub(crate) fn unversioned(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { what, bytes, at: 0 }
    }

    pub(crate) fn take(&mut self, size: usize) -> Result<&'a [u8]> {
        let end = self.at.saturating_add(size);
        check_size(self.what, self.bytes, end)?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads a length of 4 bytes and that many bytes of UTF-8.
    pub(crate) fn text(&mut self) -> Result<&'a str> {
        let size = self.u32()? as usize;
        self.utf8(size)
    }

    /// Reads this number of bytes of UTF-8.
    pub(crate) fn utf8(&mut self, size: usize) -> Result<&'a str> {
        let start = self.at;
        let bytes = self.take(size)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => malformed(self.what, start, "text is UTF-8"),
        }
    }

    /// Returns the offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the number of bytes that have not been read.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            malformed(self.what, self.at, "nothing stands after the last field")
        }
    }
}

/// Appends a text: its length in 4 bytes, and its bytes.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}
