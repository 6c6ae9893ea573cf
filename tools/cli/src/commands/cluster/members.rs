//! The members of clusters as a table: one row a member.

use nddb::View;
use nddb::detect::{Clusters, Collection, PairOptions, stored_pair};

use crate::columns::{Cell, Column, Kind, Rows, Target};
use crate::failure::{Failure, Result};
use crate::output::Output;

fn columns() -> Vec<Column> {
    [
        ("cluster", Kind::Text),
        ("size", Kind::Number),
        ("id", Kind::Text),
        ("url", Kind::Text),
        ("verdict", Kind::Text),
        ("kept", Kind::Text),
        ("rule", Kind::Text),
        ("distance", Kind::Number),
        ("b_sim", Kind::Number),
        ("c_sim", Kind::Number),
        ("agreement", Kind::Number),
        ("probability", Kind::Share),
        ("resemblance", Kind::Share),
        ("same_site", Kind::Flag),
        ("same_heading", Kind::Flag),
        ("archive", Kind::Text),
        ("offset", Kind::Number),
        ("inner", Kind::Number),
        ("length", Kind::Number),
    ]
    .map(|(name, kind)| Column::new(name, kind))
    .to_vec()
}

/// Writes a row for each member of each cluster: whether it is kept or removed, how near it is to the document that is
/// kept, by what is stored, and where it stands.
pub(super) fn table(
    output: Output,
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
) -> Result<()> {
    let mut rows = Rows::table(Target::Other(output), columns())?;
    let outcome = made.each(collection, &mut |cluster| {
        for &member in cluster.members {
            let id = collection.id(member);
            let stored = view.get(id)?;
            let record = stored.as_ref().map(|stored| &stored.record);
            let source = record.and_then(|record| record.source.as_ref());
            let archive = source.map(|source| view.archive(source.archive)).transpose()?.flatten();
            let pair =
                if member == cluster.kept { None } else { stored_pair(collection, options, cluster.kept, member) };
            let evidence = pair.as_ref().map(|pair| &pair.evidence);
            let is_removed = made.is_removed(collection.row(member).rank);
            rows.row(&[
                collection.id(cluster.founder).into(),
                (cluster.members.len() as u64).into(),
                id.into(),
                record.and_then(|record| record.url.as_deref()).into(),
                if is_removed { "remove" } else { "keep" }.into(),
                collection.id(cluster.kept).into(),
                pair.as_ref().map(|pair| pair.rule).into(),
                evidence.and_then(|evidence| evidence.distance).into(),
                evidence.and_then(|evidence| evidence.b_similarity).into(),
                evidence.and_then(|evidence| evidence.c_similarity).into(),
                evidence.and_then(|evidence| evidence.agreement).into(),
                pair.as_ref().and_then(|pair| pair.probability).into(),
                evidence.and_then(|evidence| evidence.likely_resemblance()).into(),
                evidence.and_then(|evidence| evidence.same_site).into(),
                evidence.and_then(|evidence| evidence.same_heading).into(),
                archive.as_ref().map_or(Cell::Null, |archive| archive.path.as_str().into()),
                source.map(|source| source.offset).into(),
                source.map(|source| source.inner).into(),
                source.map(|source| source.length).into(),
            ])?;
        }
        Ok(())
    });
    rows.finish(outcome.map_err(Failure::from))
}
