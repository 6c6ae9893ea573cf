//! Fields at fixed offsets: the tables of SPEC.md as values, so that a test can compare the two.

use crate::error::malformed;
use crate::{FormatError, Result, digest};

/// A little-endian field of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Offset from the start of the structure, in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
    /// Name in SPEC.md.
    pub name: &'static str,
}

impl Field {
    /// Returns the first field of a structure.
    pub const fn first(size: usize, name: &'static str) -> Self {
        Self { offset: 0, size, name }
    }

    /// Returns the field after this one.
    pub const fn then(&self, size: usize, name: &'static str) -> Self {
        Self { offset: self.end(), size, name }
    }

    /// Returns the offset after this field.
    pub const fn end(&self) -> usize {
        self.offset + self.size
    }

    /// Returns the bytes of the field in a structure that is long enough.
    #[inline]
    pub fn bytes<'a>(&self, structure: &'a [u8]) -> &'a [u8] {
        &structure[self.offset..self.end()]
    }

    /// Reads the field, at most 8 bytes.
    #[inline]
    pub fn get(&self, structure: &[u8]) -> u64 {
        let mut word = [0; 8];
        word[..self.size].copy_from_slice(self.bytes(structure));
        u64::from_le_bytes(word)
    }

    /// Writes the field, at most 8 bytes; `value` fits in it.
    pub fn put(&self, structure: &mut [u8], value: u64) {
        debug_assert!(self.size == 8 || value >> (8 * self.size) == 0, "{} fits its field", self.name);
        structure[self.offset..self.end()].copy_from_slice(&value.to_le_bytes()[..self.size]);
    }

    /// Reads a field of 16 bytes.
    pub(crate) fn get_wide(&self, structure: &[u8]) -> u128 {
        let mut wide = [0; 16];
        wide.copy_from_slice(self.bytes(structure));
        u128::from_le_bytes(wide)
    }

    /// Writes a field of 16 bytes.
    pub(crate) fn put_wide(&self, structure: &mut [u8], value: u128) {
        structure[self.offset..self.end()].copy_from_slice(&value.to_le_bytes());
    }

    /// Checks that a reserved field is zero.
    pub(crate) fn expect_zero(&self, what: &'static str, structure: &[u8]) -> Result<()> {
        if self.bytes(structure).iter().all(|&byte| byte == 0) {
            Ok(())
        } else {
            malformed(what, self.offset, "reserved bytes are zero")
        }
    }
}

