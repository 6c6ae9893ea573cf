//! The figures of Manku, Jain, Das Sarma 2007, and those questions of its section 6 that labelled pairs can answer.

use nddb::Result;
use nddb::detect::Collection;
use nddb::verdict::methods::Hamming;

use super::exhibit::{Cell, Chart, Exhibit};
use super::{Subject, Watch};
use crate::labelled::{
    AtDistance, ByLanguage, Contents, OfFeatures, by_distance, by_features, by_language, contents, distances_of,
};
use crate::measures::{BUCKETS, Prints, prints};
use nddb_evaluate::eval::{Counts, Gold};

/// Greatest distance of Figure 1.
const DISTANCE_MAX: u32 = 10;
/// Up to this number of fingerprints, all pairs are counted, so that figures can be weighted by the pairs at each
/// distance.
const COMPARED_MAX: usize = 50_000;
/// Distance of simhash with which identity is compared: k of the paper.
const K: u32 = 3;
/// Least ratios of the shorter to the longer text: 0.8 is the paper's example (6.A).
const LENGTHS: [f64; 6] = [0.0, 0.5, 0.7, 0.8, 0.9, 0.95];

pub(super) fn exhibits(subject: &Subject<'_>, watch: Watch<'_>) -> Result<Vec<Exhibit>> {
    let prints = prints(subject.collection, subject.view.settings().bits, &subject.resources, watch)?;
    let mut made = vec![figure_1(subject), figure_2a(&prints), figure_2b(&prints, subject.collection)];
    made.push(lengths(subject));
    let options = subject.options_of_texts();
    let of_texts = match subject.gold {
        Some(gold) => Some((
            contents(subject.view, subject.collection, gold, &options, watch)?,
            by_features(subject.view, subject.collection, gold, &options, watch)?,
            by_language(subject.view, subject.collection, gold, &options, K, watch)?,
        )),
        None => None,
    };
    made.push(languages(subject, of_texts.as_ref().map(|(.., languages)| languages)));
    made.push(identity(subject, of_texts.as_ref().map(|(contents, ..)| contents)));
    made.push(features(subject, of_texts.as_ref().map(|(_, features, _)| features)));
    Ok(made)
}

fn figure_1(subject: &Subject<'_>) -> Exhibit {
    let columns = [
        "k",
        "precision",
        "recall",
        "weighted precision",
        "weighted recall",
        "paper",
        "correct at k",
        "incorrect",
        "undecided",
        "pairs of all documents",
    ];
    let made = Exhibit::new("Figure 1", "precision and recall of simhash by its distance", &columns)
        .paper("precision and recall are both near 0.75 at k = 3.");
    let Some(gold) = subject.gold else { return made.note(subject.unlabelled()) };
    let mut made = made
        .note(
            "Precision and recall as of an equal number of pairs at each distance from 1 to 10; weighted: each distance \
             counts by its pairs among all documents. A distance without a decided pair has no part in either.",
        )
        .plotted(Chart::Lines((1..=4).collect()));
    let at = distances(subject.collection, gold);
    for (index, equal) in equal_draws(&at).into_iter().enumerate() {
        let of = &at[index + 1];
        let paper = (of.distance == K).then_some(0.75);
        let [correct, incorrect, undecided] = of.labelled.map(Cell::from);
        made.row([
            u64::from(of.distance).into(),
            equal.0.into(),
            equal.1.into(),
            of.weighted_precision.into(),
            of.weighted_recall.into(),
            paper.into(),
            correct,
            incorrect,
            undecided,
            of.pairs.into(),
        ]);
    }
    made
}

/// Labelled pairs by the distance of their fingerprints.
fn distances(collection: &Collection, gold: &Gold) -> Vec<AtDistance> {
    let (labelled, pairs) = distances_of(collection, gold, &vec![true; gold.pairs.len()], COMPARED_MAX);
    by_distance(labelled, &pairs, DISTANCE_MAX)
}

