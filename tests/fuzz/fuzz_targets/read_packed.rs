//! Any bytes as a compressed file: members of gzip, frames of zstd, bzip2, xz and lz4, and what is in them.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nddb_archive::Format;

fuzz_target!(|bytes: &[u8]| reading::read(bytes, "a.warc", Format::Auto));
