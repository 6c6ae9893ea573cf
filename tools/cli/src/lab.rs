//! The binary `nddb-lab`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nddb_cli::run_lab(std::env::args_os()).into()
}
