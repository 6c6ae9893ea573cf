//! Figures of labelled pairs by their similarities and by slope, against their definitions.

use std::path::Path;

use nddb::archive::Options;
use nddb_dedup::support::texts;
use nddb_dedup::{PairOptions, Resources, support};
use nddb_index::Config;
use nddb_page::sketch::Recipe;
use nddb_page::text::{Page, folded_text};
use nddb_verdict::compare::lcs::Parameters;
use nddb_verdict::compare::lcs::plain::compare;
use nddb_verdict::methods::{Hamming, Lcs};

use nddb_evaluate::eval::{Corpus, Counts, Gold, Label, Labels};

use super::*;

/// Short texts, because the definition takes time proportional to the product of the lengths.
fn documents(seed: u64) -> Vec<String> {
    texts(30, seed).iter().map(|text| text.chars().take(300).collect()).collect()
}

/// The texts in a database, with a recipe that compares whole texts, not only their content.
fn corpus(folder: &Path, texts: &[String]) -> Corpus {
    let (path, database) = (support::documents(folder, texts), folder.join("texts.nddb"));
    let config = Config::within(3).expect("a k").recipe("web/1");
    let recipe = Recipe::named("web").expect("a recipe");
    let resources = Resources { memory_limit: 0, folder: folder.into(), ..Resources::default() };
    Corpus::load((&path, &Options::default()), &database, &config, &recipe, &resources, &mut |_| true)
        .expect("documents")
}

/// Every third pair of documents, labelled as given.
fn labels(len: usize, label: &dyn Fn(usize, usize) -> &'static str) -> Labels {
    let mut lines = String::from("id1\tid2\tlabel\n");
    for a in 0..len {
        for b in (0..a).filter(|b| (a + b).is_multiple_of(3)) {
            lines += &format!("d{a:04}\td{b:04}\t{}\n", label(a, b));
        }
    }
    Labels::read(lines.as_bytes()).expect("labels")
}

fn mixed(a: usize, b: usize) -> &'static str {
    ["1", "0", "0", "1", "g"][(a * 7 + b) % 5]
}

#[test]
fn labelled_pairs_are_counted_by_what_their_sketches_say() {
    for seed in [1, 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = corpus(folder.path(), &texts(80, seed));
        let gold = corpus.gold(&labels(80, &mixed)).expect("joined");
        let all = corpus.collection();
        let selected: Vec<bool> = (0..gold.pairs.len()).map(|position| position % 4 > 0).collect();
        let found = BySimilarity::of(&similar_pairs(&gold, &selected, all));
        let pairs: Vec<(Option<u32>, Option<u32>, Label)> = gold
            .pairs
            .iter()
            .zip(&selected)
            .filter(|(_, selected)| **selected)
            .map(|(pair, _)| {
                let b = all.supershingles(pair.a).zip(all.supershingles(pair.b));
                let c = all.projection(pair.a).zip(all.projection(pair.b));
                let bits = |(x, y): ([u64; 6], [u64; 6])| x.iter().zip(&y).map(|(x, y)| (x ^ y).count_zeros()).sum();
                let equal = |(x, y): ([u64; 6], [u64; 6])| (0..6).filter(|&at| x[at] == y[at]).count() as u32;
                (b.map(equal), c.map(bits), pair.label)
            })
            .collect();
        let count = |is_in: &dyn Fn(Option<u32>, Option<u32>) -> bool| {
            let mut counts = Counts::default();
            pairs.iter().for_each(|&(b, c, label)| counts.add(label, is_in(b, c)));
            counts
        };
        for (value, counts) in (0..7).zip(&found.by_b) {
            assert_eq!(*counts, count(&|b, _| b == Some(value)), "seed {seed}, b {value}");
        }
        for (&(from, to), counts) in C_RANGES.iter().zip(&found.by_c) {
            assert_eq!(*counts, count(&|_, c| c >= Some(from) && c <= Some(to)), "seed {seed}, c {from}");
        }
        for (index, (least, counts)) in COMBINED_C.zip(&found.all.combined).enumerate() {
            let kept = count(&|b, c| b >= Some(2) && c >= Some(least));
            assert_eq!(*counts, kept, "seed {seed}, C-similarity {least}");
            let of_b = found.all.r(index).expect("B returns correct pairs");
            assert!((of_b - kept.found[0] as f64 / found.all.b.found[0] as f64).abs() < 1e-12, "seed {seed}");
            let sites = [&found.same_site, &found.different_sites].map(|part| part.combined[index].labelled());
            let known =
                gold.pairs.iter().zip(&selected).filter(|(pair, selected)| **selected && pair.same_site[0].is_some());
            assert_eq!(sites.iter().sum::<u64>(), known.count() as u64, "seed {seed}");
        }
        assert_eq!(found.all.b, count(&|b, _| b >= Some(2)));
        assert!(found.all.b.found.iter().all(|&found| found > 0), "seed {seed}: {:?}", found.all.b);
        let without_b = pairs.iter().filter(|pair| pair.0.is_none()).count();
        let without_c = pairs.iter().filter(|pair| pair.1.is_none()).count();
        assert_eq!(found.unknown, [without_b as u64, without_c as u64]);
    }
}

