//! Features of one's own for simhash (Manku et al. 2007, 2): their document frequencies, and the fingerprints of
//! documents by them.

pub(super) mod frequencies;
pub(super) mod simhash;

use std::path::{Path, PathBuf};

use nddb::archive::{self, EntryContent, Format, Options, PageEntry};
use nddb_cli::frame::{Code, Failure, Global, Meter, Result, Tick, Told, inputs};
use nddb_jobs::lists;
use nddb_lab::feature_file::{ChosenFeatures, FeatureError};

use nddb_jobs::quantity::counted;

/// The features.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Features")]
pub(super) struct FeatureOptions {
    /// Number of successive terms in a feature, 1 to 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    terms: Option<u8>,
    /// Tell upper and lower case apart
    #[arg(long)]
    keep_case: bool,
    /// Words to leave out: `english`, or a file of words, one a line
    #[arg(long, value_name = "WORDS")]
    stop_words: Option<PathBuf>,
    /// Take the forms of a word as one, in this language: english, french, german, ...
    #[arg(long, value_name = "LANGUAGE")]
    stems: Option<String>,
}

/// The name of the stop words that nddb knows.
const ENGLISH: &str = "english";

impl FeatureOptions {
    fn chosen(&self) -> Result<ChosenFeatures> {
        let words = match &self.stop_words {
            None => Vec::new(),
            Some(name) if name.as_os_str() == ENGLISH => {
                nddb::sketch::StopWords::ENGLISH.split(' ').map(str::to_owned).collect()
            }
            Some(path) => words(path)?,
        };
        let chosen = ChosenFeatures::new(self.terms.unwrap_or(1).into(), !self.keep_case, words, self.stems.clone());
        chosen.map_err(|error| Failure::usage(error.to_string()))
    }
}

fn words(path: &Path) -> Result<Vec<String>> {
    let text = String::from_utf8(inputs::read(path)?).map_err(|_| {
        Told::new(Code::Failed, format!("{}: not UTF-8", path.display())).hint("stop words are a text file of UTF-8")
    })?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// Reads a file of `nddb-lab frequencies`.
fn read(path: &Path) -> Result<ChosenFeatures> {
    ChosenFeatures::read(lists::lines(path)?).map_err(|error| match error {
        FeatureError::Io(error) => Failure::reading(path, &error),
        error => Failure::failed(format!("{}: {error}", path.display())),
    })
}

/// Registers the inputs, which must not be outputs.
fn note_inputs(given: &[PathBuf], global: &Global) -> Result<()> {
    let inputs = archive::expand(given, Format::Auto)?;
    inputs.located.iter().for_each(|input| global.outputs.reads("an input", &input.path));
    Ok(())
}

/// Passes on every page of the inputs. Returns the number of pages, and 3 as the exit code if some entries could not be
/// read.
fn each_page(
    given: &[PathBuf],
    global: &Global,
    meter: &Meter,
    visit: &mut dyn FnMut(&PageEntry) -> Result<()>,
) -> Result<(u64, Code)> {
    let (options, inputs) = (Options::default(), archive::expand(given, Format::Auto)?);
    let (mut pages, mut skipped) = (0, 0);
    for located in inputs.located {
        let mut input = located.open(&options)?;
        while let Some(entry) = input.next()? {
            match entry.content {
                EntryContent::Page(page) => {
                    pages += 1;
                    visit(&page)?;
                }
                EntryContent::Skipped { reason, detail } => {
                    skipped += 1;
                    let (file, offset) = (located.path.display(), entry.position.offset);
                    global.messages().detail(format!("{file}: skipped at byte {offset}: {reason}: {detail}"));
                }
                _ => {}
            }
            meter.tick(Tick {
                phase: "reading",
                done: pages,
                unit: "pages",
                share: (input.size() > 0).then(|| input.bytes_read() as f64 / input.size() as f64),
                bytes: input.bytes_read(),
                skipped,
            });
            if nddb_cli::frame::interrupt::asked() {
                return Err(nddb::Error::Cancelled.into());
            }
        }
    }
    if skipped > 0 {
        global.messages().warn(format!("{} skipped; --verbose lists them", counted(skipped, "entry")));
    }
    Ok((pages, if skipped > 0 { Code::SomeSkipped } else { Code::Done }))
}
