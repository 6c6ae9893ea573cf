//! The messages of a file or a stream, found by their headers, whatever sizes these claim.

use std::io::{self, Read, SeekFrom};
use std::panic::catch_unwind;
use std::sync::Arc;

use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::{Block, Message as Header, MessageHeader, MetadataVersion, RecordBatch, root_as_message};
use arrow_schema::SchemaRef;

use crate::limits::Limits;
use crate::source::ReadSeek;

/// The mark at the beginning and the end of a file.
const MAGIC: &[u8] = b"ARROW1";
/// Bytes of a file in which its first message begins.
const PADDED: u64 = 72;
/// Bytes before the header of a message: a mark, and the size of the header.
const PREFIX: u64 = 8;
/// Maximum number of messages: with the usual thousand rows and more in each, a file has fewer.
const MESSAGES_MAX: usize = 1 << 22;

/// A message with rows, or with values of dictionaries.
pub(super) struct Message {
    offset: u64,
    header: u32,
    body: u64,
    /// The numbers of its first row and of the row after its last; equal if it has values of dictionaries.
    pub(super) first: u64,
    pub(super) end: u64,
}

/// The messages of an input.
pub(super) struct Messages {
    origin: Box<dyn ReadSeek>,
    pub(super) size: u64,
    pub(super) schema: SchemaRef,
    pub(super) version: MetadataVersion,
    pub(super) all: Vec<Message>,
    /// Why the input ends early, if it does.
    pub(super) cut: Option<String>,
    limits: Limits,
}

impl Messages {
    /// Finds the messages. The inner error is a message that explains why the input is none of Arrow.
    pub(super) fn find(origin: Box<dyn ReadSeek>, size: u64, limits: &Limits) -> io::Result<Result<Self, String>> {
        let schema = Arc::new(arrow_schema::Schema::empty());
        let (version, limits) = (MetadataVersion::V5, limits.clone());
        let mut found = Self { origin, size, schema, version, all: Vec::new(), cut: None, limits };
        let head = found.read(0, size.min(PADDED))?;
        if head.starts_with(b"FEA1") {
            return Ok(Err("it is a Feather file of version 1: write it again, in Python with \
                           pyarrow.feather.write_feather(pyarrow.feather.read_table('FILE'), 'NEW.feather')"
                .into()));
        }
        let (begin, end) = match head.strip_prefix(MAGIC) {
            // Writers fill up the line of 8 or 64 bytes with zeros.
            Some(rest) => {
                let zeros = rest.iter().take_while(|byte| **byte == 0).count();
                ((MAGIC.len() + zeros) as u64, found.end_of_file()?)
            }
            None => (0, size),
        };
        let mut at = begin;
        found.cut = found.walk(&mut at, end)?;
        // Without a schema there is nothing.
        Ok(match found.cut.take_if(|_| at == begin) {
            Some(why) => Err(format!("it cannot be read as Arrow: {why}; if it is compressed as a whole, unpack it")),
            None => Ok(found),
        })
    }

    /// Returns where the messages of a file end: at its footer, or at its end if it was cut off.
    fn end_of_file(&mut self) -> io::Result<u64> {
        let size = self.size;
        let tail = if size < 18 { Vec::new() } else { self.read(size - 10, 10)? };
        let footer = tail.strip_suffix(MAGIC).and_then(|len| len.first_chunk()).map(|len| u32::from_le_bytes(*len));
        Ok(footer.and_then(|len| (size - 10).checked_sub(len.into())).unwrap_or(size))
    }

