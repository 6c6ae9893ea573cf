use crate::sampled::{PAIRS_MAX, RATIOS};
use nddb::detect::Resources;
use nddb::verdict::{Groups, Ratios};
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
    options.resources = Resources { memory_limit: 0, folder: folder.path().into(), ..Resources::default() };
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
    let resources = Resources { memory_limit: 0, folder: folder.path().into(), ..Resources::default() };
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
