//! Names of the fields of a document in well-known data sets, which are tried after the usual names.
//!
//! The data sets are those of datatrove and FineWeb (`metadata.url`), dolma (`created`, `metadata.url`), C4, mC4 and
//! CulturaX (`timestamp`), RedPajama and CCNet (`raw_content`, `meta.url`, `date_download`), HPLT (`u`, `ts`), DCLM
//! (`metadata.WARC-Target-URI`) and OSCAR (`content`, `warc_headers`). If the user gives a name, no others are tried.

use super::options::{JsonFields, Options};

const TEXT: &[&str] = &["raw_content", "content"];

const URL: &[&str] = &["metadata.url", "meta.url", "u", "metadata.WARC-Target-URI", "warc_headers.warc-target-uri"];

const DATE: &[&str] = &[
    "date",
    "metadata.date",
    "timestamp",
    "meta.timestamp",
    "metadata.timestamp",
    "created",
    "date_download",
    "metadata.date_download",
    "ts",
    "metadata.WARC-Date",
    "warc_headers.warc-date",
];

/// Returns the names of the text, the one that is preferred first.
pub(super) fn text(options: &Options) -> Vec<&str> {
    with_others(&options.fields.text, &JsonFields::default().text, TEXT, options)
}

/// Returns the names of the address, the one that is preferred first.
pub(super) fn url(options: &Options) -> Vec<&str> {
    with_others(&options.fields.url, &JsonFields::default().url, URL, options)
}

/// Returns the names of the date, the one that is preferred first.
pub(super) fn date(options: &Options) -> Vec<&str> {
    options.date.as_deref().map_or_else(|| DATE.to_vec(), |name| vec![name])
}

fn with_others<'a>(name: &'a str, usual: &str, others: &[&'static str], options: &'a Options) -> Vec<&'a str> {
    let is_given = name != usual || options.required.iter().any(|required| required == name);
    let others = if is_given { &[][..] } else { others };
    [&[name][..], others].concat()
}
