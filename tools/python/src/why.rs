//! Why two stored documents are near-duplicates, or not: every number that the rule looks at, as a table.

use nddb::Document;
use nddb::detect::{ALL_TRAITS, Decision, Method, OnlineDetector, bounds, evidence_of, told};
use nddb::{Stored, View};
use nddb_cli::tables::{Cell, Column, Kind, RowBatch, schema};

use crate::errors::{Fault, Result};
use crate::stream::Stream;

const COLUMNS: [Column; 7] = [
    Column::new("part", Kind::Text),
    Column::new("name", Kind::Text),
    Column::new("says", Kind::Text),
    Column::new("value", Kind::Share),
    Column::new("bound", Kind::Share),
    Column::new("holds", Kind::Flag),
    Column::new("adds", Kind::Share),
];

/// Returns the rows: the verdict, the bounds of the method, and each piece of evidence of the model.
pub(crate) fn why(view: View<'_>, online: &OnlineDetector, a: &str, b: &str) -> Result<Stream> {
    let read = |id: &str| -> Result<Stored> { view.get(id)?.ok_or_else(|| Fault::key(id)) };
    let (a, b) = (Document::from(read(a)?), Document::from(read(b)?));
    let (evidence, rules) = (evidence_of(&a, &b), &online.rules);
    // As elsewhere: simhash decides where of either only the fingerprint is known.
    let (mut method, mut decision) = (online.method, rules.decide(online.method, &evidence));
    if decision == Decision::Unknown && online.or_simhash {
        (method, decision) = (Method::Simhash, rules.decide(Method::Simhash, &evidence));
    }
    let (says, holds) = match decision {
        Decision::Near(rule) => (format!("near-duplicates, by {rule}"), Some(true)),
        Decision::Apart => (format!("no near-duplicates, by {method}"), Some(false)),
        Decision::Unknown => (format!("not known: {method} compares what one of them lacks"), None),
    };
    let probability = rules.probability_of(&evidence);
    let is_model = method == Method::Model;
    let mut rows = RowBatch::new(&COLUMNS);
    rows.row(&[
        "verdict".into(),
        method.name().into(),
        says.as_str().into(),
        probability.into(),
        is_model.then_some(rules.probability).into(),
        holds.into(),
        Cell::Null,
    ]);
    for bound in bounds(rules, method, &evidence) {
        let kind = if bound.at_most { "at most" } else { "at least" };
        rows.row(&[
            "bound".into(),
            bound.name.into(),
            kind.into(),
            bound.value.map(f64::from).into(),
            f64::from(bound.threshold).into(),
            bound.holds().into(),
            Cell::Null,
        ]);
    }
    if let Some(traits) = evidence.traits {
        let mut evidence = |name: &str, says: &str, value: Option<f64>, adds: f64| {
            let (value, adds) = (value.into(), adds.into());
            rows.row(&["evidence".into(), name.into(), says.into(), value, Cell::Null, Cell::Null, adds]);
        };
        evidence("constant", "before any evidence", None, rules.model.constant);
        for (index, adds) in rules.model.parts(&traits).into_iter().enumerate() {
            let value = traits.values[index];
            evidence(ALL_TRAITS[index].name, &told(index, value), Some(value), adds);
        }
    }
    let batch = rows.take().map_err(|error| Fault::value(error.to_string()))?;
    Ok(Stream::new(schema(&COLUMNS), move |sink| Ok(sink.send(Ok(batch.clone()))?)))
}
