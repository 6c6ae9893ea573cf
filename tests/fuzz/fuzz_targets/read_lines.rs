//! Any bytes as lines: of JSON, of a table with a header, of fingerprints. The first byte says which.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nddb_archive::Format;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, lines)) = bytes.split_first() else { return };
    let format = match first {
        b'{' => return reading::read(bytes, "a.jsonl", Format::Jsonl),
        b'0' => Format::U64le,
        b't' => Format::Tsv,
        b'c' => Format::Csv,
        _ => Format::Auto,
    };
    reading::read(lines, "a.jsonl", format);
});
