use std::collections::BTreeSet;

use nddb_index::spill::resources::Resources;
use nddb_page::sketch::SignatureRules;
use nddb_page::text::{Page, folded_text};
use nddb_verdict::SetOptions;
use nddb_verdict::compare::lcs;
use nddb_verdict::compare::lcs::{Parameters, Thresholds};
use nddb_verdict::methods::{Cosine, Hamming, Lcs};
use proptest::prelude::*;

use super::plain::{lists, plain, site};
use super::*;
use crate::pair::Line;
use crate::pairs;
use crate::support::{Random, corpus, expanded, options, texts};
use crate::text_summary::SetSummary;

fn sets(texts: &[Option<&str>], options: &SetOptions) -> (Vec<BTreeSet<u32>>, SetSummary) {
    let folder = tempfile::tempdir().expect("a folder");
    let resources = Resources { memory_limit: 0, folder: folder.path().into(), ..Resources::default() };
    let mut signed = Signed::new(texts.len() as u32, &resources);
    // Sources may be read in any order.
    for (ordinal, text) in texts.iter().enumerate().rev() {
        signed
            .push(ordinal as u32, text.unwrap_or("left out: this sentence is nobody's business"), options)
            .expect("taken");
    }
    let mut summary = SetSummary::default();
    let takes = |ordinal: u32| texts[ordinal as usize].is_some();
    let made = Sets::new(signed, options, &resources, &takes, &site, &mut summary).expect("sets");
    let mut found = Vec::new();
    made.each(&mut |set| {
        found.push(set.iter().copied().collect::<BTreeSet<u32>>());
        assert_eq!(found.last().map(BTreeSet::len), Some(set.len()), "a document is in a set once");
        Ok(())
    })
    .expect("sets");
    (found, summary)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sets_are_those_of_the_definition(seed in any::<u64>(), smallest in 1usize..5, most in 4u64..60) {
        let texts = texts(80, seed);
        let mut random = Random(seed);
        let texts: Vec<Option<&str>> =
            texts.iter().map(|text| (random.below(10) > 0).then_some(text.as_str())).collect();
        let rules = SignatureRules { smallest, rotations: 3, ..SignatureRules::default() };
        let options = SetOptions { signatures: rules, most, most_of_site: most / 2, ..SetOptions::default() };
        let (found, summary) = sets(&texts, &options);
        let want = plain(&texts, &options);
        prop_assert_eq!(&found, &want);
        // Documents that share a kept signature share a set.
        let (lists, _) = lists(&texts, &options);
        prop_assert!(lists.iter().all(|list| found.iter().any(|set| list.is_subset(set))));
        prop_assert_eq!(summary.shared - summary.dropped, lists.len() as u64);
    }
}

/// All pairs in one set that are near by a measure, and all pairs of equal texts.
fn brute(texts: &[String], near: &dyn Fn(&str, &str) -> bool) -> BTreeSet<(u32, u32)> {
    let folded: Vec<String> = texts.iter().map(|text| folded_text(&Page::text(text))).collect();
    // The first of several equal texts is the leader, and the others are in the sets of the leader.
    let leader: Vec<usize> =
        folded.iter().map(|text| folded.iter().position(|other| other == text).expect("its own")).collect();
    let leads = |index: usize| leader[index] == index && !folded[index].is_empty();
    let takes: Vec<Option<&str>> =
        (0..texts.len()).map(|index| leads(index).then_some(folded[index].as_str())).collect();
    let sets = plain(&takes, &SetOptions { most: 10_000, most_of_site: 10_000, ..SetOptions::default() });
    let mut pairs = BTreeSet::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len() {
            let (x, y) = (leader[a] as u32, leader[b] as u32);
            let together = x == y || sets.iter().any(|set| set.contains(&x) && set.contains(&y));
            if !folded[a].is_empty() && together && near(&folded[a], &folded[b]) {
                pairs.insert((a as u32, b as u32));
            }
        }
    }
    pairs
}

