//! Compares the measurements of texts with their definitions.

use std::collections::BTreeSet;

use nddb_dedup::support::{Corpus, corpus, texts};
use nddb_dedup::{PairOptions, Resources, UnreadTexts, perhaps_similar_sets};
use nddb_page::sketch::SignatureRules;
use nddb_page::sketch::plain::signatures;
use nddb_page::text::{Page, tokens};
use nddb_verdict::SetOptions;
use nddb_verdict::compare::lcs::plain::{compare, longest_common_subsequence};
use nddb_verdict::compare::lcs::{Likeness, Parameters};
use nddb_verdict::methods::{Lcs, MinHash};

use super::*;
use nddb_evaluate::Draw;

const SEEDS: [u64; 2] = [3, 11];

/// Short texts, because the definitions take time proportional to the product of the lengths.
fn short(len: usize, seed: u64) -> Vec<String> {
    let cut = |text: &String| text.chars().take(350).collect();
    texts(len, seed).iter().map(cut).collect()
}

fn options(folder: &std::path::Path) -> PairOptions {
    let resources = Resources { memory_limit: 0, folder: folder.into(), ..Resources::default() };
    PairOptions { resources, ..PairOptions::new(MinHash::default()) }
}

fn sample(corpus: &Corpus, options: &PairOptions, documents: usize, seed: u64) -> TextSample {
    text_sample(corpus.view(), corpus.collection(), options, documents, seed, &mut |_| true).expect("a sample")
}

/// Documents with different texts that are not empty.
fn different(corpus: &Corpus) -> Vec<u32> {
    let all = corpus.collection();
    (0..all.len()).filter(|&ordinal| all.representative(ordinal) == ordinal && !all.row(ordinal).is_empty).collect()
}

#[test]
fn a_sample_is_drawn_by_its_seed_and_takes_neighbours_along() {
    for seed in SEEDS {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = corpus(folder.path(), &texts(300, seed));
        let options = options(folder.path());
        let all = different(&corpus);
        let whole = sample(&corpus, &options, 1000, seed);
        assert_eq!((whole.documents(), whole.drawn()), (&all[..], &all[..]), "seed {seed}");
        assert_eq!((whole.drawn_from, whole.selected().len()), (all.len() as u64, SELECTED.min(all.len())));
        let few = sample(&corpus, &options, 20, seed);
        let again = sample(&corpus, &options, 20, seed);
        assert_eq!((few.documents(), few.drawn()), (again.documents(), again.drawn()), "seed {seed}");
        assert_ne!(few.drawn(), sample(&corpus, &options, 20, seed + 1).drawn(), "seed {seed}");
        assert_eq!((few.drawn().len(), few.selected()), (20, few.drawn()));
        // At most 20 pairs are added, each of a selected document and a near one.
        assert!(few.documents().len() > 20 && few.documents().len() <= 60, "{}", few.documents().len());
        assert!(few.drawn().iter().all(|drawn| few.documents().binary_search(drawn).is_ok()));
        let agreement = |a: u32, b: u32| corpus.collection().compared(a, b, |pair| pair.agreement());
        let near = |a: u32, b: u32| agreement(a, b) >= Some(MinHash::default().agreement);
        for other in few.documents().iter().filter(|other| few.drawn().binary_search(other).is_err()) {
            let joins = few.documents().iter().any(|&one| one != *other && near(one, *other));
            assert!(joins, "seed {seed}: {other} is near to none");
        }
        assert_eq!(sample(&corpus, &options, 0, seed).documents(), [0u32; 0]);
        std::fs::remove_file(folder.path().join("documents.jsonl")).expect("there");
        let gone = sample(&corpus, &options, 20, seed);
        assert_eq!((gone.documents(), gone.drawn_from), (&[0u32; 0][..], all.len() as u64));
        assert!(gone.unread.moved >= 20, "{:?}", gone.unread);
    }
}

