//! Query documents that are not stored in the queried databases: documents of another database, or of files, which are
//! loaded into a temporary database.

use std::path::PathBuf;

use nddb::archive::{self, Inputs, Options};
use nddb::ingest::{Event, LoadReport, Loader};
use nddb::sketch::Recipe;
use nddb::{Config, Reader, View, Writer};
use nddb_format::record::Settings;
use nddb_jobs::scratch::Scratch;

use crate::args::Global;
use crate::commands::load::{incomplete, tick, warn};
use crate::database;
use crate::failure::{Code, Failure, Result, Told, chain};
use crate::inputs::is_database;
use crate::interrupt;
use crate::messages::Meter;
use crate::quantity::{counted, grouped};

/// Maximum distance of queries in a temporary database: the default of `nddb create`.
pub(in crate::commands) const K: u8 = 3;
/// Name of a temporary database in its folder.
const DATABASE: &str = "documents.nddb";

/// The database of the query documents, opened or made for one command.
pub(in crate::commands) struct Outside {
    reader: Reader,
    /// How a temporary database was loaded, and its folder, which is removed with this.
    loaded: Option<(LoadReport, Scratch)>,
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
                Ok(Self { reader, loaded: None })
            }
            _ if given.iter().any(|path| is_database(path)) => {
                Err(Failure::usage("give one database, or files and folders of documents, but not both"))
            }
            _ => {
                let inputs = archive::expand(given, archive::Format::Auto)?;
                inputs.located.iter().for_each(|input| global.outputs.reads("an input", &input.path));
                let meter = global.messages().meter("read");
                let folder = global.temporary_folder()?;
                let config = match like {
                    Some(like) => config_like(like)?,
                    None => Config::within(K)?.recipe(&Recipe::default().label()),
                };
                let outside = Self::load(inputs, Options::default(), &config, folder, |_| Ok(()), &meter, global)?;
                if let Some((report, _)) = &outside.loaded {
                    meter.finish(&summary(report));
                }
                Ok(outside)
            }
        }
    }

    /// Loads inputs by these options into a database in a temporary folder, as `nddb load` does. `check`
    /// looks at it before anything is read.
    pub(in crate::commands) fn load(
        inputs: Inputs,
        options: Options,
        config: &Config,
        folder: Scratch,
        check: impl FnOnce(View<'_>) -> Result<()>,
        meter: &Meter,
        global: &Global,
    ) -> Result<Self> {
        let path = folder.path().join(DATABASE);
        let mut writer = Writer::create(&path, config)?;
        check(writer.view())?;
        database::set_up(&mut writer, global);
        interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
        let report = Loader::new(&mut writer)
            .options(options)
            .threads(global.threads())
            .unordered(true)
            .stop_when(interrupt::asked)
            .on_event(|event| match event {
                Event::Skipped(what) => {
                    warn(&what, &global.messages());
                    let (file, offset) = (what.path.display(), what.position.offset);
                    let why = format!("{}: {}", what.reason.as_str(), what.detail);
                    global.messages().detail(format!("{file}: skipped at byte {offset}: {why}"));
                }
                Event::Unreadable { error, .. } => global.messages().warn(format!("skipped: {}", chain(error))),
                Event::Progress(progress) => meter.tick(tick(&progress)),
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
        Ok(Self { reader: database::read(&path)?, loaded: Some((report, folder)) })
    }

    /// Returns the documents.
    pub(in crate::commands) fn view(&self) -> View<'_> {
        self.reader.view()
    }

    /// Returns the reader of the database.
    pub(in crate::commands) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns how files were loaded, and the temporary database that they were loaded into.
    pub(in crate::commands) fn loaded(&self) -> Option<(&LoadReport, PathBuf)> {
        self.loaded.as_ref().map(|(report, folder)| (report, folder.path().join(DATABASE)))
    }

    /// Returns the exit code of a successful command.
    pub(in crate::commands) fn code(&self) -> Code {
        // Some of the files may have been skipped, or ids repeated.
        let is_whole = |(report, _): &(LoadReport, Scratch)| {
            report.skipped() == 0 && report.loaded.repeated == 0 && report.cut == 0
        };
        if self.loaded.as_ref().is_none_or(is_whole) { Code::Done } else { Code::SomeSkipped }
    }
}

/// Returns the settings of a database that can be compared with one of these.
pub(in crate::commands) fn config_like(like: &Settings) -> Result<Config> {
    Ok(Config::within(like.k)?.bits(like.bits)?.recipe(&like.recipe))
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
