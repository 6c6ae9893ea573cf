//! The order of documents by age, which may differ from the order of their numbers.
//!
//! Rows are written in the order of document numbers, as records are read. All documents of one load have the same age,
//! so the better one comes first ([`key`]). So the choice of the kept document does not depend on the order of rows in
//! a file.

use std::ops::Range;
use std::sync::Arc;

use nddb_index::Result;
use nddb_index::spill::mapped_rows::MappedRows;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;

use super::row::{DETAILS, ROW, Row};

/// The row of each document.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    /// Ordinals are the indexes of rows.
    InOrder,
    /// The index of the row of each ordinal.
    Sorted(Arc<[u32]>),
}

impl Places {
    /// Returns the index of the row of a document.
    #[inline]
    pub(crate) fn of(&self, ordinal: u32) -> usize {
        match self {
            Places::InOrder => ordinal as usize,
            Places::Sorted(places) => places[ordinal as usize] as usize,
        }
    }

    /// Returns the ordinal of each row.
    pub(crate) fn ordinals(&self, len: u32) -> Vec<u32> {
        let mut ordinals = vec![0; len as usize];
        (0..len).for_each(|ordinal| ordinals[self.of(ordinal)] = ordinal);
        ordinals
    }
}

/// The rows of each load, collected while rows are written in the order of document numbers.
#[derive(Debug)]
pub(super) struct Loads {
    /// The document numbers of the loads whose rows are not all written, the last load first.
    numbers: Vec<Range<u64>>,
    /// The row indexes of each load that has written rows.
    rows: Vec<Range<u32>>,
    /// The sort key of the last row written, if it belongs to the current load.
    last: Option<[u64; 3]>,
    is_sorted: bool,
}

impl Loads {
    /// Returns an empty set of rows for loads with these document numbers, ascending.
    pub(super) fn new(mut numbers: Vec<Range<u64>>) -> Self {
        numbers.reverse();
        Self { numbers, rows: Vec::new(), last: None, is_sorted: true }
    }

    /// Records a row; the document numbers of rows must ascend.
    pub(super) fn note(&mut self, index: u32, row: &Row) {
        while self.numbers.pop_if(|load| load.end <= row.number).is_some() {
            self.last = None;
        }
        if self.numbers.last().is_none_or(|load| row.number < load.start) {
            return;
        }
        let key = key(row);
        match (&self.last, self.rows.last_mut()) {
            (Some(last), Some(rows)) => {
                rows.end = index + 1;
                self.is_sorted &= *last <= key;
            }
            _ => self.rows.push(index..index + 1),
        }
        self.last = Some(key);
    }

    /// Returns the places of all rows and the ordinal of each rank; `None` if the order of rows is the order by age.
    pub(super) fn places(
        self,
        rows: &MappedRows<ROW>,
        details: Option<&MappedRows<DETAILS>>,
        resources: &Resources,
    ) -> Result<Option<(Places, Vec<u32>)>> {
        if self.is_sorted {
            return Ok(None);
        }
        let mut sorter = Sorter::<4>::new(&resources.folder, resources.memory_limit / 2);
        let mut loads = self.rows.into_iter().peekable();
        for index in 0..rows.len() as u32 {
            while loads.next_if(|load| load.end <= index).is_some() {}
            let first = loads.peek().map_or(index, |load| load.start.min(index));
            let row = Row::at(rows, details, index as usize);
            let [quality, date, rank] = key(&row);
            sorter.push([first.into(), quality, date, rank << 32 | u64::from(index)])?;
        }
        let (mut places, mut by_rank) = (Vec::with_capacity(rows.len()), vec![0; rows.len()]);
        sorter.finish().each(&mut |sorted| {
            for [.., both] in sorted {
                by_rank[(both >> 32) as usize] = places.len() as u32;
                places.push(*both as u32);
            }
            Ok(())
        })?;
        Ok(Some((Places::Sorted(places.into()), by_rank)))
    }
}

/// The sort key of documents of one load: whole before truncated, sound before garbled, more distinct words before
/// fewer, then by date, those without one last, then by id.
fn key(row: &Row) -> [u64; 3] {
    let flag = |is: bool, bit: u32| u64::from(is) << bit;
    let bits = flag(row.is_truncated, 34) | flag(row.is_garbled, 33) | flag(row.date.is_none(), 0);
    let quality = bits | u64::from(!row.distinct) << 1;
    // The flipped sign bit puts dates before 1970 first.
    [quality, row.date.unwrap_or(0).cast_unsigned() ^ 1 << 63, row.rank.into()]
}
