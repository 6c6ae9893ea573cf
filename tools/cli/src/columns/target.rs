//! Where a table goes.

#[cfg(feature = "parquet")]
use std::io::Write;
use std::io::{self, IsTerminal};
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::inputs::Packing;
use crate::output::{self, Output, Published};

/// Where a table is written. A table is usable only when all of its bytes are written.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "no table is written"))]
pub(crate) enum Target {
    /// A file that gets its name when it is complete.
    Named(Box<Published>),
    /// A file that the caller names later, or stdout.
    Other(Output),
}

impl Target {
    /// Makes the file of `-o`. Without `-o`, or for `-`, the table goes to stdout, unless stdout is a terminal.
    pub(crate) fn chosen(path: Option<&Path>) -> Result<Self> {
        match path.filter(|path| path.as_os_str() != "-") {
            Some(path) if output::is_nameless(path) => Output::file(path).map(Self::Other),
            Some(path) => Published::create(path, Packing::Plain).map(|file| Self::Named(Box::new(file))),
            None if io::stdout().is_terminal() => {
                Err(Failure::usage("refusing to write Parquet to a terminal; use -o FILE"))
            }
            None => Ok(Self::Other(Output::stdout())),
        }
    }

    #[cfg(feature = "parquet")]
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Named(file) => file.write_all(bytes).map_err(|error| Failure::writing(&file.name(), &error)),
            Self::Other(output) => output.write(bytes),
        }
    }

    #[cfg(feature = "parquet")]
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Named(file) => file.finish(),
            Self::Other(mut output) => output.flush(),
        }
    }
}
