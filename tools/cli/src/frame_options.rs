//! The option that hands a frame table over.

use std::io::Read;
use std::path::{Path, PathBuf};

use nddb::detect::{FrameTable, Method, PairOptions, Verification};
use nddb_format::{FormatError, frames};

use crate::failure::{Failure, Result};
use crate::inputs;

/// Whether pairs are judged without the frame of sites.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FrameOptions {
    /// Judge what the model finds once more without the frame of the two sites, by a table that nddb frames made
    ///
    /// Both pages are read where they were loaded from, and sketched without the blocks that stand on many pages of
    /// their sites. Pairs stay if they are still as probable, with that probability; if a page cannot be read; or if
    /// fewer than five words are left of one of the two. Their verdict says which. Other pairs than those that the
    /// model finds are not looked at: a lower --min-probability finds more. Not together with --verify.
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
}

impl FrameOptions {
    /// Puts the table into the options of the library. Refuses it where it means nothing to them.
    pub(crate) fn apply(&self, options: &mut PairOptions) -> Result<()> {
        let Some(path) = &self.frames else { return Ok(()) };
        if options.method != Method::Model {
            let message = format!("--frames is an option of model, and the method is {}", options.method);
            return Err(Failure::usage(message));
        }
        if options.verify != Verification::Off {
            let message = "--frames and --verify both judge what the method finds once more: give one of them";
            return Err(Failure::usage(message));
        }
        options.frames = Some(read(path)?);
        Ok(())
    }

    /// Returns the table, if one is given.
    pub(crate) fn table(&self) -> Result<Option<FrameTable>> {
        self.frames.as_deref().map(read).transpose()
    }
}

/// Reads a frame table.
fn read(path: &Path) -> Result<FrameTable> {
    let refused = |error: FormatError| match Failure::format(path, &error) {
        Failure::Told(told) => told.hint("'nddb frames DB -o FILE' makes a frame table of a database").into(),
        other => other,
    };
    let failed = |error| Failure::reading(path, &error);
    let (mut file, mut bytes) = (inputs::open(path)?, Vec::new());
    file.by_ref().take(frames::MAGIC.len() as u64).read_to_end(&mut bytes).map_err(failed)?;
    // A file of another kind may be large.
    if bytes == frames::MAGIC {
        file.read_to_end(&mut bytes).map_err(failed)?;
    }
    FrameTable::from_bytes(bytes).map_err(refused)
}
