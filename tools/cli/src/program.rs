//! What a program of commands has in common with `nddb`: a command line, and the execution of its commands.

use clap::{CommandFactory, FromArgMatches};

use crate::args::Global;
use crate::failure::{Code, Result};
use crate::topics;

/// A program of commands that share the options of all commands.
pub trait Program: CommandFactory + FromArgMatches {
    /// The command line that is parsed.
    fn command_line() -> clap::Command {
        topics::add(Self::command())
    }

    /// Returns the options of all commands.
    fn global(&self) -> &Global;

    /// Runs the command that was parsed.
    fn run(self) -> Result<Code>;
}
