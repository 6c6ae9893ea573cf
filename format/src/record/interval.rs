//! Intervals: documents that have only a fingerprint and an id, with consecutive ids (SPEC 9.8).

use std::ops::Range;

use super::cursor::{Cursor, VERSION, put_text};
use super::document::Print;
use super::id::check_id;
use crate::Result;
use crate::error::malformed;
use crate::postings::NUMBER_END;

/// Maximum number of fingerprints in a group; groups end at multiples of it.
pub const GROUP: u64 = 512;
/// Ordinals are below this: they have at most 19 digits.
pub const ORDINAL_END: u64 = 10_000_000_000_000_000_000;
/// Version of the value of a group of prints; the value of a single print has [`VERSION`].
const VERSION_GROUP: u8 = 2;

/// Consecutive document numbers of bare fingerprints whose ids are one prefix and consecutive ordinals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least number.
    pub low: u64,
    /// One more than the greatest number.
    pub high: u64,
    /// The ordinal in the id of the least number.
    pub ordinal: u64,
    /// Number of the batch that the documents belong to, 0 for none.
    pub batch: u32,
    /// The prefix of all ids: an id is the prefix and the ordinal.
    pub prefix: String,
}

impl Interval {
    /// Returns the bytes: version, high, ordinal, batch, prefix. The least number is in the key.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        out.extend_from_slice(&self.high.to_le_bytes());
        out.extend_from_slice(&self.ordinal.to_le_bytes());
        out.extend_from_slice(&self.batch.to_le_bytes());
        put_text(&mut out, &self.prefix);
        out
    }

    /// Reads the value of the key with this least number.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(low: u64, bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new("interval", bytes)?;
        let (high, ordinal, batch) = (cursor.u64()?, cursor.u64()?, cursor.u32()?);
        let interval = Self { low, high, ordinal, batch, prefix: cursor.text()?.to_owned() };
        cursor.end()?;
        if low >= high || high > NUMBER_END {
            return malformed("interval", 1, "an interval has a number, and ends at 2^40 at most");
        }
        if ordinal.checked_add(high - low).is_none_or(|end| end > ORDINAL_END) {
            return malformed("interval", 9, "ordinals have at most 19 digits");
        }
        check_id(&interval.id(low))?;
        check_id(&interval.id(high - 1))?;
        Ok(interval)
    }

    /// Returns the id of one of the numbers.
    pub fn id(&self, number: u64) -> String {
        format!("{}{}", self.prefix, self.ordinal + (number - self.low))
    }

    /// Returns the number of an ordinal, if it is one of these.
    pub fn number(&self, ordinal: u64) -> Option<u64> {
        let offset = ordinal.checked_sub(self.ordinal)?;
        (offset < self.high - self.low).then_some(self.low + offset)
    }

    /// Returns the part from `low` to `high`, which are within this one.
    pub fn part(&self, low: u64, high: u64) -> Self {
        Self { low, high, ordinal: self.ordinal + (low - self.low), ..self.clone() }
    }

    /// Returns the number in the key of the group of prints with one of the numbers.
    pub fn group_of(&self, number: u64) -> u64 {
        (number - number % GROUP).max(self.low)
    }
}

/// Returns the value of a row of `deleted`, or of a row for documents that a pending batch replaces. The key has the
/// first of these numbers (at least one). The value for a single number is empty.
pub fn encode_stretch(numbers: &Range<u64>) -> Vec<u8> {
    match numbers.end - numbers.start {
        1 => Vec::new(),
        _ => [&[VERSION][..], &numbers.end.to_le_bytes()].concat(),
    }
}

/// Reads the value of such a row.
///
/// # Errors
/// [`crate::FormatError`] for the first rule that is broken.
pub fn decode_stretch(low: u64, value: &[u8]) -> Result<Range<u64>> {
    if value.is_empty() {
        return Ok(low..low.saturating_add(1));
    }
    let mut cursor = Cursor::new("stretch", value)?;
    let high = cursor.u64()?;
    cursor.end()?;
    if high.saturating_sub(low) < 2 || high > NUMBER_END {
        return malformed("stretch", 1, "a stretch has two numbers, and ends at 2^40 at most");
    }
    Ok(low..high)
}

/// Returns the number that these digits denote, as at the end of an interval's ids: without leading zeros.
pub fn ordinal_of(digits: &str) -> Option<u64> {
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_canonical = is_plain && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|&ordinal| is_canonical && ordinal < ORDINAL_END)
}