/// Precision and recall within each distance from 1 on, for an equal number of pairs at each distance: "for each k, we
/// randomly sampled an equal number of pairs of fingerprints that are at Hamming distance exactly k" (4.1).
fn equal_draws(at: &[AtDistance]) -> Vec<(Option<f64>, Option<f64>)> {
    let shares: Vec<Option<f64>> = at.iter().skip(1).map(|at| at.precision_at).collect();
    let all: f64 = shares.iter().flatten().sum();
    let (mut right, mut drawn) = (0.0, 0.0);
    let within = shares.iter().map(|share| {
        if let Some(share) = share {
            right += share;
            drawn += 1.0;
        }
        ((drawn > 0.0).then(|| right / drawn), (all > 0.0).then(|| right / all))
    });
    within.collect()
}

fn figure_2a(prints: &Prints) -> Exhibit {
    let columns = ["position of the leading 1-bit", "pairs"];
    let mut made = Exhibit::new("Figure 2(a)", "leading 1-bits in XORs of successive fingerprints", &columns)
        .paper("the right half falls by half at each step, as of random values; the left half does not: clusters.")
        .note(format!("{} different fingerprints; position 0 is the least bit.", prints.distinct))
        .plotted(Chart::Bars);
    for (position, &pairs) in (0u64..).zip(&prints.leading) {
        made.row([position.into(), pairs.into()]);
    }
    made
}

fn figure_2b(prints: &Prints, collection: &Collection) -> Exhibit {
    let mut made = Exhibit::new(
        "Figure 2(b)",
        format!("documents in {BUCKETS} buckets of fingerprints"),
        &["bucket", "documents"],
    )
    .paper("more or less equal, with spikes: empty pages, \"File not Found\" pages, login pages of one software.")
    .plotted(Chart::Bars);
    for (bucket, &documents) in (0u64..).zip(&prints.documents_in) {
        made.row([bucket.into(), documents.into()]);
    }
    let mean = prints.documents as f64 / BUCKETS as f64;
    made.notes.push(format!("{} documents, {mean:.3} in a bucket on average.", prints.documents));
    for hot in prints.hottest.iter().take(3) {
        let id = collection.id(hot.example);
        made.notes.push(format!(
            "Fingerprint {:016x} has {} documents, for instance {id}.",
            hot.fingerprint.0, hot.documents
        ));
    }
    made
}

/// Length as evidence beside simhash (6.A).
fn lengths(subject: &Subject<'_>) -> Exhibit {
    let columns = ["least share of the longer", "precision", "recall", "F1", "correct", "incorrect"];
    let title =
        format!("simhash within {K} bits with a bound on lengths: tokens of the shorter as a share of the longer");
    let made = Exhibit::new("Section 6.A", title, &columns)
        .paper("cites a rule of legal documents: 80% overlap in terminology and a variation of 20% in length.");
    let Some(gold) = subject.gold else { return made.note(subject.unlabelled()) };
    let mut made = made.note("Of labelled pairs, whether they would meet as candidates or not; 0 is no bound.");
    let tokens = |ordinal: u32| subject.collection.row(ordinal).tokens.map(f64::from);
    for least in LENGTHS {
        let mut counts = Counts::default();
        for pair in &gold.pairs {
            let distance = subject.collection.compared(pair.a, pair.b, Hamming::distance);
            let lengths = tokens(pair.a).zip(tokens(pair.b));
            let is_as_long = lengths.is_none_or(|(a, b)| a.min(b) >= least * a.max(b));
            counts.add(pair.label, distance.is_some_and(|distance| distance <= K) && is_as_long);
        }
        let figures = [counts.precision(), counts.recall(), counts.f1()];
        let cells = [least.into()].into_iter().chain(figures.map(Cell::from));
        made.row(cells.chain([counts.found[0].into(), counts.found[1].into()]));
    }
    made
}

