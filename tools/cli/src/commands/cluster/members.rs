//! The members of clusters as a table: one row a member.

use nddb::View;
use nddb::detect::{Clusters, Collection, PairOptions, stored_pair};

use crate::columns::{Cell, Column, Kind, Rows, Target};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::stored_scores::{SAME, SCORES, same, scores};

/// The columns of members.
pub fn columns() -> Vec<Column> {
    let member = [
        ("cluster", Kind::Text),
        ("size", Kind::Number),
        ("id", Kind::Text),
        ("url", Kind::Text),
        ("verdict", Kind::Text),
        ("kept", Kind::Text),
        ("rule", Kind::Text),
    ];
    let position =
        [("archive", Kind::Text), ("offset", Kind::Number), ("inner", Kind::Number), ("length", Kind::Number)];
    let all = [&member[..], &SCORES, &SAME, &position].concat();
    all.into_iter().map(|(name, kind)| Column::new(name, kind)).collect()
}

/// Writes the rows of all members.
pub(super) fn table(
    output: Output,
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
) -> Result<()> {
    let mut table = Rows::table(Target::Other(output), columns())?;
    let outcome = rows(view, collection, options, made, &mut |cells| table.row(cells));
    table.finish(outcome.map_err(Failure::from))
}

/// Makes a row for each member of each cluster: whether it is kept or removed, how near it is to the document that is
/// kept, by what is stored, and where it stands.
pub fn rows(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
    emit: &mut dyn FnMut(&[Cell<'_>]) -> nddb::Result<()>,
) -> nddb::Result<()> {
    made.each(collection, &mut |cluster| {
        for &member in cluster.members {
            let id = collection.id(member);
            let stored = view.get(id)?;
            let record = stored.as_ref().map(|stored| &stored.record);
            let source = record.and_then(|record| record.source.as_ref());
            let archive = source.map(|source| view.archive(source.archive)).transpose()?.flatten();
            let pair =
                if member == cluster.kept { None } else { stored_pair(collection, options, cluster.kept, member) };
            let pair = pair.as_ref();
            let is_removed = made.is_removed(collection.row(member).rank);
            let member = [
                collection.id(cluster.founder).into(),
                (cluster.members.len() as u64).into(),
                id.into(),
                record.and_then(|record| record.url.as_deref()).into(),
                if is_removed { "remove" } else { "keep" }.into(),
                collection.id(cluster.kept).into(),
                pair.map(|pair| pair.rule).into(),
            ];
            let position = [
                archive.as_ref().map_or(Cell::Null, |archive| archive.path.as_str().into()),
                source.map(|source| source.offset).into(),
                source.map(|source| source.inner).into(),
                source.map(|source| source.length).into(),
            ];
            emit(&[&member[..], &scores(pair), &same(pair), &position].concat())?;
        }
        Ok(())
    })
}
