//! Fingerprints in natural and in permuted bit order (SPEC 3 and 4).

use std::fmt;

use crate::{FormatError, Result};

/// Fewest bits of a fingerprint.
pub const BITS_MIN: u8 = 8;
/// Maximum number of bits of a fingerprint.
pub const BITS_MAX: u8 = 64;

/// A simhash fingerprint in natural bit order: `f` bits in the low end of a `u64`, position 63 highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Fingerprint(pub u64);

/// A fingerprint in the bit order of one table: the sort key of that table. It is a separate type so that the two
/// orders are never mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Permuted(pub u64);

impl Fingerprint {
    /// Returns the Hamming distance: the number of bits that differ (Manku 2007, 3).
    pub fn distance(self, other: Self) -> u32 {
        (self.0 ^ other.0).count_ones()
    }

    /// Reads 1 to 16 hexadecimal digits, most significant first. `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        digits.then(|| u64::from_str_radix(text, 16).ok()).flatten().map(Self)
    }
}

impl fmt::Display for Fingerprint {
    /// Writes 16 lower-case hexadecimal digits, most significant first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Returns the `u64` whose low `bits` bits are ones, for 0 to 64.
pub const fn low_mask(bits: u8) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Checks that `bits` is a width that fingerprints can have.
///
/// # Errors
/// [`FormatError::Scheme`] outside 8 to 64.
pub fn check_bits(bits: u8) -> Result<()> {
    if (BITS_MIN..=BITS_MAX).contains(&bits) {
        Ok(())
    } else {
        Err(FormatError::Scheme { rule: "a fingerprint has 8 to 64 bits" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_reads_what_display_writes() {
        let print = Fingerprint(0x0123_4567_89ab_cdef);
        assert_eq!(print.to_string(), "0123456789abcdef");
        assert_eq!(Fingerprint::from_hex("0123456789abcdef"), Some(print));
        assert_eq!(Fingerprint::from_hex("F"), Some(Fingerprint(15)));
        for bad in ["", "0x12", "+1", "g", "00000000000000000", "é"] {
            assert_eq!(Fingerprint::from_hex(bad), None, "{bad}");
        }
    }
}
