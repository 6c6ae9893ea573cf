//! The common interface of `nddb` and `nddb-lab`: a command line, and the execution of its commands.

use clap::{CommandFactory, FromArgMatches};

use crate::args::Global;
use crate::failure::{Code, Result};
use crate::topics;

/// A program of this package.
pub(crate) trait Program: CommandFactory + FromArgMatches {
    /// The command line that is parsed.
    fn command_line() -> clap::Command {
        topics::add(Self::command())
    }

    /// Returns the options of all commands.
    fn global(&self) -> &Global;

    /// Runs the command that was parsed.
    fn run(self) -> Result<Code>;
}
