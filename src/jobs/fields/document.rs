//! The fields of stored documents: as columns of tables, and as an object of JSON.

use std::collections::HashMap;

use nddb_index::{Stored, View};
use nddb_page::sketch::{FingerprintKind, LeadingWords, Profile, Recipe};
use serde_json::{Value, json};

use crate::copies::{COPIES, COPIES_HELP, Copies, CopyCounts};
use crate::json;
use crate::named_id::hash;
use crate::rows::{Cell, CellKind, Column, IdCells, RowFormat};

/// A field of a stored document that tables have as a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentField {
    /// The id.
    Id,
    /// The address.
    Url,
    /// The fingerprint; null of a document of fewer than two tokens.
    Fp,
    /// The site.
    Site,
    /// The name of the batch.
    Batch,
    /// When it was fetched, in seconds since 1970.
    Date,
    /// Number of tokens.
    Tokens,
    /// Whether the page was truncated at a limit.
    Truncated,
    /// The document's number.
    Number,
    /// The path of the archive that it was loaded from.
    Archive,
    /// The position of the record or of its compressed member in the archive, or the number of the row.
    Offset,
    /// Bytes of the decompressed member before the record.
    Inner,
    /// Bytes of the record.
    Length,
    /// Of a kept document how often it was found.
    Copies,
    /// The same by batch.
    CopiesByBatch,
}

impl DocumentField {
    /// All fields.
    pub const ALL: &[Self] = &[
        Self::Id,
        Self::Url,
        Self::Fp,
        Self::Site,
        Self::Batch,
        Self::Date,
        Self::Tokens,
        Self::Truncated,
        Self::Number,
        Self::Archive,
        Self::Offset,
        Self::Inner,
        Self::Length,
        Self::Copies,
        Self::CopiesByBatch,
    ];

    /// Describes the field in a line.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Id => "The id",
            Self::Url => "The address",
            Self::Fp => "The fingerprint; null of a document of fewer than two tokens",
            Self::Site => "The site",
            Self::Batch => "The name of the batch",
            Self::Date => "When it was fetched, in seconds since 1970",
            Self::Tokens => "Number of tokens",
            Self::Truncated => "Whether the page was truncated at a limit",
            Self::Number => "The document's number",
            Self::Archive => "The path of the archive that it was loaded from",
            Self::Offset => {
                "The position of the record or of its compressed member in the archive, or the number of the row"
            }
            Self::Inner => "Bytes of the decompressed member before the record",
            Self::Length => "Bytes of the record",
            Self::Copies => COPIES_HELP[0],
            Self::CopiesByBatch => COPIES_HELP[1],
        }
    }

    /// Returns the column of the field.
    #[must_use]
    pub fn column(self) -> Column {
        match self {
            Self::Id => Column::new("id", CellKind::Text),
            Self::Url => Column::new("url", CellKind::Text),
            Self::Fp => Column::new("fp", CellKind::Print),
            Self::Site => Column::new("site", CellKind::Text),
            Self::Batch => Column::new("batch", CellKind::Text),
            Self::Date => Column::new("date", CellKind::Number),
            Self::Tokens => Column::new("tokens", CellKind::Number),
            Self::Truncated => Column::new("truncated", CellKind::Flag),
            Self::Number => Column::new("number", CellKind::Number),
            Self::Archive => Column::new("archive", CellKind::Text),
            Self::Offset => Column::new("offset", CellKind::Number),
            Self::Inner => Column::new("inner", CellKind::Number),
            Self::Length => Column::new("length", CellKind::Number),
            Self::Copies => COPIES[0],
            Self::CopiesByBatch => COPIES[1],
        }
    }

    /// Returns the value of a document, with names instead of the numbers in its record.
    pub(crate) fn cell<'a>(self, stored: &'a Stored, names: &'a RecordNames<'_>) -> nddb_index::Result<Cell<'a>> {
        let copies = || CopyCounts::cells(names.copies.as_ref());
        Ok(match self {
            Self::Copies => copies()[0],
            Self::CopiesByBatch => copies()[1],
            Self::Id => names.ids.cell(&stored.record.id)?,
            Self::Batch => names.batch.into(),
            Self::Archive => names.archive.into(),
            field => field.stored(stored),
        })
    }

    /// Returns the value in the record, with numbers of batches and archives.
    fn stored(self, stored: &Stored) -> Cell<'_> {
        let record = &stored.record;
        let source = record.source.as_ref();
        match self {
            Self::Id => Cell::id(&record.id),
            Self::Batch => record.batch.into(),
            Self::Archive => source.map(|source| source.archive).into(),
            Self::Url => record.url.as_deref().into(),
            Self::Fp => (!stored.unprinted).then_some(stored.fingerprint).into(),
            Self::Site => record.site.as_deref().into(),
            Self::Date => record.date.into(),
            Self::Tokens => record.tokens.into(),
            Self::Truncated => record.truncated.into(),
            Self::Number => stored.number.into(),
            Self::Offset => source.map(|source| source.offset).into(),
            Self::Inner => source.map(|source| source.inner).into(),
            Self::Length => source.map(|source| source.length).into(),
            Self::Copies | Self::CopiesByBatch => Cell::Null,
        }
    }
}

