//! Perhaps-similar sets by the definition, for tests: every signature of every text, and sets merged one by one.

use std::collections::{BTreeMap, BTreeSet};

use nddb_page::sketch::plain::signatures;

use nddb_verdict::SetOptions;

/// The site of a document; there are few sites.
pub(super) fn site(ordinal: u32) -> Option<u32> {
    (!ordinal.is_multiple_of(7)).then_some(ordinal % 3)
}

/// The documents that have each kept signature, by the definition.
pub(super) fn lists(texts: &[Option<&str>], options: &SetOptions) -> (Vec<BTreeSet<u32>>, Vec<usize>) {
    let mut all: BTreeMap<u128, BTreeSet<u32>> = BTreeMap::new();
    let mut weights = Vec::new();
    for (ordinal, text) in (0..).zip(texts) {
        let found = text.map_or(Vec::new(), |text| signatures(text, &options.signatures));
        weights.push(found.len());
        found.iter().for_each(|signature| _ = all.entry(signature.value).or_default().insert(ordinal));
    }
    let kept = |list: &BTreeSet<u32>| {
        let of_site = |site_of| list.iter().filter(|&&ordinal| site(ordinal) == Some(site_of)).count();
        let (len, concentrated) = (list.len() as u64, (0..3).any(|one| 2 * of_site(one) > list.len()));
        len > 1 && len <= options.most && !(len > options.most_of_site && concentrated)
    };
    (all.into_values().filter(kept).collect(), weights)
}

/// The sets, by the definition: lists with the same representative are merged, then each list into the lists before.
pub fn plain(texts: &[Option<&str>], options: &SetOptions) -> Vec<BTreeSet<u32>> {
    let (lists, weights) = lists(texts, options);
    let mut by_representative: BTreeMap<(usize, u32), BTreeSet<u32>> = BTreeMap::new();
    for list in lists {
        let key = list.iter().map(|&ordinal| (weights[ordinal as usize], ordinal)).max().expect("not empty");
        by_representative.entry(key).or_default().extend(list);
    }
    let mut sets = Vec::new();
    while let Some((_, mut set)) = by_representative.pop_last() {
        while let Some(key) = by_representative.keys().copied().find(|(_, representative)| set.contains(representative))
        {
            set.extend(by_representative.remove(&key).expect("it is there"));
        }
        sets.push(set);
    }
    sets
}
