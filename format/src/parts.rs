//! Parts of a document: runs of successive words of its text, by which passages in common are found (SPEC 9.3).

use crate::Result;
use crate::error::malformed;
use crate::record::cursor::Cursor;

/// Number of words in a part.
pub const PART_WORDS: usize = 5;
/// Size of the hash of a part, in bytes.
pub const HASH_BYTES: usize = 5;
/// Least size of an encoded part: a distance and a hash.
const SIZE_MIN: usize = 1 + HASH_BYTES;

/// The parts of a document: all of them, or a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Of this many successive parts at least one is selected, at least 1: all.
    pub window: u8,
    /// Number of words of the document's text.
    pub words: u32,
    /// The selected parts, in the order of the text.
    pub selected: Vec<Part>,
}

/// A part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The hash of its words: [`HASH_BYTES`] bytes.
    pub hash: u64,
    /// The index of its first word.
    pub at: u32,
}

impl Parts {
    /// Appends the bytes to `out`.
    pub(crate) fn encode_into(&self, out: &mut Vec<u8>) {
        out.push(self.window);
        out.extend_from_slice(&self.words.to_le_bytes());
        out.extend_from_slice(&(self.selected.len() as u32).to_le_bytes());
        let mut last = 0;
        for part in &self.selected {
            let mut distance = part.at - std::mem::replace(&mut last, part.at);
            while distance >= 0x80 {
                out.push(distance as u8 | 0x80);
                distance >>= 7;
            }
            out.push(distance as u8);
            out.extend_from_slice(&part.hash.to_le_bytes()[..HASH_BYTES]);
        }
    }

    /// Reads what [`Parts::encode_into`] writes.
    pub(crate) fn decode(cursor: &mut Cursor<'_>) -> Result<Self> {
        let (window, words, count) = (cursor.u8()?, cursor.u32()?, cursor.u32()? as usize);
        if window == 0 {
            return malformed("parts", 0, "the window is at least 1");
        }
        let mut selected = Vec::with_capacity(count.min(cursor.left() / SIZE_MIN));
        let mut at = 0u64;
        for index in 0..count {
            let distance = distance(cursor)?;
            if distance == 0 && index > 0 {
                return malformed("parts", 9, "parts have different places, in ascending order");
            }
            at += distance;
            if at + PART_WORDS as u64 > u64::from(words) {
                return malformed("parts", 9, "parts end within the text");
            }
            let mut hash = [0; 8];
            hash[..HASH_BYTES].copy_from_slice(cursor.take(HASH_BYTES)?);
            selected.push(Part { hash: u64::from_le_bytes(hash), at: at as u32 });
        }
        Ok(Self { window, words, selected })
    }
}

/// Reads a number of 7 bits a byte, the low ones first.
fn distance(cursor: &mut Cursor<'_>) -> Result<u64> {
    let mut distance = 0;
    for shift in (0..35).step_by(7) {
        let byte = cursor.u8()?;
        distance |= u64::from(byte & 0x7f) << shift;
        match byte {
            0 if shift > 0 => break,
            0x80.. => {}
            _ => return Ok(distance),
        }
    }
    malformed("parts", 9, "a distance has 32 bits and as few bytes as possible")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(bytes: &[u8]) -> Result<Parts> {
        let mut cursor = Cursor::unversioned("parts", bytes);
        let parts = Parts::decode(&mut cursor)?;
        cursor.end()?;
        Ok(parts)
    }

    proptest! {
        #[test]
        fn parts_are_read_as_they_were_written(
            window in 1u8..=64,
            distances in prop::collection::vec((1u32..1 << 20, 0u64..1 << 40), 0..40),
        ) {
            let mut at = 0;
            let selected: Vec<Part> = distances.into_iter().map(|(distance, hash)| {
                at += distance;
                Part { hash, at }
            }).collect();
            let parts = Parts { window, words: at + PART_WORDS as u32, selected };
            let mut bytes = Vec::new();
            parts.encode_into(&mut bytes);
            prop_assert_eq!(decoded(&bytes), Ok(parts));
            prop_assert!(decoded(&bytes[..bytes.len() - 1]).is_err());
        }
    }

    #[test]
    fn malformed_parts_are_refused() {
        let part = |distance: &[u8]| [distance, &[1, 2, 3, 4, 5]].concat();
        let of = |window: u8, parts: &[Vec<u8>]| {
            let count = parts.len() as u8;
            decoded(&[&[window, 9, 0, 0, 0, count, 0, 0, 0][..], &parts.concat()].concat())
        };
        assert!(of(1, &[part(&[0]), part(&[4])]).is_ok());
        assert!(of(0, &[]).is_err());
        assert!(of(1, &[part(&[0]), part(&[5])]).is_err(), "it ends behind the text");
        assert!(of(1, &[part(&[0]), part(&[0])]).is_err(), "two have one place");
        assert!(of(1, &[part(&[0x84, 0])]).is_err(), "a byte too many");
        assert!(of(1, &[part(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])]).is_err());
        assert!(decoded(&[1, 9, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]).is_err());
    }
}
