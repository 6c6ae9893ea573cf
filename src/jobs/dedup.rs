//! From files to the kept documents of them, in one call: they are loaded into a temporary database, which documents
//! are removed is found there, and the files are copied without these.

use std::path::{Path, PathBuf};

use nddb_archive::{IdFrom, Inputs, Options};
use nddb_dedup::ingest::{Event, LoadReport};
use nddb_dedup::{ClusterOptions, ClusterSummary, MethodChoice, PairOptions};
use nddb_index::{Config, Progress, Reader, View};
use nddb_page::sketch::Recipe;
use nddb_remote::is_remote;

use crate::answers::NamedFederation;
use crate::error::{JobError, Result};
use crate::fields::LossValues;
use crate::filter::{FilterCounts, FilterNote, FilterOptions, FilterPlan, RemoveList, Selection, removed_rows};
use crate::output::{Destination, OutputError, Outputs, is_nameless};
use crate::removed::{Because, Contained, More, RemovalSearch, Removed, RemovedRows};
use crate::scratch::Scratch;
use crate::temporary::{K, Loading, TemporaryDatabase, config_like};

/// Files to copy without their near-duplicates.
#[derive(Clone, Debug)]
pub struct Dedup<'a> {
    /// Files and folders. They are read twice.
    pub inputs: &'a [PathBuf],
    /// Where the kept documents go: a file, `-`, or a folder, by the option that names it.
    pub output: (&'a str, &'a Path),
    /// The list of the removed documents, in the format that its name says, else as TSV.
    pub removed: Option<(&'a str, &'a Path)>,
    /// Databases whose documents are kept in any case: what is near to one of these is removed first.
    pub against: &'a [PathBuf],
    /// Whether documents are looked for that stand within others of the inputs, and what becomes of them.
    pub contained: Option<Contained>,
    /// How inputs are read.
    pub reading: Options,
    /// Where ids come from; `None` is the record, or the place if an id comes again.
    pub id: Option<IdFrom>,
    /// Whether documents get the sketches of all methods, and not only those by which they are judged.
    pub all_sketches: bool,
    /// The folder of the temporary database; `None` is that of the output, or of the system if it has none.
    pub temporary: Option<&'a Path>,
    /// Number of threads.
    pub threads: usize,
    /// The limit of the memory of loading; `None` is the default.
    pub memory: Option<u64>,
}

/// Who hears of the work on its way.
pub struct DedupWatch<'a> {
    /// Called from time to time; returning `false` cancels the work.
    pub progress: &'a mut (dyn FnMut(&Progress) -> bool + Send),
    /// Called with what happens while files are loaded.
    pub loading: &'a mut dyn FnMut(Event<'_>),
    /// Called between entries that are loaded, on the reading thread: `true` cancels the work.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called with what is noticed.
    pub note: &'a mut dyn FnMut(FilterNote),
}

/// Numbers of removed documents by kind, their words and bytes.
#[derive(Debug, Default)]
pub struct DedupSummary {
    /// Documents near to a document of an earlier database.
    pub earlier: u64,
    /// Documents with the text of a kept document.
    pub identical: u64,
    /// Other near-duplicates of a kept document.
    pub near: u64,
    /// Documents that stand within a kept document, and stay.
    pub contained_kept: u64,
    /// Documents that stood within a kept document.
    pub contained: u64,
    /// Words of all that are removed.
    pub words: u64,
    /// Bytes of all of these in the inputs, compressed as they are, where that is known.
    pub bytes: u64,
    /// What became of the documents that are not near to earlier ones.
    pub clusters: ClusterSummary,
    /// Numbers of documents read, kept and removed.
    pub counts: FilterCounts,
}

/// The result of a run: its summary, and the temporary database for a report.
pub struct Deduped {
    /// The numbers of the run.
    pub summary: DedupSummary,
    /// How documents were judged.
    pub options: ClusterOptions,
    /// The documents that are not near to earlier ones, in the temporary database, which goes away with this.
    pub reader: Reader,
    database: TemporaryDatabase,
}

