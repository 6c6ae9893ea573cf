//! Sampling ratios of shingles by document length.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use nddb_page::sketch::{SAMPLING_MAX, Sampling};

/// Greatest number of groups into which documents are divided by their number of words: the paper has 11 (Ye et al.
/// 2007, 4.2).
pub const GROUPS: usize = 11;
/// Width of a group of the paper, in words: [0, 500), [500, 1000), ... [4500, 5000), [5000, oo).
const GROUP_WORDS: usize = 500;

/// Groups of documents by their number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The least number of words of each group except the first; `usize::MAX` for groups that do not exist.
    from: [usize; GROUPS - 1],
}

impl Groups {
    /// The groups of the paper (Ye et al. 2007, 4.2).
    pub const PAPER: Groups = {
        let mut from = [0; GROUPS - 1];
        let mut group = 0;
        while group < from.len() {
            from[group] = (group + 1) * GROUP_WORDS;
            group += 1;
        }
        Groups { from }
    };

    /// Returns groups that begin at 0 and at these numbers of words; `None` unless the numbers ascend from at least 1,
    /// or if there are more than 10.
    pub fn from(words: &[usize]) -> Option<Self> {
        let ascends = words.first().is_none_or(|&first| first > 0) && words.is_sorted_by(|a, b| a < b);
        let mut from = [usize::MAX; GROUPS - 1];
        from.get_mut(..words.len())?.copy_from_slice(words);
        ascends.then_some(Self { from })
    }

    /// Returns the number of groups.
    pub fn count(&self) -> usize {
        1 + self.from.partition_point(|&from| from < usize::MAX)
    }

    /// Returns the group of a document with this number of words.
    pub fn of(&self, words: usize) -> usize {
        self.from.partition_point(|&from| from <= words && from < usize::MAX)
    }

    /// Returns the least number of words of a group, and the least number of the next group if there is one.
    pub fn words(&self, group: usize) -> (usize, Option<usize>) {
        let from = |group: usize| self.from.get(group).copied().filter(|&from| from < usize::MAX);
        (group.checked_sub(1).and_then(from).unwrap_or(0), from(group))
    }
}

/// Sampling ratio of each group of documents: the n of sampling 1/n. Neighbouring groups with equal ratios are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratios {
    groups: Groups,
    ratios: [u32; GROUPS],
}

impl Ratios {
    /// Ratio 1 for every document: all shingles are kept.
    pub const ALL: Ratios = Ratios { groups: Groups { from: [usize::MAX; GROUPS - 1] }, ratios: [1; GROUPS] };

    /// Returns one ratio for each group; `None` unless there are as many ratios as groups, and each is 1, 2, 4, 8, 16
    /// or 32.
    pub fn new(groups: &Groups, ratios: &[u32]) -> Option<Self> {
        let is_valid = ratios.iter().all(|&ratio| Sampling::new(ratio, 0).is_some());
        if ratios.len() != groups.count() || !is_valid {
            return None;
        }
        let changes = (1..ratios.len()).filter(|&group| ratios[group] != ratios[group - 1]);
        let changes: Vec<usize> = changes.collect();
        let from: Vec<usize> = changes.iter().map(|&group| groups.words(group).0).collect();
        let mut made = [ratios[0]; GROUPS];
        for (index, &group) in changes.iter().enumerate() {
            made[index + 1..].fill(ratios[group]);
        }
        Some(Self { groups: Groups::from(&from)?, ratios: made })
    }

    /// Returns the same ratio for all documents; `None` unless it is 1, 2, 4, 8, 16 or 32.
    pub fn uniform(ratio: u32) -> Option<Self> {
        Self::new(&Self::ALL.groups, &[ratio])
    }

    /// Returns the groups.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Returns the ratio of each group.
    pub fn by_group(&self) -> &[u32] {
        &self.ratios[..self.groups.count()]
    }

    /// Returns the coarsest ratio n; there are n different samples.
    pub fn coarsest(&self) -> u32 {
        self.by_group().iter().copied().max().unwrap_or(1)
    }

