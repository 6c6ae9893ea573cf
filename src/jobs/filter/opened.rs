//! An input, and how it is read.

use std::path::{Path, PathBuf};

use nddb_archive::{Format, IdFrom, Located, Options};

use super::archives::Archives;
use super::notes::FilterField;
use crate::error::{Advice, JobError, Result};
use crate::input;
use crate::output::{Destination, check_copy, is_nameless};
use crate::packed::Packing;
use crate::scratch::Scratch;

/// How inputs are read, and what is added to rows.
#[derive(Clone, Debug, Default)]
pub struct FilterOptions {
    /// These fields are added to lines of JSON, or as columns to Parquet, from the folder of clusters.
    pub with: Vec<FilterField>,
    /// What the inputs are.
    pub format: Format,
    /// The field of lines of JSON, or the column, with the id; `None` is the one by which the file was loaded, else
    /// `id`.
    pub id_field: Option<String>,
    /// Where ids come from; `None` is the address for an archive that was loaded so, else the record.
    pub id: Option<IdFrom>,
    /// The prefix of all ids.
    pub id_prefix: String,
    /// Number of threads that compress the outputs.
    pub threads: usize,
}

/// What an input is, for writing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InputKind {
    /// Lines of JSON.
    Rows,
    /// Rows of CSV.
    Csv,
    /// Records of an archive.
    Records,
    /// A file that is one document.
    Page,
    /// Rows of a table.
    #[cfg(feature = "parquet")]
    Table,
}

impl InputKind {
    /// Returns how an output is to be packed, of an input of this packing.
    pub(super) fn packing(self, packing: Packing, to: &Path, input: &Path) -> Result<Packing> {
        // Lines are compressed as the name of the output says, records are copied as they are.
        match (self, Packing::of_name(to)) {
            (Self::Rows | Self::Csv, named) => Ok(named),
            #[cfg(feature = "parquet")]
            (Self::Table, _) => Ok(Packing::Plain),
            (Self::Page, _) => Ok(Packing::Plain),
            (Self::Records, _) => copied_as(packing, to, input).map(|()| Packing::Plain),
        }
    }
}

/// Refuses an output whose name says that it is compressed in another way than the records that are copied to it.
///
/// # Errors
/// [`JobError::Options`].
pub(crate) fn copied_as(packing: Packing, to: &Path, input: &Path) -> Result<()> {
    if is_nameless(to) || Packing::of_name(to) == packing {
        return Ok(());
    }
    let message = format!("{}: records are copied as they are compressed, which the name does not say", to.display());
    Err(JobError::options(message).advise(Advice::NameAs(input.to_owned())))
}

/// An input, and how it is read.
pub(super) struct FilterInput {
    /// A copy of stdin, which goes away with this.
    _spooled: Option<Scratch>,
    pub(super) located: Located,
    pub(super) options: Options,
    format: Format,
    pub(super) kind: InputKind,
    /// The archives of the database that it is.
    pub(super) here: Vec<u32>,
}

impl FilterInput {
    /// Opens an input that is read by these options, unless the user says otherwise. Documents of the archives
    /// `named_by_url` have their address as id.
    pub(super) fn new(
        how: &FilterOptions,
        mut options: Options,
        archives: &Archives,
        named_by_url: &[u32],
        input: &Located,
    ) -> Result<Self> {
        let spooled: Option<(Scratch, PathBuf)> =
            if input.path.as_os_str() == "-" { Some(input::spooled_stdin()?) } else { None };
        let path = spooled.as_ref().map_or(&*input.path, |(_, copy)| copy);
        let located = Located { path: path.to_owned(), ..input.clone() };
        if how.format != Format::Auto {
            options.format = how.format;
        }
        let here = archives.numbers(path)?;
        options.id_from = match how.id {
            Some(id) => id,
            None if here.iter().any(|archive| named_by_url.contains(archive)) => IdFrom::Url,
            None => IdFrom::default(),
        };
        options.id_prefix.clone_from(&how.id_prefix);
        if let Some(name) = &how.id_field {
            options.fields.id.clone_from(name);
            options.required.push(name.clone());
        }
        let opened = located.open(&options)?;
        let name = input.path.display();
        let format = opened.format();
        let kind = match format {
            Format::Jsonl | Format::Csv if opened.is_converted() => {
                let message = format!("{name}: it is UTF-16, and lines are copied as they are");
                return Err(JobError::options(message).advise(Advice::ConvertInput));
            }
            Format::Jsonl => InputKind::Rows,
            Format::Csv => InputKind::Csv,
            Format::Warc | Format::Wet | Format::Arc => InputKind::Records,
            Format::Html => InputKind::Page,
            #[cfg(feature = "parquet")]
            Format::Parquet => InputKind::Table,
            other => {
                let message =
                    format!("{name}: {other} cannot be filtered: WARC, ARC, JSONL, CSV, Parquet and pages can");
                let error = JobError::options(message);
                return Err(if other == Format::Arrow { error.advise(Advice::WriteParquet) } else { error });
            }
        };
        if opened.has_row_ids() && !options.id_from.is_place() {
            options.id_from = IdFrom::Path;
        }
        Ok(Self { _spooled: spooled.map(|(copied, _)| copied), located, options, format, kind, here })
    }

    /// Refuses outputs of an input whose names say another format.
    pub(super) fn check(&self, input: &Path, outputs: [Option<&Destination>; 2]) -> Result<()> {
        let mut outputs = outputs.into_iter().flatten();
        Ok(outputs.try_for_each(|output| check_copy(output.path(), input, self.format))?)
    }

    /// The file to read.
    pub(super) fn path(&self) -> &Path {
        &self.located.path
    }
}
