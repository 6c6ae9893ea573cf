//! Options that mean nothing to any of the inputs of a load.

use std::path::Path;

use nddb::archive::{Format, Input, Located, Options};

use crate::failure::{Failure, Result};

/// The inputs that look at an option.
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
            Self::Fields => "JSONL, CSV and Parquet",
        }
    }

    /// Whether inputs of this format certainly do not look at it.
    fn leaves_out(self, format: Format) -> bool {
        match format {
            Format::Warc | Format::Wet | Format::Arc => self != Self::Archives,
            Format::Jsonl | Format::Csv | Format::Parquet => self != Self::Fields,
            Format::Tsv | Format::U64le | Format::Html => true,
            _ => false,
        }
    }
}

/// Refuses options that no input looks at: of all options their name, whether they were given, and of what they are. An
/// input whose format its name does not tell may look at all.
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

/// The formats of all inputs, by their names.
fn formats(asked: Format, inputs: &[Located]) -> Vec<Option<Format>> {
    if asked != Format::Auto {
        return vec![Some(asked)];
    }
    let of = |path: &Path| match Format::of_name(path).filter(|_| path.as_os_str() != "-") {
        // It may have a header of columns.
        Some(Format::Tsv) => Input::open(path, &Options::default()).ok().map(|input| input.format()),
        named => named,
    };
    inputs
        .iter()
        .map(|located| if located.document.is_some() { Some(Format::Html) } else { of(&located.path) })
        .collect()
}
