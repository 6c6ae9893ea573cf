//! A revisit record, made of the record of a page.

use std::io::{self, Write};

use crate::packed::Packing;
use flate2::write::GzEncoder;
use nddb_archive::{HttpParts, WholeRecord};

use super::decide::Revisit;
use super::payload::Payload;

/// The profile of a revisit record whose payload is a near-duplicate of that to which it refers.
const NEAR: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/revisit/near-duplicate");

/// What follows the block of a record.
const END: &[u8] = b"\r\n\r\n";

/// Fields that are written anew.
const REPLACED: [&str; 9] = [
    "WARC-Type",
    "WARC-Profile",
    "WARC-Refers-To",
    "WARC-Refers-To-Target-URI",
    "WARC-Refers-To-Date",
    "WARC-Payload-Digest",
    "WARC-Block-Digest",
    "WARC-Truncated",
    "Content-Length",
];

/// Returns the revisit record of a page: the same record without the payload. Its HTTP header stays, byte for byte.
pub(super) fn bytes(record: &WholeRecord, http: &HttpParts<'_>, revisit: &Revisit) -> Vec<u8> {
    let mut bytes = [record.version(), b"\r\n"].concat();
    let mut field = |name: &[u8], value: &[u8]| bytes.extend([name, b": ", value, b"\r\n"].concat());
    field(b"WARC-Type", b"revisit");
    for (name, value) in record.fields() {
        if !REPLACED.iter().any(|replaced| name.eq_ignore_ascii_case(replaced.as_bytes())) {
            field(name, value);
        }
    }
    let standard = match record.version() {
        b"WARC/1.1" => "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        _ => "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
    };
    let origin = &revisit.origin;
    field(b"WARC-Profile", if revisit.is_identical { standard } else { NEAR }.as_bytes());
    if let Some(id) = &origin.id {
        field(b"WARC-Refers-To", format!("<{id}>").as_bytes());
    }
    field(b"WARC-Refers-To-Target-URI", origin.url.as_bytes());
    field(b"WARC-Refers-To-Date", origin.date.as_bytes());
    // The crawler's digest, so that indexes still find equal payloads by it.
    field(b"WARC-Payload-Digest", &digest(record, http));
    field(b"WARC-Block-Digest", Payload::of(http.head).label().as_bytes());
    field(b"WARC-Truncated", b"length");
    field(b"Content-Length", http.head.len().to_string().as_bytes());
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(http.head);
    bytes.extend_from_slice(END);
    bytes
}

/// Returns the digest of the payload: that of the record, else one that is computed as warcio does.
fn digest(record: &WholeRecord, http: &HttpParts<'_>) -> Vec<u8> {
    let named = record.field("warc-payload-digest").map(<[u8]>::to_vec);
    named.unwrap_or_else(|| Payload::of(http.payload).label().into_bytes())
}

/// Compresses a record as those beside it are, in a member of its own.
pub(super) fn packed(record: Vec<u8>, packing: Packing) -> io::Result<Vec<u8>> {
    match packing {
        Packing::Plain => Ok(record),
        Packing::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(&record).and_then(|()| encoder.finish())
        }
        Packing::Zstd => zstd::bulk::compress(&record, 0),
    }
}