/// Near-duplicates within a language only (6.C).
fn languages(subject: &Subject<'_>, measured: Option<&ByLanguage>) -> Exhibit {
    let columns = ["language", "documents", "labelled pairs", "precision", "recall", "F1"];
    let title = format!("simhash within {K} bits, by the language of both documents");
    let made = Exhibit::new("Section 6.C", title, &columns)
        .paper("asks whether near-duplicates could be searched only within categories, for example by language.");
    let Some(measured) = measured else { return made.note(subject.unlabelled()) };
    let mut made = made.note(
        "A text whose language is not certain is of the language unknown. What is found across languages a search within \
         each would miss.",
    );
    let row = |name: &str, documents: Cell, counts: &Counts| {
        let pairs: u64 = counts.found.iter().chain(&counts.missed).sum();
        let figures = [counts.precision(), counts.recall(), counts.f1()].map(Cell::from);
        [Cell::from(name), documents, pairs.into()].into_iter().chain(figures).collect::<Vec<_>>()
    };
    for (name, (documents, counts)) in &measured.of {
        made.row(row(name, (*documents).into(), counts));
    }
    made.row(row("across languages", Cell::None, &measured.across));
    if measured.left_out > 0 {
        made.notes.push(format!("{} pairs are left out: a text could not be read.", measured.left_out));
    }
    made
}

/// Exact checksums over pages, and over pages without the parts that change (6.D).
fn identity(subject: &Subject<'_>, contents: Option<&Contents>) -> Exhibit {
    let columns = ["equal", "precision", "recall", "correct", "incorrect"];
    let made = Exhibit::new("Section 6.D", "exact checksums over the page, and over its main content", &columns).paper(
        "asks whether portions with ads or time stamps can be removed, \"so that exact checksums over the remaining page \
         suffice for duplicate detection\".",
    );
    let Some(contents) = contents else { return made.note(subject.unlabelled()) };
    let mut made = made.note("The content is without navigation and other noise, in lower case, with numbers as 0.");
    for (name, counts) in [("page", &contents.whole), ("main content", &contents.main)] {
        let figures = [counts.precision(), counts.recall()].map(Cell::from);
        made.row([Cell::from(name)].into_iter().chain(figures).chain([counts.found[0].into(), counts.found[1].into()]));
    }
    if contents.left_out > 0 {
        made.notes.push(format!("{} pairs are left out: a text could not be read.", contents.left_out));
    }
    made
}

/// Sensitivity to features and their weights (6.E).
fn features(subject: &Subject<'_>, measured: Option<&(Vec<OfFeatures>, u64)>) -> Exhibit {
    let columns = ["features", "precision", "recall", "F1", "bits changed", "best k", "precision", "recall", "F1"];
    let title = format!("simhash by its features and weights: within {K} bits, and within the k of the greatest F1");
    let made = Exhibit::new("Section 6.E", title, &columns).paper(
        "asks how sensitive simhash is \"to changes in the algorithm for feature-selection and assignment of weights to \
         features\".",
    );
    let Some((measured, left_out)) = measured else { return made.note(subject.unlabelled()) };
    let mut made = made.note(
        "Of the tokens of the recipe web; document frequencies are those of the labelled documents. Bits changed: mean number of \
         bits in which a fingerprint differs from that of the first row.",
    );
    for choice in measured {
        let figures = |counts: &Counts| [counts.precision(), counts.recall(), counts.f1()].map(Cell::from);
        let f1 = |k: usize| choice.within[k].f1().unwrap_or(0.0);
        let best = (0..choice.within.len()).rev().max_by(|&a, &b| f1(a).total_cmp(&f1(b))).unwrap_or(0);
        let cells = [Cell::from(choice.name)].into_iter().chain(figures(&choice.within[K as usize]));
        let cells = cells.chain([choice.changed.into(), (best as u64).into()]);
        made.row(cells.chain(figures(&choice.within[best])));
    }
    if *left_out > 0 {
        made.notes.push(format!("{left_out} pairs are left out: a text could not be read."));
    }
    made
}
