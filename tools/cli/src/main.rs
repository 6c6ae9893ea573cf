//! The command `nddb`: a persistent index of document fingerprints, on the command line.
//!
//! [`cli`] is the command line; a file for each subcommand stands in [`commands`]. Around them: [`args`] (what all
//! commands share), [`messages`] (the only writer of stderr), [`output`] (stdout and the files of `-o`), [`failure`] (exit
//! codes and errors), [`inputs`], [`interrupt`] and small helpers. Data goes to stdout, words to stderr.

mod args;
mod cli;
mod clock;
mod columns;
mod commands;
mod cpu;
mod database;
mod described;
mod failure;
mod inputs;
mod interrupt;
mod json;
mod judging;
mod matches;
mod messages;
mod model_options;
mod output;
mod pair_lines;
mod pair_rows;
mod paper_options;
mod quantity;
mod stored_scores;
mod table;
mod text_options;
mod waiting;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::failure::{Code, Failure};

fn main() -> ExitCode {
    if let Some(missing) = cpu::missing() {
        messages::report(&cpu::failure(missing));
        return Code::Failed.into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return messages::usage(error).into(),
    };
    match cli::run(cli) {
        Ok(code) => code.into(),
        // Whoever read our output has seen enough: that is success.
        Err(Failure::Pipe) => Code::Done.into(),
        Err(Failure::Told(told)) => {
            messages::report(&told);
            told.code.into()
        }
    }
}
