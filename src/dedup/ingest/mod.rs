//! Loading: from archives to documents to a database.
//!
//! [`Loader`] reads files and folders of every format of [`nddb_archive`], sketches their pages by the database's
//! recipe on the given number of threads, and stores them by bulk load. Documents are stored in the order of the
//! inputs, so the database does not depend on the number of threads. The progress of each archive is committed with
//! its documents, at least after every 4 GB of decompressed input or half a million documents, so that a load that
//! was stopped or killed resumes when it is called again. The writer's memory limit covers the documents that wait to
//! be stored and, with a fixed part of it, the pages that wait to be sketched, a quarter of that part for large ones.
//! A page that needs more than this quarter is sketched alone; a page that needs 128 MB more is truncated and flagged.
//! A load exceeds the limit by at most 256 MB, whatever its inputs and the number of threads. Unreadable entries are
//! passed to the caller as an [`Event`], and counted. Tables of sketches are stored unchanged; their recipe must be
//! that of the database.
//!
//! ```
//! use nddb_dedup::ingest::{Event, Loader};
//! use nddb_index::{Config, Writer};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (database, archive) = (folder.path().join("crawl.nddb"), folder.path().join("pages.jsonl"));
//! # std::fs::write(&archive, "{\"id\":\"a\",\"text\":\"some words\"}\n{\"id\":\"b\"}\n")?;
//! let mut writer = Writer::create(&database, &Config::within(3)?)?;
//! let report = Loader::new(&mut writer)
//!     .threads(4)
//!     .on_event(|event| match event {
//!         Event::Skipped(skipped) => eprintln!("{}: {}", skipped.path.display(), skipped.detail),
//!         Event::Progress(progress) => eprintln!("{} documents", progress.documents),
//!         _ => {}
//!     })
//!     .load(&[&archive])?;
//! # assert_eq!((report.loaded.documents, report.skipped()), (1, 1));
//! # let again = Loader::new(&mut writer).load(&[&archive])?;
//! # assert_eq!((again.loaded.documents, again.loaded.unchanged), (0, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Loading never uses methods or candidates. It prints nothing, and starts threads only on request.

mod budget;
mod documents;
mod error;
mod latest;
mod origins;
mod pieces;
mod reading;
mod report;
mod resume;
mod revisits;
mod sketched;
mod stretches;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::atomic::AtomicU64;

pub use self::error::LoadError;
pub use self::report::{Event, LoadProgress, LoadReport, Skipped};
pub use self::revisits::{RevisitCounts, Revisits};
pub use self::sketched::{Sketched, sketch_archive};

use nddb_archive::{self as archive, Inputs, Options};
use nddb_format::record::Archive;
use nddb_index::spill::parallel;
use nddb_index::{BulkLoad, Writer};

use self::budget::{Allowed, Budget};
use self::documents::{Maker, Prepared, Unread};
use self::origins::Origins;
use self::pieces::{Files, Piece};
use self::reading::Reading;
use self::report::Tally;
use self::resume::Sources;
use self::stretches::{OpenInputs, Order};

/// Decompressed bytes of the inputs between commits, and so the most that is read again when a load is killed: what
/// one core loads in about half a minute. They depend on the inputs alone, and so do the borders of runs.
const CHECKPOINT: u64 = if cfg!(test) { 4 << 20 } else { 4 << 30 };
/// Bytes for which a document counts at least, and a bare fingerprint.
const LEAST: [u64; 2] = [8 << 10, 64];

/// A load of archives into a database: its inputs, options and callbacks.
#[must_use = "nothing is loaded until `load` is called"]
pub struct Loader<'a> {
    writer: &'a mut Writer,
    options: Options,
    threads: usize,
    again: bool,
    is_unordered: bool,
    stop: Box<dyn Fn() -> bool + Sync + 'a>,
    on_event: Box<dyn FnMut(Event<'_>) + 'a>,
}

