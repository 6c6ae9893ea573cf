//! The clusters of a database as lists: which documents to keep and which to remove, for [`filter`](crate::filter).

mod previous;

use std::io::Write;
use std::path::Path;

use nddb_dedup::{ClusterOptions, ClusterSummary, Clusters, Collection, UnreadTexts};
use nddb_index::{Error, Progress, View};
use serde_json::{Value, json};

pub use self::previous::PreviousClusters;
use crate::copies::{COPIES, CopyCounts};
use crate::error::{JobError, Result};
use crate::fields::{
    Described, DescribedField, LineFormat, PairLines, WaitingLines, cluster_line, member_columns, member_rows,
    pair_columns, pair_header, pair_rows, want_members, write_header,
};
use crate::output::{ListTally, OutputLists, Outputs};
use crate::packed::PackedFile;
use crate::removed::{RemoveTsv, copies_of_clusters, of_clusters};
use crate::rows::{Column, RowFormat, Rows, tsv_value, write_id};

/// The files that a run writes or not, by its options.
const SOMETIMES: [&str; 7] =
    ["clusters.tsv", "clusters.parquet", "pairs.jsonl", "pairs.tsv", "pairs.parquet", "renamed.tsv", "flipped.txt"];

/// Where the lists of a clustering go, and what they say.
pub struct ClusterLists<'a> {
    lists: OutputLists,
    /// How the pairs are written; `None`: as a table of Parquet, and the members of clusters, too.
    pub format: Option<LineFormat>,
    /// Fields of documents in lines besides their ids.
    pub with: &'a [DescribedField],
    /// The clusters of an earlier run, with which these are compared.
    pub previous: Option<PreviousClusters>,
    /// What `summary.json` says besides the lists.
    pub describe: &'a dyn Fn(&ClusterSummary) -> Value,
}

/// What was written.
#[derive(Debug)]
pub struct WrittenClusters {
    /// The numbers of the clustering.
    pub summary: ClusterSummary,
    /// Documents whose titles could not be read, if titles were asked for.
    pub unread: UnreadTexts,
}

impl<'a> ClusterLists<'a> {
    /// Registers the folder of the lists, by the option that names it, and locks it.
    ///
    /// # Errors
    /// The folder is refused, or cannot be made.
    pub fn open(outputs: &Outputs, option: &str, folder: &Path) -> Result<Self> {
        let lists = outputs.lists(option, folder, "summary.json", &SOMETIMES)?;
        Ok(Self { lists, format: Some(LineFormat::Jsonl), with: &[], previous: None, describe: &|_| Value::Null })
    }

    /// Clusters, and writes all lists. They get their names when all of them are whole.
    ///
    /// # Errors
    /// An id of the earlier run may be of two documents; damage of the database; a list cannot be written;
    /// [`Error::Cancelled`] if `watch` returns `false`.
    pub fn write(
        self,
        view: View<'_>,
        collection: &Collection,
        options: &ClusterOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<WrittenClusters> {
        let Self { lists, format, with, previous, describe } = self;
        // Before the work: an id that may be of two documents is an error.
        let kept = previous.as_ref().map(|previous| previous.kept(collection)).transpose()?;
        let files = Files { lists, view, collection, options };
        let (made, described) = match format {
            Some(format) => files.lines(format, with, watch)?,
            None => (files.tables(watch)?, None),
        };
        let mut file = files.begin("clusters.jsonl")?;
        let mut out = Vec::new();
        let outcome = made.each(collection, &mut |cluster| {
            out.clear();
            cluster_line(&mut out, collection, cluster, described.as_ref());
            file.emit(&out)
        });
        file.finish(outcome)?;
        if format.is_some() {
            files.members(&made, with, described.as_ref())?;
        }
        files.decisions(&made)?;
        files.removed(&made)?;
        if let Some((previous, kept)) = previous.zip(kept) {
            PreviousClusters::flipped(files.begin("flipped.txt")?, &kept, collection, &made)?;
            previous.renamed(files.begin("renamed.tsv")?, collection, &made)?;
        }
        let mut summary = describe(&made.summary);
        summary["lists"] =
            Value::Object(files.lists.tallies().iter().map(|(name, tally)| listed(name, tally)).collect());
        let text = serde_json::to_string_pretty(&summary);
        let text = text.map_err(|error| JobError::options(format!("the summary: {error}")))?;
        files.lists.publish(format!("{text}\n").as_bytes())?;
        let unread = described.map(|described| *described.unread()).unwrap_or_default();
        Ok(WrittenClusters { summary: made.summary, unread })
    }
}

/// The lists while they are written.
struct Files<'a> {
    lists: OutputLists,
    view: View<'a>,
    collection: &'a Collection,
    options: &'a ClusterOptions,
}

impl<'a> Files<'a> {
    fn begin(&self, name: &str) -> Result<ListFile> {
        Ok(ListFile { file: PackedFile::plain(self.lists.begin(name)?), failed: None })
    }

    fn table(&self, name: &str, columns: Vec<Column>) -> Result<Rows> {
        Rows::new(RowFormat::Parquet, PackedFile::plain(self.lists.begin(name)?), columns)
    }

