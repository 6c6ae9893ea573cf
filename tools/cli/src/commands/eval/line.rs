//! One JSON object for each method and setting.

use nddb::verdict::{Method, methods::Model};
use nddb_evaluate::eval::{
    ByProbability, Counts, DRAWS, Interval, Intervals, Split, mean_precision, relative_recall, splits,
};
use serde_json::{Value, json};

use super::trial::{Figures, Frame, Trial};

/// The settings with which a setting is compared.
pub(super) struct Compared<'t, 'a> {
    /// The default setting, or else the first one.
    pub(super) reference: &'t Trial<'a>,
    /// The first setting of hamming on the same sketches, if there is any.
    pub(super) hamming: Option<&'t Trial<'a>>,
}

/// Returns a setting with all its figures as JSON.
pub(super) fn value(
    frame: &Frame<'_>,
    trial: &Trial<'_>,
    Compared { reference, hamming }: &Compared<'_, '_>,
    intervals: &Intervals,
    figures: Option<&Figures<'_>>,
) -> Value {
    let gold = &trial.set.gold;
    let parts = splits(gold, &frame.selected, trial.returned.found());
    let all = parts[0].counts;
    let documents = frame.documents();
    // Reference of eval: an object for each recipe, method and setting with `--json`
    let mut value = json!({
        "method": trial.setting.method.name(),
        "params": trial.setting.params(),
        "recipe": trial.set.recipe.label(),
        "default": trial.is_default(), // whether it is the model over `main`
        "precision": all.precision(), // correct / (correct + incorrect) among the pairs found
        "precision_of_returned": all.precision_of_returned(), // correct / (correct + incorrect + undecided)
        // the mean over documents
        "precision_by_document": mean_precision(gold, &frame.selected, trial.returned.found()),
        "recall": all.recall(), // share of the correct pairs found
        // correct pairs divided by those of the first `hamming` in the list (`params`): `in_all`, and the mean
        // `by_document` over `documents`
        "recall_to_hamming": hamming.map(|hamming| relative(frame, trial, hamming)),
        "f1": all.f1(), // the harmonic mean of precision and recall
        "pairs": trial.returned.pairs(), // all pairs found
        "unlabelled": trial.returned.unlabelled(), // of these: not in the label file
        "found": by_label(&all.found), // labelled pairs: `correct`, `incorrect`, `undecided`
        "missed": by_label(&all.missed),
        "prevalence": all.prevalence(), // correct / (correct + incorrect) of all scored pairs
        "precision_interval": interval(intervals.precision), // 95%, by drawing sites `draws` times, as all intervals
        "recall_interval": interval(intervals.recall),
        "f1_interval": interval(intervals.f1),
        // intervals of the paired differences from the default, or from the first setting
        "differences": {
            "from": reference.setting.method.name(),
            "params": reference.setting.params(),
            "recipe": reference.set.recipe.label(),
            "precision_interval": interval(intervals.precision_difference),
            "recall_interval": interval(intervals.recall_difference),
            "f1_interval": interval(intervals.f1_difference),
        },
        "draws": DRAWS,
        "seed": frame.seed,
        // the same figures by `site` and `domain` (`same`, `different`, `unknown`), and by `kind`
        "splits": parts[1..].iter().map(split).collect::<Vec<_>>(),
        "documents": documents,
        "candidates": trial.summary.candidates, // pairs that the method compared
        "candidates_per_document": per(trial.summary.candidates, documents),
        // share of the correct pairs that share a key or are identical
        "recall_of_candidates": trial.recall_of_candidates,
        "bytes_per_document": trial.setting.method.bytes_per_document(), // of the sketches that the method compares
        "stars": trial.summary.stars, // keys of which only pairs with the oldest document are counted
        "unsketched": trial.summary.unsketched, // documents without the method's sketch
        "seconds": trial.seconds, // of the search for pairs, without loading
        "cpu_seconds": trial.cpu_seconds,
        "half": frame.half.name(),
        "sites": frame.cells.sites(),
        "components": gold.halves.components, // of the graph of sites and labelled pairs
        "cut": gold.halves.cut, // of these: divided, because they had more than half of all pairs; 0 or 1
        "crossing": gold.halves.crossing, // pairs in neither half
        "unknown_ids": gold.unknown.len(), // ids without a document
        "left_out": gold.left_out, // their pairs
        "repeated": frame.labels.repeated, // lines
        "skipped": trial.set.corpus.skipped().len(), // documents not read
    });
    if let Some(figures) = figures.filter(|_| trial.setting.method.name() == Model::default().name()) {
        value["by_probability"] = figures.probabilities.as_ref().map_or(Value::Null, by_probability);
    }
    value
}

/// Recall relative to that of hamming: of all correct pairs, and as a mean over documents.
fn relative(frame: &Frame<'_>, trial: &Trial<'_>, hamming: &Trial<'_>) -> Value {
    let found = [trial, hamming].map(|trial| trial.returned.found());
    let relative = relative_recall(&trial.set.gold, &frame.selected, found[0], found[1]);
    json!({
        "params": hamming.setting.params(),
        "in_all": relative.in_all,
        "by_document": relative.mean,
        "documents": relative.documents,
    })
}

/// Adds the counts of labelled pairs at a value.
fn at(mut value: Value, counts: &Counts) -> Value {
    value["labelled"] = by_label(&counts.found);
    value["precision"] = json!(counts.precision());
    value
}

fn by_probability(made: &ByProbability) -> Value {
    let steps = made.steps.iter().map(|step| {
        let mut value = at(json!({"probability": step.least}), &step.counts);
        value["recall"] = json!(step.counts.recall());
        value["f1"] = json!(step.counts.f1());
        let intervals = [step.intervals.precision, step.intervals.recall, step.intervals.f1];
        for (name, of) in ["precision_interval", "recall_interval", "f1_interval"].into_iter().zip(intervals) {
            value[name] = interval(of);
        }
        value
    });
    let calibration = &made.calibration;
    let bins = calibration
        .bins
        .iter()
        .map(|bin| json!({"pairs": bin.pairs, "predicted": bin.predicted, "observed": bin.observed}));
    json!({
        "steps": steps.collect::<Vec<_>>(),
        "calibration": {"bins": bins.collect::<Vec<_>>(), "brier": calibration.brier, "slope": calibration.slope},
        "unknown": made.unknown,
    })
}

fn per(count: u64, documents: u64) -> Option<f64> {
    (documents > 0).then(|| count as f64 / documents as f64)
}

fn by_label(counts: &[u64; 3]) -> Value {
    let [correct, incorrect, undecided] = counts;
    json!({"correct": correct, "incorrect": incorrect, "undecided": undecided})
}

fn interval(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |interval| json!([interval.low, interval.high]))
}

fn split(split: &Split) -> Value {
    let counts: &Counts = &split.counts;
    json!({
        "by": split.by,
        "part": split.part,
        "precision": counts.precision(),
        "precision_of_returned": counts.precision_of_returned(),
        "recall": counts.recall(),
        "f1": counts.f1(),
        "found": by_label(&counts.found),
        "missed": by_label(&counts.missed),
    })
}
