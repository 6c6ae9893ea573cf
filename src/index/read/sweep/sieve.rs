//! Looking up stored fingerprints in the index of the queries.

use super::close::Close;
use super::index::QueryIndex;
use super::near::Near;
use super::prefix::Scratch;

/// Number of values that are looked up together.
const LOOK_LEN: usize = 1024;

/// A pass of stored fingerprints through the index.
pub(crate) struct Sieve<'a> {
    index: &'a QueryIndex,
    near: Option<Near>,
    close: Option<Close>,
    /// Values with the same topmost bits.
    row: Vec<u64>,
    scratch: Scratch,
    met: Vec<(u64, u64)>,
}

impl<'a> Sieve<'a> {
    /// Returns a pass without fingerprints.
    pub(crate) fn new(index: &'a QueryIndex) -> Self {
        let near = index.split().filter(|_| index.is_dense()).map(Near::new);
        let close = index.split().filter(|_| !index.is_dense()).map(|shift| Close::new(shift, index.k, LOOK_LEN));
        Self { index, near, close, row: Vec::with_capacity(LOOK_LEN), scratch: Scratch::new(LOOK_LEN), met: Vec::new() }
    }

    /// Looks up ascending permuted fingerprints, and calls `found` with (query, value) for distinct queries within
    /// k bits, each pair once: some for these fingerprints now, the rest by [`Sieve::finish`].
    pub(crate) fn push<E>(
        &mut self,
        values: &[u64],
        found: &mut impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(wide) = self.index.wide() {
            return values.chunks(LOOK_LEN).try_for_each(|values| wide.meet(values, &mut self.met, found));
        }
        if let Some(near) = &mut self.near {
            return rows(self.index, values).try_for_each(|row| near.meet(self.index, row, found));
        }
        for values in values.chunks(LOOK_LEN) {
            for prefix in 0..self.index.tables() {
                self.index.meet(prefix, values, &mut self.scratch, found)?;
            }
        }
        if self.close.is_some() {
            self.push_close(values, found)?;
        }
        Ok(())
    }

    fn push_close<E>(
        &mut self,
        mut values: &[u64],
        found: &mut impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(&first) = values.first() {
            let top = self.index.top(first);
            if self.row.len() == LOOK_LEN || self.row.first().is_some_and(|&value| self.index.top(value) != top) {
                self.end_row(found)?;
            }
            let part = &values[..values.len().min(LOOK_LEN - self.row.len())];
            let len = match part.last() {
                Some(&last) if self.index.top(last) == top => part.len(),
                _ => part.partition_point(|&value| self.index.top(value) == top),
            };
            let (now, later) = values.split_at(len.max(1));
            self.row.extend_from_slice(now);
            values = later;
        }
        Ok(())
    }

    fn end_row<E>(&mut self, found: &mut impl FnMut(u64, u64) -> Result<(), E>) -> Result<(), E> {
        if let Some(close) = &mut self.close {
            close.meet(self.index, &self.row, found)?;
            self.row.clear();
        }
        Ok(())
    }

    /// Looks up the pending fingerprints.
    pub(crate) fn finish<E>(&mut self, found: &mut impl FnMut(u64, u64) -> Result<(), E>) -> Result<(), E> {
        self.end_row(found)
    }
}

/// Returns the ascending values in parts with the same topmost bits.
fn rows<'v>(index: &QueryIndex, mut values: &'v [u64]) -> impl Iterator<Item = &'v [u64]> {
    std::iter::from_fn(move || {
        let top = index.top(*values.first()?);
        let len = match values.last() {
            Some(&last) if index.top(last) == top => values.len(),
            _ => values.partition_point(|&value| index.top(value) == top),
        };
        let (row, later) = values.split_at(len);
        values = later;
        Some(row)
    })
}
