//! Texts that stand within another one.

use nddb_format::parts::Parts;
use nddb_index::PassageLimits;
use nddb_page::sketch::parts;
use nddb_verdict::{Comparison, DistinctWords, Level, Reason, Words};

use super::removal::{MemberDecision, MemberVerdict};

/// A text in which others may stand, prepared for comparisons with many of them.
pub struct Surrounding {
    words: Words,
    distinct: DistinctWords,
    parts: Parts,
    /// The hash of each part and its index, sorted.
    places: Vec<(u64, u32)>,
}

impl Surrounding {
    /// Prepares a compared text.
    #[must_use]
    pub fn of(compared: &str) -> Self {
        let words = Words::of(compared);
        let parts = parts(words.hashes(), 1);
        let mut places: Vec<_> = (0..).zip(&parts.selected).map(|(index, part)| (part.hash, index)).collect();
        places.sort_unstable();
        Self { distinct: DistinctWords::of(&words), words, parts, places }
    }

    /// Decides about a document whose compared text stands within this one: it is compared with the passages that both
    /// have ([`Level::removes_within`]). If no level removes it, no more may be said.
    #[must_use]
    pub fn decide(&self, level: Level, removed: &str) -> MemberDecision {
        let removed = Words::of(removed);
        if !Level::may_remove_within(&removed, &self.distinct) {
            return MemberDecision::without_loss(MemberVerdict::Loses(Reason::Share));
        }
        let asked = parts(removed.hashes(), 1);
        let stored = self.parts_of(&asked);
        let passages = PassageLimits::default().passages(&asked, &stored);
        let places = passages.iter().map(|passage| passage.stored.start as usize..passage.stored.end as usize);
        MemberDecision::exactly(level, Comparison::of(&removed, &self.words.passages(places)))
    }

    /// Returns the parts of this text that the other one has, too. Others are in no passage.
    fn parts_of(&self, asked: &Parts) -> Parts {
        let mut hashes: Vec<u64> = asked.selected.iter().map(|part| part.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let mut found = Vec::new();
        for hash in hashes {
            let from = self.places.partition_point(|place| place.0 < hash);
            found.extend(self.places[from..].iter().take_while(|place| place.0 == hash).map(|place| place.1));
        }
        found.sort_unstable();
        let selected = found.into_iter().map(|index| self.parts.selected[index as usize]).collect();
        Parts { selected, ..self.parts }
    }
}

#[cfg(test)]
mod tests {
    use nddb_page::text::{Page, compared_text};
    use nddb_test_support::Random;

    use super::*;

    /// The decision by its definition.
    fn plain(level: Level, removed: &str, kept: &str) -> MemberDecision {
        let [removed, kept] = [removed, kept].map(Words::of);
        let [asked, stored] = [&removed, &kept].map(|words| parts(words.hashes(), 1));
        let passages = PassageLimits::default().passages(&asked, &stored);
        let places = passages.iter().map(|passage| passage.stored.start as usize..passage.stored.end as usize);
        MemberDecision::exactly(level, Comparison::of(&removed, &kept.passages(places)))
    }

    #[test]
    fn texts_within_a_prepared_one_are_those_of_the_definition() {
        let mut random = Random::seeded("texts within others");
        let mut found = [0; 2];
        for _ in 0..300 {
            let kinds = [40, 400, 4000][random.index(3)];
            let mut words = |len: usize| (0..len).map(|_| format!("w{}x", random.below(kinds))).collect::<Vec<_>>();
            let (mut inner, before, between, behind) = (words(60), words(90), words(12), words(70));
            inner.extend(words(100));
            let cut = 20 + random.index(100);
            let outer = [&before[..], &inner[..cut], &between, &inner[cut..], &behind].concat();
            for _ in 0..[0, 2, 9, 40][random.index(4)] {
                let at = random.index(inner.len());
                inner[at] = ["not", "Name", "17", "another"][random.index(4)].into();
            }
            let [inner, outer] = [inner, outer].map(|words| compared_text(&Page::text(&words.join(" "))));
            let surrounding = Surrounding::of(&outer);
            for level in Level::ALL {
                let (decided, expected) = (surrounding.decide(level, &inner), plain(level, &inner, &outer));
                assert_eq!(decided.least, expected.least);
                assert_eq!(decided.verdict == MemberVerdict::Removed, expected.verdict == MemberVerdict::Removed);
                if expected.least.is_some() {
                    assert_eq!(decided, expected);
                }
                found[usize::from(expected.least.is_some())] += 1;
            }
        }
        assert!(found.iter().all(|&found| found > 100), "{found:?}");
    }
}