#[test]
fn slopes_are_judged_as_comparing_every_pair_plainly_judges_them() {
    for seed in [1, 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let made = documents(seed);
        let corpus = corpus(folder.path(), &made);
        let (lcs, mut options) = (Lcs::default(), PairOptions::new(Hamming::default()));
        options.resources = Resources { memory_limit: 0, folder: folder.path().into(), ..Resources::default() };
        let near = |a: usize, b: usize| {
            let near = compare(&made[a], &made[b], &lcs.comparison, &lcs.thresholds).exceeds(&lcs.thresholds);
            // Some labels disagree with the method, and some are undecided.
            if (a * b).is_multiple_of(11) {
                "g"
            } else if near != (a + b).is_multiple_of(7) {
                "1"
            } else {
                "0"
            }
        };
        let gold = corpus.gold(&labels(30, &near)).expect("joined");
        let selected = vec![true; gold.pairs.len()];
        let measure = |gold: &Gold, selected: &[bool]| {
            by_slope(corpus.view(), corpus.collection(), gold, selected, (&options, &lcs), &mut |_| true)
                .expect("measured")
        };
        let found = measure(&gold, &selected);
        assert_eq!((found.left_out, found.steps.len()), (0, SLOPES.len()));
        let text = |ordinal: u32| {
            let index: usize = corpus.collection().id(ordinal)[1..].parse().expect("an index");
            folded_text(&Page::text(&made[index]))
        };
        let all = nddb_verdict::compare::lcs::Thresholds::NONE;
        for step in found.steps.iter().step_by(2) {
            let parameters = Parameters { slope: step.slope, ..lcs.comparison };
            let judged: Vec<_> = gold
                .pairs
                .iter()
                .map(|pair| (pair.label, compare(&text(pair.a), &text(pair.b), &parameters, &all)))
                .collect();
            let mut usual = Counts::default();
            judged.iter().for_each(|(label, likeness)| usual.add(*label, likeness.exceeds(&lcs.thresholds)));
            assert_eq!(step.usual, usual, "seed {seed}, slope {}", step.slope);
            // The greatest resemblance with which nine tenths of the correct pairs are found.
            let counts = |least: f64| {
                let mut counts = Counts::default();
                judged.iter().for_each(|(label, likeness)| counts.add(*label, likeness.resemblance >= least));
                counts
            };
            let reaches = |least: &f64| counts(*least).recall().is_some_and(|recall| recall >= RECALL);
            let wanted = judged.iter().map(|(_, likeness)| likeness.resemblance).filter(reaches).fold(0.0, f64::max);
            assert_eq!(step.adjusted, counts(wanted), "seed {seed}, slope {}", step.slope);
        }
        // Labels of one class, and none at all.
        let wrong = corpus.gold(&labels(30, &|_, _| "0")).expect("joined");
        let step = measure(&wrong, &selected).steps[0];
        assert_eq!((step.resemblance, step.adjusted.precision(), step.usual.recall()), (None, None, None));
        assert_eq!(measure(&gold, &vec![false; gold.pairs.len()]).steps[4].usual, Counts::default());
        std::fs::remove_file(folder.path().join("documents.jsonl")).expect("there");
        let gone = measure(&gold, &selected);
        assert_eq!(gone.left_out, gold.pairs.len() as u64);
        assert!(gone.unread.moved > 0 && gone.steps[0].usual == Counts::default());
    }
}
