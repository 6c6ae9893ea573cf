//! Query documents that are not stored in the queried databases: documents of another database, or of files, which are
//! loaded into a temporary database.

use std::path::PathBuf;

use nddb::archive::{self, Options};
use nddb::ingest::{Event, LoadReport};
use nddb::sketch::Recipe;
use nddb::{Config, Reader, View};
use nddb_format::record::Settings;
use nddb_jobs::temporary::{K, Loading, TemporaryDatabase, config_like};

use crate::args::Global;
use crate::commands::load::{incomplete, tick, warn};
use crate::database;
use crate::failure::{Code, Failure, Result, Told, chain};
use crate::inputs::is_database;
use crate::interrupt;
use crate::messages::{Messages, Meter};
use crate::quantity::{counted, grouped};

/// The database of the query documents, opened or made for one command.
pub(in crate::commands) enum Outside {
    Stored(Box<Reader>),
    Loaded(Box<TemporaryDatabase>),
}

impl Outside {
    /// Opens a database, or loads files with the settings of `like`.
    pub(in crate::commands) fn open(given: &[PathBuf], like: Option<&Settings>, global: &Global) -> Result<Self> {
        match given {
            [path] if is_database(path) => {
                let reader = database::read(path)?;
                if let Some(like) = like {
                    refuse_other(path.display().to_string(), reader.view().settings(), like)?;
                }
                Ok(Self::Stored(Box::new(reader)))
            }
            _ if given.iter().any(|path| is_database(path)) => {
                Err(Failure::usage("give one database, or files and folders of documents, but not both"))
            }
            _ => {
                let config = match like {
                    Some(like) => config_like(like)?,
                    None => Config::within(K)?.recipe(&Recipe::default().label()),
                };
                Self::open_by(given, &config, global)
            }
        }
    }

    /// Loads files into a temporary database with these settings.
    pub(in crate::commands) fn open_by(given: &[PathBuf], config: &Config, global: &Global) -> Result<Self> {
        let inputs = archive::expand(given, archive::Format::Auto)?;
        inputs.located.iter().for_each(|input| global.outputs.reads("an input", &input.path));
        let (messages, meter) = (global.messages(), global.messages().meter("read"));
        interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
        let options = Loading {
            options: Options::default(),
            threads: global.threads(),
            memory: global.memory_limit,
            event: &mut |event| loading(event, &meter, &messages),
            stop: &interrupt::asked,
        };
        let folder = global.temporary_folder()?;
        let loaded = TemporaryDatabase::load(inputs, config, folder, |_| Ok::<_, Failure>(()), options)?;
        meter.finish(&summary(loaded.report()));
        Ok(Self::Loaded(Box::new(loaded)))
    }

    /// Returns the documents.
    pub(in crate::commands) fn view(&self) -> View<'_> {
        self.reader().view()
    }

    /// Returns the reader of the database.
    pub(in crate::commands) fn reader(&self) -> &Reader {
        match self {
            Self::Stored(reader) => reader,
            Self::Loaded(loaded) => loaded.reader(),
        }
    }

    /// Returns how the files were loaded, if they were.
    pub(in crate::commands) fn report(&self) -> Option<&LoadReport> {
        if let Self::Loaded(loaded) = self { Some(loaded.report()) } else { None }
    }

    /// Returns the exit code of a successful command.
    pub(in crate::commands) fn code(&self) -> Code {
        match self {
            Self::Stored(_) => Code::Done,
            Self::Loaded(loaded) => code(loaded.report()),
        }
    }
}

/// Returns the exit code of a command that has loaded files: some may have been skipped, or ids repeated.
pub(in crate::commands) fn code(report: &LoadReport) -> Code {
    let is_whole = report.skipped() == 0 && report.loaded.repeated == 0 && report.cut == 0;
    if is_whole { Code::Done } else { Code::SomeSkipped }
}

/// Says what happens while files are loaded.
pub(in crate::commands) fn loading(event: Event<'_>, meter: &Meter, messages: &Messages) {
    match event {
        Event::Skipped(what) => {
            warn(&what, messages);
            let (file, offset) = (what.path.display(), what.position.offset);
            let why = format!("{}: {}", what.reason.as_str(), what.detail);
            messages.detail(format!("{file}: skipped at byte {offset}: {why}"));
        }
        Event::Unreadable { error, .. } => messages.warn(format!("skipped: {}", chain(error))),
        Event::Progress(progress) => meter.tick(tick(&progress)),
        _ => {}
    }
}

/// Returns the outcome of loading the files.
fn summary(report: &LoadReport) -> String {
    let mut text = counted(report.loaded.documents, "document");
    if report.loaded.repeated > 0 {
        text += &format!(", {} not: their ids are repeated", grouped(report.loaded.repeated));
    }
    if report.skipped() > 0 {
        text += &format!(", {} skipped", grouped(report.skipped()));
    }
    text + &incomplete(report)
}

/// Refuses a database whose sketches cannot be compared.
fn refuse_other(name: String, found: &Settings, like: &Settings) -> Result<()> {
    if (&found.recipe, found.bits) == (&like.recipe, like.bits) {
        return Ok(());
    }
    let message = format!(
        "{name}: its fingerprints are of recipe {} and {} bits, the others of {} and {}",
        found.recipe, found.bits, like.recipe, like.bits
    );
    Err(Told::new(Code::Mismatch, message).hint("give the files from which it was loaded instead").into())
}
