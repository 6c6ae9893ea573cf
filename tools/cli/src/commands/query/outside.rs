//! Query documents that are not stored in the queried databases: documents of another database, or of files, which are
//! loaded into a temporary database.

use std::path::PathBuf;

use nddb::ingest::{Event, LoadReport, Loader};
use nddb::sketch::Recipe;
use nddb::{Config, Reader, View, Writer, archive};
use nddb_format::record::Settings;
use tempfile::TempDir;

use crate::args::Global;
use crate::database;
use crate::failure::{Code, Failure, Result, Told, chain};
use crate::inputs::is_database;
use crate::interrupt;
use crate::messages::Tick;
use crate::quantity::{counted, grouped};

/// Maximum distance of queries in a temporary database: the default of `nddb create`.
const K: u8 = 3;

/// The database of the query documents, opened or made for one command.
pub(in crate::commands) struct Outside {
    reader: Reader,
    /// The folder of a temporary database, which is removed with this.
    _folder: Option<TempDir>,
    /// Whether all documents are in the database: some may have been skipped or have repeated ids.
    is_whole: bool,
}

impl Outside {
    /// Opens a database, or loads files with the recipe and width of `like`.
    pub(in crate::commands) fn open(given: &[PathBuf], like: Option<&Settings>, global: &Global) -> Result<Self> {
        match given {
            [path] if is_database(path) => {
                let reader = database::read(path)?;
                if let Some(like) = like {
                    refuse_other(path.display().to_string(), reader.view().settings(), like)?;
                }
                Ok(Self { reader, _folder: None, is_whole: true })
            }
            _ if given.iter().any(|path| is_database(path)) => {
                Err(Failure::usage("give one database, or files and folders of documents, but not both"))
            }
            _ => Self::load(given, like, global),
        }
    }

    fn load(given: &[PathBuf], like: Option<&Settings>, global: &Global) -> Result<Self> {
        let inputs = archive::expand(given, archive::Format::Auto)?;
        let config = match like {
            Some(like) => Config::within(like.k)?.bits(like.bits)?.recipe(&like.recipe),
            None => Config::within(K)?.recipe(&Recipe::default().label()),
        };
        let folder = global.temporary_folder()?;
        let path = folder.path().join("documents.nddb");
        let mut writer = Writer::create(&path, &config)?;
        database::set_up(&mut writer, global);
        interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
        let meter = global.messages().meter("read");
        let report = Loader::new(&mut writer)
            .threads(global.threads())
            .unordered(true)
            .stop_when(interrupt::asked)
            .on_event(|event| match event {
                Event::Skipped(what) => {
                    let (file, offset) = (what.path.display(), what.position.offset);
                    let why = format!("{}: {}", what.reason.as_str(), what.detail);
                    global.messages().detail(format!("{file}: skipped at byte {offset}: {why}"));
                }
                Event::Unreadable { error, .. } => global.messages().warn(format!("skipped: {}", chain(error))),
                Event::Progress(progress) => meter.tick(Tick {
                    phase: "reading",
                    done: progress.documents,
                    unit: "documents",
                    share: (progress.size > 0).then(|| progress.bytes_in as f64 / progress.size as f64),
                    bytes: progress.bytes_in,
                    skipped: progress.skipped,
                }),
                _ => {}
            })
            .load_inputs(inputs)?;
        writer.close()?;
        if interrupt::asked() {
            return Err(nddb::Error::Cancelled.into());
        }
        if report.is_failure() {
            let message = report.unreadable.first().map(|error| chain(error)).unwrap_or_default();
            return Err(Told::new(Code::Failed, message).hint("nothing was read; fix or omit that input").into());
        }
        meter.finish(&summary(&report));
        let is_whole = report.skipped() == 0 && report.loaded.repeated == 0;
        Ok(Self { reader: database::read(&path)?, _folder: Some(folder), is_whole })
    }

    /// Returns the documents.
    pub(in crate::commands) fn view(&self) -> View<'_> {
        self.reader.view()
    }

    /// Returns the reader of the database.
    pub(in crate::commands) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns the exit code of a successful command.
    pub(in crate::commands) fn code(&self) -> Code {
        if self.is_whole { Code::Done } else { Code::SomeSkipped }
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
    text
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
