//! The extension `nddb._native` of the Python package `nddb`.
//!
//! [`reader`] and [`writer`] are the classes, [`databases`] what readers have in common; [`process`] keeps what belongs
//! to one process from its forked children, [`interruptible`] runs long work so that ^C ends it at a safe point.
//! Everything that takes time runs without the GIL.

mod archives;
mod arrow;
mod config;
mod convert;
mod databases;
mod dates;
mod dedup;
mod documents;
mod errors;
mod federation;
mod ids;
mod interruptible;
mod judging;
mod names;
mod parts;
mod passages;
mod process;
mod reader;
mod recipe;
mod sketches;
mod stream;
mod tables;
mod tasks;
mod verdict;
mod why;
mod writer;

use pyo3::prelude::*;

/// The module that Python imports as `nddb._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<databases::Databases>()?;
    module.add_class::<reader::PyReader>()?;
    module.add_class::<reader::PyMatch>()?;
    module.add_class::<federation::PyFederation>()?;
    module.add_class::<writer::PyWriter>()?;
    module.add_class::<config::PyConfig>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<verdict::PyNearDuplicate>()?;
    module.add_class::<verdict::Answer>()?;
    module.add_class::<verdict::Verdict>()?;
    module.add_function(wrap_pyfunction!(reader::open, module)?)?;
    module.add_class::<recipe::PyRecipe>()?;
    module.add_function(wrap_pyfunction!(sketches::py_candidate_keys, module)?)?;
    module.add_function(wrap_pyfunction!(sketches::decide, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::properties::properties, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::properties::contents, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::properties::default_method, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::postings::pairs_by_key, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::postings::pairs_by_fingerprint, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::parts::part_keys, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::parts::pairs_by_part, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::parts::candidates_by_part, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::parts::passages_of_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::stars::stars, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::stars::choose, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::members::members, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::scans::scan_ranges, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::scans::scan, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::scans::resolve, module)?)?;
    module.add_function(wrap_pyfunction!(archives::sketch_archive, module)?)?;
    module.add_function(wrap_pyfunction!(archives::archives, module)?)?;
    #[cfg(feature = "command")]
    module.add_function(wrap_pyfunction!(run_command, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::pages, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::find_removed, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::texts, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::write_report, module)?)?;
    Ok(())
}

/// Runs the command with these arguments, its name first; returns its exit code.
#[cfg(feature = "command")]
#[pyfunction]
#[pyo3(name = "_run_command")]
fn run_command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| nddb_cli::run(arguments))
}
