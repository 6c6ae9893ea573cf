//! A temporary database of the documents of files.

use std::path::PathBuf;

use nddb_archive::{Inputs, Options};
use nddb_dedup::ingest::{Event, LoadReport, Loader};
use nddb_format::record::Settings;
use nddb_index::{Config, Error, Reader, View, Writer};

use crate::error::{Advice, JobError, chain};
use crate::scratch::Scratch;

/// The name of the database in its folder.
const NAME: &str = "documents.nddb";

/// Maximum distance of queries in a temporary database: the default of `nddb create`.
pub const K: u8 = 3;

/// Returns the settings of a database that can be compared with one of these.
///
/// # Errors
/// [`Error::OutOfRange`] for settings that no database has.
pub fn config_like(like: &Settings) -> nddb_index::Result<Config> {
    Config::within(like.k)?.bits(like.bits).map(|config| config.recipe(&like.recipe))
}

/// A database of the documents of files, in a folder that goes away with this.
pub struct TemporaryDatabase {
    reader: Reader,
    report: LoadReport,
    folder: Scratch,
}

/// How files are loaded.
pub struct Loading<'a> {
    /// How the files are read.
    pub options: Options,
    /// Number of threads that sketch pages.
    pub threads: usize,
    /// The limit of the writer's memory; `None` is its default.
    pub memory: Option<u64>,
    /// Called with what happens.
    pub event: &'a mut dyn FnMut(Event<'_>),
    /// Called between entries, on the reading thread: `true` cancels the work.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl TemporaryDatabase {
    /// Loads files. `check` looks at the empty database before anything is read.
    ///
    /// # Errors
    /// Errors of `check`; [`JobError::Load`]; no file can be read; [`Error::Cancelled`] if `stop` returned `true`.
    pub fn load<E: From<JobError>>(
        inputs: Inputs,
        config: &Config,
        folder: Scratch,
        check: impl FnOnce(View<'_>) -> Result<(), E>,
        loading: Loading<'_>,
    ) -> Result<Self, E> {
        let Loading { options, threads, memory, event, stop } = loading;
        let path = folder.path().join(NAME);
        let mut writer = Writer::create(&path, config).map_err(JobError::from)?;
        check(writer.view())?;
        writer.set_threads(threads);
        if let Some(bytes) = memory {
            writer.set_memory_limit(bytes);
        }
        let loader = Loader::new(&mut writer).options(options).threads(threads).unordered(true);
        let loaded = loader.stop_when(stop).on_event(event).load_inputs(inputs);
        let report = loaded.map_err(JobError::Load)?;
        writer.close().map_err(JobError::from)?;
        if stop() {
            return Err(JobError::from(Error::Cancelled).into());
        }
        if report.is_failure() {
            let message = report.unreadable.first().map(|error| chain(error)).unwrap_or_default();
            return Err(JobError::input(message).advise(Advice::OmitInput).into());
        }
        let reader = Reader::open(&path).map_err(JobError::from)?;
        Ok(Self { reader, report, folder })
    }

    /// Returns the path of the database.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(NAME)
    }

    /// Returns the reader of the database.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns how the files were loaded.
    pub fn report(&self) -> &LoadReport {
        &self.report
    }
}
