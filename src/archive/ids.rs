//! The ids of documents: an optional prefix, followed by the id in the input or by the place of the document in the
//! input. With a prefix, every id is a text.

use std::path::Path;

use nddb_format::record::ShownId;

use super::entry::{Entry, EntryContent, text_id};
use super::names::text_of;
use super::options::{IdFrom, Options};

/// Gives the documents of an input their ids.
#[derive(Default)]
pub(super) struct Ids {
    prefix: String,
    /// The prefix of row numbers, if ids are places.
    rows: Option<String>,
    /// Number of the next entry, from 0.
    next: u64,
}

impl Ids {
    /// Returns the ids of an input whose reader makes the ids (a single-document file or a table); only the prefix is
    /// added to them here.
    pub(super) fn made(options: &Options) -> Self {
        Self { prefix: options.id_prefix.clone(), ..Self::default() }
    }

    /// Returns the ids of an input of several records or lines. `has_none` means that the input itself has no ids.
    pub(super) fn of_rows(path: &Path, options: &Options, has_none: bool) -> Self {
        let rows = (has_none || options.id_from.is_place()).then(|| name(path, options.id_from));
        Self { rows, ..Self::made(options) }
    }

    /// Returns whether entries must be counted from the beginning.
    pub(super) fn count(&self) -> bool {
        self.rows.is_some()
    }

    /// Gives the next entry its id, if it is a document. A sketch keeps the id that it contains.
    pub(super) fn give(&mut self, entry: &mut Entry) {
        let row = self.next;
        self.next += 1;
        if self.prefix.is_empty() && self.rows.is_none() {
            return;
        }
        let id = match &mut entry.content {
            EntryContent::Page(page) => &mut page.id,
            EntryContent::Fingerprint { id, .. } => id,
            _ => return,
        };
        let own = match &self.rows {
            Some(name) => place(name, row),
            None => std::mem::take(id),
        };
        match text_id(prefixed(&self.prefix, &own)) {
            Ok(text) => *id = text,
            Err(bad) => entry.content = bad,
        }
    }
}

impl Options {
    /// Returns the id that a load gives to a line of JSON in this file. `None` if the line gets no id. The line is
    /// given by its number, from 0, and by the id in it.
    #[must_use]
    pub fn id_of_row(&self, file: &Path, row: u64, own: Option<String>) -> Option<String> {
        let id = if self.id_from.is_place() { Some(place(&name(file, self.id_from), row)) } else { own };
        id.map(|id| if self.id_prefix.is_empty() { id } else { prefixed(&self.id_prefix, &id) })
    }
}

/// Puts a prefix before an id; a number becomes its digits.
fn prefixed(prefix: &str, id: &str) -> String {
    format!("{prefix}{}", ShownId(id))
}

fn place(name: &str, row: u64) -> String {
    format!("{name}:{row}")
}

/// Returns the beginning of the ids of a file's rows: its name, or its whole path.
pub(super) fn name(path: &Path, from: IdFrom) -> String {
    let path = nddb_remote::path_without_credentials(path);
    let file_name = path.file_name().filter(|_| from == IdFrom::Row);
    text_of(file_name.unwrap_or(path.as_os_str()))
}
