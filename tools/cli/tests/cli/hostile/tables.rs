//! Parquet files whose metadata lies.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;

use super::{Gives, SOUND, Table};

/// A table of 100 documents.
fn table() -> Vec<u8> {
    let ids: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|row| format!("id-{row}"))));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|row| format!("the words of {row}"))));
    let batch = RecordBatch::try_from_iter([("id", ids), ("text", texts)]).expect("columns of one length");
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a schema");
    writer.write(&batch).expect("memory is writable");
    writer.into_inner().expect("memory is writable")
}

/// The table with another length of its metadata.
fn with_length(length: u32) -> Vec<u8> {
    let mut bytes = table();
    let at = bytes.len() - 8;
    bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// A table that has nothing but this metadata.
fn of_metadata(metadata: &[u8]) -> Vec<u8> {
    [b"PAR1", metadata, &(metadata.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

#[test]
fn parquet() {
    let loads = Table::new();
    let sound = table();
    loads.reads("sound.parquet", &sound, Gives { stored: 100, ..SOUND });
    let lies = &["metadata is damaged"][..];
    loads.refuses("footer-beyond.parquet", &with_length(u32::MAX), &["beyond the limit"]);
    loads.refuses("footer-of-file.parquet", &with_length(sound.len() as u32), &["beyond the limit"]);
    loads.refuses("footer-short.parquet", &with_length(10), lies);
    loads.refuses("footer-empty.parquet", &with_length(0), lies);
    loads.refuses("cut.parquet", &sound[..sound.len() - 1], &["PAR1", "cut off"]);
    loads.refuses("head-alone.parquet", b"PAR1", &["cut off"]);
    loads.refuses("encrypted.parquet", &[b"PARE", &sound[4..]].concat(), &["encrypted"]);
    loads.refuses("zeros.parquet", &of_metadata(&vec![0; 1 << 20]), lies);
    // A list of 2^31 columns; structures in each other without end; a text of 2 GB.
    loads.refuses("long-list.parquet", &of_metadata(b"\x15\x04\x19\xfc\xff\xff\xff\xff\x07\0"), lies);
    loads.refuses("deep.parquet", &of_metadata(&vec![0x1c; 1 << 20]), lies);
    loads.refuses("long-text.parquet", &of_metadata(b"\x18\xff\xff\xff\xff\x07\0"), lies);
    // Every byte of the pages.
    let footer = u32::from_le_bytes(sound[sound.len() - 8..][..4].try_into().expect("four bytes")) as usize;
    let mut pages = sound.clone();
    let end = pages.len() - 8 - footer;
    pages[4..end].fill(0xff);
    loads.reads("pages.parquet", &pages, Gives { skipped: &[("damaged_member", 1)], ..SOUND });
    loads.ends(13);
}
