//! The columns of stored documents.

use std::collections::HashMap;

use clap::ValueEnum;
use nddb::{Stored, View};

use crate::columns::{Cell, Column, Kind, RowFormat};
use crate::failure::Result;
use crate::ids::Cells;

/// A column of stored documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::commands) enum StoredColumn {
    /// The id
    Id,
    /// The address
    Url,
    /// The fingerprint; null of a document of fewer than two tokens
    Fp,
    /// The site
    Site,
    /// The name of the batch
    Batch,
    /// When it was fetched, in seconds since 1970
    Date,
    /// Number of tokens
    Tokens,
    /// Whether the page was truncated at a limit
    Truncated,
    /// The document's number
    Number,
    /// The path of the archive that it was loaded from
    Archive,
    /// The position of the record or of its compressed member in the archive, or the number of the row
    Offset,
    /// Bytes of the decompressed member before the record
    Inner,
    /// Bytes of the record
    Length,
}

/// The names that the numbers in records refer to.
pub(super) struct Known<'a> {
    ids: Cells<'a>,
    batches: HashMap<u32, String>,
    /// Paths of archives; `None` for an archive that is not in the database.
    archives: HashMap<u32, Option<String>>,
}

/// The names that a document's record refers to by numbers.
pub(super) struct Source<'a> {
    ids: &'a Cells<'a>,
    batch: Option<&'a str>,
    archive: Option<&'a str>,
}

impl<'v> Known<'v> {
    pub(super) fn new(view: View<'v>, format: RowFormat) -> Result<Self> {
        let batches = view.batches()?.into_iter().map(|(name, batch, _)| (batch.number, name)).collect();
        Ok(Self { ids: Cells::new(view, format)?, batches, archives: HashMap::new() })
    }

    /// Returns what a document's record refers to.
    pub(super) fn source(&mut self, view: View<'_>, stored: &Stored) -> nddb::Result<Source<'_>> {
        let archive = stored.record.source.as_ref().map(|source| source.archive);
        if let Some(number) = archive
            && !self.archives.contains_key(&number)
        {
            self.archives.insert(number, view.archive(number)?.map(|archive| archive.path));
        }
        Ok(Source {
            ids: &self.ids,
            batch: stored.record.batch.and_then(|number| self.batches.get(&number)).map(String::as_str),
            archive: archive.and_then(|number| self.archives.get(&number)?.as_deref()),
        })
    }
}

impl StoredColumn {
    pub(in crate::commands) fn column(self) -> Column {
        match self {
            StoredColumn::Id => Column::new("id", Kind::Text),
            StoredColumn::Url => Column::new("url", Kind::Text),
            StoredColumn::Fp => Column::new("fp", Kind::Print),
            StoredColumn::Site => Column::new("site", Kind::Text),
            StoredColumn::Batch => Column::new("batch", Kind::Text),
            StoredColumn::Date => Column::new("date", Kind::Number),
            StoredColumn::Tokens => Column::new("tokens", Kind::Number),
            StoredColumn::Truncated => Column::new("truncated", Kind::Flag),
            StoredColumn::Number => Column::new("number", Kind::Number),
            StoredColumn::Archive => Column::new("archive", Kind::Text),
            StoredColumn::Offset => Column::new("offset", Kind::Number),
            StoredColumn::Inner => Column::new("inner", Kind::Number),
            StoredColumn::Length => Column::new("length", Kind::Number),
        }
    }

    pub(super) fn cell<'a>(self, stored: &'a Stored, known: &Source<'a>) -> nddb::Result<Cell<'a>> {
        let record = &stored.record;
        let source = record.source.as_ref();
        Ok(match self {
            StoredColumn::Id => known.ids.cell(&record.id)?,
            StoredColumn::Url => record.url.as_deref().into(),
            StoredColumn::Fp => (!stored.unprinted).then_some(stored.fingerprint).into(),
            StoredColumn::Site => record.site.as_deref().into(),
            StoredColumn::Batch => known.batch.into(),
            StoredColumn::Date => record.date.into(),
            StoredColumn::Tokens => record.tokens.into(),
            StoredColumn::Truncated => record.truncated.into(),
            StoredColumn::Number => stored.number.into(),
            StoredColumn::Archive => known.archive.into(),
            StoredColumn::Offset => source.map(|source| source.offset).into(),
            StoredColumn::Inner => source.map(|source| source.inner).into(),
            StoredColumn::Length => source.map(|source| source.length).into(),
        })
    }
}