    /// Reads the headers of all messages; returns why the input ends early, and leaves `at` at the message that does.
    fn walk(&mut self, at: &mut u64, end: u64) -> io::Result<Option<String>> {
        let (mut row, mut is_first) = (0_u64, true);
        while *at < end {
            let cut = |why: &str| Ok(Some(format!("{why} at byte {at}", at = *at)));
            let prefix = self.read(*at, PREFIX.min(end - *at))?;
            let Some(size) = prefix.strip_prefix(&[0xff; 4]).and_then(|rest| rest.first_chunk()) else {
                return cut("no message");
            };
            let size = u32::from_le_bytes(*size);
            if size == 0 {
                return Ok(None);
            }
            if u64::from(size) > self.limits.table_footer || *at + PREFIX + u64::from(size) > end {
                return cut("a header that is cut off or too large");
            }
            let bytes = self.read(*at + PREFIX, size.into())?;
            let Ok(header) = root_as_message(&bytes) else { return cut("a damaged header") };
            let next = *at + PREFIX + u64::from(size);
            let body = u64::try_from(header.bodyLength()).ok().filter(|body| next.checked_add(*body) <= Some(end));
            let Some(body) = body else { return cut("a message that is cut off") };
            match header.header_type() {
                MessageHeader::Schema if is_first => {
                    let schema = header.header_as_schema();
                    // The decoder may panic on types that it does not foresee.
                    let schema = schema.and_then(|schema| catch_unwind(|| try_fb_to_schema(schema)).ok()?.ok());
                    let Some(schema) = schema else { return cut("a schema of unknown types") };
                    (self.schema, self.version, is_first) = (Arc::new(schema), header.version(), false);
                }
                _ if is_first => return cut("another message than the schema"),
                MessageHeader::RecordBatch | MessageHeader::DictionaryBatch => {
                    let rows = header.header_as_record_batch().and_then(|batch| u64::try_from(batch.length()).ok());
                    let Some(rows_end) = row.checked_add(rows.unwrap_or(0)) else { return cut("a damaged header") };
                    if self.all.len() == MESSAGES_MAX || self.limits.are_too_many_rows(body, rows_end - row) {
                        return cut("more rows than its size allows (limit max-ratio)");
                    }
                    self.all.push(Message { offset: *at, header: size, body, first: row, end: rows_end });
                    row = rows_end;
                }
                _ => (),
            }
            *at = next + body;
        }
        Ok(if is_first { Some("there is no schema".into()) } else { None })
    }

    /// Reads a message, with the place of its body for a decoder. The inner error says why it is not decoded.
    pub(super) fn message(&mut self, index: usize) -> io::Result<Result<(Block, Vec<u8>), String>> {
        let Message { offset, header, body, .. } = self.all[index];
        let header = PREFIX + u64::from(header);
        let limit = self.limits.table_page;
        let too_large = |bytes| format!("a batch of {bytes} bytes is beyond {limit}, by the limit memory-limit");
        if body > limit {
            return Ok(Err(too_large(body)));
        }
        let bytes = self.read(offset, header + body)?;
        let (head, content) = bytes.split_at(header as usize);
        let claimed = root_as_message(&head[PREFIX as usize..]).map_or(0, |head| claimed(&head, content));
        if claimed > limit {
            return Ok(Err(too_large(claimed)));
        }
        Ok(Ok((Block::new(0, header as i32, body.cast_signed()), bytes)))
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> u64 {
        self.all.last().map_or(0, |message| message.end)
    }

    fn read(&mut self, offset: u64, len: u64) -> io::Result<Vec<u8>> {
        self.origin.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; len as usize];
        self.origin.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// Returns the size that the buffers of a message claim to have when they are decompressed.
fn claimed(header: &Header<'_>, body: &[u8]) -> u64 {
    let of_dictionary = || header.header_as_dictionary_batch().and_then(|batch| batch.data());
    let Some(batch) = header.header_as_record_batch().or_else(of_dictionary) else { return 0 };
    if RecordBatch::compression(&batch).is_none() {
        return 0;
    }
    let size =
        |offset: i64| body.get(usize::try_from(offset).ok()?..)?.first_chunk().map(|size| i64::from_le_bytes(*size));
    let buffers = batch.buffers().into_iter().flatten();
    let sizes = buffers.filter_map(|buffer| u64::try_from(size(buffer.offset())?).ok());
    sizes.fold(0, u64::saturating_add)
}
