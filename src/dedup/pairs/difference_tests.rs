//! The greatest share of the words that may differ.

use std::collections::BTreeMap;

use nddb_index::Config;
use nddb_index::spill::resources::Resources;
use nddb_page::text::{Page, whole_words};
use nddb_verdict::compare::lcs::plain::longest_common_subsequence;
use nddb_verdict::methods::{Model, Simhash};

use super::*;
use crate::Verification;
use crate::support::{Corpus, Random, documents, named, options, texts};

/// A database of these texts with the sketches of every method.
fn corpus(folder: &std::path::Path, texts: &[String]) -> Corpus {
    let config = Config::within(3).expect("a k").recipe("main-c/1");
    let resources = Resources { memory_limit: 0, folder: folder.into() };
    Corpus::load(&documents(folder, texts), &folder.join("texts.nddb"), &config, &resources)
}

/// The pairs of all documents and the share of their words that differs, by ordinals, the lower one first.
fn found(corpus: &Corpus, options: &PairOptions) -> BTreeMap<(u32, u32), Option<f64>> {
    let options = PairOptions { expand: true, ..options.clone() };
    let mut found = BTreeMap::new();
    pairs(corpus.view(), corpus.collection(), &options, &mut |_| true, &mut |line| {
        if let Line::Pair(pair) = line {
            found.insert((pair.a.min(pair.b), pair.a.max(pair.b)), pair.measures.share("difference"));
        }
        Ok(())
    })
    .expect("pairs");
    found
}

#[test]
fn a_lower_limit_only_removes_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus(folder.path(), &texts(120, 9));
    for method in ["model", "b", "min-hash", "simhash"] {
        for verify in [None, Some(Verification::default())] {
            let mut options = PairOptions { verify: verify.clone(), ..options(named(method)) };
            let all = found(&corpus, &options);
            let mut last = all.clone();
            for most in [0.9, 0.3, 0.1, 0.03, 0.0] {
                options.max_difference = Some(most);
                let fewer = found(&corpus, &options);
                let what = format!("{method}, {}, {most}", verify.is_some());
                assert!(fewer.keys().all(|pair| last.contains_key(pair)), "{what}");
                assert!(fewer.values().all(|difference| difference.is_none_or(|share| share <= most)), "{what}");
                last = fewer;
            }
            assert!(
                !last.is_empty() && last.len() < all.len(),
                "{method}, {}: {} of {}",
                verify.is_some(),
                last.len(),
                all.len()
            );
        }
    }
}

#[test]
fn texts_that_are_read_tell_it_exactly() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = texts(120, 9);
    let corpus = corpus(folder.path(), &texts);
    let words: Vec<Vec<u64>> = texts.iter().map(|text| whole_words(&Page::text(text))).collect();
    let mut options = PairOptions { verify: Some(Verification::default()), ..options(Model::default()) };
    let near: Vec<(u32, u32)> = found(&corpus, &options).into_keys().collect();
    options.max_difference = Some(0.1);
    let kept = found(&corpus, &options);
    let mut differing = 0;
    for pair in near {
        let [a, b] = [&words[pair.0 as usize], &words[pair.1 as usize]];
        let many = a.len().max(b.len());
        let exact = (many - longest_common_subsequence(a, b).len()) as f64 / many as f64;
        assert_eq!(kept.get(&pair), (exact <= 0.1).then_some(&Some(exact)), "{pair:?}");
        differing += u32::from(exact > 0.0 && exact <= 0.1);
    }
    assert!(differing > 5, "{differing}");
    // If the texts cannot be read, the estimate is used.
    std::fs::remove_file(folder.path().join("documents.jsonl")).expect("there");
    let estimated = found(&corpus, &options);
    options.verify = None;
    assert_eq!(estimated, found(&corpus, &options));
}

/// Texts with the same words in another order have equal fingerprints, but no sequence of words in common.
#[test]
fn a_group_of_equal_sketches_has_no_member_that_differs_too_much() {
    let mut random = Random(5);
    let ordered: Vec<String> = (0..300).map(|word| format!("w{word}x")).collect();
    let mut shuffled = ordered.clone();
    shuffled.sort_by_cached_key(|_| random.next());
    let mut swapped = ordered.clone();
    swapped.swap(100, 200);
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus(folder.path(), &[ordered, shuffled, swapped].map(|words| words.join(" ")));
    let mut options = options(Simhash::default());
    let mut groups = |most: Option<f64>| {
        options.max_difference = most;
        let mut groups = Vec::new();
        let summary = pairs(corpus.view(), corpus.collection(), &options, &mut |_| true, &mut |line| {
            match line {
                Line::Group(group) => groups.push(group.members.to_vec()),
                Line::Pair(pair) => panic!("{pair:?}"),
            }
            Ok(())
        });
        (groups, summary.expect("pairs").rejected)
    };
    assert_eq!(groups(None), (vec![vec![0, 1, 2]], 0));
    let (found, rejected) = groups(Some(0.2));
    assert_eq!(found, [[0, 2]]);
    assert!(rejected > 0);
}
