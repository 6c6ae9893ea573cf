use std::collections::{BTreeMap, BTreeSet};

use nddb_page::sketch::{Shingles, plain};
use nddb_page::text::{CanonicalWords, Page, folded_text};
use nddb_verdict::{Method, Rules};

use crate::options::PairOptions;
use crate::ratios::{GROUPS, Ratios};
use crate::support::{corpus, expanded, options, texts};
use crate::text_options::ShingleOptions;

/// The pairs by the definition: every pair of documents, by counting the shingles that they share.
fn brute(texts: &[String], options: &ShingleOptions, threshold: f64) -> BTreeSet<(u32, u32)> {
    let sets: Vec<Shingles> = texts
        .iter()
        .map(|text| {
            let words = CanonicalWords::of_text(&folded_text(&Page::text(text)));
            let ratio = options.ratios.of(words.len(), threshold);
            plain::shingles(&words, options.words, Ratios::sampling(ratio, options.remainder))
        })
        .collect();
    // Documents of one sample count once for the stop shingles.
    let mut seen = BTreeSet::new();
    let mut documents: BTreeMap<u128, u64> = BTreeMap::new();
    for set in &sets {
        if seen.insert((set.sampling().ratio(), set.hashes().to_vec())) {
            set.hashes().iter().for_each(|&hash| *documents.entry(hash).or_default() += 1);
        }
    }
    let sets: Vec<Shingles> = sets
        .iter()
        .map(|set| {
            let stays = |hash: &u128| options.stop.is_none_or(|stop| documents[hash] <= stop);
            Shingles::of_hashes(set.sampling(), set.hashes().iter().copied().filter(stays).collect())
        })
        .collect();
    let mut pairs = BTreeSet::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len() {
            let overlap = sets[a].overlap(&sets[b]).expect("samples nest");
            let equal = texts[a] == texts[b] && !texts[a].is_empty();
            if equal || overlap.shared > 0 && overlap.resemblance() >= threshold {
                pairs.insert((a as u32, b as u32));
            }
        }
    }
    pairs
}

#[test]
fn pairs_are_those_of_counting_shared_shingles() {
    let seed = 6;
    let texts = texts(220, seed);
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus(folder.path(), &texts);
    let mut mixed = [1; GROUPS];
    (mixed[0], mixed[1]) = (4, 2);
    let all = ShingleOptions::default();
    for shingles in [
        all,
        ShingleOptions { words: 1, ..all },
        ShingleOptions { ratios: Ratios::uniform(4).expect("a ratio"), remainder: 3, ..all },
        ShingleOptions { ratios: Ratios::uniform(32).expect("a ratio"), ..all },
        ShingleOptions { ratios: Ratios::new(mixed).expect("ratios"), remainder: 1, ..all },
        ShingleOptions { stop: Some(4), ..all },
    ] {
        for threshold in [0.1, 0.5, 0.85, 1.0] {
            let rules = Rules { resemblance: threshold, ..Rules::default() };
            let options = PairOptions { shingles, rules, ..options(Method::Shingles) };
            let (found, summary) = expanded(&corpus, &options);
            let want = brute(&texts, &shingles, threshold);
            let missing: Vec<_> = want.difference(&found).take(3).collect();
            let extra: Vec<_> = found.difference(&want).take(3).collect();
            assert!(
                missing.is_empty() && extra.is_empty(),
                "{shingles:?} at {threshold}, seed {seed}: missing {missing:?}, extra {extra:?}"
            );
            assert!(want.len() > 40, "{shingles:?} at {threshold}: {} pairs", want.len());
            assert_eq!(summary.shingles.stopped > 0, shingles.stop.is_some());
            assert!(summary.shingles.sampled <= summary.shingles.shingles);
        }
    }
}
