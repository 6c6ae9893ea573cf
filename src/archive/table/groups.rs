//! Row groups that are read at the same time, each by its own thread, and passed on in order.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::file::SharedFile;
use super::rows::{RowGroupRows, Shape, TableRow};
use crate::entry::EntryContent;

/// Rows are passed on in batches of at most this number of rows or bytes.
const ROWS_MAX: usize = 64;
const BYTES_MAX: usize = 256 << 10;
/// Maximum number of waiting batches of each row group.
const WAITING: usize = 2;

/// Reader of the row groups of a file.
pub(super) struct Groups {
    shape: Arc<Shape>,
    file: SharedFile,
    /// Number of row groups that are read at the same time; with one, the calling thread reads.
    readers: usize,
    /// The row groups that are being read, by consecutive indexes.
    reading: VecDeque<(usize, RowGroupReader)>,
    /// The row that the first of these row groups passes on next.
    row: u64,
}

enum RowGroupReader {
    Here(Box<RowGroupRows>),
    Thread(Ahead),
}

impl Groups {
    pub(super) fn new(shape: Arc<Shape>, file: SharedFile, readers: usize) -> Self {
        Self { shape, file, readers, reading: VecDeque::new(), row: 0 }
    }

    /// Returns a row; `None` after the last one.
    pub(super) fn next(&mut self, row: u64) -> io::Result<Option<TableRow>> {
        let index = self.shape.ends.partition_point(|&end| end <= row);
        if index == self.shape.ends.len() {
            return Ok(None);
        }
        while self.reading.front().is_some_and(|(first, _)| *first < index) {
            self.reading.pop_front();
        }
        // Drops readers that were started for another row.
        if row != self.row || self.reading.front().is_some_and(|(first, _)| *first != index) {
            self.reading.clear();
        }
        self.begin(index, row);
        let read = match self.reading.front_mut() {
            Some((_, RowGroupReader::Here(rows))) => rows.next(),
            Some((_, RowGroupReader::Thread(ahead))) => ahead.next(),
            None => Ok(None),
        };
        let read = read.and_then(|row| row.ok_or_else(|| io::Error::other("a row group ended before its last row")));
        match &read {
            Ok(row) => self.row = row.next,
            Err(_) => self.reading.clear(),
        }
        read.map(Some)
    }

    /// Starts reading row groups, the first of them at `row`, until as many are being read as is permitted.
    fn begin(&mut self, index: usize, row: u64) {
        while self.reading.len() < self.readers.max(1) {
            let (next, start) = match self.reading.back() {
                None => (index, row),
                Some(&(last, _)) => (last + 1, self.shape.ends[last]),
            };
            if next == self.shape.ends.len() {
                break;
            }
            let rows = RowGroupRows::new(self.shape.clone(), &self.file, next, start);
            let reader = if self.readers > 1 {
                RowGroupReader::Thread(Ahead::of(rows))
            } else {
                RowGroupReader::Here(Box::new(rows))
            };
            self.reading.push_back((next, reader));
        }
    }
}

/// A thread that reads a row group, and the rows that it has passed on.
struct Ahead {
    rows: std::vec::IntoIter<TableRow>,
    /// `None` while this value is being dropped.
    more: Option<Receiver<io::Result<Vec<TableRow>>>>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    fn of(rows: RowGroupRows) -> Self {
        let (sender, more) = sync_channel(WAITING);
        let thread = thread::spawn(move || read(rows, &sender));
        Self { rows: Vec::new().into_iter(), more: Some(more), thread: Some(thread) }
    }

    fn next(&mut self) -> io::Result<Option<TableRow>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            // Fails when the thread has ended.
            let Some(Ok(more)) = self.more.as_ref().map(Receiver::recv) else { return Ok(None) };
            self.rows = more?.into_iter();
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // The thread ends when it cannot pass on what it has read.
        self.more = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Reads a row group to its end, or until nobody receives its rows.
fn read(mut rows: RowGroupRows, sender: &SyncSender<io::Result<Vec<TableRow>>>) {
    loop {
        let (mut some, mut bytes) = (Vec::new(), 0);
        let mut end = Ok(());
        while some.len() < ROWS_MAX && bytes < BYTES_MAX {
            match rows.next() {
                Ok(Some(row)) => {
                    bytes += match &row.entry.content {
                        EntryContent::Page(page) => page.body.len(),
                        EntryContent::Sketch(entry) => entry.sketch.len(),
                        _ => 0,
                    };
                    some.push(row);
                }
                Ok(None) => break,
                Err(error) => {
                    end = Err(error);
                    break;
                }
            }
        }
        let is_last = end.is_err() || some.is_empty();
        if !some.is_empty() && sender.send(Ok(some)).is_err() {
            return;
        }
        if let Err(error) = end {
            let _ = sender.send(Err(error));
        }
        if is_last {
            return;
        }
    }
}
