//! Why two stored documents are near-duplicates, or not: every number that the rule looks at, as a table.

use nddb::Document;
use nddb::detect::OnlineDetector;
use nddb::detect::steps::compared;
use nddb::verdict::{Bound, Comparison, Decision, Limit, Measures, Words, sentence};
use nddb::{Stored, View};
use nddb_jobs::rows::{Cell, CellKind, Column, RowBatch, schema};

use crate::errors::{Fault, Result};
use crate::ids::GivenId;
use crate::stream::Stream;

const COLUMNS: [Column; 7] = [
    Column::new("part", CellKind::Text),
    Column::new("name", CellKind::Text),
    Column::new("says", CellKind::Text),
    Column::new("value", CellKind::Share),
    Column::new("bound", CellKind::Share),
    Column::new("holds", CellKind::Flag),
    Column::new("adds", CellKind::Share),
];

/// Returns the rows: the verdict, the bounds of the method, and each piece of evidence of the model.
pub(crate) fn why(view: View<'_>, online: &OnlineDetector, a: &GivenId, b: &GivenId) -> Result<Stream> {
    let read = |id: &GivenId| -> Result<Stored> { id.find(|id| view.get(id))?.ok_or_else(|| Fault::key(id)) };
    let (a, b) = (Document::from(read(a)?), Document::from(read(b)?));
    let decider = online.decider();
    let texts = a.record().words.as_deref().zip(b.record().words.as_deref());
    let compared_words = texts.map(|(a, b)| Comparison::of(&Words::of(a), &Words::of(b)));
    let losses = [0, 1].map(|side| compared_words.as_ref().map(|of| [&of.lost, &of.added][side]));
    let (verdict, says, told, measures) = compared(&a, &b, |pair| {
        let measures = Measures::of(pair, &*online.method);
        (decider.judge(pair), sentence(pair, losses), decider.explain(pair), measures)
    });
    let method = told.by;
    let holds = match verdict.decision {
        Decision::Near(_) => Some(true),
        Decision::Apart => Some(false),
        Decision::Unknown => None,
    };
    let mut rows = RowBatch::new(&COLUMNS);
    // The probability of the model stands beside the verdict.
    let (probability, bounds): (Vec<&Bound>, Vec<&Bound>) =
        told.bounds.iter().partition(|bound| bound.name == "probability");
    rows.row(&[
        "verdict".into(),
        method.name().into(),
        says.as_str().into(),
        measures.share("probability").into(),
        probability.first().map(|bound| bound.limit.value().number()).into(),
        holds.into(),
        Cell::Null,
    ]);
    for bound in bounds {
        let kind = match bound.limit {
            Limit::AtLeast(_) => "at least",
            Limit::AtMost(_) => "at most",
            Limit::Above(_) => "above",
        };
        rows.row(&[
            "bound".into(),
            bound.name.into(),
            kind.into(),
            bound.value.map(|value| value.number()).into(),
            bound.limit.value().number().into(),
            bound.holds().into(),
            Cell::Null,
        ]);
    }
    for piece in &told.evidence {
        let (name, says) = (piece.name.into(), piece.says.as_str().into());
        let (value, adds) = (piece.value.into(), piece.adds.into());
        rows.row(&["evidence".into(), name, says, value, Cell::Null, Cell::Null, adds]);
    }
    let batch = rows.take().map_err(|error| Fault::value(error.to_string()))?;
    Ok(Stream::new(schema(&COLUMNS), move |sink| Ok(sink.send(Ok(batch.clone()))?)))
}
