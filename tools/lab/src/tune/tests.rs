use nddb::detect::methods::Shingles;
use nddb::detect::{GROUPS, Groups, PairOptions, Ratios, Resources};
use nddb_dedup::support::{corpus, texts};

use super::*;

/// Wilson's interval: the bound is the share p for which `correct` of `all` is Z standard deviations above the mean.
#[test]
fn the_lower_bound_solves_its_equation() {
    for (correct, all) in [(90.0, 100.0), (500.0, 1000.0), (3.0, 7.0), (100.0, 100.0)] {
        let bound = lower_bound(correct, all);
        let deviation = (bound * (1.0 - bound) / all).sqrt();
        assert!((correct / all - bound - 1.644_853_626_951_472_2 * deviation).abs() < 1e-9, "{correct} of {all}");
    }
    assert_eq!((lower_bound(0.0, 0.0), lower_bound(0.0, 10.0)), (0.0, 0.0));
}

#[test]
fn calibration_counts_what_sampled_runs_return() {
    let texts = texts(500, 12);
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus(folder.path(), &texts);
    let mut options = TuneOptions { precision: 0.5, ..TuneOptions::default() };
    options.resources = Resources { memory_limit: 0, folder: folder.path().into() };
    options.shingles.resemblance = 0.6;
    let made = calibrate(corpus.view(), corpus.collection(), &options, &mut |_| true).expect("figures");
    assert_eq!(made.unread.total(), 0);
    // All shingles are the truth.
    let whole = &made.uniform[0];
    assert_eq!((whole.precision, whole.recall, whole.shingles), (Some(1.0), Some(1.0), 1.0));
    for (run, ratio) in made.uniform.iter().zip(RATIOS) {
        assert_eq!(run.ratios, Ratios::uniform(ratio).expect("a ratio"));
        assert!((run.shingles - 1.0 / f64::from(ratio)).abs() < 1e-9, "each shingle is in one sample of n");
        assert!(run.recall.is_some_and(|recall| recall > 0.2 && recall <= 1.0));
    }
    assert_eq!(made.groups.len(), made.bounds.count());
    for (group, figures) in made.groups.iter().enumerate() {
        let ratio = figures.ratio(0.5);
        let position = RATIOS.iter().position(|&other| ratio == other).expect("a ratio");
        let (returned, correct) = (figures.returned[position], figures.correct[position]);
        assert!(figures.pairs >= 100 && lower_bound(correct, returned) >= 0.5, "group {group}: {figures:?}");
        assert_eq!(made.adaptive.ratios.of(made.bounds.words(group).0, 1.0), ratio);
    }
    assert!(made.groups.iter().any(|group| group.documents > 0 && group.returned[0] == group.pairs as f64));
    // Fewer documents, but the same ones each time.
    options.documents = 100;
    let part = calibrate(corpus.view(), corpus.collection(), &options, &mut |_| true).expect("figures");
    assert!(part.documents <= 100 && part.documents > 50, "{}", part.documents);
    assert_eq!(part, calibrate(corpus.view(), corpus.collection(), &options, &mut |_| true).expect("figures"));
}

/// Groups with few or no pairs take the ratio of the group into which they are merged.
#[test]
fn groups_with_few_pairs_are_merged() {
    let figures = |pairs: f64, correct: [f64; 6]| GroupFigures {
        documents: 10,
        pairs: pairs as u64,
        returned: [pairs; 6],
        drawn: [pairs; 6],
        correct: correct.map(|share| share * pairs),
        ..GroupFigures::default()
    };
    let short = figures(400.0, [1.0, 0.99, 0.95, 0.6, 0.4, 0.2]);
    let long = figures(400.0, [1.0, 1.0, 0.99, 0.97, 0.95, 0.6]);
    let (few, none) = (figures(40.0, [1.0, 1.0, 1.0, 1.0, 0.5, 0.5]), GroupFigures::default());
    let measured = |figures: &[GroupFigures]| Measured {
        cells: Groups::from(&[64, 128, 256, 512, 1024][..figures.len() - 1]).expect("groups"),
        figures: figures.to_vec(),
    };
    for (cells, bounds, ratios) in [
        (&[short, long][..], &[64][..], "4,64:16"),
        (&[none, short, few, long, few, none], &[128], "4,128:8"),
        (&[few, long, short], &[128], "8,128:4"),
        (&[short, short, long], &[64, 128], "4,128:16"),
        (&[few, few, few], &[], "8"),
        (&[none, none], &[], "1"),
    ] {
        let chosen = choose(&measured(cells), 0.9);
        assert_eq!(chosen.bounds, Groups::from(bounds).expect("groups"), "{cells:?}");
        assert_eq!(chosen.ratios.to_string(), ratios, "{cells:?}");
        assert_eq!(
            chosen.groups.iter().map(|group| group.documents).sum::<u64>(),
            10 * cells.iter().filter(|cell| cell.documents > 0).count() as u64
        );
    }
    assert_eq!(choose(&measured(&[few]), 0.95).ratios.to_string(), "1", "37 of 40 may be chance");
}