impl Deduped {
    /// Returns how the files were loaded.
    pub fn report(&self) -> &LoadReport {
        self.database.report()
    }
}

impl<'a> Dedup<'a> {
    /// Copies these files to an output, on one thread and with the defaults of all else.
    #[must_use]
    pub fn new(inputs: &'a [PathBuf], output: &'a Path) -> Self {
        Self {
            inputs,
            output: ("output", output),
            removed: None,
            against: &[],
            contained: None,
            reading: Options::default(),
            id: None,
            all_sketches: false,
            temporary: None,
            threads: 1,
            memory: None,
        }
    }

    /// Returns how documents of a database are judged by default.
    #[must_use]
    pub fn usual(view: View<'_>) -> ClusterOptions {
        ClusterOptions::new(PairOptions::chosen(MethodChoice::usual(view)))
    }

    /// Finds the inputs, and registers the outputs.
    ///
    /// # Errors
    /// An input is not found; an output is refused.
    pub fn plan(&self, outputs: &Outputs, note: &mut dyn FnMut(FilterNote)) -> Result<DedupPlan<'_>> {
        let files = FilterPlan::make(&self.copying(self.id), self.inputs, (self.output, None), outputs, note)?;
        let options = Options { id_from: self.id.unwrap_or_default(), ..self.reading.clone() };
        let removed = self.removed.map(|(option, path)| removed_rows(option, path, outputs)).transpose()?;
        Ok(DedupPlan { dedup: self, files, options, removed })
    }

    /// How files are copied whose ids come from there.
    fn copying(&self, id: Option<IdFrom>) -> FilterOptions {
        // The fields of ids are those by which each file is loaded.
        FilterOptions { format: self.reading.format, id, threads: self.threads, ..FilterOptions::default() }
    }

    /// Returns the settings of the temporary database: those of an earlier one that it is compared with, or else one
    /// table, and a recipe without keys, because nothing is looked up online.
    fn config(&self, earlier: Option<&Reader>) -> Result<Config> {
        if let Some(earlier) = earlier {
            return Ok(config_like(earlier.view().settings())?.keep_words(true));
        }
        let recipe = Recipe::default();
        let recipe = recipe.offline().filter(|_| !self.all_sketches).unwrap_or(recipe);
        Ok(Config::within(K)?.levels(&[])?.recipe(&recipe.label()).keep_words(true))
    }

    /// Makes the folder of the temporary database.
    fn folder(&self) -> Result<Scratch> {
        let (_, output) = self.output;
        let beside = match output.parent() {
            _ if is_nameless(output) || is_remote(output) => tempfile::env::temp_dir(),
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let folder = self.temporary.map_or(beside, Path::to_owned);
        Scratch::in_folder(&folder).map_err(|error| OutputError::io(folder)(error).into())
    }
}

/// The inputs and outputs of a [`Dedup`].
pub struct DedupPlan<'a> {
    dedup: &'a Dedup<'a>,
    files: FilterPlan,
    options: Options,
    removed: Option<Destination>,
}

