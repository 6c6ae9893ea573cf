//! Files of duplicates (SPEC.md, 16): documents in groups, each compressed against the first of its group.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;
use zstd::stream::{read, write};

use crate::failure::{Code, Failure, Result, Told};
use crate::inputs::Packing;
use crate::json;
use crate::output::{Counted, Published};

/// Identifies the footer, a skippable frame of zstd.
const FOOTER: [u8; 8] = [0x5e, 0x2a, 0x4d, 0x18, 32, 0, 0, 0];
const MAGIC: &[u8; 8] = b"nddbdups";
const VERSION: u32 = 1;
/// Length of the footer in bytes, with its head.
const FOOTER_LEN: u64 = 40;

/// The longest document, in bytes, that others are compressed against, or that is compressed against another one: both
/// are in memory then.
pub(super) const SHORT: u64 = 64 << 20;

/// The level of zstd: above it, files get 2% smaller in twice the time.
const LEVEL: i32 = 12;

/// A document of the file: a line of its index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Document {
    /// Its id.
    #[serde(serialize_with = "write_id", deserialize_with = "json::read_id")]
    pub(super) id: String,
    /// The id of the document that is kept instead; `None` if a list removes this one, or if this is a kept one.
    #[serde(default, serialize_with = "write_some_id", deserialize_with = "read_some_id")]
    pub(super) kept: Option<String>,
    /// Whether it is removed. A kept one is stored for those that are compressed against it.
    pub(super) removed: bool,
    /// The name of its input below a folder, without the ending of its compression.
    pub(super) file: PathBuf,
    /// Its place among all documents of the inputs that are stored here.
    pub(super) number: u64,
    /// Its length.
    pub(super) bytes: u64,
    /// The length of its frame.
    pub(super) frame: u64,
    /// Whether its frame can be decompressed without another document.
    pub(super) alone: bool,
}

fn write_id<S: Serializer>(id: &str, serializer: S) -> Result<S::Ok, S::Error> {
    json::Id(id).serialize(serializer)
}

fn write_some_id<S: Serializer>(id: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    id.as_deref().map(json::Id).serialize(serializer)
}

fn read_some_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let value = Option::<serde_json::Value>::deserialize(deserializer)?;
    value.map(json::id_of).transpose().map_err(|what| serde::de::Error::custom(format!("an id {what}")))
}

/// A file that is being written.
pub(super) struct Writer {
    out: Counted,
    /// Lines of the index.
    index: Vec<u8>,
    /// The document that the next ones are compressed against.
    prefix: Vec<u8>,
}

impl Writer {
    /// Begins a file.
    pub(super) fn create(path: &Path) -> Result<Self> {
        let out = Counted::new(Published::create(path, Packing::Plain)?);
        Ok(Self { out, index: Vec::new(), prefix: Vec::new() })
    }

    /// Appends a document with these contents, and completes what the index says of it; returns its length. If it is
    /// alone, and short, those that follow are compressed against it.
    pub(super) fn push(&mut self, mut document: Document, mut contents: impl Read) -> Result<u64> {
        let failed = |error: io::Error| Failure::unwritten(&error);
        let begin = self.out.bytes();
        let mut text = Vec::new();
        contents.by_ref().take(SHORT + 1).read_to_end(&mut text).map_err(failed)?;
        let is_short = text.len() as u64 <= SHORT;
        document.alone |= !is_short;
        document.bytes = if document.alone {
            let mut frame = write::Encoder::new(&mut self.out, LEVEL).map_err(failed)?;
            // Of a known size, so that zstd takes no more memory than it needs.
            frame.set_pledged_src_size(is_short.then_some(text.len() as u64)).map_err(failed)?;
            written(frame, &mut Cursor::new(&text).chain(contents)).map_err(failed)?
        } else {
            let mut frame = write::Encoder::with_ref_prefix(&mut self.out, LEVEL, &self.prefix).map_err(failed)?;
            frame.set_pledged_src_size(Some(text.len() as u64)).map_err(failed)?;
            let window = (self.prefix.len() + text.len()).max(1 << 10).next_power_of_two();
            frame.window_log(window.ilog2()).map_err(failed)?;
            written(frame, &mut &*text).map_err(failed)?
        };
        document.frame = self.out.bytes() - begin;
        if document.alone && is_short {
            self.prefix = text;
        }
        json::line(&mut self.index, &document);
        Ok(document.bytes)
    }

