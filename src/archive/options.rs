//! Options for reading an input.

use nddb_format::record::Reading;

use super::{Format, Limits};

/// Maximum number of row groups that are read at a time while other threads sketch. One reader supplies some ten of
/// these threads, and holds a page of each of its columns in memory.
const READERS: usize = 4;

/// Options for reading inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format; [`Format::Auto`] detects it by content, then by name.
    pub format: Format,
    /// Limits of memory.
    pub limits: Limits,
    /// The source of ids.
    pub id_from: IdFrom,
    /// Prefix of every id, which makes it a text; a sketch keeps the id that it contains.
    pub id_prefix: String,
    /// The ordinal of the first fingerprint of a `u64le` file: ids are ordinals over all inputs of a load.
    pub first_ordinal: u64,
    /// The names of the JSON fields and of the columns of Parquet and CSV files.
    pub fields: JsonFields,
    /// The name of the date of a document, if it has another one than in well-known data sets. It is required.
    pub date: Option<String>,
    /// The names among `fields` that are required although they are the usual ones: a Parquet or CSV file must have the
    /// column, and one of the first lines of JSON must have the field.
    pub required: Vec<String>,
    /// The column of Parquet files that names the batch of each document. It is not needed when a document is read
    /// again.
    pub batch_column: Option<String>,
    /// Number of row groups of a Parquet file that are read at the same time, each by its own thread; with 0 or 1, the
    /// calling thread reads them.
    pub readers: usize,
}

impl Options {
    /// Returns the options for reading while this many threads sketch the documents read.
    #[must_use]
    pub fn beside(self, threads: usize) -> Self {
        Self { readers: threads.min(READERS), ..self }
    }

    /// Returns the options needed to find the same pages again; `None` if they are the defaults.
    pub fn reading(&self) -> Option<Reading> {
        let of = |options: &Self| (options.format, options.limits.record, options.fields_of_reading());
        (of(self) != of(&Self::default())).then(|| self.every_reading())
    }

    /// Returns the names of the fields that are needed to find pages again; if ids are places, no field has the id.
    fn fields_of_reading(&self) -> JsonFields {
        let id = if self.id_from.is_place() { String::new() } else { self.fields.id.clone() };
        JsonFields { id, ..self.fields.clone() }
    }

    /// Returns whether an input without ids can be read, too.
    pub(super) fn needs_no_ids(&self) -> bool {
        self.id_from.is_place() || self.fields.id.is_empty()
    }

    /// Returns the options needed to find the same pages again, including the defaults.
    pub(super) fn every_reading(&self) -> Reading {
        let JsonFields { id, text, html, fp, url } = self.fields_of_reading();
        let (limit, format) = (self.limits.record as u64, self.format.to_string());
        Reading { limit, format, fields: [id, text, html, fp, url] }
    }

    /// Returns the options for reading the pages of an archive again.
    pub fn from_reading(reading: Option<&Reading>) -> Self {
        let mut options = Self::default();
        // A file that was loaded is read again, whatever window it needed.
        options.limits.zstd_window = Limits::WINDOW_MAX;
        if let Some(Reading { limit, format, fields }) = reading {
            options.limits.record = usize::try_from(*limit).unwrap_or(usize::MAX);
            // An unknown format is detected by content.
            options.format = format.parse().unwrap_or_default();
            let [id, text, html, fp, url] = fields.clone();
            options.fields = JsonFields { id, text, html, fp, url };
        }
        options
    }
}

nddb_format::named! {
    /// The source of a document's id.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum IdFrom {
        /// The id in the input: the field or column of the id, the id of a line, the number of a fingerprint, or the
        /// path of a file below the given folder. For a WARC record, WARC-Record-ID without its angle brackets, or
        /// `warc:<date>:<url>` if it has none. For WET records, WARC-Refers-To, so that the WARC and the WET file of
        /// one crawl agree. For ARC, `arc:<date>:<url>`.
        #[default]
        Record = "record",
        /// The target URI for WARC, WET and ARC documents; for others the same as [`IdFrom::Record`].
        Url = "url",
        /// The path as given, followed by the path below it if the given path is a folder; path:row in a file of
        /// several documents.
        Path = "path",
        /// The file's name and the number of the row, line or record in it, from 0: name:row. A single-document file
        /// has the id of [`IdFrom::Record`].
        Row = "row",
    }
}

impl IdFrom {
    /// Returns whether ids are places, so that the input need not have any.
    #[must_use]
    pub fn is_place(self) -> bool {
        matches!(self, Self::Path | Self::Row)
    }
}

/// The names of the JSON fields of a line, and of the columns of a Parquet or CSV file. A nested field is named by its
/// path, with dots between the names. If there is no text or address with the usual name, the names of well-known data
/// sets are tried, such as `raw_content` and `metadata.url`. The date is taken from `date`, `metadata.date`,
/// `timestamp`, `created` and others. Without a field of the usual name `id`, ids are file:row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFields {
    /// The document's id: a string or an integer, which are different ids even if they have the same characters; in
    /// Parquet files also a UUID. Empty if no field has it.
    pub id: String,
    /// The document as plain text.
    pub text: String,
    /// The document as HTML.
    pub html: String,
    /// The document's fingerprint: 16 hex digits; in Parquet files a 64-bit integer, too, signed or not.
    pub fp: String,
    /// The document's URL.
    pub url: String,
}

impl JsonFields {
    /// The usual names of the text and the address.
    pub(super) const USUAL: [&str; 2] = ["text", "url"];
}

impl Default for JsonFields {
    fn default() -> Self {
        JsonFields {
            id: "id".to_owned(),
            text: Self::USUAL[0].to_owned(),
            html: "html".to_owned(),
            fp: "fp".to_owned(),
            url: Self::USUAL[1].to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_of_reading_is_kept_where_it_is_not_the_usual() {
        assert_eq!(Options::default().reading(), None);
        let unimportant = Options { id_from: IdFrom::Url, first_ordinal: 7, ..Options::default() };
        assert_eq!(unimportant.reading(), None);
        let of_loaded = |options: Options| Options {
            limits: Limits { zstd_window: Limits::WINDOW_MAX, ..options.limits.clone() },
            ..options
        };
        assert_eq!(Options::from_reading(None), of_loaded(Options::default()));
        let places = Options { id_from: IdFrom::Row, ..Options::default() };
        let again = Options::from_reading(places.reading().as_ref());
        assert!(again.needs_no_ids() && !Options::default().needs_no_ids());
        let fields = JsonFields { text: "content".into(), ..JsonFields::default() };
        let limits = Limits { record: 1 << 10, ..Limits::default() };
        let options = Options { format: Format::Jsonl, fields, limits, ..Options::default() };
        assert_eq!(Options::from_reading(options.reading().as_ref()), of_loaded(options));
    }
}
