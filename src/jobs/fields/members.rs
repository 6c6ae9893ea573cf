//! Clusters as lines, and their members as a table: one row a member.

use nddb_dedup::{Cluster, Clusters, Collection, KnownLoss, PairOptions, stored_pair};
use nddb_format::record::SourcePosition;
use nddb_index::View;
use serde::Serialize;

use super::described::{Described, WantedDocuments};
use super::losses::{LossValues, OF_REMOVED};
use super::measures::{stored_cells, stored_columns};
use super::pair_lines::IdList;
use crate::copies::{Copies, CopyCounts};
use crate::json::{self, Id};
use crate::rows::{Cell, CellKind, Column};

/// A cluster. Keys stand in the order of the fields.
#[derive(Serialize)]
// Reference of cluster: a line of `clusters.jsonl`, or of stdout without `-o`; sorted by `cluster`
struct ClusterLine<'a, D> {
    /// the id of the founder, also of a deleted one until `compact` drops it
    cluster: Id<'a>,
    size: usize,
    kept: Id<'a>,
    removed: u64,
    /// more members than --group-limit
    oversized: bool,
    /// all members are of one site
    single_site: bool,
    /// no text; nothing is removed
    empty: bool,
    /// the kept page has fewer than 30 terms of content
    thin: bool,
    members: IdList<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// with --with: objects with its fields, in the order of `members`
    documents: Option<D>,
}

/// Appends the line of a cluster.
pub fn cluster_line(out: &mut Vec<u8>, collection: &Collection, cluster: &Cluster, described: Option<&Described<'_>>) {
    let line = ClusterLine {
        cluster: Id(collection.id(cluster.founder)),
        size: cluster.members.len(),
        kept: Id(collection.id(cluster.kept)),
        removed: cluster.removed,
        oversized: cluster.oversized,
        single_site: cluster.single_site,
        empty: cluster.empty,
        thin: cluster.thin,
        members: IdList(collection, &cluster.members),
        documents: described.map(|described| described.documents(&cluster.members)),
    };
    json::line(out, &line);
}

/// Adds the members of all clusters.
///
/// # Errors
/// Errors of the disk.
pub fn want_members(wanted: &mut WantedDocuments, collection: &Collection, made: &Clusters) -> nddb_index::Result<()> {
    made.each(collection, &mut |cluster| {
        wanted.add(&cluster.members);
        Ok(())
    })
}

/// The columns of members.
pub fn member_columns() -> Vec<Column> {
    let member = [
        ("cluster", CellKind::Text),
        ("size", CellKind::Number),
        ("id", CellKind::Text),
        ("url", CellKind::Text),
        ("verdict", CellKind::Text),
        ("kept", CellKind::Text),
        ("rule", CellKind::Text),
    ];
    let position = [
        ("archive", CellKind::Text),
        ("offset", CellKind::Number),
        ("inner", CellKind::Number),
        ("length", CellKind::Number),
    ];
    let named =
        |of: &[(&'static str, CellKind)]| of.iter().map(|&(name, kind)| Column::new(name, kind)).collect::<Vec<_>>();
    [named(&member), stored_columns(), OF_REMOVED.to_vec(), named(&position)].concat()
}

/// What a row says of a member that its sketches do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberSource {
    /// Its address.
    pub url: Option<String>,
    /// The path of its archive.
    pub archive: Option<String>,
    /// Where it stands in the archive.
    pub source: Option<SourcePosition>,
}

/// Makes a row for each member of each cluster: whether it is kept or removed, how near it is to the document that is
/// kept, by what is stored, and where it stands; with `copies`, the columns [`COPIES`](crate::COPIES) follow.
///
/// # Errors
/// Damage of the database; errors of `emit`.
pub fn member_rows(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
    copies: Option<&Copies<u32>>,
    emit: &mut dyn FnMut(&[Cell<'_>]) -> nddb_index::Result<()>,
) -> nddb_index::Result<()> {
    let mut source_of = |member| {
        let stored = view.get(collection.id(member))?;
        let record = stored.map(|stored| stored.record).unwrap_or_default();
        let archive = record.source.map(|source| view.archive(source.archive)).transpose()?.flatten();
        Ok(MemberSource { url: record.url, archive: archive.map(|archive| archive.path), source: record.source })
    };
    rows(collection, options, made, copies, &mut source_of, emit)
}

/// As [`member_rows`], of documents that no database holds: `source_of` says of a member what is not in the collection.
///
/// # Errors
/// Errors of `source_of` and of `emit`.
pub fn member_rows_of(
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
    source_of: &mut dyn FnMut(u32) -> nddb_index::Result<MemberSource>,
    emit: &mut dyn FnMut(&[Cell<'_>]) -> nddb_index::Result<()>,
) -> nddb_index::Result<()> {
    rows(collection, options, made, None, source_of, emit)
}

fn rows(
    collection: &Collection,
    options: &PairOptions,
    made: &Clusters,
    copies: Option<&Copies<u32>>,
    source_of: &mut dyn FnMut(u32) -> nddb_index::Result<MemberSource>,
    emit: &mut dyn FnMut(&[Cell<'_>]) -> nddb_index::Result<()>,
) -> nddb_index::Result<()> {
    made.each(collection, &mut |cluster| {
        for &member in &cluster.members {
            let MemberSource { url, archive, source } = source_of(member)?;
            let kept = made.kept_for(member, cluster.kept);
            let pair = if member == kept { None } else { stored_pair(collection, options, kept, member) };
            let pair = pair.as_ref();
            let is_removed = made.is_removed(collection.row(member).rank);
            let names = [
                Cell::id(collection.id(cluster.founder)),
                (cluster.members.len() as u64).into(),
                Cell::id(collection.id(member)),
                url.as_deref().into(),
                if is_removed { "remove" } else { "keep" }.into(),
                Cell::id(collection.id(kept)),
                pair.map(|pair| pair.rule).into(),
            ];
            let position = [
                archive.as_deref().into(),
                source.map(|source| source.offset).into(),
                source.map(|source| source.inner).into(),
                source.map(|source| source.length).into(),
            ];
            let level = made.least_level(member);
            let loss = match made.loss(member) {
                Some(loss) => LossValues::of(Some(loss), level),
                // Nothing is lost with a removed document whose text the kept one has.
                None if is_removed && member != kept => LossValues::of(Some(&KnownLoss::Loss(Box::default())), level),
                None => LossValues::default(),
            };
            let scores = stored_cells(pair.map(|pair| &pair.measures));
            let counts = copies.and_then(|copies| copies.of(member));
            let found = if copies.is_some() { &CopyCounts::cells(counts.as_ref())[..] } else { &[] };
            emit(&[&names[..], &scores, &loss.cells(), &position, found].concat())?;
        }
        Ok(())
    })
}
