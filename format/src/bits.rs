//! Bit streams (SPEC 3.3): bit i of a stream is bit i mod 8 of byte i div 8, the least significant first. A number
//! is stored least significant bit first.

/// Reads the 57 or more bits that begin at bit `position`, into the low end of the result; bits of the result above bit
/// 56 are undefined. Positions wrap at the power of two `N - 8`, so no value read from a file leads outside the array,
/// and no bounds check is compiled.
#[inline(always)]
pub fn peek<const N: usize>(bytes: &[u8; N], position: usize) -> u64 {
    const { assert!((N - 8).is_power_of_two(), "an array of 8 bytes more than a power of two") };
    let offset = (position >> 3) & (N - 9);
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(word) >> (position & 7)
}

/// Reads `width` bits (0 to 64) at bit `position` of `bytes`; bits after the end are zeros. The plain definition, for
/// code outside inner loops.
pub fn read(bytes: &[u8], position: u64, width: u8) -> u64 {
    let mut window = [0u8; 16];
    let start = usize::try_from(position / 8).unwrap_or(usize::MAX).min(bytes.len());
    let have = (bytes.len() - start).min(9);
    window[..have].copy_from_slice(&bytes[start..start + have]);
    let wide = u128::from_le_bytes(window) >> (position % 8);
    (wide as u64) & crate::fingerprint::low_mask(width)
}

/// Appends numbers to a bit stream.
#[derive(Clone, Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    /// Bits in `pending`, fewer than 64.
    held: u32,
}

impl BitWriter {
    /// Appends the low `width` bits of `value`, at most 64; higher bits of `value` must be zero.
    #[inline]
    pub fn write(&mut self, value: u64, width: u32) {
        debug_assert!(width <= 64 && (width == 64 || value >> width == 0), "no stray high bits");
        self.pending |= value << self.held;
        let total = self.held + width;
        if total < 64 {
            self.held = total;
            return;
        }
        self.bytes.extend_from_slice(&self.pending.to_le_bytes());
        // The high bits of the value that did not fit; a shift by 64 would be undefined.
        self.pending = if self.held == 0 { 0 } else { value >> (64 - self.held) };
        self.held = total - 64;
    }

    /// Number of bits written.
    pub fn len(&self) -> usize {
        self.bytes.len() * 8 + self.held as usize
    }

    /// Returns whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the stream, filled up with zero bits to whole bytes, to the start of `out` and empties
    /// the writer. Returns the number of bytes.
    pub fn drain_into(&mut self, out: &mut [u8]) -> usize {
        let tail = self.held.div_ceil(8) as usize;
        let size = self.bytes.len() + tail;
        out[..self.bytes.len()].copy_from_slice(&self.bytes);
        out[self.bytes.len()..size].copy_from_slice(&self.pending.to_le_bytes()[..tail]);
        self.bytes.clear();
        (self.pending, self.held) = (0, 0);
        size
    }

    /// Moves whole bytes out of the writer to the end of `out`, for streams longer than memory.
    pub fn flush_whole(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.bytes);
    }

    /// Returns the stream, filled up with zero bits to whole bytes.
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = vec![0; self.len().div_ceil(8)];
        self.drain_into(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(numbers in prop::collection::vec((any::<u64>(), 0u8..=64), 0..200)) {
            let mut writer = BitWriter::default();
            for &(value, width) in &numbers {
                writer.write(value & crate::fingerprint::low_mask(width), u32::from(width));
            }
            let length = writer.len();
            let bytes = writer.finish();
            prop_assert_eq!(bytes.len(), length.div_ceil(8));
            let mut padded = [0u8; 2048 + 8];
            padded[..bytes.len()].copy_from_slice(&bytes);
            let mut position = 0;
            for &(value, width) in &numbers {
                let want = value & crate::fingerprint::low_mask(width);
                prop_assert_eq!(read(&bytes, position, width), want);
                let peeked = peek(&padded, position as usize) & crate::fingerprint::low_mask(width.min(57));
                prop_assert_eq!(peeked, want & crate::fingerprint::low_mask(57));
                position += u64::from(width);
            }
        }
    }

    #[test]
    fn the_least_significant_bit_comes_first() {
        let mut writer = BitWriter::default();
        writer.write(0b1, 1);
        writer.write(0b10, 2);
        writer.write(0xabc, 12);
        assert_eq!(writer.finish(), [0b1110_0101, 0b0101_0101]);
    }
}
