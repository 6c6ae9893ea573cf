use nddb_dedup::support::{corpus, texts};
use nddb_dedup::{PairOptions, Resources};
use nddb_page::sketch::{Sampling, shingles};
use nddb_page::text::CanonicalWords;
use nddb_verdict::methods::Shingles;
use nddb_verdict::{GROUPS, Groups};

use super::*;

/// Compares every pair of documents at every threshold, ratio and remainder, directly by their shingles.
#[test]
fn samples_find_what_comparing_all_pairs_of_samples_finds() {
    for seed in [5, 6] {
        let folder = tempfile::tempdir().expect("a folder");
        let made = texts(70, seed);
        let corpus = corpus(folder.path(), &made);
        let all = corpus.collection();
        let (shingles_of, mut options) = (Shingles::default(), PairOptions::new(Shingles::default()));
        options.resources = Resources { memory_limit: 0, folder: folder.path().into(), ..Resources::default() };
        let documents: Vec<u32> =
            (0..all.len()).filter(|&one| all.representative(one) == one && !all.row(one).is_empty).collect();
        let found =
            sampled(corpus.view(), all, &documents, &options, &shingles_of, 2, &mut |_| true).expect("measured");
        let words = |ordinal: u32| {
            let index: usize = all.id(ordinal)[1..].parse().expect("an index");
            CanonicalWords::of_text(&made[index])
        };
        let sets: Vec<_> = documents
            .iter()
            .map(|&one| (Groups::PAPER.of(words(one).len()), shingles(&words(one), shingles_of.words, Sampling::ALL)))
            .collect();
        assert_eq!(found.documents.iter().sum::<u64>(), documents.len() as u64, "seed {seed}");
        assert_eq!(found.shingles.iter().sum::<u64>(), sets.iter().map(|set| set.1.len() as u64).sum::<u64>());
        let mut unequal = 0;
        for step in &found.steps {
            for (position, ratio) in RATIOS.into_iter().enumerate() {
                let (mut returned, mut correct) = ([0.0; GROUPS], [0.0; GROUPS]);
                let mut trials = Vec::new();
                for remainder in 0..ratio {
                    let before = [returned, correct].map(|of: [f64; GROUPS]| of.iter().sum::<f64>());
                    let sampling = Sampling::new(ratio, remainder).expect("a sampling");
                    let samples: Vec<_> = sets.iter().map(|set| set.1.resample(sampling).expect("coarser")).collect();
                    for a in 0..sets.len() {
                        for b in 0..a {
                            let near = |x: &nddb_page::sketch::Shingles, y| {
                                x.overlap(y).is_some_and(|overlap| overlap.resemblance() >= step.threshold)
                            };
                            let group = sets[a].0.min(sets[b].0);
                            if !samples[a].is_empty() && !samples[b].is_empty() && near(&samples[a], &samples[b]) {
                                returned[group] += 1.0 / f64::from(ratio);
                                correct[group] += f64::from(u8::from(near(&sets[a].1, &sets[b].1))) / f64::from(ratio);
                            }
                        }
                    }
                    let [of_trial, right] =
                        [returned.iter().sum::<f64>() - before[0], correct.iter().sum::<f64>() - before[1]];
                    trials.extend((of_trial > 1e-9).then(|| right / of_trial));
                }
                let is = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
                let told = format!("seed {seed}, {} at 1/{ratio}", step.threshold);
                assert!(is(&step.returned[position], &returned), "{told}: {:?} {returned:?}", step.returned[position]);
                assert!(is(&step.correct[position], &correct), "{told}: {:?} {correct:?}", step.correct[position]);
                let sum = |of: &[f64]| of.iter().sum::<f64>();
                let pairs = step.pairs.iter().sum::<u64>() as f64;
                let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
                let same = |a: Option<f64>, b: Option<f64>| a.zip(b).map_or(a == b, |(a, b)| (a - b).abs() < 1e-9);
                let mean = share(sum(&trials), trials.len() as f64);
                assert!(same(step.precision(position, None), mean), "{told}: {trials:?}");
                unequal += usize::from(!same(mean, share(sum(&correct), sum(&returned))));
                assert!(same(step.recall(position, None), share(sum(&correct), pairs)), "{told}");
                assert!(same(step.recall(position, Some(0)), share(correct[0], step.pairs[0] as f64)), "{told}");
            }
        }
        assert_eq!(found.steps.len(), THRESHOLDS.len());
        assert!(unequal > 0, "a mean of precisions is not the precision of all pairs");
        assert!(found.steps[0].pairs.iter().sum::<u64>() > 20, "seed {seed}");
        let none = sampled(corpus.view(), all, &[], &options, &shingles_of, 1, &mut |_| true).expect("measured");
        assert!(none.steps.iter().all(|step| step.precision(0, None).is_none() && step.recall(3, None).is_none()));
    }
}
