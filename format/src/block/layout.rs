//! Size, head and checksum of a block (SPEC 5.1). The checksum is seeded, because a plain one does not detect an intact
//! block in the wrong file or at the wrong index.

use crate::digest;
use crate::fields::Field;
use crate::{FormatError, Result};

/// Bytes of a block.
pub const BLOCK_SIZE: usize = 1024;
/// Bytes of a block and the eight after it, so that a 64-bit load at its last byte stays within the array.
pub const PADDED_SIZE: usize = BLOCK_SIZE + 8;
/// Maximum number of entries of a block: one bit for each after the first.
pub const ENTRIES_MAX: usize = 1 + (BLOCK_SIZE - HEAD_SIZE) * 8;

/// CRC-32 over the segment's identity, the block's number and the bytes after this field.
pub const CHECKSUM: Field = Field::first(4, "checksum");
/// Number of fingerprints, never 0.
pub const COUNT: Field = CHECKSUM.then(2, "count");
/// Number of restart points.
pub const RESTARTS: Field = COUNT.then(2, "restarts");
/// The first permuted fingerprint.
pub const FIRST: Field = RESTARTS.then(8, "first");
/// The fields of a block's head.
pub const FIELDS: [Field; 4] = [CHECKSUM, COUNT, RESTARTS, FIRST];

pub(super) const HEAD_SIZE: usize = FIRST.end();
pub(super) const WHAT: &str = "block";

/// A block and the eight bytes after it.
pub type Padded = [u8; PADDED_SIZE];

/// Verifies the checksum of block `number` of the segment `identity`.
///
/// # Errors
/// [`FormatError::Checksum`] if the checksum differs.
#[inline]
pub fn check(bytes: &Padded, identity: u64, number: u64) -> Result<()> {
    let stored = CHECKSUM.get(bytes) as u32;
    let computed = digest::checksum(identity, number, &bytes[CHECKSUM.end()..BLOCK_SIZE]);
    if stored != computed {
        return Err(FormatError::Checksum { what: WHAT, index: number, stored, computed });
    }
    Ok(())
}
