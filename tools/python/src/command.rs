//! The commands `nddb` and `nddb-lab`, as entry points of the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command that the first argument names with the other arguments; returns its exit code.
#[pyfunction]
#[pyo3(name = "_run_command")]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let is_lab = arguments.first().is_some_and(|program| program == "nddb-lab");
    py.detach(|| if is_lab { nddb_cli::run_lab(arguments) } else { nddb_cli::run(arguments) })
}
