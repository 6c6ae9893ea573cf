//! Documents that are looked up elsewhere: those of another database, or of files, which are loaded into a temporary
//! database.

use std::path::{Path, PathBuf};

use nddb_archive::{Format, Options, expand};
use nddb_dedup::ingest::{Event, LoadReport};
use nddb_format::record::Settings;
use nddb_index::{Config, Reader, View};
use nddb_page::sketch::Recipe;

use crate::error::{Advice, JobError, Result};
use crate::output::{OutputError, Outputs};
use crate::scratch::Scratch;
use crate::temporary::{K, Loading, TemporaryDatabase, config_like};

/// The database of these documents, opened or made for one job.
pub enum OpenedDocuments {
    /// A database that exists.
    Stored(Box<Reader>),
    /// A temporary one.
    Loaded(Box<TemporaryDatabase>),
}

/// How files are loaded into a temporary database.
pub struct FileLoading<'a> {
    /// The outputs of the job, which may be none of the files.
    pub outputs: &'a Outputs,
    /// The folder of the temporary database; `None` is that of the system.
    pub temporary: Option<&'a Path>,
    /// Number of threads that sketch pages.
    pub threads: usize,
    /// The limit of the memory of loading; `None` is the default.
    pub memory: Option<u64>,
    /// Called with what happens.
    pub event: &'a mut dyn FnMut(Event<'_>),
    /// Called when files are loaded, with how.
    pub loaded: &'a mut dyn FnMut(&LoadReport),
    /// Called between entries, on the reading thread: `true` cancels the work.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> FileLoading<'a> {
    /// Files are loaded on one thread, with the defaults of all else.
    pub fn new(
        outputs: &'a Outputs,
        event: &'a mut dyn FnMut(Event<'_>),
        loaded: &'a mut dyn FnMut(&LoadReport),
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self { outputs, temporary: None, threads: 1, memory: None, event, loaded, stop }
    }
}

/// Whether a path is a folder that looks like a database.
pub fn is_database(path: &Path) -> bool {
    ["MANIFEST", "LOCK"].iter().any(|name| path.join(name).is_file())
}

impl OpenedDocuments {
    /// Opens a database, or loads files with the settings of `like`.
    ///
    /// # Errors
    /// The database's sketches cannot be compared; a database among files; as [`TemporaryDatabase::load`].
    pub fn open(given: &[PathBuf], like: Option<&Settings>, files: &mut FileLoading<'_>) -> Result<Self> {
        match given {
            [path] if is_database(path) => {
                let reader = Reader::open(path)?;
                if let Some(like) = like {
                    refuse_other(path, reader.view().settings(), like)?;
                }
                Ok(Self::Stored(Box::new(reader)))
            }
            _ if given.iter().any(|path| is_database(path)) => {
                Err(JobError::options("give one database, or files and folders of documents, but not both"))
            }
            _ => {
                let config = match like {
                    Some(like) => config_like(like)?,
                    None => Config::within(K)?.recipe(&Recipe::default().label()),
                };
                Self::load(given, &config, files)
            }
        }
    }

    /// Loads files into a temporary database with these settings.
    ///
    /// # Errors
    /// As [`TemporaryDatabase::load`].
    pub fn load(given: &[PathBuf], config: &Config, files: &mut FileLoading<'_>) -> Result<Self> {
        let FileLoading { outputs, temporary, threads, memory, event, loaded, stop } = files;
        let inputs = expand(given, Format::Auto)?;
        outputs.reads_inputs(&inputs.located);
        let folder = temporary.map_or_else(tempfile::env::temp_dir, Path::to_owned);
        let folder = Scratch::in_folder(&folder).map_err(|error| JobError::Output(OutputError::io(folder)(error)))?;
        let options = Options::default();
        let loading = Loading { options, threads: *threads, memory: *memory, event: &mut **event, stop: *stop };
        let database = TemporaryDatabase::load(inputs, config, folder, |_| Ok::<_, JobError>(()), loading)?;
        loaded(database.report());
        Ok(Self::Loaded(Box::new(database)))
    }

    /// Returns the documents.
    pub fn view(&self) -> View<'_> {
        self.reader().view()
    }

    /// Returns the reader of the database.
    pub fn reader(&self) -> &Reader {
        match self {
            Self::Stored(reader) => reader,
            Self::Loaded(loaded) => loaded.reader(),
        }
    }

    /// Returns how the files were loaded, if they were.
    pub fn report(&self) -> Option<&LoadReport> {
        if let Self::Loaded(loaded) = self { Some(loaded.report()) } else { None }
    }
}

/// Refuses a database whose sketches cannot be compared.
fn refuse_other(path: &Path, found: &Settings, like: &Settings) -> Result<()> {
    if (&found.recipe, found.bits) == (&like.recipe, like.bits) {
        return Ok(());
    }
    let message = format!(
        "{}: its fingerprints are of recipe {} and {} bits, the others of {} and {}",
        path.display(),
        found.recipe,
        found.bits,
        like.recipe,
        like.bits
    );
    Err(JobError::Mismatch { message, advice: Advice::GiveFiles })
}