/// Whether two texts are near by trustable longest common subsequence.
fn is_like(a: &str, b: &str) -> bool {
    let thresholds = Thresholds::default();
    lcs::plain::compare(a, b, &Parameters::default(), &thresholds).exceeds(&thresholds)
}

#[test]
fn exhaustive_pairs_are_those_of_comparing_all_in_each_set() {
    let seed = 5;
    let texts = texts(150, seed);
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus(folder.path(), &texts);
    assert_eq!(corpus.collection().len() as usize, texts.len(), "every text is a document");
    for method in ["lcs", "cosine"] {
        let sets = SetOptions { most_of_site: 10_000, ..SetOptions::exhaustive() };
        let by = |sets: SetOptions| match method {
            "lcs" => options(Lcs { sets, ..Lcs::default() }),
            _ => options(Cosine { sets, ..Cosine::default() }),
        };
        let cosine = |a: &str, b: &str| {
            let [a, b] = [a, b].map(nddb_verdict::compare::Frequencies::of_text);
            a.cosine(&b) > 0.95
        };
        let want = brute(&texts, if method == "lcs" { &is_like } else { &cosine });
        let (found, summary) = expanded(&corpus, &by(sets));
        let missing: Vec<_> = want.difference(&found).take(3).collect();
        let extra: Vec<_> = found.difference(&want).take(3).collect();
        assert!(missing.is_empty() && extra.is_empty(), "{method}, seed {seed}: missing {missing:?}, extra {extra:?}");
        assert!(want.len() > 100 && summary.sets.sets > 1, "{method}: {} pairs, {summary:?}", want.len());
        assert_eq!((summary.unread.total(), summary.sets.limited), (0, 0));
        // Comparing with leaders only finds a subset of these pairs; reaching the limit is reported.
        let quick = by(SetOptions { exhaustive: false, ..sets });
        let mut part = 0;
        let summary_of_part = pairs(corpus.view(), corpus.collection(), &quick, &mut |_| true, &mut |line| {
            if let Line::Pair(pair) = line {
                part += 1;
                assert!(want.contains(&(pair.a.min(pair.b), pair.a.max(pair.b))), "{method}: {pair:?}");
            }
            Ok(())
        });
        let summary_of_part = summary_of_part.expect("pairs");
        assert!(part > 20 && summary_of_part.sets.compared < summary.sets.compared, "{method}: {part} pairs");
        let none = by(SetOptions { comparisons: 0, ..sets });
        let (_, summary) = expanded(&corpus, &none);
        assert!(summary.sets.limited == summary.sets.sets && summary.sets.compared == 0);
    }
}

#[test]
fn verified_pairs_are_those_of_the_method_that_are_near_by_their_texts() {
    let texts = texts(120, 9);
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus(folder.path(), &texts);
    let mut options = options(Hamming::default());
    let (all, _) = expanded(&corpus, &options);
    options.verify = Some(Lcs::default().into());
    let (verified, summary) = expanded(&corpus, &options);
    let near = |a: u32, b: u32| {
        let text = |ordinal: u32| {
            let index: usize = corpus.collection().id(ordinal)[1..].parse().expect("an index");
            folded_text(&Page::text(&texts[index]))
        };
        let identical = corpus.collection().representative(a) == corpus.collection().representative(b);
        identical || is_like(&text(a), &text(b))
    };
    let want: BTreeSet<(u32, u32)> = all.iter().copied().filter(|&(a, b)| near(a, b)).collect();
    assert_eq!(verified, want);
    assert_eq!((summary.rejected, summary.unverified), ((all.len() - want.len()) as u64, 0));
    // If the texts cannot be read, no pair is dropped, and every pair is marked.
    std::fs::remove_file(folder.path().join("documents.jsonl")).expect("there");
    let (unread, summary) = expanded(&corpus, &options);
    assert_eq!(unread, all);
    assert!(summary.unverified > 0 && summary.unread.moved > 0 && summary.rejected == 0);
}