#[test]
fn perhaps_similar_sets_are_worth_what_comparing_everything_says() {
    for seed in SEEDS {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = corpus(folder.path(), &short(60, seed));
        let (options, lcs) = (options(folder.path()), Lcs::default());
        let drawn = sample(&corpus, &options, 100, seed);
        let found =
            perhaps(corpus.collection(), &drawn, (&lcs, &options.resources), &Draw::new(1000, seed), 2, &mut |_| true);
        let found = found.expect("measured");
        let texts: Vec<&str> = drawn.documents().iter().map(|&ordinal| drawn.text(ordinal)).collect();
        let len = texts.len();
        let near =
            |a: usize, b: usize| compare(texts[a], texts[b], &lcs.comparison, &lcs.thresholds).exceeds(&lcs.thresholds);
        let similar: BTreeSet<(usize, usize)> =
            (0..len).flat_map(|a| (0..a).map(move |b| (b, a))).filter(|&(a, b)| near(a, b)).collect();
        assert_eq!((found.drawn, found.selected), (len as u64, len as u64), "seed {seed}");
        // Each pair is found from both sides.
        assert_eq!(
            (found.compared, found.similar),
            ((len * (len - 1)) as u64, 2 * similar.len() as u64),
            "seed {seed}"
        );
        assert!(similar.len() > 10, "seed {seed}: {}", similar.len());
        for (step, rotations) in found.steps.iter().zip(1..) {
            let rules = SignatureRules { rotations, ..SignatureRules::default() };
            let signed = texts.iter().filter(|text| !signatures(text, &rules).is_empty()).count();
            let how = SetOptions { signatures: rules, ..SetOptions::default() };
            let given: Vec<Option<&str>> = texts.iter().map(|text| Some(*text)).collect();
            let mut together = BTreeSet::new();
            for set in perhaps_similar_sets(&given, &how) {
                let members: Vec<usize> = set.iter().map(|&member| member as usize).collect();
                together
                    .extend(members.iter().flat_map(|&a| members.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b));
            }
            let both = together.intersection(&similar).count() as u64;
            assert_eq!(step.signatures, 7 * rotations);
            assert_eq!(
                (step.signed, step.perhaps),
                (signed as u64, 2 * together.len() as u64),
                "seed {seed}: {step:?}"
            );
            assert_eq!(step.similar, 2 * both, "seed {seed}: {step:?}");
            assert_eq!(step.trustable(), Some(both as f64 / together.len() as f64));
            assert_eq!(found.coverage(step), Some(both as f64 / similar.len() as f64));
            assert_eq!(found.signed(step), Some(signed as f64 / len as f64));
            if rotations == 16 {
                let pair = |&(a, b): &(usize, usize)| (drawn.documents()[a], drawn.documents()[b]);
                let split = |near: bool| -> Vec<(u32, u32)> {
                    together.iter().filter(|pair| similar.contains(pair) == near).map(pair).collect()
                };
                assert_eq!(found.pairs, [split(true), split(false)], "seed {seed}");
            }
        }
    }
}

/// Characters of a text in a window that the other text has, by looking at every window of both.
fn plain_kept(text: &str, other: &str, size: usize) -> usize {
    let (text, other): (Vec<char>, Vec<char>) = (text.chars().collect(), other.chars().collect());
    let window = |of: &[char], start: usize| {
        let units = |end: usize| of[start..end].iter().map(|one| if one.is_ascii() { 1 } else { 2 }).sum::<usize>();
        (start..=of.len()).find(|&end| units(end) >= size)
    };
    let mut kept = vec![false; text.len()];
    for start in 0..text.len() {
        let Some(end) = window(&text, start) else { break };
        let is_there =
            (0..other.len()).any(|at| window(&other, at).is_some_and(|to| other[at..to] == text[start..end]));
        if is_there {
            kept[start..end].fill(true);
        }
    }
    kept.into_iter().filter(|kept| *kept).count()
}