/// Splits an id into (prefix, ordinal) in every way that an interval allows, the longest ordinal first.
pub fn splits(id: &str) -> impl Iterator<Item = (&str, u64)> {
    let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    (id.len() - digits..id.len()).filter_map(|at| Some((&id[..at], ordinal_of(&id[at..])?)))
}

/// A value of `prints`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prints<'a> {
    /// The print of one document.
    One(Print),
    /// The prints of consecutive numbers of an interval.
    Group(IntervalGroup<'a>),
}

/// The fingerprints of consecutive numbers of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalGroup<'a>(&'a [u8]);

impl<'a> Prints<'a> {
    /// Reads the value of the key with this number.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(number: u64, bytes: &'a [u8]) -> Result<Self> {
        let Some((&VERSION_GROUP, fingerprints)) = bytes.split_first() else {
            return Print::decode(bytes).map(Self::One);
        };
        let len = (fingerprints.len() / size_of::<u64>()) as u64;
        let is_whole = fingerprints.len().is_multiple_of(size_of::<u64>());
        if len == 0 || !is_whole || number % GROUP + len > GROUP {
            return malformed("prints", 1, "a group has a fingerprint, and ends at a multiple of 512 at most");
        }
        Ok(Self::Group(IntervalGroup(fingerprints)))
    }
}

impl IntervalGroup<'_> {
    /// Returns the bytes of a group of these fingerprints.
    pub fn encode(fingerprints: &[u64]) -> Vec<u8> {
        let mut out = Vec::with_capacity(1 + size_of_val(fingerprints));
        out.push(VERSION_GROUP);
        fingerprints.iter().for_each(|fingerprint| out.extend_from_slice(&fingerprint.to_le_bytes()));
        out
    }

    /// Returns the print at an index of the group.
    pub fn get(&self, index: usize) -> Option<Print> {
        let bytes = self.0.as_chunks::<8>().0.get(index)?;
        Some(Print { fingerprint: u64::from_le_bytes(*bytes), unprinted: false })
    }

    /// Returns the prints, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Print> {
        self.0
            .as_chunks::<8>()
            .0
            .iter()
            .map(|bytes| Print { fingerprint: u64::from_le_bytes(*bytes), unprinted: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(prefix: &str, ordinal: u64) -> Interval {
        Interval { low: 100, high: 1100, ordinal, batch: 7, prefix: prefix.into() }
    }

    #[test]
    fn ids_count_on_and_lead_back() {
        let ids = interval("a1", 95);
        assert_eq!((ids.id(100), ids.id(104), ids.id(105)), ("a195".into(), "a199".into(), "a1100".into()));
        for number in 100..1100 {
            let id = ids.id(number);
            let found: Vec<u64> =
                splits(&id).filter(|(prefix, _)| *prefix == "a1").filter_map(|(_, found)| ids.number(found)).collect();
            assert_eq!(found, [number], "{id}");
        }
        assert_eq!((ids.number(94), ids.number(1095)), (None, None));
        let part = ids.part(300, 400);
        assert_eq!((part.id(300), part.number(295), part.number(294)), (ids.id(300), Some(300), None));
    }

    #[test]
    fn an_id_is_split_before_each_ordinal() {
        let of = |id| splits(id).map(|(prefix, ordinal)| format!("{prefix}+{ordinal}")).collect::<Vec<_>>();
        assert_eq!(of("a120"), ["a+120", "a1+20", "a12+0"]);
        assert_eq!(of("a007"), ["a00+7"]);
        assert_eq!(of("0"), ["+0"]);
        assert_eq!(of("7é"), [""; 0]);
        assert_eq!(of("é7"), ["é+7"]);
        assert_eq!(of("99999999999999999999")[0], "9+9999999999999999999");
        assert_eq!((ordinal_of(""), ordinal_of("00"), ordinal_of("+1"), ordinal_of("0")), (None, None, None, Some(0)));
    }

    #[test]
    fn an_interval_and_a_group_are_read_as_written() {
        let written = interval("x", 5);
        assert_eq!(Interval::decode(100, &written.encode()), Ok(written.clone()));
        assert_eq!((written.group_of(100), written.group_of(511), written.group_of(513)), (100, 100, 512));
        let bytes = IntervalGroup::encode(&[3, u64::MAX]);
        let Ok(Prints::Group(group)) = Prints::decode(100, &bytes) else { panic!("a group") };
        let found: Vec<u64> = group.iter().map(|print| print.fingerprint).collect();
        assert_eq!((found, group.get(1).is_some(), group.get(2)), (vec![3, u64::MAX], true, None));
        let one = Print { fingerprint: 9, unprinted: true };
        assert_eq!(Prints::decode(1, &one.encode()), Ok(Prints::One(one)));
    }
}
