//! The kept documents themselves: files are copied without the documents that lists remove.
//!
//! Records of archives and lines of JSON are copied byte for byte, with the same compression; Parquet files keep their
//! schema, nested columns and metadata. Records that belong to a page (request, metadata) follow it; other records, and
//! rows without an id, are kept.
//!
//! For an archive of the database, exactly the rows that were judged are removed, by file and position. For other files
//! rows are found by id, and kept if several rows have the same id; such files are read twice.

mod archives;
mod csv;
mod cut;
mod notes;
mod opened;
mod outs;
mod pages;
mod pass;
mod plan;
mod records;
mod related;
mod remove_list;
mod rows;
mod selection;
#[cfg(feature = "parquet")]
mod tables;
mod targets;

use std::path::{Path, PathBuf};

use nddb_index::{Progress, Reader, View};

pub(crate) use self::archives::Archives;
use self::cut::Cutter;
pub use self::cut::{CUT_WORDS, CUT_WORDS_MIN, CutCounts, CutOptions};
pub use self::notes::FilterField;
pub use self::opened::FilterOptions;
pub(crate) use self::opened::copied_as;
pub(crate) use self::plan::FilterPlan;
pub(crate) use self::records::Cursor;
pub(crate) use self::remove_list::RemoveList;
pub(crate) use self::selection::Selection;
pub use self::selection::{FilterCounts, FilterNote, RemovalLists};
pub(crate) use self::targets::Targets;
use crate::error::Result;
use crate::lists;
use crate::named_id::{NamedId, resolved};
use crate::output::{Destination, Outputs};
use crate::removed::{Because, More, Place, RemoveTsv, RemovedRows};
use crate::rows::RowFormat;

/// The output of documents of which only is told what would become of them.
pub const NOWHERE: &str = "/dev/null";
/// The files of a clustering, which are read or belong to what is read.
const READ_OF_CLUSTERS: [&str; 5] = ["remove.txt", "remove.tsv", "clusters.jsonl", "keep.txt", "summary.json"];

/// Files to copy without the documents that lists remove.
#[derive(Debug)]
pub struct Filter<'a> {
    /// The database in which the documents were judged.
    pub database: &'a Path,
    /// Files and folders; `-` is stdin, which is copied to a temporary file.
    pub inputs: &'a [PathBuf],
    /// Which documents are removed.
    pub lists: RemovalLists,
    /// All rows are kept, and the fields of [`FilterOptions::with`] say which would be removed; all fields, if it has
    /// none.
    pub annotate: bool,
    /// The cuts in the texts of kept documents.
    pub cut: CutOptions,
    /// How inputs are read, and what is added to rows.
    pub options: FilterOptions,
    /// Where the kept documents go: a file, `-`, or a folder, by the option that names it.
    pub output: (&'a str, &'a Path),
    /// Where the removed documents go, if anywhere.
    pub removed_documents: Option<(&'a str, &'a Path)>,
    /// The list of the removed documents, in the format that its name says, else as TSV.
    pub removed: Option<(&'a str, &'a Path)>,
}

/// The numbers of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterSummary {
    /// Numbers of rows read, kept and removed.
    pub counts: FilterCounts,
    /// Number of ids of the list.
    pub listed: u64,
    /// Ids of the list that no row had.
    pub not_found: u64,
    /// What was cut from the texts of kept documents.
    pub cut: CutCounts,
}

impl<'a> Filter<'a> {
    /// Copies these files to an output, without the documents of these lists, with the defaults of all else.
    #[must_use]
    pub fn new(database: &'a Path, lists: RemovalLists, inputs: &'a [PathBuf], output: &'a Path) -> Self {
        let (options, output) = (FilterOptions::default(), ("output", output));
        let cut = CutOptions::default();
        Self { database, inputs, lists, annotate: false, cut, options, output, removed_documents: None, removed: None }
    }

    /// Copies the files. `tell` is called with what is noticed.
    ///
    /// # Errors
    /// Each of [`JobError`](crate::JobError); [`nddb_index::Error::Cancelled`] if `watch` returns `false`.
    pub fn run(
        &self,
        outputs: &Outputs,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        tell: &mut dyn FnMut(FilterNote),
    ) -> Result<FilterSummary> {
        let of_clusters = READ_OF_CLUSTERS.iter().filter_map(|name| self.lists.in_folder(name));
        of_clusters.for_each(|path| outputs.reads("a list of the clusters", &path));
        let mut options = self.options.clone();
        if self.annotate && options.with.is_empty() {
            options.with = FilterField::usual();
        }
        let plan = FilterPlan::make(&options, self.inputs, (self.output, self.removed_documents), outputs, tell)?;
        let removed = self.removed.map(|(option, path)| removed_rows(option, path, outputs)).transpose()?;
        let reader = Reader::open(self.database)?;
        let view = reader.view();
        let mut selection = Selection::read(&self.lists, &options.with, view, tell)?;
        selection.annotates = self.annotate;
        let more = More { cuts: self.cut.any(), ..More::default() };
        let mut rows = removed.as_ref().map(|to| RemovedRows::begin(to, view, more)).transpose()?;
        if self.cut.any() {
            selection.cutter = Some(Cutter::new(&self.cut, rows.take())?);
        }
        let counts = plan.copy(&options, view, &mut selection, watch, tell)?;
        let (cutter, listed) = (selection.cutter, selection.list.len());
        let cut = cutter.as_ref().map(|cutter| cutter.counts).unwrap_or_default();
        if let Some(rows) = rows.or_else(|| cutter?.rows) {
            self.list(rows, view, &selection.list)?;
        }
        Ok(FilterSummary { counts, listed, not_found: listed - selection.list.found(), cut })
    }

    /// Lists what was removed: with the reasons of the clustering, unless a list names the documents.
    fn list(&self, mut rows: RemovedRows<'_>, view: View<'_>, removed: &RemoveList) -> Result<()> {
        let mut row = |named: &NamedId, because: Because<'_>, place: Option<Place>| -> Result<()> {
            let id = resolved(named, view)?;
            if !removed.is_removed(&id) {
                return Ok(());
            }
            let kept = because.kept.and_then(NamedId::of_cell).map(|kept| resolved(&kept, view)).transpose()?;
            Ok(rows.write(&id, &Because { kept: kept.as_deref(), ..because }, place)?)
        };
        let outcome = match (&self.lists.remove, self.lists.in_folder("remove.tsv")) {
            (None, Some(table)) => RemoveTsv::read(&table, &mut |named, because, place| row(&named, because, place)),
            (list, _) => lists::each_id(list.as_deref().unwrap_or(Path::new("")), &mut |named| {
                let place = Place::of(view, &resolved(&named, view)?)?;
                row(&named, Because::default(), place)
            }),
        };
        rows.finish(outcome)
    }
}

/// Registers a list of removed documents.
pub(crate) fn removed_rows(option: &str, path: &Path, outputs: &Outputs) -> Result<Destination> {
    let to = outputs.file(option, path)?;
    RowFormat::of(Some(path), None::<RowFormat>, RowFormat::Tsv)?;
    Ok(to)
}
