//! The tables of a reader: matches, pairs, members of clusters. They have the columns of the command's Parquet files.

use nddb::detect::{ClusterOptions, Collection, Keep, OnlineDetector, PairOptions, WordsFrom, cluster};
use nddb::verdict::Level;
use nddb::{Reader, Within};
use nddb_jobs::fields::{
    OF_QUERY, PairLossValues, match_columns, member_columns, member_rows, pair_columns, pair_rows, stored_cells,
    stored_columns,
};
use nddb_jobs::removed::Earlier;
use nddb_jobs::rows::{Cell, CellKind, Column, RowBatch, schema};

use crate::arrow::Numbers;
use crate::errors::Result;
use crate::judging::Judging;
use crate::parts::PinnedParts;
use crate::process::{Pinned, reader};
use crate::stream::{Sink, Stream};
use crate::writer::usual_threads;

/// Rows of a batch.
const BATCH: usize = 1 << 13;
/// Queries that are in flight together.
const PIECE: usize = 1 << 9;

/// Rows on their way to the reader of a table.
pub(crate) struct RowSender<'a> {
    sink: &'a Sink,
    rows: RowBatch,
}

impl<'a> RowSender<'a> {
    pub(crate) fn new(sink: &'a Sink, columns: &[Column]) -> Self {
        Self { sink, rows: RowBatch::new(columns) }
    }

    /// Appends a row.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> nddb::Result<()> {
        self.rows.row(cells);
        if self.rows.rows() < BATCH { Ok(()) } else { self.send() }
    }

    /// Hands the rows on.
    pub(crate) fn send(&mut self) -> nddb::Result<()> {
        if self.rows.rows() == 0 { Ok(()) } else { self.sink.send(self.rows.take()) }
    }
}

/// The matches of many fingerprints, by (query, distance, id).
pub(crate) fn matches(parts: PinnedParts, numbers: Numbers, within: Within, threads: Option<usize>) -> Stream {
    let threads = threads.unwrap_or_else(usual_threads).max(1);
    Stream::new(schema(&match_columns(true)), move |sink| {
        let federation = parts.federation()?;
        let mut rows = RowSender::new(sink, &match_columns(true));
        let mut pieces = numbers.pieces().flat_map(|piece| piece.chunks(PIECE));
        let mut first = 0u64;
        nddb_dedup::in_order(
            threads,
            || pieces.next().filter(|_| !sink.stopped()),
            |piece| federation.find(piece, within),
            |answers| -> Result<()> {
                for (query, answer) in (first..).zip(answers?) {
                    for (_, found) in &answer.matches {
                        rows.row(&[
                            query.into(),
                            found.fingerprint.into(),
                            found.distance.into(),
                            Cell::id(&found.id),
                        ])?;
                    }
                    first = query + 1;
                }
                Ok(())
            },
        )?;
        Ok(rows.send()?)
    })
}

/// All pairs and groups.
pub(crate) fn pairs(pinned: Pinned, options: PairOptions) -> Stream {
    Stream::new(schema(&pair_columns()), move |sink| {
        let view = reader(&pinned)?.view();
        let mut options = options.clone();
        let collection = Collection::build(view, &options.resources, &mut sink.watch())?;
        options.settle(collection.held());
        let mut rows = RowSender::new(sink, &pair_columns());
        nddb::detect::pairs(view, &collection, &options, &mut sink.watch(), &mut |line| {
            pair_rows(&collection, options.method.name(), &line, &mut |cells| rows.row(cells))
        })?;
        Ok(rows.send()?)
    })
}

/// The near-duplicates of all documents of a reader in other databases.
pub(crate) fn against(pinned: Pinned, parts: PinnedParts, online: OnlineDetector, limit: Option<usize>) -> Stream {
    let names = [("id", CellKind::Text), ("near", CellKind::Text), ("db", CellKind::Text), ("rule", CellKind::Text)];
    let names = names.map(|(name, kind)| Column::new(name, kind));
    let columns = [names.to_vec(), stored_columns(), OF_QUERY.to_vec()].concat();
    Stream::new(schema(&columns), move |sink| {
        let stored = parts.federation()?;
        let other = Earlier { stored: &stored, online: online.clone(), threads: usual_threads() };
        let mut rows = RowSender::new(sink, &columns);
        other.each(reader(&pinned)?.view(), &mut sink.watch(), &mut |stored, found| {
            found.matches.iter().take(limit.unwrap_or(usize::MAX)).try_for_each(|(part, alike)| {
                let db = parts.parts[*part].0.to_string_lossy();
                let (rule, near) = (alike.verdict(), Cell::id(&alike.id));
                let names = [Cell::id(&stored.record.id), near, (&*db).into(), (&*rule).into()];
                let losses = PairLossValues::of(&alike.loss());
                rows.row(&[&names[..], &stored_cells(Some(&alike.measures)), &losses.cells()].concat())
            })
        })?;
        Ok(rows.send()?)
    })
}

/// The members of all clusters.
pub(crate) fn clusters(pinned: Pinned, options: ClusterOptions) -> Stream {
    Stream::new(schema(&member_columns()), move |sink| {
        let view = reader(&pinned)?.view();
        let mut options = options.clone();
        let collection = Collection::with_deleted(view, &options.pairs.resources, &mut sink.watch())?;
        options.pairs.settle(collection.held());
        let made = cluster(view, &collection, &options, &mut sink.watch(), &mut |_| Ok(()))?;
        let mut rows = RowSender::new(sink, &member_columns());
        member_rows(view, &collection, &options.pairs, &made, None, &mut |cells| rows.row(cells))?;
        Ok(rows.send()?)
    })
}

/// Options of pairs.
pub(crate) fn pair_options(reader: &Reader, judging: &Judging, expand: bool) -> Result<PairOptions> {
    let words = Some(WordsFrom::at_hand(reader.view()));
    Ok(PairOptions { expand, words, ..judging.pairs(reader.view())? })
}

/// Options of clusters.
pub(crate) fn cluster_options(
    reader: &Reader,
    judging: &Judging,
    keep: Vec<Keep>,
    (level, words): (Level, WordsFrom),
    components: bool,
) -> Result<ClusterOptions> {
    Ok(ClusterOptions { keep, level, words, components, ..ClusterOptions::new(judging.pairs(reader.view())?) })
}