/// Declares fields that follow each other, each with its size and its name in SPEC.md, and a list of all. They follow
/// the start of a file, or begin a structure.
macro_rules! layout {
    ($(#[$meta:meta])* $list:ident of a file; $($fields:tt)+) => {
        layout!(@list $(#[$meta])* $list
            [$crate::fields::MAGIC, $crate::fields::FORMAT_VERSION, $crate::fields::READER_MIN] $($fields)+);
        layout!(@after $crate::fields::READER_MIN; $($fields)+);
    };
    ($(#[$meta:meta])* $list:ident; $($fields:tt)+) => {
        layout!(@list $(#[$meta])* $list [] $($fields)+);
        layout!(@after $crate::fields::Field::first(0, ""); $($fields)+);
    };
    (@list $(#[$meta:meta])* $list:ident [$($start:expr),*]
        $($(#[$doc:meta])* $field:ident: $size:expr, $name:literal;)+) => {
        $(#[$meta])*
        pub const $list: [$crate::fields::Field; [$(stringify!($start),)* $($name),+].len()] =
            [$($start,)* $($field),+];
    };
    (@after $before:expr;) => {};
    (@after $before:expr; $(#[$doc:meta])* $field:ident: $size:expr, $name:literal; $($rest:tt)*) => {
        $(#[$doc])*
        pub const $field: $crate::fields::Field = $before.then($size, $name);
        layout!(@after $field; $($rest)*);
    };
}
pub(crate) use layout;

/// The version of the format: the version of every file that this crate writes, and the newest that it reads.
pub const FORMAT: u16 = 1;

/// Every file begins with its magic, the version that wrote it and the least version that reads it.
pub const MAGIC: Field = Field::first(8, "magic");
/// Version of the writer.
pub const FORMAT_VERSION: Field = MAGIC.then(2, "format");
/// Least version of a reader.
pub const READER_MIN: Field = FORMAT_VERSION.then(2, "reader_min");

/// Writes the beginning of a file.
pub(crate) fn put_start(structure: &mut [u8], magic: &[u8; 8]) {
    structure[..8].copy_from_slice(magic);
    FORMAT_VERSION.put(structure, u64::from(FORMAT));
    READER_MIN.put(structure, u64::from(FORMAT));
}

/// Checks the beginning of a file of at least `size` bytes.
pub(crate) fn check_start(what: &'static str, bytes: &[u8], magic: &[u8; 8], size: usize) -> Result<()> {
    let found = |bytes: &[u8]| {
        let mut start = [0; 8];
        let have = bytes.len().min(8);
        start[..have].copy_from_slice(&bytes[..have]);
        start
    };
    if bytes.len() >= 8 && found(bytes) != *magic {
        return Err(FormatError::Magic { what, found: found(bytes) });
    }
    check_size(what, bytes, size)?;
    let reader_min = READER_MIN.get(bytes) as u16;
    if reader_min > FORMAT {
        return Err(FormatError::Version { what, found: reader_min, newest: FORMAT });
    }
    if reader_min == 0 || u64::from(reader_min) > FORMAT_VERSION.get(bytes) {
        return malformed(what, READER_MIN.offset, "reader_min is 1 to format");
    }
    Ok(())
}

/// Checks that there are at least `size` bytes.
pub(crate) fn check_size(what: &'static str, bytes: &[u8], size: usize) -> Result<()> {
    if bytes.len() < size {
        return Err(FormatError::Truncated { what, need: size as u64, have: bytes.len() as u64 });
    }
    Ok(())
}

/// Checks the CRC-32 at `field`, which covers all bytes before it.
pub(crate) fn check_crc(what: &'static str, bytes: &[u8], field: Field) -> Result<()> {
    let (stored, computed) = (field.get(bytes) as u32, crc32fast::hash(&bytes[..field.offset]));
    if stored != computed {
        return Err(FormatError::Checksum { what, index: 0, stored, computed });
    }
    Ok(())
}

/// Writes the CRC-32 of all bytes before `field` into it.
pub(crate) fn put_crc(bytes: &mut [u8], field: Field) {
    let crc = crc32fast::hash(&bytes[..field.offset]);
    field.put(bytes, u64::from(crc));
}

/// The fields that seal the header of a file: a hash of all bytes before it, zeros, and the CRC-32 at the end.
pub(crate) struct Seal<'a> {
    pub(crate) identity: Field,
    pub(crate) zero: &'a [Field],
    pub(crate) checksum: Field,
}

impl Seal<'_> {
    /// Writes identity and CRC-32.
    pub(crate) fn put(&self, header: &mut [u8]) {
        let identity = digest::identity(&header[..self.identity.offset]);
        self.identity.put(header, identity);
        put_crc(header, self.checksum);
    }

    /// Checks the beginning of a file and the seal of its header, and returns the bytes of the header.
    pub(crate) fn check<'a>(
        &self,
        (file, header): (&'static str, &'static str),
        bytes: &'a [u8],
        magic: &[u8; 8],
    ) -> Result<&'a [u8]> {
        check_start(file, bytes, magic, self.checksum.end())?;
        let bytes = &bytes[..self.checksum.end()];
        check_crc(header, bytes, self.checksum)?;
        self.zero.iter().try_for_each(|field| field.expect_zero(header, bytes))?;
        if self.identity.get(bytes) != digest::identity(&bytes[..self.identity.offset]) {
            return malformed(header, self.identity.offset, "identity is the hash of the bytes before it");
        }
        Ok(bytes)
    }
}
