//! The binary `nddb`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nddb_cli::run(std::env::args_os()).into()
}
