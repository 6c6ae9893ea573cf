//! Rows of numbers in a temporary file, mapped into memory.

use std::path::Path;

use super::temp_file::{TempFile, TempMap};
use crate::Result;
use crate::prefetch::prefetch;

/// Bytes collected before they are written.
const BUFFER_SIZE: usize = 1 << 20;

/// Writer of rows of N numbers.
pub struct MappedRowsWriter<const N: usize> {
    file: TempFile,
    buffer: Vec<u8>,
    len: usize,
}

/// Rows of N numbers, by index; empty by default.
#[derive(Debug, Default)]
pub struct MappedRows<const N: usize> {
    map: TempMap,
}

impl<const N: usize> MappedRowsWriter<N> {
    /// Returns a writer without rows, whose temporary file is in `folder`.
    pub fn new(folder: &Path) -> Result<Self> {
        Ok(Self { file: TempFile::create(folder)?, buffer: Vec::new(), len: 0 })
    }

    /// Returns the number of rows so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no row so far.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a row.
    pub fn push(&mut self, row: &[u64; N]) -> Result<()> {
        self.len += 1;
        row.iter().for_each(|word| self.buffer.extend_from_slice(&word.to_le_bytes()));
        if self.buffer.len() >= BUFFER_SIZE {
            self.file.append(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Ends writing and maps the file.
    pub fn finish(mut self) -> Result<MappedRows<N>> {
        self.file.append(&self.buffer)?;
        Ok(MappedRows { map: self.file.map()? })
    }
}

impl<const N: usize> MappedRows<N> {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.map.as_ref().len() / (8 * N)
    }

    /// Returns whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the row at `index`, which must exist.
    #[inline]
    pub fn row(&self, index: usize) -> [u64; N] {
        let (words, _) = self.map.as_ref()[8 * N * index..][..8 * N].as_chunks::<8>();
        std::array::from_fn(|word| u64::from_le_bytes(words[word]))
    }

    /// Returns the row at `index`, if there is one.
    #[inline]
    pub fn get(&self, index: usize) -> Option<[u64; N]> {
        (index < self.len()).then(|| self.row(index))
    }

    /// Returns the bytes of the row at `index`, if there is one: its numbers, little-endian.
    #[inline]
    pub fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.map.as_ref().get(8 * N * index..)?.get(..8 * N)
    }

    /// Prefetches the row at `index`; an index out of range is harmless.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        prefetch(self.map.as_ref(), 8 * N * index);
    }

    /// Returns all rows in order.
    pub fn iter(&self) -> impl Iterator<Item = [u64; N]> + '_ {
        (0..self.len()).map(|index| self.row(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_at_their_places() {
        let folder = tempfile::tempdir().expect("a folder");
        for len in [0u64, 1, 100_000] {
            let mut writer = MappedRowsWriter::<3>::new(folder.path()).expect("a file");
            (0..len).try_for_each(|i| writer.push(&[i, i * i, !i])).expect("written");
            let words = writer.finish().expect("mapped");
            assert_eq!(words.len() as u64, len);
            assert!(words.iter().eq((0..len).map(|i| [i, i * i, !i])));
            assert_eq!((words.get(len as usize), words.bytes(len as usize)), (None, None));
            let numbers = words.get(1).map(|row| row.map(u64::to_le_bytes));
            assert_eq!(words.bytes(1), numbers.as_ref().map(|numbers| numbers.as_flattened()));
        }
    }
}
