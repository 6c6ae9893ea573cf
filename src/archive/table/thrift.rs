//! A check of Thrift structures (compact protocol), in which Parquet stores its metadata, before they are decoded,
//! because a decoder reserves memory for as many elements as a list claims to have.

/// Maximum depth of nested structures and lists. Parquet needs less than ten.
const DEPTH: u8 = 32;

/// The reason why bytes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The bytes end inside the structure.
    Short,
    /// The bytes are not a structure, or a list is longer than the limit.
    Malformed,
}

/// Walks a structure at the beginning of `bytes` and passes the integers among its own fields, by their ids, to
/// `visit`. No list in it may have more than `list_max` elements.
pub(super) fn walk(bytes: &[u8], list_max: u64, visit: &mut dyn FnMut(i64, i64)) -> Result<(), Refused> {
    Walk { bytes, at: 0, list_max }.structure(0, visit)
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    list_max: u64,
}

impl Walk<'_> {
    fn structure(&mut self, depth: u8, visit: &mut dyn FnMut(i64, i64)) -> Result<(), Refused> {
        let mut field = 0_i64;
        loop {
            let byte = self.byte()?;
            let kind = byte & 15;
            if kind == 0 {
                return Ok(());
            }
            field = match byte >> 4 {
                0 => self.signed()?,
                step => field + i64::from(step),
            };
            if !(-0x8000..0x8000).contains(&field) {
                return Err(Refused::Malformed);
            }
            match kind {
                // The value of a boolean field is its kind.
                1 | 2 => {}
                4..=6 => {
                    let value = self.signed()?;
                    visit(field, value);
                }
                kind => self.value(kind, depth)?,
            }
        }
    }

    fn value(&mut self, kind: u8, depth: u8) -> Result<(), Refused> {
        if depth >= DEPTH {
            return Err(Refused::Malformed);
        }
        match kind {
            1..=3 => self.skip(1),
            4..=6 => self.signed().map(|_| ()),
            7 => self.skip(8),
            8 => {
                let len = self.unsigned()?;
                self.skip(len)
            }
            9 | 10 => {
                let byte = self.byte()?;
                let len = if byte >> 4 == 15 { self.unsigned()? } else { u64::from(byte >> 4) };
                if len > self.list_max {
                    return Err(Refused::Malformed);
                }
                (0..len).try_for_each(|_| self.value(byte & 15, depth + 1))
            }
            12 => self.structure(depth + 1, &mut |_, _| {}),
            // Parquet has no maps.
            _ => Err(Refused::Malformed),
        }
    }

    fn byte(&mut self) -> Result<u8, Refused> {
        let byte = *self.bytes.get(self.at).ok_or(Refused::Short)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip(&mut self, len: u64) -> Result<(), Refused> {
        if len > i32::MAX as u64 {
            return Err(Refused::Malformed);
        }
        let left = self.bytes.len() - self.at;
        if len > left as u64 {
            return Err(Refused::Short);
        }
        self.at += len as usize;
        Ok(())
    }

    fn unsigned(&mut self) -> Result<u64, Refused> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(Refused::Malformed)
    }

    fn signed(&mut self) -> Result<i64, Refused> {
        let value = self.unsigned()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(i64, i64)>, Refused> {
        let mut fields = Vec::new();
        walk(bytes, 3, &mut |id, value| fields.push((id, value))).map(|()| fields)
    }

    #[test]
    fn integers_of_the_outer_structure_are_passed_with_their_ids() {
        // 1: i32 = -3; 2: list of two structures with a field each; 5: binary; 20 by its full id: i64 = 300.
        let bytes = [0x15, 5, 0x19, 0x2c, 0x15, 9, 0, 0x15, 9, 0, 0x38, 2, b'a', b'b', 0x06, 40, 0xd8, 4, 0];
        assert_eq!(fields(&bytes), Ok(vec![(1, -3), (20, 300)]));
        for len in 0..bytes.len() {
            assert_eq!(fields(&bytes[..len]), Err(Refused::Short), "{len}");
        }
    }

    #[test]
    fn lists_and_texts_that_claim_more_than_there_is_are_refused() {
        assert_eq!(fields(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0]), Err(Refused::Malformed), "a long list");
        assert_eq!(fields(&[0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0x07, 0]), Err(Refused::Malformed), "a long text");
        assert_eq!(fields(&[0x1b, 0, 0]), Err(Refused::Malformed), "a map");
        assert_eq!(fields(&[0x15, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), Err(Refused::Malformed));
        let deep = [vec![0x1c; 100], vec![0; 101]].concat();
        assert_eq!(fields(&deep), Err(Refused::Malformed), "deep");
    }
}
