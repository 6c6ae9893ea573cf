//! Sampling ratios of shingles by document length.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use nddb_page::sketch::{SAMPLING_MAX, Sampling};

/// Number of groups of documents by number of words (Ye et al. 2007, 4.4).
pub const GROUPS: usize = 11;
/// Width of a group in words: [0, 500), [500, 1000), ... [4500, 5000), [5000, oo).
pub const GROUP_WORDS: usize = 500;

/// Sampling ratio of each group of documents: n of the sampling 1/n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratios([u32; GROUPS]);

impl Ratios {
    /// Ratio 1 for every group: all shingles are kept.
    pub const ALL: Ratios = Ratios([1; GROUPS]);

    /// Returns one ratio for each group; `None` unless each is 1, 2, 4, 8, 16 or 32.
    pub fn new(ratios: [u32; GROUPS]) -> Option<Self> {
        ratios.iter().all(|&ratio| Sampling::new(ratio, 0).is_some()).then_some(Self(ratios))
    }

    /// Returns the same ratio for all groups; `None` unless it is 1, 2, 4, 8, 16 or 32.
    pub fn uniform(ratio: u32) -> Option<Self> {
        Self::new([ratio; GROUPS])
    }

    /// Returns the ratio of each group.
    pub fn groups(&self) -> &[u32; GROUPS] {
        &self.0
    }

    /// Returns the group of a document with this number of words.
    pub fn group(words: usize) -> usize {
        (words / GROUP_WORDS).min(GROUPS - 1)
    }

    /// Returns the ratio of a document. "A document within a factor 1/threshold in size of a finer group's bound also
    /// keeps that group's ratio" (Ye et al. 2007, 3): a document of that size may be a near-duplicate of one in the
    /// finer group, and then both are compared at the finer ratio.
    pub fn of(&self, words: usize, threshold: f64) -> u32 {
        let threshold = threshold.clamp(f64::MIN_POSITIVE, 1.0);
        let (least, most) = ((words as f64 * threshold).floor(), (words as f64 / threshold).ceil());
        let groups = Self::group(least as usize)..=Self::group(most as usize);
        self.0[groups].iter().copied().min().unwrap_or(1)
    }

    /// Returns the sampling of a ratio, with the remainder reduced so that coarser samples are subsets of finer ones.
    pub fn sampling(ratio: u32, remainder: u32) -> Sampling {
        Sampling::new(ratio, remainder & (ratio - 1)).unwrap_or_default()
    }

    /// Returns all valid ratios, finest first.
    pub fn each() -> impl Iterator<Item = u32> {
        (0..=SAMPLING_MAX.ilog2()).map(|log| 1 << log)
    }
}

impl fmt::Display for Ratios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.iter().all(|&ratio| ratio == self.0[0]) {
            return write!(f, "{}", self.0[0]);
        }
        let ratios: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&ratios.join(","))
    }
}

/// Error: a text that is not a valid list of ratios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRatio(String);

impl fmt::Display for UnknownRatio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is neither 1, 2, 4, 8, 16 or 32, nor {GROUPS} of these with commas between", self.0)
    }
}

impl Error for UnknownRatio {}

impl FromStr for Ratios {
    type Err = UnknownRatio;

    fn from_str(text: &str) -> Result<Self, UnknownRatio> {
        let unknown = || UnknownRatio(text.into());
        let ratios: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
        let ratios = ratios.map_err(|_| unknown())?;
        let ratios = match ratios[..] {
            [one] => Self::uniform(one),
            _ => ratios.try_into().ok().and_then(Self::new),
        };
        ratios.ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_near_a_finer_group_keeps_its_ratio() {
        let mut groups = [16; GROUPS];
        (groups[0], groups[1]) = (1, 4);
        let ratios = Ratios::new(groups).expect("ratios");
        for (words, ratio) in
            [(0, 1), (499, 1), (500, 1), (588, 1), (589, 4), (999, 4), (1176, 4), (1177, 16), (9000, 16)]
        {
            assert_eq!(ratios.of(words, 0.85), ratio, "{words} words");
        }
        assert_eq!(Ratios::uniform(8).expect("a ratio").of(77, 0.5), 8);
    }

    #[test]
    fn ratios_are_read_and_written() {
        for text in ["1", "16", "1,2,4,8,16,32,1,1,1,1,2"] {
            assert_eq!(text.parse::<Ratios>().map(|ratios| ratios.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "3", "64", "1,2", "x", "1,2,4,8,16,32,1,1,1,1,3"] {
            assert!(text.parse::<Ratios>().is_err(), "{text}");
        }
    }
}
