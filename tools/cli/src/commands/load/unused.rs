//! Options that have no effect on any input of a load.

use std::path::Path;

use nddb::archive::{Format, Input, Located, Options};

use crate::failure::{Failure, Result};

/// The inputs to which an option applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// WARC, WET and ARC.
    Archives,
    /// JSON lines, CSV and Parquet files.
    Fields,
}

impl Of {
    fn told(self) -> &'static str {
        match self {
            Self::Archives => "WARC, WET and ARC",
            Self::Fields => "JSONL, CSV, Parquet and Arrow",
        }
    }

    /// Whether the option certainly does not apply to inputs of this format.
    fn leaves_out(self, format: Format) -> bool {
        match format {
            Format::Warc | Format::Wet | Format::Arc => self != Self::Archives,
            Format::Jsonl | Format::Csv | Format::Parquet | Format::Arrow => self != Self::Fields,
            Format::Tsv | Format::U64le | Format::Html => true,
            _ => false,
        }
    }
}

/// Refuses given options that apply to no input. `options` has the name of each option, whether it was given, and its
/// inputs. To an input of unknown format all options may apply.
pub(super) fn refuse(options: &[(&str, bool, Of)], asked: Format, inputs: &[Located]) -> Result<()> {
    let formats = formats(asked, inputs);
    let is_unused = |of: Of| formats.iter().all(|format| format.is_some_and(|format| of.leaves_out(format)));
    match options.iter().find(|(_, given, of)| *given && is_unused(*of)) {
        Some((name, _, of)) => {
            Err(Failure::usage(format!("{name} is an option of {} inputs, and there are none", of.told())))
        }
        None => Ok(()),
    }
}

/// Returns the formats of all inputs, by their names.
fn formats(asked: Format, inputs: &[Located]) -> Vec<Option<Format>> {
    if asked != Format::Auto {
        return vec![Some(asked)];
    }
    let of = |path: &Path| match Format::of_name(path).filter(|_| path.as_os_str() != "-") {
        // The file may have a header with the names of columns.
        Some(Format::Tsv) => Input::open(path, &Options::default()).ok().map(|input| input.format()),
        named => named,
    };
    inputs
        .iter()
        .map(|located| if located.document.is_some() { Some(Format::Html) } else { of(&located.path) })
        .collect()
}
