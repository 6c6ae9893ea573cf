//! External sorting: sorted runs in temporary files, merged as they are read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::mapped_rows::{MappedRows, MappedRowsWriter};
use super::parallel::sort_rows;
use super::streams::{Ascending, Merged};
use super::temp_file::TempFile;
use crate::Result;

/// Rows of a run that are read at a time.
const BUFFER_LEN: usize = 1 << 15;

/// A sorter of rows of N numbers with a bound on memory.
pub struct Sorter<const N: usize> {
    memory: Vec<[u64; N]>,
    limit: usize,
    spilled: Vec<Arc<TempFile>>,
    folder: PathBuf,
    threads: usize,
}

/// Rows in ascending order, in memory or on disk.
pub struct Sorted<const N: usize> {
    memory: Vec<[u64; N]>,
    spilled: Vec<Arc<TempFile>>,
}

impl<const N: usize> Sorter<N> {
    /// Returns a sorter without rows; `folder` is for temporary files.
    pub fn new(folder: &Path, memory_limit: u64) -> Self {
        let limit = usize::try_from(memory_limit / (8 * N as u64)).unwrap_or(usize::MAX).max(BUFFER_LEN);
        Self { memory: Vec::new(), limit, spilled: Vec::new(), folder: folder.into(), threads: 1 }
    }

    /// Returns a sorter that sorts on this number of threads.
    pub fn on(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Adds a row.
    pub fn push(&mut self, row: [u64; N]) -> Result<()> {
        if self.memory.len() == self.limit {
            self.spill()?;
        }
        self.memory.push(row);
        Ok(())
    }

    /// Adds rows.
    pub fn extend(&mut self, rows: &[[u64; N]]) -> Result<()> {
        rows.iter().try_for_each(|row| self.push(*row))
    }

    fn spill(&mut self) -> Result<()> {
        sort_rows(&mut self.memory, self.threads);
        let mut file = TempFile::create(&self.folder)?;
        let mut bytes = Vec::with_capacity(8 * N * BUFFER_LEN);
        for stretch in self.memory.chunks(BUFFER_LEN) {
            bytes.clear();
            stretch.as_flattened().iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
            file.append(&bytes)?;
        }
        self.memory.clear();
        self.spilled.push(Arc::new(file));
        Ok(())
    }

    /// Ends the input.
    pub fn finish(mut self) -> Sorted<N> {
        sort_rows(&mut self.memory, self.threads);
        Sorted { memory: self.memory, spilled: self.spilled }
    }
}

impl<const N: usize> Sorted<N> {
    /// Returns these rows, sorted in memory on this number of threads.
    pub fn of(mut rows: Vec<[u64; N]>, threads: usize) -> Self {
        sort_rows(&mut rows, threads);
        Self { memory: rows, spilled: Vec::new() }
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.spilled.is_empty()
    }

    /// Returns all rows one by one, ascending; duplicates are kept.
    pub fn rows(&self) -> Result<SortedRows<'_, N>> {
        SortedRows::of(&self.spilled, Cow::Borrowed(&self.memory))
    }

    /// Returns all rows one by one, for longer than these are kept.
    pub fn into_rows(self) -> Result<SortedRows<'static, N>> {
        SortedRows::of(&self.spilled, Cow::Owned(self.memory))
    }

    /// Passes all rows to `sink`, ascending; duplicates are kept.
    pub fn each(&self, sink: &mut dyn FnMut(&[[u64; N]]) -> Result<()>) -> Result<()> {
        if self.spilled.is_empty() {
            return sink(&self.memory);
        }
        let mut rows = self.rows()?;
        let mut out = Vec::with_capacity(4096);
        while let Some(row) = rows.pop()? {
            out.push(row);
            if out.len() == 4096 {
                sink(&out)?;
                out.clear();
            }
        }
        sink(&out)
    }

    /// Passes all rows to `sink`, ascending, in stretches of about `len` rows for work on several threads. A stretch
    /// ends where `is_end` accepts the last row and the next one.
    pub fn stretches(
        &self,
        len: usize,
        is_end: impl Fn(&[u64; N], &[u64; N]) -> bool,
        sink: &mut dyn FnMut(Vec<[u64; N]>) -> Result<()>,
    ) -> Result<()> {
        let mut stretch: Vec<[u64; N]> = Vec::with_capacity(len);
        self.each(&mut |rows| {
            for row in rows {
                if stretch.len() >= len && stretch.last().is_some_and(|last| is_end(last, row)) {
                    sink(std::mem::replace(&mut stretch, Vec::with_capacity(len)))?;
                }
                stretch.push(*row);
            }
            Ok(())
        })?;
        if stretch.is_empty() { Ok(()) } else { sink(stretch) }
    }

    /// Returns all rows by index; `folder` is for a file of the rows that did not fit in memory.
    pub fn indexed(self, folder: &Path) -> Result<IndexedRows<N>> {
        if self.spilled.is_empty() {
            return Ok(IndexedRows::InMemory(self.memory));
        }
        let mut rows = MappedRowsWriter::new(folder)?;
        self.each(&mut |sorted| sorted.iter().try_for_each(|row| rows.push(row)))?;
        Ok(IndexedRows::Mapped(rows.finish()?))
    }
}

