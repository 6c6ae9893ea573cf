//! Any bytes as a WARC or an ARC file: records, HTTP heads, chunks and encodings.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nddb_archive::Format;

fuzz_target!(|bytes: &[u8]| {
    let (format, name) = match bytes.first() {
        Some(b'W') => (Format::Warc, "a.warc"),
        Some(b'h' | b'f') => (Format::Arc, "a.arc"),
        _ => (Format::Auto, "a.warc"),
    };
    reading::read(bytes, name, format);
});
