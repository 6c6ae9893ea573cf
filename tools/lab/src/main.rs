//! The binary `nddb-lab`.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    nddb_cli::run_program::<commands::Cli>(std::env::args_os()).into()
}