    /// Completes the file and gives it its name; returns its length in bytes.
    pub(super) fn finish(mut self) -> Result<u64> {
        let failed = |error: io::Error| Failure::unwritten(&error);
        let at = self.out.bytes();
        let index = zstd::bulk::compress(&self.index, LEVEL).map_err(failed)?;
        self.out.write_all(&index).map_err(failed)?;
        let mut footer = FOOTER.to_vec();
        footer.extend_from_slice(MAGIC);
        footer.extend_from_slice(&VERSION.to_le_bytes());
        footer.extend_from_slice(&[0; 4]);
        footer.extend_from_slice(&at.to_le_bytes());
        footer.extend_from_slice(&xxh3_64(&index).to_le_bytes());
        self.out.write_all(&footer).map_err(failed)?;
        self.out.finish()
    }
}

/// Completes a frame of these contents; returns their number of bytes.
fn written<W: Write>(mut frame: write::Encoder<'_, W>, contents: &mut dyn Read) -> io::Result<u64> {
    frame.include_checksum(true)?;
    let bytes = io::copy(contents, &mut frame)?;
    frame.finish()?;
    Ok(bytes)
}

/// A complete file.
pub(super) struct Reader {
    path: PathBuf,
    file: File,
    pub(super) documents: Vec<Document>,
    /// The offset of the frame of each document.
    offsets: Vec<u64>,
    /// The document that others are compressed against, and its contents, if it was read.
    prefix: Option<(usize, Vec<u8>)>,
}

impl Reader {
    /// Opens a file, and reads its index.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let reading = |error: io::Error| Failure::reading(path, &error);
        let mut file = File::open(path).map_err(reading)?;
        let len = file.metadata().map_err(reading)?.len();
        let no_file = || {
            let message = format!("{}: is no file of duplicates, or it was cut off", path.display());
            Failure::from(Told::new(Code::Failed, message).hint("'nddb filter --duplicates FILE' writes such a file"))
        };
        let at = len.checked_sub(FOOTER_LEN).ok_or_else(no_file)?;
        let mut footer = [0; FOOTER_LEN as usize];
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut footer)).map_err(reading)?;
        let number = |from: usize| footer[from..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        if footer[..8] != FOOTER || footer[8..16] != MAGIC[..] {
            return Err(no_file());
        }
        let version = number(16) as u32;
        if version != VERSION {
            let message = format!("{}: version {version} of files of duplicates", path.display());
            return Err(Told::new(Code::Mismatch, message).hint("a newer nddb reads it").into());
        }
        let begin = number(24);
        let mut index = vec![0; at.checked_sub(begin).ok_or_else(|| damaged(path, at))? as usize];
        file.seek(SeekFrom::Start(begin)).and_then(|_| file.read_exact(&mut index)).map_err(reading)?;
        if xxh3_64(&index) != number(32) {
            return Err(damaged(path, begin));
        }
        let lines = zstd::stream::decode_all(&*index).map_err(|_| damaged(path, begin))?;
        let lines = serde_json::Deserializer::from_slice(&lines).into_iter();
        let documents = lines.collect::<Result<Vec<Document>, _>>().map_err(|_| damaged(path, begin))?;
        let (mut end, mut offsets) = (0_u64, Vec::with_capacity(documents.len()));
        for document in &documents {
            offsets.push(end);
            end = end.saturating_add(document.frame);
        }
        // A name that led out of the folder could overwrite any file.
        let is_below = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_sound = documents.first().is_none_or(|first| first.alone);
        if end != begin || !is_sound || !documents.iter().all(|document| is_below(&document.file)) {
            return Err(damaged(path, begin));
        }
        Ok(Self { path: path.to_owned(), file, documents, offsets, prefix: None })
    }

    /// Writes the contents of the document with this index.
    pub(super) fn copy(&mut self, index: usize, out: &mut dyn Write) -> Result<()> {
        let bytes = self.documents[index].bytes;
        let copied = if self.documents[index].alone {
            let frame = read::Decoder::with_buffer(self.frame(index)?).map_err(|_| self.damaged(index))?;
            copied(frame.take(bytes + 1), out)
        } else {
            self.read_prefix(index)?;
            let frame = self.frame(index)?;
            let prefix = self.prefix.as_ref().map_or(&[][..], |(_, contents)| contents);
            let frame = read::Decoder::with_ref_prefix(frame, prefix).map_err(|_| self.damaged(index))?;
            copied(frame.take(bytes + 1), out)
        };
        match copied.map_err(|error| Failure::unwritten(&error))? {
            Some(copied) if copied == bytes => Ok(()),
            _ => Err(self.damaged(index)),
        }
    }

    /// Reads the document that the one with this index is compressed against.
    fn read_prefix(&mut self, index: usize) -> Result<()> {
        let before = self.documents[..index].iter().rposition(|document| document.alone && document.bytes <= SHORT);
        let before = before.ok_or_else(|| self.damaged(index))?;
        if self.prefix.as_ref().is_none_or(|(read, _)| *read != before) {
            let mut contents = Vec::new();
            self.copy(before, &mut contents)?;
            self.prefix = Some((before, contents));
        }
        Ok(())
    }

    fn frame(&self, index: usize) -> Result<io::BufReader<impl Read + use<>>> {
        let reading = |error: io::Error| Failure::reading(&self.path, &error);
        let mut file = self.file.try_clone().map_err(reading)?;
        file.seek(SeekFrom::Start(self.offsets[index])).map_err(reading)?;
        Ok(io::BufReader::new(file.take(self.documents[index].frame)))
    }

    fn damaged(&self, index: usize) -> Failure {
        damaged(&self.path, self.offsets[index])
    }
}

