use std::collections::{BTreeMap, BTreeSet};

use nddb_page::sketch::{Shingles, plain};
use nddb_page::text::{CanonicalWords, Page, folded_text};
use nddb_verdict::{Ratios, methods};

use crate::support::{corpus, expanded, options, texts};

/// The pairs by the definition: every pair of documents, by counting the shingles that they share.
fn brute(texts: &[String], method: &methods::Shingles) -> BTreeSet<(u32, u32)> {
    let sets: Vec<Shingles> = texts
        .iter()
        .map(|text| {
            let words = CanonicalWords::of_text(&folded_text(&Page::text(text)));
            let ratio = method.ratios.of(words.len(), method.resemblance);
            let set = plain::shingles(&words, method.words, Ratios::sampling(ratio, method.remainder));
            let cap = method.cap.map_or(set.len(), |cap| set.len().min(cap as usize));
            Shingles::of_hashes(set.sampling(), set.hashes()[..cap].to_vec())
        })
        .collect();
    // Documents with equal samples count once towards the limit of a shingle.
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
            let stays = |hash: &u128| method.stop.is_none_or(|stop| documents[hash] <= stop);
            Shingles::of_hashes(set.sampling(), set.hashes().iter().copied().filter(stays).collect())
        })
        .collect();
    let mut pairs = BTreeSet::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len() {
            let overlap = sets[a].overlap(&sets[b]).expect("samples nest");
            let equal = texts[a] == texts[b] && !texts[a].is_empty();
            if equal || overlap.shared > 0 && overlap.resemblance() >= method.resemblance {
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
    let mixed: Ratios = "4,500:2,1000:1".parse().expect("ratios");
    let all = methods::Shingles::default;
    for shingles in [
        all(),
        methods::Shingles { words: 1, ..all() },
        methods::Shingles { ratios: Ratios::uniform(4).expect("a ratio"), remainder: 3, ..all() },
        methods::Shingles { ratios: Ratios::uniform(32).expect("a ratio"), ..all() },
        methods::Shingles { ratios: mixed, remainder: 1, ..all() },
        methods::Shingles { stop: Some(4), ..all() },
        methods::Shingles { cap: Some(12), ..all() },
        methods::Shingles { cap: Some(5), ratios: mixed, remainder: 1, ..all() },
    ] {
        for threshold in [0.1, 0.5, 0.85, 1.0] {
            let shingles = methods::Shingles { resemblance: threshold, ..shingles.clone() };
            let (found, summary) = expanded(&corpus, &options(shingles.clone()));
            let want = brute(&texts, &shingles);
            let missing: Vec<_> = want.difference(&found).take(3).collect();
            let extra: Vec<_> = found.difference(&want).take(3).collect();
            assert!(
                missing.is_empty() && extra.is_empty(),
                "{shingles:?}, seed {seed}: missing {missing:?}, extra {extra:?}"
            );
            assert!(want.len() > 40, "{shingles:?}: {} pairs", want.len());
            assert_eq!(summary.shingles.stopped > 0, shingles.stop.is_some());
            assert!(summary.shingles.sampled <= summary.shingles.shingles);
        }
    }
}
