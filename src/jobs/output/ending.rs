//! What the ending of an output's name says. One rule for all outputs:
//!
//! - A known ending decides the format of a list or a table. It is an error if the command does not write that format,
//!   or if an option asks for another one.
//! - Documents that are copied keep the format of their input; another known ending is an error.
//! - An unknown ending, stdout, a pipe and a device say nothing: a list or table has the usual format of the command.
//! - `.gz` and `.zst` after the ending say how lines and pages are compressed. Nothing else compresses.
//! - A folder has no ending of a file, unless it exists or `/` follows.

use std::path::{Path, PathBuf};

use nddb_archive::Format;

use super::target::is_nameless;
use super::{OutputError, Result};

/// The endings of compressions.
const COMPRESSED: [&str; 6] = ["gz", "zst", "zstd", "bz2", "xz", "lz4"];
/// The ending of a plain text.
const TEXT: &str = "txt";
/// Those that can be written.
const WRITTEN: [&str; 3] = ["gz", "zst", "zstd"];

/// Returns the format that the ending of an output's name says.
fn ending(path: &Path) -> Option<Format> {
    if is_nameless(path) { None } else { Format::of_name(path) }
}

/// Returns the ending of a compression.
fn compression(path: &Path) -> Option<&str> {
    let last = path.extension()?.to_str()?;
    COMPRESSED.contains(&last).then_some(last)
}

/// Returns the format of a list or table: `given` by an option, else by the name, else the `usual` one. `formats` are
/// those that can be written.
///
/// # Errors
/// [`OutputError::Ending`] and [`OutputError::Compression`].
pub fn format_of<T: Copy + PartialEq>(path: &Path, given: Option<T>, formats: &[(Format, T)], usual: T) -> Result<T> {
    let Some(named) = ending(path) else { return Ok(given.unwrap_or(usual)) };
    let written = formats.iter().find(|(format, _)| *format == named);
    let text = |format: Format| if format == Format::Html { TEXT } else { format.ending() };
    let wrong = |instead: Vec<Format>| wrong(path, named, instead.into_iter().map(text).collect());
    let Some(&(_, chosen)) = written else { return Err(wrong(formats.iter().map(|(format, _)| *format).collect())) };
    if let Some(given) = given.filter(|given| *given != chosen) {
        return Err(wrong(formats.iter().filter(|(_, format)| *format == given).map(|(format, _)| *format).collect()));
    }
    // A table for people is a plain text, which is one format of inputs with pages.
    if named == Format::Html && !is_text(path) {
        return Err(wrong(vec![Format::Html]));
    }
    if named == Format::Parquet && compression(path).is_some() {
        return Err(OutputError::Compression { path: path.into() });
    }
    Ok(chosen)
}

/// Returns the error of a name that says another format than what is written.
fn wrong(path: &Path, named: Format, instead: Vec<&'static str>) -> OutputError {
    let named = if named == Format::Html && is_text(path) { TEXT } else { named.ending() };
    OutputError::Ending { path: path.into(), named, instead }
}

/// Returns whether a name ends as that of a plain text.
fn is_text(path: &Path) -> bool {
    let named = if compression(path).is_some() { path.with_extension("") } else { path.into() };
    named.extension().is_some_and(|ending| ["txt", "text"].iter().any(|text| ending.eq_ignore_ascii_case(text)))
}

/// Checks the name of a list of ids, which is a plain text.
///
/// # Errors
/// [`OutputError::Ending`]: it says a format.
pub fn check_list(path: &Path) -> Result<()> {
    match ending(path).filter(|_| !is_text(path)) {
        Some(named) => Err(wrong(path, named, vec![TEXT])),
        None => Ok(()),
    }
}

/// Checks the name of a page.
///
/// # Errors
/// [`OutputError::Ending`]: it says another format.
pub fn check_page(path: &Path) -> Result<()> {
    match ending(path).filter(|named| *named != Format::Html || is_text(path)) {
        Some(named) => Err(wrong(path, named, vec![Format::Html.ending()])),
        None => Ok(()),
    }
}

/// Checks the name of an output that is written in these formats alone.
///
/// # Errors
/// As [`format_of`].
pub fn check_format(path: &Path, formats: &[Format]) -> Result<()> {
    let formats: Vec<_> = formats.iter().map(|format| (*format, ())).collect();
    format_of(path, None, &formats, ())
}

/// Checks the name of an output to which documents of an input are copied.
///
/// # Errors
/// [`OutputError::Ending`]: it says another format.
pub fn check_copy(path: &Path, input: &Path, format: Format) -> Result<()> {
    let (Some(named), of_input) = (ending(path), Format::of_name(input)) else { return Ok(()) };
    // The columns of a .tsv file are read as those of a .csv file, and are not the same to others.
    let is_same = Some(named) == of_input || named == format && of_input != Some(Format::Tsv);
    if !is_same || named == Format::Warc && path.extension().is_some_and(|ending| ending == "wacz") {
        let instead = of_input.filter(|_| format == Format::Csv).unwrap_or(format);
        return Err(wrong(path, named, vec![instead.ending()]));
    }
    if named == Format::Parquet && compression(path).is_some() {
        return Err(OutputError::Compression { path: path.into() });
    }
    Ok(())
}

/// Refuses a compression that is not written.
pub(super) fn check_compression(path: &Path) -> Result<()> {
    match compression(path) {
        Some(named) if !is_nameless(path) && !WRITTEN.contains(&named) => {
            Err(OutputError::Compression { path: path.into() })
        }
        _ => Ok(()),
    }
}

/// Refuses a folder that is to be made and has the name of a file.
pub(super) fn check_folder(path: &Path, option: &str) -> Result<()> {
    let is_meant = path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir();
    match ending(path) {
        Some(_) if !is_meant => Err(OutputError::IsFile { path: PathBuf::from(path), option: option.into() }),
        _ => Ok(()),
    }
}
