//! Keys by which a document is found besides its fingerprint, as runs store them (SPEC 8.6).

use crate::Result;
use crate::digest::identity;
use crate::scheme::Scheme;

/// Width of a stored key, in bits. Different keys may share a stored key, so the documents found are compared
/// afterwards.
pub const KEY_BITS: u8 = 40;
/// Number of files of a key table: a segment and its postings.
pub const KEY_FILES: u64 = 2;

/// Kind of a key of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum KeyKind {
    /// A megashingle or a band.
    Megashingle = 0,
    /// A piece of the projection, with its index.
    Piece = 1,
    /// The digest of the content.
    Digest = 2,
}

/// Returns the stored key: the top bits of the hash of its kind and of the bytes (at most 16) that precede the document
/// number in the catalog.
pub fn stored(kind: KeyKind, bytes: &[u8]) -> u64 {
    let mut all = [0; 17];
    all[0] = kind as u8;
    let size = bytes.len().min(16);
    all[1..=size].copy_from_slice(&bytes[..size]);
    identity(&all[..=size]) >> (64 - KEY_BITS)
}

/// Returns the scheme of key tables: one table, which moves no bit and is searched for equal values only.
///
/// # Errors
/// [`crate::FormatError::Scheme`] for a restart interval out of range.
pub fn scheme(restart: u16) -> Result<Scheme> {
    Scheme::new(KEY_BITS, 0, &[], restart)
}
