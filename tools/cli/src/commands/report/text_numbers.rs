//! The measurements of texts as JSON.

use nddb::detect::{GROUPS, Groups};
use nddb_evaluate::measures::TermDifferences;
use nddb_evaluate::report::Texts;
use nddb_evaluate::sampled::RATIOS;
use nddb_jobs::quantity::group_words;
use serde_json::{Value, json};

use super::removal_numbers::share;
use crate::text_options::unread_value;

pub(super) fn value(texts: &Texts) -> Value {
    let terms = texts.terms.iter().map(|(method, differences)| {
        let mut value = terms(differences);
        value["method"] = (*method).into();
        value
    });
    json!({
        "sample": texts.sample,
        "seed": texts.seed,
        "drawn_from": texts.drawn_from,
        "drawn": texts.drawn,
        "documents": texts.documents,
        "unread": unread_value(&texts.unread),
        "lack": texts.lack(),
        "languages": texts.languages.iter().map(share).collect::<Vec<_>>(),
        "term_differences": {"unread": unread_value(&texts.terms_unread), "by_method": terms.collect::<Vec<_>>()},
        "signatures": signatures(texts),
        "windows": windows(texts),
        "sampled": sampled(texts),
    })
}

fn terms(differences: &TermDifferences) -> Value {
    json!({
        "pairs": differences.pairs(),
        "unread": differences.unread,
        "mean": differences.mean(),
        "median": differences.median(),
        "counts": differences.counts.iter().map(|(&terms, &pairs)| [terms, pairs]).collect::<Vec<_>>(),
    })
}

fn signatures(texts: &Texts) -> Value {
    let perhaps = &texts.perhaps;
    let steps = perhaps.steps.iter().map(|step| {
        json!({
            "signatures": step.signatures,
            "signed": perhaps.signed(step),
            "coverage": perhaps.coverage(step),
            "trustable": step.trustable(),
            "perhaps": step.perhaps,
            "similar": step.similar,
        })
    });
    json!({
        "selected": perhaps.selected,
        "compared": perhaps.compared,
        "similar": perhaps.similar,
        "by_signatures": steps.collect::<Vec<_>>(),
    })
}

fn windows(texts: &Texts) -> Value {
    let made = &texts.straining;
    let steps = made
        .steps
        .iter()
        .map(|step| json!({"window": step.window, "strained": step.strained, "reserved": step.reserved}));
    json!({"similar": made.similar, "unlike": made.unlike, "by_window": steps.collect::<Vec<_>>()})
}

fn sampled(texts: &Texts) -> Value {
    let made = &texts.sampled;
    let groups = (0..GROUPS).map(|group| {
        json!({
            "words": group_words(&Groups::PAPER, group),
            "documents": made.documents[group],
            "shingles": made.shingles[group],
        })
    });
    let steps = made.steps.iter().map(|step| {
        let at = |group: Option<usize>| {
            let of = |figure: &dyn Fn(usize) -> Option<f64>| (0..RATIOS.len()).map(figure).collect::<Vec<_>>();
            json!({
                "pairs": group.map_or_else(|| step.pairs.iter().sum(), |group| step.pairs[group]),
                "precision": of(&|ratio| step.precision(ratio, group)),
                "recall": of(&|ratio| step.recall(ratio, group)),
            })
        };
        let mut value = at(None);
        value["resemblance"] = json!(step.threshold);
        value["by_group"] = (0..GROUPS).map(|group| at(Some(group))).collect();
        value
    });
    json!({
        "ratios": RATIOS,
        "groups": groups.collect::<Vec<_>>(),
        "by_resemblance": steps.collect::<Vec<_>>(),
    })
}