impl std::fmt::Debug for Loader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loader").field("options", &self.options).field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl<'a> Loader<'a> {
    /// Returns a load into this database, with one thread and the default options.
    ///
    /// The documents belong to the batch named by [`Writer::label`]. If the batch is pending, the progress of
    /// archives is neither used nor stored: if the batch were cancelled, its archives would remain marked as read.
    pub fn new(writer: &'a mut Writer) -> Self {
        Self {
            writer,
            options: Options::default(),
            threads: 1,
            again: false,
            is_unordered: false,
            stop: Box::new(|| false),
            on_event: Box::new(|_| {}),
        }
    }

    /// Sets the options for reading inputs.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the number of threads that sketch pages, and read large files; 1 by default. If there are several, one more
    /// thread reads what is not read by parts.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Sets whether archives that an earlier load has read are read again, from the start.
    pub fn again(mut self, again: bool) -> Self {
        self.again = again;
        self
    }

    /// Sets whether all documents have the same age, wherever they occur in the inputs: see [`BulkLoad::unordered`]. By
    /// default, earlier documents are older.
    pub fn unordered(mut self, is_unordered: bool) -> Self {
        self.is_unordered = is_unordered;
        self
    }

    /// Sets a function that is called between entries, on threads that read, and ends the load by returning `true`,
    /// then and ever after. The documents read so far are kept, and the next load resumes there.
    pub fn stop_when(mut self, stop: impl Fn() -> bool + Sync + 'a) -> Self {
        self.stop = Box::new(stop);
        self
    }

    /// Sets a function that is called with skipped entries and progress, on the calling thread.
    pub fn on_event(mut self, on_event: impl FnMut(Event<'_>) + 'a) -> Self {
        self.on_event = Box::new(on_event);
        self
    }

    /// Loads files, folders (every file of a known format below them) and `-`, the standard input.
    ///
    /// Archives that an earlier load has read are passed over; an archive that was partly read is resumed. If all
    /// archives have been read before, they are read again, so that the report can say that their documents are stored.
    ///
    /// # Errors
    /// [`LoadError::Archive`] for a path that does not exist or a folder without an input, before anything is loaded.
    /// An input that cannot be opened or read to its end is no error but an [`Event::Unreadable`].
    /// [`LoadError::Recipe`] if this version does not know the database's recipe; [`LoadError::OtherRecipe`] for
    /// sketches of another recipe; [`LoadError::Store`] for errors of the database.
    pub fn load<P: AsRef<Path>>(self, inputs: &[P]) -> Result<LoadReport, LoadError> {
        let inputs = archive::expand(inputs, self.options.format)?;
        self.load_inputs(inputs)
    }

    /// Loads inputs found by [`archive::expand`], as [`Loader::load`] does.
    ///
    /// # Errors
    /// Errors of [`Loader::load`].
    pub fn load_inputs(self, inputs: Inputs) -> Result<LoadReport, LoadError> {
        let Self { writer, options, threads, again, is_unordered, stop, mut on_event } = self;
        let maker = Maker::new(writer.settings())?;
        let Inputs { located, passed_over } = inputs;
        let allowed = Allowed::by(writer.memory_limit(), &options.limits);
        let sources = Sources::look_up(located, allowed.limit(options.beside(threads)), again, writer)?;
        // Fingerprints need no work between reading and storing, so more threads would only wait for each other.
        let threads = if sources.are_fingerprints() { 1 } else { threads };
        let mut tally = Tally::new(&sources, passed_over);
        let (large, ordinal) = (Budget::new(allowed.large), AtomicU64::new(0));
        let files = Files { sources, allowed, large, stop: &*stop, ordinal };
        let (mut reading, opened) = (Reading::new(&files), OpenInputs::default());
        let budget = Budget::new(allowed.in_flight);
        let mut load = writer.bulk_load()?;
        if is_unordered {
            load.unordered();
        }
        load.leave(allowed.left);
        let maker = maker.recalling(load.recall());
        let (mut origins, mut order) = (Origins::default(), Order::new(&files, &maker));
        let mut read = 0;
        let mut store = |piece: Piece<Prepared>, progress| {
            let [document, fingerprint] = LEAST;
            let documents = piece.documents.saturating_sub(piece.ordinals);
            read += piece.payload_bytes.max(document * documents + fingerprint * piece.ordinals);
            store(piece, progress, maker.label(), &mut origins, &mut load, &mut tally, &mut *on_event)?;
            if read >= CHECKPOINT {
                read = 0;
                load.checkpoint()?;
            }
            Ok::<(), LoadError>(())
        };
        parallel::in_order(
            threads,
            || {
                budget.wait();
                let task = reading.next(|| drop(budget.take(u64::MAX)))?;
                let share = budget.take(task.memory());
                Some((task, share))
            },
            |(task, share)| (share.spend(|| task.work(&files, &opened, &maker)), share),
            // The share ends when the documents are stored.
            |(done, _share)| order.take(done, &mut store),
        )?;
        // A caller who stops the load need not wait until the runs are merged.
        let loaded = if stop() { load.stop()? } else { load.finish()? };
        let repeated_in = loaded.repeat.as_ref().and_then(|repeat| files.path(repeat.input));
        Ok(LoadReport { repeated_in, ..tally.report(loaded, !order.is_at_end()) })
    }
}

/// Stores the documents of a piece, and records the progress of its archive.
fn store(
    piece: Piece<Prepared>,
    progress: Option<(u32, Archive)>,
    recipe: &str,
    origins: &mut Origins,
    load: &mut BulkLoad<'_>,
    tally: &mut Tally,
    on_event: &mut dyn FnMut(Event<'_>),
) -> Result<(), LoadError> {
    if let Some(documents) = piece.resumed {
        on_event(Event::Resumed { path: &piece.path, documents });
    }
    if piece.is_passed_over {
        on_event(Event::PassedOver { path: &piece.path });
    }
    load.from_input(u32::try_from(piece.source).unwrap_or(u32::MAX));
    if let Some(batch) = &piece.batch {
        load.label(batch)?;
    }
    for entry in piece.entries {
        let (document, keys, unread) = match entry {
            Prepared::Document(document, keys, unread) => (document, keys, unread),
            Prepared::Bare(id, fingerprint) => {
                load.push_bare(id, fingerprint)?;
                tally.take(false, Unread::default(), &piece.path);
                continue;
            }
            Prepared::Sketched(document, archive) => {
                (Box::new(origins.place(*document, archive.as_deref(), load)?), None, Unread::default())
            }
            Prepared::Refused(reason) => return Err(LoadError::Page { path: piece.path, reason }),
            Prepared::OtherRecipe(sketches) => {
                return Err(LoadError::OtherRecipe { path: piece.path, database: recipe.to_owned(), sketches });
            }
            Prepared::Skipped { position, reason, detail } => {
                tally.skip(reason);
                on_event(Event::Skipped(Skipped { path: &piece.path, position, reason, detail: &detail }));
                continue;
            }
            Prepared::Other(kind) => {
                tally.other(kind);
                continue;
            }
        };
        let is_truncated = document.record().truncated;
        load.push_with(*document, keys)?;
        tally.take(is_truncated, unread, &piece.path);
    }
    if let Some(error) = piece.error {
        on_event(Event::Unreadable { path: &piece.path, error: &error });
        tally.unreadable(error);
    }
    tally.revisits(piece.revisits);
    tally.read(piece.source, piece.bytes_read, piece.payload_bytes);
    if let Some((number, archive)) = progress {
        load.progress(number, archive);
    }
    on_event(Event::Progress(tally.progress()));
    Ok(())
}
