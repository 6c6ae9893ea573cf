//! A check of delta-encoded numbers before they are decoded, because the decoder reserves memory for the number of
//! values that the header claims.

/// Maximum number of values in a block; writers use 128 to 1,024.
const BLOCK_MAX: u64 = 1 << 16;

/// Returns the size in bytes of the delta-encoded numbers at the beginning of `bytes`; `None` if they are malformed or
/// if there are more than `numbers_max`.
pub(super) fn len(bytes: &[u8], numbers_max: u64) -> Option<usize> {
    let mut rest = bytes;
    let (block, pieces, numbers) = (varint(&mut rest)?, varint(&mut rest)?, varint(&mut rest)?);
    varint(&mut rest)?;
    let of_piece = block.checked_div(pieces)?;
    if numbers > numbers_max || block > BLOCK_MAX || block % pieces != 0 || of_piece == 0 || of_piece % 8 != 0 {
        return None;
    }
    // The first number is in the header.
    let mut left = numbers.saturating_sub(1);
    while left > 0 {
        varint(&mut rest)?;
        let (widths, behind) = rest.split_at_checked(pieces as usize)?;
        rest = behind;
        for &width in widths {
            // Nothing is stored for the pieces after the last number.
            if left == 0 {
                break;
            }
            let size = of_piece * u64::from(width) / 8;
            if width > 64 {
                return None;
            }
            // The last piece may be cut off after the last number.
            rest = rest.get(size as usize..).or(if left < of_piece { Some(&[]) } else { None })?;
            left = left.saturating_sub(of_piece);
        }
    }
    Some(bytes.len() - rest.len())
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_that_of_all_blocks() {
        // 128 numbers a block in four pieces, 35 numbers, the first 7; widths 2 and 3.
        let mut bytes = vec![0x80, 1, 4, 35, 14, 0, 2, 3, 0, 0];
        bytes.extend([0; 8 + 12]);
        let all = [&bytes[..], b"behind"].concat();
        assert_eq!(len(&all, 35), Some(bytes.len()));
        assert_eq!(len(&all, 34), None, "more numbers than allowed");
        assert_eq!(len(&[0x80, 1, 4, 1, 14], 9), Some(5), "one number, in the header");
        for cut in 0..bytes.len() - 12 {
            assert_eq!(len(&bytes[..cut], 35), None, "{cut}");
        }
    }

    #[test]
    fn blocks_and_counts_that_cannot_be_are_refused() {
        for head in [[0x80, 1, 0, 9, 0], [0x80, 1, 3, 9, 0], [0, 4, 9, 0, 0], [0x80, 1, 4, 0xff, 0xff]] {
            assert_eq!(len(&head, 1 << 30), None, "{head:?}");
        }
        assert_eq!(len(&[0x80, 0x80, 0x80, 1, 4, 1, 0], 9), None, "a huge block");
    }
}