impl DedupPlan<'_> {
    /// Returns the inputs.
    pub fn inputs(&self) -> Inputs {
        self.files.inputs()
    }

    /// Returns the files of kept documents, in the order of the inputs.
    pub fn outputs(&self) -> &[Destination] {
        self.files.outputs()
    }

    /// Does the work. `choose` says how documents of the temporary database are judged.
    ///
    /// # Errors
    /// Errors of `choose`; each of [`JobError`]; [`nddb_index::Error::Cancelled`].
    pub fn run<E: From<JobError>>(
        &self,
        choose: &dyn Fn(View<'_>) -> Result<ClusterOptions, E>,
        watch: DedupWatch<'_>,
    ) -> Result<Deduped, E> {
        let DedupWatch { progress, loading, stop, note } = watch;
        // What cannot be written in part is told before the work.
        self.files.check(&self.dedup.copying(self.dedup.id), &self.options)?;
        let open = |path: &PathBuf| Reader::open(path).map_err(JobError::from);
        let earlier = self.dedup.against.iter().map(open).collect::<Result<Vec<_>>>()?;
        let config = self.dedup.config(earlier.first())?;
        let mut load = |options: Options| -> Result<TemporaryDatabase, E> {
            let check = |view: View<'_>| choose(view).map(|_| ());
            let Dedup { threads, memory, .. } = *self.dedup;
            let loading = Loading { options, threads, memory, event: &mut *loading, stop };
            TemporaryDatabase::load(self.inputs(), &config, self.dedup.folder()?, check, loading)
        };
        let (mut id, mut database) = (self.dedup.id, load(self.options.clone())?);
        let loaded = &database.report().loaded;
        let repeated = loaded.repeated + loaded.unchanged;
        if repeated > 0 {
            // Where an id is that of several documents, all of them are to be judged: then ids are places.
            drop(database);
            note(FilterNote::NamedByPlace(repeated));
            id = Some(IdFrom::Path);
            database = load(Options { id_from: IdFrom::Path, ..self.options.clone() })?;
        }
        let view = database.reader().view();
        let options = choose(view)?;
        let (list, mut summary, reader) = self.find(&database, &earlier, &options, progress)?;
        let mut selection = Selection::new(list);
        summary.counts = self.files.copy(&self.dedup.copying(id), view, &mut selection, progress, note)?;
        Ok(Deduped { summary, options, reader, database })
    }

    /// Finds what is removed, and lists it.
    fn find(
        &self,
        database: &TemporaryDatabase,
        earlier: &[Reader],
        options: &ClusterOptions,
        progress: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<(RemoveList, DedupSummary, Reader)> {
        let (view, path) = (database.reader().view(), database.path());
        let readers: Vec<_> = earlier.iter().collect();
        let parts = if readers.is_empty() { None } else { Some(NamedFederation::new(self.dedup.against, &readers)?) };
        let (mut list, mut summary) = (RemoveList::empty(), DedupSummary::default());
        let contained = self.dedup.contained;
        let more = More { earlier: parts.is_some(), stays: contained.is_some(), ..More::default() };
        let rows = self.removed.as_ref().map(|to| RemovedRows::begin(to, view, more));
        let mut rows = rows.transpose()?;
        let search = RemovalSearch {
            path: &path,
            view,
            earlier: parts.as_ref().map(|parts| &parts.federation),
            options: options.clone(),
            contained,
            threads: self.dedup.threads,
            has_origins: true,
        };
        let outcome = search.each(progress, &mut |removed| {
            let place = removed.origin.place;
            if !removed.stays {
                list.add(removed.id, place);
            }
            summary.add(removed);
            let kept_in = removed.part.map(|part| self.dedup.against[part].to_string_lossy());
            let because = Because {
                kept: removed.kept,
                kept_in: kept_in.as_deref(),
                rule: Some(&removed.rule),
                probability: removed.probability,
                loss: LossValues::of(removed.loss.as_ref(), removed.level),
                stays: removed.stays,
                cut: None,
            };
            rows.as_mut().map_or(Ok(()), |rows| rows.write(removed.id, &because, place))
        });
        let outcome = outcome.map_err(JobError::from);
        let found = match rows {
            Some(rows) => rows.finish(outcome)?,
            None => outcome?,
        };
        summary.clusters = found.clusters;
        Ok((list.sorted(), summary, found.reader))
    }
}

impl DedupSummary {
    /// Counts a document that is removed, or stands within another one.
    fn add(&mut self, removed: &Removed<'_>) {
        if removed.stays {
            self.contained_kept += 1;
            return;
        }
        *match removed {
            Removed { contained: true, .. } => &mut self.contained,
            Removed { part: Some(_), .. } => &mut self.earlier,
            Removed { identical: true, .. } => &mut self.identical,
            _ => &mut self.near,
        } += 1;
        self.words += removed.origin.words;
        self.bytes += removed.origin.bytes;
    }
}