/// Copies until the end; `None` if what is read is damaged, an error if it cannot be written.
fn copied(mut from: impl Read, out: &mut dyn Write) -> io::Result<Option<u64>> {
    let (mut piece, mut copied) = (vec![0; 64 << 10], 0);
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(Some(copied)),
            Ok(read) => {
                out.write_all(&piece[..read])?;
                copied += read as u64;
            }
            Err(_) => return Ok(None),
        }
    }
}

fn damaged(path: &Path, at: u64) -> Failure {
    let message = format!("{}: is damaged at byte {at}", path.display());
    Told::new(Code::Damage, message).hint("restore the file from a copy, or filter the inputs again").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: &str, alone: bool) -> Document {
        let (kept, file) = (Some("a".to_owned()).filter(|_| !alone), PathBuf::from("in.jsonl"));
        Document { id: id.into(), kept, removed: !alone, file, number: 0, bytes: 0, frame: 0, alone }
    }

    /// A text that hardly compresses by itself.
    fn text(seed: u64) -> Vec<u8> {
        (0..3000_u64).map(|at| xxh3_64(&(at * 31 + seed).to_le_bytes()) as u8).collect()
    }

    /// Documents with the contents of two groups.
    fn contents() -> [(Document, Vec<u8>); 5] {
        let edited = |seed, at: usize| {
            let mut text = text(seed);
            text.splice(at..at + 10, *b"an edit");
            text
        };
        [
            (document("a", true), text(1)),
            (document("\u{1}17", false), edited(1, 500)),
            (document("b", false), edited(1, 2000)),
            (document("c", true), text(2)),
            (document("d", false), edited(2, 7)),
        ]
    }

    fn read(path: &Path) -> Result<Vec<Vec<u8>>> {
        let mut reader = Reader::open(path)?;
        let indexes = (0..reader.documents.len()).rev();
        let read = |index| {
            let mut contents = Vec::new();
            reader.copy(index, &mut contents)?;
            Ok(contents)
        };
        indexes.map(read).collect()
    }

    #[test]
    fn documents_come_back_and_near_duplicates_are_small() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.dups");
        let all = contents();
        let mut writer = Writer::create(&path).expect("a file");
        for (document, text) in &all {
            assert_eq!(writer.push(document.clone(), &text[..]).expect("written"), text.len() as u64);
        }
        let len = writer.finish().expect("written");
        let bytes = std::fs::read(&path).expect("a file");
        assert_eq!(bytes.len() as u64, len);
        assert!(len < 2 * 3000 + 600, "{len} bytes for two texts that do not compress and three near them");
        let found = read(&path).expect("a file of duplicates");
        assert!(found.iter().rev().eq(all.iter().map(|(_, text)| text)));
        let reader = Reader::open(&path).expect("a file of duplicates");
        assert!(reader.documents.iter().zip(&all).all(|(found, (document, text))| {
            let same = Document { bytes: text.len() as u64, frame: found.frame, ..document.clone() };
            *found == same
        }));

        // As SPEC.md says where everything is.
        let footer = &bytes[bytes.len() - 40..];
        assert_eq!((&footer[..8], &footer[8..16]), (&FOOTER[..], &b"nddbdups"[..]));
        assert_eq!(footer[16..24], [1, 0, 0, 0, 0, 0, 0, 0]);
        let at = u64::from_le_bytes(footer[24..32].try_into().expect("8 bytes")) as usize;
        let index = &bytes[at..bytes.len() - 40];
        assert_eq!(footer[32..], xxh3_64(index).to_le_bytes());
        let lines = String::from_utf8(zstd::decode_all(index).expect("a frame")).expect("text");
        let second = lines.lines().nth(1).expect("a line");
        let frame = reader.documents[1].frame;
        assert_eq!(
            second,
            format!(
                r#"{{"id":17,"kept":"a","removed":true,"file":"in.jsonl","number":0,"bytes":2997,"frame":{frame},"alone":false}}"#
            )
        );
        assert_eq!(zstd::decode_all(&bytes[..reader.documents[0].frame as usize]).expect("a frame"), all[0].1);
    }

    #[test]
    fn a_long_document_is_alone_and_no_prefix() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.dups");
        let mut writer = Writer::create(&path).expect("a file");
        writer.push(document("a", true), &text(1)[..]).expect("written");
        let long = io::repeat(7).take(SHORT + 2);
        assert_eq!(writer.push(document("long", false), long).expect("written"), SHORT + 2);
        writer.push(document("b", false), &text(1)[..]).expect("written");
        assert!(writer.finish().expect("written") < 3000 + 64_000);
        let mut reader = Reader::open(&path).expect("a file");
        assert_eq!(reader.documents.iter().map(|document| document.alone).collect::<Vec<_>>(), [true, true, false]);
        let mut found = Vec::new();
        reader.copy(2, &mut found).expect("there");
        assert_eq!(found, text(1));
        found.clear();
        reader.copy(1, &mut found).expect("there");
        assert!(found.len() as u64 == SHORT + 2 && found.iter().all(|byte| *byte == 7));
    }

    #[test]
    fn a_name_that_leads_out_of_the_folder_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.dups");
        for file in ["../x", "/etc/x", "a/../../x"] {
            let mut writer = Writer::create(&path).expect("a file");
            writer.push(Document { file: file.into(), ..document("a", true) }, &text(1)[..]).expect("written");
            writer.finish().expect("written");
            assert!(Reader::open(&path).is_err(), "{file}");
        }
    }

    #[test]
    fn damage_is_told_wherever_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.dups");
        let mut writer = Writer::create(&path).expect("a file");
        for (document, text) in contents() {
            writer.push(document, &text[..]).expect("written");
        }
        writer.finish().expect("written");
        let whole = std::fs::read(&path).expect("a file");
        let good = read(&path).expect("sound");
        for at in (0..whole.len()).step_by(7).chain(whole.len() - 40..whole.len()) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).expect("written");
            if let Ok(found) = read(&path) {
                // The zeros of the footer, and bits of frames that say nothing.
                assert_eq!(found, good, "byte {at} of {}", whole.len());
            }
        }
        for cut in [0, 1, 39, 40, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).expect("written");
            assert!(read(&path).is_err(), "cut at {cut}");
        }
    }
}
