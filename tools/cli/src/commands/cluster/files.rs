//! The files of a clustering.

use nddb::detect::{ClusterOptions, ClusterSummary, Clusters, Collection};
use nddb::{Progress, View};
use nddb_jobs::fields::{IdList, LineFormat, PairLines, member_columns, member_rows, pair_columns, pair_rows};
use nddb_jobs::json::{self, Id};
use nddb_jobs::output::{ListTally, OutputFile, OutputLists};
use nddb_jobs::packed::PackedFile;
use nddb_jobs::removed::{RemoveTsv, copies_of_clusters, of_clusters};
use nddb_jobs::rows::{Column, RowFormat, Rows, tsv_value, write_id};
use nddb_jobs::{COPIES, CopyCounts};
use serde::Serialize;
use serde_json::{Value, json};

use super::renamed::Previous;
use crate::described::{Described, PairFormat, Reading, Wanted, With};
use crate::failure::{Failure, Result};
use crate::messages::Messages;
use crate::output::Output;
use crate::waiting::Waiting;

/// The files that a run writes or not, by its options.
pub(super) const SOMETIMES: [&str; 7] =
    ["clusters.tsv", "clusters.parquet", "pairs.jsonl", "pairs.tsv", "pairs.parquet", "renamed.tsv", "flipped.txt"];

/// Where the files go, and what of.
pub(super) struct Files<'a> {
    pub(super) lists: OutputLists,
    pub(super) collection: &'a Collection,
    pub(super) options: &'a ClusterOptions,
    pub(super) format: PairFormat,
    /// What is said of documents besides their ids.
    pub(super) with: &'a [With],
    pub(super) reading: Reading<'a>,
    pub(super) messages: Messages,
}

impl Files<'_> {
    /// Clusters, and writes all files. They get their names when all of them are whole.
    pub(super) fn write(
        self,
        view: View<'_>,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        previous: Option<Previous>,
        describe: &dyn Fn(&ClusterSummary) -> Value,
    ) -> Result<ClusterSummary> {
        // Before the work: an id that may be of two documents is an error.
        let kept = previous.as_ref().map(|previous| previous.kept(self.collection)).transpose()?;
        let (collection, method) = (self.collection, self.options.pairs.method.name());
        let (made, described) = match self.format.lines(self.with)? {
            Some(format) => self.lines(view, watch, format)?,
            None => {
                let mut rows = self.table("pairs.parquet", pair_columns())?;
                let outcome = nddb::detect::cluster(view, collection, self.options, watch, &mut |line| {
                    pair_rows(collection, method, &line, &mut |cells| rows.row(cells))
                });
                let made = rows.finish(outcome.map_err(Failure::from))?;
                let mut rows = self.table("clusters.parquet", [member_columns(), COPIES.to_vec()].concat())?;
                let copies = copies_of_clusters(view, collection, &made)?;
                let (of, copies) = (&self.options.pairs, Some(&copies));
                let outcome = member_rows(view, collection, of, &made, copies, &mut |cells| rows.row(cells));
                rows.finish(outcome.map_err(Failure::from))?;
                (made, None)
            }
        };
        clusters(self.begin("clusters.jsonl")?, collection, &made, described.as_ref())?;
        if self.format != PairFormat::Parquet {
            self.members(self.begin("clusters.tsv")?, view, &made, described.as_ref())?;
        }
        self.lists(self.begin("keep.txt")?, self.begin("remove.txt")?, &made)?;
        self.removed(self.lists.begin("remove.tsv")?, view, &made)?;
        if let Some((previous, kept)) = previous.zip(kept) {
            Previous::flipped(self.begin("flipped.txt")?, &kept, collection, &made)?;
            previous.renamed(self.begin("renamed.tsv")?, collection, &made)?;
        }
        let mut summary = describe(&made.summary);
        summary["lists"] =
            Value::Object(self.lists.tallies().iter().map(|(name, tally)| listed(name, tally)).collect());
        let text = serde_json::to_string_pretty(&summary);
        let text = text.map_err(|error| Failure::failed(format!("the summary: {error}")))?;
        self.lists.publish(format!("{text}\n").as_bytes())?;
        Ok(made.summary)
    }

    fn begin(&self, name: &str) -> Result<Output> {
        Ok(Output::of(self.lists.begin(name)?))
    }

    fn table(&self, name: &str, columns: Vec<Column>) -> Result<Rows> {
        Ok(Rows::new(RowFormat::Parquet, PackedFile::plain(self.lists.begin(name)?), columns)?)
    }

    /// Clusters, and writes the pairs as lines. Returns also what is said of documents besides.
    fn lines(
        &self,
        view: View<'_>,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        format: LineFormat,
    ) -> Result<(Clusters, Option<Described<'_>>)> {
        let (collection, method) = (self.collection, self.options.pairs.method.name());
        let lines = PairLines { collection, method, format };
        let mut output = self.begin(&format!("pairs.{}", format.extension()))?;
        let mut out = Vec::new();
        let mut waiting = if self.with.is_empty() { None } else { Some(Waiting::new(collection)?) };
        let outcome = output.emit(&Described::pair_header(format, self.with, false)).and_then(|()| {
            nddb::detect::cluster(view, collection, self.options, watch, &mut |line| match &mut waiting {
                Some(waiting) => waiting.hold(&lines, &mut out, &line),
                None => {
                    out.clear();
                    lines.write(&mut out, &line);
                    output.emit(&out)
                }
            })
        });
        let made = output.ended(outcome.map_err(Failure::from))?;
        let described = match waiting {
            Some(mut waiting) => {
                want(&mut waiting.wanted, collection, &made)?;
                let described = self.reading.read(self.with, &waiting.wanted, &self.messages)?;
                waiting.finish(&described, format, &mut output)?;
                Some(described)
            }
            None => None,
        };
        output.finish()?;
        Ok((made, described))
    }

    /// A line for each document of a cluster: the cluster, the document, whether it is kept or removed, and of a kept
    /// one how often it was found.
    fn members(
        &self,
        mut output: Output,
        view: View<'_>,
        made: &Clusters,
        described: Option<&Described<'_>>,
    ) -> Result<()> {
        let copies = copies_of_clusters(view, self.collection, made)?;
        let mut out = b"cluster\tdocument\tverdict".to_vec();
        COPIES.iter().for_each(|column| out.extend_from_slice(format!("\t{}", column.name).as_bytes()));
        Described::header(self.with, &mut out, "");
        out.push(b'\n');
        let outcome = made.each(self.collection, &mut |cluster| {
            for &member in cluster.members {
                write_id(&mut out, self.collection, cluster.founder);
                out.push(b'\t');
                write_id(&mut out, self.collection, member);
                let removed = made.is_removed(self.collection.row(member).rank);
                out.extend_from_slice(if removed { b"\tremove" } else { b"\tkeep" });
                let counts = copies.of(member);
                CopyCounts::cells(counts.as_ref()).iter().for_each(|cell| {
                    out.push(b'\t');
                    tsv_value(&mut out, cell);
                });
                if let Some(described) = described {
                    described.columns(&mut out, member);
                }
                out.push(b'\n');
            }
            output.emit(&out)?;
            out.clear();
            Ok(())
        });
        let outcome = outcome.and_then(|()| output.emit(&out));
        output.finish_after(outcome.map_err(Failure::from))
    }

    /// The ids of all live documents, in one list or the other.
    fn lists(&self, mut keep: Output, mut remove: Output, made: &Clusters) -> Result<()> {
        let mut out = Vec::new();
        for rank in 0..self.collection.len() {
            let ordinal = self.collection.at_rank(rank);
            if self.collection.row(ordinal).is_deleted {
                continue;
            }
            out.clear();
            write_id(&mut out, self.collection, ordinal);
            out.push(b'\n');
            if made.is_removed(rank) { remove.write(&out)? } else { keep.write(&out)? }
        }
        keep.finish()?;
        remove.finish()
    }

    /// Writes `remove.tsv`, which `filter` reads: for each document of `remove.txt`, in the same order, the reason and
    /// the position in its archive.
    fn removed(&self, output: OutputFile, view: View<'_>, made: &Clusters) -> Result<()> {
        let (collection, mut sink) = (self.collection, RemoveTsv::begin(output, view)?);
        let mut failed = None;
        let outcome = of_clusters(collection, &self.options.pairs, made, Some(view), &mut |removed| {
            sink.write(removed, |id| collection.has_namesake(id)).map_err(|failure| {
                failed = Some(failure);
                nddb::Error::Cancelled
            })
        });
        match failed {
            Some(failure) => Err(failure.into()),
            None => {
                outcome?;
                Ok(sink.finish()?)
            }
        }
    }
}

