//! Sorting more numbers than fit in memory: sorted stretches in temporary files, merged as they are read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use super::build::Sink;
use super::dir::Dir;
use crate::{Error, Result};

/// Numbers of a stretch that is read back at a time.
const BUFFER_LEN: usize = 1 << 16;

/// Numbers in ascending order, in memory or on disk.
pub(crate) struct Sorted {
    memory: Vec<u64>,
    spilled: Vec<Mutex<File>>,
    folder: PathBuf,
}

/// Sorts what `source` pushes, in about `memory_limit` bytes.
pub(crate) fn sorted(
    dir: &Dir,
    memory_limit: u64,
    source: &mut dyn FnMut(&mut dyn FnMut(u64) -> Result<()>) -> Result<()>,
) -> Result<Sorted> {
    let limit = usize::try_from(memory_limit / 8).unwrap_or(usize::MAX).max(BUFFER_LEN);
    let mut sorted = Sorted { memory: Vec::new(), spilled: Vec::new(), folder: dir.root().into() };
    let scratch = &mut None;
    source(&mut |value| {
        if sorted.memory.len() == limit {
            let folder = match scratch {
                Some(folder) => folder,
                None => scratch.insert(dir.scratch()?),
            };
            sorted.folder.clone_from(folder);
            sorted.spill()?;
        }
        sorted.memory.push(value);
        Ok(())
    })?;
    sorted.memory.sort_unstable();
    Ok(sorted)
}

impl Sorted {
    fn spill(&mut self) -> Result<()> {
        self.memory.sort_unstable();
        let mut file = tempfile::tempfile_in(&self.folder).map_err(Error::io("make a temporary file in", &self.folder))?;
        let mut bytes = Vec::with_capacity(8 * BUFFER_LEN);
        for stretch in self.memory.chunks(BUFFER_LEN) {
            bytes.clear();
            stretch.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
            file.write_all(&bytes).map_err(Error::io("write a temporary file in", &self.folder))?;
        }
        self.memory.clear();
        self.spilled.push(Mutex::new(file));
        Ok(())
    }

    /// Passes all numbers through a sink, ascending; equal ones as often as they were pushed.
    pub(crate) fn each(&self, sink: &mut Sink<'_>) -> Result<()> {
        if self.spilled.is_empty() {
            return sink(&self.memory);
        }
        let mut readers = Vec::with_capacity(self.spilled.len() + 1);
        for file in &self.spilled {
            let mut reader = Stretch { file: Some(file), values: Vec::new(), at: 0, offset: 0 };
            reader.fill(&self.folder)?;
            readers.push(reader);
        }
        readers.push(Stretch { file: None, values: self.memory.clone(), at: 0, offset: 0 });
        let mut out = Vec::with_capacity(4096);
        while let Some(least) = readers.iter_mut().filter(|reader| reader.at < reader.values.len()).min_by_key(|reader| reader.values[reader.at]) {
            out.push(least.values[least.at]);
            least.at += 1;
            if least.at == least.values.len() {
                least.fill(&self.folder)?;
            }
            if out.len() == 4096 {
                sink(&out)?;
                out.clear();
            }
        }
        sink(&out)
    }
}

/// A sorted stretch being read.
struct Stretch<'a> {
    file: Option<&'a Mutex<File>>,
    values: Vec<u64>,
    at: usize,
    offset: u64,
}

impl Stretch<'_> {
    fn fill(&mut self, folder: &std::path::Path) -> Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut bytes = Vec::with_capacity(8 * BUFFER_LEN);
        file.seek(SeekFrom::Start(self.offset))
            .and_then(|_| (&mut *file).take(8 * BUFFER_LEN as u64).read_to_end(&mut bytes))
            .map_err(Error::io("read a temporary file in", folder))?;
        self.offset += bytes.len() as u64;
        self.at = 0;
        self.values.clear();
        self.values.extend(bytes.chunks_exact(8).map(|word| {
            let mut value = [0; 8];
            value.copy_from_slice(word);
            u64::from_le_bytes(value)
        }));
        Ok(())
    }
}