    /// Returns the ratio of a document. Usually this is the ratio of its group. A document whose size is within a
    /// factor 1/threshold of a group with a finer ratio may be a near-duplicate of a document there, so it takes the
    /// finer ratio. Two documents are compared at the coarser of their ratios; a pair across two groups is thus
    /// compared at the finer ratio.
    pub fn of(&self, words: usize, threshold: f64) -> u32 {
        let threshold = threshold.clamp(f64::MIN_POSITIVE, 1.0);
        let (least, most) = ((words as f64 * threshold).floor(), (words as f64 / threshold).ceil());
        let groups = self.groups.of(least as usize)..=self.groups.of(most as usize);
        self.ratios[groups].iter().copied().min().unwrap_or(1)
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

/// Writes a single ratio, or the ratio of each group; groups after the first begin with their least number of words:
/// `8` or `4,600:8,1200:16`.
impl fmt::Display for Ratios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.ratios[0])?;
        (1..self.groups.count())
            .try_for_each(|group| write!(f, ",{}:{}", self.groups.words(group).0, self.ratios[group]))
    }
}

/// Error: a text that is not a valid list of ratios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRatio(String);

impl fmt::Display for UnknownRatio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no ratio (1, 2, 4, 8, 16 or 32), nor a ratio followed by words:ratio for longer documents, as \
             4,600:8,1200:16, nor {GROUPS} ratios with commas between",
            self.0
        )
    }
}

impl Error for UnknownRatio {}

/// Reads the form that [`Ratios`] writes, or 11 ratios with commas between, one for each group of the paper.
impl FromStr for Ratios {
    type Err = UnknownRatio;

    fn from_str(text: &str) -> Result<Self, UnknownRatio> {
        let unknown = || UnknownRatio(text.into());
        let number = |text: &str| text.parse::<u32>().map_err(|_| unknown());
        if !text.contains(':') && text.contains(',') {
            let ratios: Vec<u32> = text.split(',').map(number).collect::<Result<_, _>>()?;
            return Self::new(&Groups::PAPER, &ratios).ok_or_else(unknown);
        }
        let mut parts = text.split(',');
        let (mut from, mut ratios) = (Vec::new(), vec![number(parts.next().unwrap_or_default())?]);
        for part in parts {
            let (words, ratio) = part.split_once(':').ok_or_else(unknown)?;
            from.push(words.parse().ok().filter(|&words| words < usize::MAX).ok_or_else(unknown)?);
            ratios.push(number(ratio)?);
        }
        Groups::from(&from).and_then(|groups| Self::new(&groups, &ratios)).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_near_a_finer_group_keeps_its_ratio() {
        let ratios: Ratios = "1,500:4,1000:16".parse().expect("ratios");
        for (words, ratio) in
            [(0, 1), (499, 1), (500, 1), (588, 1), (589, 4), (999, 4), (1176, 4), (1177, 16), (9000, 16)]
        {
            assert_eq!(ratios.of(words, 0.85), ratio, "{words} words");
        }
        assert_eq!(Ratios::uniform(8).expect("a ratio").of(77, 0.5), 8);
    }

    #[test]
    fn a_group_has_the_words_from_its_bound_to_the_next() {
        let groups = Groups::from(&[100, 300]).expect("groups");
        assert_eq!([0, 99, 100, 299, 300, usize::MAX].map(|words| groups.of(words)), [0, 0, 1, 1, 2, 2]);
        assert_eq!([0, 1, 2].map(|group| groups.words(group)), [(0, Some(100)), (100, Some(300)), (300, None)]);
        assert_eq!((groups.count(), Groups::PAPER.count(), Groups::PAPER.words(10)), (3, 11, (5000, None)));
        assert_eq!([499, 500, 4999, 5000].map(|words| Groups::PAPER.of(words)), [0, 1, 9, 10]);
        for wrong in [&[0][..], &[5, 5], &[9, 8], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]] {
            assert_eq!(Groups::from(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn ratios_are_read_and_written() {
        for text in ["1", "16", "1,500:2,1000:4", "8,64:4,4096:32"] {
            assert_eq!(text.parse::<Ratios>().map(|ratios| ratios.to_string()), Ok(text.to_owned()));
        }
        for (text, written) in [
            ("1,2,4,8,16,32,1,1,1,1,2", "1,500:2,1000:4,1500:8,2000:16,2500:32,3000:1,5000:2"),
            ("8,16,16,16,16,16,16,16,16,16,16", "8,500:16"),
            ("4,4,4,4,4,4,4,4,4,4,4", "4"),
            ("8,100:8,200:16,300:16", "8,200:16"),
        ] {
            let ratios: Ratios = text.parse().expect(text);
            assert_eq!((ratios.to_string().as_str(), ratios.coarsest() >= 4), (written, true));
        }
        for text in ["", "3", "64", "1,2", "x", "1,2,4,8,16,32,1,1,1,1,3", "1,0:2", "1,5:2,5:4", "1,9", "1,9:3", "1:2"]
        {
            assert!(text.parse::<Ratios>().is_err(), "{text}");
        }
    }
}
