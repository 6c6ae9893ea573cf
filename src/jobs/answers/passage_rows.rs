//! Pairs with passages in common as rows of a table: one for each passage.

use std::ops::Range;

use nddb_index::PassageMatch;

use super::texts::Seen;
use crate::error::{JobError, Result};
use crate::packed::PackedFile;
use crate::rows::{Cell, CellKind, Column, RowFormat, Rows};

/// The columns: of the pair, of the passage in words and in characters, and its texts. Fields that are ranges have two.
#[rustfmt::skip]
pub const PASSAGE_COLUMNS: [Column; 17] = [
    Column::new("a", CellKind::Text), // the older document
    Column::new("b", CellKind::Text),
    Column::new("a_contained", CellKind::Share),
    Column::new("b_contained", CellKind::Share),
    Column::new("words", CellKind::Number), // of the passage, in common
    Column::new("longest", CellKind::Number),
    Column::new("a_start", CellKind::Number), // its first word, from 0
    Column::new("a_end", CellKind::Number), // the word behind its last
    Column::new("b_start", CellKind::Number),
    Column::new("b_end", CellKind::Number),
    Column::new("equal", CellKind::Share), // with `--verify`
    Column::new("a_start_character", CellKind::Number), // with `--verify` or `--why`
    Column::new("a_end_character", CellKind::Number),
    Column::new("b_start_character", CellKind::Number),
    Column::new("b_end_character", CellKind::Number),
    Column::new("a_text", CellKind::Text), // with `--why`
    Column::new("b_text", CellKind::Text),
];

/// Two documents with passages in common.
pub struct PairInParts {
    /// The older document, with the passages: first their words in the younger one.
    pub(super) a: Seen,
    /// The id of the younger one.
    pub(super) b: String,
    /// Number of its words.
    pub(super) words: u32,
}

/// Returns the shares of the words of query and match that are in common, to three decimals.
pub(super) fn contained(found: &PassageMatch, words: u32) -> [f64; 2] {
    found.contained(words).map(|share| (share * 1e3).round() / 1e3)
}

/// A table of the passages of pairs.
pub struct PassageRows(Rows);

impl PassageRows {
    /// Begins the table.
    ///
    /// # Errors
    /// A Parquet file, without the feature `parquet`; the output cannot be written.
    pub fn begin(format: RowFormat, output: PackedFile) -> Result<Self> {
        Ok(Self(Rows::new(format, output, PASSAGE_COLUMNS.to_vec())?.with_names()?))
    }

    /// Completes the table; returns the outcome of the work, or the error of writing.
    ///
    /// # Errors
    /// The error of the work; the output cannot be written.
    pub fn finish<T, E: From<JobError>>(self, outcome: Result<T, E>) -> Result<T, E> {
        self.0.finish(outcome)
    }

    /// Appends the passages of a pair. [`PassageRows::finish`] says why one cannot be written.
    ///
    /// # Errors
    /// [`nddb_index::Error::Cancelled`].
    pub fn pair(&mut self, pair: &PairInParts) -> nddb_index::Result<()> {
        pair.rows(&mut |cells| self.0.row(cells))
    }
}

impl PairInParts {
    /// Two documents whose texts were not read: the older one with the passages, and the younger one.
    pub fn new(a: PassageMatch, b: &str, words: u32) -> Self {
        Self { a: a.into(), b: b.to_owned(), words }
    }

    /// Passes a row of cells to `row` for each passage.
    ///
    /// # Errors
    /// Those of `row`.
    pub fn rows(&self, row: &mut dyn FnMut(&[Cell<'_>]) -> nddb_index::Result<()>) -> nddb_index::Result<()> {
        let Self { a, b, words } = self;
        let [of_b, of_a] = contained(&a.found, *words);
        for seen in a.passages() {
            let passage = seen.passage;
            let words = |range: &Range<u32>| [range.start.into(), range.end.into()];
            let characters = |side: usize| match seen.characters(side) {
                Some(range) => [range.start.into(), range.end.into()],
                None => [Cell::Null; 2],
            };
            let pair = [Cell::id(&a.found.id), Cell::id(b), of_a.into(), of_b.into()];
            let of_passage = [passage.words.into(), passage.longest.into()];
            let quotes = [seen.quote(1).into(), seen.quote(0).into()];
            let [words_a, words_b] = [&passage.stored, &passage.asked].map(words);
            let equal = [seen.equal().into()];
            let cells: [&[Cell<'_>]; 8] =
                [&pair, &of_passage, &words_a, &words_b, &equal, &characters(1), &characters(0), &quotes];
            row(&cells.concat())?;
        }
        Ok(())
    }
}
