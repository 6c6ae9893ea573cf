//! Reads an archive to its end, within small limits.

use nddb_archive::{Entry, EntryContent, Format, Input, Limits, Options};

/// Bytes of a record, so that few bytes are beyond it.
const RECORD: usize = 16 << 10;
/// Bytes that may be decompressed for nothing.
const FREE: u64 = 1 << 20;

/// Reads bytes as a file of this name and format, twice: with seeking, and forward only.
pub fn read(bytes: &[u8], name: &str, format: Format) {
    let limits = Limits {
        record: RECORD,
        header: 1 << 10,
        header_lines: 32,
        ratio: 20,
        ratio_free: FREE,
        zstd_window: 1 << 20,
        zstd_body_window: 1 << 18,
        dictionary: 64 << 10,
        ..Limits::default()
    };
    let options = Options { format, limits, ..Options::default() };
    let entries = Input::from_bytes(bytes.to_vec(), name, &options).ok().map(|input| drain(input, bytes.len()));
    let forward = Input::from_reader(std::io::Cursor::new(bytes.to_vec()), name, &options);
    let forward = forward.ok().map(|input| drain(input, bytes.len()));
    assert_eq!(entries, forward, "it does not matter how it is read");
}

/// Returns all entries. Pages ascend and are within the limit, and no more is decompressed than is read, and what the
/// limits allow besides. What follows an error of a decoder that reads a file as a whole is not read.
fn drain(mut input: Input, size: usize) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut kept, mut last) = (0, None);
    while let Ok(Some(entry)) = input.next() {
        if let EntryContent::Page(page) = &entry.content {
            assert!(page.body.len() <= RECORD, "a page is within the limit");
            kept += page.body.len() as u64;
            let place = Some((entry.position.offset, entry.position.inner));
            // What is skipped may be a member that ends in damage, behind the records before that.
            assert!(std::mem::replace(&mut last, place) <= place, "positions of pages ascend");
        }
        entries.push(entry);
        // Each entry is of one byte at least; what is empty gives none.
        assert!(entries.len() as u64 <= input.payload_bytes() + size as u64 + 1, "reading comes to an end");
    }
    assert!(matches!(input.next(), Ok(None)), "the end is the end");
    let lines = entries.len() as u64 * RECORD as u64;
    assert!(input.payload_bytes() <= FREE + 20 * size as u64 + kept + lines + (1 << 20), "the work is bounded");
    entries
}