    /// Clusters, and writes the pairs as lines. Returns also what is said of documents besides.
    fn lines(
        &self,
        format: LineFormat,
        with: &'a [DescribedField],
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<(Clusters, Option<Described<'a>>)> {
        let (collection, pairs) = (self.collection, &self.options.pairs);
        let lines = PairLines { collection, method: pairs.method.name(), format };
        let mut file = self.begin(&format!("pairs.{}", format.extension()))?;
        let mut out = Vec::new();
        let mut waiting = if with.is_empty() { None } else { Some(WaitingLines::new(collection)?) };
        let outcome = file.emit(&pair_header(format, with, false)).and_then(|()| {
            nddb_dedup::cluster(self.view, collection, self.options, watch, &mut |line| match &mut waiting {
                Some(waiting) => waiting.hold(&lines, &mut out, &line),
                None => {
                    out.clear();
                    lines.write(&mut out, &line);
                    file.emit(&out)
                }
            })
        });
        let made = file.ended(outcome)?;
        let described = match waiting {
            Some(mut waiting) => {
                want_members(&mut waiting.wanted, collection, &made)?;
                let what = (with, &waiting.wanted);
                let described = Described::read(self.view, collection, &pairs.resources, what, watch)?;
                waiting.finish(&described, format, &mut |line| file.write(line))?;
                Some(described)
            }
            None => None,
        };
        file.finish(Ok(()))?;
        Ok((made, described))
    }

    /// Clusters, and writes the pairs and the members of clusters as tables.
    fn tables(&self, watch: &mut (dyn FnMut(&Progress) -> bool + Send)) -> Result<Clusters> {
        let (view, collection, of) = (self.view, self.collection, &self.options.pairs);
        let mut rows = self.table("pairs.parquet", pair_columns())?;
        let outcome = nddb_dedup::cluster(view, collection, self.options, watch, &mut |line| {
            pair_rows(collection, of.method.name(), &line, &mut |cells| rows.row(cells))
        });
        let made = rows.finish(outcome.map_err(JobError::from))?;
        let mut rows = self.table("clusters.parquet", [member_columns(), COPIES.to_vec()].concat())?;
        let copies = copies_of_clusters(view, collection, &made)?;
        let outcome = member_rows(view, collection, of, &made, Some(&copies), &mut |cells| rows.row(cells));
        rows.finish(outcome.map_err(JobError::from))?;
        Ok(made)
    }

    /// A line for each document of a cluster: the cluster, the document, whether it is kept or removed, and of a kept
    /// one how often it was found.
    fn members(&self, made: &Clusters, with: &[DescribedField], described: Option<&Described<'_>>) -> Result<()> {
        let mut file = self.begin("clusters.tsv")?;
        let copies = copies_of_clusters(self.view, self.collection, made)?;
        let mut out = b"cluster\tdocument\tverdict".to_vec();
        COPIES.iter().for_each(|column| out.extend_from_slice(format!("\t{}", column.name).as_bytes()));
        write_header(with, &mut out, "");
        out.push(b'\n');
        let outcome = made.each(self.collection, &mut |cluster| {
            for &member in &cluster.members {
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
            file.emit(&out)?;
            out.clear();
            Ok(())
        });
        let outcome = outcome.and_then(|()| file.emit(&out));
        file.finish(outcome)
    }

    /// The ids of all live documents, in one list or the other.
    fn decisions(&self, made: &Clusters) -> Result<()> {
        let (mut keep, mut remove) = (self.begin("keep.txt")?, self.begin("remove.txt")?);
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
        keep.finish(Ok(()))?;
        remove.finish(Ok(()))
    }

    /// Writes `remove.tsv`, which [`filter`](crate::filter) reads: for each document of `remove.txt`, in the same order,
    /// the reason and the position in its archive.
    fn removed(&self, made: &Clusters) -> Result<()> {
        let (view, collection) = (self.view, self.collection);
        let mut sink = RemoveTsv::begin(self.lists.begin("remove.tsv")?, view)?;
        let mut failed = None;
        let outcome = of_clusters(collection, &self.options.pairs, made, Some(view), &mut |removed| {
            sink.write(removed, |id| collection.has_namesake(id)).map_err(|error| {
                failed = Some(error);
                Error::Cancelled
            })
        });
        match failed {
            Some(error) => Err(error),
            None => {
                outcome?;
                Ok(sink.finish()?)
            }
        }
    }
}

/// A list that is being written, also in callbacks of the library: if writing fails there, the callback stops the work,
/// and [`ListFile::finish`] returns the error.
struct ListFile {
    file: PackedFile,
    failed: Option<JobError>,
}

impl ListFile {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| self.file.failed(error).into())
    }

    fn emit(&mut self, bytes: &[u8]) -> nddb_index::Result<()> {
        self.write(bytes).map_err(|error| {
            self.failed = Some(error);
            Error::Cancelled
        })
    }

    /// Returns the outcome of work with callbacks, or the error of writing that stopped it.
    fn ended<T>(&mut self, outcome: nddb_index::Result<T>) -> Result<T> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(outcome?),
        }
    }

    /// Completes the list if the work succeeded.
    fn finish(mut self, outcome: nddb_index::Result<()>) -> Result<()> {
        self.ended(outcome)?;
        self.file.finish()?;
        Ok(())
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