/// Sorted rows, by index.
pub enum IndexedRows<const N: usize> {
    /// The rows fit in memory.
    InMemory(Vec<[u64; N]>),
    /// The rows are in a temporary file.
    Mapped(MappedRows<N>),
}

impl<const N: usize> IndexedRows<N> {
    /// Returns the row at `index`, if there is one.
    #[inline]
    pub fn get(&self, index: usize) -> Option<[u64; N]> {
        match self {
            Self::InMemory(rows) => rows.get(index).copied(),
            Self::Mapped(rows) => rows.get(index),
        }
    }

    /// Returns all rows in order.
    pub fn iter(&self) -> impl Iterator<Item = [u64; N]> + '_ {
        (0..).map_while(|index| self.get(index))
    }
}

/// Rows that are read one by one.
pub struct SortedRows<'a, const N: usize>(Merged<SortedRun<'a, N>>);

impl<'a, const N: usize> SortedRows<'a, N> {
    fn of(spilled: &[Arc<TempFile>], memory: Cow<'a, [[u64; N]]>) -> Result<Self> {
        let mut stretches = Vec::with_capacity(spilled.len() + 1);
        for file in spilled {
            let mut stretch = SortedRun { file: Some(file.clone()), rows: Cow::default(), at: 0, offset: 0 };
            stretch.fill()?;
            stretches.push(stretch);
        }
        stretches.push(SortedRun { file: None, rows: memory, at: 0, offset: 0 });
        Ok(Self(Merged::new(stretches)))
    }

    /// Returns the next row, if there is one.
    pub fn pop(&mut self) -> Result<Option<[u64; N]>> {
        self.0.pop()
    }
}

impl<const N: usize> Default for SortedRows<'_, N> {
    fn default() -> Self {
        Self(Merged::new(Vec::new()))
    }
}

/// After an error nothing follows.
impl<const N: usize> Iterator for SortedRows<'_, N> {
    type Item = Result<[u64; N]>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.pop().transpose();
        if let Some(Err(_)) = row {
            *self = Self::default();
        }
        row
    }
}

/// A sorted run being read.
struct SortedRun<'a, const N: usize> {
    file: Option<Arc<TempFile>>,
    rows: Cow<'a, [[u64; N]]>,
    at: usize,
    offset: u64,
}

impl<const N: usize> Ascending for SortedRun<'_, N> {
    type Item = [u64; N];

    #[inline]
    fn head(&self) -> Option<[u64; N]> {
        self.rows.get(self.at).copied()
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.at += 1;
        if self.at == self.rows.len() { self.fill() } else { Ok(()) }
    }
}

impl<const N: usize> SortedRun<'_, N> {
    fn fill(&mut self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut bytes = vec![0; 8 * N * BUFFER_LEN];
        let read = file.read(self.offset, &mut bytes)?;
        bytes.truncate(read);
        self.offset += read as u64;
        self.at = 0;
        let (words, _) = bytes.as_chunks::<8>();
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let rows = bytes.len() / (8 * N);
        self.rows = (0..rows).map(|_| std::array::from_fn(|_| words.next().unwrap_or(0))).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_sorted_whether_they_fit_in_memory_or_not() {
        let folder = tempfile::tempdir().expect("a folder");
        for len in [0u64, 5, 200_000] {
            let mut sorter = Sorter::new(folder.path(), 0);
            let row = |i: u64| [nddb_format::digest::mix(i) % 1000, i % 7];
            (0..len).try_for_each(|i| sorter.push(row(i))).expect("taken");
            let sorted = sorter.finish();
            assert_eq!(sorted.spilled.len(), (len as usize).saturating_sub(1) / BUFFER_LEN);
            let mut want: Vec<[u64; 2]> = (0..len).map(row).collect();
            want.sort_unstable();
            for _ in 0..2 {
                let mut rows = Vec::new();
                sorted
                    .each(&mut |stretch| {
                        rows.extend_from_slice(stretch);
                        Ok(())
                    })
                    .expect("read");
                assert_eq!(rows, want);
            }
            let mut rows = Vec::new();
            sorted
                .stretches(50, |a, b| a[0] != b[0], &mut |stretch| {
                    assert!(rows.last().is_none_or(|last: &[u64; 2]| last[0] != stretch[0][0]) && !stretch.is_empty());
                    rows.extend(stretch);
                    Ok(())
                })
                .expect("read");
            assert_eq!(rows, want);
            let indexed = sorted.indexed(folder.path()).expect("written");
            assert_eq!(matches!(indexed, IndexedRows::Mapped(_)), len == 200_000);
            assert!(indexed.iter().eq(want.iter().copied()));
            assert_eq!((indexed.get(3), indexed.get(len as usize)), (want.get(3).copied(), None));
        }
    }
}