/// With sixteen hundred copies of a page, and pages that differ in one word, work grows linearly with the documents.
#[test]
fn copies_cost_no_more_than_the_pairs_that_are_drawn() {
    let page = |word: usize| (0..40).map(|at| if at == 20 { format!("t{word} ") } else { format!("w{at} ") }).collect();
    let texts: Vec<String> = (0..3200).map(|at| page(if at % 2 == 0 { 0 } else { at })).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus(folder.path(), &texts);
    let resources = Resources { memory_limit: 0, folder: folder.path().into() };
    let mut options = TuneOptions { resources, ..TuneOptions::default() };
    // 40 words make 36 shingles, and each word is in five of them: 31 of 41 are shared.
    options.shingles.resemblance = 0.75;
    let mut most = 0;
    let made = calibrate(corpus.view(), corpus.collection(), &options, &mut |progress| {
        if progress.phase == "decide" {
            most = most.max(progress.total.unwrap_or(u64::MAX));
        }
        true
    })
    .expect("figures");
    assert_eq!(made.documents, 1601);
    assert!(most > 0 && most <= PAIRS_MAX as u64, "runs of at most {most} pairs");
    let short = &made.groups[0];
    // All pairs of the pages in the half for choosing ratios; the drawn pairs represent them.
    let pairs = (short.documents * (short.documents - 1) / 2) as f64;
    assert!(short.drawn[0] < pairs && (short.returned[0] - pairs).abs() < 0.02 * pairs, "{short:?} of {pairs}");
    assert_eq!((made.uniform[0].precision, made.uniform[0].recall), (Some(1.0), Some(1.0)));
    assert!(made.uniform[1..].iter().all(|run| run.precision.is_some_and(|share| share > 0.99)), "{:?}", made.uniform);
}

/// Compares every pair of documents at every threshold, ratio and remainder, directly by their shingles.
#[test]
fn samples_find_what_comparing_all_pairs_of_samples_finds() {
    use nddb_page::sketch::{Sampling, shingles};
    use nddb_page::text::CanonicalWords;
    for seed in [5, 6] {
        let folder = tempfile::tempdir().expect("a folder");
        let made = texts(70, seed);
        let corpus = corpus(folder.path(), &made);
        let all = corpus.collection();
        let (shingles_of, mut options) = (Shingles::default(), PairOptions::new(Shingles::default()));
        options.resources = Resources { memory_limit: 0, folder: folder.path().into() };
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
        for step in &found.steps {
            for (position, ratio) in RATIOS.into_iter().enumerate() {
                let (mut returned, mut correct) = ([0.0; GROUPS], [0.0; GROUPS]);
                for remainder in 0..ratio {
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
                }
                let is = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
                let told = format!("seed {seed}, {} at 1/{ratio}", step.threshold);
                assert!(is(&step.returned[position], &returned), "{told}: {:?} {returned:?}", step.returned[position]);
                assert!(is(&step.correct[position], &correct), "{told}: {:?} {correct:?}", step.correct[position]);
                let sum = |of: &[f64]| of.iter().sum::<f64>();
                let pairs = step.pairs.iter().sum::<u64>() as f64;
                let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
                let same = |a: Option<f64>, b: Option<f64>| a.zip(b).map_or(a == b, |(a, b)| (a - b).abs() < 1e-9);
                assert!(same(step.precision(position, None), share(sum(&correct), sum(&returned))), "{told}");
                assert!(same(step.recall(position, None), share(sum(&correct), pairs)), "{told}");
                assert!(same(step.recall(position, Some(0)), share(correct[0], step.pairs[0] as f64)), "{told}");
            }
        }
        assert_eq!(found.steps.len(), THRESHOLDS.len());
        assert!(found.steps[0].pairs.iter().sum::<u64>() > 20, "seed {seed}");
        let none = sampled(corpus.view(), all, &[], &options, &shingles_of, 1, &mut |_| true).expect("measured");
        assert!(none.steps.iter().all(|step| step.precision(0, None).is_none() && step.recall(3, None).is_none()));
    }
}
