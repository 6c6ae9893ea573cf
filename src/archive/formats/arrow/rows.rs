//! The rows of Arrow IPC as entries: one document per row, whose columns are read as the fields of a line of JSON.
//!
//! The position of a row is its number, from 0. A file is a stream between two marks, and its footer is not needed:
//! what is there of a file that was cut off is read. Damage costs the rest of its batch.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileDecoder;

use super::cell::{self, NotUtf8};
use super::messages::Messages;
use crate::entries::Entries;
use crate::entry::{Entry, EntryContent, Position, Reason, ResumePoint};
use crate::formats::Opening;
use crate::formats::jsonl::{HasIds, document_of_line, wanted};
use crate::options::Options;
use crate::source::ReadSeek;

/// Reader of the rows of an input.
pub(super) struct ArrowRows {
    messages: Messages,
    decoder: FileDecoder,
    /// The number of messages before which the decoder knows the dictionaries.
    known: usize,
    /// The columns that are read.
    columns: Vec<usize>,
    /// The message that was decoded last, by its index.
    batch: Option<(usize, RecordBatch)>,
    /// Prefix of ids, if there is no column of ids.
    name: String,
    ids: HasIds,
    /// The next row.
    row: u64,
    payload: u64,
    named_batch: Option<String>,
    line: Vec<u8>,
}

impl ArrowRows {
    /// Opens an input; `name` begins the ids of its rows if no column has ids. The inner error explains why it cannot
    /// be read as a table of documents.
    pub(super) fn open(
        origin: Box<dyn ReadSeek>,
        size: u64,
        name: String,
        file: &Opening<'_>,
    ) -> io::Result<Result<Self, String>> {
        let options = file.options;
        let messages = match Messages::find(origin, size, &options.limits)? {
            Ok(messages) => messages,
            Err(why) => return Ok(Err(why)),
        };
        let names: Vec<&str> = messages.schema.fields().iter().map(|field| field.name().as_str()).collect();
        let (columns, ids) = match wanted(&names, options) {
            Ok(wanted) => wanted,
            Err(why) => return Ok(Err(why)),
        };
        let ids = if file.is_read_again { HasIds::Known } else { ids };
        let decoder = decoder(&messages, &columns);
        Ok(Ok(Self {
            messages,
            decoder,
            known: 0,
            columns,
            batch: None,
            name,
            ids,
            row: 0,
            payload: 0,
            named_batch: None,
            line: Vec::new(),
        }))
    }

    /// Decodes a message of rows, unless it was decoded last. The inner error says why it cannot be.
    fn decode(&mut self, index: usize) -> io::Result<Result<(), String>> {
        if self.batch.as_ref().is_some_and(|(decoded, _)| *decoded == index) {
            return Ok(Ok(()));
        }
        self.batch = None;
        if self.known > index {
            (self.decoder, self.known) = (decoder(&self.messages, &self.columns), 0);
        }
        for at in self.known..=index {
            let is_rows = at == index;
            if !is_rows && self.messages.all[at].first < self.messages.all[at].end {
                continue;
            }
            let (block, bytes) = match self.messages.message(at)? {
                Ok(message) => message,
                Err(why) => return Ok(Err(why)),
            };
            let (decoder, bytes) = (&mut self.decoder, bytes.into());
            // A decoder may panic on damage that it does not foresee.
            let decoded = catch_unwind(AssertUnwindSafe(|| match is_rows {
                true => decoder.read_record_batch(&block, &bytes),
                false => decoder.read_dictionary(&block, &bytes).map(|()| None),
            }));
            match decoded {
                Ok(Ok(Some(batch))) => self.batch = Some((index, batch)),
                Ok(Ok(None)) => {}
                Ok(Err(error)) => return Ok(Err(error.to_string())),
                Err(_) => return Ok(Err("the decoder gave up".into())),
            }
        }
        self.known = index;
        let message = &self.messages.all[index];
        let rows = self.batch.as_ref().map_or(0, |(_, batch)| batch.num_rows() as u64);
        Ok(if rows == message.end - message.first { Ok(()) } else { Err("it has another number of rows".into()) })
    }

    /// Reads a row of the batch that was decoded.
    fn read(&mut self, row: usize, options: &Options) -> EntryContent {
        let Some((_, batch)) = &self.batch else { return skipped(Reason::DamagedMember, "no batch".into()) };
        let fields = batch.schema_ref().fields().iter().map(|field| field.name().as_str());
        self.line.clear();
        let columns = fields.zip(batch.columns());
        if let Err(NotUtf8(column)) = cell::object(&mut self.line, columns, row, &options.fields.fp) {
            return skipped(Reason::WrongType, format!("column {column:?} is not UTF-8: convert it, or use Parquet"));
        }
        self.named_batch = options.batch_column.as_ref().map(|name| {
            let value: Option<serde_json::Value> = serde_json::from_slice(&self.line).ok();
            value.and_then(|value| Some(value.get(name)?.as_str()?.to_owned())).unwrap_or_default()
        });
        let mut content = document_of_line(&self.line, options, self.ids);
        if let EntryContent::Page(page) = &content {
            self.payload += page.body.len() as u64;
        }
        if let EntryContent::Page(crate::entry::PageEntry { id, .. }) | EntryContent::Fingerprint { id, .. } =
            &mut content
            && id.is_empty()
        {
            *id = format!("{}:{}", self.name, self.row);
        }
        content
    }
}

impl Entries for ArrowRows {
    /// After damage, the next entry is one for the rest of the batch.
    fn next(&mut self, options: &Options) -> io::Result<Option<Entry>> {
        let row = self.row;
        let index = self.messages.all.partition_point(|message| message.end <= row);
        let position = |length: usize| Position { offset: row, inner: 0, length: length as u64 };
        if index == self.messages.all.len() {
            let cut = self.messages.cut.take();
            return Ok(cut.map(|why| Entry::skipped(position(0), Reason::DamagedMember, why)));
        }
        let (first, end) = (self.messages.all[index].first, self.messages.all[index].end);
        if let Err(why) = self.decode(index)? {
            self.row = end;
            let detail = format!("rows {row} to {}: {why}", end - 1);
            return Ok(Some(Entry::skipped(position(0), Reason::DamagedMember, detail)));
        }
        let content = self.read((row - first) as usize, options);
        let length = if let EntryContent::Page(page) = &content { page.body.len() } else { 0 };
        self.row += 1;
        Ok(Some(Entry { position: position(length), content }))
    }

    fn point(&self) -> ResumePoint {
        ResumePoint { offset: self.row, inner: 0 }
    }

    fn go_to(&mut self, point: ResumePoint) -> io::Result<()> {
        self.row = point.offset.min(self.messages.rows());
        Ok(())
    }

    fn skips(&self) -> bool {
        true
    }

    fn batch<'a>(&'a self, _: &Options) -> Option<&'a str> {
        self.named_batch.as_deref()
    }

    /// The bytes of the file are estimated from the share of rows.
    fn bytes_read(&self) -> (u64, u64) {
        let (rows, size) = (self.messages.rows(), self.messages.size);
        let read = if self.row >= rows { size } else { (size as f64 * (self.row as f64 / rows as f64)) as u64 };
        (read, self.payload)
    }

    fn size(&self) -> u64 {
        self.messages.size
    }
}

fn decoder(messages: &Messages, columns: &[usize]) -> FileDecoder {
    FileDecoder::new(messages.schema.clone(), messages.version).with_projection(columns.to_vec())
}

fn skipped(reason: Reason, detail: String) -> EntryContent {
    EntryContent::Skipped { reason, detail }
}