#[test]
fn windows_leave_what_looking_at_all_of_them_leaves() {
    for seed in SEEDS {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = corpus(folder.path(), &short(40, seed));
        let (options, lcs) = (options(folder.path()), Lcs::default());
        let drawn = sample(&corpus, &options, 100, seed);
        let documents = drawn.documents();
        let pairs: Vec<(u32, u32)> =
            documents.iter().enumerate().flat_map(|(at, &a)| documents[..at].iter().map(move |&b| (a, b))).collect();
        let pairs: Vec<(u32, u32)> = pairs.into_iter().step_by(pairs_step(documents.len())).collect();
        let found = straining(&drawn, &pairs, &lcs, 2, &mut |_| true).expect("measured");
        let all = nddb_verdict::compare::lcs::Thresholds::NONE;
        let plain = |(a, b): (u32, u32), window: usize| -> Likeness {
            compare(drawn.text(a), drawn.text(b), &Parameters { window, ..lcs.comparison }, &all)
        };
        let is_like = |pair: &(u32, u32)| plain(*pair, 1).exceeds(&lcs.thresholds);
        let like: Vec<(u32, u32)> = pairs.iter().copied().filter(is_like).collect();
        let unlike: Vec<(u32, u32)> = pairs.iter().copied().filter(|pair| !is_like(pair)).collect();
        assert_eq!((found.similar, found.unlike), (like.len() as u64, unlike.len() as u64), "seed {seed}");
        assert!(like.len() > 3 && unlike.len() > 3, "seed {seed}: {} {}", like.len(), unlike.len());
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        for step in found.steps.iter().filter(|step| [2, 6, 16, 40, 100].contains(&step.window)) {
            let reserved = mean(
                like.iter()
                    .map(|&pair| plain(pair, step.window).trusted as f64 / plain(pair, 1).trusted as f64)
                    .collect(),
            );
            let strained = |&(a, b): &(u32, u32)| {
                let [a, b] = [a, b].map(|ordinal| drawn.text(ordinal));
                let kept = plain_kept(a, b, step.window) + plain_kept(b, a, step.window);
                1.0 - kept as f64 / (a.chars().count() + b.chars().count()) as f64
            };
            let strained = mean(unlike.iter().map(strained).collect());
            let is = |found: Option<f64>, wanted: f64| found.is_some_and(|found| (found - wanted).abs() < 1e-9);
            assert!(is(step.strained, strained), "seed {seed}: {step:?}, strained {strained}");
            assert!(is(step.reserved, reserved), "seed {seed}: {step:?}, reserved {reserved}");
        }
        assert_eq!(found.steps.len(), WINDOWS.len());
        let none = straining(&drawn, &[], &lcs, 1, &mut |_| true).expect("measured");
        assert!(none.steps.iter().all(|step| (step.strained, step.reserved) == (None, None)));
    }
}

/// About sixty pairs are examined.
fn pairs_step(documents: usize) -> usize {
    (documents * documents / 120).max(1)
}

#[test]
fn terms_differ_by_what_no_common_subsequence_holds() {
    for seed in SEEDS {
        let folder = tempfile::tempdir().expect("a folder");
        let made = texts(60, seed);
        let corpus = corpus(folder.path(), &made);
        let options = options(folder.path());
        let all = different(&corpus);
        let pairs: Vec<(u32, u32)> = all.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let measure = |lists: &[&[(u32, u32)]]| {
            term_differences(corpus.view(), corpus.collection(), lists, &options, &mut |_| true).expect("measured")
        };
        let (found, unread) = measure(&[&pairs, &pairs[..3], &[]]);
        assert_eq!(unread, UnreadTexts::default());
        let terms = |ordinal: u32| {
            let index: usize = corpus.collection().id(ordinal)[1..].parse().expect("an index");
            tokens(&Page::text(&made[index])).hashes().to_vec()
        };
        let mut wanted: Vec<u64> = pairs
            .iter()
            .map(|&(a, b)| {
                let (a, b) = (terms(a), terms(b));
                (a.len() + b.len() - 2 * longest_common_subsequence(&a, &b).len()) as u64
            })
            .collect();
        wanted.sort_unstable();
        let counts: Vec<u64> =
            found[0].counts.iter().flat_map(|(&terms, &pairs)| std::iter::repeat_n(terms, pairs as usize)).collect();
        assert_eq!(counts, wanted, "seed {seed}");
        assert_eq!(found[0].pairs(), wanted.len() as u64);
        assert_eq!(found[0].mean(), Some(wanted.iter().sum::<u64>() as f64 / wanted.len() as f64), "seed {seed}");
        assert_eq!(found[0].median(), Some(wanted[(wanted.len() - 1) / 2]), "seed {seed}");
        let below = wanted.iter().filter(|&&terms| terms < 50).count();
        assert_eq!(found[0].below(50), Some(below as f64 / wanted.len() as f64));
        assert_eq!((found[1].pairs(), &found[2]), (3, &TermDifferences::default()));
        assert_eq!((found[2].mean(), found[2].median(), found[2].below(9)), (None, None, None));
        std::fs::remove_file(folder.path().join("documents.jsonl")).expect("there");
        let (gone, unread) = measure(&[&pairs]);
        assert_eq!((gone[0].unread, gone[0].pairs(), unread.moved), (pairs.len() as u64, 0, all.len() as u64));
    }
}
