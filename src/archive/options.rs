//! What the caller may choose about reading an input.

use super::{Format, Limits};

/// How inputs are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format; [`Format::Auto`] looks at the bytes, then at the name.
    pub format: Format,
    /// How much is held at once.
    pub limits: Limits,
    /// Where the ids of WARC, WET and ARC documents come from.
    pub id_from: IdFrom,
    /// Stands before every id of `u64le` and `tsv` inputs.
    pub id_prefix: String,
    /// The ordinal of the first fingerprint of a `u64le` file: ids are ordinals over all inputs of a command.
    pub first_ordinal: u64,
    /// The names of the JSON fields.
    pub fields: JsonFields,
}

/// Where the id of an archived document comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdFrom {
    /// WARC-Record-ID without its angle brackets; for WET records WARC-Refers-To, so that the WARC and the WET
    /// file of one crawl agree; for a WARC record without an id `warc:<date>:<url>`; for ARC `arc:<date>:<url>`.
    #[default]
    Record,
    /// The target URI.
    Url,
}

/// The names of the JSON fields a line is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFields {
    /// The document's id: a string or an integer.
    pub id: String,
    /// The document as plain text.
    pub text: String,
    /// The document as HTML.
    pub html: String,
    /// The document's fingerprint: 16 hex digits.
    pub fp: String,
    /// The document's URL.
    pub url: String,
}

impl Default for JsonFields {
    fn default() -> Self {
        JsonFields {
            id: "id".to_owned(),
            text: "text".to_owned(),
            html: "html".to_owned(),
            fp: "fp".to_owned(),
            url: "url".to_owned(),
        }
    }
}
