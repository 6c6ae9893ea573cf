//! What becomes of the rows of a row group.

use std::borrow::Cow;
use std::ops::Range;

use nddb_archive::{EntryContent, Input, Position};

use nddb_page::text::PageKind;

use crate::error::Result;
use crate::filter::notes::Note;
use crate::filter::selection::{FilterCounts, Selection};

/// Rows between two reports.
const REPORTED: u64 = 1 << 12;

/// Callback that reports the counts so far; its error cancels the filtering.
pub(super) type Progress<'a> = &'a mut dyn FnMut(&FilterCounts) -> Result<()>;

/// What becomes of the rows of a row group, which have numbers from 0.
pub(super) struct Fates {
    /// Number of rows, as the file says.
    len: u64,
    /// The rows that are removed, ascending.
    removed: Vec<u64>,
    /// The notes of rows with an id, ascending by row; empty if no columns are added.
    notes: Vec<(u64, Note)>,
    /// Where the texts of rows are cut, ascending by row.
    cuts: Vec<(u64, Vec<Range<usize>>)>,
}

impl Fates {
    /// Returns where the text of a row is cut.
    pub(super) fn cuts(&self, row: u64) -> &[Range<usize>] {
        self.cuts.binary_search_by_key(&row, |(of, _)| *of).map_or(&[], |index| &self.cuts[index].1)
    }

    /// Number of rows, as the file says.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Numbers of rows that are kept, and removed.
    pub(super) fn rows(&self) -> [u64; 2] {
        let removed = self.removed.len() as u64;
        [self.len - removed, removed]
    }

    /// Says of each of the next rows whether it is removed.
    pub(super) fn are_removed(&self, from: u64, to: u64, out: &mut Vec<bool>) {
        out.clear();
        let mut removed = self.removed[self.removed.partition_point(|&row| row < from)..].iter().peekable();
        out.extend((from..to).map(|row| removed.next_if_eq(&&row).is_some()));
    }

    /// Returns the notes of the rows that are removed, or of those that are kept, in order.
    pub(super) fn notes(&self, are_removed: bool) -> impl Iterator<Item = Note> {
        let mut removed = self.removed.iter().peekable();
        let mut notes = self.notes.iter().peekable();
        (0..self.len).filter_map(move |row| {
            let is_removed = removed.next_if_eq(&&row).is_some();
            let note = notes.next_if(|(of, _)| *of == row).map(|(_, note)| *note);
            (is_removed == are_removed).then(|| note.unwrap_or_default())
        })
    }
}

/// A row by its number: its id, and its text if it is one.
type NumberedRow = (u64, Option<String>, Option<Vec<u8>>);

/// The ids of the rows of a file, in order.
pub(super) struct RowIds {
    input: Input,
    /// The next entry that was read, by its row.
    next: Option<NumberedRow>,
    /// The first row of the row group that follows.
    row: u64,
}

impl RowIds {
    pub(super) fn of(input: Input) -> Self {
        Self { input, next: None, row: 0 }
    }

    /// Decides on the rows of the row group that follows. Rows without an id are kept.
    pub(super) fn fates(
        &mut self,
        len: u64,
        selection: &mut Selection,
        with_notes: bool,
        counts: &mut FilterCounts,
        progress: Progress<'_>,
    ) -> Result<Fates> {
        let first = self.row;
        self.row = first.saturating_add(len);
        let mut fates = Fates { len, removed: Vec::new(), notes: Vec::new(), cuts: Vec::new() };
        let mut identified = 0_u64;
        while let Some((row, id, text)) = self.before(self.row)? {
            let Some(id) = id else { continue };
            identified += 1;
            let fate = selection.decide(Some(&id), Some(Position { offset: row, ..Position::default() }));
            counts.add(fate);
            if selection.leaves(fate) {
                fates.removed.push(row - first);
            } else {
                let cuts = selection.cuts(Some(&id), || String::from_utf8(text?).ok().map(Cow::from))?;
                fates.cuts.extend((!cuts.is_empty()).then_some((row - first, cuts)));
            }
            if with_notes {
                fates.notes.push((row - first, selection.notes.of(Some(&id), fate)));
            }
            if identified.is_multiple_of(REPORTED) {
                counts.bytes = self.input.bytes_read();
                progress(counts)?;
            }
        }
        counts.without_id += len - identified;
        counts.bytes = self.input.bytes_read();
        Ok(fates)
    }

    /// FilterCounts the ids of all rows.
    pub(super) fn count(mut self, selection: &mut Selection, progress: Progress<'_>) -> Result<()> {
        self.fates(u64::MAX, selection, false, &mut FilterCounts::default(), progress).map(|_| ())
    }

    /// Returns the next entry, if it is of a row before this one.
    fn before(&mut self, end: u64) -> Result<Option<NumberedRow>> {
        if self.next.is_none() {
            self.next = self.input.next()?.map(|entry| {
                let mut text = None;
                let id = match entry.content {
                    EntryContent::Page(page) => {
                        text = (page.kind == PageKind::Text && !page.truncated).then_some(page.body);
                        Some(page.id)
                    }
                    EntryContent::Fingerprint { id, .. } => Some(id),
                    EntryContent::Sketch(entry) => {
                        nddb_index::Document::from_bytes(&entry.sketch).ok().map(|document| document.id().to_owned())
                    }
                    _ => None,
                };
                (entry.position.offset, id, text)
            });
        }
        Ok(self.next.take_if(|(row, ..)| *row < end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_where_they_belong_with_their_clusters() {
        let note = |row| (row, Note { cluster: u32::try_from(row).ok(), ..Note::default() });
        let fates = Fates { len: 6, removed: vec![1, 4], notes: vec![note(1), note(3)], cuts: Vec::new() };
        assert_eq!(fates.rows(), [4, 2]);
        let mut removed = Vec::new();
        fates.are_removed(1, 5, &mut removed);
        assert_eq!(removed, [true, false, false, true]);
        fates.are_removed(5, 6, &mut removed);
        assert_eq!(removed, [false]);
        let clusters = |are_removed| fates.notes(are_removed).map(|note| note.cluster).collect::<Vec<_>>();
        assert_eq!(clusters(false), [None, None, Some(3), None]);
        assert_eq!(clusters(true), [Some(1), None]);
    }
}