/// The names that the numbers in records refer to.
pub(crate) struct Names<'a> {
    ids: IdCells<'a>,
    batches: HashMap<u32, String>,
    /// Paths of archives; `None` for an archive that is not in the database.
    archives: HashMap<u32, Option<String>>,
    /// How often documents were found, by the hashes of their ids; `None` if nobody asks.
    copies: Option<Copies<u128>>,
}

/// The names that a document's record refers to by numbers.
pub(crate) struct RecordNames<'a> {
    ids: &'a IdCells<'a>,
    batch: Option<&'a str>,
    archive: Option<&'a str>,
    copies: Option<CopyCounts>,
}

impl<'v> Names<'v> {
    /// The names of a database, for a table of this format; `copies` are those of a clustering.
    pub(crate) fn new(view: View<'v>, format: RowFormat, copies: Option<Copies<u128>>) -> nddb_index::Result<Self> {
        let batches = view.batches()?.into_iter().map(|(name, batch, _)| (batch.number, name)).collect();
        Ok(Self { ids: IdCells::new(view, format)?, batches, archives: HashMap::new(), copies })
    }

    /// Returns what a document's record refers to.
    pub(crate) fn of_record(&mut self, view: View<'_>, stored: &Stored) -> nddb_index::Result<RecordNames<'_>> {
        let archive = stored.record.source.as_ref().map(|source| source.archive);
        if let Some(number) = archive
            && !self.archives.contains_key(&number)
        {
            self.archives.insert(number, view.archive(number)?.map(|archive| archive.path));
        }
        Ok(RecordNames {
            ids: &self.ids,
            batch: stored.record.batch.and_then(|number| self.batches.get(&number)).map(String::as_str),
            archive: archive.and_then(|number| self.archives.get(&number)?.as_deref()),
            copies: self.copies.as_ref().and_then(|copies| copies.of(hash(&stored.record.id))),
        })
    }
}

/// A document of a database with this recipe as JSON. Sketches are hex, most significant first; the profile has the
/// hashes of the title and of the first heading.
pub fn document(stored: &Stored, recipe: &str) -> Value {
    use DocumentField as F;
    let record = &stored.record;
    let is_of_page = record.tokens.is_some() || record.min_bytes.is_some();
    let kind = if is_of_page { Recipe::kind_of_label(recipe) } else { FingerprintKind::Given };
    let words = |words: &[u64; 6]| words.map(|word| format!("{word:016x}"));
    let field = |field: F| (field.column().name, field.stored(stored).value());
    let source = || object([F::Archive, F::Offset, F::Inner, F::Length].map(field));
    object([
        field(F::Id),
        field(F::Number),
        field(F::Fp),
        ("kind", json!(kind.name())),
        ("no_fingerprint", json!(stored.unprinted)),
        field(F::Url),
        field(F::Site),
        field(F::Date),
        field(F::Tokens),
        ("digest", json!(record.digest.as_ref().map(|digest| json::hex_of(digest)))),
        ("min_bytes", json!(record.min_bytes.as_deref().map(|bytes| json::hex_of(bytes)))),
        ("supershingles", json!(record.supershingles.as_ref().map(words))),
        ("projection", json!(record.projection.as_ref().map(words))),
        ("source", record.source.map_or(Value::Null, |_| source())),
        field(F::Batch),
        field(F::Truncated),
        ("garbled", json!(record.garbled)),
        ("distinct", json!(record.distinct)),
        ("profile", json!(record.profile.as_deref().map(|bytes| profile_value(&Profile::from_bytes(bytes))))),
        (
            "parts",
            json!(record.parts.as_ref().map(|parts| {
                json!({"window": parts.window, "words": parts.words, "selected": parts.selected.len()})
            })),
        ),
    ])
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A profile as JSON.
fn profile_value(profile: &Profile) -> Value {
    let hexes = |values: Vec<u32>, digits: usize| -> Vec<String> {
        values.into_iter().map(|value| format!("{value:0digits$x}")).collect()
    };
    let words = |words: &LeadingWords| json!({"total": words.total, "words": hexes(words.kept().to_vec(), 6)});
    let least = profile.numbers.kept().iter().map(|hash| u32::from(*hash)).collect();
    let short = profile.short.iter().map(|value| u32::from(*value)).collect();
    let whole = profile.whole.iter().map(|value| u32::from(*value)).collect();
    json!({
        "terms": profile.terms,
        "whole_terms": profile.whole_terms,
        "host": format!("{:08x}", profile.host),
        "whole": profile.is_whole,
        "title": words(&profile.title),
        "headings": words(&profile.headings),
        "address": words(&profile.address),
        "numbers": {"total": profile.numbers.total, "least": hexes(least, 4)},
        "short": hexes(short, 2),
        "whole_text": hexes(whole, 2),
    })
}
