//! Selected byte ranges of an archive, if it is not read as a whole.

use std::sync::Arc;

use nddb_format::record::Reading;
use xxhash_rust::xxh3::Xxh3Default;

use super::options::Options;

/// Prefix of the format's name in the stored options of an archive if only ranges of it were read; the hash of the
/// ranges follows.
const SELECT: &str = "select:";

/// Bytes of an archive that hold a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteRange {
    /// Offset of the first byte in the file.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
}

/// The selected ranges of an archive, ascending, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges(Arc<[ByteRange]>);

impl Ranges {
    /// Sorts ranges.
    #[must_use]
    pub fn new(mut ranges: Vec<ByteRange>) -> Self {
        ranges.sort_unstable();
        ranges.dedup();
        Self(ranges.into())
    }

    pub(super) fn get(&self, index: usize) -> Option<ByteRange> {
        self.0.get(index).copied()
    }

    /// Returns the number of ranges that begin before an offset.
    pub(super) fn before(&self, offset: u64) -> usize {
        self.0.partition_point(|range| range.offset < offset)
    }

    /// Returns the number of ranges.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "an archive without a range is no input")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the bytes of all ranges.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.iter().fold(0, |sum, range| sum.saturating_add(range.length))
    }

    /// Returns the options with which an archive is registered if only these ranges of it are read. They differ from
    /// the options of the whole archive, and of other ranges of it.
    pub(super) fn reading(&self, options: &Options) -> Reading {
        let mut hasher = Xxh3Default::new();
        for range in &*self.0 {
            hasher.update(&range.offset.to_le_bytes());
            hasher.update(&range.length.to_le_bytes());
        }
        let format = format!("{SELECT}{:032x}", hasher.digest128());
        Reading { format, ..options.every_reading() }
    }
}

/// Returns whether only ranges of an archive were read.
pub fn is_selected(reading: Option<&Reading>) -> bool {
    reading.is_some_and(|reading| reading.format.starts_with(SELECT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sorted_and_other_ranges_are_another_reading() {
        let range = |offset| ByteRange { offset, length: 5 };
        let ranges = Ranges::new(vec![range(20), range(0), range(20)]);
        assert_eq!((ranges.len(), ranges.bytes(), ranges.before(20), ranges.before(21)), (2, 10, 1, 2));
        let options = Options::default();
        assert_eq!(ranges.reading(&options), Ranges::new(vec![range(0), range(20)]).reading(&options));
        assert_ne!(ranges.reading(&options), Ranges::new(vec![range(0)]).reading(&options));
        assert!(is_selected(Some(&ranges.reading(&options))) && !is_selected(None));
        assert_eq!(Options::from_reading(Some(&ranges.reading(&options))), Options::from_reading(None));
    }
}
