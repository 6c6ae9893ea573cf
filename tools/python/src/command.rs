//! The command `nddb`, as the entry point of the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, its name first; returns its exit code.
#[pyfunction]
#[pyo3(name = "_run_command")]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| nddb_cli::run(arguments))
}
