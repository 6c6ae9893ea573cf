//! The command `nddb`: a persistent index of document fingerprints, on the command line.
//!
//! `cli` is the command line; `commands` has a file for each subcommand.
//! Around them: `args` (what all commands share), `messages` (the only writer of stderr), `output` (stdout and the
//! files of `-o`), `failure` (exit codes and errors), `inputs`, `interrupt` and small helpers. Data goes to stdout,
//! words to stderr.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files"))]

mod advice;
mod args;
mod cli;
mod clock;
mod columns;
mod commands;
mod database;
mod described;
mod failure;
mod inputs;
mod interrupt;
mod json_table;
mod judging;
mod level_option;
mod listed_inputs;
mod loading;
mod matches;
mod messages;
mod output;
mod parameters;
mod passage_options;
mod program;
mod quantity;
mod table;
mod terminal;
mod text_options;
mod topics;

use std::ffi::OsString;

use crate::cli::Cli;
use crate::failure::{Code, Failure};
use crate::program::Program;

/// What commands are made of, for other programs that read the same options and write in the same way: `nddb-lab`.
pub mod frame {
    pub use crate::args::{FromEnvironment, Global};
    pub use crate::commands::create::recipe;
    pub use crate::commands::eval::documents::{read_labels, told};
    pub use crate::commands::pairs::resources;
    pub use crate::failure::{Code, Failure, Result, Told};
    pub use crate::matches::{MEMORY, MatchOutput};
    pub use crate::messages::{Messages, Meter, Style, Tick};
    pub use crate::output::Output;
    pub use crate::program::{Program, VERSION};
    pub use crate::table::TextTable;
    pub use crate::text_options::text_part;

    /// Signals that ask to stop.
    pub mod interrupt {
        pub use crate::interrupt::{asked, catch};
    }
    /// Files that commands read.
    pub mod inputs {
        pub use crate::database::read as database;
        pub use crate::inputs::{fingerprints, hex, is_file, open, read};
    }
    /// Texts that could not be read.
    pub mod texts {
        pub use crate::text_options::{unread_value, unread_warning};
    }
    /// Parameters of methods.
    pub mod parameters {
        pub use crate::parameters::{Parameters, options};
    }
}

/// Runs `nddb` with these arguments, the name that it was called by first, and returns its exit code.
///
/// A process should do nothing else: this function may install signal handlers, and writes to stdout and stderr.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    coded::<Cli>(arguments) as u8
}

/// Runs another program, as [`run`] runs `nddb`.
pub fn run_program<P: Program>(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    coded::<P>(arguments) as u8
}

fn coded<P: Program>(arguments: impl IntoIterator<Item = OsString>) -> Code {
    let parsed = P::command_line().try_get_matches_from(arguments);
    let parsed = parsed.and_then(|given| Ok((P::from_arg_matches(&given)?, given)));
    let (program, given) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return messages::usage(error),
    };
    let (outputs, told) = (program.global().outputs.clone(), program.global().messages());
    program::register::<P>(&given, &outputs);
    let outcome = program.run();
    if let Some(replaced) = output::replaced(&outputs) {
        told.note(replaced);
    }
    match outcome {
        Ok(code) => code,
        // The reader of stdout closed it, which is no error.
        Err(Failure::Pipe) => Code::Done,
        Err(Failure::Told(mut told)) => {
            if told.code == Code::Interrupted && !given.subcommand_name().is_some_and(|name| CONTINUES.contains(&name))
            {
                told.hint = Some("the same command starts anew; outputs are as they were before".into());
            }
            messages::report(&told);
            told.code
        }
    }
}

/// The commands that continue where they were interrupted.
const CONTINUES: [&str; 5] = ["add", "load", "merge", "compact", "rebuild"];
