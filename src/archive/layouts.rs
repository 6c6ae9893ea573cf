//! Names of the fields of a document in well-known data sets, which are tried after the usual names.
//!
//! The data sets are those of datatrove and FineWeb (`metadata.url`), dolma (`created`, `metadata.url`), C4, mC4 and
//! CulturaX (`timestamp`), RedPajama and CCNet (`raw_content`, `meta.url`, `date_download`), HPLT (`u`, `ts`), DCLM
//! (`metadata.WARC-Target-URI`) and OSCAR (`content`, `warc_headers`); chats are in `messages` or `conversations`. If
//! the user gives a name, no others are tried. `title,body` names several fields, whose texts are joined.

use super::error::NAME_ONE;
use super::options::{JsonFields, Options};

/// Maximum number of columns or fields that a message names.
pub(super) const LISTED: usize = 40;

const TEXT: &[&str] = &["raw_content", "content", "messages", "conversations"];

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
pub fn text(options: &Options) -> Vec<&str> {
    if is_joined(options) {
        return options.fields.text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    }
    with_others(&options.fields.text, JsonFields::USUAL[0], TEXT, options)
}

/// Returns whether the text is that of several fields together.
pub(super) fn is_joined(options: &Options) -> bool {
    options.fields.text.contains(',')
}

/// Returns the names that are required, each by itself.
pub(super) fn required(options: &Options) -> impl Iterator<Item = &str> {
    options.required.iter().flat_map(|name| {
        let is_several = *name == options.fields.text && is_joined(options);
        name.split(move |c| c == ',' && is_several).map(str::trim)
    })
}

/// Returns the names of the address, the one that is preferred first.
pub(super) fn url(options: &Options) -> Vec<&str> {
    with_others(&options.fields.url, JsonFields::USUAL[1], URL, options)
}

/// Returns the names of the date, the one that is preferred first.
pub(super) fn date(options: &Options) -> Vec<&str> {
    options.date.as_deref().map_or_else(|| DATE.to_vec(), |name| vec![name])
}

/// Says which of these columns or fields there are: the first ones by name.
pub(super) fn listed(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(LISTED).map(AsRef::as_ref).collect();
    format!("{}{}", shown.join(", "), if names.len() > LISTED { ", ..." } else { "" })
}

/// Says that no column makes a document, and `there` which columns there are.
pub(super) fn no_column(options: &Options, there: &str) -> String {
    let JsonFields { text, html, fp, .. } = &options.fields;
    format!("none of the columns {text:?}, {html:?} and {fp:?}; {there}; {NAME_ONE}")
}

fn with_others<'a>(name: &'a str, usual: &str, others: &[&'static str], options: &'a Options) -> Vec<&'a str> {
    let is_given = name != usual || options.required.iter().any(|required| required == name);
    let others = if is_given { &[][..] } else { others };
    [&[name][..], others].concat()
}