/// What the summary says of a list, by which a list that was cut or changed is noticed.
fn listed(name: &str, tally: &ListTally) -> (String, Value) {
    let ListTally { lines, bytes, xxh3 } = *tally;
    let xxh3 = format!("{xxh3:016x}");
    // A table has no lines.
    let is_table = name.ends_with(".parquet");
    let value = if is_table {
        json!({"bytes": bytes, "xxh3": xxh3})
    } else {
        json!({"lines": lines, "bytes": bytes, "xxh3": xxh3})
    };
    (name.to_owned(), value)
}

/// Notes the members of all clusters.
pub(super) fn want(wanted: &mut Wanted, collection: &Collection, made: &Clusters) -> Result<()> {
    made.each(collection, &mut |cluster| {
        cluster.members.iter().for_each(|&member| wanted.add(member));
        Ok(())
    })?;
    Ok(())
}

/// Writes all clusters as lines of JSON.
pub(super) fn clusters(
    mut output: Output,
    collection: &Collection,
    made: &Clusters,
    described: Option<&Described<'_>>,
) -> Result<()> {
    let mut out = Vec::new();
    let outcome = made.each(collection, &mut |cluster| {
        out.clear();
        let line = ClusterLine {
            cluster: Id(collection.id(cluster.founder)),
            size: cluster.members.len(),
            kept: Id(collection.id(cluster.kept)),
            removed: cluster.removed,
            oversized: cluster.oversized,
            single_site: cluster.single_site,
            empty: cluster.empty,
            thin: cluster.thin,
            members: IdList(collection, cluster.members),
            documents: described.map(|described| described.documents(cluster.members)),
        };
        json::line(&mut out, &line);
        output.emit(&out)
    });
    output.finish_after(outcome.map_err(Failure::from))
}

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
